//! Strategies: a list of algorithms for a model, which are applied to its sub-models if the whole model is too costly.

use std::sync::Arc;

use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::bounds::TargetBounds;
use figrs_answer::answer::choice::{
    AlgorithmAttempt, AlgorithmChoice, AttemptOutcome, SubmodelQuality, SubmodelSolution,
};
use figrs_answer::answer::estimate::Estimate;
use figrs_answer::answer::{Answer, AnswerContent};
use figrs_answer::conflict;
use figrs_answer::error::Error;
use figrs_answer::limits::{expand, sums};
use figrs_core::expand::{Expansion, ExpansionCache, SolvedSubmodel, Submodel};
use figrs_core::{AnyElement, Limits, Model, ModelError, Support};
use figrs_factor::graph::{Assignments, Weights, WeightsBuilder};
use rustc_hash::FxHashSet;

use crate::bounded_sums::bounded_sums;
use crate::portfolio::{Exact, reason};
use crate::variable_elimination::marginals;

/// Default of the maximum number of joint values of an interface.
const INTERFACE: usize = 1024;
/// Default of the maximum number of predicted operations of one elimination: for the rest of a model, or for the body of a recursive call.
const WORK: f64 = 1e9;
/// Maximum nesting depth of sub-models.
const MAX_NESTING: usize = 16;

/// A strategy: algorithms that are tried one after another, first on the whole model, and then on each of its sub-models.
///
/// If the first algorithm refuses the model, the model is divided into sub-models. A sub-model consists of the elements that the rest of the model
/// reaches only through one element (the root of the sub-model): for example the body of a Chain, a member of a collection with the elements of its
/// own, or a call of a [`Recursive`](figrs_core::Recursive) function. The interface of a sub-model consists of its root and of the elements of the
/// rest that the sub-model reads. If the interface is small, the strategy computes the distribution of the root for each joint value of these
/// elements of the rest: by the first algorithm, or else by sub-models of the sub-model, or else by the next algorithm. An elimination solves the
/// rest of the model, with a table in place of each sub-model. If there are no sub-models, or the elimination of the rest is refused, the next
/// algorithm is tried on the whole model.
///
/// Each algorithm has its own limits of memory, work and time, which apply to each sub-model.
///
/// [`Answer::choice`] lists the algorithms that were tried on the whole model, and [`AlgorithmChoice::submodels`] states the algorithm that solved
/// each sub-model.
///
/// **Guarantee.** The answer is exact if each sub-model was solved exactly. If some sub-models have bounds, and the other sub-models were solved
/// exactly, the answer contains bounds that enclose the exact probabilities, up to rounding. If a sub-model was solved by sampling or by an
/// approximation, the answer is [approximate](figrs_answer::Quality::Approximate), and has no probability of the evidence. Evidence is never inside a
/// sub-model; errors of samplers therefore do not depend on the evidence of the rest.
///
/// **Complexity.** The algorithms solve each sub-model once for each joint value of the elements that it reads. An elimination of the rest adds its
/// work. At most 16 sub-models are nested in each other.
///
/// **Errors.** [`Error::NothingFits`] if all algorithms refuse; the errors of the model.
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

    /// Adds an algorithm, which is tried if the algorithms before it and a division into sub-models fail.
    pub fn otherwise(mut self, algorithm: impl Algorithm + 'static) -> Self {
        self.algorithms.push(Arc::new(algorithm));
        self
    }

    /// Sets the maximum number of joint values of the interface of a sub-model (default 1024). The interface consists of the root of the sub-model
    /// and of the elements outside that it reads.
    pub fn interface(mut self, values: usize) -> Self {
        self.interface = values;
        self
    }

    /// Sets the limits of expansions and of eliminations (default `1e9` predicted operations). Eliminations solve the rest of the model and recursive
    /// calls.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Algorithm for Strategy {
    fn name(&self) -> &'static str {
        "Strategy"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.solve(model, targets, 0)
    }
}

/// A model in which sub-models are replaced by their distributions.
#[derive(Default)]
struct Division {
    solved: Vec<SolvedSubmodel>,
    reports: Vec<SubmodelSolution>,
    memory: ExpansionCache,
}

impl Division {
    fn has(&self, quality: SubmodelQuality) -> bool {
        self.reports.iter().any(|report| report.quality == quality)
    }
}

struct RootDistribution {
    support: Support,
    weights: Weights,
    unknown: f64,
}

impl Strategy {
    fn solve(
        &self,
        model: &Model,
        targets: &[AnyElement],
        nesting: usize,
    ) -> Result<Answer, Error> {
        let mut choice = AlgorithmChoice::default();
        let mut refusal = None;
        for (at, algorithm) in self.algorithms.iter().enumerate() {
            match algorithm.answer(model, targets) {
                Ok(answer) if is_informative(&answer) => {
                    choice.record(algorithm.name(), AttemptOutcome::Answered);
                    let (submodels, attempts) = inner_choice(&answer);
                    choice.submodels = submodels;
                    // The list of algorithms names the attempts of a portfolio instead of the portfolio.
                    if !attempts.is_empty() {
                        choice.attempts.pop();
                        choice.attempts.extend(attempts);
                    }
                    return Ok(answer.with_choice(choice, self.limits.clone()));
                }
                Ok(_) => {
                    let reason = AttemptOutcome::Refused("its bounds state nothing".into());
                    choice.record(algorithm.name(), reason);
                }
                Err(error) if is_refusal(&error) => {
                    choice.record(algorithm.name(), AttemptOutcome::Refused(reason(&error)));
                    refusal = Some(error);
                }
                Err(error) => return Err(error),
            }
            if at == 0 && nesting < MAX_NESTING {
                match self.divide(model, targets, nesting, &mut choice) {
                    Ok(Some(answer)) => {
                        return Ok(answer.with_choice(choice, self.limits.clone()));
                    }
                    Ok(None) => {}
                    Err(error) if is_refusal(&error) => {
                        let outcome = AttemptOutcome::Refused(reason(&error));
                        choice.record(self.name(), outcome);
                    }
                    Err(error) => return Err(error),
                }
                choice.submodels.clear();
            }
        }
        Err(Error::NothingFits {
            last: Box::new(refusal.unwrap_or(self.nothing_done())),
            tried: choice,
        })
    }

    /// Answers a question by its sub-models; `None` if it has none.
    fn divide(
        &self,
        model: &Model,
        targets: &[AnyElement],
        nesting: usize,
        choice: &mut AlgorithmChoice,
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
            for submodel in expansion.submodels(self.interface, &refused) {
                let root = submodel.root.id();
                if !tried.insert(root) {
                    continue;
                }
                match self.submodel(model, &submodel, nesting, &mut division)? {
                    Some(solved) => division.solved.push(solved),
                    None => {
                        refused.insert(root);
                    }
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
        let answer = self.rest(model, targets, &rest, &division)?;
        choice.submodels = division.reports;
        choice.record(self.name(), AttemptOutcome::Answered);
        Ok(Some(answer))
    }

    /// Expands a model, with tables for the sub-models that have been solved. An elimination, or else the strategy, solves the bodies of recursive
    /// calls.
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
        } = division;
        Expansion::with_solved(model, targets, &self.limits, solved, memory, |body| {
            let refused = match sums(body, &self.limits) {
                Ok((weights, _)) => return Ok(weights),
                Err(error) if is_refusal(&error) => error,
                Err(error) => return Err(error),
            };
            let target = &body.elements()[body.targets()[0]];
            let answer = self.solve(
                &Model::new(),
                std::slice::from_ref(&target.element),
                nesting + 1,
            )?;
            let found = root_distribution(&answer).filter(|found| found.unknown == 0.0);
            let Some(found) = found else {
                return Err(refused);
            };
            reports.push(report(&target.element, target.support.len(), 1, &[&answer]));
            let places = 0..target.support.len();
            let places = places.map(|i| found.support.index_of(target.support.any(i)));
            Ok(found.weights.gather(&places.collect::<Vec<_>>()))
        })
    }

    /// Solves a sub-model for each joint value of the elements outside that it reads; `None` if no algorithm solves it.
    fn submodel(
        &self,
        model: &Model,
        submodel: &Submodel,
        nesting: usize,
        division: &mut Division,
    ) -> Result<Option<SolvedSubmodel>, Error> {
        let mut rows: Vec<RootDistribution> = Vec::new();
        let mut answers = Vec::new();
        let all = Assignments::rows(submodel.outer.iter().map(|(_, support)| support.len()));
        let mut values = vec![0; submodel.outer.len()];
        loop {
            let mut given = model.filtered(|_| false);
            for ((read, support), &value) in submodel.outer.iter().zip(&values) {
                given = given.intervene_any(read, support.datum(value as usize));
            }
            let root = [submodel.root.clone()];
            let answer = match self.solve(&given, &root, nesting + 1) {
                Ok(answer) => answer,
                Err(error) if is_refusal(&error) => return Ok(None),
                Err(error) => return Err(error),
            };
            let Some(mut found) = root_distribution(&answer) else {
                return Ok(None);
            };
            if (0..found.weights.len()).any(|i| found.weights.is_zero(i)) {
                self.restore_small_weights(&given, &root, &mut found)?;
            }
            // A table has no column for the value `unknown`.
            if found.unknown > 0.0 && !values.is_empty() {
                return Ok(None);
            }
            rows.push(found);
            answers.push(answer);
            if all.advance(&mut values).is_none() {
                break;
            }
        }
        let mut support = submodel.root.no_values();
        for row in &rows {
            for i in 0..row.support.len() {
                support.insert(row.support.any(i));
            }
        }
        let support = support.build();
        let mut weights = WeightsBuilder::default();
        for row in &rows {
            let places = (0..support.len()).map(|i| row.support.index_of(support.any(i)));
            let moved = row.weights.gather(&places.collect::<Vec<_>>());
            weights.extend(&moved, 0..support.len());
            if row.unknown > 0.0 {
                weights.push(row.unknown);
            }
        }
        let answers: Vec<&Answer> = answers.iter().collect();
        let (interface, count) = (submodel.interface, rows.len());
        (division.reports).push(report(&submodel.root, interface, count, &answers));
        Ok(Some(SolvedSubmodel {
            root: submodel.root.clone(),
            outer: submodel.outer.clone(),
            support,
            weights: weights.build(),
        }))
    }

    /// Recomputes an exact distribution with weights of zero by an elimination in logarithms, if the limits allow it, because these weights may be
    /// too small for floating-point numbers.
    fn restore_small_weights(
        &self,
        model: &Model,
        root: &[AnyElement],
        found: &mut RootDistribution,
    ) -> Result<(), Error> {
        let weights = expand(&self.limits, model, root).and_then(|expansion| {
            let (weights, _) = sums(&expansion, &self.limits)?;
            Ok((expansion, weights))
        });
        match weights {
            Ok((expansion, weights)) => {
                let support = &expansion.elements()[expansion.targets()[0]].support;
                let places = 0..found.support.len();
                let places = places.map(|i| support.index_of(found.support.any(i)));
                let restored = weights.gather(&places.collect::<Vec<_>>());
                let choose = |i: usize| {
                    let weights = if found.weights.is_zero(i) {
                        &restored
                    } else {
                        &found.weights
                    };
                    weights.log(i)
                };
                let logs = (0..found.weights.len()).map(choose).collect();
                found.weights = Weights::from_logs(logs);
                Ok(())
            }
            Err(error) if is_refusal(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn nothing_done(&self) -> Error {
        Error::NothingDone {
            algorithm: self.name(),
        }
    }

    /// Solves the rest of a model, with tables in place of its sub-models.
    fn rest(
        &self,
        model: &Model,
        targets: &[AnyElement],
        rest: &Expansion,
        division: &Division,
    ) -> Result<Answer, Error> {
        let is_approximate = division.has(SubmodelQuality::Approximate);
        if rest.is_complete() || rest.impossible().is_some() {
            let mut answer = match marginals(self.name(), model, targets, rest, &self.limits) {
                // A sampler may have missed the values that satisfy the evidence.
                Err(Error::ImpossibleEvidence { .. }) if is_approximate => {
                    return Err(self.nothing_done());
                }
                outcome => outcome?,
            };
            // Derivatives with respect to parameters would need the sub-models.
            answer.answered = None;
            if let (AnswerContent::Marginals(found, log_evidence), true) =
                (&mut answer.content, is_approximate)
            {
                *log_evidence = None;
                for target in found {
                    target.estimate = Estimate::Approximate;
                }
            }
            return Ok(answer);
        }
        if is_approximate {
            return Err(self.nothing_done());
        }
        match bounded_sums(rest, &self.limits, &mut 0.0)? {
            Some((bounds, log_evidence)) => {
                Ok(Answer::bounded_marginals(self.name(), bounds, log_evidence))
            }
            None => Err(conflict::impossible(model, targets, &self.limits)),
        }
    }
}

/// True if the error states that an algorithm cannot answer within its limits, or cannot answer such a model at all.
fn is_refusal(error: &Error) -> bool {
    let cannot = matches!(
        error,
        Error::NothingDone { .. }
            | Error::NoSampleMetEvidence { .. }
            | Error::NotClosedForm { .. }
            | Error::Model(
                ModelError::NotFinite { .. }
                    | ModelError::Unbounded { .. }
                    | ModelError::TooDeep { .. }
            )
    );
    cannot || error.is_budget() || error.is_stopped()
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

/// Returns the distribution of the only target of a question without evidence, from its answer.
fn root_distribution(answer: &Answer) -> Option<RootDistribution> {
    match &answer.content {
        AnswerContent::Marginals(targets, _) => {
            let target = targets.first()?;
            Some(RootDistribution {
                support: target.support.clone(),
                weights: Weights::from_linear(target.probabilities.clone()),
                unknown: 0.0,
            })
        }
        // A table has a row for a value, and not for a cell.
        AnswerContent::Bounds(targets, _) => {
            let target = targets.first().filter(|target| target.cells.is_empty())?;
            let weights: Vec<f64> = target.log_lower.iter().map(|log| log.exp()).collect();
            let unknown = (1.0 - weights.iter().sum::<f64>()).max(0.0);
            Some(RootDistribution {
                support: target.support.clone(),
                weights: Weights::from_linear(weights),
                unknown,
            })
        }
        AnswerContent::World(..) => None,
    }
}

/// Returns the sub-models and the attempts that an answer lists.
fn inner_choice(answer: &Answer) -> (Vec<SubmodelSolution>, Vec<AlgorithmAttempt>) {
    answer.choice().map_or_else(Default::default, |choice| {
        (choice.submodels.clone(), choice.attempts.clone())
    })
}

/// Returns the report about a sub-model, from the answers for all joint values of the elements outside that it reads.
fn report(
    root: &AnyElement,
    interface: usize,
    rows: usize,
    answers: &[&Answer],
) -> SubmodelSolution {
    let mut solution = SubmodelSolution::new(root.label().to_string(), interface, rows);
    for answer in answers {
        solution.add(answer);
    }
    solution
}
