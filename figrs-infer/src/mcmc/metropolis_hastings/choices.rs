//! Tests whether the chains agree about all random choices in their worlds, including choices that are not targets.

use figrs_core::Label;
use rustc_hash::FxHashMap;

use super::sites::{ChoiceSeries, SiteKey, SiteRecord};
use figrs_answer::quality::diagnostics::{BATCHES, BatchedNumber, chance_of_agreement, r_hat};

use super::modes::{other_mode, values};
use figrs_answer::quality::diagnosis::choice_agreement::{
    ChoiceAgreement, FALSE_ALARMS, MIN_MET_SHARE,
};
use figrs_answer::quality::diagnosis::{Finding, Part, Quantity};

/// A random choice counts as constant, and is not tested, if less than this fraction of its draws differ from its most frequent value.
const SETTLED_SHARE: f64 = 0.05;

/// The p-value of the test of one numeric function of a random choice: the probability that chains with equal distributions would differ at least as
/// much as the chains do.
struct ChoiceTest {
    chance: f64,
    part: Part,
    series: usize,
}

/// Tests whether the chains agree with each other and with the probes (short chains from other first worlds).
pub(super) fn agreement_of(records: &[&SiteRecord], probes: &[&SiteRecord]) -> ChoiceAgreement {
    let mut choices = ChoiceAgreement {
        judged: 0,
        finding: None,
        mode: None,
        missed: Vec::new(),
        probes: probes.len(),
        rare: Vec::new(),
    };
    let sweeps = records.iter().map(|record| record.sweeps).min();
    let most = records.iter().map(|record| record.choices).max();
    if let Some(sweeps) = sweeps
        && (sweeps as usize) < BATCHES
    {
        choices.finding = most
            .filter(|&most| most > 0)
            .map(|most| Finding::FewSweeps {
                choices: most,
                sweeps: u64::from(sweeps),
                threshold: BATCHES as u64,
            });
        return choices;
    }
    let all = together(records);
    choices.mode = other_mode((records, &all), probes);
    let draws: u32 = records.iter().map(|record| record.sweeps).sum();
    let mut tested = Vec::new();
    for (position, chains) in all.iter().enumerate() {
        let met: usize = chains.iter().flatten().map(|series| series.met.len()).sum();
        if (met as f64) < MIN_MET_SHARE * f64::from(draws) {
            choices.rare.extend(label(chains));
            continue;
        }
        choices.judged += 1;
        tests(records, chains, position, &mut tested);
    }
    let limit = FALSE_ALARMS / tested.len().max(1) as f64;
    let mut found: Vec<usize> = tested
        .iter()
        .filter(|one| one.chance < limit)
        .map(|one| one.series)
        .collect();
    found.dedup();
    let r_hat = |one: &ChoiceTest| r_hat_of(&all[one.series], &one.part);
    let worst = tested.iter().min_by(|a, b| {
        let chances = a.chance.total_cmp(&b.chance);
        chances.then_with(|| r_hat(b).total_cmp(&r_hat(a)))
    });
    if let Some(worst) = worst.filter(|_| !found.is_empty())
        && let Some(element) = label(&all[worst.series])
    {
        choices.finding = Some(Finding::ChoicesDisagree {
            quantity: Quantity {
                element,
                part: worst.part.clone(),
            },
            r_hat: r_hat(worst),
            chance: worst.chance * tested.len() as f64,
            threshold: FALSE_ALARMS,
            choices: found.len(),
        });
    }
    choices
}

/// Returns the recorded values of each random choice in each chain. In the result, the random choices are in the order of their first occurrence.
pub(super) fn together<'a>(records: &[&'a SiteRecord]) -> Vec<Vec<Option<&'a ChoiceSeries>>> {
    let mut positions: FxHashMap<&SiteKey, usize> = FxHashMap::default();
    let mut all: Vec<Vec<Option<&ChoiceSeries>>> = Vec::new();
    for (chain, record) in records.iter().enumerate() {
        for series in &record.series {
            let next = all.len();
            let position = *positions.entry(&series.key).or_insert(next);
            if position == next {
                all.push(vec![None; records.len()]);
            }
            all[position][chain] = Some(series);
        }
    }
    all
}

fn label(chains: &[Option<&ChoiceSeries>]) -> Option<Label> {
    let first = chains.iter().flatten().next();
    first.map(|series| series.label.clone())
}

/// Returns the index of the batch of consecutive sweeps to which the recorded sweep `sweep` belongs.
fn batch(sweep: u32, record: &SiteRecord) -> usize {
    (sweep as usize * BATCHES / record.sweeps.max(1) as usize).min(BATCHES - 1)
}

/// Tests whether the chains agree about one random choice: each component of its values, and the number of random variables in each world that have
/// the label of the choice.
fn tests(
    records: &[&SiteRecord],
    chains: &[Option<&ChoiceSeries>],
    position: usize,
    tested: &mut Vec<ChoiceTest>,
) {
    let mut test = |shown: &[BatchedNumber], part: Part| {
        tested.push(ChoiceTest {
            chance: chance_of_agreement(shown),
            part,
            series: position,
        });
    };
    let counts = counts(records, chains);
    if !is_settled(&counts) {
        test(&counts, Part::Count);
    }
    let present = || {
        chains
            .iter()
            .enumerate()
            .filter_map(|(i, one)| Some((i, (*one)?)))
    };
    let width = present().map(|(_, series)| series.width).min().unwrap_or(0);
    for component in 0..width {
        let shown: Vec<BatchedNumber> = present()
            .flat_map(|(chain, series)| {
                values(series, component).map(move |(sweep, number)| BatchedNumber {
                    number,
                    chain,
                    batch: batch(sweep, records[chain]),
                })
            })
            .collect();
        if is_settled(&shown) {
            continue;
        }
        let is_digest = present().any(|(_, series)| series.is_digest);
        let part = if is_digest || width == 1 {
            Part::Whole
        } else {
            Part::Component(component)
        };
        test(&shown, part.clone());
        if let Some(folded) = folded(&shown) {
            test(&folded, part);
        }
    }
}

/// Returns, for each sweep, the number of random variables in the world that have the label of the random choice.
fn counts(records: &[&SiteRecord], chains: &[Option<&ChoiceSeries>]) -> Vec<BatchedNumber> {
    let mut counts = Vec::new();
    for (chain, (record, series)) in records.iter().zip(chains).enumerate() {
        let mut of_sweep = vec![0; record.sweeps as usize];
        for &(sweep, count) in series.iter().flat_map(|series| &series.met) {
            of_sweep[sweep as usize] = count;
        }
        counts.extend((0..).zip(of_sweep).map(|(sweep, count)| BatchedNumber {
            number: f64::from(count),
            chain,
            batch: batch(sweep, record),
        }));
    }
    counts
}

fn is_settled(shown: &[BatchedNumber]) -> bool {
    let mut numbers: Vec<f64> = shown.iter().map(|shown| shown.number).collect();
    numbers.sort_by(f64::total_cmp);
    let stays = numbers.chunk_by(|a, b| a == b).map(<[f64]>::len);
    stays.max().unwrap_or(0) as f64 > (1.0 - SETTLED_SHARE) * numbers.len() as f64
}

/// Returns the absolute deviations of recorded values from their median; `None` if at most two values are distinct.
fn folded(shown: &[BatchedNumber]) -> Option<Vec<BatchedNumber>> {
    let mut numbers: Vec<f64> = shown.iter().map(|shown| shown.number).collect();
    numbers.sort_by(f64::total_cmp);
    let (least, most) = (*numbers.first()?, *numbers.last()?);
    if numbers.iter().all(|&x| x == least || x == most) {
        return None;
    }
    let median = numbers[(numbers.len() - 1) / 2].midpoint(numbers[numbers.len() / 2]);
    let fold = |shown: &BatchedNumber| BatchedNumber {
        number: (shown.number - median).abs(),
        ..*shown
    };
    Some(shown.iter().map(fold).collect())
}

/// Returns the R-hat of one component of a random choice; NaN if `part` stands for the number of random variables with the label of the choice.
fn r_hat_of(chains: &[Option<&ChoiceSeries>], part: &Part) -> f64 {
    let component = match part {
        Part::Component(component) => *component,
        Part::Count => return f64::NAN,
        _ => 0,
    };
    let columns: Option<Vec<Vec<f64>>> = chains
        .iter()
        .map(|series| Some(values((*series)?, component).map(|(_, x)| x).collect()))
        .collect();
    let Some(columns) = columns else {
        return f64::NAN;
    };
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    r_hat(&slices)
}
