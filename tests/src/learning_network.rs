//! Random networks with learned parameters, and rounds of expectation-maximisation by enumeration of all worlds.

use figrs::prelude::*;
use figrs::rand::{Rng, RngExt};
use figrs::{Cases, ExpectationMaximization, ExpectedCounts, Fit, Learned};

/// A row of data with its weight: for each variable its state, or `None` if the state is missing.
pub type NetworkRow = (f64, Vec<Option<usize>>);

/// A fit, the elements of the parameters, and the fitted values of the parameters.
pub type NetworkFit = (Fit, Vec<Element<Vec<f64>>>, Vec<Vec<f64>>);

/// A network whose rows of probabilities are constants or learned parameters; several rows may share a parameter.
#[derive(Clone, Debug)]
pub struct LearningNetwork {
    /// Number of states of each variable.
    pub states: Vec<usize>,
    /// For each variable, the earlier variables on which it depends.
    pub parents: Vec<Vec<usize>>,
    /// For each variable and each combination of its parents' states, the row of probabilities: a learned parameter or constants.
    pub rows: Vec<Vec<ProbabilityRow>>,
    /// For each parameter, its prior concentrations and its start value.
    pub parameters: Vec<(Vec<f64>, Vec<f64>)>,
}

/// The probabilities of a variable's states for one combination of its parents' states.
#[derive(Clone, Debug)]
pub enum ProbabilityRow {
    /// The probabilities are the learned parameter with this index.
    Learned(usize),
    /// The probabilities are these constants.
    Constant(Vec<f64>),
}

fn simplex(n: usize, rng: &mut impl Rng) -> Vec<f64> {
    let numbers: Vec<f64> = (0..n).map(|_| rng.random_range(0.1..1.0)).collect();
    let sum: f64 = numbers.iter().sum();
    numbers.iter().map(|x| x / sum).collect()
}

impl LearningNetwork {
    /// Creates a random network of three to five variables with up to two parents each.
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

    /// Returns the row of probabilities of a variable in a world.
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

    /// Returns the log-likelihood at these parameter values, and the parameter values after a round of expectation-maximisation.
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

    /// As [`round`](Self::round), but each row of data counts as its most probable completion, the first one if several are equal. The parameters are
    /// `None` if completions with equal probabilities give different counts.
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

    /// Returns the probability of each world together with a row of data.
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

    /// Builds the elements of the variables and those of the parameters.
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

    /// Fits the network by an algorithm from the start values; returns the fit, the parameters, and their values.
    ///
    /// # Panics
    ///
    /// Panics if the fit fails.
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

    /// Returns, for each parameter, `true` if some row of the network takes it.
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

/// Draws some rows of data; a third of their cells are missing.
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
