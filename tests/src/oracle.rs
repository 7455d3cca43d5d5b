//! Slow and simple reference answers for the inference engines.

use figrs_core::factor::{Factor, FactorGraph, FactorTable};
use figrs_core::{AnyElement, Datum, Model, ModelError};
use figrs_lower::{Choice, Chooser, Observations, Program};

/// A sum of numbers that are given by their natural logarithms.
#[derive(Clone, Copy, Debug)]
pub struct LogSum {
    largest: f64,
    sum: f64,
}

impl Default for LogSum {
    fn default() -> Self {
        Self {
            largest: f64::NEG_INFINITY,
            sum: 0.0,
        }
    }
}

impl LogSum {
    /// Adds a number, given by its logarithm.
    pub fn add(&mut self, log: f64) {
        if log == f64::NEG_INFINITY {
            return;
        }
        if log > self.largest {
            self.sum *= (self.largest - log).exp();
            self.largest = log;
        }
        self.sum += (log - self.largest).exp();
    }

    /// Returns the logarithm of the sum.
    pub fn value(&self) -> f64 {
        self.largest + self.sum.ln()
    }
}

/// Enumerates every sequence of random choices of a program once.
#[derive(Debug, Default)]
pub struct EveryChoice {
    path: Vec<(Vec<(Datum, f64)>, usize)>,
    made: usize,
    log: f64,
}

impl EveryChoice {
    /// Returns the logarithm of the probability of the choices of this run.
    pub fn log_probability(&self) -> f64 {
        self.log
    }

    /// Returns one of several outcomes, which are given with the logarithms of their probabilities.
    pub fn decide(&mut self, outcomes: impl FnOnce() -> Vec<(Datum, f64)>) -> Datum {
        if self.made == self.path.len() {
            self.path.push((outcomes(), 0));
        }
        let (outcomes, taken) = &self.path[self.made];
        let (value, log) = &outcomes[*taken];
        self.made += 1;
        self.log += log;
        value.clone()
    }

    /// Moves on to the next run; returns false if there is none.
    pub fn next_run(&mut self) -> bool {
        self.path.truncate(self.made);
        self.made = 0;
        self.log = 0.0;
        while let Some((outcomes, taken)) = self.path.last_mut() {
            *taken += 1;
            if *taken < outcomes.len() {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

impl Chooser for EveryChoice {
    fn choose(&mut self, _: &AnyElement, choice: Choice<'_>) -> Result<Datum, ModelError> {
        Ok(self.decide(|| {
            let outcomes = choice.outcomes().expect("random models do not fail");
            let outcomes = outcomes.expect("random models are finite").into_iter();
            let log = |value: &Datum| choice.log_prob(value.as_any()).expect("a number");
            let mut outcomes: Vec<(Datum, f64)> = outcomes
                .map(|(value, _)| (value.clone(), log(&value)))
                .collect();
            outcomes.retain(|&(_, log)| log > f64::NEG_INFINITY);
            outcomes
        }))
    }
}

/// Calls `visit` with every run of the program that a sampler could make and that has positive weight, together with the logarithms of the run's
/// probability and weight. Returns whether there were at most `limit` runs.
pub fn every_run(
    model: &Model,
    targets: &[AnyElement],
    observations: Observations,
    limit: usize,
    mut visit: impl FnMut(&Program, f64, f64),
) -> Result<bool, ModelError> {
    let mut program = Program::new(model, targets, 1_000_000)?;
    let mut choices = EveryChoice::default();
    for _ in 0..limit {
        let weight = program.run(&mut choices, observations)?;
        if !weight.is_zero() {
            visit(&program, choices.log, weight.log);
        }
        if !choices.next_run() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn log_entry(graph: &FactorGraph, factor: &Factor, values: &[u32]) -> f64 {
    let cell = |n: usize| {
        factor.variables[..n].iter().fold(0, |cell, &v| {
            cell * graph.cardinality(v) + values[v.index()] as usize
        })
    };
    let arity = factor.variables.len();
    match &factor.table {
        FactorTable::Dense(weights) => weights.log(cell(arity)),
        FactorTable::Sparse { rows, weights } => {
            let row: Vec<u32> = factor.variables.iter().map(|v| values[v.index()]).collect();
            let found = rows.chunks(arity).position(|r| r == row);
            found.map_or(f64::NEG_INFINITY, |i| weights.log(i))
        }
        FactorTable::Function { index } => {
            let agrees = index[cell(arity - 1)] == values[factor.variables[arity - 1].index()];
            if agrees { 0.0 } else { f64::NEG_INFINITY }
        }
    }
}

/// All assignments of positive weight, by depth-first search.
struct Search<'g> {
    graph: &'g FactorGraph,
    /// The variables, each of them where possible after the variables on which it depends.
    order: Vec<usize>,
    /// For each position in the order, the factors whose last variable is there.
    complete: Vec<Vec<&'g Factor>>,
    values: Vec<u32>,
    left: usize,
}

impl<'g> Search<'g> {
    fn new(graph: &'g FactorGraph, limit: usize) -> Self {
        let count = graph.cardinalities.len();
        let mut order: Vec<usize> = Vec::with_capacity(count);
        let mut place = vec![usize::MAX; count];
        let mut complete = Vec::with_capacity(count);
        let mut open: Vec<&Factor> = graph.factors.iter().collect();
        while order.len() < count {
            let ready = |factor: &&&Factor| {
                let (last, rest) = factor
                    .variables
                    .split_last()
                    .expect("a factor has variables");
                place[last.index()] == usize::MAX
                    && rest.iter().all(|v| place[v.index()] != usize::MAX)
            };
            let function = |factor: &&&Factor| matches!(factor.table, FactorTable::Function { .. });
            let candidates = || open.iter().filter(ready);
            let next = candidates().find(function).or_else(|| candidates().next());
            let next = next.map_or_else(
                || {
                    place
                        .iter()
                        .position(|&p| p == usize::MAX)
                        .expect("one is left")
                },
                |factor| factor.variables[factor.variables.len() - 1].index(),
            );
            place[next] = order.len();
            order.push(next);
            let (now, later) = open
                .into_iter()
                .partition(|f| f.variables.iter().all(|v| place[v.index()] != usize::MAX));
            complete.push(now);
            open = later;
        }
        Self {
            graph,
            order,
            complete,
            values: vec![0; count],
            left: limit,
        }
    }

    fn from(&mut self, place: usize, log: f64, visit: &mut impl FnMut(&[u32], f64)) -> bool {
        if place == self.order.len() {
            visit(&self.values, log);
            return true;
        }
        let variable = self.order[place];
        for value in 0..self.graph.cardinalities[variable] {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            self.values[variable] = value;
            let factors = self.complete[place].iter();
            let more: f64 = factors
                .map(|f| log_entry(self.graph, f, &self.values))
                .sum();
            if more > f64::NEG_INFINITY && !self.from(place + 1, log + more, visit) {
                return false;
            }
        }
        true
    }
}

/// Calls `visit` with every assignment of positive weight and the logarithm of its weight. Returns whether the search took at most `limit` steps.
pub fn every_assignment(
    graph: &FactorGraph,
    limit: usize,
    mut visit: impl FnMut(&[u32], f64),
) -> bool {
    Search::new(graph, limit).from(0, 0.0, &mut visit)
}

/// True if two numbers, often logarithms, are the same up to rounding; infinities equal themselves.
pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}
