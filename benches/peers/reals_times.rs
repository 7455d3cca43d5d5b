//! Times figrs on models of normal numbers and prints times and results as one JSON object; `reals.py` calls it.
//!
//! `reals_times READINGS.csv FIELD.csv SECONDS`: `READINGS.csv` has a reading a line, of the position of a body with a velocity, and `FIELD.csv` a row of
//! readings a line, of the cells of a field.

use std::error::Error;
use std::fs;

use figrs::prelude::*;
use figrs::{AnyElement, Covariance, Filter, MultivariateNormal};
use figrs_benches::Clock;
use serde_json::json;

/// The laws of the body: the variance of the velocity's change in a step, of a reading, and of the first position and velocity.
const PROCESS: f64 = 0.05;
const NOISE: f64 = 1.0;
const START: f64 = 4.0;

fn numbers(line: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    line.split(',')
        .map(|cell| Ok(cell.trim().parse()?))
        .collect()
}

fn first() -> Element<Vec<f64>> {
    MultivariateNormal::new([0.0, 0.0], Covariance::diagonal([START, START]))
}

/// The next state: constant velocity with white noise of the acceleration.
fn step(state: &Element<Vec<f64>>) -> Element<Vec<f64>> {
    let moved = state.affine([[1.0, 1.0], [0.0, 1.0]], [0.0, 0.0]);
    let (third, half) = (PROCESS / 3.0, PROCESS / 2.0);
    MultivariateNormal::new(&moved, Covariance::rows([[third, half], [half, PROCESS]]))
}

fn read(model: Model, state: &Element<Vec<f64>>, reading: f64) -> Model {
    model.observe(&Normal::new(state.entry(0), Variance(NOISE)), reading)
}

fn smoothed(readings: &[f64]) -> Result<[f64; 3], Box<dyn Error>> {
    let mut states = vec![first()];
    let mut model = Model::new();
    for (t, &reading) in readings.iter().enumerate() {
        if t > 0 {
            states.push(step(&states[t - 1]));
        }
        model = read(model, &states[t], reading);
    }
    let answer = Exact::new().run(&model, &states)?;
    let (mut means, mut variances) = (0.0, 0.0);
    for state in &states {
        let mixture = answer.mixture(state)?;
        means += mixture.means()[0];
        variances += mixture.covariance()[0][0];
    }
    Ok([means, variances, answer.log_evidence()?.value])
}

fn filtered(readings: &[f64]) -> Result<f64, Box<dyn Error>> {
    let mut filter = Filter::exact(&first())?;
    filter.observe(|state| read(Model::new(), state, readings[0]))?;
    for &reading in &readings[1..] {
        filter.advance(step, |state| read(Model::new(), state, reading))?;
    }
    Ok(filter.log_evidence().value)
}

/// The same filter with a step that is compiled once.
fn followed(readings: &[f64]) -> Result<f64, Box<dyn Error>> {
    let mut filter = Filter::exact(&first())?;
    filter.observe(|state| read(Model::new(), state, readings[0]))?;
    let position = |state: &Element<Vec<f64>>| Normal::new(state.entry(0), Variance(NOISE));
    let law = filter.law(step, position)?;
    for &reading in &readings[1..] {
        filter.follow(&law, |seen| Model::new().observe(seen, reading))?;
    }
    Ok(filter.log_evidence().value)
}

/// All states given all readings, by a filter that follows a compiled step and keeps all states.
fn smoothed_by_law(readings: &[f64]) -> Result<[f64; 3], Box<dyn Error>> {
    let mut filter = Filter::exact(&first())?.window(readings.len());
    filter.observe(|state| read(Model::new(), state, readings[0]))?;
    let position = |state: &Element<Vec<f64>>| Normal::new(state.entry(0), Variance(NOISE));
    let law = filter.law(step, position)?;
    for &reading in &readings[1..] {
        filter.follow(&law, |seen| Model::new().observe(seen, reading))?;
    }
    let (mut means, mut variances) = (0.0, 0.0);
    for marginals in (0..).map_while(|lag| filter.at(lag)) {
        let mixture = marginals.mixture(|state| state)?;
        means += mixture.means()[0];
        variances += mixture.covariance()[0][0];
    }
    Ok([means, variances, filter.log_evidence().value])
}

/// A field whose neighbouring cells differ by normal noise, read in every cell: each cell depends on the cells to the left and above.
fn field(rows: &[Vec<f64>]) -> Result<[f64; 2], Box<dyn Error>> {
    let mut cells: Vec<Vec<Element<f64>>> = Vec::new();
    let mut model = Model::new();
    for (y, row) in rows.iter().enumerate() {
        let mut line: Vec<Element<f64>> = Vec::new();
        for (x, &reading) in row.iter().enumerate() {
            let cell = match (line.last(), y.checked_sub(1).map(|y| &cells[y][x])) {
                (Some(left), Some(above)) => {
                    let mean = figrs::weighted_sum([(0.5, left), (0.5, above)]);
                    Normal::new(&mean, Variance(0.5))
                }
                (Some(before), None) | (None, Some(before)) => Normal::new(before, Variance(1.0)),
                (None, None) => Normal::new(0.0, Variance(100.0)),
            };
            model = model.observe(&Normal::new(&cell, Variance(NOISE)), reading);
            line.push(cell);
        }
        cells.push(line);
    }
    let targets: Vec<AnyElement> = cells
        .iter()
        .flatten()
        .map(|cell| cell.erased().clone())
        .collect();
    let answer = Exact::new().run(&model, &targets)?;
    let (mut means, mut variances) = (0.0, 0.0);
    for cell in cells.iter().flatten() {
        means += answer.mean(cell)?;
        variances += answer.variance(cell)?;
    }
    Ok([means, variances])
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [readings, rows, seconds] = &words[..] else {
        return Err("give READINGS.csv FIELD.csv SECONDS".into());
    };
    let readings: Vec<f64> = fs::read_to_string(readings)?
        .lines()
        .map(|line| Ok(line.parse()?))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let rows = fs::read_to_string(rows)?;
    let rows: Vec<Vec<f64>> = rows.lines().map(numbers).collect::<Result<_, _>>()?;
    let (seconds, clock): (f64, Clock) = (seconds.parse()?, Clock::new());
    let (smoothing, smoothed) = clock.repeat(seconds, || smoothed(&readings))?;
    let (filtering, filtered) = clock.repeat(seconds, || filtered(&readings))?;
    let (following, followed) = clock.repeat(seconds, || followed(&readings))?;
    let (by_law, smoothed_by_law) = clock.repeat(seconds, || smoothed_by_law(&readings))?;
    let (of_field, field) = clock.repeat(seconds, || field(&rows))?;
    println!(
        "{}",
        json!({
            "clock": clock.name(),
            "smoothing": {"times": smoothing, "means": smoothed[0], "variances": smoothed[1], "log_evidence": smoothed[2]},
            "smoothing_by_law": {"times": by_law, "means": smoothed_by_law[0], "variances": smoothed_by_law[1], "log_evidence": smoothed_by_law[2]},
            "filtering": {"times": filtering, "log_evidence": filtered},
            "following": {"times": following, "log_evidence": followed},
            "field": {"times": of_field, "means": field[0], "variances": field[1]},
        })
    );
    Ok(())
}
