//! The probability of one model's evidence as a weight of the worlds of another model (dependent universes).

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use figrs_answer::{Algorithm, Error, Run};
use figrs_core::{Datum, Model, Value};
use rustc_hash::FxHashMap;

/// Maximum number of values of the outer model for which the log-evidence of the inner model is stored.
const STORED: usize = 1 << 16;

/// Returns a function that can be passed to [`Model::try_log_weigh`](figrs_core::Model::try_log_weigh). The returned function maps a value to the
/// log-evidence of the inner model that `build` returns for this value. The evidence of the inner model then weighs the worlds of the outer model, as
/// in dependent universes (models that are linked by their evidence).
///
/// If the inner model depends on several elements (random variables) of the outer model, weigh the [`tuple`](figrs_core::tuple) of these elements.
/// The algorithm `algorithm` computes the log-evidence once for each value: the returned function and its clones share up to 65 536 stored results.
/// The elements of the inner model depend on the outer model only through the value that `build` receives.
///
/// **Guarantee.** With an exact algorithm, the outer model has the same answers as a single model that contains both models. With a sampler as
/// `algorithm`, the answers of the outer model are computed from estimated weights; the estimate for a value does not change while it is stored.
///
/// **Complexity.** An exact algorithm for the outer model runs `algorithm` for each value in the support; a sampler runs `algorithm` for each value
/// that it draws.
///
/// **Errors.** An error of `algorithm` ([`Fault::Failed`](figrs_core::Fault::Failed)) or a panic of `build` becomes the error of the query of the
/// outer model. An exact algorithm for the outer model returns the error if it occurs for any value in the support; a sampler returns the error if it
/// occurs for any value that the sampler draws. If the evidence of the inner model is impossible for a value, the weight of this value is zero.
///
/// Algorithms that compute bounds from part of the possible values ([`LazyVariableElimination`](crate::LazyVariableElimination)) need an upper bound
/// of the weight. If no evidence of the inner model has a density or a weight above one, the weight is at most one:
/// `let weight = evidence_given(..); model.weigh_at_most(&e, 1.0, move |v| weight(v).map_or(f64::NAN, f64::exp))`, which converts an error to the
/// invalid weight NaN.
///
/// ```
/// # use figrs_core::{Flip, Model, Select, tuple};
/// # use figrs_infer::{Run, VariableElimination, evidence_given};
/// let source = Select::new([(0.8, "calm"), (0.2, "noisy")]);
/// let is_late = Flip::new(0.5);
/// let weight = evidence_given(VariableElimination::new(), |&(source, is_late): &(&str, bool)| {
///     let reading = Flip::new(if source == "noisy" || is_late { 0.5 } else { 0.1 });
///     Model::new().observe(&reading, true)
/// });
/// let model = Model::new().try_log_weigh(&tuple((&source, &is_late)), weight);
/// let answer = VariableElimination::new().run(&model, &source)?;
/// // 0.2 x 0.5, and 0.8 x (0.5 x 0.5 + 0.5 x 0.1).
/// assert!((answer.probability(&source, &"noisy")? - 0.1 / 0.34).abs() < 1e-12);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
pub fn evidence_given<T: Value, A: Algorithm + 'static>(
    algorithm: A,
    build: impl Fn(&T) -> Model + Send + Sync + 'static,
) -> impl Fn(&T) -> Result<f64, EvidenceError> + Clone + Send + Sync + 'static {
    let stored: Arc<Mutex<FxHashMap<Datum, StoredResult>>> = Arc::default();
    let compute = Arc::new((algorithm, build));
    move |value| {
        let result = {
            let mut stored = stored.lock().unwrap_or_else(PoisonError::into_inner);
            let key = Datum::new(value.clone());
            if stored.len() >= STORED && !stored.contains_key(&key) {
                stored.clear();
            }
            Arc::clone(stored.entry(key).or_default())
        };
        let (algorithm, build) = &*compute;
        let result = result.get_or_init(|| match algorithm.log_evidence(&build(value)) {
            Err(Error::ImpossibleEvidence { .. }) => Ok(f64::NEG_INFINITY),
            Err(error) => Err(EvidenceError(Arc::from(error.to_string()))),
            Ok(log) => Ok(log),
        });
        result.clone()
    }
}

type StoredResult = Arc<OnceLock<Result<f64, EvidenceError>>>;

/// The error of the inner model, whose evidence weighs another model, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceError(Arc<str>);

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EvidenceError {}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use figrs_core::{Element, Fault, Flip, If, Limits, ModelError, Uniform, tuple};

    use super::*;
    use crate::{ImportanceSampling, LazyVariableElimination, VariableElimination};

    /// Returns two independent parents and, for each pair of their values, the probability that a reading is true.
    fn parents() -> (Element<u32>, Element<bool>) {
        (Uniform::new(0..5_u32), Flip::new(0.3))
    }

    fn reading(number: u32, flag: bool) -> f64 {
        f64::from(1 + number) / if flag { 6.0 } else { 12.0 }
    }

    fn weight(
        builds: Arc<AtomicUsize>,
    ) -> impl Fn(&(u32, bool)) -> Result<f64, EvidenceError> + Clone + Send + Sync + 'static {
        evidence_given(VariableElimination::new(), move |&(number, flag)| {
            builds.fetch_add(1, Ordering::Relaxed);
            // Two readings of one hidden state.
            let state = Flip::new(reading(number, flag));
            let [first, second] = [0; 2].map(|_| If::new(&state, Flip::new(0.9), Flip::new(0.2)));
            Model::new().observe(&first, true).observe(&second, false)
        })
    }

    /// Returns the marginal distribution of the number in the outer model, computed by enumeration.
    fn expected() -> Vec<f64> {
        let total = |number: u32| {
            let of = |flag: bool, p: f64| {
                let state = reading(number, flag);
                p * (state * 0.9 * 0.1 + (1.0 - state) * 0.2 * 0.8)
            };
            of(true, 0.3) + of(false, 0.7)
        };
        let all: Vec<f64> = (0..5).map(total).collect();
        let sum: f64 = all.iter().sum();
        all.iter().map(|p| p / sum).collect()
    }

    #[test]
    fn the_weighed_model_is_one_model_of_both() {
        let (number, flag) = parents();
        let builds = Arc::new(AtomicUsize::new(0));
        let weight = weight(Arc::clone(&builds));
        let both = tuple((&number, &flag));
        let model = Model::new().try_log_weigh(&both, weight.clone());
        let answer = VariableElimination::new().run(&model, &number).unwrap();
        for (value, p) in (0..).zip(expected()) {
            assert!((answer.probability(&number, &value).unwrap() - p).abs() < 1e-12);
        }
        let sampled = ImportanceSampling::new(40_000).seed(1);
        let sampled = sampled.run(&model, &number).unwrap();
        for (value, p) in (0..).zip(expected()) {
            // The tolerance is five standard errors: a correct sampler fails for one seed in about 300 000.
            let found = sampled.probability(&number, &value).unwrap();
            let error = (p * (1.0 - p) / 30_000.0).sqrt();
            assert!((found - p).abs() < 5.0 * error, "{value}: {found} {p}");
        }
        // The log-evidence of each pair of values was computed once, for both algorithms.
        assert_eq!(builds.load(Ordering::Relaxed), 10);

        let lazy = LazyVariableElimination::to_depth(3);
        let bounded =
            Model::new().weigh_at_most(&both, 1.0, move |v| weight(v).map_or(f64::NAN, f64::exp));
        let bounds = lazy.run(&bounded, &number).unwrap();
        let p = bounds.bounds(&number, &1).unwrap();
        let first = expected()[1];
        assert!(p.lower <= first + 1e-12 && first <= p.upper + 1e-12, "{p}");
    }

    #[test]
    fn errors_and_impossible_evidence_reach_the_query() {
        let (number, flag) = parents();
        let never = evidence_given(VariableElimination::new(), |&number: &u32| {
            let other = Uniform::new(0..3_u32);
            Model::new().observe(&other, number)
        });
        let model = Model::new().try_log_weigh(&number, never);
        let answer = VariableElimination::new().run(&model, &number).unwrap();
        assert_eq!(answer.probability(&number, &3).unwrap(), 0.0);
        assert!((answer.probability(&number, &2).unwrap() - 1.0 / 3.0).abs() < 1e-12);

        let small = VariableElimination::new().limits(Limits::default().elements(1));
        let refused = evidence_given(small, |&flag: &bool| {
            let pair = tuple((&Flip::new(0.5), &Flip::new(0.5)));
            Model::new().observe(&pair, (flag, flag))
        });
        let model = Model::new().try_log_weigh(&flag.clone().named("flag"), refused);
        let error = VariableElimination::new().run(&model, &flag).unwrap_err();
        match &error {
            Error::Model(ModelError::Function {
                fault: Fault::Failed(text),
                ..
            }) => assert!(text.contains("limit of 1"), "{text}"),
            other => panic!("{other}"),
        }
    }
}
