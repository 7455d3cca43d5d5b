//! Scores of structures, computed directly by their formulas.

use figrs_network::NetworkScore;

/// Returns `ln(a (a + 1) ... (a + n - 1))`.
fn log_rising(a: f64, n: usize) -> f64 {
    (0..n).map(|i| (a + i as f64).ln()).sum()
}

/// Returns the term of a variable in a score, computed by enumeration of its states and its parents' configurations.
pub(super) fn term(
    score: NetworkScore,
    states: &[usize],
    child: usize,
    parents: &[usize],
    rows: &[Vec<usize>],
) -> f64 {
    let r = states[child];
    let q: usize = parents.iter().map(|&p| states[p]).product();
    let mut sum = 0.0;
    for configuration in 0..q {
        let mut rest = configuration;
        let at: Vec<(usize, usize)> = parents
            .iter()
            .map(|&p| {
                let state = rest % states[p];
                rest /= states[p];
                (p, state)
            })
            .collect();
        let meets = |row: &&Vec<usize>| at.iter().all(|&(p, state)| row[p] == state);
        let all = rows.iter().filter(meets).count();
        for k in 0..r {
            let n = rows
                .iter()
                .filter(meets)
                .filter(|row| row[child] == k)
                .count();
            sum += match score {
                NetworkScore::Bdeu {
                    equivalent_sample_size: s,
                } => log_rising(s / (r * q) as f64, n),
                NetworkScore::K2 => log_rising(1.0, n),
                _ if n == 0 => 0.0,
                _ => n as f64 * (n as f64 / all as f64).ln(),
            };
        }
        sum -= match score {
            NetworkScore::Bdeu {
                equivalent_sample_size: s,
            } => log_rising(s / q as f64, all),
            NetworkScore::K2 => log_rising(r as f64, all),
            _ => 0.0,
        };
    }
    let parameters = ((r - 1) * q) as f64;
    sum - match score {
        NetworkScore::Bic => (rows.len() as f64).ln() / 2.0 * parameters,
        NetworkScore::Aic => parameters,
        _ => 0.0,
    }
}

pub(super) fn total(
    score: NetworkScore,
    states: &[usize],
    parents: &[Vec<usize>],
    rows: &[Vec<usize>],
) -> f64 {
    let families = parents.iter().enumerate();
    families
        .map(|(child, parents)| term(score, states, child, parents, rows))
        .sum()
}
