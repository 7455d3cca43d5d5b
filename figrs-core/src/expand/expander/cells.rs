//! Intervals (cells) of the values of continuous elements, for models that are expanded only to a limited depth.
//!
//! The support of a continuous element contains one value for each cell (interval): its midpoint. A function of one interval (a cell) is evaluated at
//! the midpoint and the ends of the interval; a function of several intervals is also evaluated at the corners (all combinations of the ends). If a
//! function has the same result at all evaluated points of the cells (intervals), its value is this result; if the results are different numbers, its
//! value is a cell; otherwise its value is unknown. If the function of a `Chain` returns a new random element for each corner of the cells, the
//! probability of a value is its least probability at the corners, and the value `unknown` has the remaining probability.
//!
//! If the bins of a discretised element are refined, the element has the cells of its continuous source, each of which lies in one bin. If a value of
//! a discretised element is observed, the observation holds for the whole bin with this value.

use std::any::Any;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{BranchResults, Expander};
use crate::element::node::{AnyElement, Kind};
use crate::element::operations::{ApplyOp, AtomicOp, ChainOp, NotEnumerable, OpenArgument};
use crate::element::{Bins, quantile, quantile_at, tails};
use crate::error::{Fault, ModelError};
use crate::expand::expansion::{Cell, Content, FunctionFailures, Listing};
use crate::expand::product;
use crate::limits::check_time;
use crate::value::datum::Datum;
use crate::value::support::{Support, SupportBuilder};
use figrs_factor::graph::{Assignments, FactorTable, Weights};

/// The values of an element, with the cell (interval) and the probability of each value.
type Cells = (Support, Vec<Cell>, Vec<f64>);

/// Maximum number of parents of one function whose values are intervals.
const MAX_INTERVALS: usize = 6;

/// The points (lists of arguments) at which a function is evaluated, for one combination of parent values.
enum Corners<'a> {
    /// The combination of parent values is impossible, because it gives two different values to a parent that is listed twice.
    Impossible,
    TooMany,
    /// The lists of arguments at the midpoints of the cells (intervals), followed by the lists of arguments at the corners.
    Points(Vec<Vec<&'a dyn Any>>),
}

/// Adds the cell (interval) of the next value to `cells`, or extends the cell of the value with the index `place` if that value already has one.
pub(super) fn extend(cells: &mut Vec<Cell>, place: usize, cell: Cell) {
    let Some(known) = cells.get_mut(place) else {
        cells.push(cell);
        return;
    };
    let ([lower, upper], [left, right]) = (known.ends, cell.ends);
    known.ends = [lower.min(left), upper.max(right)];
    known.bin = known.bin.filter(|bin| cell.bin == Some(*bin));
}

impl Expander<'_> {
    pub(super) fn interval_parent(&self, parents: &[usize]) -> Option<usize> {
        let has_cells = |p: &usize| self.expansion.cells.contains_key(p);
        parents.iter().copied().find(has_cells)
    }

    /// Returns an error if the values of one of `parents` are intervals.
    pub(super) fn require_points(&self, parents: &[usize]) -> Result<(), ModelError> {
        match self.interval_parent(parents) {
            Some(parent) => Err(continuous(&self.expansion.elements[parent].element)),
            None => Ok(()),
        }
    }

    /// Stores the cells (intervals) of the element that is being added, if some of its values are intervals.
    pub(super) fn set_cells(&mut self, cells: Vec<Cell>) {
        self.cells = cells.iter().any(Cell::is_interval).then_some(cells);
    }

    /// For each combination of parent values, calls `visit` with the points at which the function is evaluated.
    fn for_each_combination(
        &mut self,
        element: &AnyElement,
        parents: &[usize],
        mut visit: impl FnMut(&mut Self, Corners<'_>) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let supports: Vec<Support> = self.supports(parents).into_iter().cloned().collect();
        let size = product::size(
            element,
            &supports.iter().collect::<Vec<_>>(),
            self.limits.element_entries,
        )?;
        if size == 0 {
            return Ok(());
        }
        let cells: Vec<Option<Arc<[Cell]>>> = (parents.iter())
            .map(|parent| self.expansion.cells.get(parent).cloned())
            .collect();
        let first = |at: usize| parents.iter().position(|p| *p == parents[at]).unwrap_or(at);
        let all = Assignments::rows(supports.iter().map(Support::len));
        let mut values = vec![0u32; parents.len()];
        loop {
            check_time(&self.limits.until, element)?;
            let middle = |at: usize| supports[at].any(values[at] as usize);
            let interval = |at: usize| {
                let cell = &cells[at].as_ref()?[values[at] as usize];
                cell.is_interval().then_some(cell)
            };
            let places = 0..parents.len();
            let intervals = places
                .clone()
                .filter(|&at| first(at) == at && interval(at).is_some());
            let intervals: Vec<usize> = intervals.collect();
            let corners = if places.clone().any(|at| values[first(at)] != values[at]) {
                Corners::Impossible
            } else if intervals.len() > MAX_INTERVALS {
                Corners::TooMany
            } else {
                let mut points: Vec<Vec<&dyn Any>> = vec![places.clone().map(middle).collect()];
                let masks = if intervals.is_empty() {
                    0
                } else {
                    1 << intervals.len()
                };
                for mask in 0..masks {
                    let end = |at: usize| -> &dyn Any {
                        let bit = intervals.iter().position(|&i| i == first(at));
                        match (bit, interval(at)) {
                            (Some(bit), Some(cell)) => &cell.ends[mask >> bit & 1],
                            _ => middle(at),
                        }
                    };
                    points.push(places.clone().map(end).collect());
                }
                Corners::Points(points)
            };
            visit(self, corners)?;
            if all.advance(&mut values).is_none() {
                return Ok(());
            }
        }
    }

    /// Returns the values of a function for parents whose values may be intervals.
    pub(super) fn apply_to_cells(
        &mut self,
        element: &AnyElement,
        op: &dyn ApplyOp,
        parents: &[usize],
    ) -> Result<(Support, Content, Option<FunctionFailures>), ModelError> {
        let mut values = element.no_values();
        let (mut index, mut failed) = (Vec::new(), Vec::new());
        let mut cells: Vec<Cell> = Vec::new();
        let mut error: Option<ModelError> = None;
        self.for_each_combination(element, parents, |expander, corners| {
            failed.push(matches!(corners, Corners::Impossible));
            let Corners::Points(points) = corners else {
                let is_impossible = failed.last() == Some(&true);
                index.push(if is_impossible {
                    FactorTable::NO_VALUE
                } else {
                    Content::UNKNOWN
                });
                return Ok(());
            };
            let is_assumed = !is_monotone(op, &points);
            (expander.expansion.listing).raise(Listing::OfMonotone, is_assumed);
            let results = points.iter().map(|point| op.call(point));
            let results: Vec<Result<Datum, Fault>> = results.collect();
            let mut found = Vec::with_capacity(results.len());
            let mut fault = None;
            for result in results {
                match result {
                    Ok(value) => found.push(value),
                    Err(other) => fault = Some(element.fault(other)),
                }
            }
            if let Some(fault) = fault {
                if !fault.is_local() {
                    return Err(fault);
                }
                let is_failed = found.is_empty();
                if is_failed {
                    error.get_or_insert(fault);
                    failed.pop();
                    failed.push(true);
                }
                index.push(if is_failed {
                    FactorTable::NO_VALUE
                } else {
                    Content::UNKNOWN
                });
                return Ok(());
            }
            let numbers: Option<Vec<f64>> = found.iter().map(|v| v.get::<f64>().copied()).collect();
            let is_same = found.iter().all(|value| value.same_as(found[0].as_any()));
            let is_number = |numbers: &[f64]| numbers.iter().all(|x| !x.is_nan());
            let place = match &numbers {
                Some(numbers) if is_same || is_number(numbers) => values.insert(&numbers[0]),
                None if is_same => values.insert(found[0].as_any()),
                _ => None,
            };
            if let (Some(place), Some(numbers)) = (place, numbers) {
                let lower = numbers.iter().copied().fold(f64::INFINITY, f64::min);
                let upper = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                extend(&mut cells, place, Cell::between(lower, upper));
            }
            index.push(place.map_or(Content::UNKNOWN, |place| place as u32));
            Ok(())
        })?;
        self.set_cells(cells);
        let failures = error.map(|error| FunctionFailures { error, failed });
        Ok((values.build(), Content::Apply(index), failures))
    }

    /// Calls the function of a `Chain` for all combinations of its parents' values, some of which are intervals.
    pub(super) fn branches_of_cells(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
        parents: &[usize],
    ) -> Result<BranchResults, ModelError> {
        let mut branches = BranchResults::default();
        let mut known = FxHashMap::default();
        self.for_each_combination(element, parents, |expander, corners| {
            let Corners::Points(points) = corners else {
                branches.choice.push(match corners {
                    Corners::Impossible => Content::NO_CHOICE,
                    _ => Content::UNKNOWN,
                });
                return Ok(());
            };
            (expander.expansion.listing).raise(Listing::OfMonotone, points.len() > 1);
            let mut found = Vec::with_capacity(points.len());
            let mut fault = None;
            for point in &points {
                match expander.call(element, op, point) {
                    Ok(result) => found.push(result),
                    Err(other) => fault = Some(other),
                }
            }
            if let Some(fault) = fault {
                branches.choice.push(if found.is_empty() {
                    branches.error.get_or_insert_with(|| element.fault(fault));
                    Content::NO_CHOICE
                } else {
                    Content::UNKNOWN
                });
                return Ok(());
            }
            let is_same = found.iter().all(|result| result.id() == found[0].id());
            if !is_same && !is_new(op, &points, &found) {
                branches.choice.push(Content::UNKNOWN);
                return Ok(());
            }
            let mut found = found.into_iter();
            if let Some(middle) = found.next() {
                if !is_same {
                    expander.enclosed.insert(middle.id(), found.collect());
                }
                expander.add_result(element, &mut branches, &mut known, middle)?;
            }
            Ok(())
        })?;
        // The density of the observed value may be positive in an unknown result, so that no bound exists.
        let is_real = element.no_values().insert(&0.0_f64).is_some();
        if is_real
            && self.observed(element).is_some()
            && branches.choice.contains(&Content::UNKNOWN)
        {
            return Err(continuous(element));
        }
        Ok(branches)
    }

    /// Computes lower bounds of the probabilities of values, for one random element that stands for the elements at all corners of a cell.
    pub(super) fn enclose(
        &mut self,
        element: &AnyElement,
        corners: &[AnyElement],
    ) -> Result<(Support, Content), ModelError> {
        let fault = |fault: Fault| element.fault(fault);
        let mut ops: Vec<&dyn AtomicOp> = Vec::with_capacity(corners.len() + 1);
        let mut refused = None;
        // The bins of the corners; they exist only if all corners have the same bins.
        let mut bins: Option<Option<&Bins>> = None;
        for corner in [element].into_iter().chain(corners) {
            if let Kind::Atomic(op) = corner.kind() {
                if let Err(problem) = op.check() {
                    refused = Some(element.invalid(problem));
                    continue;
                }
                let (source, own) = match self.refined(&**op) {
                    Some((source, own)) => (source, Some(own)),
                    None => (&**op, None),
                };
                ops.push(source);
                bins = Some(bins.map_or(own, |known| known.filter(|known| own == Some(known))));
            }
        }
        // If the parameters are invalid at some corners, all values are unknown. If they are invalid at all corners, the model is invalid.
        let is_unknown = refused.is_some();
        if let (Some(error), true) = (refused, ops.is_empty()) {
            return Err(error);
        }
        let bins = bins.flatten();
        let observed = self.unlisted.get(&element.id()).cloned();
        let at = |op: &dyn AtomicOp, value: &dyn Any| Ok(op.log_prob(value).map_err(fault)?.exp());
        let (support, cells, mut masses) =
            match (ops[0].outcomes().map_err(fault)?, self.range(element, bins)) {
                (Ok(outcomes), _) => {
                    let support = outcomes.support;
                    let masses = least(&ops, &support, at)?;
                    (support, Vec::new(), masses)
                }
                (Err(NotEnumerable::Infinite), _) => {
                    let mut values = element.no_values();
                    for value in 0..self.limits.range.unwrap_or_default() as u64 {
                        values.insert(&value);
                    }
                    if let Some(observed) = &observed {
                        values.insert(observed.as_any());
                    }
                    let support = values.build();
                    let masses = least(&ops, &support, at)?;
                    (support, Vec::new(), masses)
                }
                (Err(NotEnumerable::Continuous), Some(range)) => {
                    let listed = quantile_cells(&ops, bins, range, element.no_values());
                    let listed = listed.map_err(|problem| element.invalid(problem))?;
                    listed.ok_or_else(|| continuous(element))?
                }
                (Err(endless), _) => return Err(endless.unless_observed(element.label())),
            };
        if is_unknown {
            masses.fill(0.0);
        }
        self.set_cells(cells);
        let listed: f64 = masses.iter().sum();
        let unknown = (1.0 - listed).max(0.0);
        let weights = masses.into_iter().chain([unknown]).collect();
        Ok((support, Content::Atomic(Weights::from_linear(weights))))
    }
}

/// True if a function is known to be monotone in each argument that is an interval, because it is linear, or a comparison of linear functions.
/// `points` are the lists of arguments in [`Corners::Points`] at which the function is evaluated.
fn is_monotone<'a>(op: &dyn ApplyOp, points: &[Vec<&'a dyn Any>]) -> bool {
    let [middle, corners @ ..] = points else {
        return true;
    };
    let same = |a: &dyn Any, b: &dyn Any| a.downcast_ref::<f64>() == b.downcast_ref::<f64>();
    let argument = |(at, value): (usize, &&'a dyn Any)| {
        if corners.iter().all(|corner| same(corner[at], *value)) {
            OpenArgument::Known(*value)
        } else {
            OpenArgument::Open(1)
        }
    };
    let arguments: Vec<OpenArgument<'_>> = middle.iter().enumerate().map(argument).collect();
    corners.is_empty() || op.linear(&arguments).is_some() || op.comparison(&arguments).is_some()
}

/// For each value, returns its least probability in several distributions.
fn least(
    ops: &[&dyn AtomicOp],
    support: &Support,
    at: impl Fn(&dyn AtomicOp, &dyn Any) -> Result<f64, ModelError>,
) -> Result<Vec<f64>, ModelError> {
    let of_value = |i: usize| {
        let mut each = ops.iter().map(|op| at(*op, support.any(i)));
        each.try_fold(f64::INFINITY, |least, p| Ok(least.min(p?)))
    };
    (0..support.len()).map(of_value).collect()
}

/// True if a function returns a new random element without parents in each call.
fn is_new(op: &dyn ChainOp, points: &[Vec<&dyn Any>], found: &[AnyElement]) -> bool {
    let differs = |(point, result): (&Vec<&dyn Any>, &AnyElement)| {
        let again = op.call_anew(point);
        matches!(result.kind(), Kind::Atomic(_))
            && again.is_ok_and(|other| other.id() != result.id())
    };
    points.iter().zip(found).all(differs)
}

/// Returns the error that the values of a continuous element cannot be enumerated.
fn continuous(element: &AnyElement) -> ModelError {
    NotEnumerable::Continuous.unless_observed(element.label())
}

/// Returns the cells between the quantiles of a continuous distribution on the real numbers and between the edges of `bins`, with their
/// probabilities. If there are several distributions, the quantiles are those of the first distribution, and the probability of each cell is its
/// least probability in all distributions. Returns `None` for a distribution that is not on the real numbers, or whose cumulative distribution
/// function is not known.
///
/// A cell (interval) does not include its edges, which have probability zero, so that a test such as `x < 0.5` or `x <= 0.5` is decided if 0.5 is an
/// edge.
pub(super) fn quantile_cells(
    ops: &[&dyn AtomicOp],
    bins: Option<&Bins>,
    count: usize,
    mut values: SupportBuilder,
) -> Result<Option<Cells>, String> {
    let op = ops[0];
    if values.like().insert(&0.0_f64).is_none() || tails(op, 0.0).is_err() {
        return Ok(None);
    }
    let lowest = quantile(op, |tails| tails.lower > 0.0)?;
    let highest = quantile(op, |tails| tails.upper <= 0.0)?;
    let (between_bins, bin_values) = match bins {
        Some(bins) => bins.edges_and_values(op)?,
        None => Default::default(),
    };
    let is_inside = |edge: &f64| lowest < *edge && *edge < highest;
    let mut edges = vec![lowest, highest];
    edges.extend(between_bins.iter().copied().filter(is_inside));
    for i in 1..count {
        edges.push(quantile_at(op, i as f64 / count as f64)?);
    }
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    // The bins of several distributions are the same if they do not depend on the distribution.
    let has_bins = bins.is_some_and(|bins| bins.is_fixed() || ops.len() == 1);
    let (mut cells, mut masses) = (Vec::new(), Vec::new());
    let mut total = 0.0;
    for edge in edges.windows(2) {
        let edges = [edge[0], edge[1]];
        let own = between(op, edges)?;
        if own > 0.0 {
            total += own;
            values.insert(&f64::midpoint(edge[0], edge[1]));
            let inner = [edge[0].next_up(), edge[1].next_down()];
            let bin = between_bins.partition_point(|other| *other <= edge[0]);
            cells.push(Cell {
                ends: if inner[0] <= inner[1] { inner } else { edges },
                bin: has_bins.then(|| bin_values[bin]),
            });
            masses.push(own);
            for other in &ops[1..] {
                let least = masses.len() - 1;
                masses[least] = masses[least].min(between(*other, edges)?);
            }
        }
    }
    if let [_] = ops {
        for mass in &mut masses {
            *mass /= total;
        }
    }
    Ok((!cells.is_empty()).then(|| (values.build(), cells, masses)))
}

/// Returns the probability of an interval under the distribution.
fn between(op: &dyn AtomicOp, [left, right]: [f64; 2]) -> Result<f64, String> {
    Ok(tails(op, left)?.until(tails(op, right)?))
}
