//! Charts as SVG, by plotters.
//!
//! | chart | file |
//! |---|---|
//! | a distribution: [`PosteriorChart`] | `bars.rs` |
//! | errors against time: [`ComparisonPage::curves_svg`](crate::ComparisonPage::curves_svg) | `curves.rs` |
//! | several series side by side: [`GroupedBars`] | `grouped_bars.rs` |
//! | a one-way sensitivity analysis: [`TornadoChart`] | `tornado.rs` |
//! | traces and ranks: [`ChainCharts`] | `chains.rs` |

mod bars;
pub(crate) mod chains;
pub(crate) mod curves;
mod grouped_bars;
#[cfg(test)]
mod tests;
mod tornado;

use std::error::Error;

use figrs_core::Label;
use figrs_derive::ErrorDebug;
use plotters::coord::Shift;
use plotters::prelude::*;
use thiserror::Error;

pub use bars::PosteriorChart;
pub use chains::ChainCharts;
pub use grouped_bars::GroupedBars;
pub use tornado::TornadoChart;

/// Reason that there is no chart.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum ChartError {
    /// There is nothing to draw.
    #[error("{chart} has nothing to show; {remedy}")]
    Empty {
        /// The chart.
        chart: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// The element was not a target of the run.
    #[error("{element} was not a target of this run; add it to the targets")]
    NotATarget {
        /// The element.
        element: Label,
    },
    /// The values of the element have no order on an axis.
    #[error(
        "the values of {element} are no numbers and no truth values; draw a function of it (`map`) that is a number"
    )]
    NotNumeric {
        /// The element.
        element: Label,
    },
    /// The numbers of draws and chains do not fit together.
    #[error(
        "{draws} draws of {element} do not fit {chains} chains of {length} draws; give each target `chains * length` positions"
    )]
    Misfit {
        /// The element.
        element: Label,
        /// Draws.
        draws: usize,
        /// Chains.
        chains: usize,
        /// Draws in each.
        length: usize,
    },
    /// The drawing failed.
    #[error("the chart cannot be drawn: {0}; report this with the numbers that were drawn")]
    Drawing(String),
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Runs a drawing closure on an area of this size; returns the SVG.
fn drawn(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), Box<dyn Error>>,
) -> Result<String, ChartError> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let done = area.fill(&WHITE).map_err(Into::into);
    let done = done.and_then(|()| draw(&area));
    let done = done.and_then(|()| area.present().map_err(Into::into));
    done.map_err(|error| ChartError::Drawing(error.to_string()))?;
    drop(area);
    Ok(svg)
}

/// The colour of the curve or chain of this number.
fn colour(number: usize) -> PaletteColor<Palette99> {
    Palette99::pick(number)
}

/// A text without control characters, which XML cannot hold, cut after so many.
fn plain(text: &str, longest: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut plain: String = text.chars().take(longest).map(plain).collect();
    if text.chars().nth(longest).is_some() {
        plain.push('…');
    }
    plain
}
