//! Findings about chains of dependent draws.

use crate::answer::TargetMarginal;
use crate::chain_error::{Chained, chain_samples, frequent};
use crate::diagnostics::{bulk_ess, mean_ess, r_hat, tail_ess};
use crate::numbers::Columns;

use super::finding::{Finding, Measure, Part, Quantity};

const DISAGREEING: f64 = 1.01;
const SAMPLES: f64 = 400.0;
const SAMPLES_A_CHAIN: f64 = 100.0;

/// What is known of one number of a target.
pub(crate) struct Judged {
    pub(crate) part: Part,
    pub(crate) r_hat: f64,
    pub(crate) bulk: f64,
    pub(crate) tail: f64,
}

/// Judges a target as numbers, or else as the indicators of its frequent values.
pub(crate) fn judge(target: &TargetMarginal, indices: &[u32], chains: usize) -> Vec<Judged> {
    let columns = target.columns();
    if !columns.is_empty() {
        let single = columns.iter().count() == 1;
        let judged = columns.iter().enumerate().map(|(i, column)| {
            let draws = Chained::new(column, indices, chains);
            let draws = draws.chains();
            Judged {
                part: if single {
                    Part::Whole
                } else {
                    Part::Component(i)
                },
                r_hat: r_hat(&draws),
                bulk: bulk_ess(&draws),
                tail: tail_ess(&draws),
            }
        });
        return judged.collect();
    }
    let values = target.support.len();
    let mut frequent = frequent(indices, values);
    if values == 2 {
        // The two indicators are worth the same.
        frequent = target.shown().into_iter().collect();
    }
    let judged = frequent.into_iter().map(|value| {
        let indicator: Vec<f64> = (0..values)
            .map(|v| f64::from(u8::from(v == value)))
            .collect();
        let draws = Chained::new(&indicator, indices, chains);
        let draws = draws.chains();
        Judged {
            part: Part::Is(format!("{:?}", target.support.datum(value))),
            r_hat: r_hat(&draws),
            bulk: mean_ess(&draws),
            tail: f64::NAN,
        }
    });
    judged.collect()
}

/// Looks at the chains of a target, and says what was looked at.
pub(super) fn check_chains(
    target: &TargetMarginal,
    indices: &[u32],
    chains: usize,
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
        _ => check_moving(target, indices, chains, threshold, findings),
    }
    format!(
        "chains agree (R-hat up to {DISAGREEING}), bulk and tail ESS are {threshold:.0} or more"
    )
}

fn check_moving(
    target: &TargetMarginal,
    indices: &[u32],
    chains: usize,
    threshold: f64,
    findings: &mut Vec<Finding>,
) {
    let quantity = |part: &Part| Quantity {
        element: target.element.label(),
        part: part.clone(),
    };
    let judged = judge(target, indices, chains);
    let apart = judged.iter().filter(|j| j.r_hat > DISAGREEING);
    let worst = apart.max_by(|a, b| a.r_hat.total_cmp(&b.r_hat));
    findings.extend(worst.map(|worst| Finding::ChainsDisagree {
        quantity: quantity(&worst.part),
        r_hat: worst.r_hat,
        threshold: DISAGREEING,
    }));
    for (measure, samples) in [
        (Measure::Bulk, (|j: &Judged| j.bulk) as fn(&Judged) -> f64),
        (Measure::Tail, |j| j.tail),
    ] {
        let known = judged.iter().filter(|j| !samples(j).is_nan());
        let fewest = known.min_by(|a, b| samples(a).total_cmp(&samples(b)));
        let found = match (fewest, measure) {
            (Some(fewest), _) => Some((fewest.part.clone(), samples(fewest))),
            // Chains too short to be judged, or values of which none is frequent.
            (None, Measure::Bulk) => Some((
                Part::Whole,
                chain_samples(&target.columns(), indices, chains),
            )),
            (None, Measure::Tail) => None,
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
    /// The values as numbers, where they are.
    pub(crate) fn columns(&self) -> Columns {
        Columns::new((0..self.support.len()).map(|i| self.support.any(i)))
    }
}
