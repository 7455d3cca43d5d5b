//! Estimands: the quantities for which the answers of algorithms are compared.

use std::any::Any;

use figrs_core::{AnyElement, Datum};
use serde::Serialize;

use figrs_answer::answer::marginal::NumericColumns;
use figrs_answer::answer::value_names::text;
use figrs_answer::quality::diagnostics::normal_score;
use figrs_answer::{Answer, AnswerContent, Quality, TargetMarginal};
use figrs_factor::bounds::Bounds;

/// Maximum number of values of a target whose probabilities are all compared. If a target has more values, the mean of the target is compared; if the
/// target has no mean, the probabilities of `LISTED` of its values are compared.
const LISTED: usize = 64;

/// A quantity that algorithms compute: the probability of one value of a target, or the mean of a target with more than 64 values.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Estimand {
    /// The index of the target.
    pub target: usize,
    /// Name of the quantity: `P(rain = true)` or `E(height)`.
    pub name: String,
    #[serde(skip)]
    kind: EstimandKind,
}

#[derive(Clone, Debug)]
enum EstimandKind {
    Probability(Datum),
    Mean,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EstimandValue {
    pub(super) value: f64,
    pub(super) standard_error: f64,
    /// Degrees of freedom of the standard error, if the standard error was estimated from few groups of samples.
    pub(super) degrees: Option<f64>,
    pub(super) bounds: Option<Bounds>,
}

impl EstimandValue {
    /// Converts the difference `off` between the value and the exact value to a normal score: the number of standard deviations with the same tail
    /// probability. If the standard error was estimated from few groups of samples, the tail probability comes from Student's t distribution.
    pub(super) fn score(&self, off: f64) -> f64 {
        let deviation = off / self.standard_error;
        self.degrees
            .map_or(deviation, |degrees| normal_score(deviation, degrees))
    }
}

/// Returns the compared quantities (estimands) for the targets `targets`. There is an estimand for each value of a target that has, or may have, a
/// positive probability in at least one answer.
pub(super) fn estimands(
    targets: &[AnyElement],
    names: &[String],
    exact: Option<&Answer>,
    answers: &[&Answer],
) -> Vec<Estimand> {
    let mut estimands = Vec::new();
    for (target, (element, name)) in targets.iter().zip(names).enumerate() {
        let mean = || Estimand {
            target,
            name: format!("E({name})"),
            kind: EstimandKind::Mean,
        };
        let mut real = exact.iter().chain(answers);
        if let Some(mixture) = real.find_map(|answer| answer.closed_form(element)) {
            // A list of several real numbers is not compared, because it has no single mean.
            if mixture.moments().len() == 1 {
                estimands.push(mean());
            }
            continue;
        }
        let mut values = element.no_values();
        for answer in exact.iter().chain(answers) {
            for value in possible(answer, element) {
                if values.len() <= LISTED {
                    values.insert(value);
                }
            }
        }
        let mut first = exact.iter().chain(answers);
        let first = first.find_map(|answer| marginal(answer, element));
        let count = values.len().min(LISTED);
        let listed: Vec<Datum> = match first {
            Some(first) if values.len() > LISTED => {
                if first.columns().iter().count() == 1 {
                    estimands.push(mean());
                    continue;
                }
                likeliest(first)
            }
            _ => (0..count).map(|i| values.datum(i)).collect(),
        };
        estimands.extend(listed.into_iter().map(|value| Estimand {
            target,
            name: format!("P({name} = {})", text(&value)),
            kind: EstimandKind::Probability(value),
        }));
    }
    estimands
}

/// Returns the values of the target `element` that have a positive probability, or may have a positive probability, in the answer `answer`.
fn possible<'a>(answer: &'a Answer, element: &AnyElement) -> Vec<&'a dyn Any> {
    let id = element.id();
    match &answer.content {
        AnswerContent::Marginals(targets, _) => {
            let target = targets.iter().find(|target| target.element.id() == id);
            let values = target.into_iter().flat_map(|target| {
                let positive = (0..target.support.len()).filter(|&i| target.probabilities[i] > 0.0);
                positive.map(|i| target.support.any(i))
            });
            values.collect()
        }
        AnswerContent::Bounds(targets, _) => {
            let target = targets.iter().find(|target| target.element.id() == id);
            let values = target.into_iter();
            values
                .flat_map(|target| (0..target.support.len()).map(|i| target.support.any(i)))
                .collect()
        }
        AnswerContent::World(..) => Vec::new(),
    }
}

pub(super) fn marginal<'a>(answer: &'a Answer, element: &AnyElement) -> Option<&'a TargetMarginal> {
    let AnswerContent::Marginals(targets, _) = &answer.content else {
        return None;
    };
    targets
        .iter()
        .find(|target| target.element.id() == element.id())
}

/// Returns the quality (exact or estimated) of an answer for each target; `None` for a target without marginal in the answer.
pub(super) fn qualities(answer: &Answer, targets: &[AnyElement]) -> Vec<Option<Quality>> {
    let quality = |target| marginal(answer, target).map(TargetMarginal::quality);
    targets.iter().map(quality).collect()
}

fn likeliest(target: &TargetMarginal) -> Vec<Datum> {
    let mut order: Vec<usize> = (0..target.support.len()).collect();
    order.sort_by(|&a, &b| target.probabilities[b].total_cmp(&target.probabilities[a]));
    let order = order.into_iter().take(LISTED);
    order.map(|i| target.support.datum(i)).collect()
}

impl Estimand {
    /// True if the estimand is the probability of `true`.
    pub(super) fn is_of_true(&self) -> bool {
        matches!(&self.kind, EstimandKind::Probability(value) if value.get::<bool>() == Some(&true))
    }

    pub(super) fn is_probability(&self) -> bool {
        matches!(self.kind, EstimandKind::Probability(_))
    }

    /// Returns the value of the estimand in an answer, with the standard error from `qualities`. The result is `None` if the answer is a world, or if
    /// the answer consists of bounds that determine no mean.
    pub(super) fn read(
        &self,
        answer: &Answer,
        targets: &[AnyElement],
        qualities: &[Option<Quality>],
    ) -> Option<EstimandValue> {
        let element = &targets[self.target];
        if let AnswerContent::Bounds(bounded, _) = &answer.content {
            let target = bounded
                .iter()
                .find(|target| target.element.id() == element.id())?;
            let EstimandKind::Probability(value) = &self.kind else {
                return None;
            };
            let at = target.support.index_of(value.as_any());
            let bounds = target.of(|i| Some(Some(i) == at));
            return Some(EstimandValue {
                value: bounds.lower.midpoint(bounds.upper),
                standard_error: f64::NAN,
                degrees: None,
                bounds: Some(bounds),
            });
        }
        if let Some(mixture) = answer.closed_form(element) {
            return Some(EstimandValue {
                value: mixture.mean(),
                standard_error: if answer.has_approximate_mixtures() {
                    f64::NAN
                } else {
                    0.0
                },
                degrees: None,
                bounds: None,
            });
        }
        let target = marginal(answer, element)?;
        let (probabilities, estimate) = (&target.probabilities, &target.estimate);
        let (value, standard_error) = match &self.kind {
            EstimandKind::Probability(value) => {
                let at = target.support.index_of(value.as_any());
                let indicator = |i| f64::from(u8::from(Some(i) == at));
                let indicator: Vec<f64> = (0..probabilities.len()).map(indicator).collect();
                let quality = qualities[self.target]?;
                let error = estimate.event_error_knowing(probabilities, &indicator, quality);
                (at.map_or(0.0, |at| probabilities[at]), error)
            }
            EstimandKind::Mean => {
                let columns: NumericColumns = target.columns();
                let numbers = columns.iter().next()?;
                let terms = probabilities.iter().zip(numbers);
                // A value of probability zero is left out, because it may be infinite.
                let terms = terms.filter(|&(&p, _)| p > 0.0);
                let mean = terms.map(|(p, x)| p * x).sum();
                (mean, estimate.standard_error(probabilities, numbers))
            }
        };
        Some(EstimandValue {
            value,
            standard_error,
            degrees: estimate.degrees_of_freedom(),
            bounds: None,
        })
    }
}
