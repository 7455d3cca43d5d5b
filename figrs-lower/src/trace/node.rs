//! A node of a trace: an element with its value, its inputs (its parents and, for a `Chain`, the element that it selects) and its children.

use std::any::Any;
use std::sync::Arc;

use super::readers::{BooleanBranch, NodeUse, ParameterReaders};
use super::register::ValueRegister;
use figrs_core::element::family_values::SufficientStatistics;
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::element::node::Kind;
use figrs_core::element::operations::FamilyOp;
use figrs_core::{AnyElement, Datum, Evidence};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeRole {
    Fixed,
    Atomic,
    /// A `Chain` whose function always returns a member of one family of distributions: a random choice whose parameters are the values of its
    /// parents.
    Family,
    Table,
    Apply,
    Chain,
    Score,
}

impl NodeRole {
    pub(super) fn is_choice(self) -> bool {
        matches!(self, Self::Atomic | Self::Family | Self::Table)
    }
}

/// An edge of the dependency graph: the input of a node, the index of the edge among all uses of this input, and the value that the node requires of
/// the input.
pub(super) struct InputEdge {
    pub(super) to: u32,
    pub(super) at: u32,
    pub(super) demand: Option<Datum>,
}

/// A node of the dependency graph of a trace (a world that a Markov chain changes step by step). The fields of a node that every proposal reads come
/// first, so that they fill few cache lines.
#[allow(clippy::struct_excessive_bools)]
#[repr(C, align(64))]
pub(super) struct TraceNode {
    pub(super) value: ValueRegister,
    /// The log-probability of a random choice; for other nodes zero, or `-inf` if the value differs from the value that observations require.
    pub(super) log: f64,
    /// The index of the last proposal that evaluated or changed the node.
    pub(super) touched: u32,
    /// The index of the last proposal that changed the node's value.
    pub(super) changed: u32,
    /// The topological height of the node, which is greater than the heights of its inputs.
    pub(super) height: u32,
    pub(super) role: NodeRole,
    pub(super) in_world: bool,
    /// `true` if the node or one of its inputs is queued for re-evaluation.
    pub(super) stale: bool,
    /// `true` if the node must be re-evaluated even if its inputs have not changed.
    pub(super) must_evaluate: bool,
    pub(super) root: bool,
    pub(super) checked: bool,
    pub(super) reach: ParameterReaders,
    /// The `Chain` whose result the truth value of the node selects; `None` if the search for such a `Chain` has not been made.
    pub(super) boolean_branch: Option<BooleanBranch>,
    /// The index of the node in the list of new values, for the last proposal that touched the node.
    pub(super) listed: u32,
    /// Number of further proposals for the node that are not tried on the fast path; `backoff` is this number when the fast path last failed.
    pub(super) general_path_left: u8,
    pub(super) backoff: u8,
    /// `true` if the model has evidence on the node's value.
    pub(super) weighs: bool,
    /// The value and the log-probability of the node before the last proposal that evaluated or changed it.
    pub(super) old: NodeSnapshot,
    /// The log-weight that the evidence on the node gives to its value.
    pub(super) weight: f64,
    /// While the node is in the world, the edges from its parents and, for a `Chain`, from the element that it selects.
    pub(super) inputs: Vec<InputEdge>,
    pub(super) uses: Vec<NodeUse>,
    pub(super) parents: Box<[u32]>,
    pub(super) element: AnyElement,
    pub(super) demand: Option<Datum>,
    /// Number of children whose observations (if any) do not determine the value of the node, plus one if the node is a root (a target, or a variable
    /// with evidence).
    pub(super) uses_without_demand: u32,
    /// The index of the node in the list of free choices (choices that no observation determines).
    pub(super) position: u32,
    /// For each cached result of a `Chain`, the index of the node of the element that the `Chain` selects. The values of the parents for which a
    /// `Chain` selects these elements are in `keys`.
    pub(super) branches: Vec<u32>,
    pub(super) keys: Vec<ValueRegister>,
    pub(super) next_branch: usize,
    /// The log-probabilities of `false` and `true`, if the element is Boolean and has no parents; NaN if they have not been computed yet.
    pub(super) log_probs: [f64; 2],
    pub(super) evidence: Arc<[Evidence]>,
    /// The value of the element that an intervention sets, or that observations imply in every world.
    pub(super) given: Option<Datum>,
    /// A value that observations require and that is a list, with the sufficient statistics of the list.
    summary: Option<(Datum, SufficientStatistics)>,
    continuous: Option<bool>,
    /// `true` if the node is a random integer whose prior is wide; `None` if this has not been tested.
    pub(super) is_wide: Option<bool>,
    pub(super) resolved: bool,
    pub(super) vacant: bool,
}

/// The value, log-probability and weight of a node before a proposal.
///
/// The processor delays a load of two adjacent numbers if they have just been stored one by one; the order of the fields avoids the delay.
#[derive(Default)]
#[repr(C)]
pub(super) struct NodeSnapshot {
    /// The previous value of the node, if the proposal replaced it.
    pub(super) value: ValueRegister,
    pub(super) log: f64,
    /// The index of the node's previous value in the list of proposed and drawn values, plus one; zero if the value is not in the list.
    pub(super) proposed: u32,
    pub(super) replaced: bool,
    pub(super) in_world: bool,
    pub(super) free: bool,
    pub(super) weight: f64,
}

impl TraceNode {
    pub(super) fn new(
        element: AnyElement,
        fixed: Option<Datum>,
        evidence: Arc<[Evidence]>,
    ) -> Self {
        let role = match element.kind() {
            _ if fixed.is_some() => NodeRole::Fixed,
            Kind::Atomic(_) => NodeRole::Atomic,
            Kind::Apply(..) => NodeRole::Apply,
            kind @ Kind::Chain(..) if kind.family().is_some() => NodeRole::Family,
            Kind::Chain(..) => NodeRole::Chain,
            Kind::Table(..) => NodeRole::Table,
            Kind::Score(..) => NodeRole::Score,
        };
        Self {
            weighs: role == NodeRole::Score || !evidence.is_empty(),
            role,
            evidence,
            given: fixed,
            summary: None,
            resolved: false,
            parents: Box::default(),
            inputs: Vec::new(),
            uses: Vec::new(),
            root: false,
            uses_without_demand: 0,
            demand: None,
            value: ValueRegister::default(),
            old: NodeSnapshot::default(),
            log: 0.0,
            weight: 0.0,
            in_world: false,
            stale: true,
            must_evaluate: true,
            height: 0,
            log_probs: [f64::NAN; 2],
            changed: 0,
            touched: 0,
            branches: Vec::new(),
            keys: Vec::new(),
            next_branch: 0,
            checked: false,
            reach: ParameterReaders::default(),
            boolean_branch: None,
            listed: 0,
            general_path_left: 0,
            backoff: 0,
            continuous: None,
            is_wide: None,
            position: 0,
            vacant: false,
            element,
        }
    }

    /// Drops the contents of the node except its element, so that another node can reuse the memory.
    pub(super) fn vacate(&mut self) {
        self.vacant = true;
        self.parents = Box::default();
        self.reach = ParameterReaders::default();
        self.boolean_branch = None;
        self.value.clear();
    }

    pub(super) fn observed(&self) -> Option<&Datum> {
        match self.element.kind() {
            Kind::Score(_, evidence) => evidence.observed(),
            _ => None,
        }
    }

    pub(super) fn is_used(&self) -> bool {
        self.root || !self.uses.is_empty()
    }

    /// Clears the caches of the node that depend on its children.
    pub(super) fn clear_reader_caches(&mut self) {
        self.reach.invalidate();
        self.boolean_branch = None;
    }

    /// True if the node is a `Chain` without evidence and without a required value, so that it only passes on the value of the element that it
    /// selects.
    pub(super) fn is_pass_through(&self) -> bool {
        self.role == NodeRole::Chain && self.demand.is_none() && !self.weighs
    }

    /// True if the node keeps its value when one of its inputs changes, because it is a random choice or has a required value.
    pub(super) fn is_terminal(&self) -> bool {
        self.demand.is_some() || self.role.is_choice()
    }

    /// Returns the family of distributions from which the node's value is drawn, if there is one.
    #[inline]
    pub(super) fn family(&self) -> Option<&dyn FamilyOp> {
        self.element.kind().family()
    }

    /// Computes the sufficient statistics of the required value `value`, from which log-probabilities are computed faster than from the value.
    pub(super) fn summarise(&mut self, value: &Datum) {
        if let Some(family) = self.family()
            && self.summary.as_ref().is_none_or(|(of, _)| of != value)
        {
            let summary = family.summary(value.as_any());
            self.summary = summary.map(|summary| (value.clone(), summary));
        }
    }

    /// Returns the sufficient statistics of the required value `value`, if they have been computed.
    #[inline]
    pub(super) fn summary_of(&self, value: &ValueRegister) -> Option<&dyn Any> {
        let (of, summary) = self.summary.as_ref()?;
        value.holds(of).then_some(summary)
    }

    #[inline]
    pub(super) fn weighed_as(&mut self, log: f64, value: &ValueRegister) {
        self.log = log;
        self.cache_log_prob(log, value);
    }

    /// Caches the log-probability `log` of the truth value `value`.
    #[inline]
    pub(super) fn cache_log_prob(&mut self, log: f64, value: &ValueRegister) {
        if let (NodeRole::Atomic, Some(truth)) = (self.role, value.truth()) {
            self.log_probs[usize::from(truth)] = log;
        }
    }

    pub(super) fn is_continuous(&mut self) -> bool {
        let continuous = || self.element.is_continuous().unwrap_or(false);
        *self.continuous.get_or_insert_with(continuous)
    }

    /// Returns the approximate number of bytes that the node holds on the heap, without the bytes of its element.
    pub(super) fn heap_bytes(&self) -> usize {
        let uses = self.uses.capacity() * size_of::<NodeUse>();
        let inputs = self.inputs.capacity() * size_of::<InputEdge>();
        let branches = self.branches.capacity() * size_of::<u32>();
        let keys = self.keys.capacity() * size_of::<ValueRegister>();
        let values = self.value.heap_bytes() + self.old.value.heap_bytes();
        uses + inputs + branches + keys + size_of_val(&*self.parents) + values + 4 * ALLOCATION
    }
}
