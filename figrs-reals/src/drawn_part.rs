//! The elements of a model that have no closed form, and the elements on which they depend.

use figrs_answer::algorithm::guarded;
use figrs_answer::error::Error;
use figrs_answer::limits::expand;
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model, Support};
use figrs_factor::graph::Assignments;
use figrs_lower::{Observations, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::closed_form::closed_form_answer;
use crate::scan::{Form, Scan, not_closed};

/// Maximum number of calls of the function of a drawn Chain that find the elements that the function reads.
const MAX_CALLS: usize = 4096;

/// A model divided into drawn elements (including all elements on which they depend) and remaining elements, which have a closed form
/// given the drawn values.
#[derive(Debug)]
pub(crate) struct DrawnPart {
    /// The drawn elements. All drawn elements have values in the model of the remaining elements, because functions of Chains may read any of them.
    pub(crate) elements: Vec<AnyElement>,
    members: FxHashSet<ElementId>,
    /// Number of normal elements and parameters among the remaining elements.
    pub(crate) integrated_out: u64,
}

impl DrawnPart {
    /// Finds drawn elements such that the remaining elements have a closed form; `None` if no normal elements and no parameters remain.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element without closed form is made within a Chain, or if it is not known which elements the function of
    /// a drawn Chain reads; the errors of the model.
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
            };
            let values = part.example(model, limits)?;
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
                    // An unknown variance of some normal elements, or finite elements with too many joint values, are drawn too.
                    Err(error @ Error::NotClosedForm { .. }) => {
                        for element in &open {
                            graph.add_with_ancestors(element, &mut members);
                        }
                        if members.len() == count {
                            return Err(error);
                        }
                        continue;
                    }
                    // The values of the example may be impossible.
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

    /// Returns the model for the drawn elements, with the evidence on them.
    pub(crate) fn own(&self, model: &Model) -> Model {
        model.filtered(|i| self.has(&model.evidence()[i].0))
    }

    /// Returns the model for the remaining elements, in which interventions set the values of the drawn elements.
    pub(crate) fn rest(&self, model: &Model, values: &[Datum]) -> Model {
        let rest = model.filtered(|i| !self.has(&model.evidence()[i].0));
        let set = self.elements.iter().zip(values);
        set.fold(rest, |rest, (element, value)| {
            rest.intervene_any(element, value.clone())
        })
    }

    /// True if the distributions of the drawn elements exclude none of `values`, as far as they are known.
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

    /// Returns values of the drawn elements, sampled without evidence.
    fn example(&self, model: &Model, limits: &Limits) -> Result<Vec<Datum>, Error> {
        guarded(|| {
            let prior = model.filtered(|_| false);
            let mut program = Program::new(&prior, &self.elements, limits.clone())?;
            program.run(&mut figrs_core::stream(0, 0), Observations::Weigh)?;
            let slots = program.targets().to_vec();
            let values = slots.iter().map(|&slot| program.value(slot).cloned());
            Ok(values.collect::<Option<Vec<Datum>>>().unwrap_or_default())
        })
    }
}

/// Returns the parents of `refused` that have no closed form; if there are none, all its real parents, or else `refused` itself.
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

/// The elements that the targets and the evidence of a model reach without calling functions of Chains.
struct StaticGraph {
    elements: FxHashMap<ElementId, AnyElement>,
    /// The elements in the order in which they were found, which does not depend on addresses.
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

    /// Adds the elements that functions of drawn Chains read, with all elements on which they depend.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if it is not known which elements a function reads.
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

    /// Returns the elements outside of `members` that the function of `element`, a Chain, reads; none for other elements.
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
            let problem = "it must be drawn, and its function may read elements that are integrated out; let the function build all elements that it \
                           returns, or use the sampler without `Collapsed`";
            not_closed(element, problem.to_owned())
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
                    // Another function may read the same element.
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

/// True if the element is a Chain whose function is not that of a family.
fn is_generic_chain(element: &AnyElement) -> bool {
    matches!(element.kind(), Kind::Chain(_, op) if op.family().is_none())
}
