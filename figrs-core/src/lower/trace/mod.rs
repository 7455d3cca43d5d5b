//! One world that is held and changed: the state of a Markov chain over worlds.
//!
//! A [`Trace`] holds the value of every element of one world, the log-probability of each random choice and the weight of
//! each statement. [`Trace::propose`] gives some choices other values and re-evaluates what depends on them; the change is
//! then kept or undone, in time proportional to what was touched.
//!
//! | file | what it holds |
//! |---|---|
//! | `node` | an element of the trace, and the prior of a choice |
//! | `register` | the value of a node |
//! | `structure` | edges, entry into the world and exit from it, demands of observations |
//! | `propagation` | re-evaluation in topological order |
//! | `evaluate` | the value of one node |
//! | `change` | proposals, and the changes they make |
//! | `look_ahead` | proposals that change values only |
//! | `parameter_readers` | choices that read one parameter |
//! | `trace_memory` | memory use |
//! | `boolean_branch` | truth values that only select a branch |
//! | `conditional` | exact draws from conditionals |
//!
//! # Observations
//!
//! An element has a value *demanded* of it if it is observed, or if an observation determines it (through an Apply that
//! says so, a Score, or the branch of a Chain) and nothing else reads it. It counts as having that value: a choice is
//! then not free, and its probability is a likelihood; anything else is checked, and the world weighs zero if it
//! computes to another value.

mod boolean_branch;
mod change;
mod conditional;
mod evaluate;
mod look_ahead;
mod node;
mod parameter_readers;
mod propagation;
mod register;
mod structure;
mod trace_memory;

pub use change::Change;
pub use node::{Prior, Source};

use crate::element::distribution::Space;
use crate::element::node::{AnyElement, FamilyOp, Kind};
use crate::error::ModelError;
use crate::lower::limit::{WorldLimit, measured};
use crate::lower::numbering::{Numbered, Numbering, Roots};
use crate::model::Model;
use crate::model::evidence::Evidence;
use crate::random::stream;
use crate::value::datum::Datum;
use change::StructureUndo;
use conditional::Readers;
use look_ahead::ProposalLookAhead;
use node::{NodeRole, TraceNode};
use propagation::{BucketQueue, UpdateStep};
use register::ValueRegister;
use trace_memory::TraceMemory;

/// Maximum number of elements outside the world that are cached, for branches that are taken again.
const MAX_CACHED: usize = 1 << 16;

/// Number of draws that decide whether the integers of a prior lie far apart: draws of a Poisson distribution differ by ten
/// or more if its mean is above about twelve.
const PROBES: usize = 8;
/// Least range of the draws for integers that lie far apart; below it a draw from the prior is near enough.
const MIN_WIDE_RANGE: i128 = 10;

/// A free choice of the world that a [`Trace`] holds: its number stays the same while it is part of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(u32);

impl Site {
    /// The number.
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// A model and one of its worlds.
pub struct Trace {
    nodes: Vec<TraceNode>,
    numbering: Numbering,
    /// The statements of evidence and the targets, each once.
    roots: Vec<u32>,
    targets: Vec<u32>,
    /// Free list: numbers of evicted nodes.
    vacant: Vec<u32>,
    /// The free choices.
    choices: Vec<u32>,
    /// Elements in the world.
    alive: usize,
    limit: WorldLimit,
    bytes: TraceMemory,
    /// Number of likelihoods of the world that are densities.
    densities: usize,
    /// The number of the proposal under way.
    epoch: u32,
    /// The nodes that the proposal touched.
    touched: Vec<u32>,
    operations: Vec<StructureUndo>,
    /// A Chain that reads another result now, and that result: the update of the result's edges is deferred.
    pending: Option<(u32, u32)>,
    change: Change,
    foresight: ProposalLookAhead,
    /// The values that were proposed or drawn for choices.
    own: Vec<ValueRegister>,
    own_count: usize,
    before: (usize, usize),
    /// Lasting nodes to be brought up to date, by height.
    agenda: BucketQueue,
    /// Other nodes to be brought up to date, if they stay in the world.
    later: Vec<u32>,
    steps: Vec<(u32, UpdateStep)>,
    marks: Vec<u32>,
    entering: Vec<u32>,
    orphans: Vec<u32>,
    /// Nodes of which another value may be demanded now.
    statuses: Vec<u32>,
    /// Choices that an observation decides and that something else reads.
    shared: Vec<u32>,
    faults: Vec<(u32, ModelError)>,
    readers: Readers,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace")
            .field("elements", &self.alive)
            .field("choices", &self.choices.len())
            .finish_non_exhaustive()
    }
}

impl Trace {
    /// A model without a world yet; a world over the limit, a number of elements or a [`WorldLimit`], is an error.
    pub fn new(
        model: &Model,
        targets: &[AnyElement],
        limit: impl Into<WorldLimit>,
    ) -> Result<Self, ModelError> {
        let limit = limit.into();
        let model = &*model.pooled();
        let mut trace = Self {
            nodes: Vec::new(),
            numbering: Numbering::new(model),
            roots: Vec::new(),
            targets: Vec::new(),
            vacant: Vec::new(),
            choices: Vec::new(),
            alive: 0,
            limit,
            bytes: TraceMemory::new(limit.bytes),
            densities: 0,
            epoch: 0,
            touched: Vec::new(),
            operations: Vec::new(),
            pending: None,
            change: Change::default(),
            foresight: ProposalLookAhead::default(),
            own: Vec::new(),
            own_count: 0,
            before: (0, 0),
            agenda: BucketQueue::default(),
            later: Vec::new(),
            steps: Vec::new(),
            marks: Vec::new(),
            entering: Vec::new(),
            orphans: Vec::new(),
            statuses: Vec::new(),
            shared: Vec::new(),
            faults: Vec::new(),
            readers: Readers::default(),
        };
        let (stated, targets) = trace.reach(model, Roots::AsStated, targets, limit.elements)?;
        for &root in stated.iter().chain(&targets) {
            if !std::mem::replace(&mut trace.nodes[root as usize].root, true) {
                trace.roots.push(root);
            }
        }
        trace.targets = targets;
        trace.pass_observations_back();
        Ok(trace)
    }

    fn check_limit(&self, reached: usize, node: u32) -> Result<(), ModelError> {
        if reached >= self.limit.elements {
            return Err(self.too_many(node, self.limit.elements));
        }
        Ok(())
    }

    /// Evicts the nodes outside the world, if they have become many.
    fn purge(&mut self) {
        let few = self.nodes.len() - self.vacant.len() <= self.alive + self.lasting() + MAX_CACHED;
        if few && !self.bytes.is_full() {
            return;
        }
        let ((), freed) = measured(|| self.give_up());
        self.bytes.purged(freed.bytes, self.limit.bytes);
    }

    /// Evicts the nodes outside the world.
    fn give_up(&mut self) {
        let Some(other) = self.nodes.first().map(|node| node.element.clone()) else {
            return;
        };
        for node in &mut self.nodes {
            node.fork = None;
            node.branches.clear();
            node.keys.clear();
        }
        for number in self.lasting()..self.nodes.len() {
            let node = &mut self.nodes[number];
            if !node.in_world && !node.vacant {
                self.numbering.remove(&node.element);
                node.vacate();
                // The element and what only it holds are dropped.
                node.element = other.clone();
                self.vacant.push(number as u32);
            }
        }
    }

    /// Number of nodes that every world has; they stand first.
    #[inline]
    fn lasting(&self) -> usize {
        self.numbering.lasting()
    }

    /// The change that the last proposal makes.
    #[inline]
    pub fn change(&self) -> &Change {
        &self.change
    }

    /// Number of free choices in the world.
    #[inline]
    pub fn choices(&self) -> usize {
        self.choices.len()
    }

    /// One of the free choices.
    #[inline]
    pub fn choice(&self, index: usize) -> Site {
        Site(self.choices[index])
    }

    /// The site of an element, if it is a free choice of the world.
    pub fn site(&self, element: &AnyElement) -> Option<Site> {
        let number = self.numbering.number(element)?;
        self.is_free(number).then_some(Site(number))
    }

    /// True if a site is part of every world.
    #[inline]
    pub fn is_lasting(&self, site: Site) -> bool {
        site.number() < self.lasting()
    }

    /// True if a site is a free choice of the world now.
    #[inline]
    pub fn is_choice(&self, site: Site) -> bool {
        self.is_free(site.0)
    }

    /// The element of a site.
    #[inline]
    pub fn element(&self, site: Site) -> &AnyElement {
        &self.nodes[site.number()].element
    }

    /// The value of a node.
    #[inline]
    fn present(&self, number: u32) -> &ValueRegister {
        &self.nodes[number as usize].value
    }

    /// The value of a site.
    pub fn value(&self, site: Site) -> Option<Datum> {
        self.nodes[site.number()].value.datum()
    }

    /// The value of a site, if it is a Boolean.
    #[inline]
    pub fn truth(&self, site: Site) -> Option<bool> {
        self.nodes[site.number()].value.truth()
    }

    /// The value of a site, if it is an `f64`.
    #[inline]
    pub fn number(&self, site: Site) -> Option<f64> {
        self.nodes[site.number()].value.number()
    }

    /// True if the value of a site is this one.
    #[inline]
    pub fn holds(&self, site: Site, value: &Datum) -> bool {
        self.nodes[site.number()].value.holds(value)
    }

    /// The log-probability of the value of a site; while a proposal of it is neither kept nor undone, that of the proposed one.
    #[inline]
    pub fn log_prob(&self, site: Site) -> f64 {
        self.foreseen_log(site.0)
            .unwrap_or(self.nodes[site.number()].log)
    }

    /// True if the values of a site are a continuum.
    #[inline]
    pub fn is_continuous(&mut self, site: Site) -> bool {
        self.nodes[site.number()].is_continuous()
    }

    /// The space of the continuous values of a site.
    pub fn space(&self, site: Site) -> Space {
        match self.nodes[site.number()].element.kind() {
            Kind::Atomic(op) => op.space(),
            Kind::Chain(_, op) => op.family().map_or(Space::Real, FamilyOp::space),
            Kind::Apply(..) | Kind::Table(..) | Kind::Score(..) => Space::Real,
        }
    }

    /// True if the values of a site are integers of which draws from its prior differ by ten or more.
    ///
    /// Decided once for each element of the world, by `PROBES` draws with random numbers of their own.
    pub fn is_wide(&mut self, site: Site) -> bool {
        if let Some(is_wide) = self.nodes[site.number()].is_wide {
            return is_wide;
        }
        let mut random = stream(0, 0);
        let (mut least, mut most) = (i128::MAX, i128::MIN);
        for _ in 0..PROBES {
            let drawn = self.draw(site, &mut random);
            let drawn = drawn.ok().flatten().and_then(|drawn| drawn.integer());
            let Some(drawn) = drawn else { break };
            (least, most) = (least.min(drawn), most.max(drawn));
        }
        let is_wide = most.saturating_sub(least) >= MIN_WIDE_RANGE;
        self.nodes[site.number()].is_wide = Some(is_wide);
        is_wide
    }

    /// The value of a target, by the position at which it was given.
    pub fn target(&self, position: usize) -> Option<Datum> {
        self.nodes[self.targets[position] as usize].value.datum()
    }

    /// Number of likelihoods of the world that are densities; see [`Program::densities`](super::Program::densities).
    pub fn densities(&self) -> usize {
        self.densities
    }

    /// The elements of the world with their values.
    pub fn world(&self) -> impl Iterator<Item = (&AnyElement, Datum)> {
        let present = self.nodes.iter().filter(|node| node.in_world);
        present.filter_map(|node| Some((&node.element, node.value.datum()?)))
    }

    /// The natural logarithm of the likelihood: of the weights of the evidence, and of the probabilities of the choices that
    /// observations decide, summed afresh.
    pub fn log_likelihood(&self) -> f64 {
        let present = (0..self.nodes.len() as u32).filter(|&i| self.nodes[i as usize].in_world);
        let log = |number: u32| {
            let node = &self.nodes[number as usize];
            node.weight + if self.is_free(number) { 0.0 } else { node.log }
        };
        present.map(log).sum()
    }

    /// The natural logarithm of the probability of the world times the weights of the evidence, summed afresh.
    pub fn log_weight(&self) -> f64 {
        let present = self.nodes.iter().filter(|node| node.in_world);
        present.map(|node| node.log + node.weight).sum()
    }
}

impl Numbered for Trace {
    fn numbering(&mut self) -> &mut Numbering {
        &mut self.numbering
    }

    fn records(&self) -> usize {
        self.nodes.len()
    }

    fn record(&mut self, element: &AnyElement) -> u32 {
        if let Some(number) = self.numbering.number(element) {
            return number;
        }
        let fixed = self.numbering.statements.intervention(element).cloned();
        let node = TraceNode::new(
            element.clone(),
            fixed,
            self.numbering.statements.evidence(element),
        );
        let number = if let Some(vacant) = self.vacant.pop() {
            self.nodes[vacant as usize] = node;
            vacant
        } else {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        };
        self.numbering.assign(element, number);
        number
    }

    fn record_parents(&mut self, number: u32) {
        let node = &self.nodes[number as usize];
        if node.resolved {
            return;
        }
        let element = node.element.clone();
        let parents = match node.role {
            NodeRole::Fixed => &[],
            _ => element.parents(),
        };
        let parents = parents.iter().map(|parent| self.record(parent)).collect();
        let node = &mut self.nodes[number as usize];
        node.parents = parents;
        node.resolved = true;
    }

    fn element(&self, number: u32) -> &AnyElement {
        &self.nodes[number as usize].element
    }

    fn parents(&self, number: u32) -> Vec<u32> {
        self.nodes[number as usize].parents.to_vec()
    }

    fn evidence(&self, number: u32) -> &[Evidence] {
        &self.nodes[number as usize].evidence
    }

    /// A second, different value is found out when the world is weighed.
    fn imply(&mut self, number: u32, value: &Datum) -> bool {
        let given = &mut self.nodes[number as usize].given;
        let is_new = given.is_none();
        if is_new {
            *given = Some(value.clone());
        }
        is_new
    }
}
