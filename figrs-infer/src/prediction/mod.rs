//! Posterior predictive draws: draws of a random variable given the posterior of the targets of an answer.

use std::marker::PhantomData;

use figrs_core::graph::EvidenceRole;
use figrs_core::{AnyElement, Datum, Element, Model, ModelError, Value, stream};
use indexmap::IndexMap;
use rand::{Rng, RngExt};
use rustc_hash::{FxBuildHasher, FxHashSet};

use figrs_answer::{Answer, Error, Run, guarded};
mod joint_posterior;
use crate::sampling::forward::ForwardSampling;
use figrs_exact::dependencies::dependency_graph;
use figrs_exact::variable_elimination::VariableElimination;
use joint_posterior::{JointPosterior, JointRow};

/// The posterior predictive distribution of an element, given the posterior of the targets of an answer.
///
/// The method [`Answer::predict`] builds the posterior predictive distribution.
#[derive(Clone, Debug)]
pub struct Predictive<T> {
    element: AnyElement,
    /// The model of the answer without its evidence.
    prior: Model,
    posterior: JointPosterior,
    /// The random variables whose values follow from the values of the targets, including the targets.
    decided: Vec<AnyElement>,
    conditioning: Conditioning,
    value: PhantomData<fn() -> T>,
}

/// The method by which the predicted element is drawn given the values of other elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conditioning {
    /// The values of the elements on which the predicted element depends are set by interventions. Interventions are correct if the predicted element
    /// depends on the intervened elements only by reading their values.
    Set,
    /// The values of the elements on which the predicted element depends are observed, which also gives evidence about their parents.
    Observe,
}

/// Predictions from the posterior of an [`Answer`].
pub trait Predict {
    /// Returns the posterior predictive distribution of an element, such as a future observation, given the posterior of the answer's targets.
    ///
    /// The predicted element need not have been a target or an ancestor of a target in the run. First, values of the targets are drawn from the draws
    /// of the answer or, if the answer has no draws, from its marginals. After the targets, the predicted element is drawn from the model given the
    /// drawn values of the targets. If a [`Param`](figrs_core::Param) was set after the run, predictions use its new value.
    ///
    /// **Guarantee.** figrs checks that the predicted element is independent of the evidence given the targets; otherwise the result is an error. The
    /// distribution of the draws is as accurate as the answer's posterior of the targets.
    ///
    /// **Errors.** [`Error::NotPredictable`] if the predicted element depends on the evidence other than through the targets; the error names the
    /// elements that must be added to the targets. [`Error::NotInAnswer`] if the answer has no joint posterior of its targets, or does not come from
    /// a [`run`](Run::run).
    ///
    /// **References.** Gelman et al., *Bayesian data analysis*, 3rd edition, 2013, chapter 6.
    ///
    /// ```
    /// # use figrs_core::{Beta, Flip, Model};
    /// # use figrs_infer::{MetropolisHastings, Predict, Run};
    /// let rate = Beta::new(1.0, 1.0);
    /// let seen: Vec<_> = (0..10).map(|_| Flip::new(&rate)).collect();
    /// let model = seen.iter().enumerate().fold(Model::new(), |model, (i, e)| model.observe(e, i < 7));
    /// let answer = MetropolisHastings::new(4000).seed(1).run(&model, &rate)?;
    /// let next = Flip::new(&rate);
    /// let draws = answer.predict(&next)?.draws(4000, 2)?;
    /// let share = draws.iter().filter(|&&heads| heads).count() as f64 / 4000.0;
    /// assert!((share - 8.0 / 12.0).abs() < 0.04);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    fn predict<T: Value>(&self, element: &Element<T>) -> Result<Predictive<T>, Error>;
}

impl Predict for Answer {
    fn predict<T: Value>(&self, element: &Element<T>) -> Result<Predictive<T>, Error> {
        let Some((model, targets)) = self.asked.as_deref() else {
            return Err(self.missing_content_error(
                "model to predict from",
                "run the algorithm by `Run::run`, or the compiled tree by `CompiledTree::answer`",
            ));
        };
        let made = guarded(|| Predictive::new(self, (model, targets), element.erased()));
        let is_real = targets
            .iter()
            .any(|target| self.closed_form(target).is_some());
        made.map_err(|error| match error {
            Error::NotPredictable { .. } | Error::Model(ModelError::NotFinite { .. })
                if is_real =>
            {
                self.missing_content_error(
                    "draws of its real targets to predict from",
                    "make the element a target too, so that its distribution is exact",
                )
            }
            other => other,
        })
    }
}

impl<T: Value> Predictive<T> {
    fn new(
        answer: &Answer,
        (model, targets): (&Model, &[AnyElement]),
        element: &AnyElement,
    ) -> Result<Self, Error> {
        let posterior = JointPosterior::new(answer, model, targets)?;
        let decided = posterior.decided();
        // The evidence is removed from the model, because the test decides if the element depends on this evidence.
        let prior = model.filtered(|_| false);
        let evidence = model.evidence().iter().map(|(e, _)| e);
        let mut roots: Vec<AnyElement> = targets.iter().chain(evidence).cloned().collect();
        let answered = dependency_graph(&prior, &roots)?;
        roots.push(element.clone());
        let graph = dependency_graph(&prior, &roots)?;
        if graph.evidence_count() > answered.evidence_count() {
            // A `Score` that only the element reaches is no part of the answer.
            return Err(Error::NotPredictable {
                element: element.label(),
                missing: element.label().to_string(),
            });
        }
        let graph = graph.with_statements_of(model);
        let separation = graph.separation(&[], &decided, EvidenceRole::Asked);
        if separation.reaches(element) {
            let missing = separation.cut(element);
            let missing: Vec<String> = missing.iter().map(|e| e.label().to_string()).collect();
            return Err(Error::NotPredictable {
                element: element.label(),
                missing: missing.join(" and "),
            });
        }
        // Observing and setting the targets are equivalent if no other path connects the targets with the element (rule 2 of Pearl's calculus of
        // interventions).
        let behind = graph.without_edges_from(&decided);
        let backdoor = behind.separation(&decided, &[], EvidenceRole::Unknown);
        let is_decided = decided.iter().any(|e| e.id() == element.id());
        let conditioning = if backdoor.reaches(element) && !is_decided {
            Conditioning::Observe
        } else {
            Conditioning::Set
        };
        Ok(Self {
            element: element.clone(),
            prior,
            posterior,
            decided,
            conditioning,
            value: PhantomData,
        })
    }

    /// Draws `count` independent values of the predicted element; the same seed gives the same values.
    ///
    /// **Complexity.** A prediction takes one run of an algorithm for each distinct joint value of the targets that is drawn. Each run uses
    /// [`ForwardSampling`], or [`VariableElimination`] if the targets depend on the predicted element or share ancestors with it.
    ///
    /// **Errors.** The errors of the algorithm that draws the predicted element (`ForwardSampling` or `VariableElimination`).
    pub fn draws(&self, count: usize, seed: u64) -> Result<Vec<T>, Error> {
        let mut rng = stream(seed, 0);
        let mut places = IndexMap::<JointRow, Vec<usize>, FxBuildHasher>::default();
        for at in 0..count {
            places
                .entry(self.posterior.draw(&mut rng))
                .or_default()
                .push(at);
        }
        let mut draws: Vec<Option<T>> = vec![None; count];
        for (row, places) in places {
            let values = self.values_given(&row, places.len(), &mut rng)?;
            for (at, value) in places.into_iter().zip(values) {
                draws[at] = Some(value);
            }
        }
        Ok(draws.into_iter().flatten().collect())
    }

    fn values_given(&self, row: &[u32], count: usize, rng: &mut impl Rng) -> Result<Vec<T>, Error> {
        let decided: FxHashSet<_> = self.decided.iter().map(AnyElement::id).collect();
        let values = self.posterior.values(row).into_iter();
        let values =
            values.flat_map(|(target, value)| self.posterior.read_backwards(&target, value));
        let mut model = self.prior.clone();
        for (target, value) in values.filter(|(e, _)| decided.contains(&e.id())) {
            model = self.conditioned(model, &target, value);
        }
        let targets = vec![self.element.clone()];
        let answer = match self.conditioning {
            Conditioning::Set => {
                let sampler = ForwardSampling::new(count as u64).seed(rng.random());
                sampler.keep_draws().run(&model, targets)?
            }
            Conditioning::Observe => VariableElimination::new().run(&model, targets)?,
        };
        let posterior = JointPosterior::new(&answer, &model, &[])?;
        let draw = |at: usize| {
            let row = match answer
                .draws
                .as_ref()
                .map(|draws| (draws, &draws.targets[0]))
            {
                Some((draws, of)) if draws.log_weights.is_none() && of.indices.len() == count => {
                    return of.support.datum(of.indices[at] as usize);
                }
                _ => posterior.draw(rng),
            };
            posterior.values(&row).swap_remove(0).1
        };
        let values = (0..count).map(draw).collect::<Vec<Datum>>();
        Ok(values
            .iter()
            .filter_map(|value| value.get::<T>().cloned())
            .collect())
    }

    fn conditioned(&self, model: Model, target: &AnyElement, value: Datum) -> Model {
        match self.conditioning {
            Conditioning::Set => model.intervene_any(target, value),
            Conditioning::Observe => model.observe_any(target, value),
        }
    }
}
