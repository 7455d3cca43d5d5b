//! Error curves: the error of an algorithm as a function of its budget.

use figrs_core::{AnyElement, Model};
use serde::Serialize;

use super::row::{ComparisonRow, ReferenceValues};
use super::timed_run::{RunLimits, RunResult};
use figrs_answer::algorithm::Algorithm;

/// The errors of one algorithm as a function of its budget.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Curve {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The points of the curve in the order of the budgets. A budget has a point if the error of at least one of its runs is known.
    pub points: Vec<CurvePoint>,
}

/// The errors and times of the runs of one algorithm with one budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CurvePoint {
    /// The budget of the algorithm: its number of samples, particles, draws or sweeps.
    pub budget: u64,
    /// Number of runs whose error is known.
    pub runs: usize,
    /// The median time of the runs, in seconds.
    pub seconds: f64,
    /// The root mean square of the errors of the runs. The error of a run is its largest error over all estimands.
    pub error: f64,
    /// The root mean square of the standard errors that the runs state; `None` if no run states a standard error.
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

    /// Does all runs of the curve, and calls `tell` before each run.
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
