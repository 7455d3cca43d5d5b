//! The factor graph of the normal elements and the finite elements of a model.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use figrs_answer::error::Error;
use figrs_answer::limits::{expand, expand_for_best_world};
use figrs_core::expand::{Content, Encoding, Expansion};
use figrs_core::internals::{AtomicOp, QueryKind};
use figrs_core::{AnyElement, Datum, Limits, Model, Support};
use figrs_factor::graph::{Assignments, Factor, FactorTable, VarId, Weights};
use figrs_gaussian::{
    Convergence, HybridFactor, HybridGraph, Projection, RealId, SquareRootForm, Sweeps, Tilted,
    propagate,
};
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::closed_form::explained;
use crate::conjugate::ParameterPosterior;
use crate::finite_part::numbers_of;
use crate::hybrid_world::HybridWorld;
use crate::linear_element::{Conditional, Linear, union};
use crate::scan::{Form, NormalVector, Scan, not_closed};
use crate::site::Site;
use figrs_answer::conflict;

/// The indices of the numbers of an element in the concatenated numbers of several elements; `None` if the element is finite.
pub(crate) type NumbersOfElement = Option<Range<usize>>;

/// A model as a hybrid factor graph of finite variables and real vectors.
pub(crate) struct HybridModel<'m> {
    scan: Scan<'m>,
    pub(crate) graph: HybridGraph,
    pub(crate) expansion: Expansion,
    /// For each finite element, a variable that determines its value, and for each value of the variable the index of the value in the element's
    /// support. A finite element with one possible value needs no variable.
    variables: Vec<(Option<VarId>, Vec<u32>)>,
    /// For each finite element, the variable that has its value, if there is one.
    target_variables: Vec<Option<VarId>>,
    /// For each normal vector that evidence determines, its value as a function of other vectors of the model.
    known: Vec<Option<Box<Conditional<Linear>>>>,
    /// For each free vector, the vectors that evidence determines as functions of it.
    functions_of: FxHashMap<usize, Vec<usize>>,
    /// For each vector, its identifier in the hybrid factor graph. The identifiers of the normal vectors come first, followed by those of the
    /// vectors of numbers that an observation leaves undetermined.
    reals: Vec<Option<RealId>>,
    /// For each vector, its dimension; zero for a vector that was merged with another vector.
    dimensions: Vec<usize>,
    pub(crate) sites: Vec<SiteFactor>,
    /// For each parameter, its posterior given the finite elements.
    posteriors: Vec<Conditional<ParameterPosterior>>,
}

/// A factor for a likelihood that is not Gaussian.
#[derive(Debug)]
pub(crate) struct SiteFactor {
    pub(crate) site: Site,
    /// The index of the factor in the hybrid factor graph.
    factor: usize,
    /// For each assignment of the factor's variables, the real number on which the likelihood depends, as a linear function.
    projections: Vec<Projection>,
    /// The finite elements on which the likelihood and its real number depend, as numbers in ascending order.
    scope: Vec<usize>,
    /// For each assignment of the factor's variables, the indices of the elements' values in their supports.
    assignments: Vec<Vec<u32>>,
}

impl<'m> HybridModel<'m> {
    /// Builds the hybrid factor graph of a model.
    ///
    /// **Errors.** The errors of the scan of the model and of the expansion of its finite elements; [`Error::NotClosedForm`] if evidence on a real
    /// element is not an observation.
    pub(crate) fn new(
        scan: Scan<'m>,
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
    ) -> Result<Self, Error> {
        Ok(Self::asked(QueryKind::Sums, scan, (model, targets), limits)?.0)
    }

    /// Builds the hybrid factor graph of a model, for sums or for the most probable world, and the encoding of its finite elements.
    ///
    /// **Errors.** As [`new`](Self::new).
    pub(crate) fn asked(
        asked: QueryKind,
        mut scan: Scan<'m>,
        (model, targets): (&Model, &[AnyElement]),
        limits: &Limits,
    ) -> Result<(Self, Encoding), Error> {
        if let Some(&(_, parameter, _)) = scan.scales.first() {
            let parameter = &scan.parameters[parameter];
            if parameter.scaled.is_none() && !parameter.is_chosen {
                let problem = "it is an unknown precision or variance of normal elements, which filters and ExpectationPropagation do not integrate out";
                return Err(not_closed(&parameter.element, problem.to_owned()));
            }
        }
        for target in targets {
            if matches!(scan.form(target), Form::Finite | Form::Observed) {
                scan.finite.place(target);
            }
        }
        scan.finite.find_supports()?;
        let is_finite = |i: usize| matches!(scan.form(&model.evidence()[i].0), Form::Finite);
        let finite_model = scan.finite.with_free_elements(model.filtered(is_finite));
        let expansion = match asked {
            QueryKind::Sums => expand(limits, &finite_model, &scan.finite.elements)?,
            QueryKind::BestWorld => {
                expand_for_best_world(limits, &finite_model, &scan.finite.elements)?
            }
        };
        if expansion.impossible().is_some() {
            return Err(conflict::impossible(
                &finite_model,
                &scan.finite.elements,
                limits,
            ));
        }
        conflict::check_failures(&expansion, limits)?;
        let mut encoding = match asked {
            QueryKind::Sums => Encoding::for_sums(&expansion, expansion.targets())?,
            QueryKind::BestWorld => Encoding::for_worlds(&expansion)?,
        };
        let places = expansion.targets().iter().enumerate();
        let variables = places.map(|(place, &position)| {
            let support = &expansion.elements()[position].support;
            let values = values_in(scan.finite.support(place), support);
            let (base, own) = base_of(&expansion, &encoding, position);
            let values = own.map_or(values.clone(), |own| {
                own.iter().map(|&value| values[value as usize]).collect()
            });
            (encoding.variable(base), values)
        });
        let variables = variables.collect();
        let own = expansion.targets().iter();
        let target_variables = own.map(|&position| encoding.variable(position)).collect();
        let mut this = Self {
            variables,
            target_variables,
            graph: HybridGraph {
                finite: encoding.take_graph(),
                ..HybridGraph::default()
            },
            known: vec![None; scan.vectors.len()],
            functions_of: FxHashMap::default(),
            reals: vec![None; scan.vectors.len()],
            dimensions: scan
                .vectors
                .iter()
                .map(|vector| vector.as_ref().map_or(0, |v| v.dimension))
                .collect(),
            sites: Vec::new(),
            posteriors: Vec::new(),
            expansion,
            scan,
        };
        for (position, (element, evidence)) in model.evidence().iter().enumerate() {
            if let Form::Real(rows) = this.scan.form(element).clone() {
                if this.scan.sites.is_some() && evidence.observed().is_none() {
                    continue;
                }
                let value = evidence
                    .observed()
                    .and_then(|value| numbers_of(value.as_any()));
                let value = value.filter(|value| value.len() == rows.rows[0].numbers());
                let value = value.ok_or_else(|| {
                    let problem = "only its value can be observed, with as many numbers as it has; ExpectationPropagation takes conditions and weights of one number";
                    not_closed(element, problem.to_owned())
                })?;
                if value.iter().any(|x| !x.is_finite()) {
                    return Err(Error::ImpossibleEvidence {
                        conflict: vec![model.describe(position)],
                        is_minimal: true,
                    });
                }
                this.observe(element, &rows, &value)?;
            }
        }
        for index in 0..this.known.len() {
            if this.known[index].is_none() && this.dimensions[index] > 0 {
                this.reals[index] = Some(this.graph.add_real(this.dimensions[index]));
            }
        }
        let vectors = std::mem::take(&mut this.scan.vectors);
        for (index, vector) in vectors.iter().enumerate() {
            if let Some(vector) = vector {
                this.add_rule(index, vector)?;
            }
        }
        this.scan.vectors = vectors;
        for parameter in &this.scan.parameters {
            this.posteriors
                .push(parameter.posteriors(&this.scan.finite)?);
        }
        for index in 0..this.posteriors.len() {
            let posterior = &this.posteriors[index];
            let logs: Vec<f64> = posterior.rows.iter().map(|row| row.log_total).collect();
            if !this.scan.parameters[index].is_chosen && logs.iter().any(|&log| log != 0.0) {
                let scope = posterior.finite.clone();
                this.add_finite(&scope, |place| logs[place]);
            }
        }
        for site in this.scan.sites.take().unwrap_or_default() {
            this.add_site(site)?;
        }
        Ok((this, encoding))
    }

    /// Adds the factor of a likelihood that is not Gaussian.
    fn add_site(&mut self, site: Site) -> Result<(), Error> {
        let rows = self.substituted(&site.element, &site.function.argument)?;
        let rows = rows.as_ref().unwrap_or(&site.function.argument);
        let scope = union([&rows.finite[..], &site.function.scope]);
        let sizes = self.scan.finite.sizes(&scope);
        let assignments = self.scan.finite.assignments(&site.element, &scope)?;
        let (finite, places) = self.entries(&scope);
        let reals = rows.vectors();
        if reals.is_empty() {
            let mut logs = Vec::with_capacity(assignments.len());
            for values in &assignments {
                let value_of =
                    |place: usize| values[scope.binary_search(&place).unwrap_or_default()];
                let number = rows.row(&scope, values, &sizes).offset()[0];
                let log = site.log_likelihood(&self.scan.finite, &value_of, number)?;
                logs.push(log + site.log_values(&self.scan.finite));
            }
            self.add_finite(&scope, |place| logs[place]);
            return Ok(());
        }
        let columns = self.columns(&reals);
        let width: usize = columns.iter().map(|(_, width)| width).sum();
        let mut projections = Vec::with_capacity(places.len());
        for &place in &places {
            let row = rows.row(&scope, &assignments[place], &sizes);
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
            forms: vec![SquareRootForm::constant(width, 0.0); places.len()],
        });
        self.sites.push(SiteFactor {
            site,
            factor: self.graph.factors.len() - 1,
            projections,
            assignments: places
                .iter()
                .map(|&place| assignments[place].clone())
                .collect(),
            scope,
        });
        Ok(())
    }

    /// Approximates all likelihoods that are not Gaussian by Gaussian functions.
    ///
    /// **Errors.** The errors of the likelihoods and of the elimination.
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
            figrs_gaussian::Site {
                factor: made.factor,
                projections: made.projections.clone(),
                tilted: Box::new(move |place, mean, variance| {
                    let values = &assignments[place];
                    let value_of =
                        |place: usize| values[scope.binary_search(&place).unwrap_or_default()];
                    let tilted = site.tilted(finite, &value_of, (mean, variance));
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
        let sites: Vec<figrs_gaussian::Site<'_>> = sites.collect();
        let found = propagate(&mut self.graph, &sites, sweeps, (limit, limits), progress);
        drop(sites);
        if let Some(error) = failed.into_inner() {
            return Err(error);
        }
        found.map_err(|error| explained(self, error))
    }

    /// Returns the logarithm of the product of all likelihoods that are not Gaussian, divided by the product of their approximations, in a world.
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

    /// Observes the value of a linear function of vectors, which makes one of the vectors a function of the others.
    fn observe(
        &mut self,
        element: &AnyElement,
        rows: &Conditional<Linear>,
        value: &DVector<f64>,
    ) -> Result<(), Error> {
        let replaced = self.substituted(element, rows)?;
        let rows = replaced.as_ref().unwrap_or(rows);
        let index = chosen_vector(rows).ok_or_else(|| {
            let problem = "its value is observed, and other observations determine it already, or it has a density for some values of finite elements alone";
            not_closed(element, problem.to_owned())
        })?;
        let mut solved = SmallVec::with_capacity(rows.rows.len());
        let mut logs = Vec::with_capacity(rows.rows.len());
        let free = self.known.len();
        for row in &rows.rows {
            let (solution, log) = solution(row, (index, free), value).ok_or_else(|| {
                let problem = "its value is observed, and its numbers depend on each other";
                not_closed(element, problem.to_owned())
            })?;
            solved.push(solution);
            logs.push(log);
        }
        if logs.iter().any(|&log| log != 0.0) {
            self.add_finite(&rows.finite, |place| logs[place]);
        }
        let left = self.dimensions[index] - value.len();
        if left > 0 {
            self.dimensions.push(left);
            self.known.push(None);
            self.reals.push(None);
        }
        let definition = Conditional {
            finite: rows.finite.clone(),
            rows: solved,
        };
        self.define(index, definition);
        for other in self.functions_of.remove(&index).unwrap_or_default() {
            if let Some(rows) = &self.known[other]
                && let Some(definition) = self.substituted(element, rows)?
            {
                self.define(other, definition);
            }
        }
        Ok(())
    }

    /// Defines a vector of the model as a function of other vectors.
    fn define(&mut self, index: usize, definition: Conditional<Linear>) {
        for other in definition.rows.iter().flat_map(Linear::vectors) {
            let functions = self.functions_of.entry(other).or_default();
            if functions.last() != Some(&index) {
                functions.push(index);
            }
        }
        self.known[index] = Some(Box::new(definition));
    }

    /// Replaces the vectors that evidence determines in a linear function; returns `None` if the function contains no such vector.
    fn substituted(
        &self,
        element: &AnyElement,
        rows: &Conditional<Linear>,
    ) -> Result<Option<Conditional<Linear>>, Error> {
        let all = rows.rows.iter().flat_map(Linear::vectors);
        let known = all.filter_map(|index| self.known[index].as_deref());
        let known: Vec<&Conditional<Linear>> = known.collect();
        if known.is_empty() {
            return Ok(None);
        }
        let scope = union(
            known
                .iter()
                .map(|k| &k.finite[..])
                .chain([&rows.finite[..]]),
        );
        let sizes = self.scan.finite.sizes(&scope);
        let assignments = self.scan.finite.assignments(element, &scope)?;
        let replaced = assignments.iter().map(|values| {
            let row = rows.row(&scope, values, &sizes);
            let mut sum = Linear::constant(row.offset());
            for (index, coefficients) in row.terms() {
                match &self.known[index] {
                    Some(known) => sum.add(coefficients, known.row(&scope, values, &sizes)),
                    None => sum.add_term(1.0, index, coefficients),
                }
            }
            sum
        });
        Ok(Some(Conditional {
            rows: replaced.collect(),
            finite: scope,
        }))
    }

    /// Adds a factor for the conditional distribution of a vector, given vectors before it.
    fn add_rule(&mut self, index: usize, vector: &NormalVector) -> Result<(), Error> {
        let NormalVector {
            element,
            dimension,
            rule,
        } = vector;
        let residuals = rule.rows.iter().map(|rule| {
            let mut residual = Linear::vector(index, *dimension);
            residual.add_multiple(-1.0, &rule.mean);
            residual
        });
        let residuals = Conditional {
            finite: rule.finite.clone(),
            rows: residuals.collect(),
        };
        let residuals = self.substituted(element, &residuals)?.unwrap_or(residuals);
        let sizes = self.scan.finite.sizes(&residuals.finite);
        let reals = residuals.vectors();
        let columns = self.columns(&reals);
        let width: usize = columns.iter().map(|(_, width)| width).sum();
        let assignments = self.scan.finite.assignments(element, &residuals.finite)?;
        let mut forms = Vec::with_capacity(assignments.len());
        for (values, row) in assignments.iter().zip(&residuals.rows) {
            let lower = &rule.row(&residuals.finite, values, &sizes).lower;
            let mut coefficients = DMatrix::zeros(*dimension, width);
            for (index, matrix) in row.terms() {
                let place = reals.binary_search(&index).unwrap_or_default();
                let (start, width) = columns[place];
                coefficients.columns_mut(start, width).copy_from(&matrix);
            }
            let offset = DVector::from_column_slice(row.offset());
            forms.push(SquareRootForm::residual(coefficients, offset, lower));
        }
        if reals.is_empty() {
            let logs: Vec<f64> = forms.iter().map(SquareRootForm::log_constant).collect();
            self.add_finite(&residuals.finite, |place| logs[place]);
            return Ok(());
        }
        let (finite, places) = self.entries(&residuals.finite);
        if places.iter().copied().ne(0..forms.len()) {
            forms = places.iter().map(|&place| forms[place].clone()).collect();
        }
        let reals = reals
            .iter()
            .filter_map(|&index| self.reals[index])
            .collect();
        self.graph.factors.push(HybridFactor {
            finite,
            reals,
            forms,
        });
        Ok(())
    }

    /// Returns, for each vector, its first column and its number of columns in a matrix with columns for all vectors.
    fn columns(&self, reals: &[usize]) -> Vec<(usize, usize)> {
        let mut start = 0;
        let column = |&index: &usize| {
            let width = self.reals[index].map_or(0, |real| self.graph.dimension(real));
            start += width;
            (start - width, width)
        };
        reals.iter().map(column).collect()
    }

    /// Adds a factor of finite elements, given the log-weight of each of their joint values.
    fn add_finite(&mut self, scope: &[usize], log_weight: impl Fn(usize) -> f64) {
        let (variables, places) = self.entries(scope);
        let logs = places.iter().map(|&place| log_weight(place)).collect();
        self.graph.finite.factors.push(Factor {
            variables,
            table: FactorTable::Dense(Weights::from_logs(logs)),
            normalised: false,
        });
    }

    /// Returns the variables of some finite elements, each once. For each assignment of the variables, the second result is the row-major index of
    /// the elements' joint value.
    fn entries(&self, scope: &[usize]) -> (Vec<VarId>, Vec<usize>) {
        let mut variables: Vec<VarId> = Vec::new();
        variables.extend(scope.iter().filter_map(|&place| self.variables[place].0));
        variables.sort_unstable();
        variables.dedup();
        let cardinalities = variables.iter().map(|&v| self.graph.finite.cardinality(v));
        let assignments = Assignments::rows(cardinalities);
        let sizes = self.scan.finite.sizes(scope);
        let mut values = vec![0; variables.len()];
        let mut places = Vec::with_capacity(assignments.count());
        loop {
            let index = scope.iter().zip(&sizes).fold(0, |index, (&place, size)| {
                index * size + self.value(place, &variables, &values) as usize
            });
            places.push(index);
            if assignments.advance(&mut values).is_none() {
                return (variables, places);
            }
        }
    }

    /// Returns the index of a finite element's value in its support, for an assignment of variables.
    pub(crate) fn value(&self, place: usize, variables: &[VarId], values: &[u32]) -> u32 {
        let (variable, in_scan) = &self.variables[place];
        let value = variable.and_then(|v| variables.binary_search(&v).ok());
        in_scan[value.map_or(0, |at| values[at] as usize)]
    }

    /// Returns the variable of a finite target and its possible values; the variable is `None` if the target has only one value.
    pub(crate) fn finite_target(&mut self, target: &AnyElement) -> (Option<VarId>, Support) {
        let place = self.scan.finite.place(target);
        let position = self.expansion.targets()[place];
        let support = self.expansion.elements()[position].support.clone();
        (self.target_variables[place], support)
    }

    /// Returns the index of the parameter's posterior if the target is a parameter.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the target is a multiple of a parameter, or if a Chain selects the parameter.
    pub(crate) fn parameter(&self, target: &AnyElement) -> Result<Option<usize>, Error> {
        let Form::Parameter(multiple) = *self.scan.form(target) else {
            return Ok(None);
        };
        if multiple.factor != 1.0 || self.scan.parameters[multiple.parameter].is_chosen {
            let problem = "it is a multiple of a parameter, or a Chain chooses it; ask for the parameter, or for the Chain";
            return Err(not_closed(target, problem.to_owned()));
        }
        Ok(Some(multiple.parameter))
    }

    /// Returns the count of real numbers that the evidence determines.
    pub(crate) fn observed_numbers(&self) -> usize {
        let all = self
            .scan
            .vectors
            .iter()
            .flatten()
            .map(|vector| vector.dimension);
        all.sum::<usize>() - self.graph.dimensions.iter().sum::<usize>()
    }

    /// Returns the posterior of the parameter that scales the precisions or variances of all normal elements, if there is one.
    pub(crate) fn scale_posterior(&self) -> Option<&Arc<dyn AtomicOp>> {
        let &(_, parameter, _) = self.scan.scales.first()?;
        self.posteriors[parameter].rows[0].distribution.as_ref()
    }

    /// Returns the posterior of a parameter for an assignment of variables; `None` if the assignment is impossible.
    pub(crate) fn parameter_posterior(
        &self,
        parameter: usize,
        variables: &[VarId],
        values: &[u32],
    ) -> Option<&Arc<dyn AtomicOp>> {
        let posterior = &self.posteriors[parameter];
        let sizes = self.scan.finite.sizes(&posterior.finite);
        let index = posterior
            .finite
            .iter()
            .zip(&sizes)
            .fold(0, |index, (&place, size)| {
                index * size + self.value(place, variables, values) as usize
            });
        posterior.rows[index].distribution.as_ref()
    }

    /// Returns a real target as a linear function of the vectors of the graph, for each assignment of some finite elements; `None` if the target is
    /// finite.
    pub(crate) fn real_target(
        &self,
        target: &AnyElement,
    ) -> Result<Option<Rc<Conditional<Linear>>>, Error> {
        match self.scan.form(target) {
            Form::Finite | Form::Observed => Ok(None),
            Form::Real(rows) => Ok(Some(match self.substituted(target, rows)? {
                Some(replaced) => Rc::new(replaced),
                None => Rc::clone(rows),
            })),
            Form::Parameter(_) => {
                let index = self.parameter(target)?.unwrap_or_default();
                let posterior = &self.posteriors[index];
                Ok(Some(Rc::new(Conditional {
                    finite: posterior.finite.clone(),
                    rows: smallvec![Linear::constant(&[]); posterior.rows.len()],
                })))
            }
            Form::Function(_) => Err(not_closed(
                target,
                "its distribution is not normal; ask for a real element that is, or draw samples"
                    .to_owned(),
            )),
        }
    }

    /// Returns the concatenated numbers of all given real elements as one linear function, for each assignment of finite elements. The second result
    /// has, for each element, the range of its numbers, or `None` if the element is finite.
    pub(crate) fn stacked(
        &mut self,
        elements: &[AnyElement],
    ) -> Result<(Conditional<Linear>, Vec<NumbersOfElement>), Error> {
        let (mut parts, mut numbers) = (Vec::new(), Vec::new());
        let (mut scope, mut start) = (Vec::new(), 0);
        for element in elements {
            if let Some(rows) = self.real_target(element)? {
                let end = start + rows.rows[0].numbers();
                numbers.push(Some(start..end));
                start = end;
                scope.extend(&rows.finite);
                parts.push(rows);
            } else {
                numbers.push(None);
                scope.push(self.scan.finite.place(element));
            }
        }
        let scope = union([&scope[..]]);
        let sizes = self.scan.finite.sizes(&scope);
        let mut rows = SmallVec::new();
        let assignments = |element| self.scan.finite.assignments(element, &scope);
        let assignments = elements.first().map(assignments).transpose()?;
        let assignments = assignments.unwrap_or_else(|| smallvec![Vec::new()]);
        for values in assignments {
            let mut all = Linear::constant(&vec![0.0; start]);
            let mut at = 0;
            for part in &parts {
                let row = part.row(&scope, &values, &sizes);
                let n = row.numbers();
                let mut place = DMatrix::zeros(start, n);
                place.view_mut((at, 0), (n, n)).fill_with_identity();
                all.add(place.as_view(), row);
                at += n;
            }
            rows.push(all);
        }
        let rows = Conditional {
            finite: scope,
            rows,
        };
        Ok((rows, numbers))
    }

    /// Returns the value of a finite element for an assignment of variables.
    pub(crate) fn datum(&self, element: &AnyElement, variables: &[VarId], values: &[u32]) -> Datum {
        let place = self.scan.finite.known_place(element);
        let value = self.value(place, variables, values);
        self.scan.finite.support(place).datum(value as usize)
    }

    /// Adds a constant factor with the vectors and the finite elements of a target, so that their joint distribution can be read from the factor
    /// graph. Returns the vectors of the target, each with its index and its identifier in the factor graph.
    pub(crate) fn mention(&mut self, rows: &Conditional<Linear>) -> Vec<(usize, RealId)> {
        let reals = rows.vectors();
        let named = reals
            .iter()
            .filter_map(|&index| Some((index, self.reals[index]?)));
        let mut named: Vec<(usize, RealId)> = named.collect();
        let (finite, places) = self.entries(&rows.finite);
        if finite.is_empty() && named.len() == 1 {
            return named;
        }
        if named.is_empty() {
            // A standard normal number that nothing depends on carries the joint distribution of the finite elements.
            let unused = self.graph.add_real(1);
            let one = DMatrix::identity(1, 1);
            let form = SquareRootForm::residual(one.clone(), DVector::zeros(1), &one);
            self.graph.factors.push(HybridFactor {
                finite: Vec::new(),
                reals: vec![unused],
                forms: vec![form],
            });
            named.push((usize::MAX, unused));
        }
        let reals: Vec<RealId> = named.iter().map(|(_, real)| *real).collect();
        let dimension = reals.iter().map(|&real| self.graph.dimension(real)).sum();
        self.graph.factors.push(HybridFactor {
            finite,
            reals,
            forms: vec![SquareRootForm::constant(dimension, 0.0); places.len()],
        });
        named
    }

    /// Returns the linear function of a target, for an assignment of the variables of the factor graph.
    pub(crate) fn row<'r>(
        &self,
        rows: &'r Conditional<Linear>,
        variables: &[VarId],
        values: &[u32],
    ) -> &'r Linear {
        let value = |&place: &usize| self.value(place, variables, values);
        let in_scan: Vec<u32> = rows.finite.iter().map(value).collect();
        rows.row(
            &rows.finite,
            &in_scan,
            &self.scan.finite.sizes(&rows.finite),
        )
    }

    /// Returns the scan of the model, which contains the forms of the elements.
    pub(crate) fn scan(&self) -> &Scan<'m> {
        &self.scan
    }

    /// Returns the identifier of a vector in the hybrid factor graph; `None` if evidence determines the vector.
    pub(crate) fn real(&self, index: usize) -> Option<RealId> {
        self.reals[index]
    }

    /// Returns the normal element that a vector of the graph represents.
    pub(crate) fn element(&self, real: RealId) -> Option<&AnyElement> {
        let index = self.reals.iter().position(|&other| other == Some(real))?;
        let vector = self.scan.vectors.get(index)?.as_ref();
        vector.map(|vector| &vector.element)
    }
}

/// Follows functions of a single element back from an element, and returns the index of the first element, with the value of the given element for
/// each value of the first. If the element is not a function of a single element, the list of values is `None`.
fn base_of(
    expansion: &Expansion,
    encoding: &Encoding,
    position: usize,
) -> (usize, Option<Vec<u32>>) {
    let (mut base, mut values) = (position, None);
    loop {
        let element = &expansion.elements()[base];
        let ([parent], Content::Apply(index)) = (&element.parents[..], &element.content) else {
            return (base, values);
        };
        let known = &expansion.elements()[*parent];
        let is_whole = index.len() == known.support.len()
            && index
                .iter()
                .all(|&value| (value as usize) < element.support.len())
            && !known.unknown;
        if !is_whole || encoding.variable(*parent).is_none() {
            return (base, values);
        }
        values = Some(match values {
            None => index.clone(),
            Some(of_base) => index.iter().map(|&value| of_base[value as usize]).collect(),
        });
        base = *parent;
    }
}

/// Returns, for each value of `support`, its index in the support `all`.
fn values_in(all: &Support, support: &Support) -> Vec<u32> {
    let position = |value| all.index_of(support.any(value)).unwrap_or_default() as u32;
    (0..support.len()).map(position).collect()
}

/// Returns the last vector that has a non-zero coefficient for every assignment of the finite elements.
fn chosen_vector(rows: &Conditional<Linear>) -> Option<usize> {
    let first = rows.rows.first()?;
    let is_everywhere = |index: usize| {
        rows.rows.iter().all(|row| {
            let found = row.coefficients(index);
            found.is_some_and(|coefficients| coefficients.iter().any(|&x| x != 0.0))
        })
    };
    let mut indices = first.vectors().rev();
    indices.find(|&index| is_everywhere(index))
}

/// Solves a linear equation for the vector `index`: returns this vector as a function of the others, and the logarithm of the factor by which the
/// density changes. If the equation determines only some numbers of the vector, the solution also depends on the vector `free`, which represents the
/// undetermined numbers. Returns `None` if the rows of the equation are linearly dependent.
fn solution(
    row: &Linear,
    (index, free): (usize, usize),
    value: &DVector<f64>,
) -> Option<(Linear, f64)> {
    if row.as_vector() == Some(index) {
        return Some((Linear::constant(value.as_slice()), 0.0));
    }
    let coefficients = row.coefficients(index)?;
    let (m, n) = coefficients.shape();
    if m > n {
        return None;
    }
    let squares = (coefficients * coefficients.transpose()).cholesky()?;
    let log_determinant = 2.0
        * squares
            .l_dirty()
            .diagonal()
            .iter()
            .map(|x| x.ln())
            .sum::<f64>();
    let inverse = coefficients.transpose() * squares.inverse();
    let offset = DVector::from_column_slice(row.offset());
    let mut solved = Linear::constant((&inverse * (value - offset)).as_slice());
    for (other, coefficients) in row.terms() {
        if other != index {
            solved.add_term(-1.0, other, (&inverse * coefficients).as_view());
        }
    }
    if n > m {
        let eigen = (coefficients.transpose() * coefficients).symmetric_eigen();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let basis = eigen.eigenvectors.select_columns(&order[..n - m]);
        solved.add_term(1.0, free, basis.as_view());
    }
    Some((solved, -0.5 * log_determinant))
}
