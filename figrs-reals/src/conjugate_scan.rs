//! Classification of parameters with conjugate priors, and of the elements whose distributions depend on a parameter.

use std::any::Any;
use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::internals::{FamilyOp, Kind, MemberArgument};
use figrs_core::{AnyElement, SupportBuilder};
use smallvec::SmallVec;

use crate::conjugate::{
    Multiple, Parameter, ReadValue, Reader, ScaledQuantity, is_prior, middle, not_conjugate, sorted,
};
use crate::linear_element::{Conditional, union};
use crate::normal_rule::rule;
use crate::scan::{Form, NormalVector, Scan};

impl Scan<'_> {
    pub(crate) fn add_parameter(
        &mut self,
        element: &AnyElement,
        prior: Conditional<AnyElement>,
    ) -> Form {
        self.parameters.push(Parameter {
            element: element.clone(),
            prior: Rc::new(prior),
            readers: Vec::new(),
            scaled: None,
            is_chosen: false,
        });
        Form::Parameter(Multiple {
            parameter: self.parameters.len() - 1,
            factor: 1.0,
        })
    }

    /// Classifies `element` as a parameter with a conjugate prior. The distribution of the parameter is continuous but not normal, and the arguments
    /// of the distribution have finitely many values. The result is `None` if the distribution family of the element is conjugate to no likelihoods.
    pub(crate) fn parameter_member(
        &mut self,
        element: &AnyElement,
        family: &dyn FamilyOp,
    ) -> Result<Option<Form>, Error> {
        let places = self.supported_parents(element)?;
        let scope = self.finite.scope(&places);
        let mut rows = SmallVec::new();
        for values in self.finite.assignments(element, &scope)? {
            let value = |&place: &usize| self.finite.value_in(place, &scope, &values);
            let arguments = places
                .iter()
                .map(|place| self.finite.support(*place).any(value(place) as usize));
            let arguments: Vec<&dyn Any> = arguments.collect();
            let checked = family.check(&arguments);
            checked.map_err(|problem| element.invalid(problem))?;
            let arguments: Vec<MemberArgument<'_>> =
                arguments.into_iter().map(MemberArgument::Value).collect();
            match family.member(&arguments) {
                Some(member) if is_prior(&member) => rows.push(member),
                _ => return Ok(None),
            }
        }
        let prior = Conditional {
            finite: scope,
            rows,
        };
        Ok(Some(self.add_parameter(element, prior)))
    }

    /// Classifies `element`, whose distribution depends on a parameter with a conjugate prior, as observed or finite.
    pub(crate) fn reader(
        &mut self,
        element: &AnyElement,
        family: &dyn FamilyOp,
    ) -> Result<Form, Error> {
        let mut read = None;
        for (position, parent) in element.parents().iter().enumerate() {
            match self.form(parent) {
                Form::Finite | Form::Observed => {}
                Form::Parameter(multiple) if read.is_none() => read = Some((position, *multiple)),
                _ => return Err(not_conjugate(parent, element)),
            }
        }
        let Some((open, multiple)) = read else {
            return Err(not_conjugate(element, element));
        };
        let places = self.supported_parents(element)?;
        let mut scope = self.finite.scope(&places);
        let (value, form) = if let Some(value) = self.observed(element) {
            let form = self.observed_form(element, value);
            (ReadValue::Observed(value.clone()), form)
        } else {
            let values = self.values_of_reader(element, family, (open, multiple))?;
            let child = self.finite.add_free(element, values.build());
            scope.push(child);
            scope = sorted(&scope);
            (ReadValue::Child(child), Form::Finite)
        };
        self.parameters[multiple.parameter].readers.push(Reader {
            element: element.clone(),
            open,
            factor: multiple.factor,
            value,
            scope,
        });
        Ok(form)
    }

    /// Classifies the normal `element`, whose precision or variance is a multiple of a parameter; in the factor graph, the parameter is assumed to be
    /// one. Returns `None` if the precision or variance is not a multiple of a parameter, or if the element is observed and has no real parent.
    pub(crate) fn scaled_member(
        &mut self,
        element: &AnyElement,
        forms: &[Form],
        family: &dyn FamilyOp,
    ) -> Result<Option<Form>, Error> {
        let (mut parameters, mut has_real) = (Vec::new(), false);
        for form in forms {
            match form {
                Form::Finite | Form::Observed => {}
                Form::Real(_) => has_real = true,
                Form::Parameter(multiple) => parameters.push(*multiple),
                Form::Function(_) => return Ok(None),
            }
        }
        let [multiple] = parameters[..] else {
            return Ok(None);
        };
        if !has_real && self.observed(element).is_some() {
            return Ok(None);
        }
        let rows = self.laws(element, forms, 1.0, family)?;
        let (Some(rows), Some(wider)) = (rows, self.laws(element, forms, 4.0, family)?) else {
            return Ok(None);
        };
        let ratios = rows
            .rows
            .iter()
            .zip(&wider.rows)
            .flat_map(|((_, own), (_, other))| {
                let entries = own.iter().zip(other);
                entries.filter(|(x, _)| **x != 0.0).map(|(x, y)| y / x)
            });
        let ratios: Vec<f64> = ratios.collect();
        let are_near = |ratio: f64| ratios.iter().all(|x| (x / ratio - 1.0).abs() < 1e-12);
        let measure = if are_near(0.25) {
            ScaledQuantity::Precision
        } else if are_near(4.0) {
            ScaledQuantity::Variance
        } else {
            return Ok(None);
        };
        let rule = rule(element, rows)?;
        self.scales
            .push((self.vectors.len(), multiple.parameter, measure));
        Ok(Some(self.add_vector(element, rule)))
    }

    /// Records the parameter that scales the precisions or the variances of all normal elements, if there is one; the factor graph then integrates
    /// over this parameter.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if a parameter scales only some of the normal elements, or if a finite element selects among normal
    /// elements.
    pub(crate) fn integrate_common_scale(&mut self) -> Result<(), Error> {
        let Some(&(_, parameter, measure)) = self.scales.first() else {
            return Ok(());
        };
        let element = &self.parameters[parameter].element;
        let are_alike = self
            .scales
            .iter()
            .all(|scale| (scale.1, scale.2) == (parameter, measure));
        let vectors = self.vectors.iter().flatten();
        let has_one_row = |vector: &NormalVector| vector.rule.rows.len() == 1;
        let is_single = vectors.clone().all(has_one_row)
            && self.parameters[parameter].prior.rows.len() == 1
            && self.parameters[parameter]
                .readers
                .iter()
                .all(|reader| reader.scope.is_empty());
        if are_alike
            && is_single
            && vectors.count() == self.scales.len()
            && self.sites.is_empty()
            && !self.accepts_all()
        {
            self.common_scale = Some((parameter, measure));
            return Ok(());
        }
        let problem = "it scales some normal elements, and the model has other normal elements, or finite elements that they depend on: an unknown precision has a closed form only if the precisions of all normal elements are multiples of it (a prior such as `Normal::new(0.0, Precision(&precision * 0.1))`)";
        Err(Error::not_closed_form(element, problem))
    }

    /// Returns the possible values of the finite `element`, whose distribution depends on a parameter.
    fn values_of_reader(
        &self,
        element: &AnyElement,
        family: &dyn FamilyOp,
        (open, multiple): (usize, Multiple),
    ) -> Result<SupportBuilder, Error> {
        let places: Vec<usize> = element
            .parents()
            .iter()
            .enumerate()
            .filter(|(position, _)| *position != open)
            .map(|(_, parent)| self.finite.known_place(parent))
            .collect();
        let scope = self.finite.scope(&places);
        let prior = &self.parameters[multiple.parameter].prior.rows[0];
        let Kind::Atomic(op) = prior.kind() else {
            return Err(not_conjugate(element, element));
        };
        let parameter = middle(prior, &**op);
        let mut values = element.no_values();
        for assignment in self.finite.assignments(element, &scope)? {
            let known = places.iter().map(|&place| {
                let value = self.finite.value_in(place, &scope, &assignment);
                self.finite.support(place).any(value as usize)
            });
            let mut arguments: Vec<&dyn Any> = known.collect();
            arguments.insert(open, parameter.as_any());
            let outcomes = family
                .outcomes(&arguments)
                .map_err(|fault| element.fault(fault))?;
            let Ok(outcomes) = outcomes else {
                let problem = "its values cannot be listed, because its distribution has a parameter with a prior; observe it";
                return Err(Error::not_closed_form(element, problem));
            };
            for index in 0..outcomes.support.len() {
                values.insert(outcomes.support.any(index));
            }
        }
        Ok(values)
    }

    /// Classifies the `Chain` `element` as a parameter, if all its results are parameters with conjugate priors. Returns `None` if not all results of
    /// the `Chain` are parameters.
    pub(crate) fn chosen_parameter(
        &mut self,
        element: &AnyElement,
        branches: &Conditional<AnyElement>,
    ) -> Result<Option<Form>, Error> {
        let mut chosen = Vec::with_capacity(branches.rows.len());
        for branch in &branches.rows {
            match self.form(branch) {
                Form::Parameter(multiple) if multiple.factor == 1.0 => {
                    chosen.push(multiple.parameter);
                }
                _ => return Ok(None),
            }
        }
        let priors: Vec<Rc<Conditional<AnyElement>>> = chosen
            .iter()
            .map(|&parameter| Rc::clone(&self.parameters[parameter].prior))
            .collect();
        let scope = union(
            priors
                .iter()
                .map(|prior| &prior.finite[..])
                .chain([&branches.finite[..]]),
        );
        let sizes = self.finite.sizes(&scope);
        let mut rows = SmallVec::new();
        for values in self.finite.assignments(element, &scope)? {
            let index = branches.index(&scope, &values, &sizes);
            rows.push(priors[index].row(&scope, &values, &sizes).clone());
        }
        for parameter in chosen {
            self.parameters[parameter].is_chosen = true;
        }
        let prior = Conditional {
            finite: scope,
            rows,
        };
        Ok(Some(self.add_parameter(element, prior)))
    }

    /// Checks that no element except the selecting `Chain` depends on the parameters among which a `Chain` selects.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if another element depends on a parameter among which a `Chain` selects.
    pub(crate) fn check_chosen_parameters(&self) -> Result<(), Error> {
        if !self.parameters.iter().any(|parameter| parameter.is_chosen) {
            return Ok(());
        }
        let readers = self.readers();
        let is_wrong = |parameter: &&Parameter| {
            let count = readers.get(&parameter.element.id());
            parameter.is_chosen && (!parameter.readers.is_empty() || count != Some(&1))
        };
        match self.parameters.iter().find(is_wrong) {
            None => Ok(()),
            Some(parameter) => {
                let problem = "it is a result of a Chain, and another element also depends on it";
                Err(Error::not_closed_form(&parameter.element, problem))
            }
        }
    }
}
