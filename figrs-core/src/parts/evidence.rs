//! Evidence on the parts of objects, by paths or from data for a whole object.

use std::panic::Location;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Parts;
use super::error::PartError;
use super::find::{Found, Reference, follow, kind, missing, unknown_key};
use super::member::{Member, ObjectField};
use super::part_type::TypeKind;
use super::path::{Path, joined, keyed};
use crate::element::label::printable;
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
    /// The path may lead through references of uncertain identity (elements whose values are objects): the evidence is then on the part of whatever
    /// object each reference has as its value. A field that is not random may differ from object to object, so that observing its value is evidence
    /// on the identity of the object.
    ///
    /// ```
    /// # use figrs_core::{Element, Model, Parts, Select, Uniform, Value};
    /// #[derive(Clone, Debug, Parts, Value)]
    /// # #[parts(crate = "figrs_core")]
    /// # #[value(crate = "figrs_core", parts)]
    /// # /*
    /// #[value(parts)]
    /// # */
    /// struct Engine { maker: &'static str, power: Element<&'static str> }
    /// #[derive(Parts)]
    /// # #[parts(crate = "figrs_core")]
    /// struct Car { engine: Element<Engine> }
    ///
    /// let engine = |maker, high| Engine { maker, power: Select::new([(high, "high"), (1.0 - high, "low")]) };
    /// let car = Car { engine: Uniform::new([engine("Ada", 0.8), engine("Bo", 0.2)]) };
    /// let model = Model::new().observe_path(&car, "engine.power", "high")?.observe_path(&car, "engine.maker", "Ada")?;
    ///
    /// let error = Model::new().observe_path(&car, "engine.powr", "high").unwrap_err();
    /// assert_eq!(error.to_string(), "`engine.powr`: `engine` is of type `Engine`, which has no field `powr`; did you mean `power`, `maker`?");
    /// # drop(model);
    /// # Ok::<(), figrs_core::PartError>(())
    /// ```
    ///
    /// **Errors.** [`PartError`], if the path leads to no element, or if the element cannot have the value `value`. If a reference may mean objects
    /// that do not have the part, the query returns the error for these objects, unless evidence excludes them.
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
    /// The data must have the form of the object: fields by their names, maps by their keys, lists as lists of the same length. A `null` in the data
    /// states nothing about an element, unless the element accepts `null` as a value, as elements of options do. Fields may be left out. The name of
    /// a field in the data may also be a path. For a field that is not random, the data may contain only the value that the field has. For a
    /// reference of uncertain identity, the data may be an object, which states evidence on the parts of the object that the reference means.
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
    /// **Errors.** [`PartError`] for the first error that is found in the data.
    #[track_caller]
    pub fn observe_data(self, object: &impl Parts, data: &PlainData) -> Result<Self, PartError> {
        observe(self, object.member(), "", "", data)
    }
}

/// Adds the evidence that `data` states about a part of the object `member`: `start` is the path of the object, and `rest` is the path from the
/// object to the part.
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
    let path = Arc::new(Path::parse(&joined(start, rest))?);
    match follow(member, &path, before, Location::caller())? {
        Found::End(member) => observe_member(model, member, &path, data),
        Found::Through(reference) => observe_through(model, reference, data),
    }
}

#[track_caller]
fn observe_member(
    model: Model,
    member: Member<'_>,
    path: &Arc<Path>,
    data: &PlainData,
) -> Result<Model, PartError> {
    let wrong_data = |expected: String| wrong_data(path, kind(&member), expected, data);
    match (&member, data) {
        (Member::Element(element), data) => match (element.values.read)(data) {
            Ok(value) => Ok(model.observe_any(&element.element, value)),
            Err(_) if *data == PlainData::Null => Ok(model),
            Err(expected) => match element.values.parts {
                Some(parts) => {
                    let reference = Reference {
                        element: element.element.clone(),
                        parts,
                        path,
                        number: path.len(),
                        location: Location::caller(),
                    };
                    observe_through(model, reference, data)
                }
                None => Err(wrong_data(expected)),
            },
        },
        (_, PlainData::Null) => Ok(model),
        (Member::Missing, _) => Err(missing(path, path.len())),
        (Member::Value(value), data) => match value.is_stated_by(data) {
            Ok(true) => Ok(model),
            Ok(false) | Err(_) => Err(PartError::WrongData {
                path: path.text().into(),
                problem: format!(
                    "is not random: it is {}, but the data state {}; leave it out, or state the same value",
                    printable(&format!("{value:?}")),
                    printable(&data.to_string())
                ),
            }),
        },
        (Member::Map(entries), PlainData::Object(given)) => {
            let known = entries.iter().map(|(key, part)| (key.as_str(), part));
            let known: FxHashMap<&str, &ObjectField<'_>> = known.collect();
            let mut model = model;
            for (key, data) in given {
                let of_key = keyed(path.text(), key);
                let unknown = || unknown_key(entries, key, &of_key, path.text());
                let part = known.get(key.as_str()).ok_or_else(unknown)?;
                let of_key = Path::parse(&of_key)?.into();
                model = observe_member(model, part.member(), &of_key, data)?;
            }
            Ok(model)
        }
        (Member::Process(_), PlainData::Object(given)) => {
            given.iter().try_fold(model, |model, (key, data)| {
                let of_key = keyed("", key);
                observe(model, member.clone(), path.text(), &of_key, data)
            })
        }
        (
            Member::Object { .. } | Member::List(_) | Member::Collection(_),
            PlainData::Object(fields),
        ) => {
            let mut model = model;
            for (name, data) in fields {
                model = observe(model, member.clone(), path.text(), name, data)?;
            }
            Ok(model)
        }
        (Member::List(items), PlainData::List(given)) => {
            if items.len() != given.len() {
                return Err(PartError::WrongData {
                    path: path.text().into(),
                    problem: format!(
                        "has {} items, but the data state {}; state `null` for items about which nothing is known",
                        items.len(),
                        given.len()
                    ),
                });
            }
            let mut model = model;
            for (number, (item, data)) in items.iter().zip(given).enumerate() {
                let path = Path::parse(&joined(path.text(), &format!("[{number}]")))?;
                model = observe_member(model, item.member(), &path.into(), data)?;
            }
            Ok(model)
        }
        (Member::Object { .. }, _) => Err(wrong_data("an object with fields".into())),
        (Member::Map(_), _) => Err(wrong_data("an object whose names are keys".into())),
        (Member::Process(_), _) => Err(wrong_data("an object whose names are indices".into())),
        (Member::Collection(_), _) => Err(wrong_data(
            "an object whose names are paths, such as `[0]`".into(),
        )),
        (Member::List(_), _) => Err(wrong_data("a list".into())),
    }
}

/// Adds the evidence that data state about a part of whatever object a reference has as its value.
#[track_caller]
fn observe_through(
    model: Model,
    reference: Reference<'_>,
    data: &PlainData,
) -> Result<Model, PartError> {
    let path = reference.path;
    let types = reference.parts.types_at(path, reference.number)?;
    let mut expected = None;
    for part in &types {
        let values = match &part.0 {
            TypeKind::Element(values) => values,
            // Only elements take `null` as a value.
            TypeKind::Value(values) if *data != PlainData::Null => values,
            _ => continue,
        };
        match (values.read)(data) {
            Ok(value) => {
                return Ok(model.observe_any(&(values.through)(reference.clone()), value));
            }
            Err(accepted) => expected = expected.or(Some(accepted)),
        }
    }
    if *data == PlainData::Null {
        return Ok(model);
    }
    let objects = types
        .iter()
        .find_map(|part| Some((part, part.object_data()?)));
    let Some((part, accepted)) = objects else {
        let accepted = expected.expect("a type is one of values or of objects");
        return Err(wrong_data(path, types[0].kind(), accepted, data));
    };
    let PlainData::Object(fields) = data else {
        return Err(wrong_data(path, part.kind(), accepted.into(), data));
    };
    let mut model = model;
    for (name, data) in fields {
        let path = if let TypeKind::Map(_) = part.0 {
            keyed(path.text(), name)
        } else {
            Path::parse(name)?;
            joined(path.text(), name)
        };
        let path = &Path::parse(&path)?.into();
        let reference = reference.clone();
        model = observe_through(model, Reference { path, ..reference }, data)?;
    }
    Ok(model)
}

fn wrong_data(path: &Path, found: String, expected: String, given: &PlainData) -> PartError {
    PartError::WrongData {
        path: path.text().into(),
        problem: format!(
            "is {found} and takes {expected}, not {}",
            printable(&given.to_string())
        ),
    }
}
