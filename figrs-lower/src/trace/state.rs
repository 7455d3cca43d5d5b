//! The state of a Markov chain: a model and one of its worlds.

use super::agenda::{Agenda, StructureWorklist};
use super::change::{Change, UndoLog};
use super::limits::TraceMemory;
use super::look_ahead_list::ProposalLookAhead;
use super::node::{NodeRole, TraceNode};
use super::readers::Readers;
use super::register::{RegisterList, ValueRegister};
use crate::numbering::{EvidenceOrder, Numbered, Numbering};
use figrs_core::element::node::Kind;
use figrs_core::element::operations::FamilyOp;
use figrs_core::{AnyElement, Datum, Evidence, Limits, Model, ModelError, Space, Until, stream};

/// Number of draws from the prior of an integer choice that are used to test whether the prior is wide. For a Poisson distribution, the smallest and
/// the largest of eight draws differ by ten or more if the mean is above about twelve.
const PROBES: usize = 8;
/// An integer prior is wide if the range of its [`PROBES`] draws is at least this number; a draw from a narrower prior is always close to the present
/// value.
const MIN_WIDE_RANGE: i128 = 10;

/// A random choice in the world of a [`Trace`] that no observation determines; its index does not change while the choice is part of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(pub(super) u32);

impl Site {
    /// Returns the index of the random choice.
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// A model and one of its worlds, which Metropolis-Hastings proposals change.
pub struct Trace {
    pub(super) nodes: Vec<TraceNode>,
    pub(super) numbering: Numbering,
    /// The indices of the nodes with evidence and of the target nodes, without duplicates.
    pub(super) roots: Vec<u32>,
    targets: Vec<u32>,
    /// The indices of removed nodes, which are used again for new nodes.
    pub(super) vacant: Vec<u32>,
    /// The indices of the nodes that are free choices (random choices that no observation determines).
    pub(super) choices: Vec<u32>,
    /// Number of elements in the world.
    pub(super) alive: usize,
    pub(super) limit: Limits,
    pub(super) bytes: TraceMemory,
    /// Number of probability densities among the likelihoods of the world.
    pub(super) densities: usize,
    /// The index of the proposal that is being evaluated.
    pub(super) epoch: u32,
    pub(super) undo: UndoLog,
    /// A `Chain` that has selected another element as its result, and this element, until the edges of the graph are updated.
    pub(super) pending: Option<(u32, u32)>,
    pub(super) change: Change,
    pub(super) look_ahead: ProposalLookAhead,
    /// The values that were proposed or drawn for random choices.
    pub(super) proposed_values: RegisterList,
    pub(super) agenda: Agenda,
    pub(super) worklist: StructureWorklist,
    pub(super) faults: Vec<(u32, ModelError)>,
    pub(super) readers: Readers,
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
    /// Creates a trace of `model`; the trace has no world yet. A later proposal returns an error if a world exceeds `limit` (a number of elements or
    /// [`Limits`]).
    pub fn new(
        model: &Model,
        targets: &[AnyElement],
        limit: impl Into<Limits>,
    ) -> Result<Self, ModelError> {
        let limit = limit.into();
        let (elements, bytes) = (limit.elements, limit.expansion_memory);
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
            bytes: TraceMemory::new(bytes),
            densities: 0,
            epoch: 0,
            undo: UndoLog::default(),
            pending: None,
            change: Change::default(),
            look_ahead: ProposalLookAhead::default(),
            proposed_values: RegisterList::default(),
            agenda: Agenda::default(),
            worklist: StructureWorklist::default(),
            faults: Vec::new(),
            readers: Readers::default(),
        };
        let (stated, targets) = trace.reach(model, EvidenceOrder::AsStated, targets, elements)?;
        for &root in stated.iter().chain(&targets) {
            if !std::mem::replace(&mut trace.nodes[root as usize].root, true) {
                trace.roots.push(root);
            }
        }
        trace.targets = targets;
        trace.pass_observations_back();
        Ok(trace)
    }

    /// Returns the number of nodes: the nodes of the world's elements, and of elements that are kept for other worlds.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Sets the deadline of further proposals, and the flags that interrupt them.
    pub fn set_until(&mut self, until: &Until) {
        self.limit.until = until.clone();
    }

    /// Returns the number of nodes that belong to every world; these nodes have the lowest indices.
    #[inline]
    pub(super) fn permanent(&self) -> usize {
        self.numbering.permanent()
    }

    /// Returns the change of the world that the last proposal makes.
    #[inline]
    pub fn change(&self) -> &Change {
        &self.change
    }

    /// Returns the number of free choices (choices that no observation determines) in the world.
    #[inline]
    pub fn choices(&self) -> usize {
        self.choices.len()
    }

    /// Returns the free choice with the index `index`; no observation determines a free choice.
    #[inline]
    pub fn choice(&self, index: usize) -> Site {
        Site(self.choices[index])
    }

    /// Returns `element` as a free choice; `None` if `element` is not in the world, not a random choice, or determined by an observation.
    pub fn site(&self, element: &AnyElement) -> Option<Site> {
        let number = self.numbering.number(element)?;
        self.is_free(number).then_some(Site(number))
    }

    /// True if the choice `site` belongs to every world of the model.
    #[inline]
    pub fn is_in_every_world(&self, site: Site) -> bool {
        site.number() < self.permanent()
    }

    /// True if the choice `site` is at present in the world and not determined by observations.
    #[inline]
    pub fn is_choice(&self, site: Site) -> bool {
        self.is_free(site.0)
    }

    /// Returns the element of the random choice `site`.
    #[inline]
    pub fn element(&self, site: Site) -> &AnyElement {
        &self.nodes[site.number()].element
    }

    #[inline]
    pub(super) fn present(&self, number: u32) -> &ValueRegister {
        &self.nodes[number as usize].value
    }

    /// Returns the value of the choice `site`.
    pub fn value(&self, site: Site) -> Option<Datum> {
        self.nodes[site.number()].value.datum()
    }

    /// Returns the value of the choice `site`, if it is a Boolean.
    #[inline]
    pub fn truth(&self, site: Site) -> Option<bool> {
        self.nodes[site.number()].value.truth()
    }

    /// Returns the value of the choice `site`, if it is an `f64`.
    #[inline]
    pub fn number(&self, site: Site) -> Option<f64> {
        self.nodes[site.number()].value.number()
    }

    /// True if the choice `site` has the value `value`.
    #[inline]
    pub fn holds(&self, site: Site, value: &Datum) -> bool {
        self.nodes[site.number()].value.holds(value)
    }

    /// Returns the value of an element, if the element is in the world.
    pub fn value_of(&self, element: &AnyElement) -> Option<Datum> {
        let node = &self.nodes[self.numbering.number(element)? as usize];
        node.in_world.then(|| node.value.datum()).flatten()
    }

    /// Returns the log-probability of the value of the choice `site`; during a proposal for this choice, the log-probability of the proposed value.
    #[inline]
    pub fn log_prob(&self, site: Site) -> f64 {
        self.look_ahead
            .log_of(site.0)
            .unwrap_or(self.nodes[site.number()].log)
    }

    /// True if the random choice `site` has a continuous distribution.
    #[inline]
    pub fn is_continuous(&mut self, site: Site) -> bool {
        self.nodes[site.number()].is_continuous()
    }

    /// Returns the kind of the set of possible values of the choice `site`, if its values are continuous.
    pub fn space(&self, site: Site) -> Space {
        match self.nodes[site.number()].element.kind() {
            Kind::Atomic(op) => op.space(),
            Kind::Chain(_, op) => op.family().map_or(Space::Real, FamilyOp::space),
            Kind::Apply(..) | Kind::Table(..) | Kind::Score(..) => Space::Real,
        }
    }

    /// True if the choice `site` is an integer with a wide prior, whose draws differ by ten or more.
    ///
    /// The prior of each element is tested once, by `PROBES` draws with separate random numbers.
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

    /// Returns the value of the target with the index `position` in the list of targets.
    pub fn target(&self, position: usize) -> Option<Datum> {
        self.nodes[self.targets[position] as usize].value.datum()
    }

    /// Returns the number of probability densities among the likelihoods of the world; see [`Program::densities`](crate::Program::densities).
    pub fn densities(&self) -> usize {
        self.densities
    }

    /// Iterates over the elements of the world with their values.
    pub fn world(&self) -> impl Iterator<Item = (&AnyElement, Datum)> {
        let present = self.nodes.iter().filter(|node| node.in_world);
        present.filter_map(|node| Some((&node.element, node.value.datum()?)))
    }

    /// Returns the natural logarithm of the world's likelihood, computed anew from all nodes. The likelihood is the product of the weights of the
    /// evidence and of the probabilities of the choices whose values observations determine.
    pub fn log_likelihood(&self) -> f64 {
        let present = (0..self.nodes.len() as u32).filter(|&i| self.nodes[i as usize].in_world);
        let log = |number: u32| {
            let node = &self.nodes[number as usize];
            node.weight + if self.is_free(number) { 0.0 } else { node.log }
        };
        present.map(log).sum()
    }

    /// Returns the natural logarithm of the product of the world's probability and the weights of the evidence, computed anew from all nodes.
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
        if let Some(policy) = self.numbering.statements.policy(element).cloned() {
            return self.record(&policy);
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

    /// If observations imply two different values of one element, the world gets the weight zero.
    fn imply(&mut self, number: u32, value: &Datum) -> bool {
        let given = &mut self.nodes[number as usize].given;
        let is_new = given.is_none();
        if is_new {
            *given = Some(value.clone());
        }
        is_new
    }
}
