//! Atomic elements in a block: their outcomes, likelihoods and random values.

use std::any::Any;
use std::rc::Rc;

use super::bernoulli::{draw_each, draw_groups};
use super::column::{Column, DictionaryId};
use super::groups::RowGroups;
use super::selection::Selection;
use figrs_core::element::alias::Alias;
use figrs_core::element::node::{AnyElement, Kind};
use figrs_core::element::operations::{AtomicOp, FiniteOutcomes, NotEnumerable};
use figrs_core::error::ModelError;
use figrs_core::random::Stream;
use figrs_core::value::datum::Datum;

pub(super) fn atomic(element: &AnyElement) -> Option<&dyn AtomicOp> {
    match element.kind() {
        Kind::Atomic(op) => Some(&**op),
        _ => None,
    }
}

/// Returns the probability of `true`, for outcomes that are truth values.
pub(super) fn probability_of_true(outcomes: &FiniteOutcomes) -> f64 {
    let truth = outcomes.support.index_of(&true);
    truth.map_or(0.0, |at| outcomes.probabilities[at])
}

/// Returns the outcomes of an atomic element, after a check of its parameters.
pub(super) fn checked_outcomes(
    element: &AnyElement,
    op: &dyn AtomicOp,
) -> Result<Result<FiniteOutcomes, NotEnumerable>, ModelError> {
    op.check().map_err(|problem| element.invalid(problem))?;
    op.outcomes().map_err(|fault| element.fault(fault))
}

pub(super) fn likelihood(
    element: &AnyElement,
    op: &dyn AtomicOp,
    value: &dyn Any,
) -> Result<(f64, f64), ModelError> {
    let log = op.log_prob(value).map_err(|fault| element.fault(fault))?;
    Ok((log.exp(), log))
}

/// True if the likelihood of `value` for an atomic element is a density.
pub(super) fn is_density(element: &AnyElement, value: &Datum) -> Result<bool, ModelError> {
    Ok(!value.is_countable() && element.is_continuous()?)
}

#[derive(Debug)]
pub(super) enum AtomicSampler {
    /// Draws truth values; `true` has the contained probability.
    Flip(f64),
    /// Draws one of finitely many values, as codes of the contained dictionary.
    Finite(CodeSampler, DictionaryId),
    /// Draws by the function of the element, because the values cannot be listed.
    ByFunction { continuous: bool },
}

#[derive(Debug)]
pub(super) enum CodeSampler {
    Certain(u32),
    Alias(Alias),
}

impl AtomicSampler {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Finite(drawn, _) => drawn.bytes(),
            Self::Flip(_) | Self::ByFunction { .. } => 0,
        }
    }

    pub(super) fn column(
        &self,
        (element, op): (&AnyElement, &dyn AtomicOp),
        rows: &Selection,
        rng: &mut Stream,
    ) -> Result<Column, ModelError> {
        Ok(match self {
            AtomicSampler::Flip(p) => Column::Bits(Rc::new(draw_groups(
                rng,
                &[(rows.mask(), *p)],
                rows.mask().len(),
            ))),
            AtomicSampler::Finite(drawn, dictionary) => {
                let list = Vec::with_capacity(rows.len());
                drawn.column(rows, *dictionary, list, rng)
            }
            AtomicSampler::ByFunction { .. } => {
                let values = op.sample_many(rows.len(), rng);
                let values = values.map_err(|fault| element.fault(fault))?;
                Column::packed(values, rows)
            }
        })
    }
}

impl PooledSampler {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Flip(_) => 0,
            Self::Codes(drawn) => drawn.bytes(),
        }
    }
}

impl CodeSampler {
    fn bytes(&self) -> usize {
        match self {
            Self::Certain(_) => 0,
            Self::Alias(alias) => alias.bytes(),
        }
    }

    pub(super) fn new(probabilities: &[f64], codes: &[u32]) -> Self {
        match codes {
            [code] => Self::Certain(*code),
            _ => Self::Alias(Alias::new(probabilities, codes)),
        }
    }

    /// Draws a value for each of the worlds `rows`. If the distribution has several values, their codes are appended to the empty list `list`.
    fn column(
        &self,
        rows: &Selection,
        dictionary: DictionaryId,
        mut list: Vec<u32>,
        rng: &mut Stream,
    ) -> Column {
        match self {
            Self::Certain(code) => Column::constant(rows, *code, dictionary),
            Self::Alias(alias) => {
                list.extend((0..rows.len()).map(|_| alias.draw(rng)));
                Column::Codes(Rc::new(list), dictionary)
            }
        }
    }
}

/// A sampler for the distribution of an element in one group of worlds.
#[derive(Debug)]
pub(super) enum PooledSampler {
    Flip(f64),
    Codes(CodeSampler),
}

/// Draws a value for each world from the distribution of the world's group. Truth values are drawn for 64 worlds at a time; other values are drawn
/// world by world, as dictionary codes that are appended to the empty list in `codes`.
pub(super) fn draw_ready(
    rows: &Selection,
    groups: &RowGroups,
    ready: &[&PooledSampler],
    codes: Option<(DictionaryId, Vec<u32>)>,
    rng: &mut Stream,
) -> Column {
    let Some((dictionary, mut list)) = codes else {
        let p = |group: usize| match ready[group] {
            PooledSampler::Flip(p) => *p,
            PooledSampler::Codes(_) => 0.0,
        };
        let bits = match groups {
            RowGroups::Masks(masks) => {
                let groups = masks
                    .iter()
                    .enumerate()
                    .map(|(group, mask)| (&mask[..], p(group)));
                draw_groups(rng, &groups.collect::<Vec<_>>(), rows.mask().len())
            }
            RowGroups::Rows(numbers) => {
                let mut next = numbers.iter();
                draw_each(rng, rows.mask(), |_| {
                    next.next().map_or(0.0, |&group| p(group as usize))
                })
            }
        };
        return Column::Bits(Rc::new(bits));
    };
    if let [PooledSampler::Codes(only)] = ready {
        return only.column(rows, dictionary, list, rng);
    }
    let numbers = groups.numbers(rows);
    list.extend(numbers.iter().map(|&group| match ready[group as usize] {
        PooledSampler::Codes(CodeSampler::Certain(code)) => *code,
        PooledSampler::Codes(CodeSampler::Alias(alias)) => alias.draw(rng),
        PooledSampler::Flip(_) => 0,
    }));
    Column::Codes(Rc::new(list), dictionary)
}
