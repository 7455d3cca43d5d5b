//! Converts a puzzle to a probabilistic model whose random variables are the moves and the states.

use std::sync::Arc;

use figrs_core::{Constant, Element, Model, Parents, Select};
use figrs_infer::{Error, World};

use super::{Action, GameState, Move, Puzzle};

/// Length of plans in steps: an exact number or a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// The plan has exactly the given number of steps, and the last step ends the puzzle.
    Exactly(usize),
    /// The plan has at most the given number of steps: after the end of the puzzle, no further action is taken.
    AtMost(usize),
}

impl Length {
    /// Returns the largest possible number of steps of a plan.
    pub fn most(self) -> usize {
        match self {
            Self::Exactly(steps) | Self::AtMost(steps) => steps,
        }
    }
}

/// Writes the length as `3 steps` or `at most 1 step`.
impl std::fmt::Display for Length {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps = self.most();
        if let Self::AtMost(_) = self {
            f.write_str("at most ")?;
        }
        write!(f, "{steps} step{}", if steps == 1 { "" } else { "s" })
    }
}

/// Prior distribution of actions. The prior distribution of actions does not take the goal into account. The prior of the actions determines the
/// distribution of plans given the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// In every state, all actions (legal or not) have the same prior probability; evidence states that all drawn actions are legal. With the policy
    /// `Blind` all plans of the same length are equally likely.
    #[default]
    Blind,
    /// In every state, each legal action has the same prior probability, and illegal actions are never drawn. With the policy `Legal`, the prior
    /// probability of a plan is the product of 1 / (number of legal actions) over all steps of the plan. With the policy `Legal`, a player who takes
    /// random legal actions finds a plan with the prior probability of this plan.
    Legal,
}

/// A puzzle as a probabilistic program: the move of each step, the states before and after each move, and the evidence that the goal is met.
#[derive(Clone, Debug)]
pub struct PlanElements {
    moves: Vec<Element<Move>>,
    states: Vec<Element<GameState>>,
    solved: Vec<Element<bool>>,
    legal: Model,
    model: Model,
}

type DrawMove = dyn Fn(&GameState) -> Element<Move> + Send + Sync;
type Advance = dyn Fn((&GameState, &Move)) -> GameState + Send + Sync;
type Solves = dyn Fn(&GameState) -> bool + Send + Sync;

/// The functions of the probabilistic program that all steps share.
struct StepFunctions {
    draw: Arc<Box<DrawMove>>,
    advance: Arc<Box<Advance>>,
    solves: Arc<Box<Solves>>,
}

impl Puzzle {
    /// Creates the probabilistic program of all plans of the length `length`.
    ///
    /// All steps share the same functions; [`Frontier`](figrs_infer::Frontier) therefore explores each state once.
    #[track_caller]
    pub fn elements(&self, length: Length, policy: Policy) -> PlanElements {
        let most = length.most();
        let clock = self.rules.clock.as_ref();
        // After the limit of the clock, a state in which the puzzle ended at an earlier step would get the clock facts of a later step.
        let clock = clock.filter(|clock| match length {
            Length::AtMost(_) => clock.is_idle_before(most + 1),
            Length::Exactly(_) => true,
        });
        let is_idle = |step: usize| clock.is_some_and(|clock| clock.is_idle_before(step + 1));
        let (timed, timeless) = (
            self.steps(length, policy, false),
            self.steps(length, policy, true),
        );
        let mut state = Constant::new(match clock {
            Some(clock) => clock.without(&self.start()),
            None => self.start(),
        });
        let mut program = PlanElements {
            moves: Vec::with_capacity(most),
            solved: Vec::with_capacity(most + 1),
            states: Vec::with_capacity(most + 1),
            legal: Model::new(),
            model: Model::new(),
        };
        for step in 0..=most {
            if clock.is_some() {
                let puzzle = self.clone();
                let at = move |state: &GameState| puzzle.at(state, step);
                program.states.push(if is_idle(step) {
                    state.map(at)
                } else {
                    if step > 0 && is_idle(step - 1) {
                        state = state.map(at);
                    }
                    state.clone()
                });
            } else {
                program.states.push(state.clone());
            }
            let functions = if is_idle(step) { &timeless } else { &timed };
            let solved = Parents::map_shared(&state, &functions.solves);
            program.solved.push(solved);
            if step < most {
                let drawn = Parents::flat_map_shared(&state, &functions.draw);
                state = (&state, &drawn).map_shared(&functions.advance);
                program.moves.push(drawn);
            }
        }
        program.legal =
            Model::new().condition_each(&program.moves, |drawn| *drawn != Move::Illegal);
        let goal = &program.solved[length.most()];
        program.model = program.legal.clone().observe(goal, true);
        program
    }

    /// Returns the functions of the probabilistic program that all steps share; if `is_timeless` is true, states are stored without the facts of the
    /// clock (counters of steps).
    fn steps(&self, length: Length, policy: Policy, is_timeless: bool) -> StepFunctions {
        let may_stay = matches!(length, Length::AtMost(_));
        let puzzle = self.clone();
        // As long as states are stored without the clock, the clock facts of the first step can replace those of any step.
        let full = Arc::new(move |state: &GameState| {
            if is_timeless {
                puzzle.at(state, 0)
            } else {
                state.clone()
            }
        });
        let (puzzle, of_drawn) = (self.clone(), Arc::clone(&full));
        let draw: Box<DrawMove> =
            Box::new(move |state| Select::new(puzzle.choices(&of_drawn(state), policy, may_stay)));
        let (puzzle, of_next) = (self.clone(), Arc::clone(&full));
        let advance: Box<Advance> = Box::new(move |(state, drawn)| match *drawn {
            Move::Act(action) => {
                let next = puzzle.next(&of_next(state), action);
                match puzzle.rules.clock.as_ref().filter(|_| is_timeless) {
                    Some(clock) => clock.without(&next),
                    None => next,
                }
            }
            Move::Stay | Move::Illegal => state.clone(),
        });
        let puzzle = self.clone();
        let solves: Box<Solves> = Box::new(move |state| puzzle.is_solved(&full(state)));
        StepFunctions {
            draw: Arc::new(draw),
            advance: Arc::new(advance),
            solves: Arc::new(solves),
        }
    }

    /// Adds the facts of the clock (constants and counters of steps) at `step` to `state`, which was stored without these facts.
    fn at(&self, state: &GameState, step: usize) -> GameState {
        let clock = self.rules.clock.as_ref();
        clock.map_or_else(|| state.clone(), |clock| clock.at(state, step))
    }

    /// Returns the moves that can be drawn in `state`, with their probabilities up to a factor.
    fn choices(&self, state: &GameState, policy: Policy, may_stay: bool) -> Vec<(f64, Move)> {
        let legal = self.legal(state).into_iter();
        let mut choices: Vec<(f64, Move)> = legal.map(|action| (1.0, Move::Act(action))).collect();
        if may_stay && choices.is_empty() && self.is_terminal(state) {
            choices.push((1.0, Move::Stay));
        }
        let illegal = match policy {
            Policy::Blind => self.actions().saturating_sub(choices.len()),
            Policy::Legal => 0,
        };
        if illegal > 0 || choices.is_empty() {
            choices.push((illegal.max(1) as f64, Move::Illegal));
        }
        choices
    }
}

impl PlanElements {
    /// Returns the random variables of the moves, one for each step.
    pub fn moves(&self) -> &[Element<Move>] {
        &self.moves
    }

    /// Returns the random variables of the states from the start to the end, one more than there are steps.
    pub fn states(&self) -> &[Element<GameState>] {
        &self.states
    }

    /// Returns for each state the Boolean random variable that is true if the puzzle has ended in this state and its goal is met.
    pub fn solved(&self) -> &[Element<bool>] {
        &self.solved
    }

    /// Returns the model with the evidence that all moves are legal and that the last state meets the goal.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the model with the evidence that all moves are legal, without the evidence of the goal.
    pub fn legal_moves(&self) -> &Model {
        &self.legal
    }

    /// Returns the model with costs as additional evidence: each action has the weight 1/e.
    ///
    /// If each action has the weight 1/e, the negative logarithm of a plan's weight is the number of the plan's actions. With [`Policy::Blind`], all
    /// plans have the same prior probability, and the most probable world is therefore a plan with the fewest actions. In logarithms, the search for
    /// the most probable world by variable elimination is elimination in the tropical semiring.
    #[track_caller]
    pub fn counting_steps(&self) -> Model {
        let cost = |drawn: &Move| match drawn {
            Move::Act(_) => -1.0,
            Move::Stay | Move::Illegal => 0.0,
        };
        let moves = self.moves.iter();
        let costs = moves.fold(self.legal.clone(), |model, drawn| {
            model.log_weigh(drawn, cost)
        });
        costs.with_evidence_of(&self.model)
    }

    /// Returns the actions of the plan in `world`.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `world` belongs to another model.
    pub fn plan(&self, world: &World) -> Result<Vec<Action>, Error> {
        let moves = world.values(&self.moves)?;
        let acts = moves.into_iter().filter_map(|drawn| match drawn {
            Move::Act(action) => Some(action),
            Move::Stay | Move::Illegal => None,
        });
        Ok(acts.collect())
    }
}
