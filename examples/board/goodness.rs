//! Whether boards have the distribution that they should have.

use std::collections::HashMap;
use std::hash::Hash;

use figrs::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF, DiscreteCDF, Poisson};

use super::{Engine, Failure, Puzzle};

/// A statistic, and how probable one as far out is if the distribution is right.
pub(crate) struct Test {
    pub(crate) name: &'static str,
    /// What is compared with what, in words.
    pub(crate) about: String,
    pub(crate) statistic: f64,
    pub(crate) p_value: f64,
}

/// The tests that fit the number of boards.
pub(crate) fn tests<P: Puzzle>(
    puzzle: &P,
    engine: &Engine<P::Cell>,
    boards: &[P::Board],
    memory: u64,
) -> Result<Vec<Test>, Failure> {
    let mut tests = vec![cells("cells", &named::<P>(engine)?, boards, P::names)];
    if !puzzle.colours().is_empty() {
        let side = puzzle.side();
        let each = vec![puzzle.colours().to_vec(); side.rows * side.columns];
        tests.push(cells("colours", &each, boards, |board| {
            puzzle.colours_of(board)
        }));
    }
    if puzzle.is_uniform() {
        tests.extend(equal_boards(boards, engine.count()?.parse()?));
    }
    if let Some((length, model)) = puzzle.length()? {
        let exact = Frontier::new().memory(memory).run(&model, &length)?;
        let exact = exact.distribution(&length)?;
        tests.extend(lengths(puzzle, &exact, boards));
    }
    Ok(tests)
}

/// For each cell the names of its values and their probabilities.
pub(crate) fn named<P: Puzzle>(
    engine: &Engine<P::Cell>,
) -> Result<Vec<Vec<(&'static str, f64)>>, Failure> {
    let named = |marginal: Marginal<P::Cell>| {
        let mut named: Vec<(&'static str, f64)> = Vec::new();
        for (cell, p) in &marginal {
            let name = P::name(cell);
            match named.iter_mut().find(|(other, _)| *other == name) {
                Some((_, sum)) => *sum += p,
                None => named.push((name, p)),
            }
        }
        named
    };
    Ok(engine.marginals()?.into_iter().map(named).collect())
}

/// Each cell by itself; the smallest p-value times the number of cells (Bonferroni).
fn cells<B>(
    name: &'static str,
    exact: &[Vec<(&'static str, f64)>],
    boards: &[B],
    names: impl Fn(&B) -> Vec<&'static str>,
) -> Test {
    let mut counts: Vec<Vec<u64>> = exact.iter().map(|cell| vec![0; cell.len()]).collect();
    let mut impossible = false;
    for board in boards {
        for (cell, name) in names(board).into_iter().enumerate() {
            match exact[cell].iter().position(|(other, _)| *other == name) {
                Some(place) => counts[cell][place] += 1,
                None => impossible = true,
            }
        }
    }
    let draws = boards.len() as f64;
    let compared = counts.iter().zip(exact).filter_map(|(counts, exact)| {
        let expected = exact.iter().map(|(_, p)| p * draws);
        pearson(&counts.iter().copied().zip(expected).collect::<Vec<_>>())
    });
    let compared: Vec<(f64, f64)> = compared.collect();
    let worst = compared.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    let (statistic, p_value) = worst.unwrap_or((0.0, 1.0));
    Test {
        name,
        about: format!(
            "chi-square of what a cell is, the worst of {} cells",
            compared.len()
        ),
        statistic,
        p_value: if impossible {
            0.0
        } else {
            (p_value * compared.len().max(1) as f64).min(1.0)
        },
    }
}

/// Of boards that are all equally likely: how often each was drawn if there are enough draws for that, or how many pairs of draws
/// are equal, if some should be.
fn equal_boards<B: Eq + Hash>(boards: &[B], all: f64) -> Option<Test> {
    let mut drawn = HashMap::<&B, u64>::new();
    for board in boards {
        *drawn.entry(board).or_default() += 1;
    }
    let draws = boards.len() as f64;
    if draws >= 5.0 * all {
        let missing = all as usize - drawn.len().min(all as usize);
        let counts = drawn
            .values()
            .copied()
            .chain(std::iter::repeat_n(0, missing));
        let expected: Vec<(u64, f64)> = counts.map(|count| (count, draws / all)).collect();
        let (statistic, p_value) = pearson(&expected)?;
        return Some(Test {
            name: "boards",
            about: format!("chi-square of how often each of {all} boards was drawn"),
            statistic,
            p_value: if expected.len() as f64 > all {
                0.0
            } else {
                p_value
            },
        });
    }
    let expected = draws * (draws - 1.0) / 2.0 / all;
    let pairs: u64 = drawn.values().map(|count| count * (count - 1) / 2).sum();
    let poisson = Poisson::new(expected).ok().filter(|_| expected >= 1.0)?;
    let (below, above) = (
        poisson.cdf(pairs),
        1.0 - pairs.checked_sub(1).map_or(0.0, |less| poisson.cdf(less)),
    );
    Some(Test {
        name: "equal boards",
        about: format!("pairs of equal boards, {expected:.1} expected (Poisson)"),
        statistic: pairs as f64,
        p_value: (2.0 * below.min(above)).min(1.0),
    })
}

/// How long the ways are.
fn lengths<P: Puzzle>(
    puzzle: &P,
    exact: &Marginal<Option<u32>>,
    boards: &[P::Board],
) -> Option<Test> {
    let mut counts = HashMap::<Option<u32>, u64>::new();
    for board in boards {
        *counts.entry(puzzle.length_of(board)).or_default() += 1;
    }
    let draws = boards.len() as f64;
    let expected = exact
        .iter()
        .map(|(length, p)| (counts.remove(length).unwrap_or(0), p * draws));
    let expected: Vec<(u64, f64)> = expected.collect();
    let (statistic, p_value) = pearson(&expected)?;
    Some(Test {
        name: "ways",
        about: "chi-square of the length of the way".into(),
        statistic,
        p_value: if counts.is_empty() { p_value } else { 0.0 },
    })
}

/// Pearson's statistic of counts against what is expected of each, and its p-value; those of which fewer than five are expected count
/// together. `None` if only one is left.
fn pearson(counts: &[(u64, f64)]) -> Option<(f64, f64)> {
    let (common, rare): (Vec<_>, Vec<_>) = counts.iter().partition(|(_, right)| *right >= 5.0);
    let mut compared: Vec<(u64, f64)> = common;
    if !rare.is_empty() {
        let sum = |(n, right): (u64, f64), (m, more): (u64, f64)| (n + m, right + more);
        compared.push(rare.into_iter().fold((0, 0.0), sum));
    }
    let freedom = compared
        .len()
        .checked_sub(1)
        .filter(|&freedom| freedom > 0)?;
    let term = |&(n, right): &(u64, f64)| (n as f64 - right).powi(2) / right;
    let statistic = compared.iter().map(term).sum();
    let law = ChiSquared::new(freedom as f64).ok()?;
    Some((statistic, law.sf(statistic)))
}
