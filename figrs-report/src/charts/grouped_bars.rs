//! Charts of several series of numbers as bars next to each other.

use plotters::prelude::*;

use super::{ChartError, Mark, colour, drawn, legend, legend_height, plain};

/// A bar chart of several series. For each group of values, such as those of a section of a game level, the chart has one bar for each series.
///
/// ```
/// use figrs_report::GroupedBars;
///
/// let chart = GroupedBars::new("section", "difficulty")
///     .series("training levels", [Some(0.1), Some(0.3)])
///     .series("drawn levels", [Some(0.2), None]);
/// assert!(chart.to_svg()?.starts_with("<svg"));
/// # Ok::<(), figrs_report::ChartError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GroupedBars {
    groups: String,
    values: String,
    series: Vec<(String, Vec<Option<f64>>)>,
}

impl GroupedBars {
    /// Creates a chart without series; the arguments are the names of its axes.
    pub fn new(groups: impl Into<String>, values: impl Into<String>) -> Self {
        Self {
            groups: groups.into(),
            values: values.into(),
            series: Vec::new(),
        }
    }

    /// Adds a series of numbers with one value for each group of bars. A value of a series that is `None` or not finite has no bar.
    #[must_use]
    pub fn series(
        mut self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Self {
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        let values = values.into_iter().map(finite).collect();
        self.series.push((name.into(), values));
        self
    }

    /// Returns the chart as an SVG document, in which the groups are numbered from 1.
    ///
    /// **Errors.** [`ChartError::Empty`] if no series of the chart has a value.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        let all = || self.series.iter().flat_map(|(_, values)| values);
        let Some((low, high)) = all()
            .flatten()
            .fold(None, |range: Option<(f64, f64)>, &value| {
                let (low, high) = range.unwrap_or_default();
                Some((low.min(value), high.max(value)))
            })
        else {
            return Err(ChartError::Empty {
                chart: "a chart of bars",
                remedy: "add a series with a value",
            });
        };
        let groups = self.series.iter().map(|(_, values)| values.len());
        let groups = groups.max().unwrap_or_default();
        let high = if high > low { high } else { low + 1.0 };
        let names: Vec<&str> = self.series.iter().map(|(name, _)| name.as_str()).collect();
        drawn((720, 320 + legend_height(names.len())), |area| {
            let (area, names_area) = area.split_vertically(320);
            legend(&names_area, &names, Mark::Bar)?;
            let mut chart = ChartBuilder::on(&area)
                .margin(12)
                .x_label_area_size(44)
                .y_label_area_size(72)
                .build_cartesian_2d(0.5..groups as f64 + 0.5, low..high * 1.05)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .x_desc(plain(&self.groups, 90))
                .y_desc(plain(&self.values, 40))
                .x_labels(groups.min(20) + 1)
                .x_label_formatter(&|x| format!("{x:.0}"))
                .light_line_style(BLACK.mix(0.06))
                .draw()?;
            let width = 0.8 / self.series.len() as f64;
            for (number, (_, values)) in self.series.iter().enumerate() {
                let style = colour(number).filled();
                let bars = values.iter().enumerate().filter_map(|(group, value)| {
                    let left = group as f64 + 0.6 + width * number as f64;
                    Some(Rectangle::new(
                        [(left, 0.0), (left + width, (*value)?)],
                        style,
                    ))
                });
                chart.draw_series(bars)?;
            }
            Ok(())
        })
    }
}
