//! Validation of factors: checks that indices are in range, and that tables have the sizes of their variables. The inner loops of an elimination rely
//! on this validation.

use crate::graph::{Factor, FactorGraph, FactorTable, VarId};

use super::error::EliminationError;

/// Checks the factors of `graph` and the list `keep`.
pub fn validate(graph: &FactorGraph, keep: &[VarId]) -> Result<(), EliminationError> {
    let mut kept = keep.to_vec();
    kept.sort_unstable();
    if let Some(&unknown) = kept
        .last()
        .filter(|v| v.index() >= graph.cardinalities.len())
    {
        return Err(EliminationError::UnknownVariable(unknown));
    }
    if let Some(pair) = kept.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(EliminationError::RepeatedVariable(pair[0]));
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
                Some("a row names a value its variable does not have")
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
                Some("a function table names a value its variable does not have")
            } else {
                None
            }
        }
    }
}
