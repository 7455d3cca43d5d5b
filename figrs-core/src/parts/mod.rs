//! Parts of objects: the elements in the fields of ordinary structs, found by paths such as `rooms[2].owner.age`.

mod distinct;
mod error;
mod evidence;
mod find;
mod member;
mod part_type;
mod path;
mod reference;
mod walk;

pub use distinct::{Distinct, distinct};
pub use error::PartError;
pub(crate) use member::Indexed;
pub use member::{ElementMember, IndexedMember, Member, ObjectField, ValueMember};
pub use part_type::{PartType, ValueParts};

use crate::element::Element;
use crate::element::node::AnyElement;
use crate::value::Value;
use path::Path;

/// An object whose fields are elements, plain values, other objects with parts, or lists, maps and options of such fields.
///
/// `#[derive(Parts)]` implements the trait `Parts` for structs and enums. A *path* names an element of an object: field names with points between
/// them (`engine.power`); in brackets, the numbers of list items from 0 (`rooms[2].owner`), or map keys in quotation marks (`rooms["hall"].owner`; a
/// key of any type is its [`Display`](std::fmt::Display) text, and a number needs no quotation marks). In a path, the fields of tuples and tuple
/// structs are called `0`, `1`, and so on. Options, boxes and shared pointers add no step to a path. In a path, the members of
/// [`Elements`](crate::Elements) are found like the items of a list, and the members of a [`Process`](crate::Process) like those of a map.
///
/// ```
/// use figrs_core::{Element, Flip, Model, Parts, Select};
///
/// #[derive(Parts)]
/// # #[parts(crate = "figrs_core")]
/// struct Engine { power: Element<&'static str> }
/// #[derive(Parts)]
/// # #[parts(crate = "figrs_core")]
/// struct Car { engine: Engine, doors: Vec<Element<bool>> }
///
/// let power = Select::new([(0.7, "high"), (0.3, "low")]);
/// let car = Car { engine: Engine { power }, doors: vec![Flip::new(0.1), Flip::new(0.1)] };
/// let door: Element<bool> = car.find("doors[1]")?;
/// let model = Model::new().observe(&door, true).observe_path(&car, "engine.power", "high")?;
///
/// let error = car.find::<bool>("engine.powr").unwrap_err();
/// assert_eq!(error.to_string(), "`engine.powr`: `engine` is of type `Engine`, which has no field `powr`; did you mean `power`?");
/// # drop(model);
/// # Ok::<(), figrs_core::PartError>(())
/// ```
///
/// If the values of an element are objects, the element is called a *reference of uncertain identity*. To let paths continue through an element whose
/// values are objects of type `Person`, derive `Value` and `Parts` for `Person` with the attribute `#[value(parts)]`; the element or value at the end
/// of the path may differ from object to object. The method [`Element::part`] reads a part of the object that is the value of an element, without a
/// path.
///
/// # Attributes of the derived implementation
///
/// | attribute of a field | meaning |
/// |---|---|
/// | `#[parts(value)]` | the field is a plain value of a type that is a [`Value`] and has no parts |
/// | `#[parts(skip)]` | the field is no part |
///
/// The attribute `#[parts(crate = "path")]` on the type names the crate that exports the trait `Parts`, if this crate is not `figrs`.
pub trait Parts {
    /// Returns the kind of the object (for example a list), with its fields or items.
    fn member(&self) -> Member<'_>;

    /// Describes all objects of this Rust type, so that paths through references of uncertain identity can be checked before the objects exist.
    fn part_type() -> PartType
    where
        Self: Sized;

    /// Returns the element at the path `path` in the object; the element has values of type `T`.
    ///
    /// If the path leads through references of uncertain identity, the returned element reads the part of whatever object each reference has as its
    /// value. If the object that a reference means has no such part, for example because it is another variant of an enum, the worlds with this
    /// object have an error ([`Fault::Part`](crate::Fault::Part)); evidence can exclude these worlds.
    ///
    /// **Errors.** [`PartError`] if the path does not lead to an element, or if the values of the element have another type.
    #[track_caller]
    fn find<T: Value>(&self, path: &str) -> Result<Element<T>, PartError>
    where
        Self: Sized,
    {
        let location = std::panic::Location::caller();
        find::element(self, &Path::parse(path)?.into(), location)
    }

    /// Returns all elements that are parts of the object, in the order of the fields, each with its path.
    ///
    /// Elements inside objects that are values of other elements are not listed, because they differ between worlds.
    ///
    /// **Errors.** [`PartError::Cycle`] if references form a cycle; [`PartError::TooManyParts`] if the object has too many parts.
    fn paths(&self) -> Result<Vec<(String, AnyElement)>, PartError>
    where
        Self: Sized,
    {
        walk::elements(self)
    }

    /// Names each element that is a part of the object by its path, such as `car.engine.power` if `name` is `car`, and returns the elements as
    /// targets of a query. Answers to queries and all messages then print the path of each named element as its name. An element that already has a
    /// name keeps its name.
    ///
    /// ```
    /// # use figrs_core::{Flip, Parts};
    /// let doors = vec![Flip::new(0.1), Flip::new(0.1)];
    /// let targets = doors.name_parts("doors")?;
    /// assert_eq!(targets[1].label().name.as_deref(), Some("doors[1]"));
    /// # Ok::<(), figrs_core::PartError>(())
    /// ```
    ///
    /// **Errors.** [`PartError::Cycle`] if references form a cycle; [`PartError::TooManyParts`] if the object has too many parts.
    fn name_parts(&self, name: &str) -> Result<Vec<AnyElement>, PartError>
    where
        Self: Sized,
    {
        let named = |(path, element): (String, AnyElement)| {
            element.set_name(path::joined(name, &path));
            element
        };
        Ok(self.paths()?.into_iter().map(named).collect())
    }
}

#[cfg(test)]
mod tests;
