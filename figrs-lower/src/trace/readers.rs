//! The children of the nodes of a trace (a world that a Markov chain changes step by step). (A child of a node is an element whose value or
//! distribution depends on the node's value.)

/// An edge of the dependency graph: the child of a node, and the index of the node among the child's inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeUse {
    pub(super) by: u32,
    pub(super) input: u32,
}

/// Cache of the random choices that have a node as a parameter, directly or through `Chain` elements that pass on the node's value.
#[derive(Debug, Default)]
pub(super) struct ParameterReaders {
    is_known: bool,
    /// `true` if the node is a `Chain` that passes on the value of another element, and its children are in the cache of this element.
    is_followed: bool,
    /// `true` if the cache has all nodes that depend on the node.
    is_all: bool,
    /// The `Chain` elements that pass on the value of the node.
    chains: Vec<u32>,
    /// The random choices whose distributions have the node as their only parameter.
    choices: Vec<u32>,
    /// The values of the observed random choices; the entries of other choices have no meaning.
    values: Vec<f64>,
    /// Runs of random choices: the successive choices of a run have the same family of distributions.
    runs: Vec<FamilyRun>,
}

#[derive(Clone, Copy, Debug)]
struct FamilyRun {
    end: usize,
    /// `true` if observations determine the values of the random choices in the run.
    is_observed: bool,
}

/// The random choices of a run (successive choices with the same family of distributions), with their observed values.
pub(super) struct RunReaders<'a> {
    pub(super) choices: &'a [u32],
    pub(super) observed: &'a [f64],
    pub(super) is_observed: bool,
}

impl ParameterReaders {
    pub(super) fn invalidate(&mut self) {
        (self.is_known, self.is_followed) = (false, false);
    }

    /// True if the cache has all nodes that depend on the node; `None` if the cache is not valid.
    #[inline]
    pub(super) fn are_all(&self) -> Option<bool> {
        self.is_known.then_some(self.is_all)
    }

    pub(super) fn clear(&mut self) {
        self.chains.clear();
        self.choices.clear();
        self.values.clear();
        self.runs.clear();
    }

    pub(super) fn complete(&mut self, is_all: bool) {
        (self.is_known, self.is_all) = (true, is_all);
    }

    pub(super) fn is_followed(&self) -> bool {
        self.is_followed
    }

    pub(super) fn set_followed(&mut self) {
        self.is_followed = true;
    }

    pub(super) fn chains(&self) -> &[u32] {
        &self.chains
    }

    pub(super) fn push_chain(&mut self, chain: u32) {
        self.chains.push(chain);
    }

    pub(super) fn choices(&self) -> &[u32] {
        &self.choices
    }

    /// Adds a random choice to the last run if its distribution is of the same family; otherwise starts a new run.
    pub(super) fn push(
        &mut self,
        choice: u32,
        value: f64,
        is_observed: bool,
        same_family: impl FnOnce(u32) -> bool,
    ) {
        let last = self.choices.last().copied();
        let end = self.choices.len() + 1;
        let run = self
            .runs
            .last_mut()
            .filter(|run| run.is_observed == is_observed);
        match run.filter(|_| last.is_some_and(same_family)) {
            Some(run) => run.end = end,
            None => self.runs.push(FamilyRun { end, is_observed }),
        }
        self.choices.push(choice);
        self.values.push(value);
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = RunReaders<'_>> {
        let mut start = 0;
        self.runs.iter().map(move |run| {
            let all = std::mem::replace(&mut start, run.end)..run.end;
            RunReaders {
                choices: &self.choices[all.clone()],
                observed: &self.values[all],
                is_observed: run.is_observed,
            }
        })
    }
}

/// The `Chain` whose branch the truth value of a Boolean node selects, if this `Chain` is the only child of the node.
#[derive(Clone, Copy, Debug)]
pub(super) enum BooleanBranch {
    /// The node has several children, or its only child is not a `Chain` whose branch the truth value of the node selects.
    Absent,
    /// The `Chain`, and the elements that it selects for `false` and `true`, if they are cached.
    Chain(u32, [Option<u32>; 2]),
}

/// The nodes that depend on a random choice: `Chain` elements that pass on its value, and choices that have this value as a parameter.
#[derive(Debug, Default)]
pub(super) struct Readers {
    pub(super) chains: Vec<u32>,
    pub(super) choices: Vec<NodeUse>,
}
