//! Incumbent: the best world so far, found by greedy descent along the bounds and improved by local search.

use figrs_core::factor::VarId;

use super::bounds::SearchBounds;

/// Maximum number of sweeps over all variables.
const SWEEPS: usize = 50;

/// Score of an assignment: number of variables that complete a factor of weight zero, then the weight without these.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct IncumbentScore {
    conflicts: i64,
    log: f64,
}

impl IncumbentScore {
    /// The weight of the assignment.
    pub(super) fn log_weight(self) -> f64 {
        if self.conflicts == 0 {
            self.log
        } else {
            f64::NEG_INFINITY
        }
    }

    fn is_better_than(self, other: Self) -> bool {
        let tolerance = 1e-12 * (1.0 + self.log.abs());
        self.conflicts < other.conflicts
            || (self.conflicts == other.conflicts && self.log > other.log + tolerance)
    }
}

/// Greedy descent: gives each of the variables, listed from the root down, the value with the best bound.
pub(super) fn descend(bounds: &SearchBounds<'_>, variables: &[VarId], values: &mut [u32]) {
    for &v in variables {
        let mut best = (0, f64::NEG_INFINITY);
        for value in 0..bounds.graph.cardinality(v) as u32 {
            values[v.index()] = value;
            let bound = bounds.with_value(v, values);
            if bound > best.1 {
                best = (value, bound);
            }
        }
        values[v.index()] = best.0;
    }
}

/// The score of an assignment of some variables that no factor joins to others.
pub(super) fn score(
    bounds: &SearchBounds<'_>,
    variables: &[VarId],
    values: &[u32],
) -> IncumbentScore {
    let mut score = IncumbentScore {
        conflicts: 0,
        log: 0.0,
    };
    for &v in variables {
        let weight = bounds.weight(v, values);
        if weight == f64::NEG_INFINITY {
            score.conflicts += 1;
        } else {
            score.log += weight;
        }
    }
    score
}

/// Local search: changes one variable at a time as long as that improves the assignment; returns the number of values
/// tried.
pub(super) fn improve(
    bounds: &SearchBounds<'_>,
    affected: &[Vec<VarId>],
    variables: &[VarId],
    values: &mut [u32],
) -> u64 {
    let mut work = 0;
    for _ in 0..SWEEPS {
        let mut changed = false;
        for &v in variables {
            let around = &affected[v.index()];
            let first = values[v.index()];
            let mut best = (first, score(bounds, around, values));
            for value in (0..bounds.graph.cardinality(v) as u32).filter(|&x| x != first) {
                values[v.index()] = value;
                let score = score(bounds, around, values);
                if score.is_better_than(best.1) {
                    best = (value, score);
                }
                work += 1;
            }
            values[v.index()] = best.0;
            changed |= best.0 != first;
        }
        if !changed {
            break;
        }
    }
    work
}
