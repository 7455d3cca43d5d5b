//! Errors of an elimination, and the validation of its factors.

use thiserror::Error;

use super::memory::readable;
use crate::graph::{Factor, FactorGraph, FactorTable, VarId};
use crate::limits::Until;
use crate::wording::Call;
use figrs_derive::ErrorDebug;

/// Reason why an elimination returned no result.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum EliminationError {
    /// The number of table entries exceeds its limit: the entries predicted by the elimination plan, of a table that became larger than planned, or
    /// of the clauses and weight rows of a circuit.
    #[error(
        "exact inference needs tables of about {needed:.3e} entries ({}), more than the limit of {limit}; raise the limit{}, ask about fewer \
        variables at once, or use an algorithm that searches or divides the sum into slices{}", readable(8.0 * .needed),
        Call("Limits::table_entries"), Call("Exact` or `MpeExact")
    )]
    TableTooLarge {
        /// The number of entries that the elimination plan predicts, or that a table reached.
        needed: f64,
        /// The limit: the maximum number of table entries.
        limit: usize,
    },
    /// The predicted number of operations exceeds the limit.
    #[error(
        "elimination needs about {needed:.3e} operations, more than the limit of {limit:.3e}; raise the limit{}, or use an algorithm that \
        searches or divides the sum into slices{}",
        Call("Limits::work"),
        Call("Exact` or `MpeExact")
    )]
    TooManyOperations {
        /// The predicted number of operations.
        needed: f64,
        /// The limit: the maximum number of operations.
        limit: f64,
    },
    /// The memory exceeds its limit: the memory that the elimination plan predicts for the messages, or of the clauses, residual tables, cache and
    /// nodes of a circuit.
    #[error(
        "exact inference needs {} of memory, more than the limit of {}; observe more, ask about fewer variables, raise the limit{}, or use an \
        algorithm that searches or divides the sum into slices{}", readable(*.needed), readable(*.limit as f64), Call("Limits::memory"),
        Call("Exact` or `MpeExact")
    )]
    TooMuchMemory {
        /// The number of bytes that the elimination plan predicts, or that the run reached.
        needed: f64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The deadline of the algorithm passed, or the algorithm was interrupted.
    #[error(
        "the elimination was stopped before it had a result; allow more time{}",
        Call("deadline")
    )]
    Interrupted,
    /// No assignment has a positive weight; there is no most probable assignment.
    #[error("no assignment has a positive weight: the evidence contradicts the model or itself")]
    Impossible,
    /// A variable listed in `keep` is not in the graph, or is listed twice.
    #[error("variable {} {problem}", .variable.0)]
    InvalidKeep {
        /// The variable that is listed in `keep` by mistake.
        variable: VarId,
        /// Description of the mistake, as a predicate of the variable.
        problem: &'static str,
    },
    /// The table of a factor has a wrong size or an index out of range.
    #[error("the table of factor {factor} does not fit its variables: {reason}")]
    MalformedFactor {
        /// The index of the factor in the graph.
        factor: usize,
        /// Description of the mistake in the factor.
        reason: &'static str,
    },
}

impl EliminationError {
    /// True if the elimination ended because it would exceed a limit.
    pub fn is_budget(&self) -> bool {
        matches!(
            self,
            Self::TableTooLarge { .. }
                | Self::TooManyOperations { .. }
                | Self::TooMuchMemory { .. }
        )
    }
}

/// Returns an error if the deadline has passed or the interrupt flag is set.
pub fn check_interrupt(until: &Until) -> Result<(), EliminationError> {
    if until.is_over() {
        return Err(EliminationError::Interrupted);
    }
    Ok(())
}

/// Checks the factors of `graph` and the list `keep`.
pub fn validate(graph: &FactorGraph, keep: &[VarId]) -> Result<(), EliminationError> {
    let mut kept = keep.to_vec();
    kept.sort_unstable();
    let invalid = |variable, problem| Err(EliminationError::InvalidKeep { variable, problem });
    if let Some(&unknown) = kept
        .last()
        .filter(|v| v.index() >= graph.cardinalities.len())
    {
        return invalid(unknown, "is not in the factor graph");
    }
    if let Some(pair) = kept.windows(2).find(|pair| pair[0] == pair[1]) {
        return invalid(pair[0], "is listed twice among the variables to keep");
    }
    let mut seen = vec![u32::MAX; graph.cardinalities.len()];
    for (i, factor) in graph.factors.iter().enumerate() {
        let fault = scope_fault(factor, i as u32, &mut seen).or_else(|| table_fault(graph, factor));
        if let Some(reason) = fault {
            return Err(EliminationError::MalformedFactor { factor: i, reason });
        }
    }
    Ok(())
}

fn scope_fault(factor: &Factor, stamp: u32, seen: &mut [u32]) -> Option<&'static str> {
    for v in &factor.variables {
        match seen.get_mut(v.index()) {
            None => return Some("it mentions a variable that is not in the graph"),
            Some(last) if *last == stamp => return Some("it mentions a variable twice"),
            Some(last) => *last = stamp,
        }
    }
    None
}

fn table_fault(graph: &FactorGraph, factor: &Factor) -> Option<&'static str> {
    let arity = factor.variables.len();
    match &factor.table {
        FactorTable::Dense(weights) => (weights.len() != graph.dense_size(&factor.variables))
            .then_some("a dense table has one weight for each assignment"),
        FactorTable::Sparse { rows, weights } => {
            let cards: Vec<u32> = factor
                .variables
                .iter()
                .map(|&v| graph.cardinality(v) as u32)
                .collect();
            if rows.len() != arity * weights.len() {
                Some("a sparse table has one weight for each row")
            } else if arity == 0 {
                (weights.len() > 1).then_some("a table over no variables has at most one row")
            } else if rows
                .chunks_exact(arity)
                .any(|row| row.iter().zip(&cards).any(|(x, card)| x >= card))
            {
                Some("a row names a value that its variable does not have")
            } else if !rows.chunks_exact(arity).is_sorted_by(|a, b| a < b) {
                Some("the rows of a sparse table are sorted and differ")
            } else {
                None
            }
        }
        FactorTable::Function { index } => {
            let Some((&child, parents)) = factor.variables.split_last() else {
                return Some("a function table has a last variable");
            };
            let values = graph.cardinality(child) as u32;
            if index.len() != graph.dense_size(parents) {
                Some("a function table has one value for each assignment of the parents")
            } else if index
                .iter()
                .any(|&x| x >= values && x != FactorTable::NO_VALUE)
            {
                Some("a function table names a value that its variable does not have")
            } else {
                None
            }
        }
    }
}
