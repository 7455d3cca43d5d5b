//! States of a network's variables.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use figrs_core::{States, printable};

/// A state of a network's variable. A `State` is the type of the values of a network variable's element. Cloning a state is cheap, and states are
/// compared by index.
#[derive(Clone)]
pub struct State {
    names: Arc<[String]>,
    index: u32,
}

impl State {
    pub(super) fn all(names: Vec<String>) -> States<Self> {
        let names: Arc<[String]> = names.into();
        let state = |index| Self {
            names: names.clone(),
            index,
        };
        States::new((0..names.len() as u32).map(state))
    }

    /// Returns the index of the state among the states of its variable.
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Returns the name of the state.
    pub fn name(&self) -> &str {
        &self.names[self.index()]
    }
}

impl PartialEq for State {
    /// True if the two states have the same index and the state names of their variables are equal.
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
            && (Arc::ptr_eq(&self.names, &other.names) || self.names == other.names)
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.index.hash(hasher);
    }
}

figrs_core::value!(State);

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&printable(self.name()))
    }
}
