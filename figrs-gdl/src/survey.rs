//! Finds the lengths of plans, and estimates the memory that exact inference over all plans takes.

use figrs_infer::{Compiled, FirstTrue, Frontier, Stopped};

use super::{GdlError, Length, PlanElements, Policy, Puzzle};

/// Sizes of a nonempty set of plans: the length of the plans, and the number of states that occur in the plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSizes {
    steps: usize,
    states: usize,
    bytes: u64,
}

impl PlanSizes {
    /// Returns the length of the plans, or the maximum length if the length is not exact.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Returns the largest number of different states that can occur after the same number of steps.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Returns the estimated number of bytes that the compiled transitions between states take.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Checks that the estimated number of bytes is at most `memory`.
    ///
    /// **Errors.** [`GdlError::OverBudget`] if the estimate exceeds `memory`.
    pub fn within(&self, memory: u64) -> Result<(), GdlError> {
        if self.bytes <= memory {
            return Ok(());
        }
        Err(GdlError::OverBudget {
            steps: self.steps,
            states: self.states,
            needed: self.bytes,
            limit: memory,
        })
    }
}

impl Puzzle {
    /// Returns the length of a shortest plan. A breadth-first search increases the number of steps until some plan can meet the goal.
    ///
    /// **Complexity.** The time is proportional to the number of states that can be reached after each number of steps, times the number of legal
    /// actions. The breadth-first search stores the states that are reachable after the present number of steps, and a little memory for each state
    /// visited before.
    ///
    /// **Errors.** [`GdlError::NoPlan`] if there is no plan of at most `most` steps; the errors of the algorithm [`Frontier`] if the states exceed
    /// its memory limit.
    pub fn shortest(&self, frontier: &Frontier, most: usize) -> Result<PlanSizes, GdlError> {
        let program = self.elements(Length::Exactly(most), Policy::Blind);
        let found = frontier.first_true(program.legal_moves(), program.solved())?;
        let Some(steps) = found.position() else {
            return Err(self.no_plan(most, &found));
        };
        Ok(survey(steps, &found))
    }

    /// Returns the length of a shortest plan as [`shortest`](Self::shortest) does, but stops once about `work` rules have been examined or the memory
    /// limit is reached.
    ///
    /// **Errors.** The errors of `shortest`, except the error that too many states are reachable after the same number of steps;
    /// [`GdlError::Unfinished`] with the lengths excluded so far if the search stops early.
    pub fn shortest_within(
        &self,
        frontier: &Frontier,
        most: usize,
        work: u64,
    ) -> Result<PlanSizes, GdlError> {
        let program = self.elements(Length::Exactly(most), Policy::Blind);
        let transitions = work / self.work_of_transition();
        let found =
            frontier.first_true_within(program.legal_moves(), program.solved(), transitions)?;
        match found.position() {
            Some(steps) => Ok(survey(steps, &found)),
            None if found.stopped() == Stopped::Budget => Err(GdlError::Unfinished {
                excluded: found.excluded(),
                states: found.largest_frontier(),
                is_full: found.is_full(),
            }),
            None => Err(self.no_plan(most, &found)),
        }
    }

    fn no_plan(&self, most: usize, found: &FirstTrue) -> GdlError {
        GdlError::NoPlan {
            length: Length::AtMost(most).to_string(),
            proven: found.is_exhausted() || found.is_settled() && self.is_timeless(),
        }
    }

    /// Returns the approximate work of a transition between two states, counted as a number of rules. The work of a transition includes the rules of
    /// the action, a share of the rules of the state, and the work of the algorithm [`Frontier`] itself, which equals that of some hundred rules.
    fn work_of_transition(&self) -> u64 {
        let rules = &self.rules;
        let moving = rules.does.iter().map(|&done| rules.steps.moving(done));
        let moving = moving.max().unwrap_or(0);
        (moving + rules.ahead.len() / 4 + rules.machine.atoms() / 64 + 600) as u64
    }

    /// True if no counter of steps ends the puzzle, so that the transitions between states are the same at all steps.
    fn is_timeless(&self) -> bool {
        let clock = self.rules.clock.as_ref();
        clock.is_none_or(|clock| clock.limit().is_none())
    }

    /// Returns the sizes of the set of plans of the length `length`: the length of the plans, and the number of states that occur in these plans.
    ///
    /// **Errors.** [`GdlError::NoPlan`] if there is no plan of the length `length`; the errors of the algorithm [`Frontier`] if the states exceed its
    /// memory limit.
    pub fn survey(&self, frontier: &Frontier, length: Length) -> Result<PlanSizes, GdlError> {
        let program = self.elements(length, Policy::Blind);
        let steps = length.most();
        let found = frontier.first_true(program.legal_moves(), &program.solved()[steps..])?;
        if found.position().is_some() {
            return Ok(survey(steps, &found));
        }
        Err(GdlError::NoPlan {
            length: length.to_string(),
            proven: false,
        })
    }

    /// Returns the sizes of the set of plans as [`survey`](Self::survey) does, but stops once about `work` rules have been examined or the memory
    /// limit is reached.
    ///
    /// **Errors.** The errors of `survey`, except the error that too many states are reachable after the same number of steps;
    /// [`GdlError::Unfinished`], which excludes no length, if the search stops early.
    pub fn survey_within(
        &self,
        frontier: &Frontier,
        length: Length,
        work: u64,
    ) -> Result<PlanSizes, GdlError> {
        let program = self.elements(length, Policy::Blind);
        let (steps, moves) = (length.most(), program.legal_moves());
        let transitions = work / self.work_of_transition();
        let found = frontier.first_true_within(moves, &program.solved()[steps..], transitions)?;
        match found.position() {
            Some(_) => Ok(survey(steps, &found)),
            None if found.stopped() == Stopped::Budget => Err(GdlError::Unfinished {
                excluded: 0,
                states: found.largest_frontier(),
                is_full: found.is_full(),
            }),
            None => Err(GdlError::NoPlan {
                length: length.to_string(),
                proven: false,
            }),
        }
    }

    /// Returns the largest value of the goal that plans of the length `length` reach, among the values below the value that counts as solved; `None`
    /// if no plan reaches such a value.
    ///
    /// **Complexity.** The method makes one search for each value that the rules give to the goal, in descending order.
    ///
    /// **Errors.** The errors of the algorithm [`Frontier`], if the states exceed its memory limit.
    pub fn best_goal(&self, frontier: &Frontier, length: Length) -> Result<Option<u8>, GdlError> {
        for value in self.goals().into_iter().rev() {
            let puzzle = self.clone().goal(value);
            let found = match length {
                Length::AtMost(most) => puzzle.shortest(frontier, most),
                Length::Exactly(_) => puzzle.survey(frontier, length),
            };
            match found {
                Err(GdlError::NoPlan { .. }) => {}
                found => return found.map(|_| Some(value)),
            }
        }
        Ok(None)
    }

    /// Returns the length of a shortest plan, computed by elimination in the tropical semiring: among plans of at most `most` steps, each action
    /// costs one.
    ///
    /// The length of a shortest plan is the same as by [`shortest`](Self::shortest), but the states of all `most` steps are explored, even if a
    /// shorter plan exists.
    ///
    /// **Errors.** [`GdlError::NoPlan`] if there is no plan of at most `most` steps; the errors of the algorithm [`Frontier`] if the states exceed
    /// its memory limit.
    pub fn cheapest(&self, frontier: &Frontier, most: usize) -> Result<usize, GdlError> {
        let length = Length::AtMost(most);
        let program: PlanElements = self.elements(length, Policy::Blind);
        let compiled = frontier.compile(&program.counting_steps(), program.moves())?;
        if compiled.log_evidence() == f64::NEG_INFINITY {
            return Err(GdlError::NoPlan {
                length: length.to_string(),
                proven: false,
            });
        }
        Ok(program.plan(&compiled.most_probable()?)?.len())
    }
}

fn survey(steps: usize, found: &FirstTrue) -> PlanSizes {
    PlanSizes {
        steps,
        states: found.largest_frontier(),
        bytes: found.bytes(),
    }
}
