//! Classification of Chains that select among their results by the values of finite parents; and the finite parents of elements.

use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::internals::ChainOp;
use figrs_core::{AnyElement, Datum, ElementId};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::linear_element::{Conditional, Linear, union};
use crate::normal_rule::check_numbers;
use crate::scan::{Attempt, Form, Scan, is_float, not_normal};

impl Scan<'_> {
    /// Classifies the Chain `element`, whose parents are finite.
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
        let unknown = self.unknown(&branches);
        if !unknown.is_empty() {
            return Ok(Attempt::Needs(unknown));
        }
        if !branches.iter().any(|branch| self.is_real(branch)) {
            return Ok(Attempt::Done(Form::Finite));
        }
        let parents: Vec<usize> = self.parents_of(element);
        if let Some(form) = self.chosen_parameter(element, &branches, &parents)? {
            return Ok(Attempt::Done(form));
        }
        let mut forms = Vec::with_capacity(branches.len());
        for branch in branches.iter() {
            forms.push(match self.form(branch).clone() {
                Form::Real(rows) => Ok(rows),
                Form::Finite | Form::Observed => Err(self.finite.place(branch)),
                Form::Function(_) | Form::Parameter(_) => {
                    return Err(not_normal(element));
                }
            });
        }
        self.finite.find_supports()?;
        let needed = forms.iter().map(|form| match form {
            Ok(rows) => &rows.finite[..],
            Err(place) => std::slice::from_ref(place),
        });
        let scope = union(needed.chain([&parents[..]]));
        let own = self.finite.sizes(&parents);
        let sizes = self.finite.sizes(&scope);
        let mut rows = SmallVec::new();
        for values in self.finite.assignments(element, &scope)? {
            let value = |place: &usize| values[scope.binary_search(place).unwrap_or_default()];
            let index = parents.iter().zip(&own);
            // The results are in the order of the parents, which may differ from the order of the scope.
            let index = index.fold(0, |index, (place, size)| {
                index * size + value(place) as usize
            });
            rows.push(match &forms[index] {
                Ok(form) => form.row(&scope, &values, &sizes).clone(),
                Err(place) => {
                    let numbers = self.finite.numbers(*place, value(place));
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

    /// Classifies the Chain `element`, whose values are not real numbers. The Chain is classified as observed if the values of the Chain and of its
    /// parents are observed and its result depends on a parameter.
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
            known[0].clone()
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
            let results = Rc::new(vec![result.clone()]);
            self.branches.insert(element.id(), results);
            result
        };
        match self.forms.get(&result.id()) {
            None => Ok(Attempt::Needs(smallvec![result])),
            Some(Form::Observed) => Ok(Attempt::Done(self.observed_form(element, value))),
            Some(_) => finite,
        }
    }

    /// Returns the results of the Chain `element` for each assignment of its parents, in row-major order.
    fn branches(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
    ) -> Result<Rc<Vec<AnyElement>>, Error> {
        if let Some(known) = self.branches.get(&element.id()) {
            return Ok(Rc::clone(known));
        }
        let parents = self.supported_parents(element)?;
        let mut branches = Vec::new();
        for values in self.finite.assignments(element, &parents)? {
            let arguments = parents.iter().zip(&values);
            let arguments: Vec<_> = arguments
                .map(|(&place, &value)| self.finite.support(place).any(value as usize))
                .collect();
            branches.push(op.call(&arguments).map_err(|fault| element.fault(fault))?);
        }
        let branches = Rc::new(branches);
        self.branches.insert(element.id(), Rc::clone(&branches));
        Ok(branches)
    }

    /// Returns the indices of the finite parents of `element`, in the order of the parents.
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

    /// Returns the indices of the finite parents of `element`, after finding their possible values.
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

    /// Gives indices to all finite parents of real elements, and finds all their possible values by one expansion. If the values of some parents
    /// cannot be listed, no parent gets an index here, because the query may not need these parents.
    fn number_finite_parents(&mut self) {
        let mut finite: Vec<AnyElement> = Vec::new();
        let mut stack = self.roots.to_vec();
        let mut seen: FxHashSet<ElementId> = FxHashSet::default();
        while let Some(element) = stack.pop() {
            if !seen.insert(element.id()) || self.set.contains(&element.id()) {
                continue;
            }
            for parent in element.parents() {
                let is_finite = !is_float(parent) || self.set.contains(&parent.id());
                if is_float(&element) && is_finite {
                    finite.push(parent.clone());
                } else {
                    stack.push(parent.clone());
                }
            }
        }
        self.finite.try_supports(&finite);
    }
}
