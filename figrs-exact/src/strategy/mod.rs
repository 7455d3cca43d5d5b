//! Strategies: a list of algorithms for a model, which are applied to its sub-models if the whole model is too costly.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | `Strategy`, its attempts, and the division of a model |
//! | `submodel.rs` | the weights of the root of a sub-model: sums over its worlds, or the weights of its most probable worlds |
//! | `rest.rs` | the elimination of the rest of a model |

use std::sync::Arc;

use figrs_answer::expansion::{maxima, sums};
use figrs_answer::{
    Algorithm, AlgorithmAttempt, AlgorithmChoice, Answer, AnswerContent, AttemptOutcome, Error,
    SubmodelQuality, SubmodelSolution, TargetBounds, conflict,
};
use figrs_core::expand::{Expansion, ExpansionCache, SolvedSubmodel};
use figrs_core::internals::QueryKind;
use figrs_core::{AnyElement, Limits, Model, ModelError};
use rustc_hash::FxHashSet;

use crate::portfolio::{Exact, better, reason};
use submodel::{RootWeights, SubmodelWorlds, report};

mod rest;
mod submodel;

/// Default of the maximum number of joint values of the interface of a sub-model (its root, and the outside elements that it reads).
const INTERFACE: usize = 1024;
/// Default of the maximum number of predicted operations of one elimination: for the rest of a model, or for the body of a recursive call.
const WORK: f64 = 1e9;
/// Maximum nesting depth of sub-models.
const MAX_NESTING: usize = 16;

/// A strategy is a list of algorithms that are tried one after another, first on the whole model, and then on each of its sub-models.
///
/// If the first algorithm of a strategy refuses the model, the model is divided into sub-models. A sub-model consists of the elements that the rest
/// of the model reaches only through one element (the root of the sub-model): for example the body of a `Chain`, a member of a collection with the
/// elements of its own, or a call of a [`Recursive`](figrs_core::Recursive) function. The interface of a sub-model consists of its root and of its
/// inputs, the elements of the rest of the model on which the sub-model depends. If the interface of a sub-model is small, the strategy computes the
/// distribution of the root for each joint value of the inputs: by the first algorithm, or else by sub-models of the sub-model, or else by the next
/// algorithm. A variable elimination solves the rest of the model, with a table in place of each sub-model. If a strategy finds no sub-models, or the
/// elimination of the rest of the model is refused, the next algorithm is tried on the whole model.
///
/// If the algorithms find the most probable world, as [`MpeExact`](crate::MpeExact) and [`MpeVariableElimination`](crate::MpeVariableElimination) do,
/// the strategy finds the most probable world too. For the most probable world, each sub-model is solved once for each joint value of its interface:
/// the table of the root has the weight of the most probable world of the sub-model with this value. The world of the answer consists of the values
/// of the elements of the rest of the model and of all sub-models. A world that is not proven to be the most probable counts as a failure of the
/// algorithm that found it, and the best of such worlds is the answer if nothing better is found.
///
/// Each algorithm has its own limits of memory, work and time, which apply to each sub-model.
///
/// [`Answer::choice`] lists the algorithms that were tried on the whole model, and [`AlgorithmChoice::submodels`] states the algorithm that solved
/// each sub-model.
///
/// **Guarantee.** The answer is exact if each sub-model was solved exactly. If some sub-models were solved with bounds only, and the other sub-models
/// were solved exactly, the answer contains bounds that enclose the exact probabilities, up to rounding. If a sub-model was solved by sampling or by
/// an approximation, the answer is [approximate](figrs_answer::Quality::Approximate), and has no probability of the evidence. Evidence is never
/// inside a sub-model; the errors of samplers that solve sub-models therefore do not depend on the evidence. A world is [proven](Answer::is_proven)
/// to be the most probable if the worlds of all sub-models are proven. If the worlds of some sub-models are not proven, [`Answer::upper_bound`]
/// follows from the upper bounds of the sub-models.
///
/// **Complexity.** The algorithms solve each sub-model once for each joint value of the elements that it reads; for the most probable world, once for
/// each joint value of these elements and the root of the sub-model. The elimination of the rest of the model (with tables in place of the
/// sub-models) is additional work. At most 16 sub-models are nested in each other.
///
/// **Errors.** [`Error::NothingFits`] if all algorithms refuse; [`Error::InvalidSetting`] if only some of the algorithms find the most probable world;
/// the errors of the model.
///
/// **References.** Pfeffer, Ruttenberg, Kretschmer and O'Connor, *Structured factored inference for probabilistic programming* (2018); Koller
/// and Pfeffer, *Object-oriented Bayesian networks* (1997).
///
/// ```
/// # use figrs_core::{Element, Flip, Limits, Model, fold};
/// # use figrs_exact::{BeliefPropagation, Strategy, VariableElimination};
/// # use figrs_answer::Run;
/// /// A committee decides by majority; each member's opinion depends on the mood of the country.
/// fn committee(mood: &Element<bool>) -> Element<bool> {
///     let members: Vec<Element<bool>> = (0..9)
///         .map(|_| mood.flat_map(|&mood| Flip::new(if mood { 0.7 } else { 0.4 })))
///         .collect();
///     fold(&members, 0, |votes, &yes| votes + u32::from(yes)).map(|votes| *votes > 4)
/// }
/// let mood = Flip::new(0.5);
/// let [first, second] = [committee(&mood), committee(&mood)];
/// let model = Model::new().observe(&first, true);
/// // This budget is too small for the whole model, and suffices for one committee and one mood.
/// let elimination = VariableElimination::new().limits(Limits::default().work(300.0));
/// let strategy = Strategy::by(elimination).otherwise(BeliefPropagation::new());
/// let answer = strategy.run(&model, &second)?;
/// println!("{} {}", answer.summary(&second)?, answer.choice().unwrap());
/// # let exact = VariableElimination::new().run(&model, &second)?;
/// # let [p, q] = [answer, exact].map(|answer| answer.probability(&second, &true).unwrap());
/// # assert!((p - q).abs() < 1e-12);
/// // The most probable world, with the same budget for each part:
/// # use figrs_exact::{MpeExact, MpeVariableElimination};
/// let maximisation = MpeVariableElimination::new().limits(Limits::default().work(300.0));
/// let world = Strategy::by(maximisation).otherwise(MpeExact::new()).run(&model, &second)?;
/// println!("{} {}", world.most_likely_value(&second)?, world.choice().unwrap());
/// # assert!(world.most_likely_value(&second)? && world.is_proven()?);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Strategy {
    algorithms: Vec<Arc<dyn Algorithm>>,
    interface: usize,
    limits: Limits,
}

impl Default for Strategy {
    fn default() -> Self {
        Self::new()
    }
}

impl Strategy {
    /// Creates a strategy whose first algorithm is [`Exact`], with at most `1e9` predicted operations (about a second).
    pub fn new() -> Self {
        Self::by(Exact::new().work(WORK))
    }

    /// Creates a strategy whose first algorithm is `algorithm`.
    pub fn by(algorithm: impl Algorithm + 'static) -> Self {
        Self {
            algorithms: vec![Arc::new(algorithm)],
            interface: INTERFACE,
            limits: Limits::default().work(WORK),
        }
    }

    /// Adds an algorithm to the strategy, which is tried if the algorithms before it and a division into sub-models fail.
    pub fn otherwise(mut self, algorithm: impl Algorithm + 'static) -> Self {
        self.algorithms.push(Arc::new(algorithm));
        self
    }

    /// Sets the maximum number of joint values of the interface of a sub-model (default 1024). The interface consists of the root of the sub-model,
    /// and of the elements outside the sub-model that the sub-model reads.
    pub fn interface(mut self, values: usize) -> Self {
        self.interface = values;
        self
    }

    /// Sets the limits of expansions of the model and of eliminations (default `1e9` predicted operations). Variable eliminations solve the bodies of
    /// recursive calls and the rest of the model, outside its sub-models.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Algorithm for Strategy {
    fn name(&self) -> &'static str {
        "Strategy"
    }

    fn finds_world(&self) -> bool {
        self.algorithms.iter().all(|first| first.finds_world())
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let finders = (self.algorithms.iter()).partition::<Vec<_>, _>(|a| a.finds_world());
        if let (Some(finder), Some(other)) = (finders.0.first(), finders.1.first()) {
            return Err(Error::invalid_setting(
                self.name(),
                "otherwise",
                format!("{} and {}", finder.name(), other.name()),
                "list only algorithms that find the most probable world, or none of them",
            ));
        }
        self.solve(model, targets, 0)
    }
}

/// A model in which sub-models are replaced by tables of the weights of their root values.
#[derive(Default)]
struct Division {
    solved: Vec<SolvedSubmodel>,
    /// In a search for the most probable world, the most probable worlds found for each solved sub-model.
    worlds: Vec<SubmodelWorlds>,
    reports: Vec<SubmodelSolution>,
    memory: ExpansionCache,
}

impl Division {
    fn has(&self, quality: SubmodelQuality) -> bool {
        self.reports.iter().any(|report| report.quality == quality)
    }
}

/// The attempts of a strategy to answer a question (a model with targets).
#[derive(Default)]
struct Trials {
    choice: AlgorithmChoice,
    /// The best world so far that is not proven to be the most probable.
    unproven: Option<Answer>,
    refusal: Option<Error>,
}

impl Trials {
    /// Records the outcome of an attempt, and returns the answer if no other attempt can improve the answer.
    fn judge(
        &mut self,
        name: &'static str,
        outcome: Result<Answer, Error>,
    ) -> Result<Option<Answer>, Error> {
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error) if is_refusal(&error) => {
                let refused = AttemptOutcome::Refused(reason(&error));
                self.choice.record(name, refused);
                self.refusal = Some(error);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if answer.is_proven() == Ok(false) {
            let reason = "its world is not proven to be the most probable";
            let refused = AttemptOutcome::Refused(reason.into());
            self.choice.record(name, refused);
            self.unproven = Some(match self.unproven.take() {
                Some(best) => better(Ok(best), Ok(answer))?,
                None => answer,
            });
            return Ok(None);
        }
        if !is_informative(&answer) {
            let refused = AttemptOutcome::Refused("its bounds are those of any probability".into());
            self.choice.record(name, refused);
            return Ok(None);
        }
        let (submodels, attempts) = inner_choice(&answer);
        self.choice.submodels = submodels;
        // The list of algorithms names the attempts of a portfolio instead of the portfolio.
        if attempts.is_empty() {
            self.choice.record(name, AttemptOutcome::Answered);
        }
        self.choice.attempts.extend(attempts);
        Ok(Some(answer))
    }
}

impl Strategy {
    /// Returns the kind of query that the algorithms answer.
    fn asked(&self) -> QueryKind {
        if self.finds_world() {
            QueryKind::BestWorld
        } else {
            QueryKind::Sums
        }
    }

    fn solve(
        &self,
        model: &Model,
        targets: &[AnyElement],
        nesting: usize,
    ) -> Result<Answer, Error> {
        let mut trials = Trials::default();
        let mut found = None;
        for (at, algorithm) in self.algorithms.iter().enumerate() {
            found = trials.judge(algorithm.name(), algorithm.answer(model, targets))?;
            if found.is_none()
                && at == 0
                && nesting < MAX_NESTING
                && let Some(outcome) = self.divide(model, targets, nesting).transpose()
            {
                found = trials.judge(self.name(), outcome)?;
            }
            if found.is_some() {
                break;
            }
        }
        let mut choice = trials.choice;
        let answer = match (found, trials.unproven) {
            (Some(answer), _) => answer,
            (None, Some(answer)) => {
                choice.record(answer.algorithm(), AttemptOutcome::Answered);
                choice.submodels = inner_choice(&answer).0;
                answer
            }
            (None, None) => {
                return Err(Error::NothingFits {
                    last: Box::new(trials.refusal.unwrap_or(self.nothing_done())),
                    tried: choice,
                });
            }
        };
        Ok(answer.with_choice(choice, self.limits.clone()))
    }

    /// Answers a question (a model with targets) by the sub-models of its model; `None` if the model has no sub-models.
    fn divide(
        &self,
        model: &Model,
        targets: &[AnyElement],
        nesting: usize,
    ) -> Result<Option<Answer>, Error> {
        let mut division = Division::default();
        let expansion = self.expand(model, targets, nesting, &mut division)?;
        if expansion.impossible().is_some() {
            return Err(conflict::impossible(model, targets, &self.limits));
        }
        // If a sub-model is refused, the sub-models within it are tried.
        let (mut tried, mut refused) = (FxHashSet::default(), FxHashSet::default());
        loop {
            let refused_before = refused.len();
            for submodel in expansion.submodels(self.asked(), self.interface, &refused) {
                let root = submodel.root.id();
                if tried.insert(root) && !self.submodel(model, &submodel, nesting, &mut division)? {
                    refused.insert(root);
                }
            }
            if refused.len() == refused_before {
                break;
            }
        }
        if division.reports.is_empty() {
            return Ok(None);
        }
        let rest = self.expand(model, targets, nesting, &mut division)?;
        let answer = match self.asked() {
            QueryKind::Sums => self.rest(model, targets, &rest, &division)?,
            QueryKind::BestWorld => {
                self.rest_of_world(model, targets, &rest, nesting, &mut division)?
            }
        };
        let choice = AlgorithmChoice {
            submodels: division.reports,
            ..AlgorithmChoice::default()
        };
        Ok(Some(answer.with_choice(choice, self.limits.clone())))
    }

    /// Expands a model, with tables for the sub-models that have been solved. A variable elimination or, if it is refused, the strategy solves the
    /// bodies of recursive calls.
    fn expand(
        &self,
        model: &Model,
        targets: &[AnyElement],
        nesting: usize,
        division: &mut Division,
    ) -> Result<Expansion, Error> {
        let Division {
            solved,
            reports,
            memory,
            ..
        } = division;
        let asked = self.asked();
        Expansion::with_solved(
            model,
            targets,
            &self.limits,
            asked,
            solved,
            memory,
            |body| {
                let weights = match asked {
                    QueryKind::Sums => sums(body, &self.limits).map(|(weights, _)| weights),
                    QueryKind::BestWorld => maxima(body, &self.limits),
                };
                let refused = match weights {
                    Ok(weights) => return Ok(weights),
                    Err(error) if is_refusal(&error) => error,
                    Err(error) => return Err(error),
                };
                let target = &body.elements()[body.targets()[0]];
                let (root, support) = (&target.element, &target.support);
                let found = self.root_weights(&Model::new(), root, support, nesting)?;
                let Some(found) = found.filter(RootWeights::has_no_gaps) else {
                    return Err(refused);
                };
                reports.push(report(root, support.len(), 1, &found.answers));
                let places = (0..support.len()).map(|i| found.support.index_of(support.any(i)));
                Ok(found.weights.gather(&places.collect::<Vec<_>>()))
            },
        )
    }

    fn nothing_done(&self) -> Error {
        Error::NothingDone {
            algorithm: self.name(),
        }
    }
}

/// True if the error states that an algorithm cannot answer within its limits, or cannot answer for this kind of model at all.
fn is_refusal(error: &Error) -> bool {
    let has_nothing = matches!(
        error,
        Error::NothingDone { .. }
            | Error::NoSampleMetEvidence { .. }
            | Error::NoWorldFound { .. }
            | Error::NoWorldDecoded { .. }
            | Error::Model(ModelError::TooDeep { .. })
    );
    has_nothing || error.is_refusal() || error.is_budget() || error.is_stopped()
}

/// False if the answer consists of bounds that exclude no probability of any target.
fn is_informative(answer: &Answer) -> bool {
    let AnswerContent::Bounds(targets, _) = &answer.content else {
        return true;
    };
    let has_weight =
        |target: &TargetBounds| (target.log_lower.iter()).any(|&log| log > f64::NEG_INFINITY);
    targets.is_empty() || targets.iter().any(has_weight)
}

/// Returns the sub-models and the attempts that an answer reports.
fn inner_choice(answer: &Answer) -> (Vec<SubmodelSolution>, Vec<AlgorithmAttempt>) {
    answer.choice().map_or_else(Default::default, |choice| {
        (choice.submodels.clone(), choice.attempts.clone())
    })
}
