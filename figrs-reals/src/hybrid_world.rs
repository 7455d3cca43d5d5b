//! Worlds of a model (complete assignments), as values of the variables and real vectors of the model's factor graph.

use figrs_core::{AnyElement, Datum, Support};
use figrs_factor::graph::VarId;
use nalgebra::DVector;

use crate::closed_form::RealTarget;
use crate::conjugate::{Multiple, value_of_numbers};
use crate::hybrid_model::HybridModel;
use crate::linear_element::{Conditional, Linear};

/// A world of a model: values of all finite variables and real vectors of the model's factor graph.
pub(crate) struct HybridWorld<'w, 'm> {
    pub(crate) hybrid: &'w HybridModel<'m>,
    /// All finite variables of the factor graph, in ascending order.
    variables: Vec<VarId>,
    pub(crate) finite: Vec<u32>,
    pub(crate) reals: Vec<DVector<f64>>,
}

impl<'w, 'm> HybridWorld<'w, 'm> {
    pub(crate) fn new(
        hybrid: &'w HybridModel<'m>,
        finite: Vec<u32>,
        reals: Vec<DVector<f64>>,
    ) -> Self {
        Self {
            hybrid,
            variables: (0..finite.len() as u32).map(VarId).collect(),
            finite,
            reals,
        }
    }

    /// Returns the index, in its support, of the world's value of the finite element with the index `place`.
    pub(crate) fn finite_value(&self, place: usize) -> u32 {
        self.hybrid.value(place, &self.variables, &self.finite)
    }

    /// Returns the values of `targets` in the world; `finite` must be the result of [`finite_targets`].
    pub(crate) fn target_values(
        &self,
        targets: &[AnyElement],
        reals: &[Option<RealTarget>],
        finite: &[Option<(Option<VarId>, Support)>],
    ) -> Vec<Datum> {
        let targets = targets.iter().zip(reals).zip(finite);
        let values = targets.filter_map(|((target, real), finite)| match (real, finite) {
            (Some(real), _) => Some(self.real_value(target, &real.rows)),
            (None, Some((variable, support))) => {
                let value = variable.map_or(0, |v| self.finite[v.index()]);
                Some(support.datum(value as usize))
            }
            (None, None) => None,
        });
        values.collect()
    }

    /// Returns the value in the world of the real `element`, which is the linear function `rows` of the real vectors.
    pub(crate) fn real_value(&self, element: &AnyElement, rows: &Conditional<Linear>) -> Datum {
        value_of_numbers(element, self.numbers(rows))
    }

    /// Returns the most probable value of `element`, which is a multiple of a parameter with a conjugate prior; `None` if the value is not known.
    pub(crate) fn parameter_value(
        &self,
        element: &AnyElement,
        multiple: Multiple,
    ) -> Option<Datum> {
        let (variables, finite) = (&self.variables, &self.finite);
        let posterior = self
            .hybrid
            .parameter_posterior(multiple.parameter, variables, finite)?;
        let numbers = posterior.mode()?.into_iter();
        let numbers = numbers.map(|number| number * multiple.factor);
        Some(value_of_numbers(element, numbers.collect()))
    }

    fn numbers(&self, rows: &Conditional<Linear>) -> Vec<f64> {
        let row = self.hybrid.row(rows, &self.variables, &self.finite);
        let mut numbers = row.offset().to_vec();
        for (index, coefficients) in row.terms() {
            let Some(real) = self.hybrid.real(index) else {
                continue;
            };
            let vector = &self.reals[real.index()];
            for (number, term) in numbers.iter_mut().zip((coefficients * vector).iter()) {
                *number += term;
            }
        }
        numbers
    }
}

/// For each finite target, returns its variable in the factor graph and its possible values; for each real target, returns `None`.
pub(crate) fn finite_targets(
    hybrid: &mut HybridModel<'_>,
    targets: &[AnyElement],
    reals: &[Option<RealTarget>],
) -> Vec<Option<(Option<VarId>, Support)>> {
    let targets = targets.iter().zip(reals);
    let finite = targets.map(|(target, real)| real.is_none().then(|| hybrid.finite_target(target)));
    finite.collect()
}
