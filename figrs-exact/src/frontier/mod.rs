//! Exact inference by a sweep over the elements, which stores the joint values of the visited elements that later elements read.

mod branch;
mod checkpoints;
mod coded_elements;
mod compiled;
mod dictionary;
mod element_order;
mod equivalence_class;
mod evaluation;
mod explore;
mod first_true;
mod growth;
mod messages;
mod packed_integers;
mod plan;
mod predict;
mod queries;
mod renumber;
mod reorder;
mod state_set_cache;
mod states;
mod sweep;
mod transitions;

use figrs_core::{AnyElement, Model, Parents};
use figrs_factor::WorkBudget;

pub use compiled::CompiledFrontier;
pub use first_true::FirstTrue;

use crate::compiled::Compiled;
use element_order::ElementOrder;
use explore::{ExplorationLimits, explore};
use figrs_answer::{Algorithm, Answer, Error, RunMonitor, Watch, guarded, setters};

/// Exact inference by a sweep that visits the elements one after another.
///
/// The *frontier* is the set of visited elements that later elements read. The frontier sweep explores only joint values that can occur, and calls
/// functions only for these values. Frontiers suit models that pass a state from step to step, such as a [`fold`](figrs_core::fold) over a list or a
/// grid, a sequence, or a grid of `Chain` elements scanned column by column. The sweep visits the elements of the model in the order of the evidence
/// statements. The sweep visits the elements on which an evidence statement depends before the statement's element, and visits a target as soon as
/// all elements that it reads have been visited. Evidence statements should be in the order in which the sweep is to scan the model; without
/// evidence, the order of the targets has this role. The sweep uses another visiting order if that order is predicted to have far fewer states, and
/// its exploration does not end with an error. A step of the sweep repeats an earlier step if the two steps have the same functions (without captured
/// values, or shared by [`map_shared`](figrs_core::Parents::map_shared)), the same values and the same frontiers. A step of the sweep that repeats an
/// earlier step is not explored again. If a frontier contains all states of an earlier frontier, only the states that are new are explored.
///
/// [`compile`](Self::compile) stores the states of all frontiers, from which exact samples, counts and the most probable world can be computed.
///
/// **Guarantee.** The result is exact up to rounding, without underflow.
///
/// **Complexity.** Time and memory are linear in the total number of states (joint values) of all frontiers, times the number of outcomes of the next
/// random choice. A step that repeats an earlier step takes no additional memory; it takes time only in the sweeps that compute messages and answers.
/// In the worst case, the number of states (joint values) is exponential in the number of elements on the frontier.
///
/// If other elements also read the branches of a `Chain` (the elements that its function returns), the sweep visits these branches before the
/// `Chain`. A frontier sweep may call the functions of a branch of a `Chain` for values for which other algorithms do not call them.
///
/// **Errors.** [`Error::ImpossibleEvidence`] for a query if no world agrees with the evidence; [`Error::FrontierTooLarge`] if the states exceed the
/// memory; [`Error::FrontierTooWide`] if the values of a frontier do not fit a packed key;
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
    /// Creates a frontier sweep with a memory limit of one GiB.
    pub fn new() -> Self {
        Self {
            memory: 1 << 30,
            work: None,
            watch: Watch::default(),
        }
    }

    /// Sets the maximum number of bytes for the exploration of the frontiers; an exploration that needs more ends with an error. The memory limit of
    /// a frontier sweep counts the bytes of transitions, states of frontiers, values with their [heap memory](figrs_core::Value::heap_bytes), and
    /// memo tables of functions. The exploration of the frontiers drops its caches before it exceeds the memory limit, and therefore takes more time
    /// with less memory. The messages of a compiled frontier may take the memory that the transitions do not use, but at least a quarter of the
    /// limit.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets a budget of work that several explorations may share; when the budget is used up, a run ends with [`Error::NothingDone`]. Each element
    /// costs one step of the budget, and so does each transition: one outcome of a random choice, or one value of another element, in one state of
    /// the frontier.
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

    /// True if the interrupt flag is set.
    #[doc(hidden)]
    pub fn is_interrupted(&self) -> bool {
        self.watch.is_interrupted()
    }

    setters!(watch: watch);
    setters!(part_of: watch);

    /// Explores the frontiers of a model, and returns a compiled model that answers many queries.
    ///
    /// **Errors.** The errors of [`Frontier`], except that impossible evidence is not an error at compilation.
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
                // The stated order may exclude values earlier than the new order, in which a function may therefore fail or the states may be too
                // many.
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
