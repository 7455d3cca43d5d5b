//! The elements of a model that must be drawn: the elements without closed form, and the elements on which they depend.

use std::sync::OnceLock;

use figrs_answer::error::Error;
use figrs_answer::expansion::expand;
use figrs_answer::guarded;
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model, Support};
use figrs_factor::graph::Assignments;
use figrs_lower::{Observations, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cases::Cases;
use crate::closed_form::closed_form_answer;
use crate::drawn_cases::cases_together;
use crate::scan::{Form, Scan};

/// Maximum number of calls of a drawn `Chain`'s function that are made to find the elements on which the function depends.
const MAX_CALLS: usize = 4096;

/// The division of a model's elements into those that are drawn and those that are not. All elements on which a drawn element depends are drawn too;
/// the elements that are not drawn have a closed form given the drawn values.
#[derive(Debug)]
pub(crate) struct DrawnPart {
    /// The drawn elements. In the model of the elements that are not drawn, all drawn elements have values, because any function of a `Chain` may
    /// depend on them.
    pub(crate) elements: Vec<AnyElement>,
    members: FxHashSet<ElementId>,
    /// Number of normal elements and parameters among the elements that are not drawn.
    pub(crate) integrated_out: u64,
    /// The result of [`cases_together`](Self::cases_together), once it is known.
    together: OnceLock<usize>,
}

impl DrawnPart {
    /// Finds the elements that must be drawn so that all other elements have a closed form; returns `None` if no normal elements and no parameters
    /// are among the others.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element without closed form is created within a `Chain`, or if the function of a drawn `Chain`
    /// depends on unknown elements; the errors of the model.
    pub(crate) fn find(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
    ) -> Result<Option<Self>, Error> {
        let graph = StaticGraph::new(model, targets);
        let mut members: FxHashSet<ElementId> = FxHashSet::default();
        loop {
            graph.add_captured(&mut members, model, limits)?;
            let mut part = Self {
                elements: graph.in_order(&members),
                members: members.clone(),
                integrated_out: 0,
                together: OnceLock::new(),
            };
            let values = part.examples(model, 1, limits)?.pop().unwrap_or_default();
            let rest = part.rest(model, &values);
            let own = part.targets_of_rest(targets);
            let mut scan = Scan::new(&rest, &own, limits);
            let count = members.len();
            let Err(error) = scan.run() else {
                let reals = scan.vectors.iter().flatten().count() + scan.parameters.len();
                if reals == 0 {
                    return Ok(None);
                }
                let scales = scan.scales.iter().map(|&(_, parameter, _)| parameter);
                let scales = scales.map(|parameter| scan.parameters[parameter].element.clone());
                let mut open: Vec<AnyElement> = scales.collect();
                if open.is_empty() {
                    open.clone_from(&scan.finite.elements);
                }
                match closed_form_answer("Collapsed", (&rest, &own), limits) {
                    // The unknown variance of some of the normal elements, or finite elements with too many joint values, must be drawn too.
                    Err(error @ Error::NotClosedForm { .. }) => {
                        for element in &open {
                            graph.add_with_ancestors(element, &mut members);
                        }
                        if members.len() == count {
                            return Err(error);
                        }
                        continue;
                    }
                    // The sampled values may contradict the evidence.
                    Ok(_) | Err(Error::ImpossibleEvidence { .. }) => {}
                    Err(error) => return Err(error),
                }
                part.integrated_out = reals as u64;
                return Ok(Some(part));
            };
            if let (Error::NotClosedForm { .. }, Some(refused)) = (&error, &scan.refused) {
                for element in open_parents(&scan, refused) {
                    graph.add_with_ancestors(&element, &mut members);
                }
            }
            if members.len() == count {
                return Err(error);
            }
        }
    }

    pub(crate) fn has(&self, element: &AnyElement) -> bool {
        self.members.contains(&element.id())
    }

    pub(crate) fn targets_of_rest(&self, targets: &[AnyElement]) -> Vec<AnyElement> {
        let rest = targets.iter().filter(|target| !self.has(target));
        rest.cloned().collect()
    }

    /// Returns the model of the drawn elements, with the evidence about these elements.
    pub(crate) fn own(&self, model: &Model) -> Model {
        model.filtered(|i| self.has(&model.evidence()[i].0))
    }

    /// Returns the model of the elements that are not drawn, in which interventions set the drawn elements to `values`.
    pub(crate) fn rest(&self, model: &Model, values: &[Datum]) -> Model {
        let rest = model.filtered(|i| !self.has(&model.evidence()[i].0));
        let set = self.elements.iter().zip(values);
        set.fold(rest, |rest, (element, value)| {
            rest.intervene_any(element, value.clone())
        })
    }

    /// Returns the model of the elements that are not drawn, in which each drawn element is a function of the index of the case.
    pub(crate) fn rest_of_cases(&self, model: &Model, cases: &Cases) -> Model {
        let rest = model.filtered(|i| !self.has(&model.evidence()[i].0));
        cases.model(rest)
    }

    /// Returns the largest number of joint values of the drawn elements that should share one elimination.
    pub(crate) fn cases_together(&self, model: &Model) -> usize {
        let find = || cases_together(self, model).unwrap_or(1);
        *self.together.get_or_init(find)
    }

    /// True unless a drawn element with a known distribution has probability zero for its value in `values`.
    pub(crate) fn is_possible(&self, values: &[Datum]) -> bool {
        let places = self.elements.iter().enumerate();
        let places: FxHashMap<ElementId, usize> = places.map(|(i, e)| (e.id(), i)).collect();
        let mut all = self.elements.iter().zip(values);
        all.all(|(element, value)| {
            let log = match element.kind() {
                Kind::Atomic(op) => op.log_prob(value.as_any()),
                Kind::Chain(parents, op) => {
                    let known = parents.iter().map(|parent| {
                        let place = places.get(&parent.id())?;
                        Some(values[*place].as_any())
                    });
                    match (op.family(), known.collect::<Option<Vec<_>>>()) {
                        (Some(family), Some(known)) => family.log_prob(&known, value.as_any()),
                        _ => return true,
                    }
                }
                _ => return true,
            };
            log.map_or(true, |log| log > f64::NEG_INFINITY)
        })
    }

    /// Returns `count` joint values of the drawn elements, sampled from the model without evidence.
    pub(crate) fn examples(
        &self,
        model: &Model,
        count: usize,
        limits: &Limits,
    ) -> Result<Vec<Vec<Datum>>, Error> {
        guarded(|| {
            let prior = model.filtered(|_| false);
            let mut program = Program::new(&prior, &self.elements, limits.clone())?;
            let slots = program.targets().to_vec();
            let mut random = figrs_core::stream(0, 0);
            let mut examples = Vec::with_capacity(count);
            for _ in 0..count {
                program.run(&mut random, Observations::Weigh)?;
                let values = slots.iter().map(|&slot| program.value(slot).cloned());
                let values = values.collect::<Option<Vec<Datum>>>();
                examples.push(values.unwrap_or_default());
            }
            Ok(examples)
        })
    }
}

/// Returns the parents of `refused`, an element without closed form, that are parameters or nonlinear functions. If no parents of `refused` are
/// parameters or nonlinear functions, returns its real parents; without real parents, returns `refused` itself.
fn open_parents(scan: &Scan<'_>, refused: &AnyElement) -> Vec<AnyElement> {
    let with = |accepts: fn(&Form) -> bool| -> Vec<AnyElement> {
        let parents = refused.parents().iter();
        let found = parents.filter(|parent| scan.forms.get(&parent.id()).is_some_and(accepts));
        found.cloned().collect()
    };
    let open = with(|form| matches!(form, Form::Function(_) | Form::Parameter(_)));
    if !open.is_empty() {
        return open;
    }
    let real = with(|form| matches!(form, Form::Real(_)));
    if real.is_empty() {
        vec![refused.clone()]
    } else {
        real
    }
}

/// The elements on which the targets and the evidence of a model depend, without the results of `Chain` elements.
struct StaticGraph {
    elements: FxHashMap<ElementId, AnyElement>,
    /// The elements of the query in the order in which they were found, which is the same in every run.
    order: Vec<ElementId>,
    set: FxHashSet<ElementId>,
}

impl StaticGraph {
    fn new(model: &Model, targets: &[AnyElement]) -> Self {
        let evidence = model.evidence().iter().map(|(element, _)| element);
        let mut stack: Vec<AnyElement> = targets.iter().chain(evidence).cloned().collect();
        let set = model.interventions().iter().map(|(e, _)| e.id()).collect();
        let mut this = Self {
            elements: FxHashMap::default(),
            order: Vec::new(),
            set,
        };
        while let Some(element) = stack.pop() {
            let id = element.id();
            if this.elements.insert(id, element.clone()).is_some() {
                continue;
            }
            this.order.push(id);
            if !this.set.contains(&id) {
                stack.extend(element.parents().iter().cloned());
            }
        }
        this
    }

    fn add_with_ancestors(&self, element: &AnyElement, members: &mut FxHashSet<ElementId>) {
        let mut stack = vec![element.clone()];
        while let Some(element) = stack.pop() {
            let is_known = self.elements.contains_key(&element.id());
            if is_known && members.insert(element.id()) && !self.set.contains(&element.id()) {
                stack.extend(element.parents().iter().cloned());
            }
        }
    }

    /// Adds the elements on which the functions of drawn `Chain` elements depend, and all elements on which the added elements depend.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the function of a `Chain` depends on unknown elements.
    fn add_captured(
        &self,
        members: &mut FxHashSet<ElementId>,
        model: &Model,
        limits: &Limits,
    ) -> Result<(), Error> {
        let mut checked: FxHashSet<ElementId> = FxHashSet::default();
        loop {
            let is_new = |id: &&ElementId| {
                members.contains(*id) && !checked.contains(*id) && !self.set.contains(*id)
            };
            let Some(chain) = self.order.iter().find(is_new).copied() else {
                return Ok(());
            };
            checked.insert(chain);
            for element in self.captured(&self.elements[&chain], members, model, limits)? {
                self.add_with_ancestors(&element, members);
            }
        }
    }

    /// Returns the elements outside of `members` that the function of `element` uses, if `element` is a `Chain`; otherwise returns an empty list.
    fn captured(
        &self,
        element: &AnyElement,
        members: &FxHashSet<ElementId>,
        model: &Model,
        limits: &Limits,
    ) -> Result<Vec<AnyElement>, Error> {
        let Kind::Chain(parents, op) = element.kind() else {
            return Ok(Vec::new());
        };
        if op.family().is_some() {
            return Ok(Vec::new());
        }
        let unknown = || {
            let problem = "it must be drawn, but its function may depend on elements that are integrated out; let the function create all \
            elements that it returns, or use the sampler without `Collapsed`";
            Error::not_closed_form(element, problem)
        };
        let prior = model.filtered(|_| false);
        let expansion = expand(limits, &prior, parents).map_err(|_| unknown())?;
        let positions = expansion.targets().iter();
        let supports = positions.map(|&position| &expansion.elements()[position].support);
        let supports: Vec<&Support> = supports.collect();
        let assignments = Assignments::rows(supports.iter().map(|support| support.len()));
        if op.call_id().is_some() || assignments.count() > MAX_CALLS {
            return Err(unknown());
        }
        let mut values = vec![0; supports.len()];
        let mut captured = Vec::new();
        loop {
            let arguments = supports.iter().zip(&values);
            let arguments: Vec<_> = arguments.map(|(s, &value)| s.any(value as usize)).collect();
            let result = op.call(&arguments).map_err(|fault| element.fault(fault))?;
            let mut stack = vec![&result];
            while let Some(read) = stack.pop() {
                if members.contains(&read.id()) {
                    continue;
                }
                if self.elements.contains_key(&read.id()) {
                    captured.push(read.clone());
                } else if !read.is_unshared() || is_generic_chain(read) {
                    // The function of another `Chain` may depend on the same element.
                    return Err(unknown());
                } else {
                    stack.extend(read.parents());
                }
            }
            if assignments.advance(&mut values).is_none() {
                return Ok(captured);
            }
        }
    }

    fn in_order(&self, members: &FxHashSet<ElementId>) -> Vec<AnyElement> {
        let order = self.order.iter().filter(|id| members.contains(id));
        order.map(|id| self.elements[id].clone()).collect()
    }
}

/// True if the element is a `Chain` that does not belong to a distribution family.
fn is_generic_chain(element: &AnyElement) -> bool {
    matches!(element.kind(), Kind::Chain(_, op) if op.family().is_none())
}
