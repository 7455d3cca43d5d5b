//! Regressions with Student-t noise and outliers, whose likelihoods widen distributions.

use super::*;
use figrs::Stopped;

/// The intercept and the slope of a line with `rows` readings, a thirteenth of which are far from the line.
fn regression(rows: u32) -> (Model, Element<f64>, Element<f64>) {
    let (intercept, slope) = (
        Normal::new(0.0, Variance(100.0)),
        Normal::new(0.0, Variance(100.0)),
    );
    let mut model = Model::new();
    for i in 0..rows {
        let x = f64::from(i) / 5.0;
        let noise = match i % 13 {
            7 => 50.0,
            _ => f64::from(i * 31 % 7) * 0.1 - 0.3,
        };
        let line = &intercept + &(&slope * x);
        let reading = StudentT::new(&line, Scale(0.2), DegreesOfFreedom(4.0));
        model = model.observe(&reading, 1.0 + 2.0 * x + noise);
    }
    (model, intercept, slope)
}

#[test]
fn outliers_do_not_stop_convergence() {
    for rows in [20, 34] {
        let (model, intercept, slope) = regression(rows);
        let answer = ExpectationPropagation::new()
            .sweeps(50)
            .run(&model, (&intercept, &slope))
            .unwrap();
        let statistics = answer.sampling().unwrap();
        assert_eq!(statistics.stopped, Stopped::Finished, "{statistics:?}");
        assert!((answer.mean(&intercept).unwrap() - 1.0).abs() < 0.05);
        assert!((answer.mean(&slope).unwrap() - 2.0).abs() < 0.01);
    }
}
