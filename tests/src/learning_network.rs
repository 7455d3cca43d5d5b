//! Random networks with learned parameters, and rounds of expectation-maximisation by enumeration of all worlds.

use figrs::prelude::*;
use figrs::rand::{Rng, RngExt};
use figrs::{Cases, ExpectationMaximization, ExpectedCounts, Fit, Learned};

/// A row of data with its weight: a state for each variable, or none where it is missing.
pub type NetworkRow = (f64, Vec<Option<usize>>);

/// A fit, the parameters, and their values.
pub type NetworkFit = (Fit, Vec<Element<Vec<f64>>>, Vec<Vec<f64>>);

/// A network whose rows of probabilities are learned parameters, shared by some, or constants.
#[derive(Clone, Debug)]
pub struct LearningNetwork {
    /// Number of states of each variable.
    pub states: Vec<usize>,
    /// The earlier variables that each depends on.
    pub parents: Vec<Vec<usize>>,
    /// For each variable the row of each combination of its parents' states: a parameter, or numbers.
    pub rows: Vec<Vec<ProbabilityRow>>,
    /// Concentrations and start of each parameter.
    pub parameters: Vec<(Vec<f64>, Vec<f64>)>,
}

/// The probabilities of one combination of the parents' states.
#[derive(Clone, Debug)]
pub enum ProbabilityRow {
    /// Those of a parameter.
    Learned(usize),
    /// These.
    Constant(Vec<f64>),
}

fn simplex(n: usize, rng: &mut impl Rng) -> Vec<f64> {
    let numbers: Vec<f64> = (0..n).map(|_| rng.random_range(0.1..1.0)).collect();
    let sum: f64 = numbers.iter().sum();
    numbers.iter().map(|x| x / sum).collect()
}

impl LearningNetwork {
    /// Three to five variables with up to two parents each.
    pub fn random(rng: &mut impl Rng) -> Self {
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
                    return ProbabilityRow::Constant(simplex(n, rng));
                }
                let known: Vec<usize> = (0..parameters.len())
                    .filter(|&i| parameters[i].0.len() == n)
                    .collect();
                if let (false, true) = (known.is_empty(), rng.random_bool(0.3)) {
                    return ProbabilityRow::Learned(known[rng.random_range(0..known.len())]);
                }
                let concentrations = (0..n).map(|_| rng.random_range(1.0..3.0)).collect();
                parameters.push((concentrations, simplex(n, rng)));
                ProbabilityRow::Learned(parameters.len() - 1)
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
    fn row(&self, variable: usize, world: &[usize]) -> &ProbabilityRow {
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
    pub fn round(&self, data: &[NetworkRow], at: &[Vec<f64>], map: bool) -> (f64, Vec<Vec<f64>>) {
        let mut counts = self.no_counts();
        let mut log_likelihood = 0.0;
        let worlds = self.worlds();
        for (weight, row) in data {
            let all = self.probabilities(&worlds, row, at);
            let total: f64 = all.iter().sum();
            log_likelihood += weight * total.ln();
            for (world, p) in worlds.iter().zip(all) {
                self.count(world, weight * p / total, &mut counts);
            }
        }
        (log_likelihood, self.maximised(counts, at, map))
    }

    /// As [`round`](Self::round), with the most probable completion of each row, the first of equal ones; `None` for the parameters where
    /// completions are as probable that count otherwise.
    pub fn hard_round(
        &self,
        data: &[NetworkRow],
        at: &[Vec<f64>],
        map: bool,
    ) -> (f64, Option<Vec<Vec<f64>>>) {
        let mut counts = self.no_counts();
        let (mut log_probability, mut is_unique) = (0.0, true);
        let worlds = self.worlds();
        for (weight, row) in data {
            let all = self.probabilities(&worlds, row, at);
            let most = all.iter().copied().fold(0.0, f64::max);
            log_probability += weight * most.ln();
            let mut best = worlds.iter().zip(&all);
            let mut of_best = best.by_ref().filter(|(_, p)| **p >= most * (1.0 - 1e-9));
            let own = |world: &[usize]| {
                let mut own = self.no_counts();
                self.count(world, 1.0, &mut own);
                own
            };
            let Some((first, _)) = of_best.next() else {
                continue;
            };
            is_unique &= of_best.all(|(other, _)| own(other) == own(first));
            self.count(first, *weight, &mut counts);
        }
        let next = self.maximised(counts, at, map);
        (log_probability, is_unique.then_some(next))
    }

    fn no_counts(&self) -> Vec<Vec<f64>> {
        let parameters = self.parameters.iter();
        parameters.map(|(a, _)| vec![0.0; a.len()]).collect()
    }

    /// The probabilities of worlds and a row.
    fn probabilities(
        &self,
        worlds: &[Vec<usize>],
        row: &[Option<usize>],
        at: &[Vec<f64>],
    ) -> Vec<f64> {
        let probability = |world: &Vec<usize>| -> f64 {
            let mut both = row.iter().zip(world);
            let agrees = both.all(|(seen, x)| seen.is_none_or(|seen| seen == *x));
            let each = (0..world.len()).map(|v| match self.row(v, world) {
                ProbabilityRow::Learned(parameter) => at[*parameter][world[v]],
                ProbabilityRow::Constant(numbers) => numbers[world[v]],
            });
            if agrees { each.product() } else { 0.0 }
        };
        worlds.iter().map(probability).collect()
    }

    fn count(&self, world: &[usize], weight: f64, counts: &mut [Vec<f64>]) {
        for (v, &x) in world.iter().enumerate() {
            if let ProbabilityRow::Learned(parameter) = self.row(v, world) {
                counts[*parameter][x] += weight;
            }
        }
    }

    fn maximised(&self, counts: Vec<Vec<f64>>, at: &[Vec<f64>], map: bool) -> Vec<Vec<f64>> {
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
        new.collect()
    }

    /// The elements, and those of the parameters.
    pub fn build(&self) -> (Vec<Element<usize>>, Vec<Element<Vec<f64>>>) {
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
                    ProbabilityRow::Learned(parameter) => Select::by(&learned[*parameter], 0..n),
                    ProbabilityRow::Constant(numbers) => Select::by(numbers.clone(), 0..n),
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

    /// The fit by an algorithm, from the starts, the parameters, and their values.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub fn fit<E: ExpectedCounts>(
        &self,
        mut algorithm: ExpectationMaximization<E>,
        data: &[NetworkRow],
    ) -> NetworkFit {
        let (elements, learned) = self.build();
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
    pub fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.parameters.len()];
        for row in self.rows.iter().flatten() {
            if let ProbabilityRow::Learned(parameter) = row {
                reached[*parameter] = true;
            }
        }
        reached
    }
}

/// Some rows, a third of whose cells are missing.
pub fn data(network: &LearningNetwork, rng: &mut impl Rng) -> Vec<NetworkRow> {
    let mut cell = |&n: &usize| (!rng.random_bool(0.33)).then(|| rng.random_range(0..n));
    let mut rows: Vec<Vec<Option<usize>>> = (0..12)
        .map(|_| network.states.iter().map(&mut cell).collect())
        .collect();
    rows.push(rows[0].clone());
    rows.into_iter()
        .map(|row| (rng.random_range(0.5..2.0), row))
        .collect()
}
