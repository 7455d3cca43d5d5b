//! `Collapsed`: a sampler that draws only the elements without closed form.

use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::estimate::Estimate;
use figrs_answer::answer::{Answer, AnswerContent, TargetMarginal};
use figrs_answer::error::Error;
use figrs_core::internals::joint_values;
use figrs_core::{AnyElement, Datum, Limits, Model};
use figrs_factor::Stopped;
use rustc_hash::FxHasher;

use crate::closed_form::closed_form_answer;
use crate::drawn_part::DrawnPart;
use crate::drawn_rest::DrawnRest;

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
/// **Guarantee.** The guarantee is that of the wrapped sampler. After the deadline or the interrupt of the sampler, no more targets that were
/// integrated out are drawn: their marginals come from fewer draws, and the run statistics state the reason.
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
        let watching = self.0.watch().map(|watch| watch.start(self.name(), None));
        let until = watching.as_ref().map(|run| run.until().clone());
        let limits = Limits::default();
        let Some(part) = DrawnPart::find(model, targets, &limits)? else {
            return self.0.answer(model, targets);
        };
        if part.elements.is_empty() {
            return closed_form_answer(self.name(), (model, targets), &limits);
        }
        let joint = joint_values(part.elements.clone());
        let mut drawn: Vec<AnyElement> = targets.iter().filter(|t| part.has(t)).cloned().collect();
        drawn.push(joint.erased().clone());
        let failed: Arc<Mutex<Option<Error>>> = Arc::default();
        let part = Arc::new(part);
        let log_weight = {
            let (part, model, failed) = (Arc::clone(&part), model.clone(), Arc::clone(&failed));
            move |values: &Vec<Datum>| match log_evidence(&part, &model, values) {
                Ok(log) => log,
                Err(error) => {
                    let mut first = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    first.get_or_insert(error);
                    f64::NEG_INFINITY
                }
            }
        };
        let weighed = part.own(model).log_weigh(&joint, log_weight);
        let answer = self.0.answer(&weighed, &drawn);
        let error = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(error) = error {
            return Err(error);
        }
        let limits = limits.until(&until.unwrap_or_default());
        self.with_rest(answer?, &part, (model, targets), &limits)
    }
}

impl<A: Algorithm> Collapsed<A> {
    /// Replaces the joint values of the drawn elements (the last target of an answer) by the targets that were integrated out.
    fn with_rest(
        &self,
        mut answer: Answer,
        part: &DrawnPart,
        (model, targets): (&Model, &[AnyElement]),
        limits: &Limits,
    ) -> Result<Answer, Error> {
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
            value: self.name().to_owned(),
            remedy: "use ImportanceSampling or MetropolisHastings",
        }
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
