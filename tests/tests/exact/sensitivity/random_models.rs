//! Tests of derivatives of random models, against extrapolated finite differences of enumeration.

use std::cell::Cell;

use figrs::{Query, Sensitivity};
use figrs_core::Param;
use figrs_infer::{Algorithm, Answer, Error, JunctionTree, Run, VariableElimination};
use figrs_tests::random_model::{Built, Description, Target, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, asked, enumerate, failed, is_wide};

/// The number for each value of a target, whose expectation is the query.
const NUMBERS: [f64; 8] = [0.3, -1.2, 2.0, 0.7, -0.4, 1.1, 0.0, 5.0];

/// Returns the expectations of all targets and the log-evidence, by enumeration; `None` if there are too many worlds.
fn enumerated(built: &Built) -> Result<Option<Vec<f64>>, TestCaseError> {
    let Some(Ok(answer)) = asked(enumerate().run(&built.model, built.erased()))? else {
        return Ok(None);
    };
    let mut found = Vec::new();
    for target in &built.targets {
        let p = target.probabilities(&answer).map_err(failed)?;
        found.push(p.iter().zip(NUMBERS).map(|(p, x)| p * x).sum());
    }
    found.push(answer.log_evidence().map_err(failed)?.value);
    Ok(Some(found))
}

/// Returns the derivatives of all enumerated numbers by a parameter, with estimates of their errors. They are finite differences for steps that are
/// halved repeatedly, extrapolated to step zero (Richardson).
fn differences(built: &Built, parameter: &Param) -> Result<Option<Vec<(f64, f64)>>, TestCaseError> {
    const LEVELS: usize = 6;
    let now = parameter.get();
    let widest: f64 = 0.02;
    let central = now >= widest && now <= 1.0 - widest;
    let side = if now < 0.5 { 1.0 } else { -1.0 };
    let mut rows: Vec<Vec<Vec<f64>>> = Vec::new();
    for level in 0..LEVELS {
        let step = side * widest / 2f64.powf(level as f64);
        let mut ends = Vec::new();
        for end in [step, if central { -step } else { 0.0 }] {
            parameter.set(now + end);
            ends.push(enumerated(built));
        }
        parameter.set(now);
        let (Some(there), Some(here)) = (ends.remove(0)?, ends.remove(0)?) else {
            return Ok(None);
        };
        let width = if central { 2.0 * step } else { step };
        let slopes = there.iter().zip(&here).map(|(a, b)| (a - b) / width);
        let mut row = vec![slopes.collect::<Vec<f64>>()];
        if let Some(before) = rows.last() {
            for order in 1..=level {
                let power = if central { 2 * order } else { order };
                let factor = 2f64.powf(power as f64);
                let finer = row[order - 1].iter().zip(&before[order - 1]);
                row.push(finer.map(|(a, b)| a + (a - b) / (factor - 1.0)).collect());
            }
        }
        rows.push(row);
    }
    let (last, before) = (&rows[LEVELS - 1], &rows[LEVELS - 2]);
    let ends = last[LEVELS - 1].iter().zip(&before[LEVELS - 2]);
    Ok(Some(ends.map(|(a, b)| (*a, (a - b).abs())).collect()))
}

fn queries(targets: &[Target]) -> Vec<Query> {
    let of = |target: &Target| target.expectation(|code| NUMBERS[code as usize]);
    targets
        .iter()
        .map(of)
        .chain([Query::log_evidence()])
        .collect()
}

fn derivatives_are_those_of_enumeration(
    description: &Description,
    compared: &Cell<u32>,
) -> Checked {
    let mut description = description.clone();
    for (now, _) in &mut description.params {
        // Finite differences are inaccurate near a pole.
        if *now > 0.0 && *now < 1e-3 {
            *now = 0.3;
        }
    }
    let built = build(&description);
    if built.scope.params.is_empty() || is_wide(&built.model, &built.erased())? {
        return Ok(());
    }
    let engines: [Box<dyn Algorithm>; 2] =
        figrs_infer::algorithms![JunctionTree::new(), VariableElimination::new()];
    let mut answers: Vec<Answer> = Vec::new();
    for engine in &engines {
        match asked(engine.run(&built.model, built.erased()))? {
            Some(Ok(answer)) => answers.push(answer),
            _ => return Ok(()),
        }
    }
    for parameter in built.scope.params.iter() {
        let Some(expected) = differences(&built, parameter)? else {
            continue;
        };
        for answer in &answers {
            for (query, &(slope, error)) in queries(&built.targets).iter().zip(&expected) {
                if error > 1e-7 * (1.0 + slope.abs()) || !slope.is_finite() {
                    continue;
                }
                let found = match answer.derivative(query, parameter) {
                    Ok(found) => found,
                    Err(Error::UnknownParameter { .. }) => 0.0,
                    Err(error) => return Err(failed(error)),
                };
                let near = (found - slope).abs() <= 1e-6 * (1.0 + slope.abs());
                prop_assert!(near, "{query}: {found}, by differences {slope} ± {error}");
                compared.set(compared.get() + u32::from(slope != 0.0));
            }
        }
    }
    Ok(())
}

#[test]
fn derivatives_of_random_models_are_limits_of_differences() {
    let compared = Cell::new(0);
    for_random_models(600, 28, |description| {
        derivatives_are_those_of_enumeration(description, &compared)
    });
    assert!(compared.get() > 200, "{} derivatives", compared.get());
}
