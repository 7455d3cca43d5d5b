//! Comparisons of one real number, which restrict it to an interval.

use std::rc::Rc;

use figrs_answer::answer::family_mixture::{FamilyMixture, MixtureMember};
use figrs_answer::error::Error;
use figrs_answer::{ClosedForm, NormalMixture};
use figrs_core::{AnyElement, Limits, TruncatedNormal, Variance};
use figrs_gaussian::{GaussianError, HybridPosterior, RestrictedNumbers, Tilted, restrict};

use super::HybridModel;
use super::site_factors::{OpenSite, SiteFactor};
use crate::closed_form::{MAX_COMPONENTS, RealTarget, explained};
use crate::linear_element::{Conditional, Linear};
use crate::site::Site;

/// A real number, and all comparisons with zero of linear functions of the number.
pub(crate) struct IntervalFactor {
    /// The real number, as a linear function of the real vectors of the graph.
    argument: Rc<Conditional<Linear>>,
    made: SiteFactor,
    /// The distributions of the compared number given the comparisons, once they have been computed.
    restriction: Option<RestrictedNumbers>,
}

impl HybridModel<'_> {
    /// Adds the comparisons `sites` to the factor graph. Comparisons of numbers that evidence determines become factors of finite variables, and all
    /// other comparisons together become one factor.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the comparisons of undetermined numbers do not all compare linear functions of one number.
    pub(super) fn add_comparisons(&mut self, sites: Vec<Site>) -> Result<(), Error> {
        let mut open: Option<OpenSite> = None;
        for site in sites {
            let Some(argument) = self.open_argument(&site)? else {
                continue;
            };
            let open = open.get_or_insert_with(|| OpenSite::no_comparisons(Rc::clone(&argument)));
            let number = self.scan.slopes(&site.element, &open.argument, &argument)?;
            let number = number.ok_or_else(|| {
                let problem = format!(
                    "it compares a real number other than {}, but a closed form supports only comparisons of linear functions of one number; use \
                     ExpectationPropagation, or draw samples, for example by `Collapsed(ImportanceSampling::new(10_000))`",
                    open.element().label()
                );
                Error::not_closed_form(&site.element, problem)
            })?;
            open.add(site, number);
        }
        if let Some(open) = open {
            let argument = Rc::clone(&open.argument);
            self.interval = Some(IntervalFactor {
                argument,
                made: self.site_factor(open)?,
                restriction: None,
            });
        }
        Ok(())
    }

    /// True if comparisons restrict a real number of the model to an interval.
    pub(crate) fn has_interval(&self) -> bool {
        self.interval.is_some()
    }

    /// Replaces the comparisons by Gaussian functions with the same mass, mean and variance. There is one Gaussian function for each assignment of
    /// the finite variables on which the compared number depends.
    ///
    /// **Errors.** The errors of the variable elimination.
    pub(crate) fn restrict(&mut self, limits: &Limits) -> Result<(), Error> {
        let Some(mut interval) = self.interval.take() else {
            return Ok(());
        };
        let finite = &self.scan.finite;
        let made = &interval.made;
        let log_values = made.log_values(finite);
        let site = figrs_gaussian::LikelihoodFactor {
            factor: made.factor,
            projections: made.projections.clone(),
            tilted: Box::new(|place, mean, variance| {
                let assignment = made.assignment(finite, place);
                let tilted = made.comparisons()?.tilted(assignment, (mean, variance))?;
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

    /// Returns the target as a linear function of the number that comparisons restrict, for each assignment of finite elements; `None` if the target
    /// is no such function.
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

    /// Returns the exact distribution of a target, given the normal distributions that approximate it; `None` if the normal distributions are exact,
    /// because the target does not depend on the restricted number.
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
        let made = &self.interval.as_ref()?.made;
        let assignment = made.assignment(&self.scan.finite, place);
        made.comparisons()?.bounds(assignment)
    }
}
