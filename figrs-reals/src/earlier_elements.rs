//! The elements of earlier steps of a filter, on which a step must not depend.

use figrs_core::AnyElement;

/// Maximum number of elements of replaced states that a filter remembers.
const MOST_REPLACED: usize = 16;

/// Elements of earlier steps. The filter would treat them as independent of the present state.
#[derive(Clone, Debug, Default)]
pub(crate) struct EarlierElements {
    /// Elements on which the states of earlier steps depend, the latest last.
    pub(crate) replaced: Vec<AnyElement>,
    /// The random elements of the first state, followed by those of the last step.
    pub(crate) used: Vec<AnyElement>,
    /// The number of random elements of the first state.
    first: usize,
}

impl EarlierElements {
    /// Starts with the random elements of the first state.
    pub(crate) fn of_first(random: Vec<AnyElement>) -> Self {
        let used = distinct(random);
        Self {
            replaced: Vec::new(),
            first: used.len(),
            used,
        }
    }

    /// Notes that the elements of a state, which depend on `sources`, are replaced by new elements. Only the last elements are remembered.
    pub(crate) fn replace(&mut self, sources: impl IntoIterator<Item = AnyElement>) {
        self.replaced.extend(sources);
        let excess = self.replaced.len().saturating_sub(MOST_REPLACED);
        self.replaced.drain(..excess);
    }

    /// Notes the random elements of a step, and forgets those of the step before it.
    pub(crate) fn use_in_step(&mut self, random: Vec<AnyElement>) {
        self.used.truncate(self.first);
        self.used.extend(distinct(random));
    }
}

fn distinct(mut elements: Vec<AnyElement>) -> Vec<AnyElement> {
    elements.sort_unstable_by_key(AnyElement::id);
    elements.dedup_by_key(|element| element.id());
    elements
}
