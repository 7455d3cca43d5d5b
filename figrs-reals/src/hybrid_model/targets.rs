//! Targets of a query as functions of the variables and real vectors of the factor graph.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use figrs_answer::error::Error;
use figrs_core::internals::{AtomicOp, is_random};
use figrs_core::{AnyElement, Datum, Support};
use figrs_factor::graph::VarId;
use figrs_gaussian::{
    GaussianError, HybridFactor, HybridPosterior, JointMixture, RealId, SquareRootForm,
};
use nalgebra::DMatrix;
use smallvec::{SmallVec, smallvec};

use super::HybridModel;
use crate::finite_part::Assigned;
use crate::linear_element::{Conditional, Linear, union};
use crate::scan::Form;

/// The range of an element's numbers in the concatenated numbers of several elements; `None` if the element is finite.
pub(crate) type NumbersOfElement = Option<Range<usize>>;

/// The real vectors of a target, and a constant factor that contains all of them, so that their joint distribution can be read from the elimination.
pub(crate) struct Mention {
    /// The real vectors of the target, each by its index in the model and its identifier in the factor graph.
    pub(crate) vectors: SmallVec<[(usize, RealId); 1]>,
    /// The index of the constant factor in the factor graph; `None` if the target is a single vector and needs no such factor.
    factor: Option<usize>,
}

impl Mention {
    /// True if the vectors of the target depend on the real vectors of `factor` through a sequence of factors.
    pub(crate) fn is_connected(&self, posterior: &HybridPosterior<'_>, factor: usize) -> bool {
        let mut reals = self.vectors.iter().map(|(_, real)| *real);
        reals.any(|real| posterior.is_connected(factor, real))
    }

    /// Returns the joint distribution of the real vectors and the finite elements of the target.
    ///
    /// **Errors.** [`GaussianError::TooManyComponents`] if the joint distribution has more than `limit` mixture components.
    pub(crate) fn joint(
        &self,
        posterior: &HybridPosterior<'_>,
        limit: usize,
    ) -> Result<JointMixture, GaussianError> {
        match self.factor {
            Some(factor) => posterior.joint_of_factor(factor, limit),
            None => posterior.joint(&[self.vectors[0].1], limit),
        }
    }
}

impl HybridModel<'_> {
    /// Returns the variable in the factor graph and the possible values of a finite target; the variable is `None` if the target has only one
    /// possible value.
    pub(crate) fn finite_target(&mut self, target: &AnyElement) -> (Option<VarId>, Support) {
        let place = self.scan.finite.place(target);
        let position = self.positions[place].expect("a target is in the expansion");
        let support = self.expansion.elements()[position].support.clone();
        (self.target_variables[place], support)
    }

    /// True if a target of the query or the evidence depends on `element`.
    pub(crate) fn depends_on(&self, element: &AnyElement) -> bool {
        let is_expanded = || self.expansion.position(element).is_some();
        self.scan.forms.contains_key(&element.id()) || is_expanded()
    }

    /// Returns the elements that have a distribution of their own, that is, are not deterministic functions.
    pub(crate) fn random_elements(&self) -> Vec<AnyElement> {
        let finite = self.expansion.elements().iter().map(|own| &own.element);
        let parameters = self.scan.parameters.iter().map(|own| &own.element);
        let reals = self.elements.iter().flatten().chain(parameters);
        let all = reals.chain(finite).filter(|element| is_random(element));
        all.filter(|element| !self.scan.is_set(element))
            .cloned()
            .collect()
    }

    /// If `target` is a parameter with a conjugate prior, returns the index of its posterior.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the target is a multiple of a parameter with a conjugate prior, or if a `Chain` selects the parameter.
    pub(crate) fn parameter(&self, target: &AnyElement) -> Result<Option<usize>, Error> {
        if self.posteriors.is_empty() {
            return Ok(None);
        }
        let Form::Parameter(multiple) = *self.scan.form(target) else {
            return Ok(None);
        };
        if multiple.factor != 1.0 || self.scan.parameters[multiple.parameter].is_chosen {
            let problem = "it is a multiple of a parameter, or a Chain chooses it; ask for the parameter, or for the Chain";
            return Err(Error::not_closed_form(target, problem));
        }
        Ok(Some(multiple.parameter))
    }

    /// Returns the posterior of the parameter that scales the precisions or variances of all normal elements, if the model has one.
    pub(crate) fn scale_posterior(&self) -> Option<&Arc<dyn AtomicOp>> {
        let &(_, parameter, _) = self.scan.scales.first()?;
        self.posteriors[parameter].rows[0].distribution.as_ref()
    }

    /// Returns the posterior of `parameter` for the assignment `values` of `variables`; `None` if the assignment is impossible.
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

    /// Returns a real target as a linear function of the real vectors of the factor graph, for each assignment of some finite elements; `None` if the
    /// target is finite.
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
            Form::Function(_) => Err(Error::not_closed_form(
                target,
                "its distribution is not normal; ask for a real element with a normal distribution, or draw samples"
                    .to_owned(),
            )),
        }
    }

    /// Returns the concatenated numbers of all real elements of `elements` as a linear function of random vectors, for each assignment of some finite
    /// elements. The second result has, for each element, the range of its numbers in the concatenated numbers, or `None` if the element is finite.
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
                let place = self.scan.finite.place(element);
                scope.push(self.scan.finite.base(place));
            }
        }
        let scope = union([&scope[..]]);
        let sizes = self.scan.finite.sizes(&scope);
        let mut rows = SmallVec::new();
        let assignments = |element| self.scan.finite.assignments(element, &scope);
        let assignments = elements.first().map(assignments).transpose()?;
        let assignments = assignments.unwrap_or_else(|| smallvec![Assigned::new()]);
        for values in assignments {
            let mut all = Linear::constant(&vec![0.0; start]);
            let mut at = 0;
            for part in &parts {
                let row = part.row(&scope, &values, &sizes);
                let n = row.numbers();
                let mut place = DMatrix::<f64>::zeros(start, n);
                place.view_mut((at, 0), (n, n)).fill_with_identity();
                all.add(place.as_slice(), row);
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

    /// Returns the value of the finite `element` for the assignment `values` of `variables`.
    pub(crate) fn datum(&self, element: &AnyElement, variables: &[VarId], values: &[u32]) -> Datum {
        let place = self.scan.finite.known_place(element);
        let value = self.value(place, variables, values);
        self.scan.finite.support(place).datum(value as usize)
    }

    /// Adds a constant factor that contains the real vectors and the finite elements of a target, so that their joint distribution can be read from
    /// the elimination.
    pub(crate) fn mention(&mut self, rows: &Conditional<Linear>) -> Mention {
        let reals = rows.vectors();
        let named = reals
            .iter()
            .filter_map(|&index| Some((index, self.reals[index]?)));
        let mut named: SmallVec<[(usize, RealId); 1]> = named.collect();
        if rows.finite.is_empty() && named.len() == 1 {
            return Mention {
                vectors: named,
                factor: None,
            };
        }
        let (finite, places) = self.entries(&rows.finite);
        if finite.is_empty() && named.len() == 1 {
            return Mention {
                vectors: named,
                factor: None,
            };
        }
        if named.is_empty() {
            // The target depends on no vector. A standard normal number is added, because the joint distribution of finite elements can only be read
            // together with a vector.
            let unused = self.graph.add_real(1);
            let one = DMatrix::identity(1, 1);
            let form = SquareRootForm::residual(1, [(0, one.as_view())], &[0.0], &one);
            self.graph.factors.push(HybridFactor {
                finite: Vec::new(),
                reals: smallvec![unused],
                forms: smallvec![form],
            });
            named.push((usize::MAX, unused));
        }
        let reals: SmallVec<[RealId; 4]> = named.iter().map(|(_, real)| *real).collect();
        let dimension = reals.iter().map(|&real| self.graph.dimension(real)).sum();
        self.graph.factors.push(HybridFactor {
            finite,
            reals,
            forms: smallvec![SquareRootForm::constant(dimension, 0.0); places.len()],
        });
        Mention {
            vectors: named,
            factor: Some(self.graph.factors.len() - 1),
        }
    }

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
}
