//! Helper functions of the property tests.

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::factor::{FactorGraph, VarId};
use figrs_core::{AnyElement, DescribedStatement, Limits, Model};
use figrs_infer::eliminate::{Counting, plan_cost};
use figrs_infer::{Answer, Enumerate, Error};
use figrs_lower::Observations;
use figrs_tests::oracle::every_run;
use figrs_tests::random_model::{Built, Target};
use proptest::test_runner::TestCaseError;

pub(crate) const WORLDS: u64 = 3000;
pub(crate) const EXACT: f64 = 1e-10;

pub(crate) type Checked = Result<(), TestCaseError>;

pub(crate) fn failed(error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

pub(crate) fn enumerate() -> Enumerate {
    Enumerate::new().max_worlds(WORLDS)
}

/// True if an elimination may take long. A plan predicts the non-zeros of a bucket as if its tables were independent; since they are not, wide
/// buckets can take much longer than predicted.
pub(crate) fn takes_long(graph: &FactorGraph, keep: &[VarId], options: &Limits) -> bool {
    const WIDE: usize = 12;
    plan_cost::<Counting>(graph, keep, options).is_ok_and(|cost| cost.width > WIDE)
}

/// True if eliminations for this model may take long.
pub(crate) fn is_wide(model: &Model, targets: &[AnyElement]) -> Result<bool, TestCaseError> {
    let expansion = Expansion::new(model, targets, &Limits::default()).map_err(failed)?;
    if expansion.impossible().is_some() {
        return Ok(false);
    }
    let encoding = Encoding::for_worlds(&expansion).map_err(failed)?;
    Ok(takes_long(encoding.graph(), &[], &Limits::default()))
}

/// Returns the log-weights of all runs of the program that the evidence leaves possible; `None` if there are too many.
pub(crate) fn possible_runs(built: &Built) -> Option<Vec<f64>> {
    let mut logs = Vec::new();
    let visit = |_: &_, p: f64, w: f64| {
        if p + w > f64::NEG_INFINITY {
            logs.push(p + w);
        }
    };
    let (targets, budget) = (built.erased(), WORLDS as usize);
    let done = every_run(&built.model, &targets, Observations::Compare, budget, visit);
    matches!(done, Ok(true)).then_some(logs)
}

/// Returns the answer, or the conflict if the evidence is impossible; `None` if there are too many worlds.
pub(crate) fn asked(
    run: Result<Answer, Error>,
) -> Result<Option<Result<Answer, Vec<DescribedStatement>>>, TestCaseError> {
    match run {
        Ok(answer) => Ok(Some(Ok(answer))),
        Err(Error::ImpossibleEvidence { conflict, .. }) => Ok(Some(Err(conflict))),
        Err(Error::TooManyWorlds { .. }) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

pub(crate) fn erased(targets: &[Target]) -> Vec<AnyElement> {
    targets.iter().map(Target::erased).collect()
}
