//! Expectation-maximisation on random networks with missing values, against rounds by enumeration of all worlds.

use figrs::prelude::*;
use figrs::rand::{Rng, RngExt};
use figrs::stream;

/// Rounds that are compared.
const ROUNDS: u64 = 4;
/// Probability moved between two values to see whether the likelihood is stationary.
const STEP: f64 = 1e-4;

/// A network whose rows of probabilities are learned parameters, shared by some, or constants.
pub(super) struct Description {
    /// Number of states of each variable.
    states: Vec<usize>,
    /// The earlier variables that each depends on.
    parents: Vec<Vec<usize>>,
    /// For each variable the row of each combination of its parents' states: a parameter, or numbers.
    rows: Vec<Vec<Row>>,
    /// Concentrations and start of each parameter.
    pub(super) parameters: Vec<(Vec<f64>, Vec<f64>)>,
}

enum Row {
    Learned(usize),
    Constant(Vec<f64>),
}

fn simplex(n: usize, rng: &mut impl Rng) -> Vec<f64> {
    let numbers: Vec<f64> = (0..n).map(|_| rng.random_range(0.1..1.0)).collect();
    let sum: f64 = numbers.iter().sum();
    numbers.iter().map(|x| x / sum).collect()
}

impl Description {
    pub(super) fn random(rng: &mut impl Rng) -> Self {
        let count = rng.random_range(3..6);
        let states: Vec<usize> = (0..count).map(|_| rng.random_range(2..4)).collect();
        let mut parameters: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let (mut parents, mut rows) = (Vec::new(), Vec::new());
        for variable in 0..count {
            let mut own: Vec<usize> = (0..variable).filter(|_| rng.random_bool(0.5)).collect();
            own.truncate(2);
            let combinations = own.iter().map(|&p| states[p]).product();
            let n = states[variable];
            let mut row = || {
                if rng.random_bool(0.2) {
                    return Row::Constant(simplex(n, rng));
                }
                let known: Vec<usize> = (0..parameters.len())
                    .filter(|&i| parameters[i].0.len() == n)
                    .collect();
                if let (false, true) = (known.is_empty(), rng.random_bool(0.3)) {
                    return Row::Learned(known[rng.random_range(0..known.len())]);
                }
                let concentrations = (0..n).map(|_| rng.random_range(1.0..3.0)).collect();
                parameters.push((concentrations, simplex(n, rng)));
                Row::Learned(parameters.len() - 1)
            };
            rows.push((0..combinations).map(|_| row()).collect());
            parents.push(own);
        }
        Self {
            states,
            parents,
            rows,
            parameters,
        }
    }

    /// The row of a variable in a world.
    fn row(&self, variable: usize, world: &[usize]) -> &Row {
        let parents = self.parents[variable].iter();
        let at = parents.fold(0, |at, &p| at * self.states[p] + world[p]);
        &self.rows[variable][at]
    }

    fn worlds(&self) -> Vec<Vec<usize>> {
        self.states.iter().fold(vec![Vec::new()], |worlds, &n| {
            let longer = |world: Vec<usize>| (0..n).map(move |x| [&world[..], &[x]].concat());
            worlds.into_iter().flat_map(longer).collect()
        })
    }

    /// The log-likelihood at some parameters, and those after a round.
    pub(super) fn round(
        &self,
        data: &[(f64, Vec<Option<usize>>)],
        at: &[Vec<f64>],
        map: bool,
    ) -> (f64, Vec<Vec<f64>>) {
        let mut counts: Vec<Vec<f64>> = self
            .parameters
            .iter()
            .map(|(a, _)| vec![0.0; a.len()])
            .collect();
        let mut log_likelihood = 0.0;
        let worlds = self.worlds();
        for (weight, row) in data {
            let probability = |world: &Vec<usize>| -> f64 {
                let agrees = row
                    .iter()
                    .zip(world)
                    .all(|(seen, x)| seen.is_none_or(|seen| seen == *x));
                let each = (0..world.len()).map(|v| match self.row(v, world) {
                    Row::Learned(parameter) => at[*parameter][world[v]],
                    Row::Constant(numbers) => numbers[world[v]],
                });
                if agrees { each.product() } else { 0.0 }
            };
            let all: Vec<f64> = worlds.iter().map(probability).collect();
            let total: f64 = all.iter().sum();
            log_likelihood += weight * total.ln();
            for (world, p) in worlds.iter().zip(all) {
                for (v, &x) in world.iter().enumerate() {
                    if let Row::Learned(parameter) = self.row(v, world) {
                        counts[*parameter][x] += weight * p / total;
                    }
                }
            }
        }
        let new = counts.into_iter().enumerate().map(|(i, mut counts)| {
            if map {
                for (count, a) in counts.iter_mut().zip(&self.parameters[i].0) {
                    *count += a - 1.0;
                }
            }
            let sum: f64 = counts.iter().sum();
            if sum > 0.0 {
                counts.iter().map(|c| c / sum).collect()
            } else {
                at[i].clone()
            }
        });
        (log_likelihood, new.collect())
    }

    /// The elements, and those of the parameters.
    fn build(&self) -> (Vec<Element<usize>>, Vec<Element<Vec<f64>>>) {
        let parameter = |(i, (a, _)): (usize, &(Vec<f64>, Vec<f64>))| {
            Learned::dirichlet(format!("p{i}"), a.clone())
        };
        let learned: Vec<_> = self.parameters.iter().enumerate().map(parameter).collect();
        let mut elements: Vec<Element<usize>> = Vec::new();
        for (v, parents) in self.parents.iter().enumerate() {
            let n = self.states[v];
            let rows: Vec<Element<usize>> = self.rows[v]
                .iter()
                .map(|row| match row {
                    Row::Learned(parameter) => Select::by(&learned[*parameter], 0..n),
                    Row::Constant(numbers) => Select::by(numbers.clone(), 0..n),
                })
                .collect();
            let states: Vec<usize> = parents.iter().map(|&p| self.states[p]).collect();
            let parents: Vec<Element<usize>> =
                parents.iter().map(|&p| elements[p].clone()).collect();
            elements.push(if parents.is_empty() {
                rows[0].clone()
            } else {
                parents.flat_map(move |values: Vec<&usize>| {
                    rows[values
                        .iter()
                        .zip(&states)
                        .fold(0, |at, (x, n)| at * n + **x)]
                    .clone()
                })
            });
        }
        (elements, learned)
    }

    /// The fit, the parameters, and their values.
    pub(super) fn fit(
        &self,
        data: &[(f64, Vec<Option<usize>>)],
        rounds: u64,
        map: bool,
    ) -> (Fit, Vec<Element<Vec<f64>>>, Vec<Vec<f64>>) {
        let (elements, learned) = self.build();
        let mut algorithm = ExpectationMaximization::new(JunctionTree::new())
            .rounds(rounds)
            .tolerance(0.0);
        if map {
            algorithm = algorithm.map_estimate();
        }
        let reached = self.reached();
        for (i, (_, start)) in self.parameters.iter().enumerate() {
            if reached[i] {
                algorithm = algorithm.start(&learned[i], start.clone());
            }
        }
        let cases = Cases::new(&elements).weighted_rows(data.iter().cloned());
        let fit = algorithm.fit(&Model::new(), &cases).unwrap();
        let value = |(i, p): (usize, &Element<Vec<f64>>)| {
            if reached[i] {
                fit.value(p).unwrap()
            } else {
                self.parameters[i].1.clone()
            }
        };
        let values = learned.iter().enumerate().map(value).collect();
        (fit, learned, values)
    }

    /// True for the parameters that some row takes.
    pub(super) fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.parameters.len()];
        for row in self.rows.iter().flatten() {
            if let Row::Learned(parameter) = row {
                reached[*parameter] = true;
            }
        }
        reached
    }
}

/// Some rows, a third of whose cells are missing.
pub(super) fn data(
    description: &Description,
    rng: &mut impl Rng,
) -> Vec<(f64, Vec<Option<usize>>)> {
    let mut cell = |&n: &usize| (!rng.random_bool(0.33)).then(|| rng.random_range(0..n));
    let mut rows: Vec<Vec<Option<usize>>> = (0..12)
        .map(|_| description.states.iter().map(&mut cell).collect())
        .collect();
    rows.push(rows[0].clone());
    rows.into_iter()
        .map(|row| (rng.random_range(0.5..2.0), row))
        .collect()
}

#[test]
fn rounds_are_those_by_enumeration() {
    for seed in 0..80 {
        let mut rng = stream(seed, 0);
        let description = Description::random(&mut rng);
        if description.parameters.is_empty() {
            continue;
        }
        let (data, map) = (data(&description, &mut rng), seed % 2 == 0);
        let mut at: Vec<Vec<f64>> = description
            .parameters
            .iter()
            .map(|(_, start)| start.clone())
            .collect();
        let (fit, _, values) = description.fit(&data, ROUNDS, map);
        for round in 0..=fit.rounds() {
            let (log_likelihood, next) = description.round(&data, &at, map);
            let found = fit.log_likelihoods()[round as usize];
            assert!(
                (found - log_likelihood).abs() < 1e-9,
                "seed {seed}, round {round}: {found} {log_likelihood}"
            );
            if round < fit.rounds() {
                at = next;
            }
        }
        for (found, expected) in values.iter().flatten().zip(at.iter().flatten()) {
            assert!(
                (found - expected).abs() < 1e-9,
                "seed {seed}: {values:?} {at:?}"
            );
        }
    }
}

#[test]
fn no_round_lowers_the_likelihood_and_the_end_is_stationary() {
    for seed in 100..130 {
        let mut rng = stream(seed, 0);
        let description = Description::random(&mut rng);
        if description.parameters.is_empty() {
            continue;
        }
        let data = data(&description, &mut rng);
        let (fit, _, values) = description.fit(&data, 100_000, false);
        for pair in fit.log_likelihoods().windows(2) {
            assert!(pair[1] >= pair[0] - 1e-9, "seed {seed}: {pair:?}");
        }
        // Moving probability between two values of a parameter changes the likelihood in second order only.
        let (best, _) = description.round(&data, &values, false);
        for (i, parameter) in values.iter().enumerate() {
            for (from, to) in [(0, 1), (1, 0)] {
                if parameter[from] < 2.0 * STEP {
                    continue;
                }
                let mut moved = values.clone();
                moved[i][from] -= STEP;
                moved[i][to] += STEP;
                let (near, _) = description.round(&data, &moved, false);
                assert!(
                    near <= best + 1e-5,
                    "seed {seed}, parameter {i}: {near} {best}"
                );
            }
        }
    }
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let mut rng = stream(7, 0);
    let description = Description::random(&mut rng);
    let (elements, learned) = description.build();
    let rows: Vec<Vec<Option<usize>>> = (0..500)
        .map(|_| {
            description
                .states
                .iter()
                .map(|&n| rng.random_bool(0.7).then(|| rng.random_range(0..n)))
                .collect()
        })
        .collect();
    let cases = Cases::new(&elements).rows(rows);
    let fit = |threads: usize| {
        let algorithm = ExpectationMaximization::new(JunctionTree::new()).rounds(5);
        let fit = algorithm
            .threads(threads.try_into().unwrap())
            .fit(&Model::new(), &cases)
            .unwrap();
        let values: Vec<Vec<f64>> = learned.iter().filter_map(|p| fit.value(p).ok()).collect();
        (fit.log_likelihoods().to_vec(), values)
    };
    assert_eq!(fit(1), fit(3));
}
