//! Exact inference along an order: joint values of the elements that are still needed.

mod branch;
mod class;
mod codes;
mod compiled;
mod explore;
mod first;
mod frontiers;
mod halt;
mod layer;
mod linear;
mod messages;
mod needs;
mod numbers;
mod passes;
mod plan;
mod renumber;
mod rules;
mod shape;
mod states;
mod transitions;
mod way;
mod weighing;

use figrs_core::{AnyElement, Model, Parents};

pub use compiled::CompiledFrontier;
pub use first::FirstTrue;

use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::error::Error;
use crate::watch::{Watch, watched};
use explore::explore;
use halt::{Allowance, Halt};
use linear::{Captured, Linear};

/// Exact inference by sweeping a frontier over the elements in their order.
///
/// The *frontier* is the set of elements that were met and are still read by later ones. Only joint values that can be
/// reached are explored, and functions run for those alone; so it is at home where a state is carried along, as in a
/// [`fold`](figrs_core::fold) over a list or a grid, a sequence, or a grid of Chains scanned column by column. The order is that
/// of the evidence as it is stated, before each statement what it needs, with targets as soon as all they read of this has been
/// met: state evidence in the order of a scan, and, where there is none, targets. Steps that repeat are explored once: those that have the same
/// functions (that capture nothing, or are shared by [`map_shared`](figrs_core::Parents::map_shared)), values and frontiers. Of a frontier that
/// contains all of an earlier one only the new states are explored.
///
/// [`compile`](Self::compile) keeps the states, for exact samples, counts and the most probable world.
///
/// **Guarantee.** Exact up to rounding, without underflow.
///
/// **Complexity.** Time and memory linear in the states of all frontiers times the outcomes of the choice that follows;
/// steps that repeat cost memory once, and time only in the sweeps. The states are at worst exponential in the number of elements on the frontier.
///
/// Where branches of a Chain are elements that other elements read as well, these are met before the Chain, for all their values:
/// their functions then run where other algorithms would not run them.
///
/// **Errors.** [`Error::ImpossibleEvidence`] for a query; [`Error::FrontierTooLarge`], [`Error::FrontierTooWide`];
/// [`ModelError::NotFinite`](figrs_core::ModelError::NotFinite) at an unobserved continuous element.
///
/// **References.** Zweig and Russell (1998) and Murphy (2002), "Dynamic Bayesian Networks", section 3.4 (the frontier algorithm);
/// for the transfer matrices of combinatorics Stanley (2012), "Enumerative Combinatorics", section 4.7.
///
/// ```
/// # use figrs_core::{Flip, Model, fold};
/// # use figrs_infer::{Frontier, Run};
/// let coins: Vec<_> = (0..100).map(|_| Flip::new(0.3)).collect();
/// let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin));
/// let answer = Frontier::new().run(&Model::new().observe(&heads, 30), &coins[0])?;
/// assert!((answer.probability(&coins[0], &true)? - 0.3).abs() < 1e-12);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Frontier {
    memory: u64,
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
            watch: Watch::default(),
        }
    }

    /// Ends with an error when transitions, the states of the present frontier and the numbered values take more than this many bytes, by a
    /// rough count that knows nothing of what values hold; messages may take as much again, and before them so may
    /// the frontiers that are remembered.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    watched!();

    /// Explores the frontiers of a model, to ask it many times.
    ///
    /// **Errors.** Those of the [algorithm](Self), but that impossible evidence compiles.
    pub fn compile(&self, model: &Model, targets: impl Parents) -> Result<CompiledFrontier, Error> {
        self.compiled(model, targets.elements())
    }

    fn compiled(&self, model: &Model, targets: Vec<AnyElement>) -> Result<CompiledFrontier, Error> {
        let order = |captured: &Captured| Linear::new(model, &targets, captured);
        let explored = self.along(order, explore)?;
        Ok(CompiledFrontier::new(model, targets, explored, self.memory))
    }

    /// Explores along an order, which changes where branches turn out to be elements of others.
    fn along<T>(
        &self,
        order: impl Fn(&Captured) -> Result<Linear, Error>,
        explore: impl Fn(&Linear, Allowance<'_>) -> Result<T, Halt>,
    ) -> Result<T, Error> {
        let mut captured = Captured::default();
        let run = self.watch.start(self.name(), None);
        loop {
            let linear = order(&captured)?;
            let allowance = Allowance {
                memory: self.memory,
                run: &run,
            };
            match explore(&linear, allowance) {
                Ok(explored) => return Ok(explored),
                Err(Halt::Captured(chain, branches)) => {
                    captured.entry(chain).or_default().extend(branches);
                }
                Err(Halt::Error(error)) => return Err(error),
                Err(Halt::Wider) => return Err(linear.too_wide()),
            }
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
