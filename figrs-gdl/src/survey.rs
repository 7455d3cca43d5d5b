//! Lengths of plans, and the memory that all of them together would take.

use figrs_infer::{FirstTrue, Frontier, Stopped};

use super::{GdlError, Length, PlanElements, Policy, Puzzle};

/// Sizes of a set of plans that is not empty: their length, and the number of states that they pass through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSizes {
    steps: usize,
    states: usize,
    bytes: u64,
}

impl PlanSizes {
    /// The length of the plans, or the most that it may be.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Largest number of states after any one number of steps.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Estimated bytes of the transitions between states once they are compiled.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Checks against a memory budget before anything is compiled.
    ///
    /// **Errors.** [`GdlError::OverBudget`].
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
    /// The length of a shortest plan, by a breadth-first search through the states: the horizon of the element program grows
    /// until the goal can be met.
    ///
    /// **Complexity.** Time in the states that can be reached after each number of steps, times the actions that are legal; memory for those
    /// after one number of steps, and a little for each state.
    ///
    /// **Errors.** [`GdlError::NoPlan`] if there is none of at most `most` steps; of [`Frontier`] where the states do not fit its memory.
    pub fn shortest(&self, frontier: &Frontier, most: usize) -> Result<PlanSizes, GdlError> {
        let program = self.elements(Length::Exactly(most), Policy::Blind);
        let found = frontier.first_true(program.legal_moves(), program.solved())?;
        let Some(steps) = found.position() else {
            return Err(self.no_plan(most, &found));
        };
        Ok(survey(steps, &found))
    }

    /// As [`shortest`](Self::shortest), but the search ends early once it has looked at about `work` rules or takes more memory than it may.
    ///
    /// **Errors.** Those of `shortest`, except for too large frontiers; [`GdlError::Unfinished`], with the lengths that are excluded by then.
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

    /// Approximate number of rules looked at for a transition: the rules of an action, a share of the rules of its state, and the
    /// work of the frontier itself, which is that of some hundred rules.
    fn work_of_transition(&self) -> u64 {
        let rules = &self.rules;
        let moving = rules.does.iter().map(|&done| rules.steps.moving(done));
        let moving = moving.max().unwrap_or(0);
        (moving + rules.ahead.len() / 4 + rules.machine.atoms() / 64 + 600) as u64
    }

    /// True if no counter of steps ends the puzzle, so that all steps are alike.
    fn is_timeless(&self) -> bool {
        let clock = self.rules.clock.as_ref();
        clock.is_none_or(|clock| clock.limit().is_none())
    }

    /// Sizes of the set of plans of some length.
    ///
    /// **Errors.** [`GdlError::NoPlan`] if there are none; of [`Frontier`] where the states do not fit its memory.
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

    /// As [`survey`](Self::survey), but the search ends early once it has looked at about `work` rules or takes more memory than it may.
    ///
    /// **Errors.** Those of `survey`, except for too large frontiers; [`GdlError::Unfinished`], which excludes no length.
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

    /// The largest value of the goal, below the one that counts as solved, that plans of some length reach; `None` if they reach none.
    ///
    /// **Complexity.** A search for each value that the rules state, the largest first.
    ///
    /// **Errors.** Those of [`Frontier`] where the states do not fit its memory.
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

    /// The length of a shortest plan, by elimination in the tropical semiring: one element program of `most` steps that may end
    /// early, in which each action costs one.
    ///
    /// Finds the same length as [`shortest`](Self::shortest), but goes through all `most` steps for it.
    ///
    /// **Errors.** [`GdlError::NoPlan`] if there is none of at most `most` steps; of [`Frontier`] where the states do not fit its memory.
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
