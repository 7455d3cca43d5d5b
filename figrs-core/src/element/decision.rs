//! `Decision`: a value that is chosen when the values of some elements are known.

use std::panic::Location;

use rand::{Rng, RngExt};

use super::atomic::decision_at;
use super::distribution::{Distribution, Outcomes};
use super::parents::Parents;
use crate::element::Element;
use crate::value::Value;

/// Builds a decision: an element whose value is not random, but chosen among options when the values of some elements are known.
///
/// The first argument of `Decision::new` gives the elements whose values are known when the decision is made: one element, a tuple or a list of
/// elements, or `()`. A decision has options, but no probabilities. The algorithm `MaximiseUtility` (of `figrs-learn`) finds the choices of largest
/// expected utility for all decisions. Every other algorithm that reaches a decision returns the error
/// [`ModelError::Undecided`](crate::ModelError::Undecided), unless [`Model::intervene`](crate::Model::intervene) sets the decision.
///
/// An option of the decision that is listed twice counts as one option. If several options of a decision have the largest expected utility, the first
/// of them is chosen.
///
/// ```
/// # use figrs_core::{Constant, Decision, Flip, If, Parents};
/// let rain = Flip::new(0.3);
/// let forecast = If::new(&rain, Flip::new(0.8), Flip::new(0.1));
/// let umbrella = Decision::new(&forecast, [true, false]);
/// let comfort = (&rain, &umbrella).map(|(rain, umbrella)| match (rain, umbrella) {
///     (true, false) => -10.0,
///     (_, true) => -1.0,
///     (false, false) => 0.0,
/// });
/// # drop(comfort);
/// ```
#[derive(Debug)]
pub struct Decision;

impl Decision {
    /// Creates a decision among `options`, made when the values of the elements `known` are known.
    #[track_caller]
    #[allow(clippy::needless_pass_by_value)]
    pub fn new<T: Value>(known: impl Parents, options: impl IntoIterator<Item = T>) -> Element<T> {
        let options = Options(options.into_iter().collect());
        decision_at(Location::caller(), options, known.elements())
    }
}

#[derive(Debug)]
struct Options<T>(Vec<T>);

impl<T: Value> Distribution<T> for Options<T> {
    fn check(&self) -> Result<(), String> {
        Err("a decision has no probabilities".into())
    }

    /// Lists the options of the decision, each with the same probability.
    fn outcomes(&self) -> Outcomes<T> {
        let share = 1.0 / self.0.len() as f64;
        Outcomes::Finite(
            self.0
                .iter()
                .map(|option| (option.clone(), share))
                .collect(),
        )
    }

    fn log_prob(&self, _: &T) -> f64 {
        0.0
    }

    fn sample(&self, rng: &mut dyn Rng) -> T {
        self.0[rng.random_range(0..self.0.len())].clone()
    }

    fn describe(&self) -> String {
        format!("Decision({:?})", self.0)
    }

    fn heap_bytes(&self) -> usize {
        self.0
            .iter()
            .map(|option| size_of::<T>() + option.heap_bytes())
            .sum()
    }
}
