//! Detection of modes that the main chains missed, but that probes (short chains from other first worlds) found.

use super::sites::{ChoiceSeries, SiteRecord};

use figrs_answer::quality::diagnosis::{Finding, Part, Quantity};

/// Returns the finding that the main chains have not visited a mode of the posterior; `None` if no such mode was found. A probe (a short chain from
/// another first world) has found a missed mode if it stayed in worlds that are as probable as those of the chains, and if a number in these worlds
/// lies far outside its range in all chains. For a mode to count as missed, a number in the probe's worlds must lie outside its range in the chains
/// by more than the width of this range.
///
/// For a normal distribution, one draw in `1e10` lies outside the range of a few hundred draws by more than the width of the range. If half of the
/// draws of a probe lie far outside the range of the main chains, the probe must have stayed in another mode.
pub(super) fn other_mode(
    (records, all): (&[&SiteRecord], &[Vec<Option<&ChoiceSeries>>]),
    probes: &[&SiteRecord],
) -> Option<Finding> {
    let weights = records.iter().flat_map(|record| &record.log_weights);
    let least = weights.copied().fold(f64::INFINITY, f64::min);
    let mut elsewhere: Vec<OutlyingProbe> = Vec::new();
    for probe in probes {
        if median(probe.log_weights.clone()).is_none_or(|log| log < least) {
            continue;
        }
        elsewhere.extend(farthest(probe, all));
    }
    let count = elsewhere.len();
    let worst = elsewhere
        .into_iter()
        .max_by(|a, b| a.widths.total_cmp(&b.widths))?;
    Some(Finding::OtherMode {
        quantity: worst.quantity,
        number: worst.number,
        range: worst.range,
        chains: count,
        of: probes.len(),
    })
}

/// A number in the worlds of a probe (a short chain); the median of this number is outside the range that the number has in the main chains.
struct OutlyingProbe {
    quantity: Quantity,
    number: f64,
    range: (f64, f64),
    /// Distance of the median in the probe from the range in the main chains, in widths of the range.
    widths: f64,
}

/// Returns the number in the worlds of a probe that is farthest outside its range in the main chains; `None` if no number is outside its range by
/// more than the width of the range.
fn farthest(probe: &SiteRecord, all: &[Vec<Option<&ChoiceSeries>>]) -> Option<OutlyingProbe> {
    let mut found: Option<OutlyingProbe> = None;
    for series in probe.series.iter().filter(|series| !series.is_digest) {
        let is_same = |known: &&Vec<Option<&ChoiceSeries>>| {
            let known = known.iter().flatten().next();
            known.is_some_and(|known| known.key == series.key && known.width == series.width)
        };
        // A choice that no chain has recorded is skipped, because the chains may miss a rare choice by chance.
        let Some(chains) = all.iter().find(is_same) else {
            continue;
        };
        for component in 0..series.width {
            let numbers = values(series, component)
                .map(|(_, number)| number)
                .collect();
            let Some(number) = median(numbers) else {
                continue;
            };
            let shown = chains.iter().flatten();
            let shown = shown.flat_map(|series| values(series, component));
            let range = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, x)| {
                (low.min(x), high.max(x))
            });
            let beyond = (range.0 - number).max(number - range.1);
            let widths = beyond / (range.1 - range.0);
            if widths > found.as_ref().map_or(1.0, |found| found.widths) {
                found = Some(OutlyingProbe {
                    quantity: Quantity {
                        element: series.label.clone(),
                        part: if series.width == 1 {
                            Part::Whole
                        } else {
                            Part::Component(component)
                        },
                    },
                    number,
                    range,
                    widths,
                });
            }
        }
    }
    found
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// Returns the sweeps in which the random choice occurred, each with the mean of one component of the values of the choice.
pub(super) fn values(series: &ChoiceSeries, component: usize) -> impl Iterator<Item = (u32, f64)> {
    let sums = series.sums.chunks_exact(series.width.max(1));
    let met = series.met.iter().zip(sums);
    met.map(move |(&(sweep, count), sums)| (sweep, sums[component] / f64::from(count)))
}
