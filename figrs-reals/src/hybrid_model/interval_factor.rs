//! Comparisons of one real number, which restrict it to an interval.

use std::rc::Rc;

use figrs_answer::answer::family_mixture::{FamilyMixture, MixtureMember};
use figrs_answer::answer::normal_mixture::{ClosedForm, NormalMixture};
use figrs_answer::error::Error;
use figrs_core::{AnyElement, Limits, TruncatedNormal, Variance};
use figrs_gaussian::{
    GaussianError, HybridPosterior, RealLikelihood, RestrictedNumbers, Tilted, restrict,
};

use super::HybridModel;
use super::site_factors::SiteFactor;
use crate::closed_form::{MAX_COMPONENTS, RealTarget, explained};
use crate::linear_element::{Conditional, Linear, union};
use crate::site::Site;

/// A real number, and all comparisons of linear functions of it with zero.
pub(crate) struct IntervalFactor {
    /// Each comparison, with the offset and the slope of the compared function.
    comparisons: Vec<(Site, Conditional<(f64, f64)>)>,
    /// The number as a linear function of the vectors of the graph.
    argument: Rc<Conditional<Linear>>,
    made: SiteFactor,
    /// The distributions of the number, after they were computed.
    restriction: Option<RestrictedNumbers>,
}

impl HybridModel<'_> {
    /// Adds the comparisons `sites`. The comparisons of numbers that evidence determines are factors of finite variables, and all others are
    /// one factor.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the other comparisons are not all of linear functions of one number.
    pub(super) fn add_comparisons(&mut self, sites: Vec<Site>) -> Result<(), Error> {
        let mut open = Vec::new();
        for site in sites {
            let replaced = self.substituted(&site.element, &site.function.argument)?;
            let rows = replaced.map_or_else(|| Rc::clone(&site.function.argument), Rc::new);
            if rows.vectors().is_empty() {
                self.add_site(site)?;
            } else {
                open.push((site, rows));
            }
        }
        let Some((first, argument)) = open.first().cloned() else {
            return Ok(());
        };
        let mut comparisons = Vec::with_capacity(open.len());
        let mut scope = Vec::new();
        for (site, rows) in open {
            let number = self.scan.slopes(&site.element, &argument, &rows)?;
            let number = number.ok_or_else(|| {
                let problem = format!(
                    "it compares a real number other than {}, but a closed form supports only comparisons of linear functions of one number; use \
                     ExpectationPropagation, or draw samples, for example by `Collapsed(ImportanceSampling::new(10_000))`",
                    first.element.label()
                );
                Error::not_closed_form(&site.element, problem)
            })?;
            scope = union([&scope[..], &number.finite, &site.function.scope]);
            comparisons.push((site, number));
        }
        let made = self.site_factor(first, (&argument, scope))?;
        self.interval = Some(IntervalFactor {
            comparisons,
            argument,
            made,
            restriction: None,
        });
        Ok(())
    }

    /// True if comparisons restrict a real number.
    pub(crate) fn has_interval(&self) -> bool {
        self.interval.is_some()
    }

    /// Replaces the comparisons by Gaussian functions with the same mass, mean and variance, one for each assignment of the finite variables on
    /// which the number depends.
    ///
    /// **Errors.** The errors of the elimination.
    pub(crate) fn restrict(&mut self, limits: &Limits) -> Result<(), Error> {
        let Some(mut interval) = self.interval.take() else {
            return Ok(());
        };
        let finite = &self.scan.finite;
        let sites = || interval.comparisons.iter().map(|(site, _)| site);
        let log_values: f64 = sites().map(|site| site.log_values(finite)).sum();
        let site = figrs_gaussian::LikelihoodFactor {
            factor: interval.made.factor,
            projections: interval.made.projections.clone(),
            tilted: Box::new(|place, mean, variance| {
                let tilted = interval.tilted(self, place, (mean, variance))?;
                Some(Tilted {
                    log_mass: tilted.log_mass + log_values,
                    ..tilted
                })
            }),
        };
        let mut graph = self.graph.clone();
        let found = restrict(&mut graph, &site, (MAX_COMPONENTS, limits));
        drop(site);
        interval.restriction = Some(found.map_err(|error| explained(self, error))?);
        self.graph = graph;
        self.interval = Some(interval);
        Ok(())
    }

    /// Returns the target as a linear function of the restricted number, for each assignment of finite elements; `None` if it is no such function.
    pub(crate) fn in_restricted_number(
        &self,
        target: &AnyElement,
        rows: &Conditional<Linear>,
    ) -> Result<Option<Conditional<(f64, f64)>>, Error> {
        match &self.interval {
            Some(interval) if rows.rows[0].numbers() == 1 => {
                self.scan.slopes(target, &interval.argument, rows)
            }
            _ => Ok(None),
        }
    }

    /// Returns the distribution of a target, given the normal distributions that replace it; `None` if these are its distribution, because the
    /// target does not depend on the restricted number.
    pub(crate) fn restricted_target(
        &self,
        posterior: &HybridPosterior<'_>,
        target: &RealTarget,
        components: &NormalMixture,
    ) -> Result<Option<ClosedForm>, GaussianError> {
        let Some(IntervalFactor {
            made, restriction, ..
        }) = &self.interval
        else {
            return Ok(None);
        };
        if !target.is_connected(posterior, made.factor) {
            return Ok(None);
        }
        let moments = ClosedForm::Moments(components.clone());
        let (Some(restriction), Some(number)) = (restriction, &target.in_restricted_number) else {
            return Ok(Some(moments));
        };
        let joint = posterior.joint_of_factor(made.factor, MAX_COMPONENTS)?;
        let sizes = self.scan.finite.sizes(&number.finite);
        let mut members = Vec::with_capacity(joint.components.len());
        for (values, component) in &joint.components {
            let value = |&place: &usize| self.value(place, &joint.scope, values);
            let in_scan: Vec<u32> = number.finite.iter().map(value).collect();
            let &(offset, slope) = number.row(&number.finite, &in_scan, &sizes);
            let index = restriction.scope.iter().fold(0, |index, v| {
                let place = joint.scope.iter().position(|other| other == v);
                let value = values[place.unwrap_or_default()] as usize;
                index * self.graph.finite.cardinality(*v) + value
            });
            let Some(found) = &restriction.numbers[index] else {
                continue;
            };
            let (mean, variance) = found.before;
            let bounds = self.bounds(found.place);
            let bounds = bounds.map(|(low, high)| (offset + slope * low, offset + slope * high));
            let (Some((a, b)), true) = (bounds, slope != 0.0 && variance > 0.0) else {
                return Ok(Some(moments));
            };
            let spread = Variance(slope * slope * variance);
            let truncated = TruncatedNormal::new(offset + slope * mean, spread, a.min(b), a.max(b));
            let after = (
                offset + slope * found.after.mean,
                slope * slope * found.after.variance,
            );
            let member = MixtureMember::WithMoments(truncated.erased().clone(), after);
            members.push((component.share, member));
        }
        Ok(Some(ClosedForm::Family(FamilyMixture::new(members))))
    }

    fn bounds(&self, place: usize) -> Option<(f64, f64)> {
        self.interval.as_ref()?.bounds(self, place)
    }
}

impl IntervalFactor {
    /// Returns the bounds of the number for an assignment of the factor's variables; `None` if no number satisfies all comparisons.
    fn bounds(&self, hybrid: &HybridModel<'_>, place: usize) -> Option<(f64, f64)> {
        let mut bounds = (f64::NEG_INFINITY, f64::INFINITY);
        for ((offset, slope), is_true, at_zero) in self.compared(hybrid, place) {
            let bound = -offset / slope;
            if slope == 0.0 {
                let holds = offset > 0.0 || (offset == 0.0 && at_zero);
                if holds != is_true {
                    return None;
                }
            } else if (slope > 0.0) == is_true {
                bounds.0 = bound.max(bounds.0);
            } else {
                bounds.1 = bound.min(bounds.1);
            }
        }
        (bounds.0 < bounds.1).then_some(bounds)
    }

    /// Returns the distribution of the number with the comparisons, given its distribution without them; `None` if it is impossible.
    fn tilted(
        &self,
        hybrid: &HybridModel<'_>,
        place: usize,
        (mean, variance): (f64, f64),
    ) -> Option<Tilted> {
        if variance > 0.0 {
            let (low, high) = self.bounds(hybrid, place)?;
            return RealLikelihood::Between(low, high).tilted(mean, variance);
        }
        let mut all = self.compared(hybrid, place);
        let holds = all.all(|((offset, slope), is_true, at_zero)| {
            let number = offset + slope * mean;
            is_true == (number > 0.0 || (number == 0.0 && at_zero))
        });
        holds.then_some(Tilted {
            log_mass: 0.0,
            mean,
            variance: 0.0,
        })
    }

    /// Returns, for each comparison and an assignment of the factor's variables, the offset and the slope of the compared function, the value of
    /// the comparison, and its value if the function is zero.
    fn compared<'a>(
        &'a self,
        hybrid: &'a HybridModel<'_>,
        place: usize,
    ) -> impl Iterator<Item = ((f64, f64), bool, bool)> + 'a {
        let finite = &hybrid.scan.finite;
        let scope = &self.made.scope;
        let values = &self.made.assignments[place];
        let value_of = |place: usize| values[scope.binary_search(&place).unwrap_or_default()];
        let sizes = finite.sizes(scope);
        self.comparisons.iter().map(move |(site, number)| {
            let (is_true, at_zero) = site.sign(finite, &value_of).unwrap_or_default();
            (*number.row(scope, values, &sizes), is_true, at_zero)
        })
    }
}
