//! A chart of the errors of algorithms against their running times.

use figrs_infer::Comparison;
use figrs_infer::internals::{drawable, range};
use plotters::prelude::*;

use super::{ChartError, Mark, colour, drawn, legend, legend_height};

/// Draws the error curves of algorithms: the largest error of each run against its running time, on logarithmic axes.
pub(crate) fn curves(comparison: &Comparison) -> Result<String, ChartError> {
    let points = || comparison.curves.iter().flat_map(drawable);
    let seconds = range(points().map(|point| point.seconds));
    let errors = range(points().map(|point| point.error));
    let Some((seconds, errors)) = seconds.zip(errors) else {
        return Err(ChartError::Empty {
            chart: "a chart of errors against time",
            remedy: "add a `curve`, and an `exact` answer if none is found",
        });
    };
    let room = |(low, high): (f64, f64)| (low / 1.5..high * 1.5).log_scale();
    let names: Vec<&str> = comparison
        .curves
        .iter()
        .map(|curve| curve.algorithm.as_str())
        .collect();
    let below = legend_height(names.len());
    drawn((720, 400 + below), |area| {
        let (area, names_area) = area.split_vertically(400);
        legend(&names_area, &names, Mark::Line)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(room(seconds), room(errors))?;
        chart
            .configure_mesh()
            .x_desc("seconds")
            .y_desc("largest error")
            .x_label_formatter(&|x| format!("{x:.0e}"))
            .y_label_formatter(&|y| format!("{y:.0e}"))
            .x_labels(6)
            .y_labels(6)
            .light_line_style(BLACK.mix(0.06))
            .draw()?;
        for (number, curve) in comparison.curves.iter().enumerate() {
            let line = drawable(curve).map(|point| (point.seconds, point.error));
            let line: Vec<(f64, f64)> = line.collect();
            let style = colour(number).stroke_width(2);
            chart.draw_series(LineSeries::new(line, style).point_size(3))?;
        }
        Ok(())
    })
}
