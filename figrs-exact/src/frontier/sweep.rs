//! Forward sweep over the elements, with backtracking if a `Chain` is found to read elements that have left the frontier.

use figrs_core::AnyElement;

use super::checkpoints::Checkpoints;
use super::coded_elements::CodedElements;
use super::dictionary::StateKey;
use super::explore::{ExplorationError, ExplorationLimits};
use super::plan::{PlannedStep, StepPlanner, too_wide};
use super::renumber::{renumbered_states, values_left, widen_codes};
use super::state_set_cache::{
    FrontierPrefix, SignaturePair, StateSetCache, StepResult, StepSignature, StepSignatures,
};
use super::transitions::{TransitionLayer, too_large};
use figrs_answer::error::Error;

/// A step of the exploration: transitions from the states of one frontier to the states of the next.
#[derive(Clone, Debug)]
pub(super) struct SweepStep {
    pub(super) layer: usize,
    pub(super) sources: usize,
    pub(super) states: usize,
    /// The targets whose values are determined by the transitions of the step.
    pub(super) reports: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SweepGoal {
    /// All steps are explored, and their transitions are stored.
    Everything,
    /// The exploration ends at the first step in which a target can be true; transitions are not stored.
    FirstTrue,
}

#[derive(Debug, Default)]
pub(super) struct SweepResult {
    pub(super) steps: Vec<SweepStep>,
    pub(super) layers: Vec<TransitionLayer>,
    /// Number of steps of the sweep that repeat earlier steps, and are therefore not explored again.
    pub(super) repeated: usize,
    pub(super) largest: usize,
    /// Size of all explored transitions in bytes, even if they are not stored.
    pub(super) bytes: u64,
    /// The first target that can be true in some world; `None` if the sweep does not search for a first true target or finds none.
    pub(super) first: Option<usize>,
    /// Number of targets at the start of the list that are false in all worlds, if the sweep searches for the first true target.
    pub(super) excluded: usize,
    /// `true` if some step repeated an earlier step, or if no state of the frontier remained after a step.
    pub(super) settled: bool,
    /// `true` if evidence excluded all states of the frontier after some step of the sweep.
    pub(super) exhausted: bool,
    /// `true` if the limit of transitions or of memory ended the sweep.
    pub(super) is_cut: bool,
}

/// Runs the frontier sweep with the shortest packed keys (fewest machine words) that suffice for the states.
pub(super) fn sweep(
    rules: &mut CodedElements,
    aim: SweepGoal,
    allowance: ExplorationLimits<'_>,
) -> Result<SweepResult, Error> {
    let widths = [
        sweep_in::<1>,
        sweep_in::<2>,
        sweep_in::<4>,
        sweep_in::<16>,
        sweep_in::<64>,
    ];
    for sweep in widths {
        match sweep(rules, aim, allowance) {
            Ok(swept) => return Ok(swept),
            Err(ExplorationError::Error(error)) => return Err(error),
            Err(ExplorationError::Budget) => return Err(allowance.run.nothing_done()),
            // The memo tables are cleared, because they contain codes of the abandoned sweep.
            Err(ExplorationError::Wider | ExplorationError::Captured(_)) => {
                for place in 0..rules.linear.slots.len() {
                    rules.evict_unshared(place);
                }
            }
        }
    }
    Err(too_wide(&rules.linear))
}

fn sweep_in<const W: usize>(
    rules: &mut CodedElements,
    aim: SweepGoal,
    allowance: ExplorationLimits<'_>,
) -> Result<SweepResult, ExplorationError> {
    Sweep::<W>::new(rules, aim, allowance).run()
}

/// A step of the sweep whose transitions have been explored.
#[derive(Debug)]
struct CompletedStep {
    planned: PlannedStep,
    /// The index of the list that stores the transitions of a step of the sweep, if no other step shares this list.
    private_layer: Option<usize>,
    is_known: bool,
    is_settled: bool,
}

struct Sweep<'a, const W: usize> {
    rules: &'a mut CodedElements,
    goal: SweepGoal,
    allowance: ExplorationLimits<'a>,
    planner: StepPlanner,
    shapes: StepSignatures,
    frontiers: StateSetCache<W>,
    at: FrontierPrefix,
    done: Vec<CompletedStep>,
    /// The stored frontiers to which the sweep can backtrack; `None` if backtracking is impossible.
    checkpoints: Option<Checkpoints<W>>,
    result: SweepResult,
    /// Number of visits of elements, including visits that were undone later.
    met: u64,
}

impl<'a, const W: usize> Sweep<'a, W> {
    /// Divisor of the memory limit; the quotient is the memory for checkpoints (stored frontiers for backtracking).
    const CHECKPOINTS: usize = 16;
    /// Divisor of the memory limit; the quotient is the memory for cached frontiers. If growing frontiers do not fit into the cache, every step is
    /// explored again from all states. For game levels of 14 rows with 14 bands, a quarter of 4 GiB was too little for cached frontiers, but half of
    /// 4 GiB was enough.
    const FRONTIERS: usize = 2;
    /// Divisor of the memory limit; after an exploration has run out of memory, it continues only if it can free at least the quotient.
    const MIN_FREED_DIVISOR: u64 = 8;

    fn new(rules: &'a mut CodedElements, aim: SweepGoal, allowance: ExplorationLimits<'a>) -> Self {
        let memory = allowance.memory as usize;
        let mut frontiers = StateSetCache::new(memory / Self::FRONTIERS);
        let at = frontiers.resume(vec![StateKey::EMPTY]);
        let checkpoints = || Checkpoints::new(memory / Self::CHECKPOINTS);
        Self {
            planner: StepPlanner::new(&rules.linear),
            checkpoints: rules.linear.may_capture().then(checkpoints),
            rules,
            goal: aim,
            allowance,
            shapes: StepSignatures::default(),
            frontiers,
            at,
            done: Vec::new(),
            result: SweepResult {
                largest: 1,
                ..SweepResult::default()
            },
            met: 0,
        }
    }

    fn run(mut self) -> Result<SweepResult, ExplorationError> {
        let mut now = self.plan();
        if let Some((_, shape)) = now {
            self.at = self.frontiers.restart(vec![StateKey::EMPTY], Some(shape));
        }
        while let Some((planned, shape)) = now {
            if self.allowance.run.stopped().is_some() {
                return Err(self.allowance.run.nothing_done().into());
            }
            let next = self.plan();
            let passage = (shape, next.as_ref().map(|&(_, shape)| shape));
            match self.step(&planned, passage) {
                Ok(led) => {
                    self.finish(planned, passage, led)?;
                    if self.result.first.is_some() {
                        break;
                    }
                    now = next;
                }
                Err(ExplorationError::Captured(branches)) => {
                    if let Some((unmade, _)) = &next {
                        self.planner.undo(&self.rules.linear, unmade);
                    }
                    self.capture(&planned, &branches)?;
                    now = self.plan();
                }
                Err(halt) if self.may_be_cut(&halt) => {
                    self.result.is_cut = true;
                    break;
                }
                Err(halt) => return Err(halt),
            }
        }
        for layer in &mut self.result.layers {
            layer.shrink();
        }
        self.result.repeated = self.done.iter().filter(|done| done.is_known).count();
        self.result.settled = self.done.iter().any(|done| done.is_settled);
        Ok(self.result)
    }

    /// True if the sweep returns a partial result instead of an error when the error `halt` ends it.
    fn may_be_cut(&self, halt: &ExplorationError) -> bool {
        self.allowance.work.is_some()
            && matches!(self.goal, SweepGoal::FirstTrue)
            && matches!(
                halt,
                ExplorationError::Budget | ExplorationError::Error(Error::FrontierTooLarge { .. })
            )
    }

    fn plan(&mut self) -> Option<(PlannedStep, StepSignature)> {
        let planned = self.planner.next(&self.rules.linear)?;
        let shape = self.shapes.of(self.rules, &planned);
        Some((planned, shape))
    }

    fn step(
        &mut self,
        planned: &PlannedStep,
        passage: SignaturePair,
    ) -> Result<StepResult, ExplorationError> {
        let kept = match self.goal {
            SweepGoal::Everything => self.result.bytes,
            SweepGoal::FirstTrue => 0,
        };
        // The memo tables are dropped first, because recomputing their results is faster than recomputing growing frontiers.
        let mut remedies = 0..2;
        loop {
            let spent = (kept + self.remembered(), self.allowance);
            let led = (self.frontiers).step(self.rules, (planned, passage), self.at, spent);
            match led {
                Ok(Some(led)) => return Ok(led),
                // The codes of some values have become too large for their bit fields.
                Ok(None) => {
                    let states = widen_codes(self.rules, planned, self.frontiers.states(self.at))?;
                    self.renumbered(states, Some(passage.0));
                }
                Err(ExplorationError::Error(error @ Error::FrontierTooLarge { .. })) => {
                    let before = self.remembered() + self.rules.bytes();
                    let enough =
                        before.saturating_sub(self.allowance.memory / Self::MIN_FREED_DIVISOR);
                    loop {
                        match remedies.next() {
                            Some(0) => self.rules.clear_memos(),
                            Some(_) => self.forget_frontiers(planned, passage.0)?,
                            None => return Err(error.into()),
                        }
                        if self.remembered() + self.rules.bytes() <= enough {
                            break;
                        }
                    }
                }
                Err(halt) => return Err(halt),
            }
        }
    }

    /// Returns the size in bytes of the current frontier, the cached frontiers and the checkpoints together.
    fn remembered(&self) -> u64 {
        let checkpoints = self.checkpoints.as_ref().map_or(0, Checkpoints::bytes);
        self.frontiers.bytes(self.at) + checkpoints
    }

    /// Drops the cached frontiers, the values that occur in no current state, and the memoised results of functions.
    fn forget_frontiers(
        &mut self,
        planned: &PlannedStep,
        shape: StepSignature,
    ) -> Result<(), ExplorationError> {
        self.rules.clear_memos();
        let states = values_left(self.rules, planned, self.frontiers.states(self.at))?;
        self.renumbered(states, Some(shape));
        Ok(())
    }

    /// Replaces the states of the current frontier by `states`, in which values have new codes.
    fn renumbered(&mut self, states: Vec<StateKey<W>>, shape: Option<StepSignature>) {
        self.at = self.frontiers.restart(states, shape);
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.clear();
        }
    }

    fn finish(
        &mut self,
        planned: PlannedStep,
        passage: SignaturePair,
        led: StepResult,
    ) -> Result<(), ExplorationError> {
        let (shape, next) = passage;
        for &place in &planned.places {
            self.rules.evict_unshared(place);
        }
        let (from, to) = (self.at, led.to);
        let swept = &mut self.result;
        let is_known = led.layer.is_some() && led.further.is_none();
        swept.largest = swept.largest.max(to.states);
        let further = led.further.as_ref();
        swept.bytes += further.map_or(0, |layer| layer.bytes() as u64);
        if self.goal == SweepGoal::FirstTrue {
            let first = further.map(|layer| self.rules.first_true(layer, &planned.targets));
            swept.first = first.flatten();
            if swept.first.is_none() {
                let last = planned.targets.iter().max();
                swept.excluded = last.map_or(swept.excluded, |last| swept.excluded.max(last + 1));
            }
        }
        let layer = led.layer.unwrap_or(swept.layers.len());
        if led.layer.is_none() {
            (self.frontiers).cache_transition(passage, (from, to), layer);
        }
        if self.goal == SweepGoal::Everything {
            match (swept.layers.get_mut(layer), led.further) {
                (Some(layer), Some(further)) => {
                    if !layer.append(&further) {
                        let bytes = (layer.bytes() + further.bytes()) as u64;
                        let allowance = self.allowance;
                        return Err(too_large(self.rules, &planned, to.states, bytes, allowance));
                    }
                }
                (None, Some(further)) => swept.layers.push(further),
                (_, None) => {}
            }
            swept.steps.push(SweepStep {
                layer,
                sources: from.states,
                states: to.states,
                reports: planned.targets.clone(),
            });
        }
        let left = self.frontiers.leave(from, to);
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.store(self.done.len(), from, left);
        }
        self.at = to;
        if let Some(numbered) = renumbered_states(self.rules, &planned, self.frontiers.states(to))?
        {
            self.renumbered(numbered, next);
        }
        self.met += planned.places.len() as u64;
        self.done.push(CompletedStep {
            planned,
            private_layer: (led.layer.is_none() && !shape.is_shared).then_some(layer),
            is_known,
            is_settled: is_known || to.states == 0,
        });
        self.result.exhausted |= to.states == 0;
        self.allowance.run.report(self.met);
        Ok(())
    }

    fn undo(&mut self, planned: &PlannedStep) {
        self.planner.undo(&self.rules.linear, planned);
        for &place in &planned.places {
            self.rules.evict_unshared(place);
        }
    }

    /// Adds the elements `branches`, which are branches of a step's `Chain` but are built outside the `Chain`, to the elements that the `Chain`
    /// reads. Returns the sweep to a step before which each element of `branches` is on the frontier or has not been visited.
    fn capture(
        &mut self,
        planned: &PlannedStep,
        branches: &[AnyElement],
    ) -> Result<(), ExplorationError> {
        self.undo(planned);
        let chain = planned.places[0];
        let captured = self.rules.capture(chain, branches)?;
        let linear = &self.rules.linear;
        let again = self.planner.capture(linear, &captured);
        let is_met = |reader: &usize| self.planner.is_met(*reader);
        let readers = captured.iter().map(|&(reader, _)| reader);
        let redo = readers.filter(is_met).collect();
        // Branches that read other elements are visited before random choices that only this `Chain` reads. Otherwise the random choices of a whole
        // sequence would stay on the frontier until the beginning of the sequence is visited.
        let is_deep = |place: &usize| self.planner.is_unmet_reader(linear, *place);
        let read = captured.iter().filter(|&&(reader, _)| reader == chain);
        let deep: Vec<usize> = read.map(|&(_, place)| place).filter(is_deep).collect();
        let mut own = 0;
        if !deep.is_empty() {
            let latest = self.done.iter().rev().map(|done| &done.planned);
            own = self.planner.last_steps_for(linear, chain, latest);
        }
        self.backtrack(again, redo, (own, &deep));
        Ok(())
    }

    /// Undoes at least `least` steps of the sweep, until the elements `again` are back on the frontier and the elements `redo` have not been visited.
    /// After steps have been undone, the sweep visits the elements `first` before the elements of the undone steps.
    fn backtrack(
        &mut self,
        mut again: Vec<usize>,
        mut redo: Vec<usize>,
        (least, first): (usize, &[usize]),
    ) {
        if again.is_empty() && redo.is_empty() && least == 0 {
            return;
        }
        let most = self.done.len() - least;
        while let Some(done) = self.done.pop() {
            self.undo(&done.planned);
            self.result.steps.pop();
            if let Some(own) = done
                .private_layer
                .and_then(|own| self.result.layers.get_mut(own))
            {
                self.result.bytes = self.result.bytes.saturating_sub(own.bytes() as u64);
                *own = TransitionLayer::new(0);
            }
            if least > 0 && self.done.len() == most {
                self.planner.prioritise(first);
            }
            again.retain(|&place| self.planner.has_left_frontier(place));
            redo.retain(|&place| self.planner.is_met(place));
            if again.is_empty()
                && redo.is_empty()
                && self.done.len() <= most
                && let Some(at) = self.frontier_before(self.done.len())
            {
                self.frontiers.drop_unremembered(self.at);
                self.at = at;
                return;
            }
        }
    }

    /// Returns the frontier before an earlier step of the sweep, if this frontier is stored.
    fn frontier_before(&mut self, step: usize) -> Option<FrontierPrefix> {
        let kept = self.checkpoints.as_mut();
        let at = kept.and_then(|kept| kept.take(step, &mut self.frontiers));
        let start = || self.frontiers.resume(vec![StateKey::EMPTY]);
        at.or_else(|| (step == 0).then(start))
    }
}
