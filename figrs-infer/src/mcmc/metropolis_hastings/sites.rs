//! The values of all free random choices of a Markov chain, recorded at a limited number of sweeps.

use figrs_core::{Datum, ElementId, Label};
use figrs_lower::internals::{Site, Trace};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use figrs_answer::answer::marginal::numbers;
use figrs_answer::run::portable_part::demand;

/// Maximum number of stored sweeps; at this number, every other sweep is dropped. The remaining half of the sweeps is enough for the test of
/// agreement between chains: four sweeps for each of its sixteen batches.
pub(super) const MOST_SWEEPS: u32 = 128;
/// Minimum number of stored sweeps at which every other sweep may be dropped to save memory. After every other sweep is dropped, each batch of the
/// test of agreement between chains still has one sweep.
const LEAST_SWEEPS: u32 = 32;
/// Maximum number of numbers that the record of a chain stores; above this maximum, every other sweep is dropped. The stored numbers of a chain take
/// at most 16 MB.
const NUMBERS: usize = 1 << 21;
/// Number of recorded random choices beyond which further choices that functions create are distinguished by their source lines, not by their names.
const NAMES: usize = 1 << 16;
/// For values that are not numbers, the number of bits of the value's hash that are recorded.
const BITS: u32 = 4;

/// A key that identifies a random choice in all chains and processes. The key of a random choice that exists in every world is its index in the
/// model; the key of any other random choice is its label. Random choices that functions create with the same label therefore count as one choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum SiteKey {
    Lasting(usize),
    Made(Label),
}

/// The recorded values of one random choice in a Markov chain, or of all random choices with the same label.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ChoiceSeries {
    pub(crate) key: SiteKey,
    pub(crate) label: Label,
    /// Number of components of a value of the random choice.
    pub(crate) width: usize,
    /// `true` if the values are not numbers; some bits of their hashes are then recorded instead.
    pub(crate) is_digest: bool,
    /// The sweeps in which the random choice occurred, each with the number of its occurrences.
    pub(crate) met: Vec<(u32, u32)>,
    /// For each sweep in which the random choice occurred, the sum of each component over all occurrences.
    pub(crate) sums: Vec<f64>,
}

impl ChoiceSeries {
    /// Drops every other recorded sweep, and renumbers the remaining sweeps.
    fn thin(&mut self) {
        let width = self.width;
        let mut kept = 0;
        for at in 0..self.met.len() {
            let (sweep, count) = self.met[at];
            if sweep % 2 == 0 {
                self.met[kept] = (sweep / 2, count);
                self.sums
                    .copy_within(at * width..(at + 1) * width, kept * width);
                kept += 1;
            }
        }
        self.met.truncate(kept);
        self.sums.truncate(kept * width);
    }

    fn add(&mut self, sweep: u32, numbers: &[f64]) {
        if let Some((last, count)) = self.met.last_mut()
            && *last == sweep
        {
            *count += 1;
            let start = self.sums.len() - self.width;
            for (sum, number) in self.sums[start..].iter_mut().zip(numbers) {
                *sum += number;
            }
        } else {
            self.met.push((sweep, 1));
            self.sums.extend(numbers);
        }
    }
}

/// The values of all free choices of one chain, recorded at evenly spaced sweeps.
///
/// In each recorded sweep, every random choice is recorded once. At first, a sweep is recorded after as many steps as the world has random choices,
/// so that recording takes no more time than the steps do. When too many sweeps are stored, every other sweep is dropped, and the interval between
/// sweeps is doubled. The record of a chain takes at most 16 MB, or the memory of 32 numbers for each choice if this is more.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SiteRecord {
    /// Number of steps between two recorded sweeps.
    #[serde(skip)]
    stride: u64,
    #[serde(skip)]
    until: u64,
    pub(crate) sweeps: u32,
    /// Number of random choices in the world of the last recorded sweep.
    pub(crate) choices: usize,
    #[serde(skip)]
    numbers: usize,
    /// For each recorded sweep, the log-probability of the world.
    pub(crate) log_weights: Vec<f64>,
    /// For each recorded sweep, the log-likelihood of the world.
    pub(crate) log_likelihoods: Vec<f64>,
    pub(crate) series: Vec<ChoiceSeries>,
    #[serde(skip)]
    by_key: FxHashMap<SiteKey, usize>,
    /// For each site (index of a random choice in a world): the last element at the site, and the index of the series in which the element's values
    /// are recorded.
    #[serde(skip)]
    by_number: Vec<Option<(ElementId, usize)>>,
}

impl SiteRecord {
    /// Records the present world after a step, if a sweep has ended.
    #[inline]
    pub(crate) fn record_step(&mut self, trace: &Trace) {
        if self.until > 1 {
            self.until -= 1;
            return;
        }
        self.sweep(trace);
    }

    /// Records a world that does not belong to a Markov chain as if it were one sweep of a chain.
    pub(crate) fn record_world(&mut self, trace: &Trace) {
        self.sweep(trace);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    fn sweep(&mut self, trace: &Trace) {
        self.choices = trace.choices();
        if self.stride == 0 {
            self.stride = self.choices.max(1) as u64;
        }
        for index in 0..self.choices {
            self.read(trace, trace.choice(index));
        }
        self.log_weights.push(trace.log_weight());
        self.log_likelihoods.push(trace.log_likelihood());
        self.sweeps += 1;
        let is_much = self.numbers > NUMBERS && self.sweeps >= LEAST_SWEEPS;
        if self.sweeps == MOST_SWEEPS || is_much {
            self.series.iter_mut().for_each(ChoiceSeries::thin);
            self.numbers = self.series.iter().map(|series| series.sums.len()).sum();
            self.sweeps = self.sweeps.div_ceil(2);
            for logs in [&mut self.log_weights, &mut self.log_likelihoods] {
                let mut kept = 0;
                for sweep in (0..logs.len()).step_by(2) {
                    logs[kept] = logs[sweep];
                    kept += 1;
                }
                logs.truncate(kept);
            }
            self.stride = self.stride.saturating_mul(2);
        }
        self.until = self.stride;
    }

    fn read(&mut self, trace: &Trace, site: Site) {
        if let Some(truth) = trace.truth(site) {
            self.record_value(trace, site, &[f64::from(u8::from(truth))], false);
        } else if let Some(number) = trace.number(site) {
            self.record_value(trace, site, &[number], false);
        } else if let Some(value) = trace.value(site) {
            match numbers(value.as_any()) {
                Some(numbers) => self.record_value(trace, site, numbers.as_slice(), false),
                None => self.record_value(trace, site, &digest(&value), true),
            }
        }
    }

    fn record_value(&mut self, trace: &Trace, site: Site, numbers: &[f64], is_digest: bool) {
        let index = self.series_of(trace, site, numbers.len(), is_digest);
        let series = &mut self.series[index];
        let before = series.sums.len();
        if series.width == numbers.len() {
            series.add(self.sweeps, numbers);
        } else {
            // If a list differs in length from the first list that was recorded, its length is recorded instead of its numbers.
            let length = vec![numbers.len() as f64; series.width];
            series.add(self.sweeps, &length);
        }
        self.numbers += series.sums.len() - before;
    }

    fn series_of(&mut self, trace: &Trace, site: Site, width: usize, is_digest: bool) -> usize {
        let element = trace.element(site);
        let number = site.number();
        if self.by_number.len() <= number {
            self.by_number.resize(number + 1, None);
        }
        match self.by_number[number] {
            Some((known, series)) if known == element.id() => return series,
            _ => {}
        }
        let label = element.label();
        let key = if trace.is_in_every_world(site) {
            SiteKey::Lasting(number)
        } else if self.series.len() < NAMES {
            SiteKey::Made(label.clone())
        } else {
            SiteKey::Made(label.clone().without_name())
        };
        let next = self.series.len();
        let index = *self.by_key.entry(key.clone()).or_insert(next);
        if index == next {
            self.series.push(ChoiceSeries {
                key,
                label,
                width,
                is_digest,
                met: Vec::new(),
                sums: Vec::new(),
            });
        }
        self.by_number[number] = Some((element.id(), index));
        index
    }
}

impl SiteRecord {
    /// Returns an error if the record of a chain that comes from another process is inconsistent.
    pub(crate) fn check(&self) -> Result<(), String> {
        let sweeps = self.sweeps as usize;
        let are_all = self.log_weights.len() == sweeps
            && self.log_likelihoods.len() == sweeps
            && self.sweeps <= MOST_SWEEPS;
        demand(
            are_all,
            "the number of sweeps of its chain differs from that of the run",
        )?;
        for series in &self.series {
            let are_all = series.met.len().checked_mul(series.width) == Some(series.sums.len());
            demand(
                are_all,
                "the number of values for a choice of its chain differs from that of the run",
            )?;
            let are_sweeps = series.met.is_sorted_by(|a, b| a.0 < b.0);
            let is_met = |&(sweep, count): &(u32, u32)| sweep < self.sweeps && count > 0;
            let are_sweeps = are_sweeps && series.met.iter().all(is_met);
            demand(
                are_sweeps,
                "a choice of its chain occurs in sweeps that do not exist",
            )?;
        }
        Ok(())
    }
}

/// Returns some bits of the hash of a value, as numbers that are 0 or 1.
fn digest(value: &Datum) -> [f64; BITS as usize] {
    // The finaliser of MurmurHash3 mixes the bits, because the digest of a value may be the bits of the value itself.
    let mut bits = value.digest();
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    std::array::from_fn(|bit| (bits >> (60 + bit) & 1) as f64)
}
