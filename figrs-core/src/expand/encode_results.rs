//! The multiplexer of a `Chain`: factors that give the `Chain` the value of the chosen branch.
//!
//! There is a two-way multiplexer for each branch of the `Chain`, and a variable between two successive multiplexers. The variable between two
//! multiplexers has the value of the `Chain` if an earlier multiplexer belongs to the chosen branch; otherwise, its value tells which later branch is
//! chosen. With one multiplexer for each branch, each variable is in few factors, even if a `Chain` has many branches. Because each factor of a
//! multiplexer is a deterministic function, only few joint assignments to the choice and the branches of a `Chain` have positive weight.

use std::ops::Range;

use super::encode_chain::{RowOutcomes, SparseBuilder};
use super::encoding::{ChainChoice, EncodingBuilder, Selector};
use figrs_factor::graph::{FactorTable, VarId, Weights};

/// Maximum number of entries for which a two-way multiplexer of a `Chain` is stored as a single factor.
const MAX_DENSE_ENTRIES: usize = 256;

/// A variable between two multiplexers of a `Chain`: its value is a value of the `Chain`, or the choice of a later branch.
struct MultiplexerState {
    variable: VarId,
    /// The values of the `Chain` that it can take from earlier branches, as ascending indices in the `Chain`'s support.
    columns: Vec<u32>,
    /// The choices by which the `Chain` takes a later branch. In the variable between two multiplexers, the states for later branches come after the
    /// states for the `Chain`'s values in `columns`.
    choices: Vec<ChainChoice>,
}

impl MultiplexerState {
    fn states(&self) -> usize {
        self.columns.len() + self.choices.len()
    }

    /// Returns the index of the variable's state for the value of the `Chain` with the index `column`.
    fn state(&self, column: u32) -> usize {
        self.columns.partition_point(|&other| other < column)
    }
}

impl EncodingBuilder<'_> {
    /// Adds the factors that define the value of a `Chain`, given the branch that it chooses. Each branch is a row of the `Chain`'s table, or one
    /// factor or a two-way multiplexer connects it with the `Chain`.
    pub(super) fn join_results(
        &mut self,
        position: usize,
        selector: &Selector,
        mut rows: Vec<Option<RowOutcomes>>,
        results: &[usize],
    ) {
        // If the parent that is the selector is also a result, this result has a single value for each choice.
        for (at, &result) in results.iter().enumerate() {
            if rows[at].is_none() && self.variable(result) == selector.variable {
                rows[at] = Some(self.chosen_value_row(position, selector, at, result));
            }
        }
        let mut passed = MultiplexerState {
            variable: selector.variable,
            columns: Vec::new(),
            choices: selector.choices.clone(),
        };
        let mut open = vec![false; results.len()];
        // The results are sorted by their indices in the expansion, so that a result is near to the elements on which it depends.
        let mut order: Vec<usize> = (0..results.len()).collect();
        order.sort_by_key(|&at| results[at]);
        for at in order {
            if let Some(variable) = self.chosen.remove(&(position, at)) {
                let columns = passed.columns.iter().map(|_| 0);
                let choices = passed.choices.iter();
                let choices = choices.map(|&c| u32::from(c == ChainChoice::Result(at)));
                let index = columns.chain(choices).collect();
                self.add_function(vec![passed.variable, variable], index);
            }
            if rows[at].is_none() {
                open[at] = self.joined(position, selector, at, results[at]);
                if !open[at] {
                    passed = self.add_multiplexer(position, &passed, at, results[at]);
                }
            }
        }
        let is_open = |choice: &ChainChoice| matches!(choice, ChainChoice::Result(at) if open[*at]);
        if !passed.columns.is_empty() || !passed.choices.iter().all(is_open) {
            self.last(position, &passed, &rows);
        }
    }

    /// Returns the table row of a branch whose value is determined by the choice of the `Chain`, because the branch is itself the selector variable.
    fn chosen_value_row(
        &self,
        position: usize,
        selector: &Selector,
        at: usize,
        result: usize,
    ) -> RowOutcomes {
        let moved = self.positions_in(result, &self.expansion.elements()[position]);
        let values = selector.choices.iter().zip(moved);
        let values = values.filter(|(choice, _)| **choice == ChainChoice::Result(at));
        let mut columns: Vec<u32> = values.map(|(_, column)| column).collect();
        columns.retain(|&column| column != FactorTable::NO_VALUE);
        RowOutcomes {
            weights: Weights::from_linear(vec![1.0; columns.len()]),
            columns,
        }
    }

    /// Adds a multiplexer for one branch of a `Chain`: if the `Chain` chooses this branch, the variable after the multiplexer has the value of the
    /// branch.
    fn add_multiplexer(
        &mut self,
        position: usize,
        from: &MultiplexerState,
        at: usize,
        result: usize,
    ) -> MultiplexerState {
        let expanded = &self.expansion.elements()[position];
        let moved = self.positions_in(result, expanded);
        let mut images = moved.clone();
        images.retain(|&column| column != FactorTable::NO_VALUE);
        images.sort_unstable();
        images.dedup();
        let mut choices = from.choices.clone();
        choices.retain(|&choice| choice != ChainChoice::Result(at));
        let to = if choices.is_empty() {
            MultiplexerState {
                variable: self.variable(position),
                columns: (0..expanded.states() as u32).collect(),
                choices,
            }
        } else {
            let mut columns = [&from.columns[..], &images].concat();
            columns.sort_unstable();
            columns.dedup();
            MultiplexerState {
                variable: self.graph.add_variable(columns.len() + choices.len()),
                columns,
                choices,
            }
        };
        // For each state of `from`, the state of `to`; `None` if the result `at` is chosen.
        let columns = from.columns.iter().map(|&column| Some(to.state(column)));
        let mut place = to.columns.len()..;
        let choices = from.choices.iter().map(|&choice| {
            let is_other = choice != ChainChoice::Result(at);
            is_other.then(|| place.next()).flatten()
        });
        let next: Vec<Option<usize>> = columns.chain(choices).collect();
        let result = self.variable(result);
        let values = self.graph.cardinality(result);
        let image = |value: usize| {
            moved
                .get(value)
                .copied()
                .filter(|&c| c != FactorTable::NO_VALUE)
        };
        if from.states() * values <= MAX_DENSE_ENTRIES {
            let pairs = next
                .iter()
                .flat_map(|&state| (0..values).map(move |value| (state, value)));
            let index = pairs.map(|(state, value)| {
                let state = state.or_else(|| image(value).map(|column| to.state(column)));
                state.map_or(FactorTable::NO_VALUE, |state| state as u32)
            });
            let index = index.collect();
            self.add_function(vec![from.variable, result, to.variable], index);
            return to;
        }
        // A large multiplexer has two more variables: one is true if the result is chosen, and the other is the value of the chosen result.
        let is_chosen = self.graph.add_variable(2);
        let index = next
            .iter()
            .map(|state| u32::from(state.is_none()))
            .collect();
        self.add_function(vec![from.variable, is_chosen], index);
        let none = images.len();
        let chosen = self.graph.add_variable(none + 1);
        let mut index = vec![none as u32; values];
        index.extend((0..values).map(|value| {
            let column = image(value);
            column.map_or(FactorTable::NO_VALUE, |column| {
                images.partition_point(|&other| other < column) as u32
            })
        }));
        self.add_function(vec![is_chosen, result, chosen], index);
        let mut table = SparseBuilder::default();
        for (state, next) in (0u32..).zip(next) {
            match next {
                Some(next) => table.push(&[state, none as u32], next as u32, 1.0),
                None => {
                    for (image, &column) in (0u32..).zip(&images) {
                        table.push(&[state, image], to.state(column) as u32, 1.0);
                    }
                }
            }
        }
        self.add_sparse(vec![from.variable, chosen, to.variable], table, false);
        to
    }

    /// Adds the factor that defines the value of the `Chain`, given the variable after the last multiplexer.
    fn last(&mut self, position: usize, passed: &MultiplexerState, rows: &[Option<RowOutcomes>]) {
        let own = self.variable(position);
        if passed.variable == own {
            return;
        }
        let expanded = &self.expansion.elements()[position];
        let (known, states) = (expanded.support.len(), expanded.states());
        let may_be_absent = self.may_be_absent(position);
        let is_free = self.is_free_on_failure(position);
        let mut table = SparseBuilder::default();
        for (state, &column) in (0u32..).zip(&passed.columns) {
            table.push(&[state], column, 1.0);
        }
        for (state, choice) in (passed.columns.len() as u32..).zip(&passed.choices) {
            let mut any = |range: Range<usize>| {
                range.for_each(|column| table.push(&[state], column as u32, 1.0));
            };
            match *choice {
                ChainChoice::Result(at) => match &rows[at] {
                    Some(row) => table.extend(&[state], row),
                    None => any(0..states),
                },
                ChainChoice::Unknown => any(known..states),
                ChainChoice::Nothing => {
                    any(0..if is_free { known } else { 0 });
                    any(states..states + usize::from(may_be_absent));
                }
            }
        }
        self.add_sparse(vec![passed.variable, own], table, false);
    }
}
