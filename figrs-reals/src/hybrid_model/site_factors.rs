//! The factors of likelihoods that are not Gaussian.

use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::Limits;
use figrs_factor::eliminate::error::check_interrupt;
use figrs_gaussian::{
    Convergence, HybridFactor, Peaks, Projection, SquareRootForm, Sweeps, Tilted, propagate,
};
use nalgebra::DVector;
use smallvec::smallvec;

use super::HybridModel;
use crate::closed_form::explained;
use crate::hybrid_world::HybridWorld;
use crate::linear_element::{Conditional, Linear, union};
use crate::site::Site;

/// A factor for a likelihood that is not Gaussian.
#[derive(Debug)]
pub(crate) struct SiteFactor {
    pub(crate) site: Site,
    pub(super) factor: usize,
    /// For each assignment of the factor's variables, the real number on which the likelihood depends, as a linear function.
    pub(super) projections: Vec<Projection>,
    /// The indices of the finite elements on which the likelihood and its real number depend, in ascending order.
    pub(super) scope: Vec<usize>,
    /// For each assignment of the factor's variables, the indices of the finite elements' values in their supports.
    pub(super) assignments: Vec<Vec<u32>>,
}

impl HybridModel<'_> {
    /// Returns the error for evidence whose likelihood is zero at all numbers that were tried. This proves that the evidence is impossible only if
    /// all likelihoods are comparisons.
    pub(crate) fn unsatisfied(&self, error: Error) -> Error {
        let mut sites = self.sites.iter().map(|made| &made.site);
        match (&error, sites.find(|site| !site.is_comparison())) {
            (Error::ImpossibleEvidence { .. }, Some(site)) => {
                let problem = "its likelihood is zero at all numbers that were tried, which are at most some millionths of a standard deviation \
                apart: the evidence is impossible, or satisfied only in a narrower interval; state an interval by comparisons such as \
                `greater_than`, or use a sampler";
                Error::not_closed_form(&site.element, problem)
            }
            _ => error,
        }
    }

    pub(super) fn add_site(&mut self, site: Site) -> Result<(), Error> {
        let rows = self.substituted(&site.element, &site.function.argument)?;
        let rows = rows.map_or_else(|| Rc::clone(&site.function.argument), Rc::new);
        let scope = union([&rows.finite[..], &site.function.scope]);
        if !rows.vectors().is_empty() {
            let made = self.site_factor(site, (&rows, scope))?;
            self.sites.push(made);
            return Ok(());
        }
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
        Ok(())
    }

    /// Adds a factor for the likelihood `site` of the real number `rows`, given the finite elements `scope`. The factor is constant at first.
    pub(super) fn site_factor(
        &mut self,
        site: Site,
        (rows, scope): (&Conditional<Linear>, Vec<usize>),
    ) -> Result<SiteFactor, Error> {
        let sizes = self.scan.finite.sizes(&scope);
        let all = self.scan.finite.assignments(&site.element, &scope)?;
        let (finite, places) = self.entries(&scope);
        let reals = rows.vectors();
        let columns = self.columns(&reals);
        let width: usize = columns.iter().map(|(_, width)| width).sum();
        let mut projections = Vec::with_capacity(places.len());
        for &place in &places {
            let row = rows.row(&scope, &all[place], &sizes);
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
            site,
            factor: self.graph.factors.len() - 1,
            projections,
            assignments: places.iter().map(|&place| all[place].clone()).collect(),
            scope,
        })
    }

    /// Approximates all likelihoods that are not Gaussian by Gaussian functions.
    ///
    /// **Errors.** The errors of the model's functions and of the elimination.
    pub(crate) fn propagate(
        &mut self,
        sweeps: Sweeps,
        (limit, limits): (usize, &Limits),
        progress: &dyn Fn(u64),
    ) -> Result<Convergence, Error> {
        let failed = std::cell::OnceCell::new();
        let finite = &self.scan.finite;
        let sites = self.sites.iter().map(|made| {
            let SiteFactor {
                site,
                scope,
                assignments,
                ..
            } = made;
            let log_values = site.log_values(finite);
            let failed = &failed;
            let peaks = |_| site.peaks(self.sites.len(), assignments.len(), &limits.until);
            let peaks: Vec<Peaks> = (0..assignments.len()).map(peaks).collect();
            figrs_gaussian::LikelihoodFactor {
                factor: made.factor,
                projections: made.projections.clone(),
                tilted: Box::new(move |place, mean, variance| {
                    let values = &assignments[place];
                    let value_of =
                        |place: usize| values[scope.binary_search(&place).unwrap_or_default()];
                    let tilted = site.tilted(finite, &value_of, (mean, variance), &peaks[place]);
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
        found.map_err(|error| explained(self, error))
    }

    /// Returns the logarithm of the product of all likelihoods that are not Gaussian in a world, divided by the product of their approximations.
    ///
    /// **Errors.** The errors of the functions of the model.
    pub(crate) fn log_correction(&self, world: &HybridWorld<'_, '_>) -> Result<f64, Error> {
        let mut log = 0.0;
        for made in &self.sites {
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
            let values = &made.assignments[place];
            let value_of =
                |place: usize| values[made.scope.binary_search(&place).unwrap_or_default()];
            let finite = &self.scan.finite;
            let likelihood = made.site.log_likelihood(finite, &value_of, number)?;
            log += likelihood + made.site.log_values(finite);
            log -= forms[place].log_value(&DVector::from_vec(numbers));
        }
        Ok(log)
    }
}
