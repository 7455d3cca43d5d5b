//! Parts of a run in a form that can be sent from one process to another.

use std::ops::Range;
use std::time::Duration;

use figrs_core::{AnyColumn, AnyElement, Parents};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::partial::Sums;
use super::portable_targets::PortableTargets;
use crate::error::Error;
use figrs_factor::Stopped;

/// The contribution of a unit of work, in a form that can be sent to another process. Serde serialises the contribution without the values of the
/// targets, because the types of these values depend on the query.
pub trait PortableUnit: Serialize + DeserializeOwned {
    /// Returns the values of each target, as one column for each target; empty if the unit of work has no values.
    fn values(&mut self) -> &mut Vec<Box<dyn AnyColumn>>;
}

/// Sums whose contributions can be sent from one process to another.
pub trait PortableSums: Sums<Unit: PortableUnit> {
    /// Returns the targets of the run.
    fn targets(&self) -> Vec<AnyElement>;

    /// Checks that `unit` can be a contribution to these sums; returns a description of the problem if it cannot be one. The values in the
    /// contribution `unit` must have the types of the targets.
    fn check(&self, number: u64, unit: &Self::Unit) -> Result<(), String>;
}

/// The contributions of consecutive units of a run's work, in a form that serde can serialise. The values of the targets are stored in columns (lists
/// of values) of the type `C`.
///
/// A part of a run that was serialised and read again is equal to the original to the last bit if the format preserves the bits of floating-point
/// numbers, including infinities and NaN. Binary formats such as postcard preserve the bits of floating-point numbers; JSON does not.
#[derive(Debug, Serialize, Deserialize)]
#[must_use]
pub struct PortablePart<U, C> {
    units: Range<u64>,
    stopped: Stopped,
    elapsed: Duration,
    contributions: Vec<(U, Option<C>)>,
}

impl<U, C> PortablePart<U, C> {
    /// Returns the range of the indices of the finished units of work. The range of finished units of work is shorter than the requested range if the
    /// run was stopped.
    pub fn units(&self) -> Range<u64> {
        self.units.clone()
    }

    /// Returns the contribution of the first unit of work of the run; `None` if this part of the run does not contain the unit, or may contain only a
    /// part of the unit.
    pub(super) fn first_contribution(&self) -> Option<&(U, Option<C>)> {
        let is_whole = self.stopped == Stopped::Finished || self.contributions.len() > 1;
        let first = self.contributions.first();
        first.filter(|_| is_whole && self.units.start == 0)
    }

    /// Returns the reason why the part ended: [`Finished`](Stopped::Finished), unless units of work were omitted or shortened because of a deadline
    /// or an interrupt.
    pub fn stopped(&self) -> Stopped {
        self.stopped
    }

    /// Returns the time that the units of work took.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Sets the time of this part of a run to zero, so that two parts with the same results are equal, whenever and wherever they were computed.
    pub fn without_time(self) -> Self {
        Self {
            elapsed: Duration::ZERO,
            ..self
        }
    }
}

/// The contributions of the units of work of a part, with the part's time and the reason why the part ended.
pub(super) struct UnitList<U> {
    pub(super) units: Range<u64>,
    pub(super) each: Vec<U>,
    pub(super) stopped: Stopped,
    pub(super) elapsed: Duration,
}

impl<U: PortableUnit, C> PortablePart<U, C> {
    /// Creates a part of a run from `list`, a list of units of work; the values of the units are moved into the columns of the targets.
    pub(super) fn new<T>(list: UnitList<U>, targets: &T) -> Result<Self, Error>
    where
        T: PortableTargets<Columns = C> + ?Sized,
    {
        let contributions = (list.units.start..)
            .zip(list.each)
            .map(|(number, mut unit)| {
                let values = std::mem::take(unit.values());
                if values.is_empty() {
                    return Ok((unit, None));
                }
                let columns = targets.columns(&values);
                let problem =
                    "the types of its values differ from the types of the targets with which it is written";
                let columns = columns.ok_or_else(|| Error::unfit_part(number, problem))?;
                Ok((unit, Some(columns)))
            });
        Ok(Self {
            contributions: contributions.collect::<Result<_, Error>>()?,
            units: list.units,
            stopped: list.stopped,
            elapsed: list.elapsed,
        })
    }

    /// Returns the contributions of the part, including the values of the targets, after a check that the contributions belong to the run of `sums`.
    pub(super) fn checked<T, S>(self, sums: &S, targets: &T) -> Result<UnitList<U>, Error>
    where
        T: PortableTargets<Columns = C> + ?Sized,
        S: PortableSums<Unit = U>,
    {
        let first = self.units.start;
        let count = self.units.end.checked_sub(first);
        if count != Some(self.contributions.len() as u64) {
            let problem = format!(
                "it has {} units, numbered from {first} to below {}",
                self.contributions.len(),
                self.units.end
            );
            return Err(Error::unfit_part(first, problem));
        }
        let known = sums.targets();
        let same = |(a, b): (&AnyElement, &AnyElement)| a.id() == b.id();
        let given = Parents::elements(targets);
        if given.len() != known.len() || !given.iter().zip(&known).all(same) {
            let problem = "the targets with which it was read differ from the targets of the run";
            return Err(Error::unfit_part(first, problem));
        }
        let units = (first..).zip(self.contributions);
        let checked = units.map(|(number, (mut unit, columns))| {
            if let Some(columns) = columns {
                let values = T::values(columns);
                if values.len() != known.len() {
                    let problem = format!(
                        "it has values of {} targets, but the run has {}",
                        values.len(),
                        known.len()
                    );
                    return Err(Error::unfit_part(number, problem));
                }
                *unit.values() = values;
            }
            let problem = sums.check(number, &unit);
            problem.map_err(|problem| Error::unfit_part(number, problem))?;
            Ok(unit)
        });
        Ok(UnitList {
            each: checked.collect::<Result<_, Error>>()?,
            units: self.units,
            stopped: self.stopped,
            elapsed: self.elapsed,
        })
    }
}

/// Returns `problem` as the error if `holds` is false.
pub fn demand(holds: bool, problem: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem.into()) }
}

/// Returns an error if any of `positions` is not below `below`.
pub fn demand_below<'a>(
    positions: impl IntoIterator<Item = &'a u32>,
    below: usize,
) -> Result<(), String> {
    let mut positions = positions.into_iter();
    match positions.find(|&&position| position as usize >= below) {
        Some(position) => Err(format!(
            "it contains value number {position} of a target that has only {below} values"
        )),
        None => Ok(()),
    }
}
