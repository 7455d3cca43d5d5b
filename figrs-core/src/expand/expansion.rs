//! The walk from the roots of a model to all elements that their values need.

use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::content::{Content, Doubt, ExpandedElement};
use super::product;
use super::rows;
use crate::datum::Datum;
use crate::error::ModelError;
use crate::evidence::Evidence;
use crate::model::Model;
use crate::node::{AnyElement, ChainOp, ElementId, Endless, Kind};
use crate::support::Support;

/// All elements that the roots of a model need, with their values numbered.
///
/// Elements stand after their parents and after the elements that their branches result in.
#[derive(Debug)]
pub struct Expansion {
    elements: Vec<ExpandedElement>,
    positions: FxHashMap<ElementId, usize>,
    targets: Vec<usize>,
    evidence: Vec<usize>,
    impossible: Option<usize>,
    budget: Budget,
}

impl Expansion {
    /// Expands what `targets` and the evidence of `model` need.
    pub fn new(model: &Model, targets: &[AnyElement], budget: Budget) -> Result<Self, ModelError> {
        let mut walk = Walk::new(model, budget);
        let evidence: Vec<AnyElement> = model.evidence().iter().map(|(e, _)| e.clone()).collect();
        for root in evidence.iter().chain(targets) {
            walk.from(root)?;
            if walk.expansion.impossible.is_some() {
                break;
            }
        }
        let mut expansion = walk.expansion;
        let positions = |roots: &[AnyElement]| -> Vec<usize> {
            let find = |e: &AnyElement| expansion.positions.get(&e.id()).copied();
            roots.iter().filter_map(find).collect()
        };
        let (targets, evidence) = (positions(targets), positions(&evidence));
        for &root in targets.iter().chain(&evidence) {
            expansion.elements[root].require_finite()?;
        }
        expansion.targets = targets;
        expansion.evidence = evidence;
        Ok(expansion)
    }

    /// The elements, parents and branch results first.
    pub fn elements(&self) -> &[ExpandedElement] {
        &self.elements
    }

    /// The position of an element, if it was reached.
    pub fn position(&self, element: &AnyElement) -> Option<usize> {
        self.positions.get(&element.id()).copied()
    }

    /// The positions of the targets, in the order they were given.
    pub fn targets(&self) -> &[usize] {
        &self.targets
    }

    /// The positions of the elements that carry evidence, in the order it was stated.
    pub fn evidence(&self) -> &[usize] {
        &self.evidence
    }

    /// An error if a table of an element would have more entries than the budget.
    pub(super) fn check_table(
        &self,
        element: &ExpandedElement,
        needed: u128,
    ) -> Result<(), ModelError> {
        let limit = self.budget.table_entries;
        if needed > u128::from(limit) {
            return Err(ModelError::TableTooLarge {
                element: element.element.label(),
                needed,
                limit,
            });
        }
        Ok(())
    }

    /// The positions of evidence and targets.
    pub(super) fn roots(&self) -> Vec<usize> {
        self.evidence.iter().chain(&self.targets).copied().collect()
    }

    /// The positions of the elements whose functions failed for some combination, that the roots need.
    pub fn doubts(&self) -> impl Iterator<Item = (usize, &Doubt)> {
        let elements = self.elements.iter().enumerate();
        elements.filter_map(|(position, element)| Some((position, element.doubt.as_ref()?)))
    }

    /// The element for which evidence leaves no value, if there is one; the expansion ended there.
    pub fn impossible(&self) -> Option<usize> {
        self.impossible
    }
}

impl ExpandedElement {
    /// An error if the element has no finite support.
    pub(super) fn require_finite(&self) -> Result<(), ModelError> {
        match &self.content {
            Content::Endless(endless) => Err(ModelError::NotFinite {
                element: self.element.label(),
                kind: endless.describe(),
            }),
            _ => Ok(()),
        }
    }
}

/// An element whose parents, and then branch results, are being expanded.
struct Frame {
    element: AnyElement,
    depth: usize,
    stage: Stage,
}

enum Stage {
    Parents,
    Value,
    Branches(Branches),
}

/// What a Chain's function gave for all combinations of parent values.
struct Branches {
    /// As in [`Content::Chain`].
    choice: Vec<u32>,
    results: Vec<AnyElement>,
    /// Why the function first failed.
    error: Option<ModelError>,
}

struct Walk<'m> {
    expansion: Expansion,
    budget: Budget,
    evidence: FxHashMap<ElementId, Vec<&'m Evidence>>,
    interventions: FxHashMap<ElementId, &'m Datum>,
    reached: usize,
    stack: Vec<Frame>,
    /// Elements that have no value in any world that reaches them, and why.
    failed: FxHashMap<ElementId, (AnyElement, ModelError)>,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Model, budget: Budget) -> Self {
        let mut evidence = FxHashMap::<_, Vec<_>>::default();
        for (element, statement) in model.evidence() {
            evidence.entry(element.id()).or_default().push(statement);
        }
        let interventions = model.interventions();
        Self {
            expansion: Expansion {
                elements: Vec::new(),
                positions: FxHashMap::default(),
                targets: Vec::new(),
                evidence: Vec::new(),
                impossible: None,
                budget,
            },
            budget,
            evidence,
            interventions: interventions.iter().map(|(e, v)| (e.id(), v)).collect(),
            reached: 0,
            stack: Vec::new(),
            failed: FxHashMap::default(),
        }
    }

    fn from(&mut self, root: &AnyElement) -> Result<(), ModelError> {
        self.push(root, 0);
        while let Some(frame) = self.stack.pop() {
            let element = frame.element.clone();
            match self.advance(frame) {
                Err(error) if error.is_local() => {
                    // The handle keeps the identity from being given to another element.
                    self.failed.insert(element.id(), (element, error));
                }
                outcome => outcome?,
            }
            if self.expansion.impossible.is_some() {
                break;
            }
        }
        match self.failed.get(&root.id()) {
            Some((_, error)) => Err(error.clone()),
            None => Ok(()),
        }
    }

    fn is_done(&self, element: &AnyElement) -> bool {
        let id = element.id();
        self.expansion.positions.contains_key(&id) || self.failed.contains_key(&id)
    }

    fn push(&mut self, element: &AnyElement, depth: usize) {
        if !self.is_done(element) {
            self.stack.push(Frame {
                element: element.clone(),
                depth,
                stage: Stage::Parents,
            });
        }
    }

    /// Brings the element one stage further; its frame returns to the stack before what it waits for.
    fn advance(&mut self, frame: Frame) -> Result<(), ModelError> {
        let Frame {
            element,
            depth,
            stage,
        } = frame;
        if self.is_done(&element) {
            return Ok(());
        }
        match stage {
            Stage::Parents => {
                if let Some(&value) = self.interventions.get(&element.id()) {
                    return self.fix(element, value);
                }
                self.check_budget(&element)?;
                let value = Stage::Value;
                self.stack.push(Frame {
                    element: element.clone(),
                    depth,
                    stage: value,
                });
                for parent in element.parents().iter().rev() {
                    self.push(parent, depth);
                }
                Ok(())
            }
            Stage::Value => match element.kind() {
                Kind::Chain(_, op) => {
                    if depth >= self.budget.depth {
                        return Err(ModelError::TooDeep {
                            element: element.label(),
                            limit: self.budget.depth,
                        });
                    }
                    let branches = self.branches(&element, &**op)?;
                    let results = branches.results.clone();
                    self.stack.push(Frame {
                        element,
                        depth,
                        stage: Stage::Branches(branches),
                    });
                    for result in results.iter().rev() {
                        self.push(result, depth + 1);
                    }
                    Ok(())
                }
                _ => self.value(element),
            },
            Stage::Branches(branches) => self.choice(element, branches),
        }
    }

    fn check_budget(&mut self, element: &AnyElement) -> Result<(), ModelError> {
        self.reached += 1;
        if self.reached > self.budget.elements {
            return Err(ModelError::TooManyElements {
                element: element.label(),
                limit: self.budget.elements,
            });
        }
        Ok(())
    }

    /// The positions of an element's parents; an error if one of them never has a value.
    fn parents(&self, element: &AnyElement) -> Result<Vec<usize>, ModelError> {
        let position = |parent: &AnyElement| {
            if let Some((_, error)) = self.failed.get(&parent.id()) {
                return Err(error.clone());
            }
            let position = self.expansion.positions[&parent.id()];
            self.expansion.elements[position].require_finite()?;
            Ok(position)
        };
        element.parents().iter().map(position).collect()
    }

    fn supports(&self, positions: &[usize]) -> Vec<&Support> {
        let elements = &self.expansion.elements;
        positions.iter().map(|&p| &elements[p].support).collect()
    }

    fn branches(&self, element: &AnyElement, op: &dyn ChainOp) -> Result<Branches, ModelError> {
        let parents = self.parents(element)?;
        let supports = self.supports(&parents);
        let size = product::size(element, &supports, self.budget.table_entries)?;
        let mut branches = Branches {
            choice: Vec::with_capacity(size),
            results: Vec::new(),
            error: None,
        };
        let mut known = FxHashMap::default();
        product::each(&supports, |arguments| {
            let choice = match op.call(arguments) {
                Ok(result) => *known.entry(result.id()).or_insert_with(|| {
                    branches.results.push(result);
                    branches.results.len() as u32 - 1
                }),
                Err(fault) => {
                    branches.error.get_or_insert_with(|| element.fault(fault));
                    Content::NO_CHOICE
                }
            };
            branches.choice.push(choice);
            Ok::<_, ModelError>(())
        })?;
        Ok(branches)
    }

    fn evidence_of(&self, element: &AnyElement) -> &[&'m Evidence] {
        self.evidence.get(&element.id()).map_or(&[], Vec::as_slice)
    }

    fn fix(&mut self, element: AnyElement, value: &Datum) -> Result<(), ModelError> {
        let mut values = element.no_values();
        values.insert(value.as_any());
        self.finish(element, Vec::new(), values.build(), Content::Fixed, None)
    }

    fn value(&mut self, element: AnyElement) -> Result<(), ModelError> {
        let parents = self.parents(&element)?;
        let observed = self.evidence_of(&element).iter().find_map(|e| e.observed());
        let supports = self.supports(&parents);
        let limit = self.budget.table_entries;
        let (support, content, doubt) = match element.kind() {
            Kind::Atomic(op) => rows::atomic(&element, &**op, observed)?,
            Kind::Apply(_, op) => rows::apply(&element, &**op, &supports, limit)?,
            Kind::Table(_, op) => rows::table(&element, &**op, &supports, limit)?,
            Kind::Score(_, evidence) => rows::score(&element, evidence, supports[0])?,
            Kind::Chain(..) => unreachable!("Chains are expanded in two stages"),
        };
        self.finish(element, parents, support, content, doubt)
    }

    fn choice(&mut self, element: AnyElement, branches: Branches) -> Result<(), ModelError> {
        let parents = self.parents(&element)?;
        let observed = self.evidence_of(&element).iter().find_map(|e| e.observed());
        let mut values = element.no_values();
        let mut results = Vec::with_capacity(branches.results.len());
        let mut renumbered = Vec::with_capacity(branches.results.len());
        let mut error = branches.error;
        for result in &branches.results {
            if let Some((_, failure)) = self.failed.get(&result.id()) {
                error.get_or_insert_with(|| failure.clone());
                renumbered.push(Content::NO_CHOICE);
                continue;
            }
            let position = self.expansion.positions[&result.id()];
            let expanded = &self.expansion.elements[position];
            if let (Content::Endless(_), Some(value)) = (&expanded.content, observed) {
                values.insert(value.as_any());
            } else {
                expanded.require_finite()?;
                for i in 0..expanded.support.len() {
                    values.insert(expanded.support.any(i));
                }
            }
            renumbered.push(results.len() as u32);
            results.push(position);
        }
        if let Some(value) = observed {
            self.require_one_measure(&element, &results, value)?;
        }
        let mut choice = branches.choice;
        for chosen in choice.iter_mut().filter(|c| **c != Content::NO_CHOICE) {
            *chosen = renumbered[*chosen as usize];
        }
        let failed = || choice.iter().map(|&c| c == Content::NO_CHOICE);
        let doubt = match error {
            Some(error) if results.is_empty() => return Err(error),
            Some(error) => Some(Doubt {
                error,
                failed: failed().collect(),
            }),
            None => None,
        };
        let content = Content::Chain { choice, results };
        self.finish(element, parents, values.build(), content, doubt)
    }

    /// An error if an observed value is a point mass in one branch and has a density in another.
    fn require_one_measure(
        &self,
        element: &AnyElement,
        results: &[usize],
        value: &Datum,
    ) -> Result<(), ModelError> {
        let results = || results.iter().map(|&r| &self.expansion.elements[r]);
        let density =
            |r: &ExpandedElement| matches!(r.content, Content::Endless(Endless::Continuous));
        let mass = |r: &ExpandedElement| r.support.index_of(value.as_any()).is_some();
        if results().any(density) && results().any(mass) {
            return Err(ModelError::MixedObservation {
                element: element.label(),
                value: format!("{value:?}"),
            });
        }
        Ok(())
    }

    /// Applies the evidence on the element and adds it to the expansion.
    fn finish(
        &mut self,
        element: AnyElement,
        parents: Vec<usize>,
        support: Support,
        content: Content,
        doubt: Option<Doubt>,
    ) -> Result<(), ModelError> {
        let mut expanded = ExpandedElement {
            element,
            parents,
            support,
            content,
            weights: None,
            restricted: false,
            doubt,
        };
        let evidence = self.evidence_of(&expanded.element);
        if !evidence.is_empty() && !matches!(expanded.content, Content::Endless(_)) {
            rows::restrict(&mut expanded, evidence)?;
        }
        let position = self.expansion.elements.len();
        if expanded.support.is_empty() && !matches!(expanded.content, Content::Endless(_)) {
            self.expansion.impossible = Some(position);
        }
        self.expansion
            .positions
            .insert(expanded.element.id(), position);
        self.expansion.elements.push(expanded);
        Ok(())
    }
}
