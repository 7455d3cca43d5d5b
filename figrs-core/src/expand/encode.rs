//! Conversion of an element of a model to factors of a factor graph, given the lists of possible values of the elements.

use super::encoding::{EncodingBuilder, FailureQuery, Guard, Undecided};
use super::expansion::{Content, ExpandedElement};
use super::reach::Situation;
use crate::error::ModelError;
use figrs_factor::graph::{Factor, FactorTable, VarId, Weights, WeightsBuilder};

/// One row of a table of weights: a pair of the weights of the whole table and the index at which the row starts.
pub(super) type WeightRow<'w> = (&'w Weights, usize);

/// The values of a variable that depends only on the evaluation of an element: the element is evaluated for some combination of parent values,
/// evaluated with an unknown result, or not evaluated.
pub(super) struct SituationValues<'i> {
    /// The value of the variable for each combination of parent values, in worlds that evaluate the element.
    pub(super) index: &'i [u32],
    /// The value of the variable in worlds that evaluate the element with an unknown result.
    pub(super) unknown: u32,
    /// The value of the variable in possible worlds that do not evaluate the element.
    pub(super) absent: u32,
}

impl EncodingBuilder<'_> {
    pub(super) fn add_factor(
        &mut self,
        variables: Vec<VarId>,
        table: FactorTable,
        normalised: bool,
    ) {
        self.graph.factors.push(Factor {
            variables,
            table,
            normalised,
        });
    }

    /// Records which weights of the next factor are zero only because of the present values of `Param`s.
    pub(super) fn record_open_zeros(&mut self, entries: Vec<u32>) {
        if !entries.is_empty() {
            self.open_zeros.push((self.graph.factors.len(), entries));
        }
    }

    pub(super) fn add_function(&mut self, variables: Vec<VarId>, index: Vec<u32>) {
        let normalised = index.iter().all(|&v| v != FactorTable::NO_VALUE);
        self.add_factor(variables, FactorTable::Function { index }, normalised);
    }

    pub(super) fn add_dense(&mut self, variables: Vec<VarId>, weights: Weights) {
        self.add_factor(variables, FactorTable::Dense(weights), false);
    }

    pub(super) fn add_factors(&mut self, position: usize) -> Result<(), ModelError> {
        let expansion = self.expansion;
        let expanded = &expansion.elements()[position];
        let known = expanded.support.len();
        if let (Content::Apply(_), Some(selector)) =
            (&expanded.content, self.selectors.get(&position))
        {
            let index: Vec<u32> = expanded
                .skips_last
                .iter()
                .map(|&skips| skips.into())
                .collect();
            let numbers = SituationValues {
                index: &index,
                unknown: 1,
                absent: 1,
            };
            self.number(
                position,
                expanded.read_parents(),
                selector.variable,
                &numbers,
            );
        }
        match &expanded.content {
            Content::Fixed => {
                let certain = Weights::from_linear(vec![1.0]);
                self.rows(position, known, |_| Some((&certain, 0)), |_, _| false)?;
            }
            // The only value of an unexplored `Chain` is `unknown`, whatever the values of its parents.
            Content::Unexplored => {
                let numbers = SituationValues {
                    index: &[0],
                    unknown: 0,
                    absent: 1,
                };
                self.number(position, &[], self.variable(position), &numbers);
            }
            Content::Atomic(weights) => {
                let columns = weights.len();
                self.rows(position, columns, |_| Some((weights, 0)), |_, _| true)?;
            }
            Content::Table(weights) if self.is_complete_table(position, weights) => {
                let mut variables = Vec::with_capacity(expanded.parents.len() + 1);
                let all = expanded.parents.iter().chain([&position]);
                variables.extend(all.map(|&p| self.variable(p)));
                let table = FactorTable::Dense(weights.clone());
                self.add_factor(variables, table, !expanded.restricted);
            }
            Content::Table(weights) => {
                let row = |row| Some((weights, row * known));
                self.rows(position, known, row, |_, _| false)?;
            }
            Content::Apply(index) if self.is_free_on_failure(position) => {
                // Each row has one entry 1, and zeros otherwise. All rows are slices of one list with a single 1, with different starts.
                let last = known.saturating_sub(1);
                let mut zeros = vec![0.0; 2 * last + 1];
                zeros[last] = 1.0;
                let ones = Weights::from_linear(zeros);
                let row = |row: usize| Some((&ones, last.checked_sub(index[row] as usize)?));
                self.rows(position, known, row, |_, _| false)?;
            }
            Content::Apply(index) => self.function(position, &expanded.parents, index),
            Content::Score(weights) => {
                let identity = self.positions_in(expanded.parents[0], expanded);
                self.function(position, &expanded.parents, &identity);
                if self.is_free_on_failure(position) {
                    let failed = |i: usize| expanded.failures.as_ref().is_some_and(|d| d.failed[i]);
                    let possible = |i: usize| f64::from(u8::from(failed(i) || !weights.is_zero(i)));
                    let weights = (0..weights.len()).map(possible).collect();
                    self.unary(position, &Weights::from_linear(weights));
                } else {
                    self.unary(position, weights);
                }
            }
            Content::Chain { choice, results } => self.chain(position, choice, results)?,
            Content::NotEnumerable(_) => expanded.require_finite()?,
        }
        let upper = expansion.upper_weights.get(&position);
        let upper = upper.filter(|_| self.undecided == Undecided::AtMost);
        if let Some(weights) = upper.or(expanded.weights.as_ref()) {
            self.unary(position, weights);
        }
        if expanded.unknown {
            self.add_unknown_weight(position);
        }
        if self.is_free_on_failure(position) {
            self.add_failure(position);
        }
        Ok(())
    }

    /// True if the conditional probability table of an element can be its factor unchanged: the table has one row for each assignment of the parents'
    /// variables, and these variables are distinct.
    fn is_complete_table(&self, position: usize, weights: &Weights) -> bool {
        let expanded = &self.expansion.elements()[position];
        let mut parents = expanded.parents.iter().enumerate();
        let mut all = expanded.parents.iter().chain([&position]);
        expanded.failures.is_none()
            && !self.may_be_absent(position)
            && parents.all(|(i, parent)| !expanded.parents[..i].contains(parent))
            && all.try_fold(1usize, |entries, &p| {
                entries.checked_mul(self.graph.cardinality(self.variable(p)))
            }) == Some(weights.len())
    }

    /// Adds the factor that gives the value `unknown` of an element its weight. For a target or an element with evidence, the value `unknown` has
    /// weight zero if the factor graph gives lower bounds, and the largest weight that evidence can give the element (if such a maximum is known) if
    /// the factor graph gives upper bounds.
    fn add_unknown_weight(&mut self, position: usize) {
        let expanded = &self.expansion.elements()[position];
        let log = match self.undecided {
            Undecided::LeftOut if self.is_root[position] => f64::NEG_INFINITY,
            Undecided::AtMost if expanded.max_log_weight < f64::INFINITY => expanded.max_log_weight,
            Undecided::LeftOut | Undecided::AtMost => 0.0,
        };
        if log != 0.0 {
            let mut logs = vec![0.0; expanded.support.len()];
            logs.push(log);
            logs.extend(self.may_be_absent(position).then_some(0.0));
            self.add_dense(vec![self.variable(position)], Weights::from_logs(logs));
        }
    }

    /// True if the element may have any value where its function fails, because the query searches for worlds in which functions fail.
    pub(super) fn is_free_on_failure(&self, position: usize) -> bool {
        self.failure_query.is_some() && self.expansion.elements()[position].failures.is_some()
    }

    /// Adds a variable that is true in the worlds in which the function of the element fails.
    fn add_failure(&mut self, position: usize) {
        let expanded = &self.expansion.elements()[position];
        let (Some(failures), Some(asked)) = (&expanded.failures, self.failure_query) else {
            return;
        };
        if asked != FailureQuery::Any && asked != FailureQuery::One(position) {
            return;
        }
        let variable = self.graph.add_variable(2);
        let index: Vec<u32> = failures
            .failed
            .iter()
            .map(|&failed| failed.into())
            .collect();
        let numbers = SituationValues {
            index: &index,
            unknown: 0,
            absent: 0,
        };
        self.number(position, &expanded.parents, variable, &numbers);
        self.failures.push(Guard {
            variable,
            reached: vec![false, true],
        });
    }

    /// Adds the condition that at least one of the functions about whose failures the query asks fails.
    pub(super) fn require_failure(&mut self) {
        let failures = std::mem::take(&mut self.failures);
        let (variable, weights) = match self.any_of(failures) {
            Some(any) => (any.variable, vec![0.0, 1.0]),
            None => (self.graph.add_variable(1), vec![0.0]),
        };
        self.add_dense(vec![variable], Weights::from_linear(weights));
    }

    /// Adds a factor with the given weight for each value of an element, and with weight one for the special values `unknown` and `absent` (not
    /// evaluated).
    fn unary(&mut self, position: usize, weights: &Weights) {
        let mut all = WeightsBuilder::default();
        all.extend(weights, 0..weights.len());
        let known = self.expansion.elements()[position].support.len();
        let others = self.graph.cardinality(self.variable(position)) - known;
        all.repeat(1.0, others);
        self.add_dense(vec![self.variable(position)], all.build());
    }

    /// Adds a factor that makes the element a function of `parents`: for each combination of the parents' values, `index` contains the index of the
    /// element's value.
    pub(super) fn function(&mut self, position: usize, parents: &[usize], index: &[u32]) {
        let expanded = &self.expansion.elements()[position];
        let variable = self.variable(position);
        let numbers = SituationValues {
            index,
            unknown: expanded.support.len() as u32,
            absent: expanded.states() as u32,
        };
        self.number(position, parents, variable, &numbers);
    }

    /// Adds a factor that makes `variable` a function of the evaluation of an element, which is evaluated for some parent values, evaluated with an
    /// unknown result, or not evaluated.
    pub(super) fn number(
        &mut self,
        position: usize,
        parents: &[usize],
        variable: VarId,
        numbers: &SituationValues<'_>,
    ) {
        let mut scope = self.scope(position, parents);
        let mut entries = Vec::new();
        loop {
            entries.push(match self.situation(position, parents, &scope) {
                Situation::Reached(combination) => numbers.index[combination],
                Situation::Unknown => numbers.unknown,
                Situation::Absent => numbers.absent,
                Situation::Never => FactorTable::NO_VALUE,
            });
            if !scope.advance() {
                break;
            }
        }
        let mut variables = scope.variables;
        variables.push(variable);
        self.add_function(variables, entries);
    }

    /// Adds the factor of a random element, with a row of weights for each combination of its parents' values. The function `row` returns the row of
    /// weights for a combination of parent values. The function `is_outcome` is true for an outcome that has probability zero only because of the
    /// present values of `Param`s.
    pub(super) fn rows<'w>(
        &mut self,
        position: usize,
        columns: usize,
        row: impl Fn(usize) -> Option<WeightRow<'w>>,
        is_outcome: impl Fn(usize, usize) -> bool,
    ) -> Result<(), ModelError> {
        let expanded = &self.expansion.elements()[position];
        let (known, states) = (expanded.support.len(), expanded.states());
        let may_be_absent = self.may_be_absent(position);
        let mut scope = self.scope(position, &expanded.parents);
        let rows = self.graph.dense_size(&scope.variables);
        let needed = rows as u128 * self.graph.cardinality(self.variable(position)) as u128;
        self.expansion.check_table(expanded, needed)?;
        let is_free = self.is_free_on_failure(position);
        let fails = |combination: usize| {
            let failures = expanded.failures.as_ref();
            is_free && failures.is_some_and(|failures| failures.failed[combination])
        };
        let mut weights = WeightsBuilder::default();
        let mut open_zeros = Vec::new();
        loop {
            let situation = self.situation(position, &expanded.parents, &scope);
            let found = match situation {
                Situation::Reached(combination) => row(combination).map(|row| (combination, row)),
                Situation::Unknown | Situation::Absent | Situation::Never => None,
            };
            match (found, &situation) {
                (_, Situation::Unknown) => {
                    weights.repeat(0.0, known);
                    weights.push(1.0);
                }
                (_, Situation::Reached(at)) if fails(*at) => {
                    weights.repeat(1.0, known);
                    weights.repeat(0.0, states - known);
                }
                (Some((combination, (row, start))), _) => {
                    let is_open = |&i: &usize| row.is_zero(start + i) && is_outcome(combination, i);
                    let at = weights.len();
                    open_zeros.extend((0..columns).filter(is_open).map(|i| (at + i) as u32));
                    weights.extend(row, start..start + columns);
                    weights.repeat(0.0, states - columns);
                }
                (None, _) => weights.repeat(0.0, states),
            }
            if may_be_absent {
                let absent = matches!(situation, Situation::Absent);
                weights.push(f64::from(u8::from(absent)));
            }
            if !scope.advance() {
                break;
            }
        }
        let normalised = !expanded.restricted && expanded.failures.is_none() && !may_be_absent;
        let mut variables = scope.variables;
        variables.push(self.variable(position));
        self.record_open_zeros(open_zeros);
        self.add_factor(variables, FactorTable::Dense(weights.build()), normalised);
        Ok(())
    }

    /// Maps each value of the element `from` to its index in the support of `to`, if that support contains the value; the value `unknown` is mapped
    /// to `unknown`.
    pub(super) fn positions_in(&self, from: usize, to: &ExpandedElement) -> Vec<u32> {
        let from = &self.expansion.elements()[from];
        let find = |i| to.support.index_of(from.support.any(i));
        let known = 0..from.support.len();
        let known = known.map(|i| find(i).map_or(FactorTable::NO_VALUE, |v| v as u32));
        let unknown = from.unknown.then_some(to.support.len() as u32);
        known.chain(unknown).collect()
    }
}
