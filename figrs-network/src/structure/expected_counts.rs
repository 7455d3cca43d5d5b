//! Counts of families (a variable with its parents) from rows with missing cells. Counts are expected counts under the exact posterior of the missing
//! cells or, if there is no network yet, counts of the rows in which a variable and all its parents are observed.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::super::data::MISSING;
use super::case_counts::{CaseCounts, Family};
use super::dag::Dag;
use super::family_counts::{CountingMemory, FamilyBase};
use super::family_terms::FamilyTerms;
use super::fitted::log_likelihood;
use super::missing_block::{BlockFactor, LargePosterior, MissingBlock};
use super::row_counts::{DataRows, OpenRow};

/// Minimum share of rows in which a variable and all its parents must be observed: with fewer rows, scaled up to all rows, sampling error could look
/// like a dependence.
const LEAST_SHARE: f64 = 0.25;
/// Score of a variable with its parents if too few rows have observed states of the variable and of all its parents.
const NOT_AVAILABLE: f64 = -1e300;

/// Expected counts of families (a variable with its parents) under a network with given tables, conditional on the observed cells of each row. As
/// long as there is no network, a family is counted only in the rows where all its variables are observed, and the counts are scaled up to the number
/// of all rows.
pub(super) struct ExpectedFamilyCounts<'d> {
    rows: &'d DataRows,
    /// For each row with missing cells, the missing cells in the order of the variables; `None` if there is no network yet.
    missing: Option<Vec<Vec<MissingCell>>>,
    blocks: Vec<MissingBlock>,
    /// The log-likelihood of the observed cells of data under the network.
    pub(super) log_likelihood: f64,
    failure: Mutex<Option<LargePosterior>>,
}

/// A missing cell of a row: its variable, the index of its block (missing cells that depend on each other), and its index in this block.
struct MissingCell {
    variable: u32,
    block: u32,
    place: usize,
}

/// A variable of a family (a variable with its parents), with its stride in the contingency table of the family.
type Member = (u32, u64);

impl<'d> ExpectedFamilyCounts<'d> {
    /// Creates counts that use, for each variable with its parents, only the rows in which the variable and all its parents are observed.
    pub(super) fn available(rows: &'d DataRows) -> Self {
        Self {
            rows,
            missing: None,
            blocks: Vec::new(),
            log_likelihood: 0.0,
            failure: Mutex::default(),
        }
    }

    /// Creates the expected counts under the Bayesian network with the structure `dag` and the conditional tables `tables`.
    ///
    /// **Errors.** An error if the joint posterior of a row's missing cells is too large to be computed.
    pub(super) fn new(
        rows: &'d DataRows,
        dag: &Dag,
        tables: &[Vec<f64>],
    ) -> Result<Self, LargePosterior> {
        let mut blocks = BlockBuilder {
            rows,
            dag,
            tables,
            known: FxHashMap::default(),
            blocks: Vec::new(),
        };
        let mut log_likelihood = log_likelihood(&rows.complete, dag, tables);
        let mut missing = Vec::with_capacity(rows.open.len());
        for row in &rows.open {
            let (own, log_probability) = blocks.add(row)?;
            log_likelihood += f64::from(row.number) * log_probability;
            missing.push(own);
        }
        Ok(Self {
            rows,
            missing: Some(missing),
            blocks: blocks.blocks,
            log_likelihood,
            failure: Mutex::default(),
        })
    }

    /// True if the joint posterior of some row's missing cells could not be computed.
    pub(super) fn has_failed(&self) -> bool {
        let failure = self.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns the error of a row with missing cells whose joint posterior could not be computed; `None` if there is no such row.
    pub(super) fn failure(&self) -> Option<LargePosterior> {
        let failure = self.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds the expected counts of the rows with missing cells to the contingency table of a family (a variable with its parents).
    fn add_open(&self, members: &[Member], mut add: impl FnMut(u64, f64)) {
        // The rows of a block have the same missing variables, so the variables of the family in the block are found only once.
        let mut known: FxHashMap<u32, Vec<(u64, f64)>> = FxHashMap::default();
        let mut touched: Vec<(u32, usize, u64)> = Vec::new();
        let (mut cells, mut next) = (Vec::new(), Vec::new());
        'rows: for (i, row) in self.rows.open.iter().enumerate() {
            touched.clear();
            let mut first = 0;
            for &(variable, step) in members {
                let cell = row.cells[variable as usize];
                if cell != MISSING {
                    first += u64::from(cell) * step;
                    continue;
                }
                let Some(missing) = &self.missing else {
                    continue 'rows;
                };
                if let Ok(at) = missing[i].binary_search_by_key(&variable, |m| m.variable) {
                    touched.push((missing[i][at].block, missing[i][at].place, step));
                }
            }
            touched.sort_unstable();
            cells.clear();
            cells.push((first, f64::from(row.number)));
            for part in touched.chunk_by(|a, b| a.0 == b.0) {
                let own = known
                    .entry(part[0].0)
                    .or_insert_with(|| self.posterior_cells(part));
                next.clear();
                for &(cell, weight) in &cells {
                    next.extend(own.iter().map(|&(step, p)| (cell + step, weight * p)));
                }
                std::mem::swap(&mut cells, &mut next);
            }
            for &(cell, weight) in &cells {
                add(cell, weight);
            }
        }
    }

    /// Returns the possible joint states of the missing cells `part`, which depend on each other, as offsets in the family's contingency table, with
    /// their probabilities.
    fn posterior_cells(&self, part: &[(u32, usize, u64)]) -> Vec<(u64, f64)> {
        let block = &self.blocks[part[0].0 as usize];
        let places: Vec<usize> = part.iter().map(|&(_, place, _)| place).collect();
        let marginal = match block.marginal(&places) {
            Ok(marginal) => marginal,
            Err(error) => {
                let failure = self.failure.lock();
                failure
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
                return Vec::new();
            }
        };
        let cell = |entry: usize| {
            let (mut rest, mut cell) = (entry, 0);
            for &(_, place, step) in part.iter().rev() {
                let states = block.states(place);
                cell += (rest % states) as u64 * step;
                rest /= states;
            }
            cell
        };
        let entries = marginal.iter().enumerate().filter(|(_, p)| **p > 0.0);
        entries.map(|(entry, &p)| (cell(entry), p)).collect()
    }

    /// Returns the factor that scales the counts of a family up to all rows; `None` if the variables of the family are all observed in too few rows.
    fn scale(&self, counts: impl Iterator<Item = f64>) -> Option<f64> {
        if self.missing.is_some() {
            return Some(1.0);
        }
        let (all, total) = (counts.sum::<f64>(), self.rows.total as f64);
        (all >= LEAST_SHARE * total).then_some(total / all)
    }

    /// Returns the variables of a family (a variable with its parents) with their strides in the family's contingency table. In the contingency table
    /// of a family, the child varies fastest, then the parents from the last to the first, and the additional parent varies slowest.
    fn members(&self, family: Family<'_>) -> Vec<Member> {
        let members = family.more.into_iter();
        let members = members.chain(family.parents.iter().copied());
        let mut members: Vec<Member> = members.chain([family.child]).map(|v| (v, 1)).collect();
        let mut step = 1;
        for (variable, own) in members.iter_mut().rev() {
            *own = step;
            step *= self.states(*variable) as u64;
        }
        members
    }
}

impl CaseCounts for ExpectedFamilyCounts<'_> {
    fn width(&self) -> usize {
        self.rows.complete.width()
    }

    fn states(&self, variable: u32) -> usize {
        self.rows.complete.states(variable)
    }

    fn total(&self) -> u64 {
        self.rows.total
    }

    fn distinct(&self) -> usize {
        self.rows.complete.distinct() + self.rows.open.len()
    }

    fn base(&self, child: u32, parents: &[u32]) -> Option<FamilyBase> {
        self.rows.complete.base(child, parents)
    }

    fn sum_of_terms(
        &self,
        family: Family<'_>,
        base: Option<&FamilyBase>,
        memory: &mut CountingMemory,
        terms: &FamilyTerms<'_>,
    ) -> f64 {
        let (states, members) = (self.states(family.child), self.members(family));
        let mut expected = std::mem::take(&mut memory.expected);
        expected.clear();
        let scale;
        let mut sum = terms.constant;
        if let Some(complete) = self.rows.complete.dense(family.more, base, memory) {
            expected.extend(complete.iter().map(|&count| f64::from(count)));
            self.add_open(&members, |cell, weight| expected[cell as usize] += weight);
            scale = self.scale(expected.iter().copied());
            for counts in expected.chunks(states) {
                let counts = counts.iter().map(|count| count * scale.unwrap_or(1.0));
                sum += terms.configuration(counts);
            }
        } else {
            let mut cells: FxHashMap<u64, f64> = FxHashMap::default();
            let mut add = |cell, weight| *cells.entry(cell).or_insert(0.0) += weight;
            let complete = &self.rows.complete;
            let places = complete.places(members.iter().map(|&(variable, _)| variable));
            for (place, &number) in places.into_iter().zip(complete.numbers()) {
                add(place as u64, f64::from(number));
            }
            self.add_open(&members, add);
            let mut cells: Vec<(u64, f64)> = cells.into_iter().collect();
            cells.sort_unstable_by_key(|&(cell, _)| cell);
            scale = self.scale(cells.iter().map(|&(_, count)| count));
            let configuration = |cell: u64| cell / states as u64;
            for counts in cells.chunk_by(|a, b| configuration(a.0) == configuration(b.0)) {
                let counts = counts.iter().map(|(_, count)| count * scale.unwrap_or(1.0));
                sum += terms.configuration(counts);
            }
        }
        memory.expected = expected;
        scale.map_or(NOT_AVAILABLE, |_| sum)
    }

    fn table(&self, child: u32, parents: &[u32]) -> Vec<f64> {
        let mut counts = self.rows.complete.table(child, parents);
        let members = self.members(Family::new(child, parents));
        self.add_open(&members, |cell, weight| counts[cell as usize] += weight);
        let scale = self.scale(counts.iter().copied()).unwrap_or(1.0);
        for count in &mut counts {
            *count *= scale;
        }
        counts
    }
}

/// Builds the blocks of missing cells that depend on each other, each block once for all rows that share it.
struct BlockBuilder<'b> {
    rows: &'b DataRows,
    dag: &'b Dag,
    tables: &'b [Vec<f64>],
    /// The blocks (missing cells that depend on each other) that have been built so far. The key of a block of missing cells has the variables of the
    /// block, and the states of the observed variables on which those variables depend.
    known: FxHashMap<Vec<u32>, u32>,
    blocks: Vec<MissingBlock>,
}

impl BlockBuilder<'_> {
    /// Adds the groups (blocks) of dependent missing cells in a row; returns the missing cells and the log-probability of the observed cells.
    fn add(&mut self, row: &OpenRow) -> Result<(Vec<MissingCell>, f64), LargePosterior> {
        let children = 0..self.dag.len() as u32;
        let mut groups = Groups::new(&row.cells);
        let mut log_probability = 0.0;
        for child in children.clone() {
            let missing = self
                .scope(child)
                .filter(|&v| row.cells[v as usize] == MISSING);
            if groups.join(missing).is_none() {
                log_probability += self.restricted(child, row)[0].ln();
            }
        }
        let groups = groups.all();
        let mut scopes = vec![Vec::new(); groups.len()];
        let mut place_of = vec![(usize::MAX, 0); row.cells.len()];
        for (group, variables) in groups.iter().enumerate() {
            for (place, &variable) in variables.iter().enumerate() {
                place_of[variable as usize] = (group, place);
            }
        }
        for child in children {
            let group = self.scope(child).map(|v| place_of[v as usize].0).min();
            if let Some(group) = group.filter(|&group| group != usize::MAX) {
                scopes[group].push(child);
            }
        }
        let mut missing = Vec::new();
        for (variables, children) in groups.iter().zip(&scopes) {
            let block = self.block(row, variables, children, &place_of)?;
            log_probability += self.blocks[block as usize].log_total;
            missing.extend((0..).zip(variables).map(|(place, &variable)| MissingCell {
                variable,
                block,
                place,
            }));
        }
        missing.sort_unstable_by_key(|cell| cell.variable);
        Ok((missing, log_probability))
    }

    /// Returns the block for the missing cells of `variables`; creates the block if no earlier row had the same one.
    fn block(
        &mut self,
        row: &OpenRow,
        variables: &[u32],
        children: &[u32],
        place_of: &[(usize, usize)],
    ) -> Result<u32, LargePosterior> {
        let mut key = vec![variables.len() as u32];
        key.extend(variables);
        for &child in children {
            let states = self.scope(child).map(|v| row.cells[v as usize]);
            key.extend(states.filter(|&state| state != MISSING));
        }
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let factors = children.iter().map(|&child| {
            let places = self
                .scope(child)
                .filter(|&v| row.cells[v as usize] == MISSING);
            BlockFactor {
                places: places.map(|v| place_of[v as usize].1).collect(),
                numbers: self.restricted(child, row),
            }
        });
        let states = variables.iter().map(|&v| self.rows.complete.states(v));
        let states: Vec<usize> = states.collect();
        let block = MissingBlock::new(row.line, &states, factors.collect())?;
        let number = self.blocks.len() as u32;
        self.blocks.push(block);
        self.known.insert(key, number);
        Ok(number)
    }

    /// Returns the variables of the conditional table of `child`: the parents followed by the child.
    fn scope(&self, child: u32) -> impl Iterator<Item = u32> {
        self.dag.parents(child).iter().copied().chain([child])
    }

    /// Returns the entries of the conditional table of `child` that agree with the observed cells of `row`, in row-major order over the missing
    /// variables.
    fn restricted(&self, child: u32, row: &OpenRow) -> Vec<f64> {
        let mut places = vec![0];
        for variable in self.scope(child) {
            let states = self.rows.complete.states(variable);
            let cell = row.cells[variable as usize] as usize;
            let agreeing = if cell == MISSING as usize {
                0..states
            } else {
                cell..cell + 1
            };
            let more = places.iter().flat_map(|place| {
                let agreeing = agreeing.clone();
                agreeing.map(move |state| place * states + state)
            });
            places = more.collect();
        }
        let table = &self.tables[child as usize];
        places.into_iter().map(|place| table[place]).collect()
    }
}

/// A partition of the missing variables of a row into groups of dependent variables.
struct Groups {
    /// For each missing variable, an earlier variable of the same group (as in a union-find), or the variable itself; `u32::MAX` for a variable that
    /// is not missing.
    leads: Vec<u32>,
}

impl Groups {
    fn new(cells: &[u32]) -> Self {
        let leads = (0..).zip(cells);
        let leads = leads.map(|(v, &cell)| if cell == MISSING { v } else { u32::MAX });
        Self {
            leads: leads.collect(),
        }
    }

    fn first(&self, mut variable: u32) -> u32 {
        while self.leads[variable as usize] != variable {
            variable = self.leads[variable as usize];
        }
        variable
    }

    /// Joins the groups that contain `variables`; returns the first variable of the joint group, or `None` if no variable is given.
    fn join(&mut self, variables: impl Iterator<Item = u32>) -> Option<u32> {
        variables.fold(None, |joined, variable| {
            let own = self.first(variable);
            let joined = joined.unwrap_or(own);
            let (low, high) = (own.min(joined), own.max(joined));
            self.leads[high as usize] = low;
            Some(low)
        })
    }

    /// Returns the groups of variables in the order of their first variables; each group is in ascending order.
    fn all(&self) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut number = FxHashMap::default();
        for variable in 0..self.leads.len() as u32 {
            if self.leads[variable as usize] == u32::MAX {
                continue;
            }
            let next = groups.len();
            let group = *number.entry(self.first(variable)).or_insert(next);
            if group == next {
                groups.push(Vec::new());
            }
            groups[group].push(variable);
        }
        groups
    }
}

#[cfg(test)]
mod tests;
