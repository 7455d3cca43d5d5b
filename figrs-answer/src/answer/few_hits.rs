//! Standard errors of the probability of events that occur in few draws, or in nearly all draws. A draw in which the event occurs is called a hit. A
//! maximal sequence of consecutive draws of a chain that have the same value is called a stay.
//!
//! If an event occurs in few draws, the variance of the samples understates the error of the event's probability. For example, the standard error
//! computed from a single draw in the event is this draw's fraction of the weight, although a run that expects four such draws has at most one with
//! probability one in eleven. For a Poisson count *k*, the upper 97.5 % limit of the mean exceeds *k* by about 1.96 times `√k + 1.15`, with a
//! relative error of at most a tenth (Garwood 1936, "Fiducial limits for the Poisson distribution"). To correct for missed hits, the standard error
//! of the probability of an event with *k* hits (draws in which the event occurs) of weight *w* is `w √k + 1.15 w`. If missed draws of an event may
//! have a larger weight than its observed draws, the number of missed draws may be up to three (the rule of three). The standard error allows for
//! missed draws of the event with up to eleven times the weight of its observed draws. The method `diagnose` names the events for which draws with a
//! larger weight than the observed draws may have been missed.

use super::chain_error::stays;

/// Effective number of hits (draws in which the event occurs) above which the standard error follows from the variance of the samples alone. Below
/// the effective number `ENOUGH_HITS` of draws in which an event occurs, a term is added to the standard error; this term decreases to zero as the
/// number of draws approaches `ENOUGH_HITS`.
const ENOUGH_HITS: f64 = 100.0;

/// The standard error allows for missed hits (worlds with the event that no draw has) that exceed the weight of an observed hit by at most this
/// multiple of the observed weight.
const MOST_HEAVIER: f64 = 10.0;

/// Effective number of hits (draws in which the event occurs) above which the standard error allows for no missed hits of larger weight. With more
/// effective hits, the diagnosis reports possible missed hits only if the observed hits have small weights (`LIGHT`).
const ENOUGH_LIGHT_HITS: f64 = 40.0;

/// Weight below which a hit (a draw in which the event occurs) counts as light, as a fraction of the mean weight of a draw. If all observed draws in
/// an event are light, worlds of larger weight may have been missed, however many draws in the event there are.
const LIGHT: f64 = 0.01;

/// Number that is added to the square root of the number of independent hits (draws with the event), because a small number of hits has a skewed
/// distribution.
const SKEWNESS: f64 = 1.15;

/// Number that is added to the square root of the number of stays of Markov chains (sequences of draws with the event), because missed stays may be
/// longer than observed stays.
const SKEWNESS_OF_CHAINS: f64 = 2.3;

/// Number of hits (draws with the event) of the largest possible weight that the samples may have missed.
const MISSED: f64 = 3.0;

/// Minimum number of times that chains left their most frequent value, for the effective sample size of the chains to be used as the number of
/// independent draws.
pub(crate) const MIN_STAYS: u64 = 10;

/// Returns the effective number of draws in an event of probability `p`, or in its complement if fewer draws are in the complement. The effective
/// number of draws in an event is computed from the standard error `error`.
pub(crate) fn effective_hits(p: f64, error: f64) -> f64 {
    let rare = p.min(1.0 - p);
    rare * rare * (1.0 - rare) / (error * error)
}

/// The weights of hits (draws in which an event occurs) that the samples may have missed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissedHits {
    /// The largest fraction of the total weight that a further sample may have; zero if this fraction has no known bound.
    pub(crate) heaviest: f64,
    /// Effective number of samples, whose inverse is the mean weight fraction of a sample; infinite if the weights of the hits are unknown. The
    /// weight fraction of a hit (a draw in which the event occurs) is compared with the mean weight fraction of a sample.
    pub(crate) samples: f64,
    /// `true` if the hits are stays of Markov chains (maximal sequences of draws in which the event occurs).
    pub(crate) are_stays: bool,
}

impl MissedHits {
    /// True if the draws may have missed hits whose weight is larger than the standard error allows for. Draws in an event with larger weights may
    /// have been missed only if few draws in the event were observed, or if all of them have small weights.
    pub(crate) fn may_be_heavier(&self, sampled: f64, p: f64) -> bool {
        let rare = p.min(1.0 - p);
        let hits = effective_hits(p, sampled).max(1.0);
        let typical = rare / hits;
        let is_little = hits < ENOUGH_LIGHT_HITS || typical * self.samples < LIGHT;
        rare > 0.0 && is_little && self.heaviest > (1.0 + MOST_HEAVIER) * typical
    }

    /// Returns the standard error of the probability `p` of an event, given the error `sampled` according to the variance of the samples. If the
    /// event occurs in few draws, the returned error allows for a few draws with the event that were missed.
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
        // For an event of probability one half, the distribution of the number of hits is symmetric.
        let asymmetry = 1.0 - 2.0 * rare;
        sampled + asymmetry * (fades(ENOUGH_HITS) * skewness * typical + MISSED * heavier)
    }
}

/// Returns the standard error of the probability `p` of an event in Markov chains. The error is at least that of independent draws whose number is
/// the number of stays (maximal runs of draws) of the chains in the event or, if the complement is less probable, in the complement.
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

/// Returns the number of independent draws to which the draws of Markov chains are equivalent: their effective sample size. If the chains seldom left
/// their most frequent value, the result is at most the number of stays (maximal runs of equal draws) in other values plus the number of chains.
pub(crate) fn independent_draws(indices: &[u32], chains: usize, effective_samples: f64) -> f64 {
    let outside = stays_elsewhere(indices, chains);
    if outside < MIN_STAYS {
        effective_samples.min((outside + chains as u64) as f64)
    } else {
        effective_samples
    }
}

/// Returns the number of stays of the chains in values other than their most frequent value.
pub(crate) fn stays_elsewhere(indices: &[u32], chains: usize) -> u64 {
    let most = most_frequent(indices);
    let length = (indices.len() / chains.max(1)).max(1);
    let chains = indices.chunks(length);
    let stays = chains.flat_map(|chain| chain.chunk_by(|a, b| a == b));
    let elsewhere = stays.filter(|stay| stay.first().copied() != most);
    elsewhere.count() as u64
}

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
        // Upper 97.5 % limits of the mean of a Poisson distribution for counts of 1, 2, 5, 10 and 20 (Garwood 1936).
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
            // The complement of an event has the same error.
            assert!(
                (with_few_hits((p * (1.0 - p) / n).sqrt(), 1.0 - p, 0.0) / error - 1.0).abs()
                    < 1e-6
            );
        }
        // The error is unchanged if there are many hits, or if the probability is one half.
        assert_eq!(with_few_hits(0.001, 0.1, 0.5), 0.001);
        assert_eq!(with_few_hits(0.1, 0.5, 0.5), 0.1);
    }

    #[test]
    fn a_light_hit_has_the_error_of_a_heavier_one() {
        // One hit has a weight of .0001, and a missed hit may have a weight of .001.
        let error = with_few_hits(1e-4, 1e-4, 1e-3);
        assert!((2.7e-3..3.0e-3).contains(&error), "{error}");
        // If a missed hit (a draw in which the event occurs) may have any weight, the error allows for eleven times the weight of the observed hit.
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
        // The event occurs in a thousand draws, each with a millionth of the mean weight.
        let light = 1e-9;
        let (p, error) = (1e3 * light, 1e3_f64.sqrt() * light);
        assert_eq!(with_few_hits(error, p, 1e-3), error);
        assert!(may_be_heavier(error, p, 1e-3) && !may_be_heavier(error, p, light));
        // If each draw with the event has the mean weight, these draws are representative.
        assert!(!may_be_heavier(1e-3, 0.1, 0.1));
    }

    #[test]
    fn hits_of_chains_are_stays() {
        // Two chains have 400 draws in all, with two stays of 20 draws each.
        let mut draws = vec![0; 400];
        draws[50..70].fill(1);
        draws[300..320].fill(1);
        let error = spread_of_stays(1e-3, 0.1, &[0.0, 1.0], (&draws, 2));
        assert!((error - 0.1 * 0.45_f64.sqrt()).abs() < 1e-12, "{error}");
        assert_eq!(stays_elsewhere(&draws, 2), 2);
        // Consecutive draws of two different values count as two stays.
        assert_eq!(stays_elsewhere(&[0, 0, 0, 1, 2, 3, 0, 1], 2), 4);
        // The stays are counted in the event or in its complement, whichever is less probable.
        let same = spread_of_stays(1e-3, 0.9, &[1.0, 0.0], (&draws, 2));
        assert!((same - error).abs() < 1e-12);
    }
}
