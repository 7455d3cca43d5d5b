//! Queries of an answer about bounds: probabilities, expectations and the probability of the evidence.

use std::any::Any;
use std::ops::RangeInclusive;

use figrs_core::{Element, Value};

use super::bounds::{Deepening, TargetBounds};
use super::contents::{Answer, AnswerContent};
use super::estimate::{Estimate, Quality};
use crate::error::Error;
use figrs_factor::bounds::Bounds;

impl Answer {
    /// Returns bounds of the probability that the target `element` has the value `value`. If the answer is exact, both bounds are equal to the
    /// probability. If the bins of a discretised element were refined, the element has the value of a bin in all worlds in which its source (the
    /// continuous element) is in this bin.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the answer is an estimate or a world.
    pub fn bounds<T: Value>(&self, element: &Element<T>, value: &T) -> Result<Bounds, Error> {
        let Some(target) = self.bounded(element)? else {
            return self.bounds_that(element, |v| v.same(value));
        };
        let number = (value as &dyn Any).downcast_ref::<f64>();
        Ok(target.of(|i| match (target.cells.get(i), number) {
            (Some(&[lower, upper]), Some(x)) => match target.bins[i] {
                Some(bin) => Some(bin.same(x)),
                // A value in a cell is known only up to the cell; its probability therefore has no bounds.
                None => (!(lower..=upper).contains(x)).then_some(false),
            },
            _ => target.support.get::<T>(i).map(|v| v.same(value)),
        }))
    }

    /// Returns bounds of the probability that the value of the target `element` passes `test`.
    ///
    /// The bounds include the possibility that an unknown value passes the test. For a continuous target, the test is called with the ends and the
    /// middle of each cell (an interval of its values). If the test has the same result at the ends and the middle of a cell (an interval of values),
    /// the whole cell is assumed to have this result, as for a test such as `x > 0`. The bounds for a test are tighter than the sums of the bounds of
    /// all values that pass the test.
    ///
    /// **Errors.** The errors of [`bounds`](Self::bounds).
    pub fn bounds_that<T: Value>(
        &self,
        element: &Element<T>,
        test: impl Fn(&T) -> bool,
    ) -> Result<Bounds, Error> {
        if let Some(target) = self.bounded(element)? {
            return Ok(target.of(|i| {
                let results = target.at(i, &test);
                let first = results.first().copied()?;
                results
                    .iter()
                    .all(|&result| result == first)
                    .then_some(first)
            }));
        }
        let marginal = self.distribution(element)?;
        match marginal.quality() {
            Quality::Exact => Ok(Bounds::exact(marginal.probability_that(test))),
            _ => Err(self.missing_content_error("bounds", BY_EXPANSION)),
        }
    }

    /// Returns bounds of the expectation of a function of a target's value. The caller states that all values of the function lie in `range`.
    /// If the answer is exact, both bounds are equal to the expectation.
    ///
    /// For a continuous target, the function is called with the ends and the middle of each cell (an interval of its values), and is assumed to be
    /// monotone in each cell. With a `range` such as `0.0..=f64::INFINITY`, the expectation has a finite lower bound, and an infinite upper bound
    /// while some value of the target is unknown.
    ///
    /// **Errors.** The errors of [`bounds`](Self::bounds); [`Error::InvalidSetting`] if `range` is empty, or if the function of a known value lies
    /// outside `range` (an exact answer does not use `range`).
    ///
    /// ```
    /// # use figrs_core::{Geometric, Model};
    /// # use figrs_infer::{LazyVariableElimination, Run};
    /// let failures = Geometric::failures(0.5);
    /// let answer = LazyVariableElimination::to_width(1e-6).run(&Model::new(), &failures)?;
    /// let bounds = answer.expectation_bounds(&failures, |&n| 0.5_f64.powi(n as i32), 0.0..=1.0)?;
    /// println!("{bounds}"); // two thirds
    /// assert!((bounds.lower - 2.0 / 3.0).abs() < 1e-6 && bounds.width() < 1e-6);
    /// let mean = answer.expectation_bounds(&failures, |&n| n as f64, 0.0..=f64::INFINITY)?;
    /// assert!(mean.lower > 0.999 && mean.upper == f64::INFINITY); // the mean is one
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn expectation_bounds<T: Value>(
        &self,
        element: &Element<T>,
        function: impl Fn(&T) -> f64,
        range: RangeInclusive<f64>,
    ) -> Result<Bounds, Error> {
        let invalid = |value: String| {
            let remedy = "give a range that contains all values of the function";
            Error::invalid_setting(self.algorithm(), "expectation_bounds", value, remedy)
        };
        if range.is_empty() {
            return Err(invalid(format!("{range:?} for {}", element.label())));
        }
        if let Some(target) = self.bounded(element)? {
            let (&lower, &upper) = (range.start(), range.end());
            let unknown = Bounds { lower, upper };
            let values = (0..target.support.len()).map(|i| {
                if target.log_upper[i] == f64::NEG_INFINITY {
                    return Ok(unknown);
                }
                let values = target.at(i, &function);
                if let Some(x) = values.iter().find(|x| !range.contains(x)) {
                    let label = element.label();
                    let value = format!("{range:?} for {label}, whose function has the value {x}");
                    return Err(invalid(value));
                }
                let start = (f64::INFINITY, f64::NEG_INFINITY);
                let ends = |(lower, upper): (f64, f64), &x: &f64| (lower.min(x), upper.max(x));
                let (lower, upper) = values.iter().fold(start, ends);
                Ok(Bounds { lower, upper })
            });
            let values: Vec<Bounds> = values.collect::<Result<_, _>>()?;
            return Ok(target.expectation(&values, unknown));
        }
        let marginal = self.distribution(element)?;
        match marginal.quality() {
            Quality::Exact => Ok(Bounds::exact(marginal.expectation(function))),
            _ => Err(self.missing_content_error("bounds", BY_EXPANSION)),
        }
    }

    /// Returns bounds of the natural logarithm of the probability of the evidence, including the weights that the evidence gives to worlds.
    ///
    /// The lower bound is `-inf` if the evidence may be impossible.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer contains neither bounds nor an exact value.
    pub fn log_evidence_bounds(&self) -> Result<Bounds, Error> {
        match &self.content {
            AnswerContent::Bounds(_, log_evidence) => Ok(*log_evidence),
            AnswerContent::Marginals(targets, Some(evidence))
                if evidence.standard_error == 0.0
                    && targets
                        .iter()
                        .all(|t| matches!(t.estimate, Estimate::Exact)) =>
            {
                Ok(Bounds::exact(evidence.value))
            }
            _ => Err(self.missing_content_error("bounds", BY_EXPANSION)),
        }
    }

    /// Returns the quality of the probabilities of a target: exact, bounds, or an estimate.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the answer is a world.
    pub fn quality<T: Value>(&self, element: &Element<T>) -> Result<Quality, Error> {
        match self.bounded(element)? {
            Some(target) => Ok(Quality::Bounds {
                width: target.width(),
            }),
            None => Ok(self.distribution(element)?.quality()),
        }
    }

    /// Returns the depth and the work of the expansion, for an algorithm that expands the model to increasing depths; `None` for other algorithms.
    pub fn deepening(&self) -> Option<Deepening> {
        self.deepening
    }

    pub(crate) fn bounded<T: Value>(
        &self,
        element: &Element<T>,
    ) -> Result<Option<&TargetBounds>, Error> {
        let AnswerContent::Bounds(targets, _) = &self.content else {
            return Ok(None);
        };
        let id = element.erased().id();
        let found = targets.iter().find(|target| target.element.id() == id);
        found
            .map(Some)
            .ok_or_else(|| Error::not_a_target(element.label()))
    }

    /// Returns the value that is more likely than any other value for all probabilities within the bounds; `None` if there is no such value.
    pub(crate) fn surely_most_likely<T: Value>(
        &self,
        element: &Element<T>,
    ) -> Result<Option<T>, Error> {
        let Some(target) = self.bounded(element)? else {
            return Ok(None);
        };
        match target.most_likely() {
            Some(best) => Ok(target.support.get(best).cloned()),
            None => Err(self.missing_content_error(
                "value that is certain to be the most likely one",
                "narrow the bounds with `deepen`, or ask for `bounds`",
            )),
        }
    }
}

const BY_EXPANSION: &str =
    "use LazyVariableElimination or another algorithm that expands the model";
