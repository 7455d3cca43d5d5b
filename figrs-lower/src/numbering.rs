//! Indices of the elements of a model, and backward propagation of observations among these elements.
//!
//! [`Block`](super::columns) and [`Trace`](super::trace) use the module `numbering`; both have a record for each element of a model. A
//! [`Program`](super::Program) deliberately does not use the module `numbering`, because tests compare the results of a `Block` and a `Trace` with
//! those of a `Program`.

use rustc_hash::FxHashMap;

use figrs_core::element::node::Kind;
use figrs_core::model::evidence::StatementIndex;
use figrs_core::{AnyElement, Datum, ElementId, Evidence, Model, ModelError};

/// The order in which the statements of evidence are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceOrder {
    /// Observations are evaluated before other evidence; elements whose values the observations imply then need not be drawn.
    ObservationsFirst,
    /// The statements of evidence are evaluated in the order in which the model has them.
    AsStated,
}

/// The indices of a model's elements, and the evidence and interventions on these elements. The elements that every world evaluates have the lowest
/// indices.
pub(super) struct Numbering {
    numbers: FxHashMap<ElementId, u32>,
    pub(super) statements: StatementIndex,
    permanent: usize,
}

impl Numbering {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            numbers: FxHashMap::default(),
            statements: StatementIndex::of(model),
            permanent: 0,
        }
    }

    /// Returns the index of `element`, if the element has an index. A decision that follows a policy has the same index as the policy, which is an
    /// element too.
    pub(super) fn number(&self, element: &AnyElement) -> Option<u32> {
        let element = self.statements.policy(element).unwrap_or(element);
        self.numbers.get(&element.id()).copied()
    }

    pub(super) fn assign(&mut self, element: &AnyElement, number: u32) {
        self.numbers.insert(element.id(), number);
    }

    pub(super) fn remove(&mut self, element: &AnyElement) {
        self.numbers.remove(&element.id());
    }

    /// Removes the indices of elements that only some worlds evaluate.
    pub(super) fn keep_permanent(&mut self) {
        let permanent = self.permanent as u32;
        self.numbers.retain(|_, &mut number| number < permanent);
    }

    /// Returns the number of elements that every world evaluates; these elements have the lowest indices.
    pub(super) fn permanent(&self) -> usize {
        self.permanent
    }

    pub(super) fn capacity(&self) -> usize {
        self.numbers.capacity()
    }
}

pub(super) trait Numbered {
    fn numbering(&mut self) -> &mut Numbering;

    fn records(&self) -> usize;

    /// Returns the index of `element`; an element without an index gets one, and a record.
    fn record(&mut self, element: &AnyElement) -> u32;

    /// Gives indices and records to the parents of the element with the index `number`, unless an intervention sets the element.
    fn record_parents(&mut self, number: u32);

    fn element(&self, number: u32) -> &AnyElement;

    /// Returns the indices of the parents of an element that already has a record.
    fn parents(&self, number: u32) -> Vec<u32>;

    fn evidence(&self, number: u32) -> &[Evidence];

    /// Records that observations imply the value `value` of an element; returns `false` if the same value has been recorded before.
    fn imply(&mut self, number: u32, value: &Datum) -> bool;

    /// Gives indices to the elements that every world evaluates because of the evidence and the targets. Returns the indices of the elements with
    /// evidence, in the order `order` of evaluation, and the indices of the targets.
    ///
    /// **Errors.** [`ModelError::TooManyElements`] if more than `limit` elements need an index.
    fn reach(
        &mut self,
        model: &Model,
        order: EvidenceOrder,
        targets: &[AnyElement],
        limit: usize,
    ) -> Result<(Vec<u32>, Vec<u32>), ModelError> {
        let is_first = |statement: &Evidence| match order {
            EvidenceOrder::ObservationsFirst => statement.observed().is_some(),
            EvidenceOrder::AsStated => true,
        };
        let (first, others): (Vec<_>, Vec<_>) =
            (model.evidence().iter()).partition(|(_, statement)| is_first(statement));
        let stated = first.into_iter().chain(others);
        let stated = stated.map(|(element, _)| self.record(element)).collect();
        let targets = targets.iter().map(|target| self.record(target)).collect();
        let mut next = 0;
        while next < self.records() {
            if next >= limit {
                return Err(self.too_many(next as u32, limit));
            }
            self.record_parents(next as u32);
            next += 1;
        }
        self.numbering().permanent = next;
        Ok((stated, targets))
    }

    fn too_many(&self, number: u32, limit: usize) -> ModelError {
        ModelError::TooManyElements {
            element: self.element(number).label(),
            limit,
        }
    }

    /// Propagates observations backwards to elements whose values they imply in every world: these elements need not be drawn, even if another
    /// evidence variable or target is evaluated first.
    fn pass_observations_back(&mut self) {
        let mut implied: Vec<(u32, Datum)> = Vec::new();
        for number in 0..self.records() as u32 {
            let observed = self.evidence(number).iter().filter_map(Evidence::observed);
            implied.extend(observed.map(|value| (number, value.clone())));
            if let Kind::Score(_, evidence) = self.element(number).kind()
                && let (Some(value), Some(&parent)) =
                    (evidence.observed(), self.parents(number).first())
            {
                implied.push((parent, value.clone()));
            }
        }
        implied.reverse();
        while let Some((number, value)) = implied.pop() {
            if !self.imply(number, &value) {
                continue;
            }
            let passed = self.element(number).demands(Some(&value));
            let passed = self.parents(number).into_iter().zip(passed);
            implied.extend(passed.filter_map(|(parent, value)| Some((parent, value?))));
        }
    }
}
