//! Parts of objects: the elements in the fields of ordinary structs, found by paths such as `rooms[2].owner.age`.

mod distinct;
mod error;
mod evidence;
mod find;
mod member;
mod path;
mod reference;
mod walk;

pub use distinct::{Distinct, distinct};
pub use error::PartError;
pub use member::{ElementMember, Member, ObjectField, ValueMember};

use crate::element::Element;
use crate::element::node::AnyElement;
use crate::value::Value;
use path::Path;

/// An object whose fields are elements, values that are not random, other objects with parts, or lists and options of these.
///
/// `#[derive(Parts)]` implements the trait for structs and enums. A *path* then names each element of an object. The path consists of the names of
/// fields, separated by points (`engine.power`), and of the indices of list items, from 0, in brackets (`rooms[2].owner`). The fields of a tuple
/// struct are called `0`, `1`, and so on. Options, boxes and shared pointers are no steps of a path.
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
/// An element may be a *reference of uncertain identity*: its values are objects. If the objects have the type `Person`, derive `Value` and `Parts`
/// for `Person` with the attribute `#[value(parts)]`; a path may then continue with the fields of the objects. [`Element::part`] returns such a field
/// without a path.
///
/// # Attributes of the derived implementation
///
/// | attribute of a field | meaning |
/// |---|---|
/// | `#[parts(value)]` | the field is a plain value of a type that is a [`Value`] and has no parts |
/// | `#[parts(skip)]` | the field is no part |
///
/// `#[parts(crate = "path")]` on the type names the crate that exports the trait, if this is not `figrs`.
pub trait Parts {
    /// Returns the kind of the object, with its fields or items.
    fn member(&self) -> Member<'_>;

    /// Returns the element at the path `path`, with values of type `T`.
    ///
    /// If the path leads through references of uncertain identity, the result is the element in the object that the references have as their value in
    /// each world. If this object has no such element, the world has the error [`Fault::Part`](crate::Fault::Part), unless evidence excludes the
    /// world.
    ///
    /// **Errors.** [`PartError`] if the path does not lead to an element, or if the values of the element have another type.
    #[track_caller]
    fn find<T: Value>(&self, path: &str) -> Result<Element<T>, PartError>
    where
        Self: Sized,
    {
        let location = std::panic::Location::caller();
        find::element(self, &Path::parse(path)?.into(), 0, location)
    }

    /// Returns all elements of the object in the order of the fields, each with its path.
    ///
    /// Elements inside the values of other elements are not listed, because they differ between worlds.
    ///
    /// **Errors.** [`PartError::Cycle`] if references form a cycle; [`PartError::TooManyParts`] if the object has too many parts.
    fn paths(&self) -> Result<Vec<(String, AnyElement)>, PartError>
    where
        Self: Sized,
    {
        walk::elements(self)
    }

    /// Names each element of the object by its path, such as `car.engine.power` if `name` is `car`, and returns the elements as targets of a query.
    /// The answer and all messages then print the paths. An element keeps a name that it already has.
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
