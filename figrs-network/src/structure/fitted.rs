//! Builds networks from a learned structure and conditional tables learned from counts.

use figrs_core::factor::Weights;

use super::super::{Network, NetworkTable};
use super::case_counts::CaseCounts;
use super::dag::Dag;
use super::row_counts::RowCounts;

/// Returns the parents of each variable of `network`, a Bayesian network, in ascending order.
pub(super) fn parents_of(network: &Network) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); network.variables().len()];
    for table in network.tables() {
        if let Some((&child, parents)) = table.variables().split_last() {
            let mut parents: Vec<u32> = parents.iter().map(|&p| p as u32).collect();
            parents.sort_unstable();
            all[child] = parents;
        }
    }
    all
}

/// Returns the conditional tables of the structure `dag`, one for each variable, that maximise the likelihood of the counts after `prior` is added to
/// each count. In a row of a conditional table without counts, all states are equally likely.
pub(super) fn fitted_tables(counts: &dyn CaseCounts, dag: &Dag, prior: f64) -> Vec<Vec<f64>> {
    let tables = (0..dag.len() as u32).map(|child| {
        let mut numbers = counts.table(child, dag.parents(child));
        divide_rows(&mut numbers, counts.states(child), prior);
        numbers
    });
    tables.collect()
}

/// Adds `prior` to each count in `numbers`, and divides each row of the table by its sum; rows without counts become uniform.
fn divide_rows(numbers: &mut [f64], states: usize, prior: f64) {
    for row in numbers.chunks_mut(states) {
        let total: f64 = row.iter().map(|count| count + prior).sum();
        let states = row.len() as f64;
        for count in row {
            *count = if total > 0.0 {
                (*count + prior) / total
            } else {
                1.0 / states
            };
        }
    }
}

pub(super) fn log_likelihood(rows: &RowCounts, dag: &Dag, tables: &[Vec<f64>]) -> f64 {
    let mut log_likelihood = 0.0;
    for (child, numbers) in (0..).zip(tables) {
        let members = dag.parents(child).iter().chain([&child]).copied();
        let places = rows.places(members);
        let cells = places.iter().zip(rows.numbers());
        log_likelihood += cells
            .map(|(&cell, &number)| f64::from(number) * numbers[cell].ln())
            .sum::<f64>();
    }
    log_likelihood
}

pub(super) fn with_tables(network: &Network, dag: &Dag, tables: Vec<Vec<f64>>) -> Network {
    let tables = (0..).zip(tables).map(|(child, numbers)| NetworkTable {
        variables: dag
            .parents(child)
            .iter()
            .chain([&child])
            .map(|&v| v as usize)
            .collect(),
        weights: Weights::from_linear(numbers),
    });
    let order = dag.topological_order().into_iter().map(|v| v as usize);
    network.with_tables(tables.collect(), order.collect())
}
