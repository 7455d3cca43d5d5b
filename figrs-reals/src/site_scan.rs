//! Search for likelihoods of one real number that are not Gaussian: elements that depend on the number without being normal, and evidence other than
//! observations.

use std::any::TypeId;
use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, SupportBuilder};
use smallvec::SmallVec;

use crate::conjugate::not_conjugate;
use crate::linear_element::{Conditional, Linear, union};
use crate::scan::{Attempt, Form, Scan, is_float, not_normal};
use crate::site::{RealFunction, Site, Weighed, is_panic};

/// Maximum number of elements on the path from a real number to a value that depends on the number.
const MAX_PATH: usize = 1000;

/// Maximum number of values of a finite element whose distribution depends on a real number.
const MAX_VALUES: usize = 4096;

impl<'m> Scan<'m> {
    /// Adds a likelihood for each statement of evidence on a real number, except observations.
    pub(crate) fn add_statements(&mut self) -> Result<(), Error> {
        let mut added = Vec::new();
        for (element, evidence) in self.evidence {
            let function = match self.form(element) {
                Form::Real(_) if self.accepts_all() && evidence.observed().is_none() => {
                    self.number(element)?
                }
                Form::Function(function) => {
                    if evidence.observed().is_some() {
                        let problem = "its value is observed, and it is a function of real numbers that is not known to be linear";
                        return Err(Error::not_closed_form(element, problem));
                    }
                    RealFunction::clone(function)
                }
                Form::Observed => {
                    // Two observations of one element are equal or contradict each other.
                    if evidence.observed().is_some() {
                        continue;
                    }
                    let problem =
                        "its value is observed, so other evidence about it is not supported";
                    return Err(Error::not_closed_form(element, problem));
                }
                Form::Parameter(_) => {
                    let problem = "a closed form supports no evidence about a parameter with a prior; observe the elements that depend on it";
                    return Err(Error::not_closed_form(element, problem));
                }
                Form::Real(_) | Form::Finite => continue,
            };
            added.push(Site {
                element: element.clone(),
                function,
                weighed: Weighed::Evidence(evidence.clone()),
            });
        }
        if self.accepts_all() {
            self.sites.extend(added);
        }
        Ok(())
    }

    /// Returns the real `element` as a function of one real number: a number is a function of itself, and a list may consist of functions of one
    /// number.
    fn number(&mut self, element: &AnyElement) -> Result<RealFunction, Error> {
        let is_number = |element: &AnyElement| {
            element.no_values().value_type() == TypeId::of::<f64>() || !self.is_real(element)
        };
        match self.form(element) {
            Form::Real(rows) if is_number(element) => Ok(RealFunction {
                base: element.clone(),
                argument: Rc::clone(rows),
                others: Vec::new(),
                path: Vec::new(),
                scope: Vec::new(),
            }),
            _ if matches!(element.kind(), Kind::Apply(..))
                && element.parents().iter().all(is_number) =>
            {
                let mut function = self.number_of_parents(element)?;
                function.path.push(element.clone());
                Ok(function)
            }
            _ => {
                let problem = "a function or a condition depends on its list of real numbers; let it depend on one number instead, such as an \
                `entry` or a `weighted_sum`";
                Err(Error::not_closed_form(element, problem))
            }
        }
    }

    /// Classifies `element` as finite or observed; its distribution depends on a real number but is not normal with a linear mean.
    pub(crate) fn dependent(&mut self, element: &AnyElement) -> Result<Attempt, Error> {
        let function = self.number_of_parents(element)?;
        if let Some(value) = self.observed(element) {
            let weighed = Weighed::Observed(value.clone());
            return Ok(Attempt::Done(
                self.observed_site(element, function, weighed),
            ));
        }
        let values = if is_float(element) {
            None
        } else {
            self.values(element, &function)?
        };
        match (values, element.kind()) {
            (Some(values), _) => Ok(self.child(element, function, values, Weighed::Child)),
            // A function with other values than numbers, such as a tuple.
            (None, Kind::Apply(..)) => function_of_number(element, function),
            (None, _) => Err(not_normal(element)),
        }
    }

    /// Classifies the observed `element`, and adds its likelihood as a function of a real number.
    pub(crate) fn observed_site(
        &mut self,
        element: &AnyElement,
        function: RealFunction,
        weighed: Weighed,
    ) -> Form {
        self.sites.push(Site {
            element: element.clone(),
            function,
            weighed,
        });
        match self.observed(element) {
            Some(value) => self.observed_form(element, value),
            None => Form::Observed,
        }
    }

    /// Classifies `element` as observed; another factor contains the likelihood of its value.
    pub(crate) fn observed_form(&mut self, element: &AnyElement, value: &Datum) -> Form {
        self.finite.fix(element, value);
        Form::Observed
    }

    pub(crate) fn observed(&self, element: &AnyElement) -> Option<&'m Datum> {
        self.observed.get(&element.id()).copied()
    }

    /// Classifies the `element` with the possible values `values` as finite, and adds its probabilities as a likelihood of a real number.
    pub(crate) fn child(
        &mut self,
        element: &AnyElement,
        function: RealFunction,
        values: SupportBuilder,
        weighed: impl FnOnce(usize) -> Weighed,
    ) -> Attempt {
        let place = self.finite.add_free(element, values.build());
        let mut function = function;
        function.scope = union([&function.scope[..], &[place]]);
        self.sites.push(Site {
            element: element.clone(),
            function,
            weighed: weighed(place),
        });
        Attempt::Done(Form::Finite)
    }

    /// Finds the possible values of `element`, which depends on a real number, by trying several values of the number. Returns `None` if the possible
    /// values cannot be listed, or if a deterministic function has too many values.
    fn values(
        &mut self,
        element: &AnyElement,
        function: &RealFunction,
    ) -> Result<Option<SupportBuilder>, Error> {
        let mut found = element.no_values();
        let near = (-100..=100).map(|i| f64::from(i) / 2.0);
        let far = (-60..=60)
            .map(|i| f64::from(i).signum() * 10_f64.powf(f64::from(i).abs() / 10.0 - 2.0));
        let numbers: Vec<f64> = near.chain(far).collect();
        let mut failed = None;
        for assignment in self.finite.assignments(element, &function.scope)? {
            let value_of =
                |place: usize| assignment[function.scope.binary_search(&place).unwrap_or_default()];
            for &number in &numbers {
                let values = function.values(&self.finite, &value_of, number);
                let listed = values.and_then(|values| {
                    values.for_each_value(element, |value| {
                        found.insert(value);
                    })
                });
                match listed {
                    Ok(true) => {}
                    Ok(false) => return Ok(None),
                    Err(error) if is_panic(&error) => return Err(error),
                    // The function may fail for numbers that have probability zero.
                    Err(error) => failed = Some(error),
                }
                // A deterministic function that has another value for most numbers has more values than were found.
                if found.len() > numbers.len() / 2 && matches!(element.kind(), Kind::Apply(..)) {
                    return Ok(None);
                }
                if found.len() > MAX_VALUES {
                    let problem = format!(
                        "it depends on a real number, and has more than {MAX_VALUES} values"
                    );
                    return Err(Error::not_closed_form(element, problem));
                }
            }
        }
        match failed {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(Some(found)),
        }
    }

    /// Combines two functions of one real number into one function that has the values of both functions.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the two functions have different arguments, and neither argument is a linear function of the other.
    fn joined(
        &self,
        element: &AnyElement,
        mut all: RealFunction,
        other: RealFunction,
    ) -> Result<RealFunction, Error> {
        let mut others = other.others;
        if all.base.id() != other.base.id() {
            let slopes = self.slopes(element, &all.argument, &other.argument)?;
            let slopes = slopes.filter(|_| others.is_empty());
            let slopes = slopes.ok_or_else(|| {
                Error::not_closed_form(
                    element,
                    format!(
                        "it depends on two real numbers, {} and {}, and not on a linear function of them; compare them by `greater_than` and the like, or \
                         draw samples, for example by `Collapsed(ImportanceSampling::new(10_000))`",
                        all.base.label(),
                        other.base.label()
                    ),
                )
            })?;
            others.push((other.base, slopes));
        }
        for (element, slopes) in others {
            all.scope = union([&all.scope[..], &slopes.finite[..]]);
            if all
                .others
                .iter()
                .all(|(known, _)| known.id() != element.id())
            {
                all.others.push((element, slopes));
            }
        }
        for step in other.path {
            if all.path.iter().all(|known| known.id() != step.id()) {
                all.path.push(step);
            }
        }
        all.scope = union([&all.scope[..], &other.scope[..]]);
        Ok(all)
    }

    /// Returns the offset and the slope of `function` as a linear function of `argument`, for each assignment of the finite elements; `None` if
    /// `function` does not depend linearly on `argument` alone.
    pub(crate) fn slopes(
        &self,
        element: &AnyElement,
        argument: &Conditional<Linear>,
        function: &Conditional<Linear>,
    ) -> Result<Option<Conditional<(f64, f64)>>, Error> {
        let finite = union([&argument.finite[..], &function.finite[..]]);
        let sizes = self.finite.sizes(&finite);
        let mut rows = SmallVec::new();
        for values in self.finite.assignments(element, &finite)? {
            let argument = argument.row(&finite, &values, &sizes);
            match function.row(&finite, &values, &sizes).in_terms_of(argument) {
                Some(slope) => rows.push(slope),
                None => return Ok(None),
            }
        }
        Ok(Some(Conditional { finite, rows }))
    }

    /// Returns the real number on which all real parents of an element depend, and the elements on the paths from the real number to the parents.
    pub(crate) fn number_of_parents(
        &mut self,
        element: &AnyElement,
    ) -> Result<RealFunction, Error> {
        let places = self.supported_parents(element)?;
        let mut all: Option<RealFunction> = None;
        for parent in element.parents() {
            let function = match self.form(parent) {
                Form::Finite | Form::Observed => continue,
                Form::Function(function) => RealFunction::clone(function),
                Form::Real(_) => self.number(parent)?,
                Form::Parameter(_) => return Err(not_conjugate(parent, element)),
            };
            all = Some(match all {
                None => function,
                Some(all) => self.joined(element, all, function)?,
            });
        }
        let mut function = all.ok_or_else(|| not_normal(element))?;
        let scope = self.finite.scope(&places);
        function.scope = union([&function.scope[..], &scope[..]]);
        Ok(function)
    }
}

/// Returns the classification of `element`, which is a nonlinear function of the value of `function`.
///
/// **Errors.** [`Error::NotClosedForm`] if there are too many elements on the path from the real number to `element`.
pub(crate) fn function_of_number(
    element: &AnyElement,
    mut function: RealFunction,
) -> Result<Attempt, Error> {
    function.path.push(element.clone());
    if function.path.len() > MAX_PATH {
        let problem = format!("it depends on a real number through more than {MAX_PATH} elements");
        return Err(Error::not_closed_form(element, problem));
    }
    Ok(Attempt::Done(Form::Function(Rc::new(function))))
}
