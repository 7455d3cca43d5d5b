//! The factors of one element.

use super::content::{Content, ExpandedElement};
use super::encoding::{Builder, Selector};
use super::scope::{Scope, Situation};
use crate::error::ModelError;
use crate::factor::{Factor, FactorTable, VarId};
use crate::node::Kind;
use crate::weights::{Weights, WeightsBuilder};

/// A row of weights: where it starts in a list of them.
type Row<'w> = (&'w Weights, usize);

impl Builder<'_> {
    fn add_factor(&mut self, variables: Vec<VarId>, table: FactorTable, normalised: bool) {
        self.graph.factors.push(Factor {
            variables,
            table,
            normalised,
        });
    }

    pub(super) fn add_function(&mut self, variables: Vec<VarId>, index: Vec<u32>) {
        let normalised = index.iter().all(|&v| v != FactorTable::NO_VALUE);
        self.add_factor(variables, FactorTable::Function { index }, normalised);
    }

    fn add_dense(&mut self, variables: Vec<VarId>, weights: Weights) {
        self.add_factor(variables, FactorTable::Dense(weights), false);
    }

    pub(super) fn add_factors(&mut self, position: usize) -> Result<(), ModelError> {
        let expansion = self.expansion;
        let expanded = &expansion.elements()[position];
        if self.doubted == Some(position) {
            self.doubt(position);
            return Ok(());
        }
        match &expanded.content {
            Content::Fixed => {
                let certain = Weights::from_linear(vec![1.0]);
                self.rows(position, |_| Some((&certain, 0)));
            }
            Content::Atomic(weights) => self.rows(position, |_| Some((weights, 0))),
            Content::Table(weights) => {
                let columns = expanded.support.len();
                self.rows(position, |row| Some((weights, row * columns)));
            }
            Content::Apply(index) => self.function(position, &expanded.parents, index),
            Content::Score(weights) => {
                let identity = self.positions_in(expanded.parents[0], expanded);
                self.function(position, &expanded.parents, &identity);
                self.unary(position, weights);
            }
            Content::Chain { choice, results } => self.chain(position, choice, results),
            Content::Endless(_) => expanded.require_finite()?,
        }
        if let Some(weights) = &expanded.weights {
            self.unary(position, weights);
        }
        Ok(())
    }

    /// A weight for each value of an element, one where it is absent.
    fn unary(&mut self, position: usize, weights: &Weights) {
        let mut all = WeightsBuilder::default();
        all.extend(weights, 0..weights.len());
        if self.may_be_absent(position) {
            all.push(1.0);
        }
        self.add_dense(vec![self.variable(position)], all.build());
    }

    /// The element as a function of some others: itself a number for each combination of their values.
    fn function(&mut self, position: usize, parents: &[usize], index: &[u32]) {
        let absent = self.expansion.elements()[position].support.len() as u32;
        let variable = self.variable(position);
        self.number(position, parents, variable, index, absent);
    }

    /// A variable as a function of the situation of an element.
    fn number(
        &mut self,
        position: usize,
        parents: &[usize],
        variable: VarId,
        index: &[u32],
        absent: u32,
    ) {
        let mut scope = self.scope(position, parents);
        let mut entries = Vec::new();
        loop {
            entries.push(match self.situation(position, parents, &scope) {
                Situation::Reached(combination) => index[combination],
                Situation::Absent => absent,
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

    /// The element as a random value, with a row of weights for each combination of its parents' values.
    fn rows<'w>(&mut self, position: usize, row: impl Fn(usize) -> Option<Row<'w>>) {
        let expanded = &self.expansion.elements()[position];
        let columns = expanded.support.len();
        let may_be_absent = self.may_be_absent(position);
        let mut scope = self.scope(position, &expanded.parents);
        let mut weights = WeightsBuilder::default();
        loop {
            let situation = self.situation(position, &expanded.parents, &scope);
            let found = match situation {
                Situation::Reached(combination) => row(combination),
                Situation::Absent | Situation::Never => None,
            };
            match found {
                Some((row, start)) => weights.extend(row, start..start + columns),
                None => weights.repeat(0.0, columns),
            }
            if may_be_absent {
                let absent = matches!(situation, Situation::Absent);
                weights.push(f64::from(u8::from(absent)));
            }
            if !scope.advance() {
                break;
            }
        }
        let normalised = !expanded.restricted && expanded.doubt.is_none() && !may_be_absent;
        let mut variables = scope.variables;
        variables.push(self.variable(position));
        self.add_factor(variables, FactorTable::Dense(weights.build()), normalised);
    }

    /// For each value of an element its position in another's support, if it is there.
    fn positions_in(&self, from: usize, to: &ExpandedElement) -> Vec<u32> {
        let from = &self.expansion.elements()[from].support;
        let find = |i| to.support.index_of(from.any(i));
        (0..from.len())
            .map(|i| find(i).map_or(FactorTable::NO_VALUE, |v| v as u32))
            .collect()
    }

    /// The probabilities that a row of a Chain gives each of the Chain's values.
    fn row_weights(&self, result: usize, chain: &ExpandedElement) -> Weights {
        let row = &self.expansion.elements()[result];
        if let (Content::Endless(_), Kind::Atomic(op)) = (&row.content, row.element.kind()) {
            let logs = (0..chain.support.len()).map(|i| op.log_prob(chain.support.any(i)));
            return Weights::from_logs(logs.collect());
        }
        let cells: Vec<Option<usize>> = (0..chain.support.len())
            .map(|i| row.support.index_of(chain.support.any(i)))
            .collect();
        match &row.content {
            Content::Atomic(weights) => weights.gather(&cells),
            _ => Weights::from_linear(vec![1.0]).gather(&cells),
        }
    }

    /// Gives a Chain with results other than rows of its own a variable to read its choice from.
    pub(super) fn add_selector(&mut self, position: usize) {
        let expanded = &self.expansion.elements()[position];
        let Content::Chain { choice, results } = &expanded.content else {
            return;
        };
        let single = results.len() == 1 && expanded.doubt.is_none();
        if single || results.iter().all(|&r| self.row_of(r).is_some()) {
            return;
        }
        // A parent whose values each choose another result is the selector itself.
        let itself = expanded.parents.first().copied().filter(|&parent| {
            expanded.parents.len() == 1
                && results.len() == choice.len()
                && expanded.doubt.is_none()
                && self.reached_with(parent, position)
        });
        let selector = if let Some(parent) = itself {
            let mut choices: Vec<_> = choice.iter().map(|&c| Some(c as usize)).collect();
            choices.extend(self.may_be_absent(parent).then_some(None));
            Selector {
                variable: self.variable(parent),
                choices,
            }
        } else {
            let mut choices: Vec<_> = (0..results.len()).map(Some).collect();
            choices.extend(self.may_be_absent(position).then_some(None));
            Selector {
                variable: self.graph.add_variable(choices.len()),
                choices,
            }
        };
        self.selectors.insert(position, selector);
    }

    fn chain(&mut self, position: usize, choice: &[u32], results: &[usize]) {
        let expansion = self.expansion;
        let expanded = &expansion.elements()[position];
        let row = |&result: &usize| {
            self.row_of(result)
                .map(|_| self.row_weights(result, expanded))
        };
        let rows: Vec<Option<Weights>> = results.iter().map(row).collect();
        if rows.iter().all(Option::is_some) {
            self.rows(position, |combination| {
                let chosen = rows.get(choice[combination] as usize)?;
                Some((chosen.as_ref()?, 0))
            });
            return;
        }
        let Some(selector) = self.selectors.get(&position).cloned() else {
            // All combinations choose the same element.
            let index = self.positions_in(results[0], expanded);
            self.function(position, results, &index);
            return;
        };
        let parents = &expanded.parents;
        if !parents
            .iter()
            .any(|&p| self.variable(p) == selector.variable)
        {
            // `NO_CHOICE` is `NO_VALUE`.
            let absent = selector.choices.len() as u32 - 1;
            self.number(position, parents, selector.variable, choice, absent);
        }
        self.selected_rows(position, &selector, &rows);
        for (at, &result) in results.iter().enumerate() {
            if rows[at].is_none() {
                self.selected_result(position, &selector, at, result);
            }
        }
    }

    /// The rows of the choices that are rows of the Chain's own; any value for the other choices.
    fn selected_rows(&mut self, position: usize, selector: &Selector, rows: &[Option<Weights>]) {
        let columns = self.expansion.elements()[position].support.len();
        let may_be_absent = self.may_be_absent(position);
        if !may_be_absent && rows.iter().all(Option::is_none) {
            return;
        }
        let mut weights = WeightsBuilder::default();
        for choice in &selector.choices {
            match choice.map(|c| &rows[c]) {
                Some(Some(row)) => weights.extend(row, 0..columns),
                Some(None) => weights.repeat(1.0, columns),
                None => weights.repeat(0.0, columns),
            }
            if may_be_absent {
                weights.push(f64::from(u8::from(choice.is_none())));
            }
        }
        let variables = vec![selector.variable, self.variable(position)];
        self.add_dense(variables, weights.build());
    }

    /// Where the choice is this result the Chain has its value; elsewhere the result does not matter.
    fn selected_result(&mut self, position: usize, selector: &Selector, at: usize, result: usize) {
        let expanded = &self.expansion.elements()[position];
        let moved = self.positions_in(result, expanded);
        let listed = [
            selector.variable,
            self.variable(result),
            self.variable(position),
        ];
        let mut scope = Scope::new(&self.graph, &listed);
        let mut linear = Vec::new();
        loop {
            let chosen = selector.choices[scope.digit(0)] == Some(at);
            let image = moved.get(scope.digit(1)).copied();
            let agrees = !chosen || image == Some(scope.digit(2) as u32);
            linear.push(f64::from(u8::from(agrees)));
            if !scope.advance() {
                break;
            }
        }
        self.add_dense(scope.variables, Weights::from_linear(linear));
    }

    /// The worlds that reach an element with parent values for which its function failed, whatever its value.
    fn doubt(&mut self, position: usize) {
        let expanded = &self.expansion.elements()[position];
        let mut scope = self.scope(position, &expanded.parents);
        let mut failed = Vec::new();
        loop {
            let fails = match self.situation(position, &expanded.parents, &scope) {
                Situation::Reached(at) => expanded.doubt.as_ref().is_some_and(|d| d.failed[at]),
                Situation::Absent | Situation::Never => false,
            };
            failed.push(f64::from(u8::from(fails)));
            if !scope.advance() {
                break;
            }
        }
        self.add_dense(scope.variables, Weights::from_linear(failed));
        let mut any = vec![1.0; expanded.support.len()];
        any.extend(self.may_be_absent(position).then_some(0.0));
        self.add_dense(vec![self.variable(position)], Weights::from_linear(any));
    }
}
