//! Charts of one-way sensitivity analyses as bars.

use figrs_learn::{Tornado, TornadoRow};
use plotters::element::{PathElement, Rectangle, Text};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{ChartError, drawn, plain};

const LINE: i32 = 24;
const NAMES: i32 = 170;
const BARS: i32 = 420;
/// Width, in pixels, of the space for a number at each end of a bar.
const MARGIN: i32 = 90;

/// A chart of a one-way sensitivity analysis.
pub trait TornadoChart {
    /// Returns the sensitivity analysis as an SVG document, with a bar for each parameter and the widest bar at the top. The bar of a parameter
    /// extends from the value of the query at one end of the parameter's range to its value at the other end. The part of a parameter's bar towards
    /// the lower end of the range has a light colour, and a line marks the present value of the query.
    ///
    /// **Errors.** [`ChartError::Empty`] if the sensitivity analysis has no parameters.
    fn to_svg(&self) -> Result<String, ChartError>;
}

impl TornadoChart for Tornado {
    fn to_svg(&self) -> Result<String, ChartError> {
        let ends = |row: &TornadoRow| [row.low.1, row.high.1];
        let all = self.rows.iter().flat_map(ends).chain([self.value]);
        let (least, most) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
            (least.min(x), most.max(x))
        });
        if self.rows.is_empty() {
            return Err(ChartError::Empty {
                chart: "a tornado chart",
                remedy: "give it parameters with their ranges",
            });
        }
        let height = LINE as usize * (self.rows.len() + 2);
        let size = ((NAMES + BARS + 2 * MARGIN) as u32, height as u32);
        let left = NAMES + MARGIN;
        let x = |value: f64| {
            let share = (value - least) / (most - least).max(f64::MIN_POSITIVE);
            left + (share.clamp(0.0, 1.0) * f64::from(BARS)) as i32
        };
        drawn(size, |area| {
            let font = ("sans-serif", 13).into_font();
            let text = |h| TextStyle::from(font.clone()).pos(Pos::new(h, VPos::Center));
            let title = plain(&format!("{} = {:.6}", self.query, self.value), 90);
            area.draw(&Text::new(title, (8, LINE / 2), text(HPos::Left)))?;
            for (i, row) in (1..).zip(&self.rows) {
                let y = LINE * i + LINE / 2;
                let range = format!("{} ({} to {})", row.parameter, row.low.0, row.high.0);
                area.draw(&Text::new(plain(&range, 34), (8, y), text(HPos::Left)))?;
                let sides = [
                    (row.low.1, RGBColor(160, 196, 226)),
                    (row.high.1, RGBColor(70, 130, 180)),
                ];
                // If both ends of a parameter's range move the query to the same side of the present value, the wider part of the bar is drawn first.
                let is_wider =
                    |side: f64, other: f64| (side - self.value).abs() > (other - self.value).abs();
                let order = if is_wider(row.high.1, row.low.1) {
                    [1, 0]
                } else {
                    [0, 1]
                };
                for (end, colour) in order.map(|side| sides[side]) {
                    let bar = [
                        (x(end.min(self.value)), y - 8),
                        (x(end.max(self.value)), y + 8),
                    ];
                    area.draw(&Rectangle::new(bar, colour.filled()))?;
                }
                let (lower, upper) = (row.low.1.min(row.high.1), row.low.1.max(row.high.1));
                let (lower, upper) = (lower.min(self.value), upper.max(self.value));
                for (end, place, side) in [(lower, -6, HPos::Right), (upper, 6, HPos::Left)] {
                    let at = (x(end) + place, y);
                    area.draw(&Text::new(format!("{end:.4}"), at, text(side)))?;
                }
            }
            let bottom = self.rows.iter().fold(3 * LINE / 2, |y, _| y + LINE);
            let middle = x(self.value);
            let line = vec![(middle, LINE), (middle, bottom)];
            area.draw(&PathElement::new(line, BLACK.stroke_width(1)))?;
            Ok(())
        })
    }
}
