//! Exact inference along an order of the elements, on joint values of the elements that are still needed.

mod branch;
mod checkpoints;
mod choice_outcomes;
mod class_memo;
mod coded_elements;
mod compiled;
mod dependency_closure;
mod dictionary;
mod element_order;
mod equivalence_class;
mod evaluation;
mod exploration_limits;
mod explore;
mod first_true;
mod growth;
mod layer;
mod messages;
mod packed_integers;
mod plan;
mod predict;
mod queries;
mod renumber;
mod reorder;
mod set_transition;
mod state_set_cache;
mod states;
mod step_signature;
mod sweep;
mod transitions;
mod weight_dictionary;

use figrs_core::{AnyElement, Model, Parents};
use figrs_factor::WorkBudget;

pub use compiled::CompiledFrontier;
pub use first_true::FirstTrue;

use element_order::ElementOrder;
use exploration_limits::ExplorationLimits;
use explore::explore;
use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_answer::run::guard::guarded;
use figrs_answer::run::watch::{RunMonitor, Watch, watched, watched_by_run};

/// Exact inference by sweeping a frontier over the elements in their order.
///
/// The *frontier* is the set of elements that were met and that later elements still read. Only joint values that can be
/// reached are explored, and functions run only for those. A frontier suits models that carry a state along, such as a
/// [`fold`](figrs_core::fold) over a list or a grid, a sequence, or a grid of Chains scanned column by column. The order is that
/// of the stated evidence, with the elements it needs before each statement, and targets as soon as all they read has been
/// met: state evidence in the order of a scan, and targets where there is no evidence. Another order is used where it is predicted to have
/// far fewer states, unless it ends with an error. Repeated steps are explored once: steps with the same
/// functions (that capture nothing, or are shared by [`map_shared`](figrs_core::Parents::map_shared)), values and frontiers. In a frontier that
/// contains all states of an earlier one, only the new states are explored.
///
/// [`compile`](Self::compile) keeps the states for exact samples, counts and the most probable world.
///
/// **Guarantee.** Exact up to rounding, without underflow.
///
/// **Complexity.** Time and memory linear in the states of all frontiers times the outcomes of the choice that follows;
/// steps that repeat cost memory once, and time only in the sweeps. The states are at worst exponential in the number of elements on the frontier.
///
/// If branches of a Chain are elements that other elements read as well, these are met before the Chain, for all their
/// values: their functions then run where other algorithms would not run them.
///
/// **Errors.** [`Error::ImpossibleEvidence`] for a query; [`Error::FrontierTooLarge`], [`Error::FrontierTooWide`];
/// [`ModelError::NotFinite`](figrs_core::ModelError::NotFinite) at an unobserved continuous element.
///
/// **References.** Zweig and Russell (1998) and Murphy (2002), "Dynamic Bayesian Networks", section 3.4 (the frontier algorithm);
/// for the transfer matrices of combinatorics Stanley (2012), "Enumerative Combinatorics", section 4.7.
///
/// ```
/// # use figrs_core::{Flip, Model, fold};
/// # use figrs_exact::Frontier;
/// # use figrs_answer::Run;
/// let coins: Vec<_> = (0..100).map(|_| Flip::new(0.3)).collect();
/// let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin));
/// let answer = Frontier::new().run(&Model::new().observe(&heads, 30), &coins[0])?;
/// assert!((answer.probability(&coins[0], &true)? - 0.3).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Frontier {
    memory: u64,
    work: Option<WorkBudget>,
    watch: Watch,
}

impl Default for Frontier {
    fn default() -> Self {
        Self::new()
    }
}

impl Frontier {
    /// With a budget of one GiB.
    pub fn new() -> Self {
        Self {
            memory: 1 << 30,
            work: None,
            watch: Watch::default(),
        }
    }

    /// Ends with an error when an exploration takes more than this many bytes: transitions, states of frontiers, numbered values with the bytes
    /// they [hold](figrs_core::Value::heap_bytes), and memos of functions. Caches that can be recomputed are dropped first, so that
    /// less memory takes more time. Messages of a compiled form have the memory that transitions leave, at least a quarter.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Ends with [`Error::NothingDone`] when the explorations that share a budget have used it up: one step for each element, and one for each
    /// transition, which is one outcome of a choice, or one value of another element, in one state of its frontier.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model, fold};
    /// # use figrs_exact::Frontier;
    /// # use figrs_factor::WorkBudget;
    /// let coins: Vec<_> = (0..100).map(|_| Flip::new(0.3)).collect();
    /// let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin));
    /// let model = Model::new().observe(&heads, 30);
    /// let within = |steps| Frontier::new().work(&WorkBudget::new(steps)).compile(&model, ());
    /// // Of each frontier only the sum that is new is explored.
    /// assert!(within(300).is_err() && within(1_000).is_ok());
    /// ```
    pub fn work(mut self, budget: &WorkBudget) -> Self {
        self.work = Some(budget.clone());
        self
    }

    /// True if the interrupt was raised.
    #[doc(hidden)]
    pub fn is_interrupted(&self) -> bool {
        self.watch.is_interrupted()
    }

    watched!();

    watched_by_run!(watch);

    /// Explores the frontiers of a model, to answer many questions.
    ///
    /// **Errors.** Those of the [algorithm](Self), except that impossible evidence compiles.
    pub fn compile(&self, model: &Model, targets: impl Parents) -> Result<CompiledFrontier, Error> {
        guarded(|| self.compiled(model, targets.elements()))
    }

    fn compiled(&self, model: &Model, targets: Vec<AnyElement>) -> Result<CompiledFrontier, Error> {
        let mut run = self.watch.start(self.name(), None);
        let mut linear = ElementOrder::new(model, &targets);
        let elements = linear.slots.len() as u64;
        run.expect_total(elements);
        if (self.work.as_ref()).is_some_and(|work| !work.spend(elements)) {
            return Err(run.nothing_done());
        }
        let explored = if linear.reorder() {
            match explore(linear, self.allowance(&run)) {
                // A function may fail, or there may be many states, where the stated order would have excluded values before.
                Err(error) if !matches!(error, Error::NothingDone { .. }) => {
                    explore(ElementOrder::new(model, &targets), self.allowance(&run))
                }
                explored => explored,
            }
        } else {
            explore(linear, self.allowance(&run))
        };
        Ok(CompiledFrontier::new(
            model,
            targets,
            explored?,
            self.memory,
        ))
    }

    fn allowance<'a>(&'a self, run: &'a RunMonitor<'a>) -> ExplorationLimits<'a> {
        ExplorationLimits {
            memory: self.memory,
            run,
            work: self.work.as_ref(),
        }
    }
}

impl Algorithm for Frontier {
    fn name(&self) -> &'static str {
        "Frontier"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.compiled(model, targets.to_vec())?.answer()
    }
}
