//! Comparison of the draws of the Markov chains with draws from the prior that satisfy the evidence.

use figrs_core::{AnyColumn, Label, Support, SupportBuilder};
use rustc_hash::FxHashMap;

use super::choices::together;
use super::modes::values;
use super::probes::ProbeRecord;
use super::sites::{ChoiceSeries, SiteKey, SiteRecord};
use figrs_answer::quality::diagnosis::independent_draws::{
    ChainDraws, IndependentValues, missed_values,
};
use figrs_answer::{Draws, Finding};

/// Maximum number of distinct values of a random choice that is compared.
const MAX_VALUES: usize = 32;

/// Returns the values of targets, and of numeric choices with few values, that are so frequent in draws from the prior that the chains must have
/// missed them.
///
/// The comparison uses only prior draws whose likelihoods have as many density factors as the likelihoods of the chains' worlds, and only choices
/// that exist in every world. Of all differences between chains and prior draws that are found for random choices, only the least probable one is
/// returned.
pub(super) fn missed(
    draws: &Draws,
    (records, densities): (&[&SiteRecord], usize),
    probes: &[(Vec<Box<dyn AnyColumn>>, ProbeRecord)],
) -> Vec<Finding> {
    let chain_log_weights = records.iter().flat_map(|record| &record.log_likelihoods);
    let chain_log_weights: Vec<f64> = chain_log_weights.copied().collect();
    let mut log_weights = Vec::new();
    let targets = draws.targets.iter();
    let mut columns: Vec<_> = targets.map(|target| target.element.no_column()).collect();
    let mut numbers: FxHashMap<&SiteKey, Vec<f64>> = FxHashMap::default();
    for (values_of_targets, ProbeRecord { prior, .. }) in probes {
        let all = 0..prior.densities.len() as u32;
        let kept: Vec<u32> = all
            .filter(|&i| prior.densities[i as usize] == densities)
            .collect();
        let log = |&i: &u32| prior.worlds.log_likelihoods[i as usize];
        log_weights.extend(kept.iter().map(log));
        for (column, values) in columns.iter_mut().zip(values_of_targets) {
            column.append(&*values.gather(&kept));
        }
        for series in prior
            .worlds
            .series
            .iter()
            .filter(|series| is_compared(series))
        {
            let drawn: Vec<f64> = values(series, 0).map(|(_, number)| number).collect();
            if drawn.len() == prior.densities.len() {
                let drawn = kept.iter().map(|&i| drawn[i as usize]);
                numbers.entry(&series.key).or_default().extend(drawn);
            }
        }
    }
    let all = together(records);
    let choices: Vec<ChoiceComparison<'_>> = all
        .iter()
        .filter_map(|chains| ChoiceComparison::new(chains, records, &numbers, log_weights.len()))
        .collect();
    let tests = draws.targets.len() + choices.len();
    let finding = |label: &Label, chains: ChainDraws<'_>, values: &dyn AnyColumn| {
        let independent = IndependentValues {
            values,
            log_weights: &log_weights,
            chain_log_weights: &chain_log_weights,
        };
        missed_values((label, chains), independent, tests)
    };
    let of_targets = draws
        .targets
        .iter()
        .zip(&columns)
        .filter_map(|(target, values)| {
            let chains = ChainDraws {
                support: &target.support,
                indices: &target.indices,
                chains: draws.chains,
            };
            finding(&target.element.label(), chains, &**values)
        });
    let mut found: Vec<Finding> = of_targets.collect();
    let of_choices = choices.iter().filter_map(|choice| {
        let chains = ChainDraws {
            support: &choice.support,
            indices: &choice.indices,
            chains: records.len(),
        };
        finding(choice.label, chains, choice.drawn)
    });
    let chance = |finding: &Finding| match finding {
        Finding::MissedValues { chance, .. } => *chance,
        _ => 1.0,
    };
    found.extend(of_choices.min_by(|a, b| chance(a).total_cmp(&chance(b))));
    found
}

/// True if `series` records a choice whose values are numbers and that exists in every world.
fn is_compared(series: &ChoiceSeries) -> bool {
    matches!(series.key, SiteKey::Lasting(_)) && series.width == 1 && !series.is_digest
}

/// The values of a random choice in the worlds of the chains and in draws from the prior.
struct ChoiceComparison<'a> {
    label: &'a Label,
    support: Support,
    /// For each value that the chains drew, the index of the value in `support`.
    indices: Vec<u32>,
    drawn: &'a Vec<f64>,
}

impl<'a> ChoiceComparison<'a> {
    /// Creates the comparison of chains and prior draws for one random choice; `None` if the choice has too many distinct values, or does not exist
    /// in some worlds.
    fn new(
        chains: &[Option<&'a ChoiceSeries>],
        records: &[&SiteRecord],
        numbers: &'a FxHashMap<&SiteKey, Vec<f64>>,
        draws: usize,
    ) -> Option<Self> {
        let first = (*chains.first()?)?;
        let drawn = numbers
            .get(&first.key)
            .filter(|drawn| drawn.len() == draws)?;
        let sweeps = records.iter().map(|record| record.sweeps).min()? as usize;
        let mut builder = SupportBuilder::new::<f64>();
        let mut indices = Vec::with_capacity(sweeps * chains.len());
        for series in chains {
            let series =
                series.filter(|series| is_compared(series) && series.met.len() >= sweeps)?;
            let last = series.met.len() - sweeps;
            for (_, number) in values(series, 0).skip(last) {
                indices.push(builder.insert(&number)? as u32);
                if builder.len() > MAX_VALUES {
                    return None;
                }
            }
        }
        Some(Self {
            label: &first.label,
            support: builder.build(),
            indices,
            drawn,
        })
    }
}
