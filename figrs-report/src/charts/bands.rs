//! Charts of means with bands of two standard deviations, over time.

use figrs_infer::internals::range;
use plotters::prelude::*;

use super::{ChartError, Mark, colour, drawn, legend, legend_height};

/// The mean and the standard deviation of an uncertain number at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandPoint {
    /// The time.
    pub time: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// A chart of uncertain numbers over time. In the chart, each uncertain number has a line for its mean, and a band of two standard deviations around
/// the line.
///
/// ```
/// use figrs_report::{BandChart, BandPoint};
///
/// let point = |time, mean| BandPoint { time, mean, deviation: 0.5 };
/// let chart = BandChart::new("day", "skill").band("anna", vec![point(0.0, 1.0), point(1.0, 1.5)]);
/// assert!(chart.to_svg()?.starts_with("<svg"));
/// # Ok::<(), figrs_report::ChartError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct BandChart {
    time: String,
    number: String,
    bands: Vec<(String, Vec<BandPoint>)>,
    readings: Vec<(f64, f64)>,
}

impl BandChart {
    /// Creates an empty chart; the texts describe the axes.
    pub fn new(time: impl Into<String>, number: impl Into<String>) -> Self {
        Self {
            time: time.into(),
            number: number.into(),
            ..Self::default()
        }
    }

    /// Adds an uncertain number named `name` to the chart; `points` are its means and standard deviations in the order of time.
    pub fn band(mut self, name: impl Into<String>, points: Vec<BandPoint>) -> Self {
        self.bands.push((name.into(), points));
        self
    }

    /// Adds measured numbers, each with its time; the chart shows the numbers as dots.
    pub fn readings(mut self, readings: Vec<(f64, f64)>) -> Self {
        self.readings = readings;
        self
    }

    /// Returns the chart as an SVG document.
    ///
    /// **Errors.** [`ChartError::Empty`] if the chart has no point with finite numbers.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        let is_finite = |p: &&BandPoint| p.time.is_finite() && (p.mean + p.deviation).is_finite();
        let points = || {
            self.bands
                .iter()
                .flat_map(|(_, points)| points.iter().filter(is_finite))
        };
        let times = range(points().map(|p| p.time));
        let ends = points().flat_map(|p| [p.mean - 2.0 * p.deviation, p.mean + 2.0 * p.deviation]);
        let numbers = range(ends.chain(self.readings.iter().map(|reading| reading.1)));
        let Some((times, numbers)) = times.zip(numbers) else {
            return Err(ChartError::Empty {
                chart: "a chart of bands",
                remedy: "add a band with at least one point",
            });
        };
        let room = |(low, high): (f64, f64)| {
            let room = 0.03 * (high - low).max(1e-9 * low.abs().max(high.abs()).max(1.0));
            low - room..high + room
        };
        let names: Vec<&str> = self.bands.iter().map(|(name, _)| name.as_str()).collect();
        let below = legend_height(names.len());
        drawn((860, 420 + below), |area| {
            let (area, names_area) = area.split_vertically(420);
            legend(&names_area, &names, Mark::Line)?;
            let mut chart = ChartBuilder::on(&area)
                .margin(12)
                .x_label_area_size(44)
                .y_label_area_size(64)
                .build_cartesian_2d(room(times), room(numbers))?;
            chart
                .configure_mesh()
                .x_desc(&self.time)
                .y_desc(&self.number)
                .light_line_style(BLACK.mix(0.06))
                .draw()?;
            for (number, (_, points)) in self.bands.iter().enumerate() {
                let points: Vec<&BandPoint> = points.iter().filter(is_finite).collect();
                let upper = points.iter().map(|p| (p.time, p.mean + 2.0 * p.deviation));
                let lower = points
                    .iter()
                    .rev()
                    .map(|p| (p.time, p.mean - 2.0 * p.deviation));
                let band: Vec<(f64, f64)> = upper.chain(lower).collect();
                chart.draw_series([Polygon::new(band, colour(number).mix(0.15))])?;
                let line = points.iter().map(|p| (p.time, p.mean));
                chart.draw_series(LineSeries::new(line, colour(number).stroke_width(2)))?;
            }
            let dot = |&place: &(f64, f64)| Circle::new(place, 2, BLACK.mix(0.6).filled());
            chart.draw_series(self.readings.iter().map(dot))?;
            Ok(())
        })
    }
}
