//! Custom proposals, blocks and moves of the user for Metropolis-Hastings, and the scales of random walks.

use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, Element, ElementId, Parents, Value};
use figrs_lower::internals::Site;
use figrs_lower::{Choice, Chooser};
use rustc_hash::FxHashMap;

use super::moves::Move;
use figrs_answer::error::Error;

/// The custom proposals of a user, and the blocks of random choices whose values are to be proposed together.
#[derive(Clone, Debug, Default)]
pub struct Proposals {
    /// For each element with a custom proposal: a `Chain` from the element's present value to the element from which a new value is drawn.
    custom: FxHashMap<ElementId, AnyElement>,
    blocks: Vec<Vec<AnyElement>>,
    moves: Vec<Move>,
}

impl Proposals {
    /// Creates an object without custom proposals and without blocks: every random choice has its default proposal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes steps propose values for `element` by drawing from the element that `function` returns for the present value of `element`.
    #[track_caller]
    pub fn set<T: Value>(
        &mut self,
        element: &Element<T>,
        function: impl Fn(&T) -> Element<T> + Send + Sync + 'static,
    ) {
        let chain = element.flat_map(function).erased().clone();
        self.custom.insert(element.erased().id(), chain);
    }

    /// Adds a block of elements (random variables) whose values are proposed together.
    pub fn add_block(&mut self, elements: impl Parents) {
        let mut block: Vec<AnyElement> = Vec::new();
        for element in elements.elements() {
            if block.iter().all(|known| known.id() != element.id()) {
                block.push(element);
            }
        }
        self.blocks.push(block);
    }

    /// Adds a move.
    pub fn add_move(&mut self, one: Move) {
        self.moves.push(one);
    }

    pub(super) fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Describes the elements with custom proposals and blocks by the elements' labels, which are the same in all processes (identifiers are not).
    pub(super) fn description(&self) -> String {
        let custom = self.custom.values().map(|chain| format!("{chain:?}"));
        let mut custom: Vec<String> = custom.collect();
        custom.sort();
        let (blocks, moves) = (&self.blocks, &self.moves);
        format!("proposals: {custom:?}, blocks: {blocks:?}, moves: {moves:?}")
    }

    pub(super) fn blocks(&self) -> &[Vec<AnyElement>] {
        &self.blocks
    }

    pub(super) fn has_custom(&self) -> bool {
        !self.custom.is_empty()
    }

    pub(super) fn is_custom(&self, element: &AnyElement) -> bool {
        self.custom.contains_key(&element.id())
    }

    /// Returns the element from which a new value is drawn if `element` has the value `from`; `None` if `element` has no custom proposal.
    pub(super) fn custom(
        &self,
        element: &AnyElement,
        from: &Datum,
    ) -> Result<Option<AnyElement>, Error> {
        let Some(Kind::Chain(_, op)) = self.custom.get(&element.id()).map(AnyElement::kind) else {
            return Ok(None);
        };
        let proposal = op.call(&[from.as_any()]);
        let proposal = proposal.map_err(|fault| element.fault(fault))?;
        let Kind::Atomic(op) = proposal.kind() else {
            let remedy = "propose from an atomic element, whose parameters are numbers";
            return Err(Error::invalid_setting(
                super::NAME,
                "proposal",
                proposal.label(),
                remedy,
            ));
        };
        op.check().map_err(|problem| proposal.invalid(problem))?;
        Ok(Some(proposal))
    }

    pub(super) fn draw(element: &AnyElement, chooser: &mut dyn Chooser) -> Result<Datum, Error> {
        match element.kind() {
            Kind::Atomic(op) => Ok(chooser.choose(element, Choice::Atomic(&**op))?),
            _ => Err(element.invalid("is not atomic".into()).into()),
        }
    }

    pub(super) fn log_prob(element: &AnyElement, value: &Datum) -> Result<f64, Error> {
        match element.kind() {
            Kind::Atomic(op) => {
                let log = op.log_prob(value.as_any());
                Ok(log.map_err(|fault| element.fault(fault))?)
            }
            _ => Ok(f64::NEG_INFINITY),
        }
    }
}

/// Target acceptance rate of random walks in one dimension, which is optimal.
const TARGET_ACCEPTANCE: f64 = 0.44;

/// The scales of the random walks of single choices. A step of the random walk is the difference of two draws from the prior times the scale.
#[derive(Debug, Default)]
pub(super) struct RandomWalkScales {
    /// For each random choice, by its index: the logarithm of the scale of its random walk, and the number of adaptations of this scale.
    sites: Vec<(f64, f64)>,
}

impl RandomWalkScales {
    pub(super) fn scale(&self, site: Site) -> f64 {
        self.sites
            .get(site.number())
            .map_or(1.0, |(log, _)| log.exp())
    }

    /// Adapts the scale of the random walk of the random choice `site` by one step of the stochastic approximation of Robbins and Monro.
    pub(super) fn adapt(&mut self, site: Site, accepted: f64) {
        if self.sites.len() <= site.number() {
            self.sites.resize(site.number() + 1, (0.0, 0.0));
        }
        let (log, times) = &mut self.sites[site.number()];
        *times += 1.0;
        *log += (accepted - TARGET_ACCEPTANCE) / times.powf(0.6);
    }
}
