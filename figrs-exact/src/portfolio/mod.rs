//! Portfolios of exact algorithms. A portfolio runs the algorithm that is predicted to be the cheapest, and other algorithms if the prediction fails.
//!
//! | file | content |
//! |---|---|
//! | `settings` | memory, work and limits |
//! | `ladder` | the order of attempts, from the size of the model and the share of its factors with zeros |
//! | `attempts` | attempts of algorithms |
//! | `bounds` | bounds of the probability of the evidence, if no exact algorithm stays within the limits |
//! | `compiled_exact` | a compiled form: a tree or a circuit |
//! | `count` | the number of worlds |
//! | `mpe_exact` | the most probable world |
//! | `portfolio_run` | runs that can be stopped, tried again and given more work |
//! | `logical_models` | tests with models that have many zeros |

mod attempts;
mod bounds;
mod compiled_exact;
mod count;
mod ladder;
#[cfg(test)]
mod logical_models;
mod mpe_exact;
mod portfolio_run;
mod settings;

use std::rc::Rc;

use figrs_core::{AnyElement, Model, Parents};
use num_bigint::BigUint;

use super::circuit::Circuit;
use super::closed_form::{collapse_setter, in_closed_form};
use super::frontier::Frontier;
use super::slices::SlicedSum;
use crate::compiled::Compiled;
use attempts::Attempts;
pub(crate) use attempts::reason;
use bounds::{EvidenceBounds, MINI_BUCKETS};
pub use compiled_exact::{CompiledExact, CompiledForm};
use figrs_answer::{Algorithm, AlgorithmChoice, Answer, Error, RunMonitor, RunState, guarded};
use figrs_factor::bounds::Bounds;
use ladder::Ladder;
pub use mpe_exact::MpeExact;
pub(crate) use mpe_exact::better;
use portfolio_run::{Portfolio, PortfolioRun};
use settings::{PortfolioSettings, portfolio_settings};

/// Exact marginals and the probability of evidence by a portfolio of algorithms, which runs the algorithm that is predicted to be the cheapest, and
/// other algorithms if the prediction fails.
///
/// A variable elimination is planned first, and is run if its plan is cheap and fits the memory. If the query has no target or one target, the
/// portfolio eliminates by [`VariableElimination`](crate::VariableElimination); with several targets, by [`JunctionTree`](crate::JunctionTree). If no
/// elimination is cheap, the portfolio tries a [`Circuit`](crate::Circuit) (if half of the factors have zeros) and a [`Frontier`] with a small amount
/// of work, which suffices for many models with many zeros and for sequences with few states. (A circuit is never tried for a model without zeros.)
/// If neither `Circuit` nor `Frontier` gives an answer, the portfolio compares the predicted operations of an elimination and of
/// [`Slices`](crate::Slices). If the predicted operations of the elimination and of `Slices` are many, the portfolio tries `Frontier` again with more
/// memory. The portfolio then tries the circuit again, for as long as the cheaper of the elimination and `Slices` is predicted to take, and finally
/// runs the cheaper algorithm. A portfolio counts work in steps, never in seconds. Because work is counted in steps, the choice of the algorithm
/// depends only on the model and the settings, unless there is a [`deadline`](Self::deadline).
///
/// [`Answer::algorithm`] names the algorithm that answered; [`Answer::choice`] lists all algorithms that were tried, with
/// their predicted work.
///
/// If no exact algorithm stays within the limits of memory and [`work`](Self::work) and before the deadline, the answer contains
/// [bounds](Answer::log_evidence_bounds) of the probability of the evidence. The upper bound of the probability of the evidence comes from weighted
/// mini-buckets. The lower bound of the probability of the evidence comes from weighted mini-buckets, from the finished parts of an incomplete sum
/// over worlds, and from the best world that a short search finds. After the first elimination was refused or stopped, the portfolio computes crude
/// bounds from the largest entries of the factors and from small mini-buckets. [`on_bounds`](Self::on_bounds) receives the crude bounds and all later
/// bounds. An answer with bounds of the evidence contains nothing about the targets.
///
/// **Guarantee.** The result is exact up to rounding, or consists of bounds that enclose the exact number up to rounding. With the feature `reals` and
/// the setting `collapse`, the answer to a question about mixtures of normal distributions may be an approximation, and states that it is.
///
/// **Complexity.** The work is that of the algorithm that answers, and of all algorithms tried before it. The algorithms that a portfolio tries
/// before the answering algorithm take a few seconds, plus about as much work as is predicted for the answering algorithm. The portfolio tries a
/// cheap elimination first.
///
/// **Errors.** [`Error::ImpossibleEvidence`] for a query if no world agrees with the evidence; the errors of the model; [`Error::NothingFits`] if
/// not even bounds are found; [`Error::NothingDone`] if the run is stopped during the expansion of the model.
///
/// A run that was [started](figrs_answer::Run::start) gives the bounds of the probability of the evidence at any time, as soon as there are bounds. A
/// stopped run that is resumed tries the algorithms again. `extend(more)` adds `more` operations to the [`work`](Self::work), and a run that ended
/// with bounds then tries the algorithms again.
///
/// **References.** Rice (1976), "The algorithm selection problem"; Huberman, Lukose and Hogg (1997), "An economics approach to hard computational
/// problems" (portfolios); Liu and Ihler (2011), "Bounding the partition function using Hölder's inequality".
///
/// ```
/// # use figrs_core::{Element, Flip, Model};
/// # use figrs_exact::Exact;
/// # use figrs_answer::Run;
/// let coins: Vec<Element<bool>> = (0..20).map(|i| Flip::new(0.3 + 0.02 * f64::from(i))).collect();
/// let mut model = Model::new();
/// for pair in coins.windows(2) {
///     model = model.weigh(&pair[0].equals(&pair[1]), |&same| if same { 1.2 } else { 1.0 });
/// }
/// let answer = Exact::new().run(&model, &coins)?;
/// assert_eq!(answer.algorithm(), "JunctionTree");
/// println!("{}", answer.choice().unwrap());
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Exact {
    settings: PortfolioSettings,
}

impl Exact {
    const NAME: &'static str = "Exact";

    portfolio_settings!();
    collapse_setter!(settings.collapse);

    /// Compiles a model to a junction tree, or to a circuit if the tree is too large or a search is predicted to take less work.
    ///
    /// **Errors.** The errors of the model; [`Error::NothingFits`] if no algorithm of the portfolio stays within the limits of memory and
    /// [`work`](Self::work).
    pub fn compile(&self, model: &Model, targets: impl Parents) -> Result<CompiledExact, Error> {
        guarded(|| {
            let run = self.settings.watch.start(Self::NAME, None);
            let targets = targets.elements();
            let attempts = Attempts::new(&self.settings, &run, model, &targets);
            compiled_exact::compile(attempts)
        })
    }

    /// Returns the number of worlds with positive weight, and the list of the algorithms that were tried. If a variable elimination is cheap, the
    /// elimination counts the worlds. If no elimination is cheap, the search of a circuit takes as long as the elimination is predicted to take, or
    /// longer if no elimination fits the memory.
    ///
    /// **Errors.** The errors of the model; [`Error::NothingFits`] if no algorithm of the portfolio stays within the limits of memory and
    /// [`work`](Self::work).
    pub fn count(
        &self,
        model: &Model,
        targets: impl Parents,
    ) -> Result<(BigUint, AlgorithmChoice), Error> {
        guarded(|| {
            let run = self.settings.watch.start(Self::NAME, None);
            let targets = targets.elements();
            count::count(Attempts::new(&self.settings, &run, model, &targets))
        })
    }
}

impl Algorithm for Exact {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let run = self.settings.watch.start(self.name(), None);
        self.by_finite_algorithms(&run, model, targets)
            .or_else(|refused| {
                let limits = self.settings.limits_of_expansion(&run);
                let within = (&limits, self.settings.collapse);
                in_closed_form(self.name(), (model, targets), within, refused)
            })
    }

    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        Ok(PortfolioRun::begin(self, model, targets))
    }
}

impl Portfolio for Exact {
    fn settings(&self) -> &PortfolioSettings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut PortfolioSettings {
        &mut self.settings
    }

    fn bounded(bounds: Bounds) -> Option<Answer> {
        Some(Answer::bounded_marginals(MINI_BUCKETS, Vec::new(), bounds))
    }
}

impl Exact {
    /// Computes the answer by algorithms for elements with finitely many values.
    fn by_finite_algorithms(
        &self,
        run: &RunMonitor<'_>,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Answer, Error> {
        let mut ladder = EvidenceLadder {
            attempts: Attempts::new(&self.settings, run, model, targets),
            slices: None,
            bounds: None,
        };
        let found = match ladder.at_little_cost()? {
            None => ladder.by_predicted_work()?,
            found => found,
        };
        if let (None, Some(bounds)) = (&found, &mut ladder.bounds) {
            bounds.finish(&mut ladder.attempts);
        }
        match (found, ladder.bounds) {
            (Some(answer), _) => Ok(ladder.attempts.chosen(answer)),
            (None, Some(bounds)) => bounds.into_answer(ladder.attempts),
            (None, None) => Err(ladder.attempts.into_error()),
        }
    }
}

struct EvidenceLadder<'a> {
    attempts: Attempts<'a>,
    slices: Option<SlicedSum>,
    bounds: Option<EvidenceBounds>,
}

impl<'a> Ladder<'a> for EvidenceLadder<'a> {
    type Found = Answer;

    fn attempts(&mut self) -> &mut Attempts<'a> {
        &mut self.attempts
    }

    fn eliminate(&mut self, operations: f64) -> Result<Option<Answer>, Error> {
        let attempts = &mut self.attempts;
        let question = Rc::clone(&attempts.question);
        if question.targets.len() <= 1 {
            let elimination = attempts.variable_elimination(operations);
            return attempts.try_once(elimination.name(), None, || {
                elimination.answer_to(&question)
            });
        }
        let tree = attempts.junction_tree(operations);
        attempts.try_once(tree.name(), None, || {
            tree.compile_question(&question)?.answer()
        })
    }

    fn search(&mut self, decisions: f64) -> Result<Option<Answer>, Error> {
        let question = Rc::clone(&self.attempts.question);
        let ask = |circuit: Circuit| circuit.answer_to(&question);
        self.attempts.try_search(decisions, ask)
    }

    fn explore(&mut self, bytes: u64) -> Result<Option<Answer>, Error> {
        let attempts = &mut self.attempts;
        let frontier = Frontier::new().memory(bytes).part_of(attempts.run);
        let (model, targets) = (attempts.question.model, attempts.question.targets);
        // A frontier may call functions with values that no other algorithm uses. If a function fails for a value that only a frontier uses, other
        // algorithms are tried.
        attempts.try_instead(frontier.name(), || frontier.answer(model, targets))
    }

    fn slice_operations(&mut self) -> Result<f64, Error> {
        let attempts = &mut self.attempts;
        let slices = attempts.slices();
        let plan = slices.plan(attempts.run, &attempts.question);
        let cost = plan.map(|plan| self.slices.insert(plan).cost());
        attempts.operations_of(slices.name(), cost)
    }

    fn sum_slices(&mut self, operations: f64) -> Result<Option<Answer>, Error> {
        let attempts = &mut self.attempts;
        let question = Rc::clone(&attempts.question);
        let slices = attempts.slices();
        let bounds = &mut self.bounds;
        let Some(plan) = self.slices.take() else {
            return Ok(None);
        };
        attempts.try_once(slices.name(), Some(operations), || {
            let done = slices.answer_by(&slices.start(), &plan, &question);
            if let Err(Error::MissingSlices { lower_bound, .. }) = &done
                && let Some(bounds) = bounds
            {
                bounds.raise(*lower_bound);
            }
            done
        })
    }

    fn begin_bounds(&mut self) {
        self.bounds = EvidenceBounds::new(&mut self.attempts);
    }

    fn bound(&mut self, operations: f64) {
        if let Some(bounds) = &mut self.bounds {
            bounds.tighten(&mut self.attempts, operations);
        }
    }
}
