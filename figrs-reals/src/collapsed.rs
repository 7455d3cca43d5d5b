//! The algorithm `Collapsed`: a sampler that draws only the elements without closed form.

use std::any::Any;
use std::fmt;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::estimate::Estimate;
use figrs_answer::answer::{Answer, AnswerContent, TargetMarginal};
use figrs_answer::error::Error;
use figrs_answer::run::run_state::{RunState, Turn};
use figrs_answer::run::watch::Watch;
use figrs_core::internals::joint_values;
use figrs_core::{AnyElement, Datum, Limits, Model};
use figrs_factor::Stopped;
use rustc_hash::FxHasher;

use crate::closed_form::closed_form_answer;
use crate::drawn_cases::log_evidences;
use crate::drawn_part::DrawnPart;
use crate::drawn_rest::DrawnRest;

/// A sampler that draws only the elements without closed form and the elements on which they depend.
///
/// Linear normal elements, parameters with conjugate priors, and finite elements that depend on drawn elements are integrated out. Each draw is
/// weighted by the exact probability of the evidence on these elements. Targets that `Collapsed` integrated out are then drawn from their exact
/// distribution given the drawn values. If the finite elements have more joint values than a mixture may have components, the finite elements are
/// drawn too. A model that has a closed form as a whole is answered exactly, without draws.
///
/// The sampler that `Collapsed` wraps is `ImportanceSampling` or `MetropolisHastings`. The weights of draws by `Collapsed` vary less than those of
/// the wrapped sampler alone; therefore fewer draws give the same accuracy. Each draw by `Collapsed` takes longer, because its weight is the evidence
/// of a model in closed form.
///
/// [`RunStatistics::integrated_out`](figrs_answer::RunStatistics::integrated_out) is the number of elements that were integrated out.
///
/// **Guarantee.** The guarantee of `Collapsed` is that of the wrapped sampler. After the deadline or the interrupt of the sampler, targets that were
/// integrated out are not drawn any more. Their marginals then come from fewer draws, and the run statistics state the reason.
///
/// **Complexity.** Each step of `MetropolisHastings` computes an answer in closed form about the elements that are integrated out.
/// `ImportanceSampling` weighs up to 128 draws together: the draws share the search for the closed form and the elimination order, and each draw
/// takes the arithmetic of one elimination. With `ImportanceSampling`, the draws of targets that were integrated out also share the search for the
/// closed form and the elimination order. The draws of a group are weighed one by one if they have no common closed form, or if a common elimination
/// would be larger than their own eliminations together, because a finite element that is integrated out depends on several drawn elements.
///
/// **Errors.** [`Error::NotClosedForm`] if an element without closed form is created within a `Chain`, if the function of a drawn `Chain` depends on
/// unknown elements, or if a target is a parameter with a conjugate prior; [`Error::InvalidSetting`] for any other sampler; the errors of the wrapped
/// sampler.
///
/// **References.** Casella and Robert, *Rao-Blackwellisation of sampling schemes*, 1996; Murray et al., *Delayed sampling and automatic
/// Rao-Blackwellization of probabilistic programs*, 2018.
///
/// ```
/// # use figrs_core::{Gamma, Model, Normal, Rate, Variance};
/// # use figrs_infer::{ImportanceSampling, Run};
/// # use figrs_reals::Collapsed;
/// // A level, and readings whose noise is not known: the noise is drawn, the level is integrated out.
/// let level = Normal::new(0.0, Variance(100.0));
/// let noise = Gamma::new(2.0, Rate(1.0));
/// let model = [4.9, 5.3, 4.6].into_iter().fold(Model::new(), |model, reading| {
///     model.observe(&Normal::new(&level, Variance(&noise)), reading)
/// });
/// let answer = Collapsed(ImportanceSampling::new(2000)).run(&model, (&level, &noise))?;
/// println!("{}", answer.summary(&level)?);
/// assert!((answer.mean(&level)? - 4.9).abs() < 0.1);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Collapsed<A>(pub A);

impl<A: Algorithm> Algorithm for Collapsed<A> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let Some(question) = CollapsedQuestion::of(self.name(), model, targets)? else {
            return self.0.answer(model, targets);
        };
        if question.part.elements.is_empty() {
            return closed_form_answer(self.name(), (model, targets), &Limits::default());
        }
        let watching = self
            .0
            .own_watch()
            .map(|watch| watch.start(self.name(), None));
        let until = watching.as_ref().map(|run| run.until().clone());
        let limits = Limits::default().until(&until.unwrap_or_default());
        let (weighed, drawn) = question.weighed();
        let answer = question.finish(self.0.answer(&weighed, &drawn), &limits)?;
        Ok(answer.with_mapped_run(move |inner| {
            let question = question.clone();
            Box::new(CollapsedRun { inner, question })
        }))
    }

    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        let Some(question) = CollapsedQuestion::of(self.name(), model, targets)? else {
            return self.0.begin(model, targets);
        };
        if question.part.elements.is_empty() {
            return Err(Error::NotInAnswer {
                algorithm: "Collapsed",
                asked: "draws, because the model has a closed form",
                remedy: "use `run`",
            });
        }
        let (weighed, drawn) = question.weighed();
        let inner = self.0.begin(&weighed, &drawn)?;
        Ok(Box::new(CollapsedRun { inner, question }))
    }
}

/// A query whose elements with a closed form are integrated out, while the other elements are drawn.
#[derive(Clone)]
struct CollapsedQuestion {
    sampler: &'static str,
    part: Arc<DrawnPart>,
    asked: Arc<(Model, Vec<AnyElement>)>,
    /// The first error that occurred during the run in an answer in closed form.
    failed: Arc<Mutex<Option<Error>>>,
}

impl CollapsedQuestion {
    /// Divides the elements of the query into drawn elements and integrated elements; returns `None` if no element has a closed form.
    fn of(
        sampler: &'static str,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Option<Self>, Error> {
        let part = DrawnPart::find(model, targets, &Limits::default())?;
        Ok(part.map(|part| Self {
            sampler,
            part: Arc::new(part),
            asked: Arc::new((model.clone(), targets.to_vec())),
            failed: Arc::default(),
        }))
    }

    /// Returns the model of the drawn elements, whose weights include the evidence on the elements that are integrated out; also returns the targets
    /// of the sampler.
    fn weighed(&self) -> (Model, Vec<AnyElement>) {
        let (model, targets) = &*self.asked;
        let joint = joint_values(self.part.elements.clone());
        let drawn = targets.iter().filter(|t| self.part.has(t));
        let mut drawn: Vec<AnyElement> = drawn.cloned().collect();
        drawn.push(joint.erased().clone());
        let (part, failed) = (Arc::clone(&self.part), Arc::clone(&self.failed));
        let all = model.clone();
        let log_weights = move |values: &[&Vec<Datum>]| {
            log_evidences(&part, &all, values, |error| {
                let mut first = failed.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
            })
        };
        let weighed = self.part.own(model);
        let weighed = weighed.log_weigh_together(&joint, log_weights);
        (weighed, drawn)
    }

    /// Adds the targets that were integrated out to the answer of the sampler.
    fn finish(&self, answer: Result<Answer, Error>, limits: &Limits) -> Result<Answer, Error> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &*failed {
            return Err(error.clone());
        }
        drop(failed);
        let (model, targets) = &*self.asked;
        self.with_rest(answer?, (model, targets), limits)
    }

    /// Replaces the last target of `answer`, which has the joint values of the drawn elements, by the targets that were integrated out.
    fn with_rest(
        &self,
        mut answer: Answer,
        (model, targets): (&Model, &[AnyElement]),
        limits: &Limits,
    ) -> Result<Answer, Error> {
        let part = &self.part;
        let AnswerContent::Marginals(marginals, _) = &mut answer.content else {
            return Err(self.unsuited());
        };
        let joint = marginals.pop().ok_or_else(|| self.unsuited())?;
        let own = part.targets_of_rest(targets);
        let mut random = figrs_core::stream(seed_of(&joint), 1);
        let counts = self.draws_of_values(&joint)?;
        let question = (model, &own[..]);
        let rest = DrawnRest::new(part, question, (&joint, &counts), &mut random, limits)?;
        let of_rest = own.iter().enumerate();
        marginals.extend(of_rest.map(|(place, target)| rest.marginal(target, place, &joint)));
        if let Some(statistics) = answer.sampling() {
            let mut statistics = statistics.clone();
            statistics.integrated_out = Some(part.integrated_out);
            if rest.is_cut && statistics.stopped == Stopped::Finished {
                statistics.stopped = limits.until.stopped().unwrap_or(Stopped::Deadline);
            }
            answer = answer.with_sampling(statistics);
        }
        Ok(answer)
    }

    /// For each joint value of the drawn elements, returns how often the integrated elements must be drawn.
    fn draws_of_values(&self, joint: &TargetMarginal) -> Result<Vec<usize>, Error> {
        match &joint.estimate {
            // The number of draws of a value is about the number of equal weights that have the same sum and the same sum of squares as the weights
            // of this value.
            Estimate::Weighted { squares, .. } => {
                let count = |(p, square): (&f64, &f64)| match *square > 0.0 {
                    true => ((p * p / square).round() as usize).max(1),
                    false => 0,
                };
                Ok(joint.probabilities.iter().zip(squares).map(count).collect())
            }
            Estimate::Chains { indices, .. } => {
                let mut counts = vec![0; joint.support.len()];
                for &index in indices.iter() {
                    counts[index as usize] += 1;
                }
                Ok(counts)
            }
            _ => Err(self.unsuited()),
        }
    }

    fn unsuited(&self) -> Error {
        Error::InvalidSetting {
            algorithm: "Collapsed",
            setting: "sampler",
            value: self.sampler.to_owned(),
            remedy: "use ImportanceSampling or MetropolisHastings",
        }
    }
}

/// The state of a run of [`Collapsed`], which is the state of the wrapped sampler.
#[derive(Debug)]
struct CollapsedRun {
    inner: Box<dyn RunState>,
    question: CollapsedQuestion,
}

impl fmt::Debug for CollapsedQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollapsedQuestion").finish_non_exhaustive()
    }
}

impl RunState for CollapsedRun {
    fn algorithm(&self) -> &'static str {
        self.inner.algorithm()
    }

    fn asked(&self) -> Option<u64> {
        self.inner.asked()
    }

    fn watch(&self) -> &Watch {
        self.inner.watch()
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        self.inner.advance(turn)
    }

    fn answer(&self, stopped: Stopped) -> Result<Answer, Error> {
        let answer = self.inner.answer(stopped);
        let answer = self.question.finish(answer, &Limits::default())?;
        Ok(answer.with_question(Arc::clone(&self.question.asked)))
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        self.inner.extend(more)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Returns a seed for the draws of the integrated elements; the seed depends on the draws of the sampler.
fn seed_of(joint: &TargetMarginal) -> u64 {
    let mut hasher = FxHasher::default();
    for (value, p) in joint.probabilities.iter().enumerate() {
        hasher.write_u64(joint.support.datum(value).digest());
        hasher.write_u64(p.to_bits());
    }
    hasher.finish()
}
