//! Error curves: the error of an algorithm as a function of its budget, also as a text plot.

use std::fmt;

use serde::Serialize;

use super::comparison::Comparison;
use super::display::time;
use super::row::{ComparisonRow, ReferenceValues};
use super::timed_run::{RunLimits, RunResult};
use figrs_answer::algorithm::Algorithm;
use figrs_core::{AnyElement, Model};

/// The errors of one algorithm as a function of its budget.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Curve {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The points of the curve in the order of the budgets. The curve has a point for each budget with at least one run whose error is known.
    pub points: Vec<CurvePoint>,
}

/// The errors and times of the runs of one algorithm with one budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CurvePoint {
    /// The budget of the algorithm: its number of samples, particles, draws or sweeps.
    pub budget: u64,
    /// Number of runs with this budget whose error is known.
    pub runs: usize,
    /// The median time of the runs with this budget, in seconds.
    pub seconds: f64,
    /// The root mean square of the errors of the runs with this budget. The error of a run is its largest error over all compared quantities.
    pub error: f64,
    /// The root mean square of the standard errors that the runs with this budget state; `None` if no run states a standard error.
    pub standard_error: Option<f64>,
}

/// A function that creates an algorithm for a budget and a seed.
type AlgorithmFactory = Box<dyn Fn(u64, u64) -> Box<dyn Algorithm>>;

pub(super) struct CurveSettings {
    pub(super) budgets: Vec<u64>,
    pub(super) runs: u64,
    pub(super) make: AlgorithmFactory,
}

pub(super) struct CurveRuns {
    algorithm: String,
    laps: Vec<(u64, Vec<RunResult>)>,
}

impl CurveSettings {
    /// Returns the number of runs of the curve, including the warm-up run.
    pub(super) fn steps(&self) -> usize {
        self.budgets.len() * self.runs as usize + 1
    }

    /// Does all runs of the error curve, and calls `tell` before each run.
    pub(super) fn run(
        &self,
        rules: &RunLimits,
        model: &Model,
        targets: &[AnyElement],
        mut tell: impl FnMut(&str),
    ) -> CurveRuns {
        let mut algorithm = String::new();
        let mut laps = Vec::new();
        // The first run in a program is slower than later runs. An unmeasured run is therefore made first.
        if let Some(&least) = self.budgets.iter().min() {
            let contender = (self.make)(least, 0);
            tell(&format!("{} with {least}", contender.name()));
            rules.run(contender.into(), model, targets);
        }
        for &budget in &self.budgets {
            let mut outcomes = Vec::new();
            for seed in 0..self.runs {
                let contender = (self.make)(budget, seed);
                contender.name().clone_into(&mut algorithm);
                tell(&format!("{algorithm} with {budget}"));
                outcomes.push(rules.run(contender.into(), model, targets));
            }
            laps.push((budget, outcomes));
        }
        CurveRuns { algorithm, laps }
    }
}

impl CurveRuns {
    pub(super) fn curve(self, yardstick: &ReferenceValues<'_>) -> Curve {
        let mut points = Vec::new();
        for (budget, outcomes) in self.laps {
            let rows = outcomes
                .into_iter()
                .map(|outcome| ComparisonRow::new(self.algorithm.clone(), outcome, yardstick));
            let rows: Vec<ComparisonRow> = rows.filter(|row| row.error.is_some()).collect();
            let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
            seconds.sort_by(f64::total_cmp);
            let error = root_mean_square(rows.iter().filter_map(|row| row.error));
            let Some((error, &seconds)) = error.zip(seconds.get(seconds.len() / 2)) else {
                continue;
            };
            let standard_error = root_mean_square(rows.iter().filter_map(|row| row.standard_error));
            points.push(CurvePoint {
                budget,
                runs: rows.len(),
                seconds,
                error,
                standard_error,
            });
        }
        Curve {
            algorithm: self.algorithm,
            points,
        }
    }
}

fn root_mean_square(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, squares) = numbers.fold((0_u32, 0.0), |(n, sum), x| (n + 1, sum + x * x));
    (count > 0).then(|| (squares / f64::from(count)).sqrt())
}

const WIDTH: usize = 60;
const HEIGHT: usize = 14;

/// Returns the points of a curve whose coordinates are finite on logarithmic axes.
pub fn drawable(curve: &Curve) -> impl Iterator<Item = &CurvePoint> {
    let points = curve.points.iter();
    points.filter(|point| point.seconds > 0.0 && point.error > 0.0 && point.error.is_finite())
}

/// Returns the smallest and the largest of `numbers`; `None` if there are none.
pub fn range(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let wider = |range: Option<(f64, f64)>, x: f64| {
        Some(range.map_or((x, x), |(low, high)| (low.min(x), high.max(x))))
    };
    numbers.fold(None, wider)
}

impl Comparison {
    /// Plots the error of each point of the error curves against its time, on logarithmic axes; each curve has its own letter.
    pub(super) fn plot(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = || self.curves.iter().flat_map(drawable);
        let seconds = range(points().map(|point| point.seconds));
        let errors = range(points().map(|point| point.error));
        let Some((seconds, errors)) = seconds.zip(errors) else {
            return Ok(());
        };
        let mut grid = vec![vec![' '; WIDTH]; HEIGHT];
        for (letter, curve) in ('A'..='Z').cycle().zip(&self.curves) {
            for point in drawable(curve) {
                let column = log_position(point.seconds, seconds, WIDTH);
                let row = HEIGHT - 1 - log_position(point.error, errors, HEIGHT);
                grid[row][column] = match grid[row][column] {
                    ' ' => letter,
                    _ => '*',
                };
            }
        }
        writeln!(f, "\nlargest error against time")?;
        for (i, row) in grid.iter().enumerate() {
            let label = match i {
                0 => format!("{:.1e}", errors.1),
                _ if i == HEIGHT - 1 => format!("{:.1e}", errors.0),
                _ => String::new(),
            };
            let row: String = row.iter().collect();
            writeln!(f, "{label:>8} │{}", row.trim_end())?;
        }
        writeln!(f, "{:>8} └{}", "", "─".repeat(WIDTH))?;
        let (first, last) = (time(seconds.0), time(seconds.1));
        let gap = WIDTH.saturating_sub(first.chars().count());
        writeln!(f, "{:>10}{first}{last:>gap$}", "")?;
        for (letter, curve) in ('A'..='Z').cycle().zip(&self.curves) {
            writeln!(f, "{:>10}{letter} {}", "", curve.algorithm)?;
        }
        Ok(())
    }
}

/// Returns the position of the number `x`, from 0 to `places - 1`, on a logarithmic axis from `low` to `high`.
fn log_position(x: f64, (low, high): (f64, f64), places: usize) -> usize {
    let share = (x / low).ln() / (high / low).ln();
    // If `low` and `high` are equal, `share` is NaN, and the position is 0.
    (share.clamp(0.0, 1.0) * (places - 1) as f64).round() as usize
}
