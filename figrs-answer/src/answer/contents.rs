//! Contents of an answer: marginals, bounds or one world, and statistics of the run.

use std::sync::Arc;

use figrs_core::{AnyElement, Counterfactual, Datum, ElementId, Model, Support};
use rustc_hash::FxHashMap;

use figrs_factor::bounds::Improvement;

use super::answered_model::AnsweredModel;
use super::bounds::{Deepening, TargetBounds};
use super::draws::Draws;
use super::estimate::Estimate;
use super::run_statistics::RunStatistics;
use crate::answer::choice::AlgorithmChoice;
use crate::error::Error;
use crate::limits::Limits;
use crate::quality::diagnosis::choice_agreement::ChoiceAgreement;
use figrs_factor::bounds::Bounds;

/// The marginal of one target, without its type.
#[derive(Clone, Debug)]
pub struct TargetMarginal {
    /// The target.
    pub element: AnyElement,
    /// The values of the target.
    pub support: Support,
    /// The probability of each value.
    pub probabilities: Vec<f64>,
    /// Source of the probabilities, with their errors.
    pub estimate: Estimate,
}

/// A value of the log-evidence, and its standard error if it is an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence {
    /// The natural logarithm of the probability of the evidence times its soft weights.
    pub value: f64,
    /// The standard error of `value`; zero if it is exact.
    pub standard_error: f64,
}

#[derive(Clone, Debug)]
pub enum AnswerContent {
    /// The marginals, and the log-evidence if the algorithm knows it.
    Marginals(Vec<TargetMarginal>, Option<LogEvidence>),
    Bounds(Vec<TargetBounds>, Bounds),
    World(
        FxHashMap<ElementId, (AnyElement, Datum)>,
        f64,
        Vec<Improvement>,
    ),
}

/// The answer of an algorithm to one query, read by element.
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
    /// The model that the answer is about, and the roots of its worlds apart from the evidence.
    #[doc(hidden)]
    pub asked: Option<Arc<(Model, Vec<AnyElement>)>>,
    /// The counterfactual that the answer is about, whose elements may be needed again.
    pub(crate) counterfactual: Option<Counterfactual>,
    choice: Option<Arc<AlgorithmChoice>>,
}

impl Answer {
    /// An answer that consists of marginals of the targets, and of the log-evidence if the algorithm knows it.
    pub fn marginals(
        algorithm: &'static str,
        marginals: Vec<TargetMarginal>,
        log_evidence: impl Into<Option<LogEvidence>>,
    ) -> Self {
        Self {
            algorithm,
            content: AnswerContent::Marginals(marginals, log_evidence.into()),
            deepening: None,
            sampling: None,
            draws: None,
            choices: None,
            is_checked: false,
            answered: None,
            asked: None,
            counterfactual: None,
            choice: None,
        }
    }

    /// An answer that consists of bounds of the targets' probabilities and of the log-evidence.
    pub fn bounded_marginals(
        algorithm: &'static str,
        targets: Vec<TargetBounds>,
        log_evidence: Bounds,
    ) -> Self {
        Self {
            algorithm,
            content: AnswerContent::Bounds(targets, log_evidence),
            deepening: None,
            sampling: None,
            draws: None,
            choices: None,
            is_checked: false,
            answered: None,
            asked: None,
            counterfactual: None,
            choice: None,
        }
    }

    /// Attaches the end and the depth of the deepening to the answer.
    #[must_use]
    pub fn with_deepening(mut self, deepening: Deepening) -> Self {
        self.deepening = Some(deepening);
        self
    }

    /// Attaches the run statistics of a sampler to the answer.
    #[must_use]
    pub fn with_sampling(mut self, sampling: RunStatistics) -> Self {
        self.sampling = Some(sampling);
        self
    }

    /// True if `SelfChecked` has verified the answer.
    pub fn is_checked(&self) -> bool {
        self.is_checked
    }

    /// Attaches the draws to the answer.
    #[must_use]
    pub fn with_draws(mut self, draws: Draws) -> Self {
        self.draws = Some(draws);
        self
    }

    /// Attaches to the answer the model that it is about.
    pub(crate) fn with_model(self, model: Model, roots: Vec<AnyElement>) -> Self {
        self.with_question(Arc::new((model, roots)))
    }

    /// Attaches the model that was queried and the roots of its worlds to the answer.
    #[must_use]
    #[doc(hidden)]
    pub fn with_question(mut self, asked: Arc<(Model, Vec<AnyElement>)>) -> Self {
        self.asked = Some(asked);
        self
    }

    /// Attaches the model of an exact answer, for questions about its parameters.
    #[must_use]
    #[doc(hidden)]
    pub fn with_answered(mut self, model: AnsweredModel) -> Self {
        self.answered = Some(Arc::new(model));
        self
    }

    /// Attaches to the answer how well chains agree about the choices of their worlds.
    #[must_use]
    #[doc(hidden)]
    pub fn with_choices(mut self, choices: ChoiceAgreement) -> Self {
        self.choices = Some(choices);
        self
    }

    /// Attaches to the answer the algorithms that were tried, and the limits for computing its derivatives.
    #[must_use]
    #[doc(hidden)]
    pub fn with_choice(mut self, choice: AlgorithmChoice, limits: Limits) -> Self {
        self.choice = Some(Arc::new(choice));
        if let Some(model) = self.answered.as_mut().and_then(Arc::get_mut) {
            model.limits = limits;
        }
        self
    }

    /// The algorithms that were tried, if a portfolio such as `Exact` answered.
    pub fn choice(&self) -> Option<&AlgorithmChoice> {
        self.choice.as_deref()
    }

    /// An answer that is one world with the natural logarithm of its probability.
    pub fn world(
        algorithm: &'static str,
        values: impl IntoIterator<Item = (AnyElement, Datum)>,
        log_probability: f64,
    ) -> Self {
        Self::searched_world(algorithm, values, log_probability, Vec::new())
    }

    /// An answer that is one world with the natural logarithm of its probability, and the improvements of the search for
    /// it, the last of which describes its end; without improvements the world is known to be the best.
    pub fn searched_world(
        algorithm: &'static str,
        values: impl IntoIterator<Item = (AnyElement, Datum)>,
        log_probability: f64,
        improvements: Vec<Improvement>,
    ) -> Self {
        let values = values.into_iter().map(|(e, v)| (e.id(), (e, v)));
        Self {
            algorithm,
            content: AnswerContent::World(values.collect(), log_probability, improvements),
            deepening: None,
            sampling: None,
            draws: None,
            choices: None,
            is_checked: false,
            answered: None,
            asked: None,
            counterfactual: None,
            choice: None,
        }
    }

    /// The algorithm that answered.
    pub fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    /// The error of an answer that does not hold the requested content.
    #[doc(hidden)]
    pub fn missing_content_error(&self, asked: &'static str, remedy: &'static str) -> Error {
        Error::NotInAnswer {
            algorithm: self.algorithm,
            asked,
            remedy,
        }
    }

    /// The draws behind the answer of a sampler that keeps them.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if none were kept.
    pub fn draws(&self) -> Result<&Draws, Error> {
        self.draws.as_ref().ok_or_else(|| {
            self.missing_content_error(
                "draws",
                "use a sampler that keeps them, such as MetropolisHastings, or `keep_draws`",
            )
        })
    }

    /// Run statistics, if a sampler or another iterative algorithm answered.
    pub fn sampling(&self) -> Option<&RunStatistics> {
        self.sampling.as_ref()
    }
}
