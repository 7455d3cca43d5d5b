//! Goodness of fit: tests of the distribution of boards.

use std::collections::HashMap;
use std::hash::Hash;

use figrs_command::Failure;
use figrs_infer::{Compiled, Marginal, Run};
use figrs_models::board::{CellDistribution, ExactBoards};
use figrs_models::variation::{GoodnessOfFit, goodness_of_fit};
use statrs::distribution::{DiscreteCDF, Poisson};

use super::puzzle::{CellOf, Puzzle};
use super::watch::Watch;

/// A test statistic with its p-value: the probability of a statistic at least as extreme if the tested distribution is correct.
pub(crate) struct Test {
    pub(crate) name: &'static str,
    /// The comparison that was tested, in words.
    pub(crate) about: String,
    pub(crate) statistic: f64,
    pub(crate) p_value: f64,
}

/// Tests the drawn boards against the exact distributions of cells, colours, boards and lengths of paths.
pub(crate) fn tests<P: Puzzle>(
    puzzle: &P,
    exact: &ExactBoards<&P::Generator>,
    boards: &[P::Board],
    (memory, watch): (u64, &Watch),
) -> Result<Vec<Test>, Failure> {
    let mut tests = Vec::from_iter(cells(
        "cells",
        &named::<P>(exact.marginals()?.iter().map(pairs).collect()),
        boards,
        P::names,
    ));
    if !puzzle.colours().is_empty() {
        let each = vec![puzzle.colours().to_vec(); puzzle.size().cells()];
        let colours_of = |board: &P::Board| puzzle.colours_of(board);
        tests.extend(cells("colours", &each, boards, colours_of));
    }
    if puzzle.is_uniform() {
        tests.extend(equal_boards(
            boards,
            exact.compiled().count()?.to_string().parse()?,
        ));
    }
    if let Some((length, model)) = puzzle.length()? {
        let lengths_of = watch
            .frontier("lengths of paths, element", memory)
            .run(&model, &length)?;
        let lengths_of = lengths_of.distribution(&length)?;
        tests.extend(lengths(puzzle, &lengths_of, boards));
    }
    Ok(tests)
}

/// Returns the values of a cell with their probabilities.
fn pairs<C: figrs_core::Value>(marginal: &Marginal<C>) -> CellDistribution<C> {
    marginal
        .iter()
        .map(|(value, p)| (value.clone(), p))
        .collect()
}

/// Returns for each cell the names of its values and their probabilities.
pub(crate) fn named<P: Puzzle>(
    cells: Vec<CellDistribution<CellOf<P>>>,
) -> Vec<Vec<(&'static str, f64)>> {
    let named = |cell: CellDistribution<CellOf<P>>| {
        let mut named: Vec<(&'static str, f64)> = Vec::new();
        for (value, p) in &cell {
            let name = P::name(value);
            match named.iter_mut().find(|(other, _)| *other == name) {
                Some((_, sum)) => *sum += p,
                None => named.push((name, *p)),
            }
        }
        named
    };
    cells.into_iter().map(named).collect()
}

/// Tests each cell separately; the result is the smallest p-value times the number of cells (Bonferroni). The result is `None` if there are too few
/// boards.
fn cells<B>(
    name: &'static str,
    exact: &[Vec<(&'static str, f64)>],
    boards: &[B],
    names: impl Fn(&B) -> Vec<&'static str>,
) -> Option<Test> {
    let draws = boards.len() as f64;
    let expected = exact.iter().map(|cell| {
        let values = cell.iter();
        values.map(|&(name, p)| (name, (0, p * draws))).collect()
    });
    let mut counts: Vec<HashMap<&str, (u64, f64)>> = expected.collect();
    for board in boards {
        for (counts, name) in counts.iter_mut().zip(names(board)) {
            counts.entry(name).or_default().0 += 1;
        }
    }
    let compared = counts.iter().filter_map(|counts| {
        let mut counts: Vec<(u64, f64)> = counts.values().copied().collect();
        // The counts are sorted, so that their order is the same in each run.
        counts.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
        goodness_of_fit(&counts)
    });
    let compared: Vec<GoodnessOfFit> = compared.collect();
    let worst = compared
        .iter()
        .min_by(|a, b| a.p_value.total_cmp(&b.p_value))?;
    Some(Test {
        name,
        about: format!(
            "chi-square of the value of a cell, for the worst of {} cells",
            compared.len()
        ),
        statistic: worst.statistic,
        p_value: (worst.p_value * compared.len() as f64).min(1.0),
    })
}

/// Tests whether all boards are equally likely: with enough draws by a chi-square test of the counts of boards, otherwise by the number of pairs of
/// equal draws.
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
        let fit = goodness_of_fit(&expected)?;
        return Some(Test {
            name: "boards",
            about: format!("chi-square of the number of draws of each of {all} boards"),
            statistic: fit.statistic,
            p_value: if expected.len() as f64 > all {
                0.0
            } else {
                fit.p_value
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
        about: format!("number of pairs of equal boards; {expected:.1} are expected (Poisson)"),
        statistic: pairs as f64,
        p_value: (2.0 * below.min(above)).min(1.0),
    })
}

/// Tests the distribution of the lengths of paths.
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
    let mut expected: Vec<(u64, f64)> = expected.collect();
    // The remaining lengths are impossible.
    expected.extend(counts.into_values().map(|count| (count, 0.0)));
    let fit = goodness_of_fit(&expected)?;
    Some(Test {
        name: "ways",
        about: "chi-square of the length of the path".into(),
        statistic: fit.statistic,
        p_value: fit.p_value,
    })
}
