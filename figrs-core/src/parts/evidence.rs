//! Evidence on the parts of objects: by path, and for a whole object at once.

use super::Parts;
use super::error::PartError;
use super::find::{Found, follow, kind};
use super::member::Member;
use super::path::{Path, joined};
use crate::model::Model;
use crate::value::plain_data::PlainData;

impl Model {
    /// States that the element at a path of an object has this value. The value may also be plain data, such as a whole JSON
    /// object for the object at the path: [`observe_data`](Self::observe_data).
    ///
    /// ```
    /// # use figrs_core::{Flip, Model};
    /// let doors = vec![Flip::new(0.1), Flip::new(0.1)];
    /// let model = Model::new().observe_path(&doors, "[1]", true)?;
    ///
    /// let error = Model::new().observe_path(&doors, "[1]", "open").unwrap_err();
    /// assert_eq!(error.to_string(), "`[1]` is an element with values of type `bool` and takes true or false, not \"open\"");
    /// # drop(model);
    /// # Ok::<(), figrs_core::PartError>(())
    /// ```
    ///
    /// **Errors.** [`PartError`], if the path leads to no element, or if the element has no such value.
    #[track_caller]
    pub fn observe_path(
        self,
        object: &impl Parts,
        path: &str,
        value: impl Into<PlainData>,
    ) -> Result<Self, PartError> {
        observe(self, object.member(), "", path, &value.into())
    }

    /// States values of the parts of an object, all at once, for example from a JSON file.
    ///
    /// The data have the form of the object: fields by their names, lists as lists of the same length. `null` states nothing, unless the
    /// element at this place accepts `null` as a value, as elements of options do. Fields may be left out. The name of a field may also
    /// be a path. A field that is not random may be stated with the value that it has.
    ///
    /// ```
    /// # use figrs_core::{Element, Flip, Model, Parts, PlainData, Select};
    /// #[derive(Parts)]
    /// # #[parts(crate = "figrs_core")]
    /// struct Car { maker: String, power: Element<&'static str>, doors: Vec<Element<bool>> }
    ///
    /// let doors = vec![Flip::new(0.1), Flip::new(0.1)];
    /// let car = Car { maker: "Ada".into(), power: Select::new([(0.7, "high"), (0.3, "low")]), doors };
    /// let seen: PlainData = serde_json::from_str(r#"{"maker": "Ada", "power": "high", "doors": [true, null]}"#)?;
    /// let model = Model::new().observe_data(&car, &seen)?;
    /// assert_eq!(model.evidence().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// **Errors.** [`PartError`] for the first mistake in the data.
    #[track_caller]
    pub fn observe_data(self, object: &impl Parts, data: &PlainData) -> Result<Self, PartError> {
        observe(self, object.member(), "", "", data)
    }
}

/// Adds the evidence of data on the part at the path `rest` of the object `member`, which is at the path `start`.
#[track_caller]
fn observe(
    model: Model,
    member: Member<'_>,
    start: &str,
    rest: &str,
    data: &PlainData,
) -> Result<Model, PartError> {
    let before = Path::parse(start)?.len();
    // The mistakes of `rest` alone are reported first, because those of the joined path could be hidden by the join.
    Path::parse(rest)?;
    let path = Path::parse(&joined(start, rest))?;
    let member = match follow(member, &path, before)? {
        Found::End(member) => member,
        Found::Through(_, _, number) => {
            return Err(PartError::UncertainObject {
                path: path.text().into(),
                at: path.start(number).into(),
            });
        }
    };
    observe_member(model, member, path.text(), data)
}

/// Adds the evidence of data on the object at a path.
#[track_caller]
fn observe_member(
    model: Model,
    member: Member<'_>,
    path: &str,
    data: &PlainData,
) -> Result<Model, PartError> {
    let wrong_data = |expected: String| PartError::WrongData {
        path: path.into(),
        found: kind(&member),
        expected,
        given: data.to_string(),
    };
    let missing = || PartError::Missing {
        path: path.into(),
        at: path.into(),
    };
    match (&member, data) {
        (Member::Element(element), data) => match element.read(data) {
            Ok(value) => Ok(model.observe_any(element.erased(), value)),
            Err(_) if *data == PlainData::Null => Ok(model),
            Err(_) if matches!(data, PlainData::Object(_)) && element.value_parts().is_some() => {
                Err(PartError::UncertainObject {
                    path: path.into(),
                    at: path.into(),
                })
            }
            Err(expected) => Err(wrong_data(expected)),
        },
        (_, PlainData::Null) => Ok(model),
        (Member::Missing, _) => Err(missing()),
        (Member::Value(value), data) => match value.is_stated_by(data) {
            Ok(true) => Ok(model),
            Ok(false) | Err(_) => Err(PartError::ValueDiffers {
                path: path.into(),
                value: format!("{value:?}"),
                given: data.to_string(),
            }),
        },
        (Member::Object { .. } | Member::List(_), PlainData::Object(fields)) => {
            let mut model = model;
            for (name, data) in fields {
                model = observe(model, member.clone(), path, name, data)?;
            }
            Ok(model)
        }
        (Member::List(items), PlainData::List(given)) => {
            if items.len() != given.len() {
                return Err(PartError::WrongLength {
                    path: path.into(),
                    length: items.len(),
                    given: given.len(),
                });
            }
            let mut model = model;
            for (number, (item, data)) in items.iter().zip(given).enumerate() {
                let path = joined(path, &format!("[{number}]"));
                model = observe_member(model, item.member(), &path, data)?;
            }
            Ok(model)
        }
        (Member::Object { .. }, _) => Err(wrong_data("an object with fields".into())),
        (Member::List(_), _) => Err(wrong_data("a list".into())),
    }
}
