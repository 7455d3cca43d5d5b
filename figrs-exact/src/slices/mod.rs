//! Exact sums within a limit of memory, by conditioning: one elimination runs for each joint value of some variables.
//!
//! | file | content |
//! |---|---|
//! | `slice_plan` | the variables to condition on, and the elimination order of the other variables |
//! | `sliced_graph` | the factor graph of a slice |
//! | `slice_total` | the sum of a slice, which is divided into slices if it needs more memory than predicted |
//! | `sliced_sum`, `slice_sums` | the sum of all slices |
//! | `mpe_slices` | the best world of all slices |
//! | `slicing` | the settings of both algorithms |

mod mpe_slices;
mod slice_plan;
pub(crate) mod slice_sums;
pub(crate) mod slice_total;
mod sliced_graph;
mod sliced_sum;
mod slicing;

use std::ops::Range;

use figrs_core::{AnyElement, Limits, Model};

use super::question::Question;
pub use figrs_answer::run::partial::{Absorption, Partial};
use figrs_answer::{Algorithm, Answer, Error, MergeableSampler, RunMonitor, guarded};
use figrs_factor::eliminate::PlanCost;
pub use mpe_slices::MpeSlices;
pub(crate) use mpe_slices::SlicedWorlds;
use slice_sums::SliceSums;
pub(crate) use sliced_sum::SlicedSum;
use slicing::{Slicing, slicing_settings};

/// Exact marginals and the probability of evidence within a limit of memory, by cutset conditioning (slicing).
///
/// If the tables of an elimination would be too large, `Slices` fixes a few variables at each of their joint values, one joint value after another. A
/// *slice* is the elimination of all other variables for one joint value of the fixed variables. The fixed variables are chosen so that the messages
/// of a slice (the elimination for one joint value) fit the memory; all slices have the same elimination order. A slice (the elimination for one
/// joint value of the fixed variables) is cheaper than predicted if the fixed values imply further zeros. A slice (the elimination for one joint
/// value of the fixed variables) takes no work if zeros exclude all its worlds.
///
/// The work of `Slices` is divided into numbered units: each slice is a unit of work or, if there are more than 4096 slices, each block of
/// consecutive slices. Threads process as many units of work at once as the memory can hold. Some units of work of a sum may be computed in other
/// processes (see [`MergeableSampler`]). All slices (eliminations with fixed variables) of a block (unit of work) share the values of some of the
/// fixed variables. If zeros exclude the values that all slices of a block share, the block is skipped. If the messages of an elimination that fixes
/// only the values shared by a block fit the memory, the block is computed as one slice.
///
/// The memory setting of `Slices` limits the whole process, and messages take at most five eighths of this memory. The default amount of memory of
/// `Slices` is the available memory, so that processes may have different defaults. If several processes compute parts of one sum by `Slices`, set
/// the same amount of memory in all of them.
///
/// **Guarantee.** The result is exact up to rounding. The results do not depend on the number of threads or on the division into units of work, even
/// in the last bit. The choice of the variables that `Slices` fixes depends only on the model and the memory setting.
///
/// **Complexity.** The work is the number of slices (joint values of the fixed variables) times the work of an elimination of all other variables.
/// All slices together usually take more work than one elimination of all variables; the work is exponential in the number of fixed variables.
/// [`cost`](Self::cost) predicts the number of slices and the cost of one slice (the elimination for one joint value of the fixed variables).
///
/// **Errors.** [`Error::MissingSlices`], with the sum so far, or [`Error::NothingDone`] after a deadline or an interrupt;
/// [`Error::ImpossibleEvidence`] for a query if no world agrees with the evidence; an error if the expansion exceeds a limit;
/// [`EliminationError::TooMuchMemory`](figrs_factor::eliminate::EliminationError::TooMuchMemory) if the factors alone do not fit the memory, and
/// [`EliminationError::TooManyOperations`](figrs_factor::eliminate::EliminationError::TooManyOperations) if messages that fit the memory would
/// require too many slices.
///
/// **References.** Pearl (1986), "A constraint-propagation approach to probabilistic reasoning"; Dechter (1999), "Bucket elimination", section 9;
/// Gray and Kourtis (2021), "Hyper-optimized tensor network contraction" (slices that are chosen greedily).
///
/// ```
/// # use figrs_core::{Element, Flip, Model};
/// # use figrs_exact::{Slices, VariableElimination};
/// # use figrs_answer::Run;
/// // Every pair of fourteen coins tends to agree: an elimination needs one table over all of them.
/// let coins: Vec<Element<bool>> = (0..14).map(|i| Flip::new(0.3 + 0.02 * f64::from(i))).collect();
/// let mut model = Model::new();
/// for (i, a) in coins.iter().enumerate() {
///     for b in &coins[..i] {
///         model = model.weigh(&a.equals(b), |&same| if same { 1.2 } else { 1.0 });
///     }
/// }
/// let slices = Slices::fitting("4KiB")?;
/// assert!(slices.cost(&model, ())?.slices > 1);
/// let (sliced, whole) = (slices.log_evidence(&model)?, VariableElimination::new().log_evidence(&model)?);
/// assert!((sliced - whole).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Slices {
    slicing: Slicing,
}

/// Predicted number of slices of a sum (joint values of the fixed variables), and predicted cost of one slice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SliceCost {
    /// Number of slices.
    pub slices: u64,
    /// Predicted cost of each slice (the elimination for one joint value of the fixed variables), if no further zeros follow from the fixed values.
    pub slice: PlanCost,
}

impl Slices {
    const NAME: &'static str = "Slices";

    slicing_settings!();

    fn sum(&self, model: &Model, targets: &[AnyElement]) -> Result<SlicedSum, Error> {
        let question = Question::new(model, targets);
        SlicedSum::new(&question, self.slicing.memory, &self.slicing.limits)
    }

    pub(crate) fn plan(
        &self,
        run: &RunMonitor<'_>,
        question: &Question<'_>,
    ) -> Result<SlicedSum, Error> {
        let limits = self.slicing.limits.until(run.until());
        let sum = SlicedSum::new(question, self.slicing.memory, &limits);
        sum.map_err(|error| run.error_of(error))
    }

    pub(crate) fn answer_by(
        &self,
        run: &RunMonitor<'_>,
        plan: &SlicedSum,
        question: &Question<'_>,
    ) -> Result<Answer, Error> {
        let threads = self.slicing.threads(plan.at_once());
        let partial = plan.run(run, 0..u64::MAX, threads, Absorption::AtOnce)?;
        partial.into_answer().map_err(|error| match error {
            Error::ImpossibleEvidence { .. } => {
                let limits = self.slicing.limits.until(run.until());
                question.impossible(&limits)
            }
            error => error,
        })
    }
}

impl Algorithm for Slices {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let run = self.start();
        let question = Question::new(model, targets);
        let plan = self.plan(&run, &question)?;
        self.answer_by(&run, &plan, &question)
    }
}

impl MergeableSampler for Slices {
    type Sums = SliceSums;

    fn settings(&self) -> String {
        let Slicing { stated, limits, .. } = &self.slicing;
        format!(
            "Slices {{ memory: {stated}, budget: {:?} }}",
            Limits::default().with_expansion_of(limits)
        )
    }

    fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error> {
        guarded(|| Ok(self.sum(model, targets)?.units()))
    }

    fn run_units(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<Partial<SliceSums>, Error> {
        let run = self.start();
        let sum = self.plan(&run, &Question::new(model, targets))?;
        let threads = self.slicing.threads(sum.at_once());
        sum.run(&run, units, threads, absorption)
    }
}
