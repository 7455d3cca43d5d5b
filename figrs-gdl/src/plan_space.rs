//! The states of a puzzle as a state space for planners, with estimates from a relaxation of the rules.

#[cfg(test)]
mod tests;

use crate::{SearchEstimate, StateSpace};
use rustc_hash::FxHashSet;

use super::goal_states::{FactSample, Inverses, MOST_FACTS, completed};
use super::ground::WORD;
use super::ground_puzzle::GroundPuzzle;
use super::landmarks::{Landmarks, facts_of_goal};
use super::machine::AtomSet;
use super::relaxation::Relaxation;
use super::{Action, GameState, Puzzle};

/// Maximum number of stored pairs of a score and a fact; the pairs serve to recognise states with facts that are new for their score.
const MOST_SEEN: usize = 1 << 18;

/// The states of a puzzle, with or without its clock (facts known in advance, such as counters of steps).
pub(super) struct PlanSpace<'p> {
    puzzle: &'p GroundPuzzle,
    goal: u8,
    /// True if states are stored without the facts of the clock (counters of steps).
    is_timeless: bool,
    relaxation: Relaxation,
    landmarks: Landmarks,
    /// The actions in the first step of the latest relaxed plan.
    first: Vec<Action>,
    /// True if the rules define goals of lower values, by which progress towards the goal is measured.
    has_steps: bool,
    /// Pairs of a score and a fact that have already occurred together in a state.
    seen: FxHashSet<(u32, u32)>,
    inverses: Inverses,
    work: u64,
}

impl<'p> PlanSpace<'p> {
    pub(super) fn new(puzzle: &'p Puzzle, is_timeless: bool) -> Self {
        let clock = puzzle.rules.clock.as_ref().filter(|_| is_timeless);
        let is_fixed = |fact| clock.is_some_and(|clock| clock.has(fact));
        Self {
            relaxation: Relaxation::new(&puzzle.rules, puzzle.goal, is_fixed),
            landmarks: Landmarks::new(&puzzle.rules, puzzle.goal),
            first: Vec::new(),
            has_steps: puzzle.goals().len() > 1,
            puzzle: &puzzle.rules,
            goal: puzzle.goal,
            is_timeless: clock.is_some(),
            seen: FxHashSet::default(),
            inverses: Inverses::new(puzzle.rules.actions.len()),
            work: 0,
        }
    }

    /// Returns `state` with the clock facts (counters of steps) of the first step, if states are stored without clock facts.
    fn full(&self, state: &GameState) -> GameState {
        match self.puzzle.clock.as_ref().filter(|_| self.is_timeless) {
            Some(clock) => clock.at(state, 0),
            None => state.clone(),
        }
    }

    /// Returns the state after `action`, without the clock facts (counters of steps) if all states are stored without clock facts; `held` contains
    /// the atoms that hold before the action.
    fn after(&self, held: &AtomSet, action: Action) -> GameState {
        let next = self.puzzle.next(held, action);
        let clock = self.puzzle.clock.as_ref().filter(|_| self.is_timeless);
        GameState(match clock {
            Some(clock) => next
                .zip(clock.others())
                .map(|(word, keep)| word & keep)
                .collect(),
            None => next.collect(),
        })
    }

    /// Returns the facts that must hold, or must not hold, when the goal is met; if states are stored without clock facts (counters of steps), these
    /// facts are left out.
    fn facts_of_goal(&self) -> Vec<(usize, bool)> {
        let mut literals = facts_of_goal(self.puzzle, self.goal);
        if let Some(clock) = self.puzzle.clock.as_ref().filter(|_| self.is_timeless) {
            literals.retain(|&(fact, _)| !clock.has(fact));
        }
        literals
    }

    /// Returns the amount of work needed to compute the state after `action`.
    fn work_after(&self, action: Action) -> u64 {
        let done = self.puzzle.does[action.number()];
        self.puzzle.steps.moving(done) as u64
    }

    /// True if `state` contains a fact that no earlier state with the score `score` contained.
    fn is_novel(&mut self, score: u32, state: &GameState) -> bool {
        let mut is_novel = false;
        for fact in state.facts() {
            if self.seen.len() >= MOST_SEEN {
                break;
            }
            is_novel |= self.seen.insert((score, fact as u32));
        }
        is_novel
    }
}

impl StateSpace for PlanSpace<'_> {
    type State = GameState;
    type Action = Action;

    fn start(&self) -> GameState {
        let start = &self.puzzle.start;
        match self.puzzle.clock.as_ref().filter(|_| self.is_timeless) {
            Some(clock) => clock.without(start),
            None => start.clone(),
        }
    }

    fn is_goal(&mut self, state: &GameState) -> bool {
        self.work += self.puzzle.end.len() as u64;
        self.puzzle.is_solved(&self.full(state), self.goal)
    }

    fn successors(&mut self, state: &GameState, found: &mut Vec<(Action, GameState)>) {
        let held = self.puzzle.look_ahead(&self.full(state));
        self.work += self.puzzle.ahead.len() as u64;
        for action in self.puzzle.legal(&held) {
            found.push((action, self.after(&held, action)));
            self.work += self.work_after(action);
        }
    }

    fn successors_by(
        &mut self,
        state: &GameState,
        actions: &[Action],
        found: &mut Vec<(Action, GameState)>,
    ) {
        let held = self.puzzle.look_ahead(&self.full(state));
        self.work += self.puzzle.ahead.len() as u64;
        if self.puzzle.has_ended(&held) {
            return;
        }
        for &action in actions {
            if held.has(self.puzzle.legal[action.number()]) {
                found.push((action, self.after(&held, action)));
                self.work += self.work_after(action);
            }
        }
    }

    fn is_over(&mut self, state: &GameState) -> bool {
        self.work += self.puzzle.end.len() as u64;
        self.puzzle.ends(&self.full(state))
    }

    /// Returns the complete state that meets the goal, if a sample of states determines the facts that the goal does not fix.
    fn goals(&mut self) -> Vec<GameState> {
        let literals = self.facts_of_goal();
        let clock = self.puzzle.clock.as_ref().filter(|_| self.is_timeless);
        if self.puzzle.start.0.len() * WORD > MOST_FACTS {
            return Vec::new();
        }
        let goal = completed(&FactSample::walks(self.puzzle, clock), &literals);
        goal.into_iter().filter(|goal| self.is_goal(goal)).collect()
    }

    /// Finds predecessors of `state`: states to which an action leads from `state` and from which another action leads back. If every action can be
    /// undone by one action, the states found are all predecessors of `state`.
    fn predecessors(&mut self, state: &GameState, found: &mut Vec<(Action, GameState)>) {
        let held = self.puzzle.look_ahead(&self.full(state));
        self.work += self.puzzle.ahead.len() as u64;
        let (mut inverses, mut work) = (std::mem::replace(&mut self.inverses, Inverses::new(0)), 0);
        let legal =
            (0..self.puzzle.legal.len()).filter(|&number| held.has(self.puzzle.legal[number]));
        for action in legal.map(|number| Action(number as u32)) {
            let before = self.after(&held, action);
            work += self.work_after(action);
            if before == *state {
                continue;
            }
            let ahead = self.puzzle.look_ahead(&self.full(&before));
            work += self.puzzle.ahead.len() as u64;
            if self.puzzle.has_ended(&ahead) {
                continue;
            }
            let leads_back = |back: Action| {
                let is_legal = ahead.has(self.puzzle.legal[back.number()]);
                work += self.work_after(back);
                is_legal && self.after(&ahead, back) == *state
            };
            if let Some(back) = inverses.find(action, self.puzzle.legal(&ahead), leads_back) {
                found.push((back, before));
            }
        }
        self.inverses = inverses;
        self.work += work;
    }

    fn estimate(&mut self, state: &GameState, estimate: &mut SearchEstimate<Action>) {
        let full = self.full(state);
        let Some(level) = self.relaxation.level(&full.0) else {
            estimate.is_dead_end = true;
            return;
        };
        let (actions, changes) = self.relaxation.plan(&mut self.first);
        let held = self.puzzle.look_ahead(&full);
        self.work += (self.puzzle.ahead.len() + self.landmarks.len()) as u64;
        let is_legal = |action: Action| held.has(self.puzzle.legal[action.number()]);
        let preferred = &mut estimate.preferred;
        if !self.landmarks.fewest(&full.0, is_legal, preferred) {
            preferred.append(&mut self.first);
        }
        self.first.clear();
        estimate.at_least = level.max(self.landmarks.lacking(&full.0));
        let steps = u64::from(level.max(actions));
        estimate.scores.push(steps);
        estimate.scores.push(u64::from(changes));
        let mut score = level.max(actions);
        if self.has_steps {
            let held = self.puzzle.judge(&full);
            self.work += self.puzzle.ending.len() as u64;
            let value = self.puzzle.value(&held).unwrap_or(0);
            let lacking = u64::from(self.goal.saturating_sub(value));
            estimate.scores.push(lacking << 32 | steps);
            score = score << 8 | lacking as u32;
        }
        let is_known = u64::from(!self.is_novel(score, state));
        estimate.scores.push(is_known << 32 | steps);
    }

    fn at_least(&mut self, state: &GameState) -> Option<u32> {
        let full = self.full(state);
        self.work += self.landmarks.len() as u64;
        let level = self.relaxation.level(&full.0)?;
        Some(level.max(self.landmarks.lacking(&full.0)))
    }

    fn work(&self) -> u64 {
        self.work + self.relaxation.work
    }
}
