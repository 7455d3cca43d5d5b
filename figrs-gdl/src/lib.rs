//! Puzzles in the Game Description Language, planned by inference.
//!
//! [`Puzzle::read`] reads rules, checks them and fills in their variables. [`Puzzle::elements`] makes an element program of
//! them: the actions are random choices, the state is folded over time, and the evidence is that actions are legal and that the goal is
//! met at the end. Every question about plans is then one to an exact engine, in one algebra or another: the number of plans
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
//! Facts and rules `(<= head condition ...)` in the Knowledge Interchange Format, with the relations `role`, `init`, `true`, `does`, `next`, `legal`, `goal`,
//! `terminal` and any others, `distinct`, and `or`, `and`, `not`, nested to any depth. Comments run from `;` to the end of the line. Upper and
//! lower case are the same; names are printed in lower case.
//!
//! Rules keep to the demands of the language: a name has the same number of arguments everywhere, each variable stands in a
//! positive condition of its rule, legality and the end of the puzzle do not depend on the move. No fact depends on its own negation; a
//! relation may, as in `(<= (goal robot 100) (not (goal robot 0)))`. There is one role; where none is declared, it is the one that actions
//! and goals name.
//!
//! # Plans
//!
//! A plan is a sequence of legal actions from the start to a state in which the puzzle ends and the goal has its value (100,
//! or [`Puzzle::goal`]), and before which it has not ended. With [`Policy::Blind`], an action is drawn from *all* actions
//! alike and its legality is evidence: so every plan of a length is equally likely, and the probability of the goal is the
//! number of plans over that of all sequences. With [`Policy::Legal`] an action is drawn from those that are legal, and the
//! probability of a plan is that a player who does so finds it by chance.
//!
//! # Execution of rules
//!
//! Relations that depend on neither state nor move are computed once, stratum by stratum and semi-naively. The others are
//! computed for all states at once, as if every negated condition held, which bounds the facts and actions that are
//! possible. Then each rule is written out for the values of its variables, and states are sets of bits. Equal states are
//! merged by [`Frontier`](figrs_infer::Frontier), so that its work is in states and not in sequences of actions, and no
//! function runs twice for a state.
//!
//! [`Puzzle::any_plan`] finds one plan by best-first search where all states are too many, and [`Puzzle::shorter_plan`] shortens it or proves that
//! it cannot be shortened; [`Puzzle::growth`] reports which relation makes the states many. States are kept without counters of steps as long as
//! these make no difference.
//!
//! | module idea | types |
//! |---|---|
//! | rules | [`Puzzle`], [`GroundingLimits`] |
//! | states and moves | [`GameState`], [`Action`], [`Move`] |
//! | one plan, by search through the states of any transition system | [`BestFirst`], [`StateSpace`], [`SearchEstimate`], [`SearchResult`] |
//! | plans | [`PlanElements`], [`Length`], [`Policy`], [`PlanSizes`], [`FoundPlan`], [`StateGrowth`] |
//! | errors | [`GdlError`], [`RuleTextProblem`] |
//!
//! # References
//!
//! N. Love, T. Hinrichs, D. Haley, E. Schkufza and M. Genesereth, "General Game Playing: Game Description Language Specification",
//! Stanford Logic Group LG-2006-01, 2008. S. Abiteboul, R. Hull and V. Vianu, *Foundations of Databases* (1995), chapters 13 and 15, for
//! semi-naive evaluation and stratified negation; T. Przymusinski, "On the Declarative Semantics of Deductive Databases and Logic Programs" (1988), for local
//! stratification. H. Attias, "Planning by Probabilistic Inference", AISTATS 2003.

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
pub use error::{GdlError, RuleTextProblem};
pub use growth::StateGrowth;
pub use limits::GroundingLimits;
pub use planner::best_first::BestFirst;
pub use planner::search_result::SearchResult;
pub use planner::state_space::{SearchEstimate, StateSpace};
pub use puzzle::Puzzle;
pub use search::FoundPlan;
pub use state::{Action, GameState, Move};
pub use survey::PlanSizes;
