//! Evidence on the parts of objects, by paths or from data for a whole object.

use super::Parts;
use super::error::PartError;
use super::find::{Found, follow, kind};
use super::member::Member;
use super::path::{Path, joined};
use crate::model::Model;
use crate::value::plain_data::PlainData;

impl Model {
    /// States that the element at the path `path` of an object has the value `value`. If the value is plain data, the path may also lead to an
    /// object, whose parts the data describe; see [`observe_data`](Self::observe_data).
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
    /// **Errors.** [`PartError`] if the path leads to no element, or if the data do not describe a value of the element.
    #[track_caller]
    pub fn observe_path(
        self,
        object: &impl Parts,
        path: &str,
        value: impl Into<PlainData>,
    ) -> Result<Self, PartError> {
        observe(self, object.member(), "", path, &value.into())
    }

    /// States the values of several parts of an object, for example from a JSON file.
    ///
    /// The data must have the form of the object: an object with the names of the fields, or a list of the same length. `null` states nothing, unless
    /// the values of the element are options. Fields may be omitted. The name of a field may also be a path. For a field that is not random, the data
    /// may state the value of the field.
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
    /// **Errors.** [`PartError`] for the first error in the data.
    #[track_caller]
    pub fn observe_data(self, object: &impl Parts, data: &PlainData) -> Result<Self, PartError> {
        observe(self, object.member(), "", "", data)
    }
}

/// Adds the evidence of `data` on the part with the path `rest` of the object `member`, which has the path `start`.
#[track_caller]
fn observe(
    model: Model,
    member: Member<'_>,
    start: &str,
    rest: &str,
    data: &PlainData,
) -> Result<Model, PartError> {
    let before = Path::parse(start)?.len();
    // Errors in `rest` are reported first, because the complete path might hide them.
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
