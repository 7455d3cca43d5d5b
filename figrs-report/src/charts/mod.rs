//! Charts as SVG documents, drawn by the crate plotters.
//!
//! | chart | file |
//! |---|---|
//! | a distribution: [`PosteriorChart`] | `bars.rs` |
//! | errors against time: [`ComparisonPage::curves_svg`](crate::ComparisonPage::curves_svg) | `curves.rs` |
//! | several series side by side: [`GroupedBars`] | `grouped_bars.rs` |
//! | a one-way sensitivity analysis: [`TornadoChart`] | `tornado.rs` |
//! | traces and ranks: [`ChainCharts`] | `chains.rs` |
//! | means with bands, over time: [`BandChart`] | `bands.rs` |

mod bands;
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
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thiserror::Error;

pub use bands::{BandChart, BandPoint};
pub use bars::PosteriorChart;
pub use chains::ChainCharts;
pub use grouped_bars::GroupedBars;
pub use tornado::TornadoChart;

/// The reason why a chart cannot be drawn.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum ChartError {
    /// The data of the chart are empty.
    #[error("{chart} has nothing to show; {remedy}")]
    Empty {
        /// The kind of chart.
        chart: &'static str,
        /// The remedy for the empty data, worded as a request.
        remedy: &'static str,
    },
    /// The charted element was not a target of the run.
    #[error("{element} was not a target of this run; add it to the targets")]
    NotATarget {
        /// The element that is not a target.
        element: Label,
    },
    /// The values of the element cannot be ordered on an axis.
    #[error(
        "the values of {element} are neither numbers nor truth values; chart a function of it (`map`) that returns numbers"
    )]
    NotNumeric {
        /// The element whose values cannot be ordered.
        element: Label,
    },
    /// The number of a target's draws is not the number of chains times the number of draws in each chain.
    #[error(
        "{draws} draws of {element} do not fit {chains} chains of {length} draws; give each target `chains * length` positions"
    )]
    Misfit {
        /// The target with the wrong number of draws.
        element: Label,
        /// Number of draws.
        draws: usize,
        /// Number of chains.
        chains: usize,
        /// Number of draws in each chain.
        length: usize,
    },
    /// The library `plotters`, which draws the charts, reported an error.
    #[error("the chart cannot be drawn: {0}; report this with the numbers that were drawn")]
    Drawing(String),
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Calls `draw`, which draws on an area of the size `size`, and returns the drawing as an SVG document.
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

/// The mark that represents a series in a chart's legend, such as a line.
#[derive(Clone, Copy)]
enum Mark {
    Line,
    Bar,
}

/// Number of names in each line of a chart's legend.
const ACROSS: usize = 2;
const LEGEND_LINE: i32 = 20;

fn legend_height(names: usize) -> u32 {
    LEGEND_LINE as u32 * names.div_ceil(ACROSS) as u32 + 12
}

/// Draws the legend of a chart with the names and colours of its series. The legend is below the chart, and covers no part of the chart.
fn legend(area: &Area<'_>, names: &[&str], mark: Mark) -> Result<(), Box<dyn Error>> {
    let font = ("sans-serif", 13).into_font();
    let text = TextStyle::from(font).pos(Pos::new(HPos::Left, VPos::Center));
    let width = (area.dim_in_pixel().0 as i32 - 90) / ACROSS as i32;
    let (mut x, mut y) = (84, LEGEND_LINE / 2);
    for (number, name) in names.iter().enumerate() {
        let style = colour(number);
        match mark {
            Mark::Line => area.draw(&PathElement::new(
                [(x, y), (x + 18, y)],
                style.stroke_width(2),
            ))?,
            Mark::Bar => area.draw(&Rectangle::new(
                [(x, y - 5), (x + 14, y + 5)],
                style.filled(),
            ))?,
        }
        area.draw(&Text::new(plain(name, 40), (x + 26, y), text.clone()))?;
        x += width;
        if (number + 1) % ACROSS == 0 {
            (x, y) = (84, y + LEGEND_LINE);
        }
    }
    Ok(())
}

/// Returns the colour of the curve or the Markov chain with the given index.
fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

/// Colours that can be distinguished on a white background, on a black background after inversion, and by most people with colour
/// blindness.
const COLOURS: [RGBColor; 8] = [
    RGBColor(36, 87, 197),
    RGBColor(213, 94, 0),
    RGBColor(0, 140, 100),
    RGBColor(176, 60, 140),
    RGBColor(60, 150, 220),
    RGBColor(140, 86, 45),
    RGBColor(110, 110, 110),
    RGBColor(196, 40, 40),
];

/// Returns `text` with spaces in the place of control characters, which XML does not allow; a text of more than `longest` characters is cut.
fn plain(text: &str, longest: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut plain: String = text.chars().take(longest).map(plain).collect();
    if text.chars().nth(longest).is_some() {
        plain.push('…');
    }
    plain
}
