//! The factors of one element.

use super::content::{Content, ExpandedElement};
use super::encoding::{Builder, Guard, Selector};
use crate::error::ModelError;
use crate::factor::{Factor, FactorTable, VarId};
use crate::node::Kind;
use crate::weights::Weights;

/// Iterates over the assignments of some variables, row-major, with absent values told apart.
struct Scope {
    sizes: Vec<usize>,
    digits: Vec<usize>,
}

impl Scope {
    fn advance(&mut self) -> bool {
        for position in (0..self.digits.len()).rev() {
            self.digits[position] += 1;
            if self.digits[position] < self.sizes[position] {
                return true;
            }
            self.digits[position] = 0;
        }
        false
    }
}

/// What an assignment of guard and parents means for an element.
enum Situation {
    /// It is reached, with this combination of parent values.
    Reached(usize),
    /// It is not reached.
    Absent,
    /// No world is like this.
    Never,
}

impl Builder<'_> {
    pub(super) fn add_function(&mut self, variables: Vec<VarId>, index: Vec<u32>) {
        let normalised = index.iter().all(|&v| v != FactorTable::NO_VALUE);
        self.graph.factors.push(Factor {
            variables,
            table: FactorTable::Function { index },
            normalised,
        });
    }

    fn add_dense(&mut self, variables: Vec<VarId>, weights: Weights, normalised: bool) {
        self.graph.factors.push(Factor {
            variables,
            table: FactorTable::Dense(weights),
            normalised,
        });
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
        let absent = self.may_be_absent(position);
        let selector = match expanded.parents[..] {
            [parent]
                if results.len() == choice.len()
                    && expanded.doubt.is_none()
                    && self.reached_with(parent, position) =>
            {
                let mut choices: Vec<_> = choice.iter().map(|&c| Some(c as usize)).collect();
                choices.extend(self.may_be_absent(parent).then_some(None));
                Selector {
                    variable: self.variable(parent),
                    choices,
                }
            }
            _ => {
                let mut choices: Vec<_> = (0..results.len()).map(Some).collect();
                choices.extend(absent.then_some(None));
                Selector {
                    variable: self.graph.add_variable(choices.len()),
                    choices,
                }
            }
        };
        self.selectors.insert(position, selector);
    }

    pub(super) fn add_factors(&mut self, position: usize) -> Result<(), ModelError> {
        let expansion = self.expansion;
        let expanded = &expansion.elements()[position];
        if self.doubted == Some(position) {
            self.add_doubt(position);
            return Ok(());
        }
        match &expanded.content {
            Content::Fixed => self.rows(position, |_| Ok(Weights::from_linear(vec![1.0])))?,
            Content::Atomic(weights) => self.rows(position, |_| Ok(weights.clone()))?,
            Content::Table(weights) => {
                let columns = expanded.support.len();
                self.rows(position, |row| {
                    let cells: Vec<usize> = (row * columns..(row + 1) * columns).collect();
                    Ok(weights.select(&cells))
                })?;
            }
            Content::Apply(index) => self.function(position, index),
            Content::Score(weights) => {
                let identity: Vec<u32> = self.positions_in(expanded.parents[0], expanded);
                self.function(position, &identity);
                self.unary(position, weights);
            }
            Content::Chain { choice, results } => self.chain(position, choice, results)?,
            Content::Endless(_) => expanded.require_finite()?,
        }
        if let Some(weights) = &expanded.weights {
            self.unary(position, weights);
        }
        Ok(())
    }

    /// The worlds that reach an element with parent values for which its function failed, whatever its value.
    fn add_doubt(&mut self, position: usize) {
        let expanded = &self.expansion.elements()[position];
        let parents = expanded.parents.clone();
        let values = expanded.support.len();
        let (guard, variables, mut scope) = self.scope(position, &parents);
        let mut linear = Vec::new();
        loop {
            let failed = match self.situation(position, guard.as_ref(), &parents, &scope) {
                Situation::Reached(combination) => {
                    let doubt = &self.expansion.elements()[position].doubt;
                    doubt
                        .as_ref()
                        .is_some_and(|doubt| doubt.failed[combination])
                }
                Situation::Absent | Situation::Never => false,
            };
            linear.push(f64::from(u8::from(failed)));
            if !scope.advance() {
                break;
            }
        }
        let (distinct, cells) = self.diagonal(&variables);
        let linear = cells.into_iter().map(|cell| linear[cell]).collect();
        self.add_dense(distinct, Weights::from_linear(linear), false);
        let mut any = vec![1.0; values];
        any.extend(self.may_be_absent(position).then_some(0.0));
        self.add_dense(
            vec![self.variable(position)],
            Weights::from_linear(any),
            false,
        );
    }

    /// A weight for each value of an element, one where it is absent.
    fn unary(&mut self, position: usize, weights: &Weights) {
        let variables = vec![self.variable(position)];
        let weights = if self.may_be_absent(position) {
            Weights::concat(&[weights.clone(), Weights::from_linear(vec![1.0])])
        } else {
            weights.clone()
        };
        self.add_dense(variables, weights, false);
    }

    /// The variables that decide about an element: a guard where no parent tells whether it is reached, and its parents.
    fn scope(&mut self, position: usize, parents: &[usize]) -> (Option<Guard>, Vec<VarId>, Scope) {
        let told = parents
            .iter()
            .any(|&p| self.may_be_absent(p) && self.reached_with(p, position));
        let guard = if told { None } else { self.guard(position) };
        let mut variables: Vec<VarId> = guard.iter().map(|g| g.variable).collect();
        variables.extend(parents.iter().map(|&p| self.variable(p)));
        let sizes: Vec<usize> = variables
            .iter()
            .map(|&v| self.graph.cardinality(v))
            .collect();
        let digits = vec![0; sizes.len()];
        (guard, variables, Scope { sizes, digits })
    }

    fn situation(
        &self,
        position: usize,
        guard: Option<&Guard>,
        parents: &[usize],
        scope: &Scope,
    ) -> Situation {
        let digits = match guard {
            Some(guard) if !guard.reached[scope.digits[0]] => return Situation::Absent,
            Some(_) => &scope.digits[1..],
            None => &scope.digits[..],
        };
        let mut combination = 0;
        let mut never = false;
        for (&digit, &parent) in digits.iter().zip(parents) {
            let values = self.expansion.elements()[parent].support.len();
            if digit < values {
                combination = combination * values + digit;
            } else if guard.is_none() && self.reached_with(parent, position) {
                return Situation::Absent;
            } else {
                never = true;
            }
        }
        if never {
            Situation::Never
        } else {
            Situation::Reached(combination)
        }
    }

    /// The element as a function of its parents.
    fn function(&mut self, position: usize, index: &[u32]) {
        let parents = self.expansion.elements()[position].parents.clone();
        self.function_of(position, &parents, index);
    }

    fn function_of(&mut self, position: usize, parents: &[usize], index: &[u32]) {
        let absent = self.expansion.elements()[position].support.len() as u32;
        let (guard, mut variables, mut scope) = self.scope(position, parents);
        let mut entries = Vec::new();
        loop {
            entries.push(
                match self.situation(position, guard.as_ref(), parents, &scope) {
                    Situation::Reached(combination) => index[combination],
                    Situation::Absent => absent,
                    Situation::Never => FactorTable::NO_VALUE,
                },
            );
            if !scope.advance() {
                break;
            }
        }
        variables.push(self.variable(position));
        self.add_function_merged(variables, entries);
    }

    /// A function of variables among which one may stand twice.
    fn add_function_merged(&mut self, variables: Vec<VarId>, index: Vec<u32>) {
        let (child, parents) = variables.split_last().expect("a function has a value");
        let (distinct, cells) = self.diagonal(parents);
        let index = cells.into_iter().map(|cell| index[cell]).collect();
        let mut variables = distinct;
        variables.push(*child);
        self.add_function(variables, index);
    }

    /// The distinct variables of a list, and the cells of its table where repeated ones agree.
    fn diagonal(&self, variables: &[VarId]) -> (Vec<VarId>, Vec<usize>) {
        let mut distinct: Vec<VarId> = Vec::with_capacity(variables.len());
        for variable in variables {
            if !distinct.contains(variable) {
                distinct.push(*variable);
            }
        }
        let mut strides = vec![0; distinct.len()];
        let mut stride = 1;
        for variable in variables.iter().rev() {
            let at = distinct
                .iter()
                .position(|v| v == variable)
                .unwrap_or_default();
            strides[at] += stride;
            stride *= self.graph.cardinality(*variable);
        }
        let sizes: Vec<usize> = distinct
            .iter()
            .map(|&v| self.graph.cardinality(v))
            .collect();
        let digits = vec![0; sizes.len()];
        let mut scope = Scope { sizes, digits };
        let mut cells = Vec::new();
        loop {
            cells.push(scope.digits.iter().zip(&strides).map(|(d, s)| d * s).sum());
            if !scope.advance() {
                break;
            }
        }
        (distinct, cells)
    }

    /// The element as a random value with a row of weights for each combination of its parents' values.
    fn rows(
        &mut self,
        position: usize,
        row: impl Fn(usize) -> Result<Weights, ModelError>,
    ) -> Result<(), ModelError> {
        let expanded = &self.expansion.elements()[position];
        let parents = expanded.parents.clone();
        let normalised = !expanded.restricted;
        let columns = expanded.support.len();
        let extra = usize::from(self.may_be_absent(position));
        let (guard, variables, mut scope) = self.scope(position, &parents);
        let absent = |reached: Option<Weights>| {
            let absent = f64::from(u8::from(reached.is_none()));
            let reached = reached.unwrap_or_else(|| Weights::from_linear(vec![0.0; columns]));
            Weights::concat(&[reached, Weights::from_linear(vec![absent; extra])])
        };
        let mut rows = Vec::new();
        loop {
            rows.push(
                match self.situation(position, guard.as_ref(), &parents, &scope) {
                    Situation::Reached(combination) => absent(Some(row(combination)?)),
                    Situation::Absent => absent(None),
                    Situation::Never => Weights::from_linear(vec![0.0; columns + extra]),
                },
            );
            if !scope.advance() {
                break;
            }
        }
        let weights = Weights::concat(&rows);
        let (mut distinct, cells) = self.diagonal(&variables);
        let all = columns + extra;
        let cells: Vec<usize> = cells
            .into_iter()
            .flat_map(|c| c * all..(c + 1) * all)
            .collect();
        let weights = if distinct.len() == variables.len() {
            weights
        } else {
            weights.select(&cells)
        };
        distinct.push(self.variable(position));
        self.add_dense(
            distinct,
            weights,
            normalised && guard.is_none() && extra == 0,
        );
        Ok(())
    }

    /// For each value of an element its position in another's support, if it is there.
    fn positions_in(&self, from: usize, to: &ExpandedElement) -> Vec<u32> {
        let from = &self.expansion.elements()[from].support;
        let find = |i| to.support.index_of(from.any(i));
        (0..from.len())
            .map(|i| find(i).map_or(FactorTable::NO_VALUE, |v| v as u32))
            .collect()
    }

    /// The probabilities that a result of a Chain gives each of the Chain's values.
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

    fn chain(
        &mut self,
        position: usize,
        choice: &[u32],
        results: &[usize],
    ) -> Result<(), ModelError> {
        let expansion = self.expansion;
        let expanded = &expansion.elements()[position];
        let plain: Vec<Option<Weights>> = results
            .iter()
            .map(|&r| self.row_of(r).map(|_| self.row_weights(r, expanded)))
            .collect();
        if plain.iter().all(Option::is_some) {
            let none = Weights::from_linear(vec![0.0; expanded.support.len()]);
            return self.rows(position, |combination| {
                let weights = plain.get(choice[combination] as usize).cloned().flatten();
                Ok(weights.unwrap_or_else(|| none.clone()))
            });
        }
        if let ([result], None) = (results, &expanded.doubt) {
            let result = *result;
            let index = self.positions_in(result, expanded);
            self.function_of(position, &[result], &index);
            return Ok(());
        }
        let selector = self.selectors[&position].clone();
        if !expanded
            .parents
            .iter()
            .any(|&p| self.variable(p) == selector.variable)
        {
            self.selection(position, &selector, choice);
        }
        self.plain_results(position, &selector, &plain);
        for (at, &result) in results.iter().enumerate() {
            if plain[at].is_none() {
                self.joined_result(position, &selector, at, result);
            }
        }
        Ok(())
    }

    /// The choice of a Chain as a function of its parents.
    fn selection(&mut self, position: usize, selector: &Selector, choice: &[u32]) {
        let parents = self.expansion.elements()[position].parents.clone();
        let (guard, mut variables, mut scope) = self.scope(position, &parents);
        let absent = selector.choices.len() as u32 - 1;
        let mut entries = Vec::new();
        loop {
            entries.push(
                match self.situation(position, guard.as_ref(), &parents, &scope) {
                    Situation::Reached(combination) => choice[combination], // `NO_CHOICE` is `NO_VALUE`
                    Situation::Absent => absent,
                    Situation::Never => FactorTable::NO_VALUE,
                },
            );
            if !scope.advance() {
                break;
            }
        }
        variables.push(selector.variable);
        self.add_function_merged(variables, entries);
    }

    /// The rows of the choices that are plain atomic elements; any value for the other choices.
    fn plain_results(&mut self, position: usize, selector: &Selector, plain: &[Option<Weights>]) {
        let columns = self.expansion.elements()[position].support.len();
        let extra = usize::from(self.may_be_absent(position));
        if extra == 0 && plain.iter().all(Option::is_none) {
            return;
        }
        let rows: Vec<Weights> = selector
            .choices
            .iter()
            .map(|choice| {
                let reached = match choice.map(|c| &plain[c]) {
                    Some(Some(weights)) => weights.clone(),
                    Some(None) => Weights::from_linear(vec![1.0; columns]),
                    None => Weights::from_linear(vec![0.0; columns]),
                };
                let absent = f64::from(u8::from(choice.is_none()));
                Weights::concat(&[reached, Weights::from_linear(vec![absent; extra])])
            })
            .collect();
        let variables = vec![selector.variable, self.variable(position)];
        self.add_dense(variables, Weights::concat(&rows), false);
    }

    /// Where the choice is this result the Chain has its value; elsewhere the result does not matter.
    fn joined_result(&mut self, position: usize, selector: &Selector, at: usize, result: usize) {
        let expanded = &self.expansion.elements()[position];
        let moved = self.positions_in(result, expanded);
        let (own, from) = (self.variable(position), self.variable(result));
        let columns = self.graph.cardinality(own);
        let values = self.graph.cardinality(from);
        let mut linear = Vec::with_capacity(selector.choices.len() * values * columns);
        for choice in &selector.choices {
            for value in 0..values {
                let image = moved.get(value).copied().unwrap_or(FactorTable::NO_VALUE);
                for column in 0..columns {
                    let agrees = *choice != Some(at) || image == column as u32;
                    linear.push(f64::from(u8::from(agrees)));
                }
            }
        }
        let (distinct, cells) = self.diagonal(&[selector.variable, from, own]);
        let linear = cells.into_iter().map(|cell| linear[cell]).collect();
        self.add_dense(distinct, Weights::from_linear(linear), false);
    }
}
