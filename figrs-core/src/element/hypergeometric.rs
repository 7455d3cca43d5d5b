//! `Hypergeometric`: the hypergeometric distribution of the number of marked items in a draw without replacement.

use std::ops::RangeInclusive;
use std::panic::Location;

use rand::{Rng, RngExt};

use super::distribution::{Distribution, Outcomes};
use super::saddle_point::ln_binomial;
use crate::element::{Element, atomic_at};

/// Builds the number of marked items in a sample drawn from a population without replacement.
#[derive(Debug)]
pub struct Hypergeometric;

impl Hypergeometric {
    /// Creates the number of marked items in a sample of `draws` items; the population has `population` items, and `marked` of them are marked.
    #[track_caller]
    pub fn new(population: u32, marked: u32, draws: u32) -> Element<u32> {
        let draw = HypergeometricDistribution {
            population,
            marked,
            draws,
        };
        atomic_at("Hypergeometric", Location::caller(), draw)
    }
}

const MAX_OUTCOMES: u32 = 1 << 24;

#[derive(Debug)]
struct HypergeometricDistribution {
    population: u32,
    marked: u32,
    draws: u32,
}

impl HypergeometricDistribution {
    fn possible(&self) -> RangeInclusive<u32> {
        let unmarked = self.population.saturating_sub(self.marked);
        self.draws.saturating_sub(unmarked)..=self.draws.min(self.marked)
    }

    /// Returns the log-probability of a possible hypergeometric value, computed from binomial log-probabilities (Loader 2000). Loader's formula for
    /// binomial probabilities loses no digits for large populations. The formula holds because hypergeometric draws are independent draws of all
    /// items with the same probability, given the total number of drawn items.
    fn ln_possible(&self, found: u32) -> f64 {
        let [all, marked, draws, found] =
            [self.population, self.marked, self.draws, found].map(f64::from);
        if draws == 0.0 || draws == all {
            return 0.0;
        }
        let (p, q) = (draws / all, (all - draws) / all);
        let (missed, others) = (marked - found, draws - found);
        ln_binomial(found, missed, p, q) + ln_binomial(others, all - marked - others, p, q)
            - ln_binomial(draws, all - draws, p, q)
    }
}

impl Distribution<u32> for HypergeometricDistribution {
    fn check(&self) -> Result<(), String> {
        let Self {
            population,
            marked,
            draws,
        } = self;
        if marked > population || draws > population {
            return Err(format!(
                "{marked} marked items and {draws} draws must not exceed the population of {population}"
            ));
        }
        if *draws > MAX_OUTCOMES {
            return Err(format!(
                "{draws} draws are too many to list; at most {MAX_OUTCOMES}"
            ));
        }
        Ok(())
    }

    fn outcomes(&self) -> Outcomes<u32> {
        let outcome = |k| (k, self.ln_possible(k).exp());
        Outcomes::Finite(self.possible().map(outcome).collect())
    }

    fn log_prob(&self, value: &u32) -> f64 {
        if self.possible().contains(value) {
            self.ln_possible(*value)
        } else {
            f64::NEG_INFINITY
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> u32 {
        let (mut rest, mut marked, mut found) = (self.population, self.marked, 0);
        for _ in 0..self.draws {
            let hit = rng.random_range(0..rest) < marked;
            found += u32::from(hit);
            marked -= u32::from(hit);
            rest -= 1;
        }
        found
    }

    fn describe(&self) -> String {
        format!(
            "Hypergeometric({}, {}, {})",
            self.population, self.marked, self.draws
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_sum_to_one_over_the_possible_draws() {
        let draw = HypergeometricDistribution {
            population: 10,
            marked: 7,
            draws: 6,
        };
        let Outcomes::Finite(outcomes) = draw.outcomes() else {
            panic!("finite")
        };
        assert_eq!(outcomes.first().unwrap().0, 3);
        assert_eq!(outcomes.last().unwrap().0, 6);
        assert!((outcomes.iter().map(|o| o.1).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((draw.log_prob(&4).exp() - 0.5).abs() < 1e-12);
    }

    /// Regression test for lost digits: the probability that neither of two items drawn from 2²⁵ items is marked used to be computed as one.
    #[test]
    fn large_populations_keep_their_digits() {
        let population = 1 << 25;
        let draw = HypergeometricDistribution {
            population,
            marked: 2,
            draws: 2,
        };
        let (n, pairs) = (
            f64::from(population),
            f64::from(population) * f64::from(population - 1),
        );
        for (found, right) in [
            (0, (n - 2.0) * (n - 3.0) / pairs),
            (1, 4.0 * (n - 2.0) / pairs),
            (2, 2.0 / pairs),
        ] {
            let p = draw.log_prob(&found).exp();
            assert!((p / right - 1.0).abs() < 1e-12, "{found}: {p} {right}");
        }
        let half = HypergeometricDistribution {
            population: u32::MAX,
            marked: u32::MAX / 2,
            draws: 1 << 10,
        };
        let Outcomes::Finite(outcomes) = half.outcomes() else {
            panic!("finite")
        };
        assert!((outcomes.iter().map(|o| o.1).sum::<f64>() - 1.0).abs() < 1e-11);
    }
}
