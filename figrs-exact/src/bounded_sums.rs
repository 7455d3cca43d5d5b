//! Bounds of probabilities from an incomplete expansion of a model (some possible values are not listed), by two variable eliminations for each
//! target.

use figrs_answer::{Error, TargetBounds, conflict};
use figrs_core::Limits;
use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::bounds::Bounds;
use figrs_factor::eliminate::log_sums;

/// Returns bounds of the marginals and of the log-evidence, from an incomplete expansion of a model (some possible values are not listed); `None` if
/// no world satisfies the evidence. The number of operations of the variable eliminations is added to `operations`; the limit of work applies to the
/// sum of all operations.
pub(crate) fn bounded_sums(
    expansion: &Expansion,
    limits: &Limits,
    operations: &mut f64,
) -> Result<Option<(Vec<TargetBounds>, Bounds)>, Error> {
    if expansion.impossible().is_some() {
        return Ok(None);
    }
    conflict::check_failures(expansion, limits)?;
    expansion.check_bounded()?;
    let mut sums = |encoding: &Encoding, targets: &[usize]| {
        let keep = targets.iter().filter_map(|&t| encoding.variable(t));
        let keep: Vec<_> = keep.collect();
        let limits = limits.with_work_at_most(limits.work - *operations);
        let (logs, cost) = log_sums(encoding.graph(), &keep, &limits)?;
        *operations += cost.operations;
        Ok::<_, Error>(logs)
    };
    let lower = sums(&Encoding::for_sums(expansion, &[])?, &[])?[0];
    let upper = sums(&Encoding::for_upper_sums(expansion, &[])?, &[])?[0];
    if upper == f64::NEG_INFINITY {
        return Ok(None);
    }
    let mut bounds = Vec::with_capacity(expansion.targets().len());
    for &position in expansion.targets() {
        let keep = [position];
        let mut lower = sums(&Encoding::for_sums(expansion, &keep)?, &keep)?;
        let mut upper = sums(&Encoding::for_upper_sums(expansion, &keep)?, &keep)?;
        let target = &expansion.elements()[position];
        let known = target.support.len();
        lower.truncate(known);
        let unknown = upper.drain(known..).next();
        let cells = expansion.cells(position).unwrap_or_default();
        bounds.push(TargetBounds {
            element: target.element.clone(),
            support: target.support.clone(),
            cells: cells.iter().map(|cell| cell.ends).collect(),
            bins: cells.iter().map(|cell| cell.bin).collect(),
            log_lower: lower,
            log_upper: upper,
            log_unknown: unknown.unwrap_or(f64::NEG_INFINITY),
        });
    }
    Ok(Some((bounds, Bounds { lower, upper })))
}
