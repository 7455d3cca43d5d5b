//! The elements of earlier steps of a filter, on which a step must not depend.

use rustc_hash::FxHashSet;

use crate::element::node::Kind;
use crate::{AnyElement, ElementId};

/// Maximum number of elements of replaced states that a filter remembers.
const MOST_REPLACED: usize = 16;

/// Elements of earlier steps. A filter would treat them as independent of the present state.
#[derive(Clone, Debug, Default)]
pub struct EarlierElements {
    /// Elements on which the states of earlier steps depend, the latest last.
    replaced: Vec<AnyElement>,
    /// The random elements of the first state, followed by those of the last step.
    used: Vec<AnyElement>,
    /// The number of random elements of the first state.
    first: usize,
}

impl EarlierElements {
    /// Starts with the random elements of the first state.
    pub fn of_first(random: Vec<AnyElement>) -> Self {
        let used = distinct(random);
        Self {
            replaced: Vec::new(),
            first: used.len(),
            used,
        }
    }

    /// Notes that the elements of a state, which depend on `sources`, are replaced by new elements. Only the last elements are remembered.
    pub fn replace(&mut self, sources: impl IntoIterator<Item = AnyElement>) {
        self.replaced.extend(sources);
        let excess = self.replaced.len().saturating_sub(MOST_REPLACED);
        self.replaced.drain(..excess);
    }

    /// Notes the random elements of a step, and forgets those of the step before it.
    pub fn use_in_step(&mut self, random: Vec<AnyElement>) {
        self.used.truncate(self.first);
        self.use_also(random);
    }

    /// Notes more random elements of a step.
    pub fn use_also(&mut self, random: Vec<AnyElement>) {
        self.used.extend(distinct(random));
    }

    /// If a step, which depends on the elements for which `depends` returns `true`, depends on an element of an earlier step, returns the wrong setting, its
    /// value, and the remedy.
    pub fn mistake(
        &self,
        depends: impl Fn(&AnyElement) -> bool,
    ) -> Option<(&'static str, String, &'static str)> {
        if self.replaced.iter().any(&depends) {
            let value = "elements of a state from before an earlier step".to_owned();
            let remedy = "use the elements that `state` and `past` return after the last step";
            return Some(("evidence", value, remedy));
        }
        let element = self.used.iter().find(|element| depends(element))?;
        let value = format!("{} in several steps", element.label());
        let remedy = "build the random elements of a step in its functions; a random quantity of several steps belongs to the state";
        Some(("step", value, remedy))
    }
}

/// Returns the elements on which `roots` depend by parents; `roots` are among them.
pub fn ancestors(roots: Vec<AnyElement>) -> Vec<AnyElement> {
    let (mut found, mut stack) = (Vec::new(), roots);
    let mut seen: FxHashSet<ElementId> = FxHashSet::default();
    while let Some(element) = stack.pop() {
        if seen.insert(element.id()) {
            stack.extend(element.parents().iter().cloned());
            found.push(element);
        }
    }
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

fn distinct(mut elements: Vec<AnyElement>) -> Vec<AnyElement> {
    elements.sort_unstable_by_key(AnyElement::id);
    elements.dedup_by_key(|element| element.id());
    elements
}
