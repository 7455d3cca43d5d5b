//! The finite elements of a model on which its real elements depend.

use std::any::Any;
use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_answer::expansion::expand;
use figrs_core::internals::ApplyOp;
use figrs_core::{AnyElement, Datum, Element, ElementId, Limits, Model, Support, Uniform};
use figrs_factor::graph::Assignments;
use nalgebra::DVector;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::cases::{CaseColumn, Cases};

/// Maximum number of assignments (joint values) of the finite elements on which a real element depends.
const MAX_ASSIGNMENTS: usize = 1 << 20;

/// The index of the finite element that selects the case, if the model has several cases.
pub(crate) const CASE: usize = 0;

/// An assignment of some finite elements: for each element, the index of its value in its support.
pub(crate) type Assigned = SmallVec<[u32; 4]>;

/// The finite elements of a model on which its real elements depend, with their indices and possible values.
///
/// If the model has several cases, the elements whose values are functions of the case have an index like all others. The list of finite elements on
/// which a real element depends never contains functions of the case: it contains the element that selects the case instead ([`scope`](Self::scope)).
pub(crate) struct FinitePart<'m> {
    model: Model,
    limits: &'m Limits,
    pub(crate) elements: Vec<AnyElement>,
    places: FxHashMap<ElementId, usize>,
    supports: Vec<Option<Support>>,
    /// Finite elements that are replaced by elements with a uniform distribution independent of the parents, each with its replacement.
    free: Vec<(AnyElement, AnyElement)>,
    /// Finite elements with fixed values, and these values.
    fixed: Vec<(AnyElement, Datum)>,
    /// The element that selects the case; `None` if the model has a single case.
    case: Option<Element<usize>>,
    /// The elements whose values are functions of the case.
    columns: FxHashMap<ElementId, CaseColumn>,
    /// For the index of each finite element, the indices of the element's values in all cases, if the element is a function of the case.
    indices: Vec<Option<Rc<[u32]>>>,
    /// The deterministic functions that turned out to be functions of the case, each with the element that replaces it.
    functions: Vec<(AnyElement, AnyElement)>,
}

impl<'m> FinitePart<'m> {
    pub(crate) fn new(model: &Model, limits: &'m Limits) -> Self {
        Self {
            model: model.filtered(|_| false),
            limits,
            elements: Vec::new(),
            places: FxHashMap::default(),
            supports: Vec::new(),
            free: Vec::new(),
            fixed: Vec::new(),
            case: None,
            columns: FxHashMap::default(),
            indices: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// Makes the elements of `cases`, whose values differ between cases, functions of the case; no element may have an index yet.
    pub(crate) fn with_cases(mut self, cases: &Cases) -> Self {
        self.columns.clone_from(cases.columns());
        let place = self.place(cases.index.erased());
        debug_assert_eq!(place, CASE, "the element that selects the case comes first");
        let mut values = cases.index.erased().no_values();
        for case in 0..cases.count() {
            values.insert(&case);
        }
        self.supports[CASE] = Some(values.build());
        self.case = Some(cases.index.clone());
        self
    }

    pub(crate) fn has_cases(&self) -> bool {
        self.case.is_some()
    }

    /// If all `parents` of the deterministic function `element` are functions of the case, records that `element` is a function of the case, too.
    ///
    /// **Errors.** The error of the deterministic function if it fails in a case.
    pub(crate) fn add_function(
        &mut self,
        element: &AnyElement,
        parents: &[AnyElement],
        op: &dyn ApplyOp,
    ) -> Result<(), Error> {
        let Some(case) = self.case.clone() else {
            return Ok(());
        };
        let columns = parents.iter().map(|parent| self.columns.get(&parent.id()));
        let Some(columns) = columns.collect::<Option<Vec<&CaseColumn>>>() else {
            return Ok(());
        };
        if columns.is_empty() || self.columns.contains_key(&element.id()) {
            return Ok(());
        }
        let column = CaseColumn::of_function(element, op, &columns)?;
        let replacement = column.element(element, &case);
        self.model = std::mem::take(&mut self.model).follow_any(element, replacement.clone());
        self.functions.push((element.clone(), replacement));
        if let Some(&place) = self.places.get(&element.id()) {
            self.supports[place] = Some(column.values.clone());
            self.indices[place] = Some(Rc::clone(&column.indices));
        }
        self.columns.insert(element.id(), column);
        Ok(())
    }

    /// Returns the index of the finite `element`; a new element gets the next index.
    pub(crate) fn place(&mut self, element: &AnyElement) -> usize {
        let next = self.elements.len();
        let place = *self.places.entry(element.id()).or_insert(next);
        if place == next {
            self.elements.push(element.clone());
            let column = self.columns.get(&element.id());
            self.supports.push(column.map(|c| c.values.clone()));
            self.indices.push(column.map(|c| Rc::clone(&c.indices)));
        }
        place
    }

    /// True if the element with the index `place` is a function of the case.
    pub(crate) fn is_column(&self, place: usize) -> bool {
        self.indices[place].is_some()
    }

    /// Returns the index of the element on which the element with the index `place` depends: the element that selects the case for a function of the
    /// case, and the element itself otherwise.
    pub(crate) fn base(&self, place: usize) -> usize {
        match &self.indices[place] {
            Some(_) => CASE,
            None => place,
        }
    }

    /// Returns the indices of the elements on which the elements `places` depend, in ascending order without duplicates.
    pub(crate) fn scope(&self, places: &[usize]) -> Vec<usize> {
        let mut scope: Vec<usize> = places.iter().map(|&place| self.base(place)).collect();
        scope.sort_unstable();
        scope.dedup();
        scope
    }

    /// Returns, for the element with the index `place`, the index of its value in its support. The function `value_of` returns the value's index for
    /// the [base](Self::base), the element on which the element with the index `place` depends.
    pub(crate) fn value(&self, place: usize, value_of: impl FnOnce(usize) -> u32) -> u32 {
        match &self.indices[place] {
            Some(indices) => indices[value_of(CASE) as usize],
            None => value_of(place),
        }
    }

    /// Returns the value of the finite element with the index `place`, given the assignment `values` of the elements `scope`.
    pub(crate) fn value_in(&self, place: usize, scope: &[usize], values: &[u32]) -> u32 {
        self.value(place, |place| {
            values[scope.binary_search(&place).unwrap_or_default()]
        })
    }

    /// Gives an index to the finite element `element`, and replaces the element by a uniform distribution over `values`, independent of the element's
    /// parents.
    pub(crate) fn add_free(&mut self, element: &AnyElement, values: Support) -> usize {
        let index = Uniform::new(0..values.len());
        let free = element.by_index(&values, Vec::new(), &index);
        self.model = std::mem::take(&mut self.model).follow_any(element, free.clone());
        self.free.push((element.clone(), free));
        let place = self.place(element);
        self.supports[place] = Some(values);
        place
    }

    /// Fixes the value of the finite `element`, so that it no longer depends on its parents; another factor contains the probability of this value.
    pub(crate) fn fix(&mut self, element: &AnyElement, value: &Datum) {
        self.model = std::mem::take(&mut self.model).intervene_any(element, value.clone());
        self.fixed.push((element.clone(), value.clone()));
    }

    /// Returns the model after three changes: the elements in `free` and `functions` are replaced by other elements, and those in `fixed` have their
    /// fixed values.
    pub(crate) fn with_free_elements(&self, model: Model) -> Model {
        let free = self.free.iter().chain(&self.functions);
        let model = free.fold(model, |model, (element, free)| {
            model.follow_any(element, free.clone())
        });
        let fixed = self.fixed.iter();
        fixed.fold(model, |model, (element, value)| {
            model.intervene_any(element, value.clone())
        })
    }

    pub(crate) fn known_place(&self, element: &AnyElement) -> usize {
        self.places[&element.id()]
    }

    /// Finds the possible values of the finite elements that have an index but no list of values.
    ///
    /// **Errors.** The errors that occur when the possible values of the model's elements are listed.
    pub(crate) fn find_supports(&mut self) -> Result<(), Error> {
        let open = |i: &usize| self.supports[*i].is_none();
        let places: Vec<usize> = (0..self.elements.len()).filter(open).collect();
        if places.is_empty() {
            return Ok(());
        }
        let targets: Vec<AnyElement> = places.iter().map(|&i| self.elements[i].clone()).collect();
        let expansion = expand(self.limits, &self.model, &targets)?;
        for (&place, &position) in places.iter().zip(expansion.targets()) {
            self.supports[place] = Some(expansion.elements()[position].support.clone());
        }
        Ok(())
    }

    /// Gives indices and lists of possible values to `elements`, if the possible values of all these elements can be listed.
    pub(crate) fn try_supports(&mut self, elements: &[AnyElement]) {
        if let Ok(expansion) = expand(self.limits, &self.model, elements) {
            for (element, &position) in elements.iter().zip(expansion.targets()) {
                let place = self.place(element);
                let support = &expansion.elements()[position].support;
                self.supports[place].get_or_insert_with(|| support.clone());
            }
        }
    }

    /// Returns the possible values of the finite element with the index `place`. The function `find_supports` must have been called before.
    pub(crate) fn support(&self, place: usize) -> &Support {
        self.supports[place].as_ref().expect("supports were found")
    }

    pub(crate) fn is_supported(&self, place: usize) -> bool {
        self.supports[place].is_some()
    }

    pub(crate) fn sizes(&self, scope: &[usize]) -> Vec<usize> {
        scope.iter().map(|&i| self.support(i).len()).collect()
    }

    /// Returns all assignments (joint values) of the finite elements `scope`, on which the real element `element` depends.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if there are too many assignments of the finite elements.
    pub(crate) fn assignments(
        &self,
        element: &AnyElement,
        scope: &[usize],
    ) -> Result<SmallVec<[Assigned; 1]>, Error> {
        if scope.is_empty() {
            return Ok(smallvec![Assigned::new()]);
        }
        let assignments = Assignments::rows(self.sizes(scope));
        if assignments.count() > MAX_ASSIGNMENTS {
            let problem = format!(
                "the finite elements that it depends on have {} joint values, more than {MAX_ASSIGNMENTS}",
                assignments.count()
            );
            return Err(Error::not_closed_form(element, problem));
        }
        let mut values: Assigned = smallvec![0; scope.len()];
        let mut all = SmallVec::with_capacity(assignments.count());
        loop {
            all.push(values.clone());
            if assignments.advance(&mut values).is_none() {
                return Ok(all);
            }
        }
    }

    /// Returns, as a vector, the value with the index `value` of the element with the index `place`; `None` if the value is neither an `f64` nor a
    /// list of `f64`.
    pub(crate) fn numbers(&self, place: usize, value: u32) -> Option<DVector<f64>> {
        numbers_of(self.support(place).any(value as usize))
    }
}

/// Returns `value` as a vector; `None` if its type is neither `f64` nor a list of `f64`.
pub(crate) fn numbers_of(value: &dyn Any) -> Option<DVector<f64>> {
    if let Some(&number) = value.downcast_ref::<f64>() {
        return Some(DVector::from_element(1, number));
    }
    let list = value.downcast_ref::<Vec<f64>>()?;
    Some(DVector::from_column_slice(list))
}
