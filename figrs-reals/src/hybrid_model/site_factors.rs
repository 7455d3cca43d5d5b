//! The factors that represent likelihoods which are not Gaussian.

use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Limits};
use figrs_factor::Until;
use figrs_factor::eliminate::error::check_interrupt;
use figrs_gaussian::{
    Convergence, GaussianError, GuidedLikelihood, HybridFactor, Peaks, Projection, SquareRootForm,
    Sweeps, Tilted, propagate,
};
use nalgebra::DVector;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::HybridModel;
use crate::closed_form::explained;
use crate::comparisons::{Assignment, Comparisons, drawn_between};
use crate::finite_part::FinitePart;
use crate::hybrid_world::HybridWorld;
use crate::linear_element::{Conditional, Linear, union};
use crate::site::Site;

/// Maximum number of assignments of finite elements in the factor that combines several comparisons of one number.
const MAX_ASSIGNMENTS: f64 = 1024.0;

/// Maximum product of the number of comparisons that guide weighted draws and the number of real numbers. The time of a weighted draw is proportional
/// to the product of the number of comparisons and the number of real numbers.
const MAX_GUIDED: usize = 1 << 23;

/// A likelihood of one real number that is not Gaussian.
#[derive(Debug)]
pub(crate) enum Likelihood {
    Comparisons(Comparisons),
    /// A likelihood that is not a comparison.
    Function(Site),
}

impl Likelihood {
    /// Returns the first `Site` of the likelihood: its first comparison, or its only function.
    fn site(&self) -> &Site {
        match self {
            Self::Comparisons(comparisons) => &comparisons.all[0].0,
            Self::Function(site) => site,
        }
    }

    fn element(&self) -> &AnyElement {
        &self.site().element
    }

    /// Returns the error that a likelihood grows so fast that its real number has no posterior distribution.
    fn improper(&self) -> Error {
        let site = self.site();
        Error::ImproperPosterior {
            element: site.function.base.label(),
            statement: site.statement(),
        }
    }
}

/// A factor for a likelihood that is not Gaussian.
#[derive(Debug)]
pub(crate) struct SiteFactor {
    pub(crate) likelihood: Likelihood,
    pub(super) factor: usize,
    /// For each assignment of the factor's variables, the real number on which the likelihood depends, as a linear function.
    pub(super) projections: Vec<Projection>,
    /// The indices of the finite elements on which the likelihood and its real number depend, in ascending order.
    pub(super) scope: Vec<usize>,
    /// For each assignment of the factor's variables, the indices of the finite elements' values in their supports.
    pub(super) assignments: Vec<Vec<u32>>,
}

impl SiteFactor {
    /// Returns the comparisons of the factor; `None` if its likelihood does not consist of comparisons.
    pub(super) fn comparisons(&self) -> Option<&Comparisons> {
        match &self.likelihood {
            Likelihood::Comparisons(comparisons) => Some(comparisons),
            Likelihood::Function(_) => None,
        }
    }

    /// Returns the assignment of the finite elements with the index `place` among the assignments of the factor's variables.
    pub(super) fn assignment<'a>(
        &'a self,
        finite: &'a FinitePart<'_>,
        place: usize,
    ) -> Assignment<'a> {
        Assignment {
            finite,
            scope: &self.scope,
            values: &self.assignments[place],
        }
    }

    /// Returns the distribution of the real number multiplied by the likelihood, for an assignment of the factor's variables; `None` if the
    /// likelihood is zero everywhere.
    ///
    /// **Errors.** The same errors as [`Site::tilted`].
    fn tilted(
        &self,
        assignment: Assignment<'_>,
        cavity: (f64, f64),
        peaks: &Peaks,
    ) -> Result<Option<Tilted>, Error> {
        match &self.likelihood {
            Likelihood::Comparisons(comparisons) => Ok(comparisons.tilted(assignment, cavity)),
            Likelihood::Function(site) => {
                let value_of = |place: usize| assignment.value_of(place);
                site.tilted(assignment.finite, &value_of, cavity, peaks)
            }
        }
    }

    /// Returns the natural logarithm of the likelihood at the value `number` of the real number.
    ///
    /// **Errors.** The same errors as [`Site::log_likelihood`].
    fn log_likelihood(&self, assignment: Assignment<'_>, number: f64) -> Result<f64, Error> {
        match &self.likelihood {
            Likelihood::Comparisons(comparisons) => {
                let holds = comparisons.holds(assignment, number);
                Ok(if holds { 0.0 } else { f64::NEG_INFINITY })
            }
            Likelihood::Function(site) => {
                let value_of = |place: usize| assignment.value_of(place);
                site.log_likelihood(assignment.finite, &value_of, number)
            }
        }
    }

    /// Returns the sum of [`Site::log_values`] over the elements of the likelihood.
    pub(super) fn log_values(&self, finite: &FinitePart<'_>) -> f64 {
        match &self.likelihood {
            Likelihood::Comparisons(comparisons) => comparisons.log_values(finite),
            Likelihood::Function(site) => site.log_values(finite),
        }
    }

    /// Returns a search for narrow peaks of the likelihood for each assignment of the factor's variables; the model has `sites` likelihoods. The
    /// likelihood of a comparison needs no search for narrow peaks.
    fn peaks(&self, sites: usize, until: &Until) -> Vec<Peaks> {
        let (site, places) = (self.likelihood.site(), self.assignments.len());
        let peaks = |_| site.peaks(sites, places, until);
        (0..places).map(peaks).collect()
    }
}

/// A likelihood that is not Gaussian, before its factor is added to the factor graph.
pub(super) struct OpenSite {
    likelihood: Likelihood,
    /// The real number of the likelihood, as a linear function of real vectors that evidence does not determine.
    pub(super) argument: Rc<Conditional<Linear>>,
    /// The indices of the finite elements on which the likelihood and its real number depend, in ascending order.
    scope: Vec<usize>,
}

impl OpenSite {
    fn function(site: Site, argument: Rc<Conditional<Linear>>) -> Self {
        let scope = union([&argument.finite[..], &site.function.scope]);
        Self {
            likelihood: Likelihood::Function(site),
            argument,
            scope,
        }
    }

    /// Creates an empty list of comparisons of the real number `argument`.
    pub(super) fn no_comparisons(argument: Rc<Conditional<Linear>>) -> Self {
        Self {
            likelihood: Likelihood::Comparisons(Comparisons { all: Vec::new() }),
            scope: argument.finite.clone(),
            argument,
        }
    }

    /// Returns the element of the first comparison, or of the likelihood if it is not a comparison.
    pub(super) fn element(&self) -> &AnyElement {
        self.likelihood.element()
    }

    /// Adds a comparison of a linear function of the real number; `number` has the offset and the slope of the function.
    pub(super) fn add(&mut self, site: Site, number: Conditional<(f64, f64)>) {
        self.scope = union([&self.scope[..], &number.finite, &site.function.scope]);
        if let Likelihood::Comparisons(comparisons) = &mut self.likelihood {
            comparisons.all.push((site, number));
        }
    }
}

impl HybridModel<'_> {
    /// Returns the error for evidence whose likelihood is zero at all numbers at which it was evaluated. A likelihood that is zero at all evaluated
    /// numbers proves that the evidence is impossible only if all likelihoods are comparisons.
    pub(crate) fn unsatisfied(&self, error: Error) -> Error {
        let mut functions = self.sites.iter().filter_map(|made| match &made.likelihood {
            Likelihood::Comparisons(_) => None,
            Likelihood::Function(site) => Some(site),
        });
        match (&error, functions.next()) {
            (Error::ImpossibleEvidence { .. }, Some(site)) => {
                let problem = "its likelihood is zero at all numbers that were tried, which are at most some millionths of a standard deviation \
                apart: the evidence is impossible, or satisfied only in a narrower interval; state an interval by comparisons such as \
                `greater_than`, or use a sampler";
                Error::not_closed_form(&site.element, problem)
            }
            _ => error,
        }
    }

    /// Adds factors for the likelihoods `sites` to the factor graph. Comparisons of linear functions of one number become one factor, which restricts
    /// the number to an interval.
    ///
    /// **Errors.** The errors of the functions of the model.
    pub(super) fn add_sites(&mut self, sites: Vec<Site>) -> Result<(), Error> {
        let mut all: Vec<OpenSite> = Vec::new();
        // The indices of comparisons in `all`, by the vectors of their numbers.
        let mut compared: FxHashMap<SmallVec<[usize; 4]>, Vec<usize>> = FxHashMap::default();
        for site in sites {
            let Some(argument) = self.open_argument(&site)? else {
                continue;
            };
            if !site.is_comparison() {
                all.push(OpenSite::function(site, argument));
                continue;
            }
            let places = compared.entry(argument.vectors()).or_default();
            let mut joined = None;
            for &place in &*places {
                if let Some(number) = self.joined(&all[place], &site, &argument)? {
                    joined = Some((place, number));
                    break;
                }
            }
            if let Some((place, number)) = joined {
                all[place].add(site, number);
            } else {
                places.push(all.len());
                let mut open = OpenSite::no_comparisons(argument);
                open.add(site, Conditional::always((0.0, 1.0)));
                all.push(open);
            }
        }
        for site in all {
            let made = self.site_factor(site)?;
            self.sites.push(made);
        }
        Ok(())
    }

    /// Returns the real number of a likelihood as a function of real vectors that evidence does not determine. If evidence determines the real
    /// number, adds the likelihood as a factor of finite variables, and returns `None`.
    pub(super) fn open_argument(
        &mut self,
        site: &Site,
    ) -> Result<Option<Rc<Conditional<Linear>>>, Error> {
        let rows = self.substituted(&site.element, &site.function.argument)?;
        let rows = rows.map_or_else(|| Rc::clone(&site.function.argument), Rc::new);
        if !rows.vectors().is_empty() {
            return Ok(Some(rows));
        }
        let scope = union([&rows.finite[..], &site.function.scope]);
        let sizes = self.scan.finite.sizes(&scope);
        let assignments = self.scan.finite.assignments(&site.element, &scope)?;
        let mut logs = Vec::with_capacity(assignments.len());
        for values in &assignments {
            let value_of = |place: usize| values[scope.binary_search(&place).unwrap_or_default()];
            let number = rows.row(&scope, values, &sizes).offset()[0];
            let log = site.log_likelihood(&self.scan.finite, &value_of, number)?;
            logs.push(log + site.log_values(&self.scan.finite));
        }
        self.add_finite(&scope, |place| logs[place]);
        Ok(None)
    }

    /// Returns `argument`, the function that `site` compares with zero, as a linear function of the number that the comparisons `open` restrict.
    /// Returns `None` if `argument` is not a linear function of that number, or if the factor of all comparisons would have too many assignments of
    /// finite elements.
    fn joined(
        &self,
        open: &OpenSite,
        site: &Site,
        argument: &Conditional<Linear>,
    ) -> Result<Option<Conditional<(f64, f64)>>, Error> {
        let number = self.scan.slopes(&site.element, &open.argument, argument)?;
        Ok(number.filter(|number| {
            let scope = union([&open.scope[..], &number.finite, &site.function.scope]);
            let sizes = self.scan.finite.sizes(&scope);
            let assignments: f64 = sizes.into_iter().map(|size| size as f64).product();
            scope == open.scope || assignments <= MAX_ASSIGNMENTS
        }))
    }

    /// Adds a factor for the likelihood `site` to the factor graph. The factor of a likelihood is constant until expectation propagation approximates
    /// the likelihood.
    pub(super) fn site_factor(&mut self, site: OpenSite) -> Result<SiteFactor, Error> {
        let OpenSite {
            likelihood,
            argument,
            scope,
        } = site;
        let sizes = self.scan.finite.sizes(&scope);
        let all = self.scan.finite.assignments(likelihood.element(), &scope)?;
        let (finite, places) = self.entries(&scope);
        let reals = argument.vectors();
        let columns = self.columns(&reals);
        let width: usize = columns.iter().map(|(_, width)| width).sum();
        let mut projections = Vec::with_capacity(places.len());
        for &place in &places {
            let row = argument.row(&scope, &all[place], &sizes);
            let mut coefficients = vec![0.0; width];
            for (index, own) in row.terms() {
                let (start, width) = columns[reals.binary_search(&index).unwrap_or_default()];
                for (to, from) in coefficients[start..start + width]
                    .iter_mut()
                    .zip(own.iter())
                {
                    *to = *from;
                }
            }
            projections.push(Projection {
                offset: row.offset()[0],
                coefficients,
            });
        }
        let named = reals.iter().filter_map(|&index| self.reals[index]);
        self.graph.factors.push(HybridFactor {
            finite,
            reals: named.collect(),
            forms: smallvec![SquareRootForm::constant(width, 0.0); places.len()],
        });
        Ok(SiteFactor {
            likelihood,
            factor: self.graph.factors.len() - 1,
            projections,
            assignments: places.iter().map(|&place| all[place].to_vec()).collect(),
            scope,
        })
    }

    /// Approximates all likelihoods that are not Gaussian by Gaussian functions.
    ///
    /// **Errors.** The errors of the model's functions and of the variable elimination.
    pub(crate) fn propagate(
        &mut self,
        sweeps: Sweeps,
        (limit, limits): (usize, &Limits),
        progress: &dyn Fn(u64),
    ) -> Result<Convergence, Error> {
        let failed = std::cell::OnceCell::new();
        let finite = &self.scan.finite;
        let sites = self.sites.iter().map(|made| {
            let log_values = made.log_values(finite);
            let failed = &failed;
            let peaks = made.peaks(self.sites.len(), &limits.until);
            figrs_gaussian::LikelihoodFactor {
                factor: made.factor,
                projections: made.projections.clone(),
                tilted: Box::new(move |place, mean, variance| {
                    // An error ends the run after this sweep.
                    if failed.get().is_some() {
                        return None;
                    }
                    let assignment = made.assignment(finite, place);
                    let tilted = made.tilted(assignment, (mean, variance), &peaks[place]);
                    let tilted = tilted.unwrap_or_else(|error| {
                        let _ = failed.set(error);
                        None
                    })?;
                    Some(Tilted {
                        log_mass: tilted.log_mass + log_values,
                        ..tilted
                    })
                }),
            }
        });
        let sites: Vec<figrs_gaussian::LikelihoodFactor<'_>> = sites.collect();
        let found = propagate(&mut self.graph, &sites, sweeps, (limit, limits), progress);
        drop(sites);
        if let Some(error) = failed.into_inner() {
            // A search for peaks that was interrupted may have missed the values that the evidence allows.
            check_interrupt(&limits.until)?;
            return Err(error);
        }
        found.map_err(|error| match error {
            GaussianError::InfiniteLikelihood { site } => self.sites[site].likelihood.improper(),
            error => explained(self, error),
        })
    }

    /// Returns the comparisons that guide weighted draws: all of them, or the first ones if there are too many.
    pub(crate) fn guides(&self) -> Vec<GuidedLikelihood<'_>> {
        let numbers = self.graph.dimensions.iter().sum::<usize>();
        let comparisons = self.sites.iter().filter_map(|made| {
            let comparisons = made.comparisons()?;
            let bounds = |place| comparisons.bounds(made.assignment(&self.scan.finite, place));
            Some(GuidedLikelihood {
                factor: made.factor,
                projections: made.projections.clone(),
                bounds: (0..made.assignments.len()).map(bounds).collect(),
                log_height: made.log_values(&self.scan.finite),
                draw: &drawn_between,
            })
        });
        comparisons.take(MAX_GUIDED / numbers.max(1)).collect()
    }

    /// Returns the logarithm of the product of all likelihoods that are not Gaussian in a world, divided by the product of their Gaussian
    /// approximations. The likelihoods of the factors `guiding`, whose indices are in ascending order, are left out of the product.
    ///
    /// **Errors.** The errors of the functions of the model.
    pub(crate) fn log_correction(
        &self,
        world: &HybridWorld<'_, '_>,
        guiding: &[usize],
    ) -> Result<f64, Error> {
        let mut log = 0.0;
        let is_open = |made: &&SiteFactor| guiding.binary_search(&made.factor).is_err();
        for made in self.sites.iter().filter(is_open) {
            let HybridFactor {
                finite,
                reals,
                forms,
            } = &self.graph.factors[made.factor];
            let place = finite.iter().fold(0, |place, &v| {
                place * self.graph.finite.cardinality(v) + world.finite[v.index()] as usize
            });
            let numbers = reals.iter().flat_map(|real| &world.reals[real.index()]);
            let numbers: Vec<f64> = numbers.copied().collect();
            let Projection {
                offset,
                coefficients,
            } = &made.projections[place];
            let terms = coefficients.iter().zip(&numbers).map(|(a, x)| a * x);
            let number = offset + terms.sum::<f64>();
            let assignment = made.assignment(&self.scan.finite, place);
            log += made.log_likelihood(assignment, number)?;
            log += made.log_values(&self.scan.finite);
            log -= forms[place].log_value(&DVector::from_vec(numbers));
        }
        Ok(log)
    }
}
