//! Solutions of sub-models: for each joint value of the outside elements that a sub-model reads, the weights of the values of its root.

use figrs_answer::expansion::sums;
use figrs_answer::{
    Answer, AnswerContent, Error, Estimate, SubmodelQuality, SubmodelSolution, TargetMarginal,
    expand,
};
use figrs_core::expand::{SolvedSubmodel, Submodel};
use figrs_core::internals::QueryKind;
use figrs_core::{AnyElement, Model, Support};
use figrs_factor::graph::{Assignments, Weights, WeightsBuilder};

use super::{Division, Strategy, is_refusal};

/// The weights of the values of a sub-model's root, for known values of the outside elements that the sub-model reads. The weight of a value of the
/// root is a probability or, in a search for the most probable world, the weight of the most probable world with this value.
pub(super) struct RootWeights {
    pub(super) support: Support,
    pub(super) weights: Weights,
    /// The probability that the value of the sub-model's root is unknown.
    unknown: f64,
    /// The answers from which the weights of the root's values come: one answer for all values, or a world for each value. A value of the root that
    /// occurs in no world has no answer.
    pub(super) answers: Vec<Option<Answer>>,
}

impl RootWeights {
    /// True if the value of the root is never unknown, and each world is proven to be the most probable. The weights of the root's values may be
    /// estimates.
    pub(super) fn has_no_gaps(&self) -> bool {
        let is_open = |answer: &Answer| answer.is_proven() == Ok(false);
        self.unknown == 0.0 && !self.answers.iter().flatten().any(is_open)
    }
}

/// The most probable worlds of a sub-model.
pub(super) struct SubmodelWorlds {
    /// The most probable world that was found for each joint value of the root of the sub-model and of the outside elements that the sub-model reads.
    /// In the order of the joint values, the value of the root changes fastest. An entry is `None` if no world has the joint value of the root and
    /// the outside elements.
    pub(super) answers: Vec<Option<Answer>>,
    /// For each joint value of a sub-model's root and the outside elements that it reads, an upper bound of the weights of the worlds; `None` if a
    /// bound is not known.
    pub(super) upper: Option<Weights>,
}

impl Strategy {
    /// Solves a sub-model for each joint value of the outside elements that it reads, and adds the solution to `division`. Returns `false` if no
    /// algorithm solves the sub-model.
    pub(super) fn submodel(
        &self,
        model: &Model,
        submodel: &Submodel,
        nesting: usize,
        division: &mut Division,
    ) -> Result<bool, Error> {
        let mut rows: Vec<RootWeights> = Vec::new();
        let all = Assignments::rows(submodel.outer.iter().map(|(_, support)| support.len()));
        let mut values = vec![0; submodel.outer.len()];
        loop {
            let mut given = model.filtered(|_| false);
            for ((read, support), &value) in submodel.outer.iter().zip(&values) {
                given = given.intervene_any(read, support.datum(value as usize));
            }
            let found = self.root_weights(&given, &submodel.root, &submodel.support, nesting)?;
            // A table has no column for the value `unknown`.
            let Some(found) = found.filter(|row| row.unknown == 0.0 || values.is_empty()) else {
                return Ok(false);
            };
            rows.push(found);
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
        let (interface, count) = (submodel.interface, rows.len());
        let answers: Vec<Option<Answer>> = rows.into_iter().flat_map(|row| row.answers).collect();
        (division.reports).push(report(&submodel.root, interface, count, &answers));
        division.solved.push(SolvedSubmodel {
            root: submodel.root.clone(),
            outer: submodel.outer.clone(),
            support,
            weights: weights.build(),
        });
        if self.asked() == QueryKind::BestWorld {
            let uppers = answers.iter().map(|answer| upper_bound(answer.as_ref()));
            let uppers: Vec<f64> = uppers.collect();
            let is_bounded = uppers.iter().all(|&log| log < f64::INFINITY);
            division.worlds.push(SubmodelWorlds {
                answers,
                upper: is_bounded.then(|| Weights::from_logs(uppers)),
            });
        }
        Ok(true)
    }

    /// Computes the weights of the values of `root` in a model without evidence; `None` if no algorithm can compute the weights.
    pub(super) fn root_weights(
        &self,
        model: &Model,
        root: &AnyElement,
        support: &Support,
        nesting: usize,
    ) -> Result<Option<RootWeights>, Error> {
        let found = match self.asked() {
            QueryKind::Sums => self.distribution(model, root, nesting),
            QueryKind::BestWorld => self.best_worlds(model, root, support, nesting).map(Some),
        };
        match found {
            Err(error) if is_refusal(&error) => Ok(None),
            outcome => outcome,
        }
    }

    fn distribution(
        &self,
        model: &Model,
        root: &AnyElement,
        nesting: usize,
    ) -> Result<Option<RootWeights>, Error> {
        let root = std::slice::from_ref(root);
        let answer = self.solve(model, root, nesting + 1)?;
        let Some(mut found) = root_distribution(&answer) else {
            return Ok(None);
        };
        if (0..found.weights.len()).any(|i| found.weights.is_zero(i)) {
            self.restore_small_weights(model, root, &mut found)?;
        }
        found.answers.push(Some(answer));
        Ok(Some(found))
    }

    /// Finds the most probable world of a sub-model for each value of its root `root`.
    fn best_worlds(
        &self,
        model: &Model,
        root: &AnyElement,
        support: &Support,
        nesting: usize,
    ) -> Result<RootWeights, Error> {
        let world = |i: usize| {
            let given = model.clone().observe_any(root, support.datum(i));
            match self.solve(&given, std::slice::from_ref(root), nesting + 1) {
                Err(Error::ImpossibleEvidence { .. }) => Ok(None),
                outcome => outcome.map(Some),
            }
        };
        let answers = (0..support.len()).map(world);
        let answers: Vec<Option<Answer>> = answers.collect::<Result<_, _>>()?;
        let log = |answer: &Option<Answer>| {
            let log = answer.as_ref().map(Answer::log_probability);
            log.unwrap_or(Ok(f64::NEG_INFINITY))
        };
        let logs = answers.iter().map(log).collect::<Result<_, _>>()?;
        Ok(RootWeights {
            support: support.clone(),
            weights: Weights::from_logs(logs),
            unknown: 0.0,
            answers,
        })
    }

    /// Recomputes an exact distribution with weights of zero by an elimination in logarithms, if the limits allow it, because the weights may be too
    /// small for floating-point numbers.
    fn restore_small_weights(
        &self,
        model: &Model,
        root: &[AnyElement],
        found: &mut RootWeights,
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
}

/// Returns the logarithm of an upper bound of the weight of every world, from the answer about the most probable world. If `answer` is `None`, no
/// world has a positive weight.
fn upper_bound(answer: Option<&Answer>) -> f64 {
    answer.map_or(f64::NEG_INFINITY, |answer| {
        answer.upper_bound().unwrap_or(f64::INFINITY)
    })
}

/// Returns the distribution of the only target of a question without evidence, from the answer to the question.
fn root_distribution(answer: &Answer) -> Option<RootWeights> {
    match &answer.content {
        AnswerContent::Marginals(targets, _) => {
            let target = targets.first()?;
            Some(RootWeights {
                support: target.support.clone(),
                weights: Weights::from_linear(target.probabilities.clone()),
                unknown: 0.0,
                answers: Vec::new(),
            })
        }
        // A table can have a row for a value of the root, but not for a cell (an interval of values).
        AnswerContent::Bounds(targets, _) => {
            let target = targets.first().filter(|target| target.cells.is_empty())?;
            let weights: Vec<f64> = target.log_lower.iter().map(|log| log.exp()).collect();
            let unknown = (1.0 - weights.iter().sum::<f64>()).max(0.0);
            Some(RootWeights {
                support: target.support.clone(),
                weights: Weights::from_linear(weights),
                unknown,
                answers: Vec::new(),
            })
        }
        AnswerContent::World(..) => None,
    }
}

/// Returns the report about a sub-model, from the answers for all joint values of the outside elements that it reads.
pub(super) fn report(
    root: &AnyElement,
    interface: usize,
    rows: usize,
    answers: &[Option<Answer>],
) -> SubmodelSolution {
    let mut solution = SubmodelSolution::new(root.label().to_string(), interface, rows);
    for answer in answers.iter().flatten() {
        let algorithm = answer.algorithm();
        if !solution.algorithms.contains(&algorithm) {
            solution.algorithms.push(algorithm);
        }
        solution.quality = solution.quality.max(quality(answer));
        let inner = answer.choice().map_or(&[][..], |choice| &choice.submodels);
        solution.submodels.extend(inner.iter().cloned());
    }
    solution
}

/// Returns the quality of the distribution of the root, or of the most probable world, in one answer about a sub-model.
fn quality(answer: &Answer) -> SubmodelQuality {
    let is_exact = |target: &TargetMarginal| matches!(target.estimate, Estimate::Exact);
    match &answer.content {
        AnswerContent::Marginals(targets, _) if targets.iter().all(is_exact) => {
            SubmodelQuality::Exact
        }
        AnswerContent::World(..) if answer.is_proven() == Ok(true) => SubmodelQuality::Exact,
        AnswerContent::World(..) if answer.upper_bound() != Ok(f64::INFINITY) => {
            SubmodelQuality::Bounds
        }
        AnswerContent::Bounds(..) => SubmodelQuality::Bounds,
        AnswerContent::Marginals(..) | AnswerContent::World(..) => SubmodelQuality::Approximate,
    }
}
