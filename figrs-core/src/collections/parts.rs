//! Collections and processes as parts of objects; a path such as `rooms[2]` finds a member by the number or the index in brackets.

use std::panic::Location;

use super::elements::{Elements, Natural};
use super::process::Process;
use crate::element::Element;
use crate::parts::{ElementMember, Indexed, IndexedMember, Member, ObjectField, PartType, Parts};
use crate::value::Value;
use crate::value::plain_data::PlainData;

/// A path finds a member of a collection by its number, as in `[3]`. If the length of the collection is uncertain, a path leads to the element
/// [`at`](Elements::at), so that a world without this member is an error, unless evidence excludes the world.
impl<T: Value> Parts for Elements<T> {
    fn member(&self) -> Member<'_> {
        match self.to_vec() {
            Some(members) => Member::List(members.iter().map(ObjectField::element).collect()),
            None => Member::Collection(IndexedMember::new(self)),
        }
    }

    fn part_type() -> PartType {
        PartType::list::<Element<T>>()
    }
}

/// A path finds a member of a process by the text of its index, as in `[3]`, `["Ada"]`, `["0.5"]`, and `["Ada, 3"]` for a pair. The members of a
/// process are created when they are asked for, and [`paths`](Parts::paths) does not list them.
impl<I: Value, T: Value> Parts for Process<I, T> {
    fn member(&self) -> Member<'_> {
        Member::Process(IndexedMember::new(self))
    }

    fn part_type() -> PartType {
        PartType::map::<Element<T>>()
    }
}

impl<T: Value> Indexed for Elements<T> {
    fn member(
        &self,
        text: &str,
        location: &'static Location<'static>,
    ) -> Result<ElementMember, String> {
        let index = usize::from_data(&scalar(text));
        let index = index.map_err(|_| "give the number of an item, as in `[0]`")?;
        Ok(ElementMember::new(
            &self.at_from(Natural::Known(index), location),
        ))
    }
}

impl<I: Value, T: Value> Indexed for Process<I, T> {
    fn member(
        &self,
        text: &str,
        location: &'static Location<'static>,
    ) -> Result<ElementMember, String> {
        let list = || PlainData::List(text.split(',').map(str::trim).map(scalar).collect());
        let index = I::from_data(&PlainData::Text(text.into()))
            .or_else(|_| I::from_data(&scalar(text)))
            .or_else(|expected| I::from_data(&list()).map_err(|_| expected))
            .map_err(|expected| format!("the index must be {expected}"))?;
        if self.has(&index) == Ok(false) {
            return Err(format!(
                "give an index in the domain, which does not contain {index:?}"
            ));
        }
        Ok(ElementMember::new(&self.member_at(&index, location)))
    }
}

/// Returns the number or the truth value that a text states; returns the text itself if it states neither.
fn scalar(text: &str) -> PlainData {
    let number = || text.parse().map(PlainData::Number);
    let truth = || text.parse().map(PlainData::Bool);
    let integer = text.parse().map(PlainData::Integer);
    let read = integer.or_else(|_| number()).or_else(|_| truth());
    read.unwrap_or_else(|_| PlainData::Text(text.into()))
}
