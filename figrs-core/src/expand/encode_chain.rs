//! Conversion of a `Chain` to factors of a factor graph.
//!
//! If each branch of a `Chain` (each element that its function returns) is an element without parents that only this `Chain` uses, the `Chain`
//! becomes a conditional table with one row for each branch. The conditional table of a `Chain` is stored sparsely if most of its entries are zero.
//! If some branches of a `Chain` cannot be rows of its table, a selector variable represents the choice among all branches. A branch that cannot be a
//! row of the table is connected with the `Chain` by one factor, or by a two-way multiplexer if that factor would be large.

use super::encode::SituationValues;
use super::encoding::{ChainChoice, EncodingBuilder, Selector};
use super::expansion::{Content, ExpandedElement};
use super::reach::{ListedVariables, Situation};
use crate::element::node::Kind;
use crate::error::{Fault, ModelError};
use figrs_factor::graph::{FactorTable, VarId, Weights, WeightsBuilder};

/// Maximum number of entries of a conditional table that is stored dense although most of its entries are zero.
const MAX_DENSE_ENTRIES: usize = 32;
/// Cost of an entry of a sparse conditional table, in units of the cost of an entry of a dense table.
const SPARSE_ENTRY: usize = 4;

/// The outcomes of a branch of a `Chain` that has no parents: their indices in the `Chain`'s support, in ascending order, and their weights.
pub(super) struct RowOutcomes {
    pub(super) columns: Vec<u32>,
    pub(super) weights: Weights,
}

impl RowOutcomes {
    fn dense(&self, columns: usize) -> Weights {
        let mut positions = vec![None; columns];
        for (i, &column) in self.columns.iter().enumerate() {
            positions[column as usize] = Some(i);
        }
        self.weights.gather(&positions)
    }
}

#[derive(Default)]
pub(super) struct SparseBuilder {
    rows: Vec<u32>,
    weights: WeightsBuilder,
    /// Indices of the entries of the conditional table that are zero only because of the present values of `Param`s.
    open_zeros: Vec<u32>,
}

impl SparseBuilder {
    pub(super) fn push(&mut self, assignment: &[u32], column: u32, weight: f64) {
        self.rows.extend_from_slice(assignment);
        self.rows.push(column);
        self.weights.push(weight);
    }

    pub(super) fn extend(&mut self, assignment: &[u32], outcomes: &RowOutcomes) {
        for (i, &column) in outcomes.columns.iter().enumerate() {
            self.rows.extend_from_slice(assignment);
            self.rows.push(column);
            if outcomes.weights.is_zero(i) {
                self.open_zeros.push(self.weights.len() as u32);
            }
            self.weights.extend(&outcomes.weights, i..i + 1);
        }
    }
}

impl EncodingBuilder<'_> {
    pub(super) fn add_sparse(
        &mut self,
        variables: Vec<VarId>,
        table: SparseBuilder,
        normalised: bool,
    ) {
        self.record_open_zeros(table.open_zeros);
        let table = FactorTable::Sparse {
            rows: table.rows,
            weights: table.weights.build(),
        };
        self.add_factor(variables, table, normalised);
    }

    /// Returns the outcomes of a branch of a `Chain`, given by indices in the `Chain`'s support, with their weights.
    fn outcomes(&self, result: usize, chain: &ExpandedElement) -> Result<RowOutcomes, ModelError> {
        let row = &self.expansion.elements()[result];
        if matches!(row.content, Content::Unexplored) {
            return Ok(RowOutcomes {
                columns: vec![chain.support.len() as u32],
                weights: Weights::from_linear(vec![1.0]),
            });
        }
        let parametric = row.parametric.map(|at| &self.expansion.parametric[at]);
        let atomic = parametric.map_or(&row.element, |outcomes| &outcomes.member);
        if let (Content::NotEnumerable(_), Kind::Atomic(op)) = (&row.content, atomic.kind()) {
            let values = 0..chain.support.len();
            let log = |i| op.log_prob(chain.support.any(i));
            let logs: Result<Vec<f64>, Fault> = values.clone().map(log).collect();
            let weights = Weights::from_logs(logs.map_err(|fault| row.element.fault(fault))?);
            return Ok(RowOutcomes {
                weights: match parametric {
                    Some(outcomes) => weights.with_origins(vec![outcomes.first; values.len()]),
                    None => weights,
                },
                columns: values.map(|i| i as u32).collect(),
            });
        }
        let found = |i: usize| Some((chain.support.index_of(row.support.any(i))?, i));
        let mut found: Vec<(usize, usize)> = (0..row.support.len()).filter_map(found).collect();
        if row.unknown {
            found.push((chain.support.len(), row.support.len()));
        }
        found.sort_unstable();
        let order: Vec<usize> = found.iter().map(|&(_, i)| i).collect();
        Ok(RowOutcomes {
            columns: found.iter().map(|&(column, _)| column as u32).collect(),
            weights: match &row.content {
                Content::Atomic(weights) => weights.select(&order),
                _ => Weights::from_linear(vec![1.0; order.len()]),
            },
        })
    }

    /// Adds a selector variable, which represents the choice of the `Chain`, if some branches cannot be rows of its table.
    pub(super) fn add_selector(&mut self, position: usize) {
        let expanded = &self.expansion.elements()[position];
        let Content::Chain { choice, results } = &expanded.content else {
            if expanded
                .parents
                .iter()
                .any(|&p| self.is_skipped_by(p, position))
            {
                let choices = vec![ChainChoice::Result(0), ChainChoice::Nothing];
                let variable = self.graph.add_variable(choices.len());
                self.selectors
                    .insert(position, Selector { variable, choices });
            }
            return;
        };
        let elements = self.expansion.elements();
        let single = results.len() == 1 && expanded.always_has_value(elements);
        if single || results.iter().all(|&r| self.row_of(r).is_some()) {
            return;
        }
        // If the `Chain` has one parent and chooses a different result for each value of the parent, the parent itself is the selector.
        let itself = expanded.parents.first().copied().filter(|&parent| {
            expanded.parents.len() == 1
                && results.len() == choice.len()
                && expanded.always_has_value(elements)
                && self.reached_with(parent, position)
        });
        let selector = if let Some(parent) = itself {
            let results = choice.iter().map(|&c| ChainChoice::Result(c as usize));
            let mut choices: Vec<_> = results.collect();
            choices.extend(self.may_be_absent(parent).then_some(ChainChoice::Nothing));
            Selector {
                variable: self.variable(parent),
                choices,
            }
        } else {
            let mut choices: Vec<_> = (0..results.len()).map(ChainChoice::Result).collect();
            let unknown = expanded.has_unknown_parents(elements);
            choices.extend(unknown.then_some(ChainChoice::Unknown));
            let nothing = self.may_be_absent(position) || self.is_free_on_failure(position);
            choices.extend(nothing.then_some(ChainChoice::Nothing));
            Selector {
                variable: self.graph.add_variable(choices.len()),
                choices,
            }
        };
        self.selectors.insert(position, selector);
    }

    pub(super) fn chain(
        &mut self,
        position: usize,
        choice: &[u32],
        results: &[usize],
    ) -> Result<(), ModelError> {
        let expansion = self.expansion;
        let expanded = &expansion.elements()[position];
        let row = |&result: &usize| {
            let own = self.row_of(result).is_some();
            own.then(|| self.outcomes(result, expanded)).transpose()
        };
        let rows: Vec<Option<RowOutcomes>> = results.iter().map(row).collect::<Result<_, _>>()?;
        if rows.iter().all(Option::is_some) {
            let rows: Vec<RowOutcomes> = rows.into_iter().flatten().collect();
            return self.encode_own_rows(position, choice, &rows);
        }
        let Some(selector) = self.selectors.get(&position).cloned() else {
            // All combinations of parent values choose the same element.
            let index = self.positions_in(results[0], expanded);
            self.function(position, results, &index);
            return Ok(());
        };
        let parents = &expanded.parents;
        if !parents
            .iter()
            .any(|&p| self.variable(p) == selector.variable)
        {
            let of = |chosen| {
                let found = selector.choices.iter().position(|&c| c == chosen);
                found.map_or(FactorTable::NO_VALUE, |i| i as u32)
            };
            let nothing = of(ChainChoice::Nothing);
            let mut choice = choice.to_vec();
            if self.is_free_on_failure(position) {
                for chosen in choice.iter_mut().filter(|c| **c == Content::NO_CHOICE) {
                    *chosen = nothing;
                }
            }
            let numbers = SituationValues {
                index: &choice,
                unknown: of(ChainChoice::Unknown),
                absent: nothing,
            };
            self.number(position, parents, selector.variable, &numbers);
        }
        self.join_results(position, &selector, rows, results);
        Ok(())
    }

    fn encode_own_rows(
        &mut self,
        position: usize,
        choice: &[u32],
        rows: &[RowOutcomes],
    ) -> Result<(), ModelError> {
        let expanded = &self.expansion.elements()[position];
        let columns = expanded.states();
        let unknown = expanded.support.len() as u32;
        let entries = choice.iter().filter_map(|&c| rows.get(c as usize));
        let entries: usize = entries.map(|row| row.columns.len()).sum();
        let size = choice.len().saturating_mul(columns);
        let dense = size <= MAX_DENSE_ENTRIES || entries.saturating_mul(SPARSE_ENTRY) >= size;
        if dense || self.is_free_on_failure(position) {
            let dense: Vec<Weights> = rows.iter().map(|row| row.dense(columns)).collect();
            let chosen = |combination: usize| choice[combination] as usize;
            return self.rows(
                position,
                columns,
                |combination| Some((dense.get(chosen(combination))?, 0)),
                |combination, column| {
                    let columns = &rows[chosen(combination)].columns;
                    columns.binary_search(&(column as u32)).is_ok()
                },
            );
        }
        let mut scope = self.scope(position, &expanded.parents);
        let mut table = SparseBuilder::default();
        loop {
            match self.situation(position, &expanded.parents, &scope) {
                Situation::Unknown => table.push(scope.values(), unknown, 1.0),
                Situation::Reached(combination) => {
                    if let Some(row) = rows.get(choice[combination] as usize) {
                        table.extend(scope.values(), row);
                    }
                }
                Situation::Absent => table.push(scope.values(), columns as u32, 1.0),
                Situation::Never => {}
            }
            if !scope.advance() {
                break;
            }
        }
        let normalised =
            !expanded.restricted && expanded.failures.is_none() && !self.may_be_absent(position);
        let mut variables = scope.variables;
        variables.push(self.variable(position));
        self.add_sparse(variables, table, normalised);
        Ok(())
    }

    /// Adds one factor that connects a branch with its `Chain`: if the `Chain` chooses this branch, the two elements must have the same value.
    /// Returns `false`, without adding the factor, if the factor would have too many entries.
    pub(super) fn joined(
        &mut self,
        position: usize,
        selector: &Selector,
        at: usize,
        result: usize,
    ) -> bool {
        let (from, own) = (self.variable(result), self.variable(position));
        let size = self.graph.dense_size(&[selector.variable, from, own]);
        if size > MAX_DENSE_ENTRIES {
            return false;
        }
        let moved = self.positions_in(result, &self.expansion.elements()[position]);
        let mut scope = ListedVariables::new(&self.graph, &[selector.variable, from, own]);
        let mut linear = Vec::with_capacity(size);
        loop {
            let chosen = selector.choices[scope.value(0)] == ChainChoice::Result(at);
            let image = moved.get(scope.value(1)).copied();
            let agrees = !chosen || image == Some(scope.value(2) as u32);
            linear.push(f64::from(u8::from(agrees)));
            if !scope.advance() {
                break;
            }
        }
        self.add_dense(scope.variables, Weights::from_linear(linear));
        true
    }
}
