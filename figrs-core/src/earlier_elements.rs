//! The random elements of earlier steps of a filter (an estimate of a state over time); a new step must not depend on them.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::element::node::{Kind, WeakElement};
use crate::{AnyElement, ElementId, Model};

/// Number of remembered elements at which the elements that have been dropped are removed for the first time.
const FIRST_REMOVAL: usize = 64;

/// The random elements of earlier steps that have not been dropped. A filter would treat the random elements of earlier steps as independent of the
/// present state.
#[derive(Clone)]
pub struct EarlierElements {
    /// For each element, `true` if it belongs to a state of the filter that a later step has replaced.
    used: FxHashMap<ElementId, (WeakElement, bool)>,
    /// The number of remembered elements at which the elements that have been dropped are removed.
    most: usize,
}

impl Default for EarlierElements {
    fn default() -> Self {
        Self {
            used: FxHashMap::default(),
            most: FIRST_REMOVAL,
        }
    }
}

impl fmt::Debug for EarlierElements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} earlier elements", self.used.len())
    }
}

impl EarlierElements {
    /// The name of the invalid setting in the error for a step that depends on an element of an earlier step.
    pub const SETTING: &'static str = "an element of the step";

    /// Notes the random elements of a step of a filter.
    pub fn add(&mut self, random: &[AnyElement]) {
        for element in random {
            let note = || (element.downgrade(), false);
            self.used.entry(element.id()).or_insert_with(note);
        }
        self.forget_dropped();
    }

    fn forget_dropped(&mut self) {
        if self.used.len() > self.most {
            self.used.retain(|_, (element, _)| element.is_alive());
            self.most = 2 * self.used.len() + FIRST_REMOVAL;
        }
    }

    /// Notes that new elements replace the elements of a filter's state, which depend on `sources`.
    pub fn replace(&mut self, sources: impl IntoIterator<Item = AnyElement>) {
        for element in sources {
            self.used.insert(element.id(), (element.downgrade(), true));
        }
        self.forget_dropped();
    }

    /// True if `element` belongs to an earlier step of the filter.
    pub fn contains(&self, element: &AnyElement) -> bool {
        self.used.contains_key(&element.id())
    }

    /// If a step whose random elements are `random` depends on an element of an earlier step, returns a description of this element, and the remedy.
    pub fn mistake(&self, random: &[AnyElement]) -> Option<(String, &'static str)> {
        let found = |element: &AnyElement| self.used.get(&element.id()).map(|(_, old)| *old);
        if random.iter().any(|element| found(element) == Some(true)) {
            let value = "an element of a state that a later step has replaced".to_owned();
            let remedy = "use the arguments of the functions, or the elements that `state` and `past` return after the last call of `advance`, `observe` or `follow`";
            return Some((value, remedy));
        }
        let element = random.iter().find(|element| found(element).is_some())?;
        let value = format!("{}, which an earlier step uses, too", element.label());
        let remedy = "build the random elements of a step in its functions, from their arguments; a random quantity of several steps belongs to the state";
        Some((value, remedy))
    }
}

/// Returns the random elements among `roots`, the elements with evidence in `model`, and all their ancestors.
pub fn random_ancestors(roots: Vec<AnyElement>, model: &Model) -> Vec<AnyElement> {
    let evidence = model.evidence().iter().map(|(element, _)| element.clone());
    let mut stack: Vec<AnyElement> = roots.into_iter().chain(evidence).collect();
    let set = model.interventions().iter();
    let mut seen: FxHashSet<ElementId> = set.map(|(element, _)| element.id()).collect();
    let mut found = Vec::new();
    while let Some(element) = stack.pop() {
        if seen.insert(element.id()) {
            stack.extend(element.parents().iter().cloned());
            found.push(element);
        }
    }
    found.retain(is_random);
    found
}

/// True if the element has a distribution of its own with several possible values.
pub fn is_random(element: &AnyElement) -> bool {
    match element.kind() {
        Kind::Atomic(op) => match op.outcomes() {
            Ok(Ok(outcomes)) => outcomes.probabilities.len() > 1,
            _ => true,
        },
        Kind::Table(..) => true,
        kind @ Kind::Chain(..) => kind.family().is_some(),
        Kind::Apply(..) | Kind::Score(..) => false,
    }
}
