//! Standard errors of events that few draws show, or that nearly all draws show.
//!
//! The spread of the samples understates the error of such an event: the share of a single hit is its own standard error, although
//! runs that expect four hits meet it once or never in one case of eleven. The 97.5 % limit of the mean of a Poisson number lies 1.96 times
//! `√k + 1.15` above the counted number *k*, up to a tenth (Garwood 1936, "Fiducial limits for the Poisson distribution");
//! with hits of weight *w* that is `w √k + 1.15 w`. If a hit may have a larger weight than the observed ones, then up to
//! three of them may have been missed (the rule of three); the error allows for weights up to eleven times as large, and a diagnosis names
//! events for which larger ones may have been missed.

use super::chain_error::stays;

/// Effective hits from which the spread of the samples is used unchanged; the addition falls to zero towards it.
const ENOUGH_HITS: f64 = 100.0;

/// Largest weight of missed hits that the error allows for, in addition to the observed weights and in units of these.
const MOST_HEAVIER: f64 = 10.0;

/// Effective hits from which no heavier ones are assumed to be missed, unless all observed ones are light.
const ENOUGH_LIGHT_HITS: f64 = 40.0;

/// Weight of a hit, in units of the mean weight of a draw, below which it is light: draws that show the event are then so much more frequent
/// than the event that they carry no information about worlds of another weight.
const LIGHT: f64 = 0.01;

/// Addition to the root of the number of hits.
const SKEWNESS: f64 = 1.15;

/// Addition to the root of the number of hits in chains, which may come in longer bursts than the observed hits.
const SKEWNESS_OF_CHAINS: f64 = 2.3;

/// Number of hits of the largest weight that may have been missed.
const MISSED: f64 = 3.0;

/// Least number of stays of chains outside their most frequent value for their effective sample size to count independent draws.
pub(crate) const MIN_STAYS: u64 = 10;

/// Effective number of draws that show an event of probability `p`, or that do not show it if these are fewer, from its
/// standard error.
pub(crate) fn effective_hits(p: f64, error: f64) -> f64 {
    let rare = p.min(1.0 - p);
    rare * rare * (1.0 - rare) / (error * error)
}

/// Weights of hits that samples may have missed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissedHits {
    /// The largest share of the whole weight that one more sample may have; zero if nothing bounds it.
    pub(crate) heaviest: f64,
    /// Effective number of samples, whose mean weight is the unit for light hits; infinite if weights of single hits are not known.
    pub(crate) samples: f64,
    /// `true` for stays of chains.
    pub(crate) are_stays: bool,
}

impl MissedHits {
    /// True if missed hits may weigh more than the error allows for: few hits were observed, or only light ones.
    pub(crate) fn may_be_heavier(&self, sampled: f64, p: f64) -> bool {
        let rare = p.min(1.0 - p);
        let hits = effective_hits(p, sampled).max(1.0);
        let typical = rare / hits;
        let is_little = hits < ENOUGH_LIGHT_HITS || typical * self.samples < LIGHT;
        rare > 0.0 && is_little && self.heaviest > (1.0 + MOST_HEAVIER) * typical
    }

    /// The standard error of an event of probability `p` whose spread gives `sampled`: at least that of a few more hits, if there
    /// are few.
    pub(crate) fn error(&self, sampled: f64, p: f64) -> f64 {
        let rare = p.min(1.0 - p);
        let hits = effective_hits(p, sampled).max(1.0);
        if rare <= 0.0 {
            return sampled;
        }
        let typical = rare / hits;
        let fades = |from: f64| (1.0 - hits / from).max(0.0);
        let heavier = (self.heaviest - typical).clamp(0.0, MOST_HEAVIER * typical);
        let heavier = fades(ENOUGH_LIGHT_HITS) * heavier;
        let skewness = if self.are_stays {
            SKEWNESS_OF_CHAINS
        } else {
            SKEWNESS
        };
        // An event of probability one half has a symmetrical error.
        let asymmetry = 1.0 - 2.0 * rare;
        sampled + asymmetry * (fades(ENOUGH_HITS) * skewness * typical + MISSED * heavier)
    }
}

/// The spread of an event in chains, at least that of as many hits as the chains have stays in the event, or outside
/// it if that is rarer.
pub(crate) fn spread_of_stays(
    sampled: f64,
    p: f64,
    indicator: &[f64],
    (indices, chains): (&[u32], usize),
) -> f64 {
    let rare = p.min(1.0 - p);
    let shown = if p <= 0.5 { 1.0 } else { 0.0 };
    let holds = |value: u32| indicator[value as usize] == shown;
    let stays = stays(indices, chains, holds) as f64;
    if stays > 0.0 && stays < ENOUGH_HITS {
        sampled.max(rare * ((1.0 - rare) / stays).sqrt())
    } else {
        sampled
    }
}

/// Number of independent draws of chains: their effective sample size, or the number of stays outside their most frequent value
/// plus one draw for each chain, if these stays are too few to show a correlation.
pub(crate) fn independent_draws(indices: &[u32], chains: usize, effective_samples: f64) -> f64 {
    let outside = stays_elsewhere(indices, chains);
    if outside < MIN_STAYS {
        effective_samples.min((outside + chains as u64) as f64)
    } else {
        effective_samples
    }
}

/// Number of stays of chains in values other than their most frequent one.
pub(crate) fn stays_elsewhere(indices: &[u32], chains: usize) -> u64 {
    let most = most_frequent(indices);
    let length = (indices.len() / chains.max(1)).max(1);
    let chains = indices.chunks(length);
    let stays = chains.flat_map(|chain| chain.chunk_by(|a, b| a == b));
    let elsewhere = stays.filter(|stay| stay.first().copied() != most);
    elsewhere.count() as u64
}

/// The value that most draws have; `None` if there are no draws.
pub(crate) fn most_frequent(indices: &[u32]) -> Option<u32> {
    let values = indices.iter().max().map_or(0, |&most| most as usize + 1);
    let mut counts = vec![0_u64; values];
    for &value in indices {
        counts[value as usize] += 1;
    }
    let most = (0..).zip(&counts).max_by_key(|&(_, &count)| count);
    most.map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_few_hits(sampled: f64, p: f64, heaviest: f64) -> f64 {
        let missed = MissedHits {
            heaviest,
            samples: 1e3,
            are_stays: false,
        };
        missed.error(sampled, p)
    }

    #[test]
    fn few_hits_have_the_error_of_a_poisson_number() {
        // Upper 97.5 % limits of the mean for counts of 1, 2, 5, 10 and 20 (Garwood 1936).
        for (hits, limit) in [
            (1.0_f64, 5.572),
            (2.0, 7.225),
            (5.0, 11.668),
            (10.0, 18.390),
            (20.0, 30.889),
        ] {
            let n = 1e6;
            let p = hits / n;
            let error = with_few_hits((p * (1.0 - p) / n).sqrt(), p, 0.0);
            let expected = (limit - hits) / 1.96 / n;
            assert!(
                (error / expected - 1.0).abs() < 0.1,
                "{hits}: {error} {expected}"
            );
            // The complement has the same error.
            assert!(
                (with_few_hits((p * (1.0 - p) / n).sqrt(), 1.0 - p, 0.0) / error - 1.0).abs()
                    < 1e-6
            );
        }
        // Many hits keep their error, as does an event of probability one half.
        assert_eq!(with_few_hits(0.001, 0.1, 0.5), 0.001);
        assert_eq!(with_few_hits(0.1, 0.5, 0.5), 0.1);
    }

    #[test]
    fn a_light_hit_has_the_error_of_a_heavier_one() {
        // One hit of a weight of .0001, where another may weigh .001.
        let error = with_few_hits(1e-4, 1e-4, 1e-3);
        assert!((2.7e-3..3.0e-3).contains(&error), "{error}");
        // Where another may weigh anything, the error allows for eleven times the weight.
        let error = with_few_hits(1e-4, 1e-4, 1.0);
        assert!((2.9e-3..3.3e-3).contains(&error), "{error}");
    }

    #[test]
    fn events_of_which_heavier_hits_may_be_missed_are_known() {
        let may_be_heavier = |sampled, p, heaviest| {
            let missed = MissedHits {
                heaviest,
                samples: 1e3,
                are_stays: false,
            };
            missed.may_be_heavier(sampled, p)
        };
        assert!(!may_be_heavier(1e-4, 1e-4, 1e-3) && may_be_heavier(1e-4, 1e-4, 2e-3));
        // A thousand draws show an event whose worlds all weigh a millionth of the mean.
        let light = 1e-9;
        let (p, error) = (1e3 * light, 1e3_f64.sqrt() * light);
        assert_eq!(with_few_hits(error, p, 1e-3), error);
        assert!(may_be_heavier(error, p, 1e-3) && !may_be_heavier(error, p, light));
        // If they are as heavy as the mean they are representative.
        assert!(!may_be_heavier(1e-3, 0.1, 0.1));
    }

    #[test]
    fn hits_of_chains_are_stays() {
        // Two stays of 20 draws each among 400 of two chains.
        let mut draws = vec![0; 400];
        draws[50..70].fill(1);
        draws[300..320].fill(1);
        let error = spread_of_stays(1e-3, 0.1, &[0.0, 1.0], (&draws, 2));
        assert!((error - 0.1 * 0.45_f64.sqrt()).abs() < 1e-12, "{error}");
        assert_eq!(stays_elsewhere(&draws, 2), 2);
        // Consecutive other values count as several stays.
        assert_eq!(stays_elsewhere(&[0, 0, 0, 1, 2, 3, 0, 1], 2), 4);
        // The rarer side counts.
        let same = spread_of_stays(1e-3, 0.9, &[1.0, 0.0], (&draws, 2));
        assert!((same - error).abs() < 1e-12);
    }
}
