//! The values of an element for each combination of its parents' values.

use std::any::Any;

use super::expansion::{Cell, Content, ExpandedElement, FunctionFailures, bytes_of};
use super::product;
use crate::element::apply::check_equal_arguments;
use crate::element::node::AnyElement;
use crate::element::operations::{ApplyOp, AtomicOp, NotEnumerable, TableOp};
use crate::error::{Fault, ModelError};
use crate::limits::check_time;
use crate::model::evidence::Evidence;
use crate::value::datum::Datum;
use crate::value::support::{Support, SupportBuilder};
use figrs_factor::graph::{Assignments, FactorTable, Weights, WeightsBuilder, WorldWeight};
use figrs_factor::{Limits, Until};

/// A function that returns an error if the given number of additional bytes would exceed the memory limit.
type Room<'a> = &'a dyn Fn(u64) -> Result<(), ModelError>;

type ExpandedTable = Result<RowsOfElement, ModelError>;

type RowsOfElement = (Support, Content, Option<FunctionFailures>);

/// Records the combinations of parent values for which a function fails.
#[derive(Default)]
struct FailureCollector {
    failed: Vec<bool>,
    first: Option<ModelError>,
}

impl FailureCollector {
    /// Records the outcome (a value or an error) for the next combination of parent values. Returns the value if the outcome is a value; an error is
    /// returned only if it makes the whole model invalid.
    fn record<T>(&mut self, outcome: Result<T, ModelError>) -> Result<Option<T>, ModelError> {
        self.failed.push(outcome.is_err());
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.is_local() => {
                self.first.get_or_insert(error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Records a combination of parent values that occurs in no possible world.
    fn record_impossible(&mut self) {
        self.failed.push(true);
    }

    fn finish(self) -> Option<FunctionFailures> {
        let failed = self.failed;
        self.first.map(|error| FunctionFailures { error, failed })
    }
}

/// Returns the probabilities of the outcomes of an element without parents. If the outcomes of the element cannot be listed, returns the probability
/// or the density of the observed value. If no value of the element is observed, returns the probabilities of the first `range` natural numbers and
/// of the value `unknown`.
pub(super) fn atomic(
    element: &AnyElement,
    op: &dyn AtomicOp,
    observed: Option<&Datum>,
    range: Option<usize>,
) -> ExpandedTable {
    op.check().map_err(|problem| element.invalid(problem))?;
    let fault = |fault: Fault| element.fault(fault);
    match (op.outcomes().map_err(fault)?, observed) {
        (Ok(outcomes), _) => {
            let weights = probabilities(op, &outcomes.support, outcomes.probabilities);
            let content = Content::Atomic(weights.map_err(fault)?);
            Ok((outcomes.support, content, None))
        }
        (Err(_), Some(value)) => {
            let mut values = element.no_values();
            values.insert(value.as_any());
            let log = op.log_prob(value.as_any()).map_err(fault)?;
            let weights = Weights::from_logs(vec![log]);
            Ok((values.build(), Content::Atomic(weights), None))
        }
        (Err(endless), None) => {
            let listed = match (endless, range) {
                (NotEnumerable::Infinite, Some(range)) => {
                    first_values(op, range, element.no_values()).map_err(fault)?
                }
                _ => None,
            };
            if let Some((support, weights)) = listed {
                return Ok((support, Content::Atomic(weights), None));
            }
            let none = element.no_values().build();
            Ok((none, Content::NotEnumerable(endless), None))
        }
    }
}

/// Returns the first `range` natural numbers with their probabilities; the last weight is the probability of all other numbers. Returns `None` if the
/// values of the distribution are not the natural numbers.
fn first_values(
    op: &dyn AtomicOp,
    range: usize,
    mut values: SupportBuilder,
) -> Result<Option<(Support, Weights)>, Fault> {
    let mut logs = Vec::with_capacity(range);
    for value in 0..range as u64 {
        if values.insert(&value).is_none() {
            return Ok(None);
        }
        logs.push(op.log_prob(&value)?);
    }
    let listed: f64 = logs.iter().map(|log| log.exp()).sum();
    logs.push((1.0 - listed).max(0.0).ln());
    Ok(Some((values.build(), Weights::from_logs(logs))))
}

/// Converts the probabilities of a distribution to weights of a factor. Weights are stored as logarithms if a probability is too small for `f64`.
fn probabilities(op: &dyn AtomicOp, support: &Support, linear: Vec<f64>) -> Result<Weights, Fault> {
    if linear.iter().all(|p| p.is_normal()) {
        return Ok(Weights::from_linear(linear));
    }
    let logs = (0..linear.len()).map(|i| op.log_prob(support.any(i)));
    let logs: Vec<f64> = logs.collect::<Result<_, _>>()?;
    let held = |(&p, &log): (&f64, &f64)| p.is_normal() || log == f64::NEG_INFINITY;
    if linear.iter().zip(&logs).all(held) {
        Ok(Weights::from_linear(linear))
    } else {
        Ok(Weights::from_logs(logs))
    }
}

/// Returns the value of a function for each combination of its parents' possible values. If the last parent is omitted from `parents`, because it has
/// no value in any world, its error `lost` is the result for every combination for which the function reads it.
///
/// The function also returns a list with an entry for each combination of values of the parents before the last: `true` if the last parent is not
/// read for this combination. The list of these truth values is empty if the function always reads its last parent, or if the last parent is not
/// among `parents`.
pub(super) fn apply(
    element: &AnyElement,
    op: &dyn ApplyOp,
    (parents, supports): (&[usize], &[&Support]),
    lost: Option<ModelError>,
    (limits, room): (&Limits, Room<'_>),
) -> Result<(RowsOfElement, Vec<bool>), ModelError> {
    let size = product::size(element, supports, limits.element_entries)?;
    let own = bytes_of::<u32>(size);
    room(own)?;
    let mut index = Vec::with_capacity(size);
    let mut values = element.no_values();
    let mut failures = FailureCollector::default();
    let may_skip = op.may_skip_last() && lost.is_none();
    let of_last = supports.last().map_or(1, |last| last.len());
    let mut skips_last = Vec::new();
    // `skips` is true if the present combination of values of the other parents skips the last parent; `left` is its number of remaining rows.
    let (mut skips, mut left) = (false, 0);
    product::for_each_combination(parents, supports, |arguments| {
        check_time(&limits.until, element)?;
        if may_skip {
            let is_first = left == 0;
            if is_first {
                let others = arguments.map(|arguments| &arguments[..arguments.len() - 1]);
                skips = others.is_some_and(|others| op.skips_last(others));
                skips_last.push(skips);
                left = of_last;
            }
            left -= 1;
            // If the function does not read its last parent, its value does not change with this parent.
            if skips
                && !is_first
                && let Some(&value) = index.last()
                && value != FactorTable::NO_VALUE
            {
                failures.record(Ok(()))?;
                index.push(value);
                return Ok(());
            }
        }
        let Some(arguments) = arguments else {
            failures.record_impossible();
            index.push(FactorTable::NO_VALUE);
            return Ok(());
        };
        if let Some(error) = &lost {
            let skips = op.skips_last(arguments);
            let place = skips.then(|| values.insert(arguments[0])).flatten();
            let value = failures.record(place.ok_or_else(|| error.clone()))?;
            index.push(value.map_or(FactorTable::NO_VALUE, |v| v as u32));
            return Ok(());
        }
        let value = op.intern(arguments, &mut values).and_then(|value| {
            check_equal_arguments(supports, arguments, |equal| {
                let other = op.intern(equal, &mut values)?;
                let results = || format!("{:?} and {:?}", values.datum(value), values.datum(other));
                Ok((other != value).then(results))
            })?;
            Ok(value)
        });
        let value = failures.record(value.map_err(|fault| element.fault(fault)))?;
        if value.is_some_and(|v| v + 1 == values.len()) {
            room(own + values.bytes() as u64)?;
        }
        index.push(value.map_or(FactorTable::NO_VALUE, |v| v as u32));
        Ok::<_, ModelError>(())
    })?;
    if !skips_last.contains(&true) {
        skips_last.clear();
    }
    let rows = (values.build(), Content::Apply(index), failures.finish());
    Ok((rows, skips_last))
}

/// Returns the rows of a conditional table for those values that the parents can have in the expanded model.
pub(super) fn table(
    element: &AnyElement,
    op: &dyn TableOp,
    supports: &[&Support],
    (limits, room): (&Limits, Room<'_>),
) -> ExpandedTable {
    op.check().map_err(|problem| element.invalid(problem))?;
    let limit = limits.element_entries;
    let rows = product::size(element, supports, limit)?;
    let columns = op.values().len();
    let needed = rows as u128 * columns as u128;
    if needed > u128::from(limit) {
        return Err(ModelError::TableTooLarge {
            element: element.label(),
            needed,
            limit,
        });
    }
    let values = op.values().clone();
    let mut parents = supports.iter().zip(op.states());
    if parents.all(|(support, states)| *support == states) {
        return Ok((values, Content::Table(op.weights().clone()), None));
    }
    let parents: Vec<Positions> = supports.iter().zip(op.states()).map(positions).collect();
    room(bytes_of::<f64>(needed as usize))?;
    let mut weights = WeightsBuilder::default();
    let mut failures = FailureCollector::default();
    let all = Assignments::rows(supports.iter().map(|support| support.len()));
    let mut assignment = vec![0; supports.len()];
    for _ in 0..rows {
        let row = assignment
            .iter()
            .zip(&parents)
            .zip(op.states())
            .try_fold(0, |row, ((&value, positions), states)| {
                Some(row * states.len() + positions.state(value)?)
            });
        let known = row.ok_or_else(|| unknown_state(element, supports, &assignment, &parents));
        match failures.record(known)? {
            Some(row) => weights.extend(op.weights(), row * columns..(row + 1) * columns),
            None => weights.repeat(0.0, columns),
        }
        all.advance(&mut assignment);
    }
    Ok((values, Content::Table(weights.build()), failures.finish()))
}

enum Positions {
    /// The list of the parent's possible values is the same as the list of the table's states.
    Same,
    /// For each value of the parent, the index of the same value among the table's states, or `None` if the table has no such state.
    Listed(Vec<Option<usize>>),
}

impl Positions {
    fn state(&self, value: u32) -> Option<usize> {
        match self {
            Self::Same => Some(value as usize),
            Self::Listed(states) => states[value as usize],
        }
    }
}

fn positions((support, states): (&&Support, &Support)) -> Positions {
    if *support == states {
        Positions::Same
    } else {
        let values = 0..support.len();
        Positions::Listed(values.map(|i| states.index_of(support.any(i))).collect())
    }
}

fn unknown_state(
    element: &AnyElement,
    supports: &[&Support],
    values: &[u32],
    parents: &[Positions],
) -> ModelError {
    let unknown = (0..values.len()).find(|&p| parents[p].state(values[p]).is_none());
    let parent = unknown.unwrap_or_default();
    let value = supports[parent].datum(values[parent] as usize);
    element.fault(Fault::Row(format!(
        "the value {value:?} of parent {parent} is not among its states; add it"
    )))
}

pub(super) fn score(
    element: &AnyElement,
    evidence: &Evidence,
    support: &Support,
    until: &Until,
) -> ExpandedTable {
    let mut failures = FailureCollector::default();
    let weights = weigh(
        element,
        std::slice::from_ref(evidence),
        support,
        until,
        &mut failures,
    )?;
    Ok((support.clone(), Content::Score(weights), failures.finish()))
}

/// Returns the weight of each value of the element: the product of the weights that the statements `evidence` give it.
fn weigh(
    element: &AnyElement,
    evidence: &[Evidence],
    support: &Support,
    until: &Until,
    failures: &mut FailureCollector,
) -> Result<Weights, ModelError> {
    let mut products = vec![WorldWeight::ONE; support.len()];
    for (i, product) in products.iter_mut().enumerate() {
        for piece in evidence {
            check_time(until, element)?;
            let weight = failures.record(piece.weight(element, support.any(i)))?;
            let (weight, log) = weight.unwrap_or((0.0, f64::NEG_INFINITY));
            product.times(weight, log);
        }
    }
    if products
        .iter()
        .all(|p| p.linear.is_normal() || (p.linear == 0.0 && p.is_zero()))
    {
        Ok(Weights::from_linear(
            products.iter().map(|p| p.linear).collect(),
        ))
    } else {
        Ok(Weights::from_logs(products.iter().map(|p| p.log).collect()))
    }
}

/// Removes those values of the element that the evidence excludes, and stores the weights of the remaining values.
pub(super) fn restrict(
    expanded: &mut ExpandedElement,
    evidence: &[Evidence],
    until: &Until,
) -> Result<(), ModelError> {
    let mut failures = FailureCollector::default();
    let weights = weigh(
        &expanded.element,
        evidence,
        &expanded.support,
        until,
        &mut failures,
    )?;
    if let Some(error) = failures.first {
        return Err(error);
    }
    let kept: Vec<usize> = (0..weights.len())
        .filter(|&i| !weights.is_zero(i))
        .collect();
    let soft = evidence.iter().any(Evidence::is_soft);
    if soft {
        expanded.weights = Some(weights.select(&kept));
    }
    // The densities of an observed value do not sum to one over the support.
    expanded.restricted = evidence.iter().any(|piece| piece.observed().is_some());
    keep_values(expanded, &kept);
    Ok(())
}

/// Applies the evidence to an element with cells (intervals of values): removes the excluded values, stores the weights of the remaining values, and
/// returns the remaining cells. The effect of the evidence on a cell is decided if the weights at the midpoint and at the ends of the cell are equal.
/// If the effect of the evidence on a cell (interval) is undecided, the weight of the cell is zero as a lower bound; the largest weight that the
/// evidence can give is returned as an upper bound.
pub(super) fn restrict_cells(
    expanded: &mut ExpandedElement,
    cells: Vec<Cell>,
    evidence: &[Evidence],
    until: &Until,
) -> Result<(Vec<Cell>, Option<Weights>), ModelError> {
    if evidence.is_empty() {
        return Ok((cells, None));
    }
    let element = &expanded.element;
    let is_observed = evidence.iter().any(|piece| piece.observed().is_some());
    if is_observed && cells.iter().any(|cell| cell.bin.is_none()) {
        return Err(NotEnumerable::Continuous.unless_observed(element.label()));
    }
    let weight = |cell: &Cell, value: &dyn Any| -> Result<f64, ModelError> {
        check_time(until, element)?;
        // The value of a bin is observed, and every number in the bin has this value.
        let mut logs = evidence.iter().map(|piece| match &cell.bin {
            Some(bin) if piece.observed().is_some() => piece.weight(element, bin),
            _ => piece.weight(element, value),
        });
        logs.try_fold(0.0, |sum, weight| Ok(sum + weight?.1))
    };
    // If the weight has no upper bound, `check_bounded` returns an error later.
    let most = expanded.max_log_weight.min(f64::MAX.ln());
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for (i, cell) in cells.iter().enumerate() {
        let middle = weight(cell, expanded.support.any(i))?;
        let mut ends = cell.ends.iter();
        let is_decided = ends.all(|end| weight(cell, end).is_ok_and(|log| log == middle));
        lower.push(if is_decided {
            middle
        } else {
            f64::NEG_INFINITY
        });
        upper.push(if is_decided { middle } else { most });
    }
    let kept: Vec<usize> = (0..cells.len())
        .filter(|&i| upper[i] > f64::NEG_INFINITY)
        .collect();
    let is_undecided = lower != upper;
    let select = |logs: Vec<f64>| Weights::from_logs(logs).select(&kept);
    expanded.weights = Some(select(lower));
    keep_values(expanded, &kept);
    let upper = is_undecided.then(|| select(upper));
    Ok((kept.iter().map(|&i| cells[i]).collect(), upper))
}

fn keep_values(expanded: &mut ExpandedElement, kept: &[usize]) {
    let all = expanded.support.len();
    if kept.len() == all {
        return;
    }
    expanded.restricted = true;
    let mut values = expanded.support.like();
    let mut moved = vec![FactorTable::NO_VALUE; all];
    for &i in kept {
        moved[i] = values.len() as u32;
        values.insert(expanded.support.any(i));
    }
    expanded.support = values.build();
    match &mut expanded.content {
        Content::Atomic(probabilities) => {
            // The last probability may be that of the value `unknown`.
            let kept: Vec<usize> = kept
                .iter()
                .copied()
                .chain(all..probabilities.len())
                .collect();
            *probabilities = probabilities.select(&kept);
        }
        Content::Apply(index) => {
            for value in index.iter_mut().filter(|v| (**v as usize) < all) {
                *value = moved[*value as usize];
            }
        }
        Content::Table(rows) => {
            let cells = 0..rows.len() / all;
            let kept: Vec<usize> = cells
                .flat_map(|row| kept.iter().map(move |i| row * all + i))
                .collect();
            *rows = rows.select(&kept);
        }
        Content::Score(scores) => *scores = scores.select(kept),
        Content::Fixed
        | Content::NotEnumerable(_)
        | Content::Chain { .. }
        | Content::Unexplored => {}
    }
}
