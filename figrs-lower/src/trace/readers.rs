//! Readers of the nodes of a trace, as caches and lists store them.

/// A use of a node: the reader, and the index of the node among the reader's inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeUse {
    pub(super) by: u32,
    pub(super) input: u32,
}

/// Direct or indirect readers of a node that use it as the parameter of a distribution; indirect readers read Chains whose result is
/// the node.
#[derive(Debug, Default)]
pub(super) struct ParameterReaders {
    is_known: bool,
    /// `true` if the readers of this Chain are in the cache of the node that is the Chain's result.
    is_followed: bool,
    /// `true` if the cache has all readers of the node.
    is_all: bool,
    /// The Chains that have the node's value as their value.
    chains: Vec<u32>,
    /// The choices that have the node as their only parameter.
    choices: Vec<u32>,
    /// The values of choices that observations determine; the entries of other choices are meaningless.
    values: Vec<f64>,
    /// Runs of consecutive choices whose distributions belong to one family.
    runs: Vec<FamilyRun>,
}

/// Consecutive choices whose distributions belong to the same family.
#[derive(Clone, Copy, Debug)]
struct FamilyRun {
    end: usize,
    /// `true` if observations determine the values of the choices.
    is_observed: bool,
}

/// The choices of a run (consecutive choices of one family), with the values that observations require.
pub(super) struct RunReaders<'a> {
    pub(super) choices: &'a [u32],
    pub(super) observed: &'a [f64],
    pub(super) is_observed: bool,
}

impl ParameterReaders {
    pub(super) fn invalidate(&mut self) {
        (self.is_known, self.is_followed) = (false, false);
    }

    /// True if the cache has all readers of the node; `None` if that is not known.
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

    /// True if the readers of this Chain are in the cache of the node that is the Chain's result.
    pub(super) fn is_followed(&self) -> bool {
        self.is_followed
    }

    pub(super) fn set_followed(&mut self) {
        self.is_followed = true;
    }

    /// Returns the Chains that have the node's value as their value.
    pub(super) fn chains(&self) -> &[u32] {
        &self.chains
    }

    pub(super) fn push_chain(&mut self, chain: u32) {
        self.chains.push(chain);
    }

    pub(super) fn choices(&self) -> &[u32] {
        &self.choices
    }

    /// Appends a choice to the last run of choices if it has the same family, and otherwise to a new run.
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

    /// Iterates over the runs of choices of one family.
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

/// The Chain that is the only reader of a Boolean node, if there is such a Chain.
#[derive(Clone, Copy, Debug)]
pub(super) enum BooleanBranch {
    /// The Boolean node has no Chain as its only reader.
    Absent,
    /// The Chain, and its results for `false` and `true` if they are cached.
    Chain(u32, [Option<u32>; 2]),
}

/// The readers of a choice that its full conditional distribution needs: choices that read its value as a parameter, directly or
/// through Chains that only pass the value on.
#[derive(Debug, Default)]
pub(super) struct Readers {
    pub(super) chains: Vec<u32>,
    pub(super) choices: Vec<NodeUse>,
}
