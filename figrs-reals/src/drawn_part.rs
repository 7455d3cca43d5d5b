//! The elements of a model that have no closed form, and the elements on which they depend.

use figrs_answer::error::Error;
use figrs_answer::run::guard::guarded;
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model};
use figrs_lower::{Observations, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::closed_form::closed_form_answer;
use crate::scan::{Form, Scan};

/// A model divided into drawn elements (including all elements on which they depend) and remaining elements, which have a closed form
/// given the drawn values.
#[derive(Debug)]
pub(crate) struct DrawnPart {
    /// The drawn elements that remaining elements read, or that are targets or have evidence.
    pub(crate) elements: Vec<AnyElement>,
    /// All drawn elements.
    members: FxHashSet<ElementId>,
    /// Number of normal elements and parameters among the remaining elements.
    pub(crate) integrated_out: u64,
}

impl DrawnPart {
    /// Finds drawn elements such that the remaining elements have a closed form; `None` if no normal elements and no parameters remain.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element without closed form is made within a Chain; the errors of the model.
    pub(crate) fn find(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
    ) -> Result<Option<Self>, Error> {
        let graph = StaticGraph::new(model, targets);
        let mut members: FxHashSet<ElementId> = FxHashSet::default();
        loop {
            let mut part = Self {
                elements: graph.interface(&members, model, targets),
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

/// Returns the parents of an element that have no closed form; if there are none, all its real parents, or else the element itself.
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
    set: FxHashSet<ElementId>,
}

impl StaticGraph {
    fn new(model: &Model, targets: &[AnyElement]) -> Self {
        let evidence = model.evidence().iter().map(|(element, _)| element);
        let mut stack: Vec<AnyElement> = targets.iter().chain(evidence).cloned().collect();
        let set = model.interventions().iter().map(|(e, _)| e.id()).collect();
        let mut this = Self {
            elements: FxHashMap::default(),
            set,
        };
        while let Some(element) = stack.pop() {
            if this
                .elements
                .insert(element.id(), element.clone())
                .is_none()
                && !this.set.contains(&element.id())
            {
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

    /// Returns the elements of a set that other elements read, or that are targets or have evidence.
    fn interface(
        &self,
        members: &FxHashSet<ElementId>,
        model: &Model,
        targets: &[AnyElement],
    ) -> Vec<AnyElement> {
        let evidence = model.evidence().iter().map(|(element, _)| element);
        let others = self.elements.values();
        let others = others.filter(|element| !members.contains(&element.id()));
        let read = others.flat_map(AnyElement::parents);
        let mut seen: FxHashSet<ElementId> = FxHashSet::default();
        let all = read.chain(targets).chain(evidence);
        let mut found: Vec<AnyElement> = all
            .filter(|element| members.contains(&element.id()) && seen.insert(element.id()))
            .cloned()
            .collect();
        found.sort_by_key(AnyElement::id);
        found
    }
}
