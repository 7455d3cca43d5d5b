//! Error curves as text plots.

use std::fmt;

use super::comparison::Comparison;
use super::curve::{Curve, CurvePoint};
use super::display::time;

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
