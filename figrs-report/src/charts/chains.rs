//! Trace plots and rank plots of the draws of Markov chains.

use figrs_core::{AnyElement, Element, Value};
use figrs_infer::diagnostics::mean_ranks;
use figrs_infer::internals::{ConcatenatedChains, NumericColumns, range};
use figrs_infer::{Draws, TargetDraws};
use plotters::prelude::*;

use super::{ChartError, colour, drawn, plain};

/// Maximum number of points that a trace plot shows for each chain.
const POINTS: usize = 1000;
const BINS: usize = 20;

/// Charts of the draws of Markov chains.
pub trait ChainCharts {
    /// Returns a trace plot as an SVG document: a line for each chain, with the value of a target in each draw. For a list of numbers, the trace plot
    /// shows the first number; truth values are drawn as 0 and 1. For a chain of more than a thousand draws, the plot shows at most a thousand evenly
    /// spaced draws.
    ///
    /// **Errors.** [`ChartError::NotATarget`]; [`ChartError::NotNumeric`]; [`ChartError::Misfit`]; [`ChartError::Empty`] if a target has no draws or
    /// no finite values.
    fn trace_svg<T: Value>(&self, element: &Element<T>) -> Result<String, ChartError>;

    /// Returns a rank plot as an SVG document: for each chain, a panel with a histogram of the ranks of the chain's draws among the draws of all
    /// chains. If the chains agree, the bars of a rank plot have equal heights, up to noise (Vehtari et al. 2021, section 4.3). In a rank plot, equal
    /// draws get the mean of their ranks. The rank plot of a target with few values has few bars; if the chains agree, each bar has the same height
    /// in all panels.
    ///
    /// **Errors.** The errors of [`trace_svg`](Self::trace_svg).
    fn rank_svg<T: Value>(&self, element: &Element<T>) -> Result<String, ChartError>;
}

impl ChainCharts for Draws {
    fn trace_svg<T: Value>(&self, element: &Element<T>) -> Result<String, ChartError> {
        trace(self, element.erased())
    }

    fn rank_svg<T: Value>(&self, element: &Element<T>) -> Result<String, ChartError> {
        ranks(self, element.erased())
    }
}

pub(crate) fn trace(draws: &Draws, element: &AnyElement) -> Result<String, ChartError> {
    let numbers = numbers(draws, element)?;
    let finite = numbers.iter().flatten().copied().filter(|x| x.is_finite());
    let Some((low, high)) = range(finite) else {
        return Err(empty());
    };
    let room = 0.05 * (high - low).max(1e-9 * low.abs().max(high.abs()).max(1.0));
    let name = plain(element.label().short(), 60);
    drawn((720, 300), |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .caption(format!("trace of {name}"), ("sans-serif", 16))
            .x_label_area_size(36)
            .y_label_area_size(60)
            .build_cartesian_2d(0..draws.length, low - room..high + room)?;
        chart
            .configure_mesh()
            .x_desc("draw")
            .light_line_style(BLACK.mix(0.06))
            .draw()?;
        for (number, chain) in numbers.iter().enumerate() {
            let every = chain.len().div_ceil(POINTS).max(1);
            let line = chain.iter().copied().enumerate().step_by(every);
            let line = line.filter(|(_, x)| x.is_finite());
            chart.draw_series(LineSeries::new(line, colour(number).mix(0.7)))?;
        }
        Ok(())
    })
}

pub(crate) fn ranks(draws: &Draws, element: &AnyElement) -> Result<String, ChartError> {
    let numbers = numbers(draws, element)?;
    let all: Vec<f64> = numbers.concat();
    let Some(ranks) = mean_ranks(&all) else {
        return Err(empty());
    };
    let counts: Vec<[u32; BINS]> = ranks
        .chunks(draws.length)
        .map(|chain| {
            let mut counts = [0; BINS];
            for rank in chain {
                let bin = ((rank - 0.5) / all.len() as f64 * BINS as f64) as usize;
                counts[bin.min(BINS - 1)] += 1;
            }
            counts
        })
        .collect();
    let highest = counts.iter().flatten().copied().max().unwrap_or(1);
    let name = plain(element.label().short(), 60);
    let panels = counts.len();
    drawn((720, 60 + 110 * panels as u32), |area| {
        let area = area.titled(&format!("ranks of {name}"), ("sans-serif", 16))?;
        for (number, (panel, counts)) in area
            .split_evenly((panels, 1))
            .iter()
            .zip(&counts)
            .enumerate()
        {
            let mut chart = ChartBuilder::on(panel)
                .margin(8)
                .x_label_area_size(18)
                .y_label_area_size(48)
                .build_cartesian_2d(0..all.len(), 0..highest + highest / 10 + 1)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .y_labels(4)
                .y_desc(format!("chain {}", number + 1))
                .draw()?;
            let end = |bin: usize| bin * all.len() / BINS;
            chart.draw_series(counts.iter().enumerate().map(|(bin, &count)| {
                let corners = [(end(bin), 0), (end(bin + 1), count)];
                Rectangle::new(corners, colour(number).mix(0.7).filled())
            }))?;
        }
        Ok(())
    })
}

/// Returns the values of a target, as numbers, in the draws of each chain.
fn numbers(draws: &Draws, element: &AnyElement) -> Result<Vec<Vec<f64>>, ChartError> {
    let target = draws
        .targets
        .iter()
        .find(|target| target.element.id() == element.id());
    let Some(TargetDraws {
        support, indices, ..
    }) = target
    else {
        return Err(ChartError::NotATarget {
            element: element.label(),
        });
    };
    let fits = Some(indices.len()) == draws.chains.checked_mul(draws.length)
        && indices.iter().all(|&i| (i as usize) < support.len());
    if !fits {
        return Err(ChartError::Misfit {
            element: element.label(),
            draws: indices.len(),
            chains: draws.chains,
            length: draws.length,
        });
    }
    if indices.is_empty() {
        return Err(empty());
    }
    let truth = |i| {
        support
            .get::<bool>(i)
            .map(|&truth| f64::from(u8::from(truth)))
    };
    let truths: Option<Vec<f64>> = (0..support.len()).map(truth).collect();
    let columns = NumericColumns::new((0..support.len()).map(|i| support.any(i)));
    let first = columns.iter().next().map(<[f64]>::to_vec);
    let Some(numbers) = truths.or(first) else {
        return Err(ChartError::NotNumeric {
            element: element.label(),
        });
    };
    let chains = ConcatenatedChains::new(&numbers, indices, draws.chains);
    Ok(chains.chains().into_iter().map(<[f64]>::to_vec).collect())
}

fn empty() -> ChartError {
    ChartError::Empty {
        chart: "a plot of chains",
        remedy: "keep draws that are finite numbers",
    }
}
