//! `Multinomial`: the multinomial distribution, of the counts of each category in independent trials.

use std::iter;
use std::ops::Range;
use std::panic::Location;

use rand::Rng;
use rand::distr::Distribution as _;
use statrs::distribution::Binomial as Statrs;

use super::distribution::{Family, Outcomes, WrongParameter};
use super::family::debug_name;
use super::likelihood::Likelihood;
use super::param::Number;
use super::saddle_point::ln_binomial;
use crate::element::{Element, Parameter, family_of};
use crate::value::integer::Integer;
use crate::value::vector::Vector;

/// Builds the list of the counts of all categories in independent trials.
#[derive(Debug)]
pub struct Multinomial;

impl Multinomial {
    /// Creates the list of the counts of all categories in `trials` trials; each trial has one category, with a probability proportional to the
    /// category's weight.
    ///
    /// The support of the multinomial distribution consists of the lists that have one count for each weight and sum to the number of trials n, which
    /// is at most 2²⁴. If the categories have the probabilities pᵢ, the counts have the means n pᵢ, the variances n pᵢ (1 − pᵢ), and the covariances
    /// −n pᵢ pⱼ. The conjugate prior of the weights is a [`Dirichlet`](crate::Dirichlet) distribution. Exact algorithms list all possible lists of
    /// counts if these lists contain together at most 2²² counts. If the possible lists contain more than 2²² counts in total, exact algorithms need
    /// an observation of the multinomial element.
    ///
    /// ```
    /// # use figrs_core::{Dirichlet, Model, Multinomial};
    /// let shares = Dirichlet::new([1.0, 1.0, 1.0]);
    /// let votes = Multinomial::new(100, &shares);
    /// let model = Model::new().observe(&votes, vec![50, 30, 20]);
    /// # drop(model);
    /// ```
    #[track_caller]
    pub fn new(trials: impl Into<Integer>, weights: impl Into<Vector>) -> Element<Vec<u32>> {
        let trials = Parameter::One(trials.into().operand());
        let parameters = iter::once(trials).chain(weights.into().parameters());
        family_of(
            "Multinomial",
            Location::caller(),
            MultinomialDistribution,
            parameters,
        )
    }
}

const MAX_TRIALS: u32 = 1 << 24;

/// Maximum total number of counts in all listed outcomes of a multinomial element.
const MAX_LISTED: f64 = 4_194_304.0;

#[derive(Clone)]
struct MultinomialDistribution;

debug_name!(MultinomialDistribution, "Multinomial");

/// A category of a multinomial distribution: its weight divided by the largest weight, and the sum of the weights of all later categories.
struct Category {
    weight: f64,
    later: f64,
    /// A correction of ln `weight`, which is not zero if the quotient of the weights was too small and was replaced by a positive number.
    ln_lost: f64,
}

impl Category {
    /// Returns the log-probability that `count` of `left` trials have the category `self`, given that each of these trials has this or a later
    /// category.
    fn ln_share(&self, count: f64, left: f64) -> f64 {
        if self.weight == 0.0 {
            return if count == 0.0 { 0.0 } else { f64::NEG_INFINITY };
        }
        if self.later == 0.0 {
            return if count == left {
                count * self.ln_lost
            } else {
                f64::NEG_INFINITY
            };
        }
        let all = self.weight + self.later;
        let log = ln_binomial(count, left - count, self.weight / all, self.later / all);
        log + count * self.ln_lost
    }
}

fn categories(weights: &[f64]) -> Vec<Category> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let mut later = 0.0;
    let category = |&w: &f64| {
        let scaled = w / largest;
        let weight = if w > 0.0 {
            scaled.max(f64::MIN_POSITIVE)
        } else {
            0.0
        };
        let ln_lost = if weight > scaled {
            w.ln() - largest.ln() - weight.ln()
        } else {
            0.0
        };
        let category = Category {
            weight,
            later,
            ln_lost,
        };
        later += weight;
        category
    };
    let mut categories: Vec<Category> = weights.iter().rev().map(category).collect();
    categories.reverse();
    categories
}

/// Returns the number of lists of counts with the sum `trials`, which for k categories is the binomial coefficient of trials + k − 1 over k − 1. If
/// the number of lists exceeds [`MAX_LISTED`], the result is some number above `MAX_LISTED`.
fn outcome_count(trials: f64, categories: usize) -> f64 {
    let mut count = 1.0;
    for i in 1..categories {
        count *= (trials + i as f64) / i as f64;
        if count > MAX_LISTED {
            break;
        }
    }
    count
}

/// Replaces `counts` by the next list of counts with the same sum; the first list has all trials in the first category. Returns `false` if `counts`
/// is the last list of counts with this sum.
fn advance(counts: &mut [u32]) -> bool {
    let Some((last, earlier)) = counts.split_last_mut() else {
        return false;
    };
    let Some(i) = earlier.iter().rposition(|count| *count > 0) else {
        return false;
    };
    let rest = std::mem::take(last);
    counts[i] -= 1;
    counts[i + 1] = rest + 1;
    true
}

impl Family<Vec<u32>> for MultinomialDistribution {
    fn parameters(&self) -> &'static [&'static str] {
        &["number of trials", "weight"]
    }

    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
        let all = |problem: String| Err(WrongParameter::new(WrongParameter::WHOLE, problem));
        let (trials, weights) = (parameters[0], &parameters[1..]);
        if !(trials >= 0.0 && trials.fract() == 0.0 && trials <= f64::from(MAX_TRIALS)) {
            let problem = format!("must be an integer from zero to {MAX_TRIALS}");
            return Err(WrongParameter::new(0, problem));
        }
        for (i, w) in weights.iter().enumerate() {
            if !(*w >= 0.0 && w.is_finite()) {
                let problem = format!("of category {i} must be finite and not negative");
                return Err(WrongParameter::new(i + 1, problem));
            }
        }
        if weights.iter().any(|w| *w > 0.0) {
            Ok(())
        } else {
            let count = weights.len();
            all(format!(
                "there are {count} weights; give at least one positive weight"
            ))
        }
    }

    fn outcomes(&self, parameters: &[Number]) -> Outcomes<Vec<u32>> {
        let numbers: Vec<f64> = parameters.iter().map(Number::get).collect();
        if self.check(&numbers).is_err() {
            return Outcomes::Finite(Vec::new());
        }
        let is_open: Vec<bool> = parameters[1..]
            .iter()
            .map(|weight| !weight.is_structural_zero())
            .collect();
        let open = is_open.iter().filter(|is_open| **is_open).count();
        if outcome_count(numbers[0], open) * is_open.len() as f64 > MAX_LISTED {
            return Outcomes::TooMany;
        }
        let mut outcomes = Vec::new();
        let mut positive = vec![0; open];
        if let Some(first) = positive.first_mut() {
            *first = numbers[0] as u32;
        }
        loop {
            let mut counts = positive.iter().copied();
            let count = |is_open: &bool| match is_open {
                true => counts.next().unwrap_or_default(),
                false => 0,
            };
            let counts: Vec<u32> = is_open.iter().map(count).collect();
            let p = self.log_prob(&numbers, &counts).exp();
            outcomes.push((counts, p));
            if !advance(&mut positive) {
                break;
            }
        }
        Outcomes::Finite(outcomes)
    }

    #[inline]
    fn log_prob(&self, parameters: &[f64], value: &Vec<u32>) -> f64 {
        let (mut left, weights) = (parameters[0], &parameters[1..]);
        let sum: u64 = value.iter().copied().map(u64::from).sum();
        if value.len() != weights.len() || sum as f64 != left {
            return f64::NEG_INFINITY;
        }
        let mut log = 0.0;
        for (category, &count) in categories(weights).iter().zip(value) {
            let count = f64::from(count);
            log += category.ln_share(count, left);
            left -= count;
        }
        log
    }

    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &Vec<u32>,
        likelihood: &mut Likelihood,
    ) {
        // If `open` contains all weights, the weights are one list of probabilities, which sum to one.
        let sum: u64 = value.iter().copied().map(u64::from).sum();
        let is_possible = value.len() + 1 == parameters.len() && sum as f64 == parameters[0];
        if open != (1..parameters.len()) || !is_possible {
            return likelihood.refuse();
        }
        for (position, &count) in value.iter().enumerate() {
            if count > 0 {
                likelihood.add_log_of(position, f64::from(count));
            }
        }
    }

    /// The derivative of the multinomial log-probability with respect to a weight w is count / w − trials / S, where S is the sum of the weights. The
    /// derivative of the log-probability is `None` for impossible counts.
    fn log_prob_derivative(
        &self,
        parameters: &[f64],
        index: usize,
        value: &Vec<u32>,
    ) -> Option<f64> {
        let is_possible = self.log_prob(parameters, value) > f64::NEG_INFINITY;
        let count = f64::from(*value.get(index.checked_sub(1)?)?);
        let part = if count > 0.0 {
            count / parameters[index]
        } else {
            0.0
        };
        let slope = part - parameters[0] / parameters[1..].iter().sum::<f64>();
        (is_possible && slope.is_finite()).then_some(slope)
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> Vec<u32> {
        let mut left = parameters[0].min(f64::from(MAX_TRIALS)) as u32;
        let draw = |category: &Category| {
            let p = category.weight / (category.weight + category.later);
            let drawn: Option<u64> = Statrs::new(p, u64::from(left))
                .ok()
                .map(|binomial| binomial.sample(rng));
            let count = drawn.map_or(0, |count| count as u32);
            left -= count;
            count
        };
        categories(&parameters[1..]).iter().map(draw).collect()
    }
}
