//! `Select::by_logits`: the categorical distribution with given logarithms of the weights.

use std::panic::Location;

use rand::Rng;

use super::distribution::{Family, Outcomes, WrongParameter};
use super::moments::times;
use super::param::Number;
use super::select::{Categorical, Select};
use crate::element::{Element, family_of};
use crate::value::Value;
use crate::value::vector::Vector;
use figrs_factor::algebra::log_sum;

impl Select {
    /// Creates an element whose value is one of `values`. The list `logits` contains the logarithm of the weight of each value.
    ///
    /// The probability of a value is proportional to the exponential of its logit. The probabilities do not change if the same number is added to all
    /// logits. A value whose logit is −∞ is impossible. If `values` contains equal values, their weights are added. In a multinomial logistic
    /// regression, logits are linear functions of other elements.
    ///
    /// ```
    /// # use figrs_core::{Constant, Normal, Operand, Select, Variance, Vector};
    /// let slope = Normal::new(0.0, Variance(1.0));
    /// let logits = Vector::from(vec![Operand::from(0.0), Operand::from(&slope * 2.5)]);
    /// let choice = Select::by_logits(logits, ["bus", "car"]);
    /// # drop(choice);
    /// ```
    #[track_caller]
    pub fn by_logits<T: Value>(
        logits: impl Into<Vector>,
        values: impl IntoIterator<Item = T>,
    ) -> Element<T> {
        let family =
            CategoricalByLogits(Categorical::of_open_weights(values.into_iter().collect()));
        let logits = logits.into().parameters();
        family_of("Select", Location::caller(), family, logits)
    }
}

/// The family of categorical distributions of values whose weights are the exponentials of the parameters.
#[derive(Clone, Debug)]
struct CategoricalByLogits<T>(Categorical<T>);

/// Returns the weights whose logarithms are `logits`, scaled so that the largest weight is one.
fn weights(logits: &[f64]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logits.iter().map(|logit| (logit - largest).exp()).collect()
}

impl<T: Value> CategoricalByLogits<T> {
    /// Returns the logarithm of the total probability of the values at those indices for which `is_meant` is true.
    fn ln_share(&self, logits: &[f64], is_meant: impl Fn(usize) -> bool) -> f64 {
        let meant = (0..logits.len().min(self.0.values.len())).filter(|&i| is_meant(i));
        log_sum(meant.map(|i| logits[i])) - log_sum(logits.iter().copied())
    }
}

impl<T: Value> Family<T> for CategoricalByLogits<T> {
    fn parameters(&self) -> &'static [&'static str] {
        &["logit"]
    }

    fn check(&self, logits: &[f64]) -> Result<(), WrongParameter> {
        let all = |problem: String| Err(WrongParameter::new(WrongParameter::WHOLE, problem));
        let (count, values) = (logits.len(), &self.0.values);
        if count != values.len() {
            let values = values.len();
            return all(format!(
                "there are {count} logits for {values} values; give one logit for each value"
            ));
        }
        for (i, (logit, value)) in logits.iter().zip(values).enumerate() {
            if logit.is_nan() || *logit == f64::INFINITY {
                let problem = format!("of {value:?} must be a number below infinity");
                return Err(WrongParameter::new(i, problem));
            }
        }
        if logits.is_empty() {
            all("there are no values to choose from; give at least one".into())
        } else if logits.iter().any(|logit| logit.is_finite()) {
            Ok(())
        } else {
            all(format!("one of the {count} logits must be finite"))
        }
    }

    fn outcomes(&self, logits: &[Number]) -> Outcomes<T> {
        let numbers: Vec<f64> = logits.iter().map(Number::get).collect();
        let all = log_sum(numbers.iter().copied());
        let outcomes = logits.iter().zip(numbers).zip(&self.0.values);
        let is_possible = |logit: &Number| !matches!(logit, Number::Constant(f64::NEG_INFINITY));
        Outcomes::Finite(
            outcomes
                .filter(|((logit, _), _)| is_possible(logit))
                .map(|((_, log), value)| (value.clone(), (log - all).exp()))
                .collect(),
        )
    }

    fn log_prob(&self, logits: &[f64], value: &T) -> f64 {
        self.ln_share(logits, |i| self.0.values[i].same(value))
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.0.is_same_as(&other.0)
    }

    /// Returns the number of occurrences of each distinct value in `values`.
    fn statistics(&self, values: &[T]) -> Option<Vec<f64>> {
        self.0.statistics(values)
    }

    fn log_prob_of_all(&self, logits: &[f64], statistics: &[f64]) -> f64 {
        let all = log_sum(logits.iter().copied());
        let numbers = &self.0.distinct().numbers;
        let mut merged = vec![Vec::new(); statistics.len()];
        for (&number, &logit) in numbers.iter().zip(logits) {
            merged[number as usize].push(logit);
        }
        let term = |(&count, logits): (&f64, &Vec<f64>)| {
            times(count, log_sum(logits.iter().copied()) - all)
        };
        statistics.iter().zip(&merged).map(term).sum()
    }

    /// The derivative of the log-probability is [the value has the index `index`] · P(`index`) / P(value) − P(`index`), where [...] is 1 if the
    /// statement is true, and otherwise 0.
    fn log_prob_derivative(&self, logits: &[f64], index: usize, value: &T) -> Option<f64> {
        let of_value = self.log_prob(logits, value);
        let of_index = self.ln_share(logits, |i| i == index);
        if of_value == f64::NEG_INFINITY {
            // The value has probability zero for all finite logits.
            return Some(0.0);
        }
        let is_same = self.0.values.get(index)?.same(value);
        let part = if is_same {
            (of_index - of_value).exp()
        } else {
            0.0
        };
        Some(part - of_index.exp())
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&self, logits: &[f64], rng: &mut R) -> T {
        self.0.sample(&weights(logits), rng)
    }

    fn describe(&self, logits: &[Number]) -> String {
        format!("{} by logits", self.0.describe(logits))
    }

    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}
