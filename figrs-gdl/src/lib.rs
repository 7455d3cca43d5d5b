//! Puzzles in the Game Description Language, for which probabilistic inference finds plans.
//!
//! The function [`Puzzle::read`] reads rules, checks them and instantiates their variables. The method [`Puzzle::elements`] converts a puzzle to a
//! probabilistic program, in which actions are random choices. The evidence of the program states that actions are legal and that the goal is met at
//! the end. An exact algorithm then counts plans, computes the probability of the goal, finds the most probable plan or a shortest plan
//! ([`Puzzle::cheapest`]), draws plans, or computes the distribution of the actions at each step.
//!
//! ```
//! use figrs_infer::{Compiled, Frontier};
//! use figrs_gdl::{Length, Policy, Puzzle};
//!
//! let puzzle = Puzzle::parse("
//!     (role walker)
//!     (stairs 0 1) (stairs 1 2) (stairs 2 3) (stairs 3 4)     ; four steps, taken one or two at a time
//!     (init (stands 0))
//!     (<= (legal walker (step ?y)) (true (stands ?x)) (stairs ?x ?y))
//!     (<= (legal walker (step ?z)) (true (stands ?x)) (stairs ?x ?y) (stairs ?y ?z))
//!     (<= (next (stands ?y)) (does walker (step ?y)))
//!     (<= terminal (true (stands 4)))
//!     (<= (goal walker 100) (true (stands 4)))
//! ")?;
//! let frontier = Frontier::new();
//! assert_eq!(puzzle.shortest(&frontier, 100)?.steps(), 2);
//!
//! let plans = puzzle.elements(Length::Exactly(3), Policy::Blind);
//! let compiled = frontier.compile(plans.model(), plans.moves())?;
//! assert_eq!(compiled.count()?.to_string(), "3");
//! for world in compiled.samples(1)?.take(5) {
//!     let plan = plans.plan(&world)?;
//!     assert_eq!(puzzle.action(plan[2]), "(step 4)");
//! }
//! # Ok::<(), figrs_gdl::GdlError>(())
//! ```
//!
//! # Input format
//!
//! The input consists of facts and rules `(<= head condition ...)` in the Knowledge Interchange Format. The rules use the relations `role`, `init`,
//! `true`, `does`, `next`, `legal`, `goal`, `terminal` and any others, and the operators `distinct`, `or`, `and` and `not`, nested to any depth.
//! Comments in the rules run from `;` to the end of the line. Upper and lower case are not distinguished; names are printed in lower case.
//!
//! Rules must obey the restrictions of the Game Description Language. In valid rules a name has the same number of arguments everywhere, each
//! variable occurs in a positive condition of its rule, and legality and the end of the puzzle do not depend on the move. No fact may depend on its
//! own negation, but a relation may, as in `(<= (goal robot 100) (not (goal robot 0)))`. The rules have one role (player); if the rules declare no
//! role, the role is the player that actions and goals name.
//!
//! # Plans
//!
//! A plan is a sequence of legal actions from the start to the first state in which the puzzle ends; in this state the goal must have the value 100
//! (or the value of [`Puzzle::goal`]). With [`Policy::Blind`], an action is drawn from *all* actions with equal probability, and evidence states that
//! the drawn action is legal. With [`Policy::Blind`], all plans of a length are equally likely, and the probability of the goal is the number of
//! plans divided by the number of all action sequences of this length. With [`Policy::Legal`], an action is drawn from the legal actions, and the
//! probability of a plan is the probability that random legal actions form it.
//!
//! # Execution of rules
//!
//! The facts of relations that depend on neither state nor move are computed once, by semi-naive evaluation of one stratum after another. The facts
//! of relations that depend on the state or the move are computed for all states at once, as if every negated condition held; the result is a
//! superset of the possible facts and actions. After the computation of facts, each rule is instantiated for all values of its variables, and states
//! are represented by bit sets. [`Frontier`](figrs_infer::Frontier) merges equal states: the work of this exact algorithm grows with the number of
//! states, not with the number of sequences of actions, and no function runs twice for the same state.
//!
//! If there are too many states for exact inference, [`Puzzle::any_plan`] finds one plan by best-first search, and [`Puzzle::shorter_plan`] finds a
//! shorter plan or proves that no plan is shorter. [`Puzzle::growth`] reports which relation causes the large number of states. States are stored
//! without counters of steps as long as the counters affect no legal move, no goal and not the end of the puzzle.
//!
//! | subject | types |
//! |---|---|
//! | rules | [`Puzzle`], [`GroundingLimits`] |
//! | states and moves | [`GameState`], [`Action`], [`Move`] |
//! | one plan, by search through the states of any transition system | [`BestFirst`], [`StateSpace`], [`SearchEstimate`], [`SearchResult`] |
//! | plans | [`PlanElements`], [`Length`], [`Policy`], [`PlanSizes`], [`FoundPlan`], [`StateGrowth`] |
//! | errors | [`GdlError`], [`FileError`] |
//!
//! # References
//!
//! The language is specified in Love, Hinrichs, Haley, Schkufza and Genesereth, "General Game Playing: Game Description Language Specification",
//! Stanford Logic Group LG-2006-01, 2008. Semi-naive evaluation and stratified negation are described in Abiteboul, Hull and Vianu, *Foundations of
//! Databases* (1995), chapters 13 and 15, and local stratification in Przymusinski, "On the Declarative Semantics of Deductive Databases and Logic
//! Programs" (1988). Planning by inference is described in Attias, "Planning by Probabilistic Inference", AISTATS 2003.

#![warn(clippy::unwrap_used)]

mod check;
mod clauses;
mod clock;
mod elements;
mod error;
mod goal_states;
mod ground;
mod ground_puzzle;
mod growth;
mod join;
mod kif;
mod landmarks;
mod limits;
mod local;
mod machine;
mod plan_space;
mod planner;
mod puzzle;
mod relaxation;
mod roles;
mod saturate;
mod search;
mod state;
mod survey;
mod syntax;
mod terms;
mod tuples;

pub use elements::{Length, PlanElements, Policy};
pub use error::GdlError;
pub use figrs_reading::{FileError, Mistake, MistakeKind};
pub use growth::StateGrowth;
pub use limits::GroundingLimits;
pub use planner::best_first::{BestFirst, SearchResult};
pub use planner::state_space::{SearchEstimate, StateSpace};
pub use puzzle::Puzzle;
pub use search::FoundPlan;
pub use state::{Action, GameState, Move};
pub use survey::PlanSizes;
