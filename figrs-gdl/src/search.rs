//! Finds one plan of a puzzle by best-first search, for use if there are too many states for exact inference.

use crate::{BestFirst, SearchResult, StateSpace};
use figrs_infer::Stopped;

use super::plan_space::PlanSpace;
use super::{Action, GdlError, Length, Puzzle};

/// A plan that a search found, with a proven lower bound of the length of all plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPlan {
    actions: Vec<Action>,
    at_least: usize,
    states: usize,
}

impl FoundPlan {
    /// Returns the actions of the plan, from the start to the goal.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Returns the number of steps below which it is proven that there is no plan.
    pub fn at_least(&self) -> usize {
        self.at_least
    }

    /// Raises the lower bound to `steps`, if the caller knows that no plan has fewer steps.
    #[must_use]
    pub fn proven_at_least(mut self, steps: usize) -> Self {
        self.at_least = self.at_least.max(steps.min(self.actions.len()));
        self
    }

    /// True if it is proven that no plan is shorter than this plan.
    pub fn is_shortest(&self) -> bool {
        self.actions.len() <= self.at_least
    }

    /// Returns the number of states that the search visited.
    pub fn states(&self) -> usize {
        self.states
    }
}

/// Maximum work (number of rules and conditions) of the search for plans that end before a counter of steps can end the puzzle. With the limit on its
/// work, the search takes at most some seconds.
const TIMELESS: u64 = 1_000_000_000;

impl Puzzle {
    /// Finds some plan of at most `most` steps by greedy best-first search. The greedy search scores a state by its relaxed plan (the number of its
    /// actions and the number of facts that these actions change), by the value of the goal so far, and by the novelty of its facts. If the greedy
    /// search takes long, other searches run alternately with the greedy search: weighted A*, depth-first searches, and a bidirectional search. The
    /// bidirectional search runs only if the goal state can be inferred from a sample of states, and if actions can be undone.
    ///
    /// If a counter of steps can end the puzzle, the first search finds only plans that end before the counter can end the puzzle, and stores states
    /// without the counter.
    ///
    /// **Complexity.** Memory is linear in the number of visited states. Each expanded state takes time linear in the number of ground rules
    /// times the number of legal actions.
    ///
    /// **Errors.** [`GdlError::NoPlan`] if there is no plan of at most `most` steps;
    /// [`GdlError::SearchEnded`] if a limit ended the search.
    pub fn any_plan(&self, search: &BestFirst, most: usize) -> Result<FoundPlan, GdlError> {
        let limit = self.rules.clock.as_ref().map(super::clock::Clock::limit);
        let mut early = None;
        if let Some(limit) = limit {
            let mut space = PlanSpace::new(self, true);
            let before = limit.map_or(most, |limit| most.min(limit - 1));
            let search = search.clone().steps(before);
            let search = if limit.is_some_and(|limit| limit <= most) {
                let work = search
                    .work_limit()
                    .map_or(TIMELESS, |work| work.min(TIMELESS));
                search.work(work)
            } else {
                search
            };
            let found = search.any_plan(&mut space)?;
            let is_over = limit.is_none_or(|limit| limit > most);
            if is_over || found.plan().is_some() || is_stopped(&found) {
                // The search without the clock does not exclude a longer plan that ends at the limit of the clock, so `proven` must be false if the
                // clock has a limit.
                return match Self::found(found, &mut space, most) {
                    Err(GdlError::NoPlan { length, proven }) => Err(GdlError::NoPlan {
                        length,
                        proven: proven && limit.is_none(),
                    }),
                    found => found,
                };
            }
            early = Some(found);
        }
        let search = search.clone().steps(most);
        let mut space = PlanSpace::new(self, false);
        let found = search.any_plan(&mut space)?;
        let mut found = Self::found(found, &mut space, most)?;
        if let Some(early) = early {
            found.states += early.states();
            // If no plan ends before the limit of the clock, all plans have at least this number of steps.
            let limit = limit.flatten().filter(|_| early.is_impossible());
            found = found.proven_at_least(limit.unwrap_or(0));
        }
        Ok(found)
    }

    /// Finds a shortest plan with fewer steps than `known`, by A*; the lower bounds of A* are the levels of the goal in the delete relaxation. If no
    /// plan is shorter or a limit ends the search, the result is the plan `known` with the lower bound of the number of steps proven so far.
    ///
    /// **Complexity.** Time and memory are those of the search by [`any_plan`](Self::any_plan).
    ///
    /// **Errors.** [`GdlError::Inference`] if a method of the state space panics during the search.
    pub fn shorter_plan(
        &self,
        search: &BestFirst,
        known: FoundPlan,
    ) -> Result<FoundPlan, GdlError> {
        let length = known.actions.len();
        let Some(most) = length.checked_sub(1) else {
            return Ok(known);
        };
        let limit = self.rules.clock.as_ref().map(super::clock::Clock::limit);
        // A plan that ends at the limit of the clock has exactly `limit` steps.
        let is_timeless = limit.is_some_and(|limit| limit.is_none_or(|limit| most < limit));
        let mut space = PlanSpace::new(self, is_timeless);
        let found = search.clone().steps(most).shortest_plan(&mut space)?;
        let states = known.states + found.states();
        Ok(match found.plan() {
            Some(plan) => FoundPlan {
                actions: plan.to_vec(),
                at_least: plan.len(),
                states,
            },
            None if found.is_impossible() => FoundPlan {
                at_least: length,
                states,
                ..known
            },
            None => FoundPlan {
                states,
                ..known.proven_at_least(found.at_least())
            },
        })
    }

    /// Returns the plan in the search result `found`, with the lower bound of the number of steps that the delete relaxation gives.
    fn found(
        found: SearchResult<Action>,
        space: &mut PlanSpace<'_>,
        most: usize,
    ) -> Result<FoundPlan, GdlError> {
        match found.plan() {
            Some(plan) => {
                let bound = space.at_least(&space.start()).unwrap_or(0) as usize;
                let found = FoundPlan {
                    actions: plan.to_vec(),
                    at_least: found.at_least(),
                    states: found.states(),
                };
                Ok(found.proven_at_least(bound))
            }
            None if found.stopped() == Stopped::Finished => Err(GdlError::NoPlan {
                length: Length::AtMost(most).to_string(),
                proven: found.is_impossible(),
            }),
            None => Err(GdlError::SearchEnded {
                states: found.states(),
                stopped: found.stopped(),
                is_full: found.is_full(),
            }),
        }
    }
}

fn is_stopped(found: &SearchResult<Action>) -> bool {
    matches!(found.stopped(), Stopped::Deadline | Stopped::Interrupted)
}
