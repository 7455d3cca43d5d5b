//! Charts of distributions as bars.

use figrs_infer::Posterior;
use plotters::element::{PathElement, Rectangle, Text};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{ChartError, drawn, plain};

const LINE: i32 = 20;
const NAMES: i32 = 170;
const BARS: i32 = 300;
const NUMBERS: i32 = 170;

/// A chart of a distribution.
pub trait PosteriorChart {
    /// Returns the distribution as an SVG document with a bar for the probability of each value. If the probabilities are estimates, a line extends
    /// from the end of each bar by two standard errors to both sides.
    ///
    /// **Errors.** [`ChartError::Empty`] if the distribution has no values.
    fn to_svg(&self) -> Result<String, ChartError>;
}

impl PosteriorChart for Posterior {
    fn to_svg(&self) -> Result<String, ChartError> {
        if self.classes.is_empty() {
            return Err(ChartError::Empty {
                chart: "a posterior",
                remedy: "use an algorithm that finds a value",
            });
        }
        let height = LINE as usize * (self.classes.len() + 2);
        let size = ((NAMES + BARS + NUMBERS) as u32, height as u32);
        drawn(size, |area| {
            let font = ("sans-serif", 13).into_font();
            let text = |h| TextStyle::from(font.clone()).pos(Pos::new(h, VPos::Center));
            let title = plain(&format!("{} ({})", self.target, self.algorithm), 90);
            area.draw(&Text::new(title, (8, LINE / 2), text(HPos::Left)))?;
            let errors = self.probabilities.iter().zip(&self.standard_errors);
            let rows = (1..).zip(self.classes.iter().zip(errors));
            for (i, (class, (&p, &error))) in rows {
                let y = LINE * i + LINE / 2;
                let x = |p: f64| NAMES + (p.clamp(0.0, 1.0) * f64::from(BARS)) as i32;
                let name = Text::new(plain(class, 24), (NAMES - 6, y), text(HPos::Right));
                area.draw(&name)?;
                let bar = [(NAMES, y - 7), (x(p), y + 7)];
                area.draw(&Rectangle::new(bar, RGBColor(70, 130, 180).filled()))?;
                let mut number = format!("{p:.6}");
                if error > 0.0 && error.is_finite() {
                    let ends = vec![(x(p - 2.0 * error), y), (x(p + 2.0 * error), y)];
                    area.draw(&PathElement::new(ends, BLACK.stroke_width(2)))?;
                    number = format!("{p:.6} ± {error:.6}");
                }
                area.draw(&Text::new(number, (NAMES + BARS + 8, y), text(HPos::Left)))?;
            }
            Ok(())
        })
    }
}
