//! The joint posterior of the targets (queried variables) of an answer, from which joint values are drawn.

use std::sync::Arc;

use figrs_core::graph::EvidenceRole;
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, ElementId, Model, Support};
use indexmap::IndexMap;
use rand::{Rng, RngExt};
use rustc_hash::{FxBuildHasher, FxHashSet};

use figrs_answer::{Answer, AnswerContent, Draws, Error};
use figrs_exact::dependencies::dependency_graph;

/// The joint posterior of the targets of an answer, divided into groups of targets. The groups of targets are independent of each other given the
/// evidence.
#[derive(Clone, Debug)]
pub(super) struct JointPosterior {
    groups: Vec<PosteriorGroup>,
    /// The random variables that interventions set. The value of a variable set by an intervention is no evidence about the parents of the variable.
    set: FxHashSet<ElementId>,
}

/// A group of targets that is independent of all other targets, with the joint values of the group and their weights.
#[derive(Clone, Debug)]
struct PosteriorGroup {
    targets: Vec<(AnyElement, Support)>,
    /// For each joint value of the group, the index of the value of each target.
    rows: Vec<Arc<[u32]>>,
    cumulative: Vec<f64>,
}

/// A joint value of all groups of targets: for each group, the index of one of its joint values.
pub(super) type JointRow = Vec<u32>;

impl PosteriorGroup {
    fn new(
        targets: Vec<(AnyElement, Support)>,
        weighted: impl Iterator<Item = (Arc<[u32]>, f64)>,
    ) -> Self {
        let (mut rows, mut cumulative, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for (row, weight) in weighted.filter(|(_, weight)| *weight > 0.0) {
            sum += weight;
            rows.push(row);
            cumulative.push(sum);
        }
        Self {
            targets,
            rows,
            cumulative,
        }
    }

    fn of_draws(draws: &Draws) -> Self {
        let logs = draws.log_weights.as_deref();
        let largest = logs.map_or(0.0, |logs| {
            logs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        });
        let mut merged = IndexMap::<Arc<[u32]>, f64, FxBuildHasher>::default();
        for draw in 0..draws.chains * draws.length {
            let row: Arc<[u32]> = draws.targets.iter().map(|t| t.indices[draw]).collect();
            let weight = logs.map_or(1.0, |logs| (logs[draw] - largest).exp());
            *merged.entry(row).or_default() += weight;
        }
        let targets = draws.targets.iter();
        Self::new(
            targets
                .map(|t| (t.element.clone(), t.support.clone()))
                .collect(),
            merged.into_iter(),
        )
    }

    fn draw(&self, rng: &mut impl Rng) -> u32 {
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        let at = rng.random::<f64>() * total;
        let row = self.cumulative.partition_point(|&sum| sum <= at);
        row.min(self.rows.len().saturating_sub(1)) as u32
    }
}

impl JointPosterior {
    /// Returns the joint posterior of the targets of an answer. If the answer has draws, the joint posterior is the distribution of the draws. If the
    /// answer has no draws, the joint posterior is the product of the marginals of the targets.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer has no draws, and the targets depend on each other given the evidence.
    pub(super) fn new(answer: &Answer, model: &Model, roots: &[AnyElement]) -> Result<Self, Error> {
        let set = model.interventions().iter().map(|(e, _)| e.id()).collect();
        if let Some(draws) = &answer.draws {
            return Ok(Self {
                groups: vec![PosteriorGroup::of_draws(draws)],
                set,
            });
        }
        let AnswerContent::Marginals(marginals, _) = &answer.content else {
            return Err(answer.missing_content_error(
                "posterior to predict from",
                "use an algorithm that answers by marginals or draws",
            ));
        };
        if marginals.len() > 1 {
            let graph = dependency_graph(model, roots)?;
            for (i, marginal) in marginals.iter().enumerate() {
                let element = std::slice::from_ref(&marginal.element);
                let separation = graph.separation(element, &[], EvidenceRole::Given);
                if marginals[..i]
                    .iter()
                    .any(|m| separation.reaches(&m.element))
                {
                    return Err(answer.missing_content_error(
                        "joint distribution of its targets, which depend on each other",
                        "make their `tuple` the one target, or use a sampler that keeps its draws",
                    ));
                }
            }
        }
        let groups = marginals.iter().map(|marginal| {
            let targets = vec![(marginal.element.clone(), marginal.support.clone())];
            let weighted = marginal.probabilities.iter().enumerate();
            let weighted = weighted.map(|(i, &p)| (Arc::from([i as u32]), p));
            PosteriorGroup::new(targets, weighted)
        });
        Ok(Self {
            groups: groups.collect(),
            set,
        })
    }

    pub(super) fn draw(&self, rng: &mut impl Rng) -> JointRow {
        self.groups.iter().map(|group| group.draw(rng)).collect()
    }

    /// Returns each target with its value in the joint value `row`.
    pub(super) fn values(&self, row: &[u32]) -> Vec<(AnyElement, Datum)> {
        let groups = self.groups.iter().zip(row);
        let values = groups.flat_map(|(group, &row)| {
            let places = group.rows.get(row as usize).map_or(&[][..], |row| &row[..]);
            let targets = group.targets.iter().zip(places);
            targets.map(|((element, support), &at)| (element.clone(), support.datum(at as usize)))
        });
        values.collect()
    }

    /// Returns the elements whose values follow from the values of the targets: the targets themselves, and those arguments of targets (such as the
    /// components of a tuple) that the values of the targets determine.
    pub(super) fn decided(&self) -> Vec<AnyElement> {
        let mut common = Vec::new();
        for group in &self.groups {
            for (place, (element, support)) in group.targets.iter().enumerate() {
                let values: FxHashSet<u32> = group.rows.iter().map(|row| row[place]).collect();
                let mut decided: Option<Vec<AnyElement>> = None;
                for at in values {
                    let of_value = self.read_backwards(element, support.datum(at as usize));
                    let of_value = of_value.into_iter().map(|(element, _)| element);
                    decided = Some(match decided.take() {
                        None => of_value.collect(),
                        Some(mut known) => {
                            let now: FxHashSet<_> = of_value.map(|e| e.id()).collect();
                            known.retain(|element| now.contains(&element.id()));
                            known
                        }
                    });
                }
                common.extend(decided.unwrap_or_default());
            }
        }
        common
    }

    /// Returns the element and those of its ancestors whose values follow from the element's value, each with its value.
    pub(super) fn read_backwards(
        &self,
        element: &AnyElement,
        value: Datum,
    ) -> Vec<(AnyElement, Datum)> {
        let (mut found, mut open) = (Vec::new(), vec![(element.clone(), value)]);
        while let Some((element, value)) = open.pop() {
            if let Kind::Apply(parents, _) = element.kind()
                && !self.set.contains(&element.id())
            {
                let known = parents.iter().zip(element.demands(Some(&value)));
                open.extend(known.filter_map(|(parent, value)| Some((parent.clone(), value?))));
            }
            found.push((element, value));
        }
        found
    }
}
