//! Tracks as text, as JSON and as a picture.

use std::io::{self, Write};

use figrs_command::{Failure, WrittenAnswer, as_json};
use figrs_report::{BandChart, BandPoint};
use serde_json::{Value as Json, json};

use crate::readings::Reading;
use crate::track::{Moments, Step, Track};

/// A track (the states at all steps), and the options that decide how the track is printed.
pub(crate) struct Report<'a> {
    pub(crate) track: &'a Track,
}

fn moments(moments: &Moments) -> Json {
    json!({"mean": moments.means, "sd": moments.deviations})
}

/// Returns the JSON answer to one line of a stream of readings.
pub(crate) fn line(step: &Step, log_evidence: f64) -> Json {
    json!({
        "predicted": moments(&step.predicted),
        "filtered": moments(&step.filtered),
        "log_evidence": as_json(log_evidence),
    })
}

/// Writes one step of a track as a line: the number of the step, the reading, and the state as `mean ±sd`, smoothed if known.
pub(crate) fn text_line(
    out: &mut dyn Write,
    number: usize,
    reading: &Reading,
    step: &Step,
) -> io::Result<()> {
    write!(out, "{number:>6}")?;
    for reading in reading {
        match reading {
            Some(reading) => write!(out, "  {reading:>10.4}")?,
            None => write!(out, "  {:>10}", "-")?,
        }
    }
    for moments in [Some(&step.filtered), step.smoothed.as_ref()]
        .into_iter()
        .flatten()
    {
        write!(out, "  |")?;
        for (mean, deviation) in moments.means.iter().zip(&moments.deviations) {
            write!(out, "  {mean:>10.4} ±{deviation:<8.4}")?;
        }
    }
    writeln!(out)
}

impl WrittenAnswer for Report<'_> {
    fn json(&self) -> Json {
        let step = |step: &Step| {
            json!({
                "filtered": moments(&step.filtered),
                "smoothed": step.smoothed.as_ref().map(moments),
                "predicted": moments(&step.predicted),
            })
        };
        let steps: Vec<Json> = self.track.steps.iter().map(step).collect();
        json!({"log_evidence": as_json(self.track.log_evidence), "steps": steps})
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "  step    reading  |  filtered  |  smoothed, all as mean ±sd"
        )?;
        let steps = self.track.readings.iter().zip(&self.track.steps);
        for (number, (reading, step)) in steps.enumerate() {
            text_line(out, number + 1, reading, step)?;
        }
        // A number that is printed as zero has no sign.
        let log = self.track.log_evidence;
        let log = if log.abs() < 5e-7 { 0.0 } else { log };
        writeln!(out, "log-evidence {log:.6}, exact")
    }

    fn svg(&self) -> Result<String, Failure> {
        let band = |of: &dyn Fn(&Step) -> Option<&Moments>| {
            let steps = self.track.steps.iter().enumerate();
            let points = steps.filter_map(|(i, step)| {
                let moments = of(step)?;
                Some(BandPoint {
                    time: i as f64 + 1.0,
                    mean: moments.means[0],
                    deviation: moments.deviations[0],
                })
            });
            points.collect::<Vec<_>>()
        };
        let readings = self.track.readings.iter().enumerate();
        let readings = readings.filter_map(|(i, reading)| Some((i as f64 + 1.0, reading[0]?)));
        let chart = BandChart::new("step", "state")
            .band("smoothed", band(&|step| step.smoothed.as_ref()))
            .band("filtered", band(&|step| Some(&step.filtered)))
            .readings(readings.collect());
        Ok(chart.to_svg()?)
    }
}
