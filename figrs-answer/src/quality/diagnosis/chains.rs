//! Findings about Markov chains (chains of dependent draws).

use crate::answer::TargetMarginal;
use crate::answer::chain_error::{frequent, indicator, least_samples};
use crate::answer::estimate::Estimate;
use crate::answer::few_hits::{MIN_STAYS, most_frequent, stays_elsewhere};
use crate::answer::marginal::NumericColumns;
use crate::quality::diagnostics::measure;

use super::finding::{Finding, Measure, Part, Quantity};

const R_HAT_THRESHOLD: f64 = 1.01;
const SAMPLES: f64 = 400.0;
const SAMPLES_A_CHAIN: f64 = 100.0;

/// Convergence measures of one numeric function of a target's value, over the draws of Markov chains.
pub(crate) struct NumberMeasures {
    pub(crate) part: Part,
    pub(crate) r_hat: f64,
    pub(crate) bulk: f64,
    pub(crate) tail: f64,
}

pub(crate) struct ChainMeasures {
    /// Convergence measures of the components of a numeric target or, for another target, of the indicators of its frequent values.
    pub(crate) judged: Vec<NumberMeasures>,
    /// The smallest effective sample size over all functions of the target's value that are measured.
    pub(crate) effective_samples: f64,
}

impl TargetMarginal {
    pub(crate) fn chain_measures(&self) -> Option<ChainMeasures> {
        let Estimate::Chains { indices, chains } = &self.estimate else {
            return None;
        };
        let columns = self.columns();
        let judge = |part: Part, numbers: &[f64]| {
            let measures = measure(numbers, indices, *chains);
            NumberMeasures {
                part,
                r_hat: measures.r_hat,
                bulk: measures.bulk,
                tail: measures.tail,
            }
        };
        let judged: Vec<NumberMeasures> = if columns.is_empty() {
            let values = self.support.len();
            let mut frequent = frequent(indices, values);
            if values == 2 {
                // If there are only two values, their indicators have the same convergence measures.
                frequent = self.shown().into_iter().collect();
            }
            let judged = frequent.into_iter().map(|value| NumberMeasures {
                tail: f64::NAN,
                ..judge(
                    Part::Is(format!("{:?}", self.support.datum(value))),
                    &indicator(value, values),
                )
            });
            judged.collect()
        } else {
            let single = columns.iter().count() == 1;
            let judged = columns.iter().enumerate().map(|(i, column)| {
                let part = if single {
                    Part::Whole
                } else {
                    Part::Component(i)
                };
                judge(part, column)
            });
            judged.collect()
        };
        let bulks = judged.iter().map(|one| one.bulk);
        let effective_samples = least_samples(bulks, &columns, indices, *chains);
        Some(ChainMeasures {
            judged,
            effective_samples,
        })
    }
}

/// Checks the Markov chains of a target, and adds the problems to `findings`. Returns a text that describes the checks.
pub(super) fn check_chains(
    target: &TargetMarginal,
    measured: &ChainMeasures,
    (indices, chains): (&[u32], usize),
    findings: &mut Vec<Finding>,
) -> String {
    let threshold = SAMPLES.max(SAMPLES_A_CHAIN * chains as f64);
    if chains < 2 && !findings.contains(&Finding::SingleChain) {
        findings.push(Finding::SingleChain);
    }
    let label = target.element.label();
    let first = indices.first().copied();
    match first {
        Some(first) if indices.iter().all(|&i| i == first) => {
            findings.push(Finding::NeverChanged {
                element: label,
                value: format!("{:?}", target.support.datum(first as usize)),
                draws: indices.len(),
            });
        }
        _ => {
            check_stays(target, (indices, chains), findings);
            check_moving(target, measured, threshold, findings);
        }
    }
    format!(
        "chains agree (R-hat up to {R_HAT_THRESHOLD}), bulk and tail ESS are {threshold:.0} or more"
    )
}

/// Adds a finding if the Markov chains left their most frequent value only a few times.
fn check_stays(
    target: &TargetMarginal,
    (indices, chains): (&[u32], usize),
    findings: &mut Vec<Finding>,
) {
    let stays = stays_elsewhere(indices, chains);
    let most = most_frequent(indices).filter(|_| stays < MIN_STAYS);
    findings.extend(most.map(|most| Finding::SeldomChanged {
        element: target.element.label(),
        value: format!("{:?}", target.support.datum(most as usize)),
        others: indices.iter().filter(|&&value| value != most).count(),
        draws: indices.len(),
        stays,
        threshold: MIN_STAYS,
    }));
}

fn check_moving(
    target: &TargetMarginal,
    measured: &ChainMeasures,
    threshold: f64,
    findings: &mut Vec<Finding>,
) {
    let quantity = |part: &Part| Quantity {
        element: target.element.label(),
        part: part.clone(),
    };
    let judged = &measured.judged;
    let apart = judged.iter().filter(|j| j.r_hat > R_HAT_THRESHOLD);
    let worst = apart.max_by(|a, b| a.r_hat.total_cmp(&b.r_hat));
    findings.extend(worst.map(|worst| Finding::ChainsDisagree {
        quantity: quantity(&worst.part),
        r_hat: worst.r_hat,
        threshold: R_HAT_THRESHOLD,
    }));
    for (measure, samples) in [
        (
            Measure::Bulk,
            (|j: &NumberMeasures| j.bulk) as fn(&NumberMeasures) -> f64,
        ),
        (Measure::Tail, |j| j.tail),
    ] {
        let known = judged.iter().filter(|j| !samples(j).is_nan());
        let fewest = known.min_by(|a, b| samples(a).total_cmp(&samples(b)));
        let found = match (fewest, measure) {
            (Some(fewest), _) => Some((fewest.part.clone(), samples(fewest))),
            // The chains are too short to be tested, or no value is frequent.
            (None, Measure::Bulk) => Some((Part::Whole, measured.effective_samples)),
            (None, _) => None,
        };
        let few = found.filter(|&(_, samples)| samples < threshold);
        findings.extend(
            few.map(|(part, effective_samples)| Finding::FewEffectiveSamples {
                quantity: quantity(&part),
                measure,
                effective_samples,
                threshold,
            }),
        );
    }
}

impl TargetMarginal {
    /// Returns the values as columns of numbers, one column for each component; there are no columns if the values are not numbers.
    #[doc(hidden)]
    pub fn columns(&self) -> NumericColumns {
        NumericColumns::new((0..self.support.len()).map(|i| self.support.any(i)))
    }
}
