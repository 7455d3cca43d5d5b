//! Classification of `Chain` elements that select among their results by the values of finite parents, and of the finite parents of elements.

use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::internals::{ChainOp, Kind};
use figrs_core::{AnyElement, Datum, ElementId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use crate::linear_element::{Conditional, Linear, union};
use crate::normal_rule::check_numbers;
use crate::scan::{Attempt, Form, Scan, is_float, not_normal};

impl Scan<'_> {
    /// Determines the closed form, if there is one, of the `Chain` `element`, whose parents are finite.
    pub(crate) fn choice(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
    ) -> Result<Attempt, Error> {
        if op.call_id().is_some() {
            return Ok(Attempt::Done(Form::Finite));
        }
        if !is_float(element) {
            return self.observed_choice(element, op);
        }
        let branches = self.branches(element, op)?;
        let unknown = self.unknown(&branches.rows);
        if !unknown.is_empty() {
            return Ok(Attempt::Needs(unknown));
        }
        if !branches.rows.iter().any(|branch| self.is_real(branch)) {
            return Ok(Attempt::Done(Form::Finite));
        }
        if let Some(form) = self.chosen_parameter(element, &branches)? {
            return Ok(Attempt::Done(form));
        }
        let mut forms = Vec::with_capacity(branches.rows.len());
        for branch in &branches.rows {
            forms.push(match self.form(branch).clone() {
                Form::Real(rows) => Ok(rows),
                Form::Finite | Form::Observed => {
                    let place = self.finite.place(branch);
                    Err((place, self.finite.base(place)))
                }
                Form::Function(_) | Form::Parameter(_) => {
                    return Err(not_normal(element));
                }
            });
        }
        self.finite.find_supports()?;
        let needed = forms.iter().map(|form| match form {
            Ok(rows) => &rows.finite[..],
            Err((_, base)) => std::slice::from_ref(base),
        });
        let scope = union(needed.chain([&branches.finite[..]]));
        let sizes = self.finite.sizes(&scope);
        let mut rows = SmallVec::new();
        for values in self.finite.assignments(element, &scope)? {
            rows.push(match &forms[branches.index(&scope, &values, &sizes)] {
                Ok(form) => form.row(&scope, &values, &sizes).clone(),
                Err((place, _)) => {
                    let value = self.finite.value_in(*place, &scope, &values);
                    let numbers = self.finite.numbers(*place, value);
                    let numbers = numbers.ok_or_else(|| not_normal(element))?;
                    Linear::constant(numbers.as_slice())
                }
            });
        }
        check_numbers(element, rows.iter())?;
        self.choices.push(element.clone());
        let rows = Conditional {
            finite: scope,
            rows,
        };
        Ok(Attempt::Done(Form::Real(Rc::new(rows))))
    }

    /// Determines the closed form, if there is one, of the `Chain` `element`, whose values are not real numbers. The `Chain` is classified as
    /// observed if the values of the `Chain` and of its parents are observed, and its result depends on a parameter with a conjugate prior.
    fn observed_choice(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
    ) -> Result<Attempt, Error> {
        let finite = Ok(Attempt::Done(Form::Finite));
        let Some(value) = self.observed(element) else {
            return finite;
        };
        let result = if let Some(known) = self.branches.get(&element.id()) {
            known.rows[0].clone()
        } else {
            let is_set = |parent: &AnyElement| self.set.contains(&parent.id());
            let known = element.parents().iter().map(|parent| {
                let value = self.observed(parent).filter(|_| !is_set(parent));
                value.map(Datum::as_any)
            });
            let Some(arguments) = known.collect::<Option<Vec<_>>>() else {
                return finite;
            };
            let result = op.call(&arguments).map_err(|fault| element.fault(fault))?;
            let is_read = self.forms.contains_key(&result.id());
            if is_read || self.observed.contains_key(&result.id()) {
                return finite;
            }
            self.observed.insert(result.id(), value);
            let results = Rc::new(Conditional::always(result.clone()));
            self.branches.insert(element.id(), results);
            result
        };
        match self.forms.get(&result.id()) {
            None => Ok(Attempt::Needs(smallvec![result])),
            Some(Form::Observed) => Ok(Attempt::Done(self.observed_form(element, value))),
            Some(_) => finite,
        }
    }

    /// Returns the results of the `Chain` `element` for each assignment of the finite elements on which its parents depend. The function of the
    /// `Chain` is called once for each combination of values of the parents.
    fn branches(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
    ) -> Result<Rc<Conditional<AnyElement>>, Error> {
        if let Some(known) = self.branches.get(&element.id()) {
            return Ok(Rc::clone(known));
        }
        let parents = self.supported_parents(element)?;
        let finite = self.finite.scope(&parents);
        let mut calls: FxHashMap<SmallVec<[u32; 2]>, AnyElement> = FxHashMap::default();
        let mut rows = SmallVec::new();
        for values in self.finite.assignments(element, &finite)? {
            let value = |&place: &usize| self.finite.value_in(place, &finite, &values);
            let combination: SmallVec<[u32; 2]> = parents.iter().map(value).collect();
            if let Some(known) = calls.get(&combination) {
                rows.push(known.clone());
                continue;
            }
            let arguments = parents.iter().zip(&combination);
            let arguments: Vec<_> = arguments
                .map(|(&place, &value)| self.finite.support(place).any(value as usize))
                .collect();
            let result = op.call(&arguments).map_err(|fault| element.fault(fault))?;
            calls.insert(combination, result.clone());
            rows.push(result);
        }
        let branches = Rc::new(Conditional { finite, rows });
        self.branches.insert(element.id(), Rc::clone(&branches));
        Ok(branches)
    }

    /// Returns the indices of the finite parents of `element` among the model's finite elements, in the order of the parents.
    pub(crate) fn parents_of(&mut self, element: &AnyElement) -> Vec<usize> {
        let finite = element
            .parents()
            .iter()
            .filter(|parent| !self.is_real(parent));
        let finite: Vec<AnyElement> = finite.cloned().collect();
        finite
            .iter()
            .map(|parent| self.finite.place(parent))
            .collect()
    }

    /// Finds the possible values of the finite parents of `element`, and returns the indices of these parents.
    pub(crate) fn supported_parents(&mut self, element: &AnyElement) -> Result<Vec<usize>, Error> {
        let parents = self.parents_of(element);
        if parents.iter().all(|&place| self.finite.is_supported(place)) {
            return Ok(parents);
        }
        if !self.are_parents_numbered {
            self.are_parents_numbered = true;
            self.number_finite_parents();
        }
        self.finite.find_supports()?;
        Ok(parents)
    }

    /// Gives indices to all finite parents of real elements, and lists the possible values of all these parents together. If the values of some
    /// finite parents cannot be listed, no parent gets an index here, because the query may not need these parents.
    fn number_finite_parents(&mut self) {
        let has_cases = self.finite.has_cases();
        let mut finite: Vec<AnyElement> = Vec::new();
        let mut stack = self.roots.to_vec();
        let mut seen: FxHashSet<ElementId> = FxHashSet::default();
        while let Some(element) = stack.pop() {
            if !seen.insert(element.id()) || self.set.contains(&element.id()) {
                continue;
            }
            for parent in element.parents() {
                let is_finite = !is_float(parent) || self.set.contains(&parent.id());
                // A deterministic function may turn out to be a function of the case.
                let may_be_column = has_cases
                    && matches!(parent.kind(), Kind::Apply(..))
                    && !self.set.contains(&parent.id());
                if is_float(&element) && is_finite && !may_be_column {
                    finite.push(parent.clone());
                } else {
                    stack.push(parent.clone());
                }
            }
        }
        self.finite.try_supports(&finite);
    }
}
