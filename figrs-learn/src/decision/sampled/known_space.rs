//! The known values at a decision, represented by classes (indices of values that are matched exactly) and points (coordinates of values that are
//! compared by distance).

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use figrs_core::internals::contained;
use figrs_core::{AnyElement, Datum, Fault, Support};

use super::weighted_draws::WeightedDraws;
use figrs_answer::answer::marginal::numbers;
use figrs_answer::answer::value_names::text;
use figrs_answer::{Error, TargetDraws};

/// A user-defined function that maps a value of a random variable to coordinates. The function to coordinates returns `None` for a value of another
/// type.
pub(super) type CoordinateFunction = dyn Fn(&dyn Any) -> Option<Vec<f64>> + Send + Sync;

#[derive(Clone)]
pub(super) struct GivenCoordinates {
    pub(super) element: AnyElement,
    pub(super) function: Arc<CoordinateFunction>,
}

impl fmt::Debug for GivenCoordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "coordinates of {}", self.element.label())
    }
}

/// The known values at a decision: indices of values that must match exactly, and coordinates of values that are compared by distance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KnownPlace {
    /// The indices of the known values that must match exactly; `None` if one of these values occurs in no draw.
    pub(super) class: Option<Vec<u32>>,
    /// The coordinates of the known values that are compared by distance. Each coordinate is divided by its standard deviation among the draws.
    pub(super) point: Vec<f64>,
}

#[derive(Clone, Debug)]
pub(super) struct KnownSpace {
    pub(super) elements: Vec<KnownElement>,
}

#[derive(Clone, Debug)]
pub(super) struct KnownElement {
    pub(super) element: AnyElement,
    pub(super) support: Support,
    comparison: Comparison,
}

#[derive(Clone, Debug)]
enum Comparison {
    Exact,
    /// The distance of two known values is the Euclidean distance of their coordinates.
    Distance {
        given: Option<GivenCoordinates>,
        /// The reciprocal of each coordinate's standard deviation among the draws.
        scales: Vec<f64>,
    },
}

impl KnownSpace {
    /// Selects, for each random variable in `known`, the method by which two of its values are compared (exact match or distance). Numbers and lists
    /// of numbers are matched exactly if a distinct value occurs in at least `neighbours` draws on average.
    pub(super) fn new(
        (decision, known): (&AnyElement, &[AnyElement]),
        draws: &WeightedDraws<'_>,
        neighbours: usize,
        given: &[GivenCoordinates],
    ) -> Result<Self, Error> {
        let mut elements = Vec::with_capacity(known.len());
        for element in known {
            let given = given
                .iter()
                .find(|given| given.element.id() == element.id());
            let drawn = draws.target(element)?;
            let known = KnownElement::new(drawn, draws, neighbours, given.cloned());
            elements.push(known.map_err(|fault| match fault {
                Fault::Row(problem) => Error::NoDistance {
                    decision: Box::new(decision.label()),
                    element: element.label(),
                    problem,
                },
                fault => element.fault(fault).into(),
            })?);
        }
        Ok(Self { elements })
    }

    pub(super) fn dimensions(&self) -> usize {
        let scales = self.elements.iter().map(|known| match &known.comparison {
            Comparison::Exact => 0,
            Comparison::Distance { scales, .. } => scales.len(),
        });
        scales.sum()
    }

    /// Converts `values`, one value for each known random variable, to a class (values matched exactly) and a point (values compared by distance).
    pub(super) fn place(&self, values: &[&dyn Any]) -> Result<KnownPlace, (AnyElement, Fault)> {
        let mut class = Some(Vec::with_capacity(self.elements.len()));
        let mut point = Vec::new();
        for (known, value) in self.elements.iter().zip(values) {
            match &known.comparison {
                Comparison::Exact => {
                    let number = known.support.index_of(*value);
                    class = class.zip(number).map(|(mut class, number)| {
                        class.push(number as u32);
                        class
                    });
                }
                Comparison::Distance { given, scales } => {
                    let found = coordinates(*value, given.as_ref(), Some(scales.len()));
                    let found = found.map_err(|fault| (known.element.clone(), fault))?;
                    point.extend(found.iter().zip(scales).map(|(x, scale)| x * scale));
                }
            }
        }
        Ok(KnownPlace { class, point })
    }

    /// Returns the known values that the classes `classes` (values matched exactly) stand for, sorted by value.
    pub(super) fn classes<'c>(
        &self,
        classes: impl Iterator<Item = &'c Vec<u32>>,
    ) -> Vec<Vec<Datum>> {
        let ranks: Vec<Vec<usize>> = self
            .elements
            .iter()
            .map(|known| ranks(&known.support))
            .collect();
        let mut classes: Vec<&Vec<u32>> = classes.collect();
        classes.sort_by_cached_key(|class| -> Vec<usize> {
            let ranks = ranks.iter().zip(*class);
            ranks.map(|(ranks, &value)| ranks[value as usize]).collect()
        });
        let values = |class: &Vec<u32>| {
            let values = self.elements.iter().zip(class);
            values
                .map(|(known, &value)| known.support.datum(value as usize))
                .collect()
        };
        classes.into_iter().map(values).collect()
    }

    /// Returns the known values of a few draws, which are selected at even intervals from all draws in the order of their coordinates.
    pub(super) fn spread(
        &self,
        known: &[&TargetDraws],
        draws: &WeightedDraws<'_>,
    ) -> Vec<Vec<Datum>> {
        let step = draws.weights.len().div_ceil(CANDIDATES).max(1);
        let mut candidates: Vec<(KnownPlace, Vec<Datum>)> = Vec::with_capacity(CANDIDATES);
        for &(draw, _) in draws.weights.iter().step_by(step) {
            let value = |known: &&TargetDraws| known.support.datum(known.indices[draw] as usize);
            let values: Vec<Datum> = known.iter().map(value).collect();
            let parts: Vec<&dyn Any> = values.iter().map(Datum::as_any).collect();
            if let Ok(place) = self.place(&parts) {
                candidates.push((place, values));
            }
        }
        candidates.sort_by(|(a, _), (b, _)| {
            let mut pairs = a.point.iter().zip(&b.point).map(|(a, b)| a.total_cmp(b));
            let points = pairs.find(|order| order.is_ne());
            a.class
                .cmp(&b.class)
                .then(points.unwrap_or(Ordering::Equal))
        });
        let count = candidates.len();
        let shown = count.min(SHOWN);
        let middle = |i: usize| candidates[(2 * i + 1) * count / (2 * shown)].1.clone();
        (0..shown).map(middle).collect()
    }
}

/// Returns the rank of each value in the list `support`. For the ranks, numbers are sorted by size, and other values by their text.
fn ranks(support: &Support) -> Vec<usize> {
    let number =
        |value: usize| numbers(support.any(value)).map(|numbers| numbers.as_slice().to_vec());
    let mut order: Vec<usize> = (0..support.len()).collect();
    order.sort_by(|&a, &b| {
        let sizes = number(a).partial_cmp(&number(b)).unwrap_or(Ordering::Equal);
        sizes.then_with(|| text(&support.datum(a)).cmp(&text(&support.datum(b))))
    });
    let mut ranks = vec![0; order.len()];
    for (rank, value) in order.into_iter().enumerate() {
        ranks[value] = rank;
    }
    ranks
}

/// Maximum number of draws among which the printed rows of a policy are selected.
const CANDIDATES: usize = 1000;
/// Number of printed rows of a policy, if known values are compared by distance.
const SHOWN: usize = 8;

impl KnownElement {
    fn new(
        drawn: &TargetDraws,
        draws: &WeightedDraws<'_>,
        neighbours: usize,
        given: Option<GivenCoordinates>,
    ) -> Result<Self, Fault> {
        let support = drawn.support.clone();
        let count = draws.weights.len();
        let is_numeric = (0..support.len()).all(|value| numbers(support.any(value)).is_some());
        let is_shared = count >= neighbours.saturating_mul(support.len());
        let comparison = if given.is_some() || is_numeric && !is_shared {
            let mut table: Vec<Vec<f64>> = Vec::with_capacity(support.len());
            for value in 0..support.len() {
                let length = table.first().map(Vec::len);
                table.push(coordinates(support.any(value), given.as_ref(), length)?);
            }
            let rows = draws.weights.iter();
            let rows = rows.map(|&(draw, weight)| (&*table[drawn.indices[draw] as usize], weight));
            let length = table.first().map_or(0, Vec::len);
            let scales = (0..length).map(|i| scale(rows.clone().map(|(row, w)| (row[i], w))));
            Comparison::Distance {
                scales: scales.collect(),
                given,
            }
        } else if is_numeric || 2 * support.len() <= count || count == 1 {
            Comparison::Exact
        } else {
            return Err(Fault::Row(
                "its values have no distance, and almost no two draws have the same value; define `coordinates` for the values".into(),
            ));
        };
        Ok(Self {
            element: drawn.element.clone(),
            support,
            comparison,
        })
    }
}

impl KnownElement {
    /// Formats `value` as text; numbers that are compared by distance get six decimals.
    pub(super) fn text(&self, value: &Datum) -> String {
        match (&self.comparison, value.get::<f64>()) {
            (Comparison::Distance { .. }, Some(number)) => format!("{number:.6}"),
            _ => text(value),
        }
    }
}

/// Returns the coordinates of `value`. Returns an error unless all coordinates of `value` are finite and their number is `expected`.
fn coordinates(
    value: &dyn Any,
    given: Option<&GivenCoordinates>,
    expected: Option<usize>,
) -> Result<Vec<f64>, Fault> {
    let found = match given {
        Some(given) => contained(|| (given.function)(value))?,
        None => numbers(value).map(|numbers| numbers.as_slice().to_vec()),
    };
    let found =
        found.ok_or_else(|| Fault::Row("a value of another type has no distance".into()))?;
    let text = |problem: String| Fault::Row(format!("the coordinates {found:?} {problem}"));
    if found.is_empty() {
        return Err(text("are empty; give at least one number".into()));
    }
    if found.iter().any(|x| !x.is_finite()) {
        return Err(text("are not finite; give finite `coordinates`".into()));
    }
    match expected {
        Some(expected) if expected != found.len() => Err(text(format!(
            "of one value have the length {}, and those of another the length {expected}; give `coordinates` of equal length",
            found.len()
        ))),
        _ => Ok(found),
    }
}

/// Returns the reciprocal of the standard deviation of weighted numbers; returns 0 if all numbers are equal.
fn scale(weighted: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut total, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for (x, weight) in weighted {
        total += weight;
        let before = x - mean;
        mean += weight / total * before;
        squares += weight * before * (x - mean);
    }
    let deviation = (squares / total).sqrt();
    if deviation > 0.0 && deviation.is_finite() {
        1.0 / deviation
    } else {
        0.0
    }
}
