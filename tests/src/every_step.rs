//! The exact transition matrix of a Metropolis-Hastings kernel, by enumerating every decision of a step.

use std::collections::HashMap;

use figrs_core::{AnyElement, Datum, ElementId, Model, ModelError};
use figrs_infer::Error;
use figrs_infer::internals::{AcceptanceTerms, Kernel, Proposals, StepDecisions};
use figrs_lower::internals::Trace;
use figrs_lower::{Choice, Chooser};

use crate::oracle::LogSum;

/// A possible outcome of a decision: the drawn value if the decision is a draw, and the probability of the outcome.
type Way = (Option<Datum>, f64);

/// Enumerates every sequence of decisions once, with its probability.
#[derive(Debug, Default)]
struct EveryDecision {
    /// The possible outcomes of each decision with their probabilities, and the index of the outcome taken.
    path: Vec<(Vec<Way>, usize)>,
    made: usize,
    probability: f64,
}

impl EveryDecision {
    fn new() -> Self {
        Self {
            probability: 1.0,
            ..Self::default()
        }
    }

    fn next(&mut self) -> bool {
        self.path.truncate(self.made);
        self.made = 0;
        self.probability = 1.0;
        while let Some((ways, taken)) = self.path.last_mut() {
            *taken += 1;
            if *taken < ways.len() {
                return true;
            }
            self.path.pop();
        }
        false
    }

    fn decide(
        &mut self,
        ways: impl FnOnce() -> Vec<(Option<Datum>, f64)>,
    ) -> (Option<Datum>, usize) {
        if self.made == self.path.len() {
            self.path.push((ways(), 0));
        }
        let (ways, taken) = &self.path[self.made];
        self.made += 1;
        self.probability *= ways[*taken].1;
        (ways[*taken].0.clone(), *taken)
    }
}

/// Returns the possible values of a finite choice with their probabilities.
fn outcomes(choice: Choice<'_>) -> Vec<(Option<Datum>, f64)> {
    let outcomes = choice.outcomes().expect("random models do not fail");
    let outcomes = outcomes.expect("random models are finite").into_iter();
    let way = |(value, _): (Datum, _)| {
        let log = choice.log_prob(value.as_any()).expect("a number");
        // A value whose probability underflows `f64` is still a possible outcome.
        (log > f64::NEG_INFINITY).then(|| (Some(value), log.exp()))
    };
    outcomes.filter_map(way).collect()
}

impl Chooser for EveryDecision {
    fn choose(&mut self, _: &AnyElement, choice: Choice<'_>) -> Result<Datum, ModelError> {
        let (value, _) = self.decide(|| outcomes(choice));
        Ok(value.expect("a draw has a value"))
    }
}

impl StepDecisions for EveryDecision {
    fn uniform_index(&mut self, count: usize) -> usize {
        self.decide(|| vec![(None, 1.0 / count as f64); count]).1
    }

    fn bernoulli(&mut self, probability: f64) -> bool {
        let ways = [(None, probability), (None, 1.0 - probability)];
        let sure = probability >= 1.0 || probability <= 0.0;
        if sure {
            return probability >= 1.0;
        }
        self.decide(|| ways.to_vec()).1 == 0
    }

    fn normal(&mut self) -> f64 {
        if self.bernoulli(0.5) { 1.0 } else { -1.0 }
    }
}

/// A chooser that repeats draws that were made before.
struct Script<'a>(std::slice::Iter<'a, Datum>);

impl Chooser for Script<'_> {
    fn choose(&mut self, _: &AnyElement, _: Choice<'_>) -> Result<Datum, ModelError> {
        Ok(self.0.next().expect("as many draws as before").clone())
    }
}

/// The free choices of a world, each with its index and value.
type Choices = Vec<(usize, Datum)>;

/// A world of positive weight, evaluated from scratch.
#[derive(Debug)]
struct State {
    draws: Vec<Datum>,
    log_weight: f64,
    targets: Vec<Datum>,
    world: Vec<(ElementId, Datum)>,
}

/// All worlds of a model, with the trace on which steps run.
#[derive(Debug)]
pub struct Worlds {
    trace: Trace,
    states: Vec<State>,
    numbers: HashMap<Choices, usize>,
    /// The probability of each world given the evidence.
    pub posterior: Vec<f64>,
}

fn choices(trace: &Trace) -> Choices {
    let mut choices: Choices = (0..trace.choices())
        .map(|i| {
            let site = trace.choice(i);
            let value = trace.value(site).expect("a choice has a value");
            (site.number(), value)
        })
        .collect();
    choices.sort_by_key(|(number, _)| *number);
    choices
}

fn world(trace: &Trace) -> Vec<(ElementId, Datum)> {
    let mut world: Vec<_> = trace.world().map(|(e, v)| (e.id(), v)).collect();
    world.sort_by_key(|(id, _)| *id);
    world
}

impl Worlds {
    /// Returns all worlds; `None` if there are no worlds, more than `limit` worlds, or weights with different numbers of densities.
    ///
    /// # Panics
    ///
    /// Panics if a restart makes a decision other than a draw.
    pub fn new(model: &Model, targets: &[AnyElement], limit: usize) -> Result<Option<Self>, Error> {
        let mut trace = Trace::new(model, targets, 1_000_000)?;
        let mut decisions = EveryDecision::new();
        let (mut states, mut numbers) = (Vec::<State>::new(), HashMap::new());
        for run in 0.. {
            if run == 20 * limit || states.len() > limit {
                return Ok(None);
            }
            if trace.restart(&mut decisions)? {
                let drawn = decisions.path[..decisions.made].iter();
                let state = State {
                    draws: drawn
                        .map(|(ways, taken)| ways[*taken].0.clone().expect("a draw"))
                        .collect(),
                    log_weight: trace.log_weight(),
                    targets: (0..targets.len())
                        .map(|i| trace.target(i).expect("in every world"))
                        .collect(),
                    world: world(&trace),
                };
                // Two runs with the same world may differ in draws that no part of the world uses.
                let known = *numbers.entry(choices(&trace)).or_insert(states.len());
                if known == states.len() {
                    states.push(state);
                } else {
                    assert_eq!(states[known].world, state.world, "choices decide the world");
                }
            }
            if !decisions.next() {
                break;
            }
        }
        if states.is_empty() {
            return Ok(None);
        }
        let mut total = LogSum::default();
        for state in &states {
            total.add(state.log_weight);
        }
        let posterior = states
            .iter()
            .map(|state| (state.log_weight - total.value()).exp());
        Ok(Some(Self {
            posterior: posterior.collect(),
            trace,
            states,
            numbers,
        }))
    }

    /// Returns the number of worlds.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// True if there are no worlds.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Returns the value of a target in a world.
    pub fn target(&self, world: usize, position: usize) -> &Datum {
        &self.states[world].targets[position]
    }

    fn enter(&mut self, state: usize) -> Result<(), Error> {
        let mut script = Script(self.states[state].draws.iter());
        self.trace.restart(&mut script)?;
        Ok(())
    }

    /// Returns the index of the world that the trace holds, and checks that it equals the world evaluated from scratch.
    fn present(&self) -> usize {
        let number = self.numbers.get(&choices(&self.trace));
        let number = *number.expect("a step leads to a world of positive weight");
        let state = &self.states[number];
        assert_eq!(
            state.world,
            world(&self.trace),
            "the world of these choices"
        );
        let (now, before) = (self.trace.log_weight(), state.log_weight);
        assert!((now - before).abs() < 1e-9, "{now} was {before}");
        number
    }

    /// Returns the transition matrix: the probability that a step leads from each world to each world. Returns `None` if a step has more than `limit`
    /// sequences of decisions.
    pub fn matrix(
        &mut self,
        proposals: &Proposals,
        log_acceptance: fn(&AcceptanceTerms) -> f64,
        limit: usize,
    ) -> Result<Option<Vec<Vec<f64>>>, Error> {
        let mut kernel = Kernel::new(proposals.clone());
        self.matrix_of(&mut kernel, log_acceptance, limit)
    }

    /// Returns a kernel that has adapted to a number of random steps.
    pub fn adapted(
        &mut self,
        proposals: &Proposals,
        decisions: &mut impl StepDecisions,
        steps: usize,
    ) -> Result<Kernel, Error> {
        let mut kernel = Kernel::new(proposals.clone());
        kernel.adapt(true);
        self.enter(0)?;
        for _ in 0..steps {
            kernel.step(&mut self.trace, decisions, AcceptanceTerms::log_acceptance)?;
        }
        kernel.adapt(false);
        Ok(kernel)
    }

    /// As [`matrix`](Self::matrix), for a kernel that does not adapt.
    pub fn matrix_of(
        &mut self,
        kernel: &mut Kernel,
        log_acceptance: fn(&AcceptanceTerms) -> f64,
        limit: usize,
    ) -> Result<Option<Vec<Vec<f64>>>, Error> {
        let mut rows = Vec::new();
        for from in 0..self.len() {
            let mut row = vec![0.0; self.len()];
            let mut decisions = EveryDecision::new();
            for run in 0.. {
                if run == limit {
                    return Ok(None);
                }
                self.enter(from)?;
                kernel.step(&mut self.trace, &mut decisions, log_acceptance)?;
                row[self.present()] += decisions.probability;
                if !decisions.next() {
                    break;
                }
            }
            rows.push(row);
        }
        Ok(Some(rows))
    }

    /// Makes random steps, in which proposals are accepted with probability one half by chance alone, and checks each world as a whole.
    ///
    /// # Panics
    ///
    /// Panics if a proposal that is not accepted changes the world.
    pub fn walk(
        &mut self,
        proposals: &Proposals,
        decisions: &mut impl StepDecisions,
        steps: usize,
    ) -> Result<(), Error> {
        let mut kernel = Kernel::new(proposals.clone());
        self.enter(0)?;
        for _ in 0..steps {
            let before = self.present();
            let half = |_: &AcceptanceTerms| -std::f64::consts::LN_2;
            let step = kernel.step(&mut self.trace, decisions, half)?;
            let after = self.present();
            assert!(step.accepted || before == after);
        }
        Ok(())
    }
}

/// Returns the largest change of a world's probability by one step from the posterior.
pub fn drift(posterior: &[f64], matrix: &[Vec<f64>]) -> f64 {
    let after = |to: usize| -> f64 {
        let from = posterior.iter().zip(matrix);
        from.map(|(p, row)| p * row[to]).sum()
    };
    let changes = posterior
        .iter()
        .enumerate()
        .map(|(i, p)| (after(i) - p).abs());
    changes.fold(0.0, f64::max)
}

/// True if every world can be reached from every other one.
pub fn is_irreducible(matrix: &[Vec<f64>]) -> bool {
    let reached = |edge: &dyn Fn(usize, usize) -> f64| {
        let mut seen = vec![false; matrix.len()];
        let mut open = vec![0];
        while let Some(from) = open.pop() {
            if !std::mem::replace(&mut seen[from], true) {
                open.extend((0..matrix.len()).filter(|&to| edge(from, to) > 0.0));
            }
        }
        seen.into_iter().all(|seen| seen)
    };
    reached(&|from, to| matrix[from][to]) && reached(&|from, to| matrix[to][from])
}
