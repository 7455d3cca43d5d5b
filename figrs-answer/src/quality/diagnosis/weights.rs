//! Findings about weighted samples and independent populations.

use crate::answer::group_error::group_samples;
use crate::answer::marginal::is_real;
use crate::answer::{Answer, TargetMarginal};
use crate::quality::diagnostics::{largest_share, pareto_k};

use super::finding::{Finding, Measure, Part, Quantity};

const SAMPLES: f64 = 100.0;
const SHARE_OF_DRAWS: f64 = 0.001;
const LARGEST_SHARE: f64 = 0.1;
/// Minimum number of independent populations of particles; the diagnosis reports a smaller number. With four populations, one estimate in 250 has an
/// error of more than five standard errors, although the standard errors include the factor of Student's t.
const POPULATIONS: usize = 8;
/// Minimum effective number of draws that must have a value, if the weight of a further draw has no known bound.
const HITS: f64 = 10.0;
/// Maximum number of values of a target whose draws are checked separately for each value.
const LISTED: usize = 256;

impl Answer {
    /// Checks the weights of the draws, which are the same for all targets, and adds findings. Returns a text that describes the checks.
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
            // The true number of draws is unknown, but it is at least the effective sample size.
            (None, None) => effective_samples.ceil() as u64,
        };
        let threshold = SAMPLES.max(SHARE_OF_DRAWS * draws as f64);
        let line = format!(
            "{draws} weighted samples are worth {effective_samples:.0} unweighted samples, {threshold:.0} or more"
        );
        // If all samples have equal weights, only the number of samples is reported.
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
        let mut found: Vec<Finding> = self.heavy_tail().into_iter().collect();
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
        for finding in found {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        line
    }
}

impl Answer {
    /// Returns the finding that the tail of the weights is too heavy for reliable averages; `None` if the tail is not too heavy.
    pub(super) fn heavy_tail(&self) -> Option<Finding> {
        let logs = self
            .draws
            .as_ref()
            .and_then(|draws| draws.log_weights.as_deref());
        let sampling = self.sampling.as_ref();
        let of_run = sampling.and_then(|sampling| Some((sampling.pareto_k?, sampling.done as f64)));
        let of_draws = || logs.map(|logs| (pareto_k(logs), logs.len() as f64));
        let (k, draws) = of_run.or_else(of_draws)?;
        let threshold = largest_k(draws);
        (k > threshold).then_some(Finding::HeavyTailedWeights { k, threshold })
    }
}

/// Adds the findings about values of a target that occur in few draws or in no draw, for the upper bound `unseen` of the probability of a value
/// without draws.
pub(super) fn check_unseen(target: &TargetMarginal, unseen: f64, findings: &mut Vec<Finding>) {
    let is_few = |finding: &Finding| matches!(finding, Finding::FewSamples { .. });
    if findings.iter().any(is_few) {
        return;
    }
    if unseen.is_finite() {
        findings.extend(light_hits(target));
        return;
    }
    let missing = (0..target.support.len()).filter(|&i| target.probabilities[i] == 0.0);
    let missing: Vec<usize> = missing.collect();
    findings.extend(missing.first().map(|&first| Finding::UnseenValues {
        element: target.element.label(),
        value: format!("{:?}", target.support.datum(first)),
        values: missing.len(),
    }));
    findings.extend(few_hits(target));
}

/// True if the values of a target are checked one by one. The diagnosis does not examine single floating-point values, because users query intervals
/// of such values. Very many values are not checked one by one, because most queries ask about sets of values.
fn is_listed(target: &TargetMarginal) -> bool {
    let count = target.support.len();
    count > 0 && count <= LISTED && !is_real(target.support.any(0))
}

/// Returns the finding that some values occur only in few draws or in draws of small weight, while a further draw may have a much larger weight.
fn light_hits(target: &TargetMarginal) -> Option<Finding> {
    if !is_listed(target) {
        return None;
    }
    let columns = || target.columns();
    let light = target
        .estimate
        .may_miss_heavier(&target.probabilities, columns);
    light.first().map(|&first| Finding::LightHits {
        element: target.element.label(),
        value: format!("{:?}", target.support.datum(first)),
        values: light.len(),
    })
}

/// Returns the finding that some values of a target occur in few draws, while the weight of a further draw has no known bound.
fn few_hits(target: &TargetMarginal) -> Option<Finding> {
    let count = target.support.len();
    if !is_listed(target) {
        return None;
    }
    let mut indicator = vec![0.0; count];
    let hits = |value: usize| {
        indicator[value] = 1.0;
        let hits = target.estimate.hits(&target.probabilities, &indicator);
        indicator[value] = 0.0;
        (value, hits)
    };
    let p = |value: usize| target.probabilities[value];
    let drawn = (0..count).filter(|&value| p(value) > 0.0 && p(value) <= 0.5);
    let few: Vec<(usize, f64)> = drawn.map(hits).filter(|&(_, hits)| hits < HITS).collect();
    let fewest = few.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    fewest.map(|&(value, hits)| Finding::FewHits {
        element: target.element.label(),
        value: format!("{:?}", target.support.datum(value)),
        hits,
        threshold: HITS,
        values: few.len(),
    })
}

/// Returns the largest k-hat at which the average of `draws` weights is reliable (Vehtari et al. 2024, section 3).
fn largest_k(draws: f64) -> f64 {
    (1.0 - 1.0 / draws.log10()).min(0.7)
}

/// Checks the estimate from independent populations, and adds findings. Returns a text that describes the checks.
pub(super) fn check_groups(
    target: &TargetMarginal,
    groups: &[Vec<(u32, f64)>],
    findings: &mut Vec<Finding>,
) -> String {
    let effective_samples = group_samples(groups, &target.probabilities, &target.columns());
    let line = format!(
        "{} independent populations, whose spread gives an ESS of {SAMPLES:.0} or more",
        groups.len()
    );
    if groups.len() < 2 {
        if !findings.contains(&Finding::SinglePopulation) {
            findings.push(Finding::SinglePopulation);
        }
        return line;
    }
    let few = Finding::FewPopulations {
        populations: groups.len(),
        threshold: POPULATIONS,
    };
    if groups.len() < POPULATIONS && !findings.contains(&few) {
        findings.push(few);
    }
    if effective_samples < SAMPLES && target.probabilities.len() > 1 {
        findings.push(Finding::FewEffectiveSamples {
            quantity: Quantity {
                element: target.element.label(),
                part: Part::Whole,
            },
            measure: Measure::Populations,
            effective_samples,
            threshold: SAMPLES,
        });
    }
    line
}
