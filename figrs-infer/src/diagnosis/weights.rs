//! Findings about weighted samples and independent populations.

use crate::answer::{Answer, TargetMarginal};
use crate::diagnostics::{largest_share, pareto_k};
use crate::group_error::group_samples;

use super::finding::{Finding, Measure, Part, Quantity};

const SAMPLES: f64 = 100.0;
const SHARE_OF_DRAWS: f64 = 0.001;
const LARGEST_SHARE: f64 = 0.1;

impl Answer {
    /// Looks at the weights, which are the same for all targets, and says what was looked at.
    pub(super) fn check_weights(&self, squares: &[f64], findings: &mut Vec<Finding>) -> String {
        let effective_samples = 1.0 / squares.iter().sum::<f64>();
        let logs = self
            .draws
            .as_ref()
            .and_then(|draws| draws.log_weights.as_deref());
        let sampling = self.sampling.as_ref();
        let draws = match (sampling, logs) {
            (Some(sampling), _) => sampling.done,
            (None, Some(logs)) => logs.len() as u64,
            // As many as there must be.
            (None, None) => effective_samples.ceil() as u64,
        };
        let threshold = SAMPLES.max(SHARE_OF_DRAWS * draws as f64);
        let line = format!(
            "{draws} weighted samples are worth {effective_samples:.0}, {threshold:.0} or more"
        );
        // Samples that are all worth the same leave nothing to say of their weights.
        if effective_samples < threshold && effective_samples > draws as f64 - 0.5 {
            let few = Finding::FewSamples {
                samples: draws,
                threshold,
            };
            if !findings.contains(&few) {
                findings.push(few);
            }
            return line;
        }
        let mut found = Vec::new();
        if effective_samples < threshold {
            found.push(Finding::WeightDegeneracy {
                effective_samples,
                draws,
                threshold,
            });
        }
        let share = sampling.and_then(|sampling| sampling.largest_share);
        let share = share.or_else(|| logs.map(largest_share));
        let large = share.filter(|&share| share > LARGEST_SHARE);
        found.extend(large.map(|share| Finding::DominatingWeight {
            share,
            threshold: LARGEST_SHARE,
        }));
        if let Some(logs) = logs {
            let (k, threshold) = (pareto_k(logs), largest_k(logs.len()));
            if k > threshold {
                found.push(Finding::HeavyTailedWeights { k, threshold });
            }
        }
        for finding in found {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        line
    }
}

/// Up to which k-hat averages of this many weights are to be trusted (Vehtari et al. 2024, section 3).
fn largest_k(draws: usize) -> f64 {
    (1.0 - 1.0 / (draws as f64).log10()).min(0.7)
}

/// Looks at independent populations, and says what was looked at.
pub(super) fn check_groups(
    target: &TargetMarginal,
    groups: &[Vec<(u32, f64)>],
    findings: &mut Vec<Finding>,
) -> String {
    let effective_samples = group_samples(groups, &target.probabilities, &target.columns());
    if groups.len() < 2 {
        if !findings.contains(&Finding::SinglePopulation) {
            findings.push(Finding::SinglePopulation);
        }
    } else if effective_samples < SAMPLES && target.probabilities.len() > 1 {
        findings.push(Finding::FewEffectiveSamples {
            quantity: Quantity {
                element: target.element.label(),
                part: Part::Whole,
            },
            measure: Measure::Bulk,
            effective_samples,
            threshold: SAMPLES,
        });
    }
    format!(
        "{} independent populations, ESS {SAMPLES:.0} or more",
        groups.len()
    )
}
