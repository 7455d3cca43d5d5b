//! The contents of an answer (marginals, bounds or a single world), and the statistics of the run.

use std::any::Any;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::bounds::{Deepening, TargetBounds};
use super::closed_form::RealTargets;
use super::draws::{Draws, TargetDraws};
use super::estimate::Estimate;
use super::marginal::is_real;
use crate::answer::choice::AlgorithmChoice;
use crate::error::Error;
use crate::quality::diagnosis::choice_agreement::ChoiceAgreement;
use crate::run::run_state::{Continuation, RunOfAnswer, RunState};
use figrs_core::expand::Expansion;
use figrs_core::{
    AnyElement, Counterfactual, Datum, ElementId, Limits, Model, ParameterValues, Support,
};
use figrs_factor::Stopped;
use figrs_factor::bounds::{Bounds, Improvement};

/// The untyped marginal of one target.
#[derive(Clone, Debug)]
pub struct TargetMarginal {
    /// The target to which the marginal belongs.
    pub element: AnyElement,
    /// The possible values of the target.
    pub support: Support,
    /// For each value of the target, its probability.
    pub probabilities: Vec<f64>,
    /// The method that computed the probabilities, with the data for their standard errors.
    pub estimate: Estimate,
}

impl TargetMarginal {
    /// True if the probabilities of single values are meaningless, because the values are floating-point numbers (or lists of them) and no two draws
    /// are equal.
    pub(crate) fn never_repeats(&self) -> bool {
        self.support.len() > 1
            && is_real(self.support.any(0))
            && self.estimate.never_repeats(&self.probabilities)
    }

    /// Returns the marginal of a target from independent weighted draws. Each draw is given by the index of its value and by its fraction of the
    /// total weight.
    #[doc(hidden)]
    pub fn weighted(
        element: AnyElement,
        support: Support,
        draws: impl IntoIterator<Item = (u32, f64)>,
    ) -> Self {
        let mut probabilities = vec![0.0; support.len()];
        let mut squares = vec![0.0; support.len()];
        for (value, share) in draws {
            probabilities[value as usize] += share;
            squares[value as usize] += share * share;
        }
        Self {
            element,
            support,
            probabilities,
            estimate: Estimate::Weighted {
                squares,
                unseen: f64::INFINITY,
            },
        }
    }

    /// Returns, for each target, the relative frequencies of the target's values in `draws`; all draws must have the same weight.
    #[doc(hidden)]
    pub fn frequencies(draws: &Draws) -> Vec<Self> {
        let all = (draws.chains * draws.length) as f64;
        let marginal = |target: &TargetDraws| {
            let mut counts = vec![0_u64; target.support.len()];
            target.indices.iter().for_each(|&i| counts[i as usize] += 1);
            Self {
                element: target.element.clone(),
                support: target.support.clone(),
                probabilities: counts.iter().map(|&n| n as f64 / all).collect(),
                estimate: Estimate::Chains {
                    indices: Arc::clone(&target.indices),
                    chains: draws.chains,
                },
            }
        };
        draws.targets.iter().map(marginal).collect()
    }
}

/// The log-evidence: the logarithm of the probability of the evidence, with the standard error of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence {
    /// The natural logarithm of the probability of the evidence, including the weights that the evidence gives to worlds.
    pub value: f64,
    /// The standard error of `value`; zero if `value` is exact.
    pub standard_error: f64,
}

impl LogEvidence {
    /// Returns an exact value.
    #[doc(hidden)]
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self {
            value,
            standard_error: 0.0,
        }
    }
}

#[derive(Clone, Debug)]
pub enum AnswerContent {
    /// The marginals of the targets, and the log-evidence if the algorithm computes it.
    Marginals(Vec<TargetMarginal>, Option<LogEvidence>),
    Bounds(Vec<TargetBounds>, Bounds),
    World(
        FxHashMap<ElementId, (AnyElement, Datum)>,
        f64,
        Vec<Improvement>,
    ),
}

/// The answer of an algorithm to one query; its results are queried by element.
#[derive(Clone, Debug)]
pub struct Answer {
    algorithm: &'static str,
    #[doc(hidden)]
    pub content: AnswerContent,
    pub(crate) deepening: Option<Deepening>,
    pub(crate) sampling: Option<RunStatistics>,
    #[doc(hidden)]
    pub draws: Option<Draws>,
    pub(crate) choices: Option<ChoiceAgreement>,
    #[doc(hidden)]
    pub is_checked: bool,
    #[doc(hidden)]
    pub answered: Option<Arc<AnsweredModel>>,
    /// The model of the query, and its targets: the elements without evidence from which the worlds of the model are evaluated.
    #[doc(hidden)]
    pub asked: Option<Arc<(Model, Vec<AnyElement>)>>,
    /// The counterfactual of the query, if there is one; later queries about the counterfactual world need the elements of the counterfactual.
    pub(crate) counterfactual: Option<Counterfactual>,
    choice: Option<Arc<AlgorithmChoice>>,
    pub(crate) reals: RealTargets,
    continuation: RunOfAnswer,
}

impl Answer {
    /// Creates an answer that consists of `content` alone.
    fn of(algorithm: &'static str, content: AnswerContent) -> Self {
        Self {
            algorithm,
            content,
            deepening: None,
            sampling: None,
            draws: None,
            choices: None,
            is_checked: false,
            answered: None,
            asked: None,
            counterfactual: None,
            choice: None,
            reals: RealTargets::default(),
            continuation: RunOfAnswer(None),
        }
    }

    /// Creates an answer that consists of the marginals of the targets, and of the log-evidence if the algorithm computes it.
    pub fn marginals(
        algorithm: &'static str,
        marginals: Vec<TargetMarginal>,
        log_evidence: impl Into<Option<LogEvidence>>,
    ) -> Self {
        Self::of(
            algorithm,
            AnswerContent::Marginals(marginals, log_evidence.into()),
        )
    }

    /// Creates an answer that consists of bounds of the probabilities of the targets, and of bounds of the log-evidence.
    pub fn bounded_marginals(
        algorithm: &'static str,
        targets: Vec<TargetBounds>,
        log_evidence: Bounds,
    ) -> Self {
        Self::of(algorithm, AnswerContent::Bounds(targets, log_evidence))
    }

    figrs_factor::field_setters! {
        /// Adds to the answer the depth and the work of the expansion of the model, and the reason why the expansion ended.
        with_deepening: Deepening => deepening;
        /// Adds the statistics of a sampling run to the answer.
        with_sampling: RunStatistics => sampling;
        /// Adds the draws to the answer.
        with_draws: Draws => draws;
        /// Adds to the answer the model of the query, and the elements from which the worlds of the model are evaluated.
        #[doc(hidden)]
        with_question: Arc<(Model, Vec<AnyElement>)> => asked;
        /// Adds the results of the tests whether the Markov chains agree about the random choices in their worlds.
        #[doc(hidden)]
        with_choices: ChoiceAgreement => choices;
    }

    /// True if `SelfChecked` has verified the answer.
    pub fn is_checked(&self) -> bool {
        self.is_checked
    }

    /// Returns an answer with the same marginals, assigned to `elements`, which correspond to the targets in order. The returned answer contains
    /// neither the draws nor the model of the run.
    #[must_use]
    #[doc(hidden)]
    pub fn about(mut self, elements: &[AnyElement]) -> Self {
        if let AnswerContent::Marginals(targets, _) = &mut self.content {
            for (target, element) in targets.iter_mut().zip(elements) {
                target.element = element.clone();
            }
        }
        (self.draws, self.asked) = (None, None);
        self.continuation = RunOfAnswer(None);
        self
    }

    pub(crate) fn with_model(mut self, model: Model, roots: Vec<AnyElement>) -> Self {
        if let Some(run) = &mut self.continuation.0 {
            let parameters = ParameterValues::of_model(&model, &roots);
            *run = Arc::new(run.with_parameters(parameters));
        }
        self.with_question(Arc::new((model, roots)))
    }

    /// Adds the model of the query to an exact answer. An exact answer that contains its model can be queried about the parameters of the model.
    #[must_use]
    #[doc(hidden)]
    pub fn with_answered(mut self, model: AnsweredModel) -> Self {
        self.answered = Some(Arc::new(model));
        self
    }

    /// Adds the algorithms that were tried, and the limits for computing derivatives of the answer.
    #[must_use]
    #[doc(hidden)]
    pub fn with_choice(mut self, choice: AlgorithmChoice, limits: Limits) -> Self {
        self.choice = Some(Arc::new(choice));
        if let Some(model) = self.answered.as_mut().and_then(Arc::get_mut) {
            model.limits = limits;
        }
        self
    }

    /// Returns the list of the algorithms that were tried, if a portfolio such as `Exact` answered the query.
    pub fn choice(&self) -> Option<&AlgorithmChoice> {
        self.choice.as_deref()
    }

    /// Creates an answer that consists of a single world and the natural logarithm of its probability.
    pub fn world(
        algorithm: &'static str,
        values: impl IntoIterator<Item = (AnyElement, Datum)>,
        log_probability: f64,
    ) -> Self {
        Self::searched_world(algorithm, values, log_probability, Vec::new())
    }

    /// Creates an answer that consists of a single world, the natural logarithm of its probability, and the improvements during the search for the
    /// world. The last item of the list `improvements` must describe the end of the search. If the list of improvements is empty, the world is known
    /// to be the most probable world.
    pub fn searched_world(
        algorithm: &'static str,
        values: impl IntoIterator<Item = (AnyElement, Datum)>,
        log_probability: f64,
        improvements: Vec<Improvement>,
    ) -> Self {
        let values = values.into_iter().map(|(e, v)| (e.id(), (e, v)));
        Self::of(
            algorithm,
            AnswerContent::World(values.collect(), log_probability, improvements),
        )
    }

    /// Returns the name of the algorithm that computed this answer.
    pub fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    /// Returns the error for a query of content that the answer does not have.
    #[doc(hidden)]
    pub fn missing_content_error(&self, asked: &'static str, remedy: &'static str) -> Error {
        Error::NotInAnswer {
            algorithm: self.algorithm,
            asked,
            remedy,
        }
    }

    /// Sets the reason why the run of the answer ended.
    #[must_use]
    #[doc(hidden)]
    pub fn ended(mut self, stopped: figrs_factor::Stopped) -> Self {
        if let Some(sampling) = &mut self.sampling {
            sampling.stopped = stopped;
        }
        self
    }

    pub(crate) fn with_continuation(mut self, continuation: Continuation) -> Self {
        self.continuation = RunOfAnswer(Some(Arc::new(continuation)));
        self
    }

    /// Converts the state of the run that computed this answer, so that an algorithm can wrap the answers of another algorithm.
    #[must_use]
    #[doc(hidden)]
    pub fn with_mapped_run(
        mut self,
        convert: impl Fn(Box<dyn RunState>) -> Box<dyn RunState> + Send + Sync + 'static,
    ) -> Self {
        let run = self.continuation.0.take();
        self.continuation = RunOfAnswer(run.map(|run| Arc::new(run.mapped(convert))));
        self
    }

    /// Returns the answer of a longer run of the sampler: longer by `more` samples, by `more` draws of each chain, or by `more` populations of
    /// particles. `model` must be the model of this answer.
    ///
    /// **Guarantee.** The answer is equal to the last bit to the answer of a single run of the whole length, except for its time, on any number of
    /// threads. In a longer run, Markov chains keep the length of their burn-in. If a deadline or an interrupt ended the run of the answer, the
    /// longer run also does the work that was left undone. If a deadline shortened the burn-in of a chain, the longer run does not lengthen the
    /// burn-in.
    ///
    /// **Complexity.** The first call of `extend` continues the run of this answer. A second call for the same answer repeats the run from its
    /// beginning. The run is also repeated from its beginning if its state takes much memory (over about a million draws or distinct values), or if
    /// the longer run divides its samples into blocks of another size. The size of the blocks of samples changes with the number of samples below
    /// about 2^18 and, for millions of samples, at each doubling.
    ///
    /// **Errors.** [`Error::OtherModel`] if `model` is not the model of this answer; [`Error::NotInAnswer`] if the answer has no run that can be
    /// lengthened, because its algorithm is not a sampler or the answer is about a counterfactual;
    /// [`Error::ParameterChanged`] if a [`Param`](figrs_core::Param) of the model was set since the end of the run (parameters of elements that
    /// `Chain` elements create are not compared); the errors of the sampler.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model};
    /// # use figrs_infer::{Run, SequentialMonteCarlo};
    /// let rain = Flip::new(0.2);
    /// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
    /// let model = Model::new().observe(&wet, true);
    /// let sampler = SequentialMonteCarlo::new(100);
    /// let answer = sampler.clone().populations(16).run(&model, &rain)?;
    /// let (longer, whole) = (answer.extend(&model, 16)?, sampler.populations(32).run(&model, &rain)?);
    /// assert_eq!(longer.probability(&rain, &true)?, whole.probability(&rain, &true)?);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn extend(&self, model: &Model, more: u64) -> Result<Self, Error> {
        let (Some(continuation), Some(asked)) = (&self.continuation.0, &self.asked) else {
            let remedy =
                "extend the answer of a sampler, or the `Running` from which the answer came";
            return Err(self.missing_content_error("run that can be lengthened", remedy));
        };
        if !asked.0.states_the_same(model) {
            return Err(Error::OtherModel {
                algorithm: self.algorithm,
            });
        }
        let (answer, state) = continuation.extended(more)?;
        let answer = answer.with_question(Arc::clone(asked));
        Ok(answer.with_continuation(continuation.with_state(more, state)))
    }

    /// Returns the draws of a sampler, if the sampler kept them.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the sampler kept no draws.
    pub fn draws(&self) -> Result<&Draws, Error> {
        self.draws.as_ref().ok_or_else(|| {
            self.missing_content_error(
                "draws",
                "use a sampler that keeps them, such as MetropolisHastings, or `keep_draws`",
            )
        })
    }

    /// Returns statistics of the run, if the algorithm was a sampler or another iterative algorithm.
    pub fn sampling(&self) -> Option<&RunStatistics> {
        self.sampling.as_ref()
    }
}

/// A model with its roots (targets and elements with evidence), the limits of its answer, and the values of its parameters at the time of the query.
#[derive(Debug)]
pub struct AnsweredModel {
    /// The model, and the elements from which worlds are evaluated (targets and elements with evidence).
    pub asked: Arc<(Model, Vec<AnyElement>)>,
    /// The limits of the expansion of the model (the listing of its possible values) and of the elimination of its variables.
    pub limits: Limits,
    /// The parameters on which the probabilities of outcomes depend, with their values at the time of the query.
    pub parameters: ParameterValues,
    /// The natural logarithm of the probability of the evidence.
    pub log_evidence: f64,
    /// Maps each element that queries may use as another name of an element of the model to this element of the model.
    pub names: FxHashMap<ElementId, AnyElement>,
    /// The compiled form of the model, which is created by the first query that needs it.
    pub compiled: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl AnsweredModel {
    pub fn new(
        asked: Arc<(Model, Vec<AnyElement>)>,
        limits: &Limits,
        expansion: &Expansion,
        log_evidence: f64,
    ) -> Self {
        let members = expansion
            .parametric_outcomes()
            .iter()
            .map(|outcomes| &outcomes.member);
        Self {
            asked,
            limits: limits.clone(),
            parameters: ParameterValues::of(members),
            log_evidence,
            names: FxHashMap::default(),
            compiled: OnceLock::new(),
        }
    }

    /// For each pair, lets queries use the first element as another name of the second element, which belongs to the model.
    pub(crate) fn rename<'e>(
        &mut self,
        pairs: impl Iterator<Item = (&'e AnyElement, &'e AnyElement)>,
    ) {
        let pairs = pairs.map(|(name, element)| (name.id(), element.clone()));
        self.names = pairs.collect();
        self.compiled = OnceLock::new();
    }
}

/// Statistics of the run of a sampler or of another iterative algorithm.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunStatistics {
    /// The reason why the run ended.
    pub stopped: Stopped,
    /// Number of samples, steps or sweeps that were made, over all Markov chains.
    pub done: u64,
    /// Requested number of samples, steps or sweeps, if the run has such a limit.
    pub asked: Option<u64>,
    /// Number of independent Markov chains, or of independent populations of particles; one if the samples are independent.
    pub chains: usize,
    /// Wall-clock time of the run.
    pub elapsed: Duration,
    /// The fraction of accepted proposals, or of samples that satisfied the evidence; `None` for other algorithms.
    pub acceptance: Option<f64>,
    /// The fraction of the total weight that the heaviest draw has, if draws are weighted.
    pub largest_share: Option<f64>,
    /// The Pareto k-hat of the weights of independent draws ([`pareto_k`](crate::quality::diagnostics::pareto_k)), if there are enough draws.
    pub pareto_k: Option<f64>,
    /// Largest change of a number in the last iteration, for an algorithm such as belief propagation that iterates to a fixed point.
    pub residual: Option<f64>,
    /// The largest change of a number in an iteration at which the algorithm counts as converged.
    pub tolerance: Option<f64>,
    /// For a sampler that updates blocks of variables together, the number of groups of variables that zero entries of factors connect, and that do
    /// not lie within one block. If the number of groups is zero, the sampler can reach every possible world; otherwise it is not known whether the
    /// sampler can.
    pub cut_groups: Option<u64>,
    /// Number of resampling steps, over all populations of particles.
    pub resampled: Option<u64>,
    /// The indices of the populations of particles that died, because none of their particles satisfied all evidence.
    pub died: Option<Vec<u64>>,
    /// Number of random elements that were summed or integrated out exactly instead of being drawn.
    pub integrated_out: Option<u64>,
}

impl RunStatistics {
    /// Creates statistics from the reason why the run ended, the number of samples or steps, and the elapsed time; all other fields are empty.
    #[doc(hidden)]
    pub fn new(stopped: Stopped, done: u64, elapsed: Duration) -> Self {
        Self {
            stopped,
            done,
            asked: None,
            chains: 1,
            elapsed,
            acceptance: None,
            largest_share: None,
            pareto_k: None,
            residual: None,
            tolerance: None,
            cut_groups: None,
            resampled: None,
            died: None,
            integrated_out: None,
        }
    }
}
