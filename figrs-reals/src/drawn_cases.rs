//! The log-evidence on the elements that `Collapsed` integrates out, for many values of the drawn elements that share one analysis of the model and
//! one elimination.

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, Limits, Model, SupportBuilder};
use figrs_gaussian::Elimination;

use crate::cases::Cases;
use crate::closed_form::{MAX_COMPONENTS, closed_form_answer, explained};
use crate::drawn_part::DrawnPart;
use crate::finite_part::CASE;
use crate::hybrid_model::HybridModel;
use crate::scan::Scan;

/// Maximum number of joint values of the drawn elements that share one elimination.
const MOST_CASES: usize = 128;

/// Target size of an elimination that several joint values of the drawn elements (cases) share: its number of Gaussian functions and table entries,
/// which is the number of cases times the size of one case.
const CELLS: usize = 1 << 14;

/// Number of joint values of the drawn elements for which the size of a shared elimination is measured.
const TRIED: usize = 16;

/// Number of Gaussian functions and table entries whose computation takes as long as the preparation of an elimination (measured on small models).
const PREPARATION: usize = 32;

/// For each joint value of the drawn elements in `all`, returns the logarithm of the probability of the evidence on the elements that are integrated
/// out. If the answer for a joint value fails, calls `fail` with the error; the probability of the evidence is then zero.
///
/// The result depends on the distinct joint values of the drawn elements in the order of their first occurrence, and not on their repetitions.
pub(crate) fn log_evidences(
    part: &DrawnPart,
    model: &Model,
    all: &[&Vec<Datum>],
    mut fail: impl FnMut(Error),
) -> Vec<f64> {
    let mut distinct = SupportBuilder::new::<Vec<Datum>>();
    let (mut rows, mut places) = (Vec::new(), Vec::with_capacity(all.len()));
    for &values in all {
        let place = distinct.insert(values).unwrap_or_default();
        if place == rows.len() {
            rows.push(values);
        }
        places.push(place);
    }
    let mut logs = Vec::with_capacity(rows.len());
    let most = match rows.len() {
        1 => 1,
        _ => part.cases_together(model),
    };
    for rows in rows.chunks(most) {
        if let Some(found) = shared_log_evidences(part, model, rows) {
            logs.extend(found);
            continue;
        }
        for values in rows {
            let found = log_evidence(part, model, values);
            logs.push(found.unwrap_or_else(|error| {
                fail(error);
                f64::NEG_INFINITY
            }));
        }
    }
    places.into_iter().map(|place| logs[place]).collect()
}

/// Returns the logarithm of the probability of the evidence on the elements that are integrated out, given the `values` of the drawn elements.
fn log_evidence(part: &DrawnPart, model: &Model, values: &[Datum]) -> Result<f64, Error> {
    let rest = part.rest(model, values);
    match closed_form_answer("Collapsed", (&rest, &[]), &Limits::default()) {
        Ok(answer) => Ok(answer.log_evidence().map_or(0.0, |evidence| evidence.value)),
        Err(Error::ImpossibleEvidence { .. }) => Ok(f64::NEG_INFINITY),
        // The sampler may propose values that have probability zero.
        Err(_) if !part.is_possible(values) => Ok(f64::NEG_INFINITY),
        Err(error) => Err(error),
    }
}

/// Returns the log-evidence of the cases `rows` (values of the drawn elements) by one elimination; `None` if there is only one case, or if the cases
/// have no common closed form.
///
/// Several cases have no common closed form if, for example, an observation has a density in one case and is implied by other observations in another
/// case, or if a function fails in one of the cases.
fn shared_log_evidences(part: &DrawnPart, model: &Model, rows: &[&Vec<Datum>]) -> Option<Vec<f64>> {
    if rows.len() < 2 {
        return None;
    }
    let cases = Cases::new(&part.elements, rows);
    let rest = part.rest_of_cases(model, &cases);
    let limits = Limits::default();
    let found = hybrid_model((&rest, &[]), Some(&cases), &limits).and_then(|hybrid| {
        let explain = |error| explained(&hybrid, error);
        let elimination = Elimination::run(&hybrid.graph, MAX_COMPONENTS, &limits.until);
        let elimination = elimination.map_err(explain)?;
        let (variable, cases) = hybrid.finite_values(CASE);
        let mut logs = vec![f64::NEG_INFINITY; rows.len()];
        if let Some(variable) = variable {
            let totals = elimination.log_totals(variable, &limits).map_err(explain)?;
            // In the model of all cases, each case has the same probability.
            let share = (rows.len() as f64).ln();
            for (&case, total) in cases.iter().zip(totals) {
                logs[case as usize] = total + share;
            }
        }
        Ok((variable.is_some(), logs))
    });
    match found {
        Ok((is_found, logs)) => is_found.then_some(logs),
        // No world satisfies the evidence in any of the cases.
        Err(Error::ImpossibleEvidence { .. }) => Some(vec![f64::NEG_INFINITY; rows.len()]),
        Err(_) => None,
    }
}

/// Builds the factor graph of a model whose elements have a closed form; `cases` has the values that differ between the cases of the model, if there
/// are several.
fn hybrid_model<'m>(
    (model, targets): (&'m Model, &[AnyElement]),
    cases: Option<&Cases>,
    limits: &'m Limits,
) -> Result<HybridModel<'m>, Error> {
    let mut scan = Scan::new(model, targets, limits);
    if let Some(cases) = cases {
        scan = scan.with_cases(cases);
    }
    scan.run()?;
    scan.integrate_common_scale()?;
    HybridModel::new(scan, model, targets, limits)
}

/// Returns the number of Gaussian functions and table entries of a model and of its variable elimination.
///
/// **Errors.** The errors that occur if the model has no closed form.
fn size(model: &Model, cases: Option<&Cases>, limits: &Limits) -> Result<usize, Error> {
    let hybrid = hybrid_model((model, &[]), cases, limits)?;
    let elimination = Elimination::run(&hybrid.graph, MAX_COMPONENTS, &limits.until);
    let elimination = elimination.map_err(|error| explained(&hybrid, error))?;
    Ok(hybrid.size() + elimination.entries())
}

/// Returns the largest number of joint values of the drawn elements that should share one elimination. The result is one if a shared elimination is
/// impossible, or larger than the separate eliminations together.
///
/// An elimination that several cases share is larger if a finite element depends on several elements whose values differ between the cases: the
/// elimination then has entries for all combinations of these values.
pub(crate) fn cases_together(part: &DrawnPart, model: &Model) -> Result<usize, Error> {
    let limits = Limits::default();
    let mut rows = part.examples(model, TRIED, &limits)?;
    let mut alone = 0;
    rows.retain(|values| {
        let own = size(&part.rest(model, values), None, &limits);
        alone += own.as_ref().map_or(0, |size| *size);
        own.is_ok()
    });
    if rows.len() < 2 {
        return Ok(1);
    }
    let listed: Vec<&Vec<Datum>> = rows.iter().collect();
    let cases = Cases::new(&part.elements, &listed);
    let together = size(&part.rest_of_cases(model, &cases), Some(&cases), &limits)?;
    if together > alone + PREPARATION * rows.len() {
        return Ok(1);
    }
    let each = (alone / rows.len()).max(1);
    Ok((CELLS / each).clamp(1, MOST_CASES))
}
