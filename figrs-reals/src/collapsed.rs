//! `Collapsed`: a sampler that draws only the elements without closed form.

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
use figrs_core::{AnyElement, Datum, Limits, Model, Stream, SupportBuilder};
use figrs_factor::Stopped;
use figrs_gaussian::{Draws, Elimination};
use rustc_hash::FxHasher;

use crate::closed_form::{
    MAX_COMPONENTS, RealTarget, closed_form_answer, explained, impossible, real_targets,
};
use crate::drawn_part::DrawnPart;
use crate::hybrid_model::HybridModel;
use crate::hybrid_world::{HybridWorld, finite_targets};
use crate::scan::Scan;

/// A sampler that draws only the elements without closed form, and the elements on which they depend.
///
/// Linear normal elements, parameters with conjugate priors, and finite elements that depend on drawn elements are integrated out: each draw is
/// weighted by the exact probability of the evidence on them. Targets that were integrated out are drawn from their exact distribution given each
/// draw. If the finite elements have more joint values than a mixture may have components, the finite elements are drawn too. A model that has a
/// closed form as a whole is answered exactly, without draws.
///
/// The wrapped sampler is `ImportanceSampling` or `MetropolisHastings`. The weights vary less than those of the wrapped sampler alone, so that fewer
/// draws are needed for the same accuracy. Each draw takes longer, because it needs an answer in closed form.
///
/// [`RunStatistics::integrated_out`](figrs_answer::RunStatistics::integrated_out) is the number of elements that were integrated out.
///
/// **Guarantee.** The guarantee is that of the wrapped sampler.
///
/// **Complexity.** Each draw takes an answer in closed form about the elements that are integrated out.
///
/// **Errors.** The errors of the wrapped sampler; [`Error::NotClosedForm`] if an element without closed form is made within a Chain, if it is not
/// known which elements the function of a drawn Chain reads, or if a target is a parameter of a conjugate family; [`Error::InvalidSetting`] for any other sampler.
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
        let (weighed, drawn) = question.weighed();
        let answer = question.finish(self.0.answer(&weighed, &drawn))?;
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

/// A query whose elements with closed form are integrated out.
#[derive(Clone)]
struct CollapsedQuestion {
    /// The name of the sampler.
    sampler: &'static str,
    part: Arc<DrawnPart>,
    asked: Arc<(Model, Vec<AnyElement>)>,
    /// The first error of an answer in closed form.
    failed: Arc<Mutex<Option<Error>>>,
}

impl CollapsedQuestion {
    /// Divides the elements of the query; returns `None` if no element has a closed form.
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

    /// Returns the model of the drawn elements, weighted by the evidence on the others, and the targets of the sampler.
    fn weighed(&self) -> (Model, Vec<AnyElement>) {
        let (model, targets) = &*self.asked;
        let joint = joint_values(self.part.elements.clone());
        let drawn = targets.iter().filter(|t| self.part.has(t));
        let mut drawn: Vec<AnyElement> = drawn.cloned().collect();
        drawn.push(joint.erased().clone());
        let (part, failed) = (Arc::clone(&self.part), Arc::clone(&self.failed));
        let all = model.clone();
        let log_weight = move |values: &Vec<Datum>| match log_evidence(&part, &all, values) {
            Ok(log) => log,
            Err(error) => {
                let mut first = failed.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
                f64::NEG_INFINITY
            }
        };
        let weighed = self.part.own(model).log_weigh(&joint, log_weight);
        (weighed, drawn)
    }

    /// Adds the elements that were integrated out to the answer of the sampler.
    fn finish(&self, answer: Result<Answer, Error>) -> Result<Answer, Error> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &*failed {
            return Err(error.clone());
        }
        drop(failed);
        let (model, targets) = &*self.asked;
        self.with_rest(answer?, (model, targets), &Limits::default())
    }

    /// Replaces the joint values of the drawn elements (the last target of an answer) by the targets that were integrated out.
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
        if let Some(statistics) = answer.sampling() {
            let mut statistics = statistics.clone();
            statistics.integrated_out = Some(part.integrated_out);
            answer = answer.with_sampling(statistics);
        }
        let own = part.targets_of_rest(targets);
        let AnswerContent::Marginals(marginals, _) = &mut answer.content else {
            return Err(self.unsuited());
        };
        let mut random = figrs_core::stream(seed_of(&joint), 1);
        let drawn = joint.support.len();
        let mut rests: Vec<Vec<Vec<Datum>>> = Vec::with_capacity(drawn);
        let counts = self.draws_of_values(&joint)?;
        for (value, &count) in counts.iter().enumerate() {
            let values = joint.support.any(value).downcast_ref::<Vec<Datum>>();
            let Some(values) = values.filter(|_| count > 0) else {
                rests.push(Vec::new());
                continue;
            };
            let rest = part.rest(model, values);
            rests.push(draws_of_rest((&rest, &own), count, &mut random, limits)?);
        }
        for (place, target) in own.iter().enumerate() {
            marginals.push(marginal_of_rest(target, place, &joint, &rests));
        }
        Ok(answer)
    }

    /// Returns, for each joint value of the drawn elements, the number of draws of the elements that were integrated out.
    fn draws_of_values(&self, joint: &TargetMarginal) -> Result<Vec<usize>, Error> {
        match &joint.estimate {
            // The draws of a value are about as many as equal weights with the same sum and the same sum of squares.
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

/// The state of a run of [`Collapsed`]: that of the sampler.
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
        let answer = self.question.finish(self.inner.answer(stopped))?;
        Ok(answer.with_question(Arc::clone(&self.question.asked)))
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        self.inner.extend(more)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Returns a seed for the draws of the elements that are integrated out, so that runs with other seeds of the sampler have other draws.
fn seed_of(joint: &TargetMarginal) -> u64 {
    let mut hasher = FxHasher::default();
    for (value, p) in joint.probabilities.iter().enumerate() {
        hasher.write_u64(joint.support.datum(value).digest());
        hasher.write_u64(p.to_bits());
    }
    hasher.finish()
}

/// Returns the logarithm of the probability of the evidence on the elements that are integrated out, given the values of the drawn elements.
fn log_evidence(part: &DrawnPart, model: &Model, values: &[Datum]) -> Result<f64, Error> {
    let rest = part.rest(model, values);
    match closed_form_answer("Collapsed", (&rest, &[]), &Limits::default()) {
        Ok(answer) => Ok(answer.log_evidence().map_or(0.0, |evidence| evidence.value)),
        Err(Error::ImpossibleEvidence { .. }) => Ok(f64::NEG_INFINITY),
        // A sampler may propose values that the distributions of the drawn elements exclude.
        Err(_) if !part.is_possible(values) => Ok(f64::NEG_INFINITY),
        Err(error) => Err(error),
    }
}

/// Returns draws of some elements from their joint distribution in closed form.
fn draws_of_rest(
    (model, targets): (&Model, &[AnyElement]),
    count: usize,
    random: &mut Stream,
    limits: &Limits,
) -> Result<Vec<Vec<Datum>>, Error> {
    let mut scan = Scan::new(model, targets, limits);
    scan.run()?;
    let mut hybrid = HybridModel::new(scan, model, targets, limits)?;
    let reals = real_targets(&mut hybrid, targets)?;
    if let Some(place) = reals
        .iter()
        .position(|real| real.as_ref().is_some_and(RealTarget::is_parameter))
    {
        let problem = "it is a parameter with a conjugate prior, which `Collapsed` integrates out and does not draw; ask for other targets, or use the sampler alone";
        return Err(crate::scan::not_closed(&targets[place], problem.to_owned()));
    }
    let finite = finite_targets(&mut hybrid, targets, &reals);
    let explain = |error| explained(&hybrid, error);
    let elimination = Elimination::run(&hybrid.graph, MAX_COMPONENTS, &limits.until);
    let elimination = elimination.map_err(explain)?;
    let mut draws = Draws::new(&elimination, limits).map_err(explain)?;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let drawn = draws.draw(random);
        let (values, vectors) = drawn.ok_or_else(|| impossible(model))?;
        let world = HybridWorld::new(&hybrid, values, vectors);
        all.push(world.target_values(targets, &reals, &finite));
    }
    Ok(all)
}

/// Returns the marginal of an element that was integrated out: its values for one joint value of the drawn elements share the weight of this joint
/// value.
fn marginal_of_rest(
    target: &AnyElement,
    place: usize,
    joint: &TargetMarginal,
    rests: &[Vec<Vec<Datum>>],
) -> TargetMarginal {
    let mut values: SupportBuilder = target.no_values();
    let mut index = |datum: &Datum| values.insert(datum.as_any()).unwrap_or_default() as u32;
    let indices: Vec<Vec<u32>> = rests
        .iter()
        .map(|draws| draws.iter().map(|draw| index(&draw[place])).collect())
        .collect();
    let mut probabilities = vec![0.0; values.len()];
    for (&p, indices) in joint.probabilities.iter().zip(&indices) {
        for &index in indices {
            probabilities[index as usize] += p / indices.len() as f64;
        }
    }
    let estimate = match &joint.estimate {
        Estimate::Chains {
            indices: drawn,
            chains,
        } => {
            let mut next = vec![0; indices.len()];
            let each = drawn.iter().map(|&value| {
                let place = &mut next[value as usize];
                *place += 1;
                indices[value as usize][*place - 1]
            });
            Estimate::Chains {
                indices: each.collect(),
                chains: *chains,
            }
        }
        estimate => {
            let mut squares = vec![0.0; values.len()];
            let (own, unseen) = match estimate {
                Estimate::Weighted { squares, unseen } => (&squares[..], *unseen),
                _ => (&[][..], f64::INFINITY),
            };
            for (&square, indices) in own.iter().zip(&indices) {
                for &index in indices {
                    squares[index as usize] += square / indices.len() as f64;
                }
            }
            Estimate::Weighted { squares, unseen }
        }
    };
    TargetMarginal {
        element: target.clone(),
        support: values.build(),
        probabilities,
        estimate,
    }
}
