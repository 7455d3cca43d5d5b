//! The factors of one element.

use super::content::{Content, ExpandedElement};
use super::encoding::Builder;
use super::scope::Situation;
use crate::error::ModelError;
use crate::factor::{Factor, FactorTable, VarId};
use crate::weights::{Weights, WeightsBuilder};

/// A row of weights: where it starts in a list of them.
pub(super) type Row<'w> = (&'w Weights, usize);

impl Builder<'_> {
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
    pub(super) fn function(&mut self, position: usize, parents: &[usize], index: &[u32]) {
        let absent = self.expansion.elements()[position].support.len() as u32;
        let variable = self.variable(position);
        self.number(position, parents, variable, index, absent);
    }

    /// A variable as a function of the situation of an element.
    pub(super) fn number(
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
    pub(super) fn rows<'w>(&mut self, position: usize, row: impl Fn(usize) -> Option<Row<'w>>) {
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
    pub(super) fn positions_in(&self, from: usize, to: &ExpandedElement) -> Vec<u32> {
        let from = &self.expansion.elements()[from].support;
        let find = |i| to.support.index_of(from.any(i));
        (0..from.len())
            .map(|i| find(i).map_or(FactorTable::NO_VALUE, |v| v as u32))
            .collect()
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
