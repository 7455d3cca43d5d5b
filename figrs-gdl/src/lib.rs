//! Puzzles in the Game Description Language, for which probabilistic inference finds plans.
//!
//! [`Puzzle::read`] reads rules, checks them and instantiates their variables. [`Puzzle::elements`] converts them to an element
//! program: actions are random choices, the state is folded over the steps, and the evidence states that actions are legal and that
//! the goal is met at the end. An exact engine answers each question about plans with a suitable algebra: the number of plans
//! (counting), the probability of the goal (sums), the most probable plan (maxima), a shortest plan (the tropical semiring:
//! [`Puzzle::cheapest`]), varied plans (samples), the actions at each step (marginals).
//!
//! ```
//! use figrs_infer::Frontier;
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
//! The input consists of facts and rules `(<= head condition ...)` in the Knowledge Interchange Format. It uses the relations `role`, `init`, `true`,
//! `does`, `next`, `legal`, `goal`, `terminal` and any others, and the operators `distinct`, `or`, `and` and `not`, nested to any depth. Comments run
//! from `;` to the end of the line. Upper and lower case are not distinguished; names are printed in lower case.
//!
//! Rules must obey the restrictions of the language. A name has the same number of arguments everywhere, each variable occurs in a positive
//! condition of its rule, and legality and the end of the puzzle do not depend on the move. No fact may depend on its own negation, but a
//! relation may, as in `(<= (goal robot 100) (not (goal robot 0)))`. There must be one role; if the rules declare none, it is the one that
//! actions and goals name.
//!
//! # Plans
//!
//! A plan is a sequence of legal actions from the start to the first state in which the puzzle ends; in this state the goal must have the value 100
//! (or that of [`Puzzle::goal`]). With [`Policy::Blind`], an action is drawn from *all* actions with equal probability, and its legality is evidence.
//! Therefore all plans of a length are equally likely, and the probability of the goal is the number of plans divided by the number of all sequences.
//! With [`Policy::Legal`], an action is drawn from the legal ones, and the probability of a plan is the probability that a player who draws actions
//! in this way finds it by chance.
//!
//! # Execution of rules
//!
//! The facts of relations that depend on neither state nor move are computed once, by semi-naive evaluation of one stratum after another. The facts
//! of the other relations are computed for all states at once, as if every negated condition held; the result is a superset of the facts and actions
//! that are possible. Then each rule is instantiated for all values of its variables, and states are represented by bit sets.
//! [`Frontier`](figrs_infer::Frontier) merges equal states, so that its work grows with the number of states and not with the number of sequences of
//! actions, and no function runs twice for the same state.
//!
//! If there are too many states for exact inference, [`Puzzle::any_plan`] finds one plan by best-first search, and [`Puzzle::shorter_plan`] shortens
//! it or proves that it is shortest. [`Puzzle::growth`] reports which relation causes the large number of states. States are stored without counters
//! of steps as long as the counters make no difference.
//!
//! | module idea | types |
//! |---|---|
//! | rules | [`Puzzle`], [`GroundingLimits`] |
//! | states and moves | [`GameState`], [`Action`], [`Move`] |
//! | one plan, by search through the states of any transition system | [`BestFirst`], [`StateSpace`], [`SearchEstimate`], [`SearchResult`] |
//! | plans | [`PlanElements`], [`Length`], [`Policy`], [`PlanSizes`], [`FoundPlan`], [`StateGrowth`] |
//! | errors | [`GdlError`], [`FileError`] |
//!
//! # References
//!
//! N. Love, T. Hinrichs, D. Haley, E. Schkufza and M. Genesereth, "General Game Playing: Game Description Language Specification", Stanford Logic
//! Group LG-2006-01, 2008. S. Abiteboul, R. Hull and V. Vianu, *Foundations of Databases* (1995), chapters 13 and 15, for semi-naive evaluation and
//! stratified negation; T. Przymusinski, "On the Declarative Semantics of Deductive Databases and Logic Programs" (1988), for local stratification.
//! H. Attias, "Planning by Probabilistic Inference", AISTATS 2003.

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
pub use planner::best_first::BestFirst;
pub use planner::search_result::SearchResult;
pub use planner::state_space::{SearchEstimate, StateSpace};
pub use puzzle::Puzzle;
pub use search::FoundPlan;
pub use state::{Action, GameState, Move};
pub use survey::PlanSizes;
