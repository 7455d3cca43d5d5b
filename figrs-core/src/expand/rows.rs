//! The table of one element over the supports of its parents.

use super::content::{Content, ExpandedElement};
use super::product;
use crate::datum::Datum;
use crate::error::{Fault, ModelError};
use crate::evidence::Evidence;
use crate::factor::FactorTable;
use crate::node::{AnyElement, ApplyOp, AtomicOp, TableOp};
use crate::support::Support;
use crate::weights::Weights;

type Row = Result<(Support, Content), ModelError>;

/// The probabilities of an atomic element's outcomes; of the observed value alone if there is one.
pub(super) fn atomic(element: &AnyElement, op: &dyn AtomicOp, observed: Option<&Datum>) -> Row {
    op.check().map_err(|problem| element.invalid(problem))?;
    match (op.outcomes(), observed) {
        (Ok(outcomes), _) if outcomes.support.is_empty() => {
            Err(element.invalid("its distribution has no outcomes".into()))
        }
        (Ok(outcomes), _) => {
            let weights = probabilities(op, &outcomes.support, outcomes.probabilities);
            Ok((outcomes.support, Content::Atomic(weights)))
        }
        (Err(_), Some(value)) => {
            let mut values = element.no_values();
            values.insert(value.as_any());
            let log = op.log_prob(value.as_any());
            Ok((values.build(), Content::Atomic(Weights::from_logs(vec![log]))))
        }
        (Err(endless), None) => Ok((element.no_values().build(), Content::Endless(endless))),
    }
}

/// Probabilities as weights; by their logarithms if one is too small for `f64`.
fn probabilities(op: &dyn AtomicOp, support: &Support, linear: Vec<f64>) -> Weights {
    let log = |i: usize| op.log_prob(support.any(i));
    let flushed = linear
        .iter()
        .enumerate()
        .any(|(i, &p)| p < f64::MIN_POSITIVE && log(i) > f64::NEG_INFINITY);
    if flushed {
        Weights::from_logs((0..linear.len()).map(log).collect())
    } else {
        Weights::from_linear(linear)
    }
}

/// The value of a function for each combination of its parents' values.
pub(super) fn apply(
    element: &AnyElement,
    op: &dyn ApplyOp,
    supports: &[&Support],
    limit: u64,
) -> Row {
    let mut index = Vec::with_capacity(product::size(element, supports, limit)?);
    let mut values = element.no_values();
    product::each(supports, |arguments| {
        let value = op.intern(arguments, &mut values);
        index.push(value.map_err(|fault| element.fault(fault))? as u32);
        Ok::<_, ModelError>(())
    })?;
    Ok((values.build(), Content::Apply(index)))
}

/// The rows of a conditional table for the values that its parents can take.
pub(super) fn table(
    element: &AnyElement,
    op: &dyn TableOp,
    supports: &[&Support],
    limit: u64,
) -> Row {
    op.check().map_err(|problem| element.invalid(problem))?;
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
    // The state of each parent value, looked up once and not once a row.
    let mut states: Vec<Vec<usize>> = Vec::with_capacity(supports.len());
    for (parent, support) in supports.iter().enumerate() {
        let state = |i: usize| {
            let value = support.any(i);
            op.state(parent, value).ok_or_else(|| {
                element.fault(Fault::Row(format!(
                    "the value {:?} of parent {parent} is not among its states; add it",
                    support.datum(i)
                )))
            })
        };
        states.push((0..support.len()).map(state).collect::<Result<_, _>>()?);
    }
    let mut weights = Vec::with_capacity(rows * columns);
    let mut digits = vec![0; supports.len()];
    let mut row: Vec<usize> = states.iter().filter_map(|s| s.first().copied()).collect();
    for _ in 0..rows {
        weights.extend_from_slice(op.row(&row));
        for position in (0..digits.len()).rev() {
            digits[position] += 1;
            if digits[position] < states[position].len() {
                row[position] = states[position][digits[position]];
                break;
            }
            digits[position] = 0;
            row[position] = states[position][0];
        }
    }
    Ok((op.values().clone(), Content::Table(Weights::from_linear(weights))))
}

/// The values of a scored element and their weights.
pub(super) fn score(element: &AnyElement, evidence: &Evidence, support: &Support) -> Row {
    let weights = weigh(element, &[evidence], support)?;
    Ok((support.clone(), Content::Score(weights)))
}

/// The product of the weights that some evidence gives each value.
fn weigh(
    element: &AnyElement,
    evidence: &[&Evidence],
    support: &Support,
) -> Result<Weights, ModelError> {
    let mut linear = vec![1.0; support.len()];
    let mut logs = vec![0.0; support.len()];
    for i in 0..support.len() {
        for piece in evidence {
            let (weight, log) = piece.weight(element, support.any(i))?;
            linear[i] *= weight;
            logs[i] += log;
        }
    }
    let held = |(&x, &log): (&f64, &f64)| {
        x.is_finite() && (x >= f64::MIN_POSITIVE || log == f64::NEG_INFINITY)
    };
    if linear.iter().zip(&logs).all(held) {
        Ok(Weights::from_linear(linear))
    } else {
        Ok(Weights::from_logs(logs))
    }
}

/// Leaves out the values that evidence on the element excludes, and weighs the rest.
pub(super) fn restrict(
    expanded: &mut ExpandedElement,
    evidence: &[&Evidence],
) -> Result<(), ModelError> {
    let weights = weigh(&expanded.element, evidence, &expanded.support)?;
    let kept: Vec<usize> = (0..weights.len()).filter(|&i| !weights.is_zero(i)).collect();
    let all = expanded.support.len();
    let soft = evidence.iter().any(|piece| piece.is_soft());
    if soft {
        expanded.weights = Some(weights.select(&kept));
    }
    if kept.len() == all {
        return Ok(());
    }
    expanded.restricted = true;
    let mut values = expanded.support.like();
    let mut moved = vec![FactorTable::NO_VALUE; all];
    for &i in &kept {
        moved[i] = values.len() as u32;
        values.insert(expanded.support.any(i));
    }
    expanded.support = values.build();
    match &mut expanded.content {
        Content::Atomic(probabilities) => *probabilities = probabilities.select(&kept),
        Content::Apply(index) => index.iter_mut().for_each(|v| *v = moved[*v as usize]),
        Content::Table(rows) => {
            let cells = 0..rows.len() / all;
            let kept: Vec<usize> = cells
                .flat_map(|row| kept.iter().map(move |i| row * all + i))
                .collect();
            *rows = rows.select(&kept);
        }
        Content::Score(scores) => *scores = scores.select(&kept),
        Content::Fixed | Content::Endless(_) | Content::Chain { .. } => {}
    }
    Ok(())
}
