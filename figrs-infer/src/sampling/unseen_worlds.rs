//! Bounds, derived from the model, on worlds that were not sampled: the largest weight of such a world, and the possible values of the targets.

use figrs_core::internals::{FamilyOp, Kind};
use figrs_core::{AnyElement, Datum, ElementId, Model, Support, SupportBuilder};
use rustc_hash::FxHashSet;

use figrs_answer::{LogEvidence, unseen_share};

/// Bounds on worlds that weighted samples may have missed, derived from the model alone.
#[derive(Clone, Debug)]
pub(crate) struct UnseenWorlds {
    /// `true` if the model has no evidence at all. If the model has no evidence, and all samples have equal weights, the log-probability of the
    /// evidence is certain.
    certain: bool,
    maximum: Option<WeightBound>,
    pub(crate) possible: Vec<Option<PriorSupport>>,
}

impl UnseenWorlds {
    /// Returns the bounds on the worlds of `model` that were not sampled, and on the values of `targets` that were not sampled. The argument
    /// `maximum` is an upper bound of the weights of the model's worlds, if such a bound is known.
    pub(crate) fn of(model: &Model, targets: &[AnyElement], maximum: Option<WeightBound>) -> Self {
        let possible = targets.iter().map(|target| PriorSupport::of(model, target));
        Self {
            certain: model.evidence().is_empty(),
            maximum,
            possible: possible.collect(),
        }
    }

    /// Returns an object without bounds and without values of targets, for a model that is only partly known.
    pub(crate) fn unknown() -> Self {
        Self {
            certain: false,
            maximum: None,
            possible: Vec::new(),
        }
    }

    /// Returns an upper bound of the probability of the values that were not sampled: see [`unseen_share`]. The argument `log_mean` is the logarithm
    /// of the mean weight of the `samples` samples. The argument `log_largest` is the logarithm of the largest weight of a sample, and `densities` is
    /// the number of density factors in this weight.
    pub(crate) fn share(
        &self,
        samples: u64,
        log_mean: f64,
        (densities, log_largest): (usize, f64),
    ) -> f64 {
        let bound = self.maximum;
        let log_maximum = bound.and_then(|bound| bound.for_worlds(densities, log_largest));
        unseen_share(samples, log_maximum, log_mean)
    }

    /// Returns the estimate of the log-probability of the evidence, with its standard error. The argument `spread` is the standard error computed
    /// from the weights of the samples, and `unseen` is the upper bound of the probability of values that were not sampled.
    pub(crate) fn evidence(&self, log_mean: f64, spread: f64, unseen: f64) -> LogEvidence {
        LogEvidence {
            value: log_mean,
            // If all samples have the same weight, the weights say nothing about worlds that were not drawn; the upper bound then replaces the
            // standard error.
            standard_error: if self.certain || spread > 0.0 {
                spread
            } else {
                unseen
            },
        }
    }
}

/// Maximum number of values of a target, up to which the possible values of the target are listed.
const MAX_VALUES: usize = 256;
/// If the expected number of draws with a value exceeds `MIN_EXPECTED_DRAWS`, the value is assumed to have been drawn: the probability that no draw
/// has it is below `5e-5`.
const MIN_EXPECTED_DRAWS: f64 = 10.0;

/// The possible values of a target (queried variable), with the prior probability of each value if the probability is known. Possible values are
/// listed only for a target that has no parents, has a conditional probability table, or is Boolean.
#[derive(Clone, Debug)]
pub(crate) struct PriorSupport {
    values: Support,
    priors: Option<Vec<f64>>,
}

impl PriorSupport {
    /// Returns the possible values of a target. Returns `None` if an observation or an intervention determines the value of the target, if the target
    /// has too many values, or if listing the values would require calls of the model's functions.
    pub(crate) fn of(model: &Model, target: &AnyElement) -> Option<Self> {
        let is_target = |element: &AnyElement| element.id() == target.id();
        let mut evidence = model.evidence().iter();
        let observed =
            evidence.any(|(e, statement)| is_target(e) && statement.observed().is_some());
        if observed || model.interventions().iter().any(|(e, _)| is_target(e)) {
            return None;
        }
        let known = match target.kind() {
            Kind::Atomic(op) => {
                let outcomes = op.outcomes().ok()?.ok()?;
                Self {
                    values: outcomes.support,
                    priors: Some(outcomes.probabilities),
                }
            }
            Kind::Table(_, op) => Self {
                values: op.values().clone(),
                priors: None,
            },
            Kind::Apply(..) | Kind::Chain(..) | Kind::Score(..) => {
                let mut values = target.no_values();
                values.insert(&false)?;
                values.insert(&true)?;
                Self {
                    values: values.build(),
                    priors: None,
                }
            }
        };
        (known.values.len() <= MAX_VALUES).then_some(known)
    }

    /// Adds to `drawn` the possible values of a target that occur in none of the `draws` draws. If the probability of values without draws has no
    /// bound (`is_bounded` is false), only values with fewer than [`MIN_EXPECTED_DRAWS`] expected draws are added.
    pub(crate) fn add_undrawn(&self, drawn: &mut SupportBuilder, draws: u64, is_bounded: bool) {
        for value in 0..self.values.len() {
            let prior = self.priors.as_ref().map(|priors| priors[value]);
            let was_sure = |prior: f64| !is_bounded && prior * draws as f64 >= MIN_EXPECTED_DRAWS;
            if prior.is_none_or(|prior| prior > 0.0 && !was_sure(prior)) {
                drawn.insert(self.values.any(value));
            }
        }
    }
}

/// An upper bound of the weights of worlds whose likelihoods have a given number of density factors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightBound {
    log: f64,
    densities: usize,
}

impl WeightBound {
    /// The upper bound one of the weights in rejection sampling, in which an accepted world has weight one.
    pub(crate) const ONE: Self = Self {
        log: 0.0,
        densities: 0,
    };

    /// Returns the product, over all statements of evidence in `model`, of the largest weight of the statement; `None` if the largest weight of a
    /// statement is unknown.
    ///
    /// If an observed element has no parents, the probability or density of its observed value is the same in all worlds, and is the largest weight
    /// of the observation. For any other observed element, the largest weight of the observation is one if the distribution is discrete; otherwise
    /// the family of distributions states the largest density.
    pub(crate) fn of(model: &Model) -> Option<Self> {
        let mut all = Self::ONE;
        let mut weighed = FxHashSet::default();
        for (element, statement) in model.evidence() {
            match statement.observed() {
                Some(value) => all.observe(element, value, &mut weighed),
                None => all.log += statement.log_maximum()?,
            }
        }
        Some(all)
    }

    /// Multiplies the upper bound of the weight by the largest weight of an observed value, and by the largest weights of the values of other
    /// elements that this value implies. Each observed element counts only once in the product.
    fn observe(&mut self, element: &AnyElement, value: &Datum, weighed: &mut FxHashSet<ElementId>) {
        let mut observed = vec![(element.clone(), value.clone())];
        while let Some((element, value)) = observed.pop() {
            if !weighed.insert(element.id()) {
                continue;
            }
            match element.kind() {
                Kind::Atomic(op) => {
                    let log = op.log_prob(value.as_any());
                    self.log += log.ok().filter(|log| log.is_finite()).unwrap_or(0.0);
                    self.densities += usize::from(element.is_continuous().unwrap_or(false));
                }
                Kind::Chain(_, op) => {
                    let bound = |family: &dyn FamilyOp| {
                        let log = family.max_log_prob(value.as_any());
                        log.filter(|log| log.is_finite() && family.is_continuous())
                    };
                    if let Some(log) = op.family().and_then(bound) {
                        self.log += log;
                        self.densities += 1;
                    }
                }
                Kind::Apply(parents, _) => {
                    let demanded = parents.iter().zip(element.demands(Some(&value)));
                    observed.extend(demanded.filter_map(|(e, v)| Some((e.clone(), v?))));
                }
                Kind::Table(..) | Kind::Score(..) => {}
            }
        }
    }

    /// Returns the logarithm of the upper bound of the weight for worlds whose likelihoods have `densities` density factors; `None` if the bound does
    /// not hold.
    ///
    /// The upper bound of the weight does not hold if the largest log-weight `log_largest` of a drawn world exceeds the bound, or if this weight has
    /// a different number of density factors than the bound. A violation of the bound may be caused by a `Score`, which the bound does not include.
    pub(crate) fn for_worlds(self, densities: usize, log_largest: f64) -> Option<f64> {
        let holds = densities == self.densities && log_largest <= self.log + 1e-9;
        holds.then_some(self.log)
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::rand::{Rng, RngExt};
    use figrs_core::{
        Atomic, Family, Flip, Normal, Number, Operand, Outcomes, Param, StandardDeviation,
        WrongParameter,
    };

    use super::*;

    /// A user-defined family: the uniform distributions on an interval with a given centre and width.
    #[derive(Debug)]
    struct StatedWindow {
        states_its_bound: bool,
    }

    impl Family<f64> for StatedWindow {
        fn parameters(&self) -> &'static [&'static str] {
            &["centre", "width"]
        }

        fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter> {
            if parameters[1] > 0.0 {
                return Ok(());
            }
            Err(WrongParameter::new(1, "is not positive"))
        }

        fn outcomes(&self, _: &[Number]) -> Outcomes<f64> {
            Outcomes::Continuous
        }

        fn log_prob(&self, parameters: &[f64], value: &f64) -> f64 {
            let [centre, width] = [parameters[0], parameters[1]];
            if (value - centre).abs() <= width / 2.0 {
                -width.ln()
            } else {
                f64::NEG_INFINITY
            }
        }

        fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> f64 {
            parameters[0] + parameters[1] * (rng.random::<f64>() - 0.5)
        }

        fn max_log_prob(&self, parameters: &[Option<f64>], _: &f64) -> Option<f64> {
            self.states_its_bound.then_some(-parameters[1]?.ln())
        }
    }

    fn bound(model: &Model) -> WeightBound {
        WeightBound::of(model).unwrap()
    }

    #[test]
    fn a_param_as_spread_bounds_by_its_present_number() {
        let (mean, spread) = (
            Flip::new(0.5).map(|&is| f64::from(is)),
            Param::new("spread", 0.5),
        );
        let model = Model::new().observe(&Normal::new(&mean, StandardDeviation(&spread)), 0.3);
        let log_most = |spread: f64| -(spread * (2.0 * std::f64::consts::PI).sqrt()).ln();
        for number in [0.5, 0.01, 30.0] {
            spread.set(number);
            let found = bound(&model);
            assert!((found.log - log_most(number)).abs() < 1e-12, "{found:?}");
            assert_eq!(found.densities, 1);
        }
        // With a negative deviation, the observed value has no density; the bound therefore does not apply to worlds with one density factor.
        spread.set(-1.0);
        let none = bound(&model);
        assert_eq!((none.densities, none.for_worlds(1, -3.0)), (0, None));
    }

    #[test]
    fn families_of_a_user_have_the_bound_that_they_state() {
        let centre = Flip::new(0.5).map(|&is| f64::from(is));
        let seen = |states_its_bound, width: f64| {
            let window = StatedWindow { states_its_bound };
            let seen = Atomic::family(window, [Operand::from(&centre), width.into()]);
            bound(&Model::new().observe(&seen, 0.4))
        };
        let known = seen(true, 0.25);
        assert_eq!((known.log, known.densities), (4f64.ln(), 1));
        // If a world has a larger weight than the bound, the bound is wrong and is not used.
        assert_eq!(known.for_worlds(1, 4f64.ln()), Some(4f64.ln()));
        assert_eq!(known.for_worlds(1, 5f64.ln()), None);
        assert_eq!(seen(false, 0.25).for_worlds(1, 4f64.ln()), None);
    }
}
