//! An upper bound of the weight that the evidence of a model gives to a world.

use figrs_core::internals::{FamilyOp, Kind};
use figrs_core::{AnyElement, Datum, ElementId, Model};
use rustc_hash::FxHashSet;

/// An upper bound of the weights of worlds whose likelihoods have a given number of density factors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightBound {
    log: f64,
    densities: usize,
}

impl WeightBound {
    /// The bound of rejection sampling, in which an accepted world has weight one.
    pub(crate) const ONE: Self = Self {
        log: 0.0,
        densities: 0,
    };

    /// Returns the product of the largest weights of all statements of evidence of `model`; `None` if the largest weight of a statement is unknown.
    ///
    /// If an observed element has no parents, the probability or density of its value is the same in all worlds, and is its largest weight. For any
    /// other element, the largest weight of an observed value is one if the distribution is discrete; otherwise the family of distributions states
    /// the largest density.
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

    /// Multiplies the bound by the largest weight of an observed value, and by the largest weights of the values of other elements that this value
    /// implies. Each element counts once.
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

    /// Returns the logarithm of the bound for worlds whose likelihoods have `densities` density factors; `None` if the bound does not hold.
    ///
    /// The bound does not hold if the log-weight `log_largest` of the heaviest world exceeds it, or if the number of density factors differs. The
    /// cause may be a Score, which the bound does not include.
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
