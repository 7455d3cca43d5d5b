//! Contingency tables of a variable and its parents.

use rustc_hash::FxHashMap;

use super::case_counts::{CaseCounts, Family};
use super::family_terms::FamilyTerms;
use super::row_counts::RowCounts;

/// Maximum number of cells of a dense contingency table as a multiple of the number of distinct rows; the number of cells also has fixed bounds.
const CELLS_PER_ROW: usize = 64;
const MOST_CELLS: usize = 1 << 22;
const LEAST_CELLS: usize = 1 << 12;

/// For each row of data, the index of its cell in the dense contingency table of a variable and some of its parents. From these indices of cells, the
/// joint states of the variable, its parents and one additional parent are counted.
pub(super) struct FamilyBase {
    /// For each row of data, the index of the parents' configuration times the number of the child's states, plus the index of the child's state.
    places: Vec<u32>,
    pub(super) cells: usize,
}

#[derive(Default)]
pub(super) struct CountingMemory {
    pub(super) cells: Vec<u32>,
    keys: Vec<(u64, u32, u32)>,
    counts: Vec<u32>,
    pub(super) expected: Vec<f64>,
}

impl RowCounts {
    fn most_cells(&self) -> usize {
        (CELLS_PER_ROW * self.distinct()).clamp(LEAST_CELLS, MOST_CELLS)
    }

    /// Counts the states of a variable and its parents into the dense table `memory.cells`. In the dense contingency table, the additional parent
    /// `more` varies slowest, then the parents of `base`, and the child's state varies fastest. Returns `None` if the dense contingency table would
    /// be large compared with the data.
    pub(super) fn dense<'m>(
        &self,
        more: Option<u32>,
        base: Option<&FamilyBase>,
        memory: &'m mut CountingMemory,
    ) -> Option<&'m [u32]> {
        let base = base?;
        let states = more.map_or(1, |more| self.states(more));
        let cells = base.cells.checked_mul(states)?;
        if cells > self.most_cells() {
            return None;
        }
        memory.cells.clear();
        memory.cells.resize(cells, 0);
        let numbers = self.numbers();
        if let Some(more) = more {
            let stride = base.cells as u32;
            let rows = base.places.iter().zip(self.column(more)).zip(numbers);
            for ((&place, &state), &number) in rows {
                memory.cells[(state * stride + place) as usize] += number;
            }
        } else {
            for (&place, &number) in base.places.iter().zip(numbers) {
                memory.cells[place as usize] += number;
            }
        }
        Some(&memory.cells)
    }

    /// Calls `visit` with the counts of the child's states for each configuration of `family`'s parents that occurs in the data. Counts of zero may
    /// be omitted from the visited counts.
    pub(super) fn for_each_configuration(
        &self,
        family: Family<'_>,
        base: Option<&FamilyBase>,
        memory: &mut CountingMemory,
        mut visit: impl FnMut(&[u32]),
    ) {
        let Some(cells) = self.dense(family.more, base, memory) else {
            return self.for_each_sparse(family, memory, visit);
        };
        for counts in cells.chunks(self.states(family.child)) {
            visit(counts);
        }
    }

    /// Visits the counts as [`for_each_configuration`](Self::for_each_configuration) does, but by sorting the rows. Sorting suits tables with many
    /// more cells than rows.
    fn for_each_sparse(
        &self,
        family: Family<'_>,
        memory: &mut CountingMemory,
        mut visit: impl FnMut(&[u32]),
    ) {
        let CountingMemory { keys, counts, .. } = memory;
        keys.clear();
        let rows = self.numbers().iter().zip(self.column(family.child));
        keys.extend(rows.map(|(&number, &state)| (0, state, number)));
        let mut configurations = 1_u64;
        for parent in family.all_parents() {
            let states = self.states(parent) as u64;
            for (key, &state) in keys.iter_mut().zip(self.column(parent)) {
                key.0 = key.0 * states + u64::from(state);
            }
            configurations = configurations.saturating_mul(states);
            if configurations > u64::from(u32::MAX) {
                // The configurations that occur are renumbered consecutively, so that the index with the next parent
                // does not overflow.
                let mut known = FxHashMap::default();
                for key in keys.iter_mut() {
                    let next = known.len() as u64;
                    key.0 = *known.entry(key.0).or_insert(next);
                }
                configurations = known.len() as u64;
            }
        }
        keys.sort_unstable();
        for configuration in keys.chunk_by(|a, b| a.0 == b.0) {
            counts.clear();
            for state in configuration.chunk_by(|a, b| a.1 == b.1) {
                counts.push(state.iter().map(|key| key.2).sum());
            }
            visit(counts);
        }
    }
}

impl CaseCounts for RowCounts {
    fn width(&self) -> usize {
        self.columns.len()
    }

    fn states(&self, variable: u32) -> usize {
        self.states[variable as usize]
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn distinct(&self) -> usize {
        self.numbers.len()
    }

    fn base(&self, child: u32, parents: &[u32]) -> Option<FamilyBase> {
        let members = parents.iter().chain([&child]);
        let mut cells = 1_usize;
        for &member in members.clone() {
            cells = cells.checked_mul(self.states(member))?;
        }
        if cells > self.most_cells() {
            return None;
        }
        let mut places = vec![0_u32; self.distinct()];
        for &member in members {
            let states = self.states(member) as u32;
            for (place, &state) in places.iter_mut().zip(self.column(member)) {
                *place = *place * states + state;
            }
        }
        Some(FamilyBase { places, cells })
    }

    fn sum_of_terms(
        &self,
        family: Family<'_>,
        base: Option<&FamilyBase>,
        memory: &mut CountingMemory,
        terms: &FamilyTerms<'_>,
    ) -> f64 {
        let mut sum = terms.constant;
        self.for_each_configuration(family, base, memory, |counts| {
            sum += terms.configuration(counts.iter().map(|&count| u64::from(count)));
        });
        sum
    }

    fn table(&self, child: u32, parents: &[u32]) -> Vec<f64> {
        let members = || parents.iter().chain([&child]).copied();
        let mut counts = vec![0.0; members().map(|v| self.states(v)).product()];
        for (place, &number) in self.places(members()).into_iter().zip(self.numbers()) {
            counts[place] += f64::from(number);
        }
        counts
    }
}

impl RowCounts {
    /// Returns for each row of data the index of its cell in the contingency table of `members`, where the last variable varies fastest.
    pub(super) fn places(&self, members: impl Iterator<Item = u32>) -> Vec<usize> {
        let mut places = vec![0; self.distinct()];
        for member in members {
            let states = self.states(member);
            for (place, &state) in places.iter_mut().zip(self.column(member)) {
                *place = *place * states + state as usize;
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::rand::RngExt;
    use figrs_core::stream;

    use super::super::super::Network;
    use super::*;

    /// Returns data with random states of variables, given the number of states of each variable.
    fn rows(states: &[usize], count: usize, seed: u64) -> RowCounts {
        let mut random = stream(seed, 0);
        let names: Vec<String> = (0..states.len()).map(|v| format!("v{v}")).collect();
        let mut text = names.join(",") + "\n";
        // The first rows contain every state, so that the network created from the data has all states.
        let most = *states.iter().max().unwrap();
        for row in 0..count.max(most) {
            let cells = states.iter().map(|&n| match row {
                row if row < most => (row % n).to_string(),
                _ => random.random_range(0..n).to_string(),
            });
            text += &(cells.collect::<Vec<_>>().join(",") + "\n");
        }
        let (network, data) = Network::from_data_csv(&text).unwrap();
        RowCounts::new(&network, &data).unwrap()
    }

    fn tables(rows: &RowCounts, parents: &[u32], more: Option<u32>, dense: bool) -> Vec<Vec<u32>> {
        let base = rows.base(0, parents).filter(|_| dense);
        assert_eq!(base.is_some(), dense);
        let mut all = Vec::new();
        let mut memory = CountingMemory::default();
        let family = Family {
            more,
            ..Family::new(0, parents)
        };
        rows.for_each_configuration(family, base.as_ref(), &mut memory, |counts| {
            let positive: Vec<u32> = counts.iter().copied().filter(|n| *n > 0).collect();
            if !positive.is_empty() {
                all.push(positive);
            }
        });
        all.sort();
        all
    }

    #[test]
    fn sorted_rows_and_dense_tables_count_the_same() {
        let rows = rows(&[3, 2, 4, 5], 200, 1);
        for parents in [&[][..], &[1], &[1, 3]] {
            for more in [None, Some(2)] {
                let dense = tables(&rows, parents, more, true);
                assert_eq!(dense, tables(&rows, parents, more, false));
                let all: u64 = dense.iter().flatten().map(|&n| u64::from(n)).sum();
                assert_eq!(all, 200);
            }
        }
    }

    /// Tests nine variables of 300 states, which have more joint configurations than 64-bit indices can represent.
    #[test]
    fn tables_of_any_size_are_counted() {
        let rows = rows(&[300; 10], 400, 2);
        let parents: Vec<u32> = (1..10).collect();
        assert!(rows.base(0, &parents).is_none());
        let found = tables(&rows, &parents, None, false);
        assert_eq!(found, vec![vec![1]; 400]);
    }
}
