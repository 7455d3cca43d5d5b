//! Tests of the quality measures against direct computations, and on chains whose properties are known.

use figrs_core::stream;
use rand::RngExt;
use statrs::distribution::{Cauchy, ContinuousCDF, Normal};

use crate::quality::diagnostics::*;

type ChainDraws = Vec<Vec<f64>>;

fn slices(chains: &ChainDraws) -> Vec<&[f64]> {
    chains.iter().map(Vec::as_slice).collect()
}

/// Returns chains of independent draws; `inverse` is the inverse of the distribution function.
fn independent(
    chains: usize,
    length: usize,
    seed: u64,
    inverse: impl Fn(f64) -> f64,
) -> ChainDraws {
    let chain = |part| {
        let mut random = stream(seed, part);
        (0..length).map(|_| inverse(random.random())).collect()
    };
    (0..chains as u64).map(chain).collect()
}

fn normal(chains: usize, length: usize, seed: u64) -> ChainDraws {
    let normal = Normal::standard();
    independent(chains, length, seed, |p| normal.inverse_cdf(p))
}

/// Returns stationary chains of the autoregression `x' = ρ x + √(1 − ρ²) e`, with a standard normal distribution.
fn autoregressive(chains: usize, length: usize, rho: f64, seed: u64) -> ChainDraws {
    let mut all = normal(chains, length, seed);
    for chain in &mut all {
        for i in 1..length {
            chain[i] = rho * chain[i - 1] + (1.0 - rho * rho).sqrt() * chain[i];
        }
    }
    all
}

fn split(chains: &ChainDraws) -> ChainDraws {
    let half = chains[0].len() / 2;
    let halves = |chain: &Vec<f64>| [chain[..half].to_vec(), chain[chain.len() - half..].to_vec()];
    chains.iter().flat_map(halves).collect()
}

fn average(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    numbers.clone().sum::<f64>() / numbers.count() as f64
}

/// Returns `W` and `var⁺`, computed by their definitions.
fn direct_spread(sequences: &ChainDraws) -> (f64, f64) {
    let (m, n) = (sequences.len() as f64, sequences[0].len() as f64);
    let means: Vec<f64> = sequences
        .iter()
        .map(|s| average(s.iter().copied()))
        .collect();
    let grand = average(means.iter().copied());
    let between = n / (m - 1.0) * means.iter().map(|x| (x - grand).powi(2)).sum::<f64>();
    let variances = sequences
        .iter()
        .zip(&means)
        .map(|(s, mean)| s.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0));
    let within = average(variances);
    (within, (n - 1.0) / n * within + between / n)
}

/// Returns the effective sample size of the mean, computed step by step over all lags.
fn direct_ess(chains: &ChainDraws) -> f64 {
    let sequences = split(chains);
    let (m, n) = (sequences.len(), sequences[0].len());
    let (within, total) = direct_spread(&sequences);
    let mut rho = vec![1.0; n];
    for (lag, rho) in rho.iter_mut().enumerate().skip(1) {
        let covariances = sequences.iter().map(|s| {
            let mean = average(s.iter().copied());
            (lag..n)
                .map(|i| (s[i] - mean) * (s[i - lag] - mean))
                .sum::<f64>()
                / n as f64
        });
        *rho = 1.0 - (within - average(covariances)) / total;
    }
    let mut pairs: Vec<f64> = rho.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
    let positive = pairs.iter().position(|&p| p <= 0.0).unwrap_or(pairs.len());
    let next = rho.get(2 * positive).copied().unwrap_or(0.0).max(0.0);
    pairs.truncate(positive);
    for k in 1..pairs.len() {
        pairs[k] = pairs[k].min(pairs[k - 1]);
    }
    let time = -1.0 + 2.0 * pairs.iter().sum::<f64>() + next;
    let draws = (m * n) as f64;
    draws / time.max(1.0 / draws.log10())
}

/// Returns the normal scores of ranks that are found by counting.
fn direct_scores(chains: &ChainDraws) -> ChainDraws {
    let all: Vec<f64> = split(chains).concat();
    let score = |&x: &f64| {
        let below = all.iter().filter(|&&y| y < x).count() as f64;
        let equal = all.iter().filter(|&&y| y == x).count() as f64;
        let rank = below + equal.midpoint(1.0);
        Normal::standard().inverse_cdf((rank - 0.375) / (all.len() as f64 + 0.25))
    };
    chains
        .iter()
        .map(|chain| chain.iter().map(score).collect())
        .collect()
}

fn direct_r_hat(chains: &ChainDraws) -> f64 {
    let (within, total) = direct_spread(&split(chains));
    (total / within).sqrt()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs(), "{a} and {b}");
}

#[test]
fn the_measures_are_those_computed_directly() {
    let antithetic = autoregressive(2, 100, -0.8, 4);
    let rounded = |chains: ChainDraws| -> ChainDraws {
        let round = |chain: Vec<f64>| chain.into_iter().map(|x| (2.0 * x).round()).collect();
        chains.into_iter().map(round).collect()
    };
    let cases = [
        normal(4, 60, 1),
        autoregressive(3, 200, 0.7, 2),
        autoregressive(1, 150, 0.95, 3),
        rounded(autoregressive(4, 80, 0.5, 5)),
        antithetic,
    ];
    for chains in &cases {
        let views = slices(chains);
        close(mean_ess(&views), direct_ess(chains));
        close(split_r_hat(&views), direct_r_hat(chains));
        let scores = direct_scores(chains);
        close(bulk_ess(&views), direct_ess(&scores));
        close(bulk_r_hat(&views), direct_r_hat(&scores));
        let all = split(chains).concat();
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[all.len() / 2 - 1].midpoint(sorted[all.len() / 2]);
        let fold = |chain: &Vec<f64>| chain.iter().map(|x| (x - median).abs()).collect();
        let folded: ChainDraws = chains.iter().map(fold).collect();
        close(folded_r_hat(&views), direct_r_hat(&direct_scores(&folded)));
        let tails = [0.05, 0.95].map(|p| {
            let cut = sorted[(p * all.len() as f64 - 1e-9).ceil() as usize - 1];
            let below = |chain: &Vec<f64>| {
                chain
                    .iter()
                    .map(|&x| f64::from(u8::from(x <= cut)))
                    .collect()
            };
            direct_ess(&chains.iter().map(below).collect())
        });
        close(tail_ess(&views), tails[0].min(tails[1]));
    }
}

/// The expected results are those of ArviZ 0.23.4 for chains `x' = 0.8 x + e`, which any program can reproduce: `e` comes from a
/// linear congruential generator, and the numbers of the third chain are cubed.
#[test]
fn the_measures_are_those_of_arviz() {
    let mut state = 12345_u32;
    let mut chain = |cubed: bool| -> Vec<f64> {
        let mut x = 0.0;
        let mut step = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            x = 0.8 * x + (f64::from(state) / 4_294_967_296.0 - 0.5);
            if cubed { x * x * x } else { x }
        };
        (0..200).map(|_| step()).collect()
    };
    let chains = vec![chain(false), chain(false), chain(true)];
    let views = slices(&chains);
    close(mean_ess(&views), 41.072_213_933_339_114);
    close(bulk_ess(&views), 41.378_032_753_101_86);
    // For these draws, the results of ArviZ and of this library differ by three parts in ten thousand.
    let tail = tail_ess(&views) / 47.650_887_586_791_89;
    assert!((tail - 1.0).abs() < 1e-3, "{tail}");
    close(split_r_hat(&views), 1.050_235_791_962_634_6);
    close(bulk_r_hat(&views), 1.049_446_586_062_678_7);
    close(folded_r_hat(&views), 1.189_105_013_652_194_8);
    close(r_hat(&views), 1.189_105_013_652_194_8);
    close(mcse_mean(&views), 0.061_775_672_597_012_325);
}

#[test]
fn independent_draws_all_count() {
    let chains = normal(4, 1000, 11);
    let views = slices(&chains);
    for ess in [mean_ess(&views), bulk_ess(&views), tail_ess(&views)] {
        assert!((3400.0..4700.0).contains(&ess), "{ess}");
    }
    assert!((r_hat(&views) - 1.0).abs() < 0.005, "{}", r_hat(&views));
    assert!((mcse_mean(&views) * 4000.0_f64.sqrt() - 1.0).abs() < 0.1);
    // The standard deviation of a normal sample has the standard error 1 / √(2 n), and its median √(π / 2 n).
    assert!((mcse_sd(&views) * 8000.0_f64.sqrt() - 1.0).abs() < 0.15);
    let median = (std::f64::consts::FRAC_PI_2 / 4000.0).sqrt();
    assert!((mcse_quantile(&views, 0.5) / median - 1.0).abs() < 0.2);
}

#[test]
fn autocorrelation_leaves_its_share() {
    for (rho, seed) in [(0.3, 21), (0.6, 22), (0.9, 23), (-0.4, 24)] {
        let chains = autoregressive(4, 20_000, rho, seed);
        let share = (1.0 - rho) / (1.0 + rho);
        let ess = mean_ess(&slices(&chains)) / 80_000.0;
        assert!((ess / share - 1.0).abs() < 0.1, "{rho}: {ess} for {share}");
    }
}

#[test]
fn few_lags_are_as_good_as_all() {
    for (rho, seed) in [(0.98, 41), (0.99, 42), (0.995, 43)] {
        let chains = autoregressive(4, 4_000, rho, seed);
        let share = mean_ess(&slices(&chains)) / direct_ess(&chains);
        assert!((share - 1.0).abs() < 0.05, "{rho}: {share}");
    }
}

#[test]
fn long_correlations_are_found_with_few_lags() {
    // The correlation time is 4000, beyond the lags that are computed first.
    let rho: f64 = 1999.5 / 2000.5;
    let chains = autoregressive(4, 400_000, rho, 31);
    let expected = 1_600_000.0 * (1.0 - rho) / (1.0 + rho);
    let ess = mean_ess(&slices(&chains));
    assert!(
        (0.6..1.6).contains(&(ess / expected)),
        "{ess} for {expected}"
    );
}

#[test]
fn chains_in_different_places_disagree() {
    let mut chains = normal(4, 500, 41);
    assert!(r_hat(&slices(&chains)) < 1.01);
    for x in &mut chains[0] {
        *x += 1.5;
    }
    let views = slices(&chains);
    assert!(
        r_hat(&views) > 1.1 && bulk_ess(&views) < 40.0,
        "{} {}",
        r_hat(&views),
        bulk_ess(&views)
    );
    let still: ChainDraws = (0..4u8).map(|c| vec![f64::from(c); 10_000]).collect();
    let views = slices(&still);
    assert_eq!(split_r_hat(&views), f64::INFINITY);
    assert!(
        (3.5..4.5).contains(&mean_ess(&views)),
        "{}",
        mean_ess(&views)
    );
}

#[test]
fn a_drifting_chain_disagrees_with_itself() {
    let mut chains = normal(1, 1000, 51);
    for (i, x) in chains[0].iter_mut().enumerate() {
        *x += i as f64 / 500.0;
    }
    assert!(r_hat(&slices(&chains)) > 1.1);
}

#[test]
fn another_scale_is_found_by_folding_only() {
    let mut chains = normal(4, 1000, 61);
    for x in &mut chains[3] {
        *x *= 3.0;
    }
    let views = slices(&chains);
    assert!(bulk_r_hat(&views) < 1.01, "{}", bulk_r_hat(&views));
    assert!(folded_r_hat(&views) > 1.05, "{}", folded_r_hat(&views));
}

#[test]
fn ranks_stand_where_moments_do_not_exist() {
    let cauchy = Cauchy::new(0.0, 1.0).unwrap();
    let mut chains = independent(4, 1000, 71, |p| cauchy.inverse_cdf(p));
    let views = slices(&chains);
    assert!(r_hat(&views) < 1.01 && bulk_ess(&views) > 3000.0);
    for x in &mut chains[0] {
        *x += 3.0;
    }
    let views = slices(&chains);
    assert!(bulk_r_hat(&views) > 1.05, "{}", bulk_r_hat(&views));
    assert!(split_r_hat(&views) < 1.01, "{}", split_r_hat(&views));
}

#[test]
fn what_draws_cannot_tell_is_nan() {
    let short: &[&[f64]] = &[&[1.0, 2.0, 3.0], &[1.0, 2.0, 4.0]];
    let constant: &[&[f64]] = &[&[1.0; 8], &[1.0; 8]];
    let not_a_number: &[&[f64]] = &[&[1.0, 2.0, f64::NAN, 4.0]];
    let none: &[&[f64]] = &[];
    for chains in [short, constant, not_a_number, none, &[&[]]] {
        for measure in [
            mean_ess,
            bulk_ess,
            tail_ess,
            r_hat,
            split_r_hat,
            mcse_mean,
            mcse_sd,
        ] {
            assert!(measure(chains).is_nan(), "{chains:?}");
        }
        assert!(mcse_quantile(chains, 0.5).is_nan(), "{chains:?}");
    }
}

#[test]
fn infinite_draws_have_ranks() {
    let mut chains = normal(2, 200, 81);
    chains[0][7] = f64::INFINITY;
    let views = slices(&chains);
    assert!(bulk_ess(&views) > 200.0 && mean_ess(&views).is_nan());
}

#[test]
fn the_tail_of_weights_has_its_shape() {
    // If `u` is uniform, the weights `u^(-k)` have a Pareto distribution of shape k.
    for (k, seed) in [(0.2, 91), (0.5, 92), (1.0, 93)] {
        let draws = independent(1, 20_000, seed, |u| -k * (1.0 - u).ln());
        let fitted = pareto_k(&draws[0]);
        assert!((fitted - k).abs() < 0.15, "{fitted} for {k}");
    }
    let bounded = independent(1, 20_000, 94, f64::ln);
    assert!(pareto_k(&bounded[0]) < 0.1);
    assert_eq!(pareto_k(&[0.3; 1000]), f64::NEG_INFINITY);
    assert!(pareto_k(&[0.0; 10]).is_nan() && pareto_k(&[]).is_nan());
    let mut giant = vec![0.0; 1000];
    giant[..3].copy_from_slice(&[9.0, 8.0, 7.0]);
    assert!(pareto_k(&giant).is_nan());
}
