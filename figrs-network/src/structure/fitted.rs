//! Networks with a learned structure, their tables from counts.

use figrs_core::factor::Weights;

use super::super::{Network, NetworkTable};
use super::dag::Dag;
use super::row_counts::RowCounts;

/// The parents of each variable of a Bayesian network, in ascending order.
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

/// The network of a structure with the tables that make the data most likely, after a number is added to each count, and the
/// log-likelihood of the data. The states of a row without counts are equally likely.
pub(super) fn fitted(network: &Network, dag: &Dag, rows: &RowCounts, prior: f64) -> (Network, f64) {
    let mut log_likelihood = 0.0;
    let tables = (0..dag.len() as u32).map(|child| {
        let (mut numbers, cells) = counts(rows, child, dag.parents(child));
        for row in numbers.chunks_mut(rows.states(child)) {
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
        let cells = cells.iter().zip(rows.numbers());
        log_likelihood += cells
            .map(|(&cell, &number)| f64::from(number) * numbers[cell].ln())
            .sum::<f64>();
        let parents = dag.parents(child).iter();
        NetworkTable {
            variables: parents.chain([&child]).map(|&v| v as usize).collect(),
            weights: Weights::from_linear(numbers),
        }
    });
    let tables: Vec<NetworkTable> = tables.collect();
    let order = dag.topological_order().into_iter().map(|v| v as usize);
    (network.with_tables(tables, order.collect()), log_likelihood)
}

/// The counts of the table of a variable and its parents, and the entry for each row.
fn counts(rows: &RowCounts, child: u32, parents: &[u32]) -> (Vec<f64>, Vec<usize>) {
    let mut entries = 1;
    let mut places = vec![0; rows.distinct()];
    for &member in parents.iter().chain([&child]) {
        entries *= rows.states(member);
        for (place, &state) in places.iter_mut().zip(rows.column(member)) {
            *place = *place * rows.states(member) + state as usize;
        }
    }
    let mut counts = vec![0.0; entries];
    for (&place, &number) in places.iter().zip(rows.numbers()) {
        counts[place] += f64::from(number);
    }
    (counts, places)
}
