//! Conflicts: the smallest sets of demands that exclude each other, and the column where they do.

use super::demand::Demand;
use super::error::SteeringError;
use super::steered::SteeredLevel;

/// Result of trying a set of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConsistencyResult {
    Possible,
    Impossible,
    /// There was not enough work or memory left to find out.
    Unknown,
}

/// The error for numbers of tiles of one kind that exclude each other, or do not fit into the level.
pub(super) fn of_counts(steered: &SteeredLevel) -> Option<SteeringError> {
    let (height, width) = (steered.chain().height(), steered.width());
    let error = |demands: &[&Demand], column| SteeringError::Contradictory {
        demands: demands.iter().map(ToString::to_string).collect(),
        column,
        proven: true,
    };
    let counts = steered.demands().iter().filter_map(|demand| match demand {
        &Demand::Count { tile, least, most } => Some((demand, tile, least, most)),
        _ => None,
    });
    for (demand, tile, least, _) in counts.clone() {
        if least > height * width {
            return Some(error(&[demand], 0));
        }
        for (other, of, _, most) in counts.clone() {
            if of == tile && most < least {
                // The first column that leaves fewer cells than are missing.
                let column = width.saturating_sub((least - most).div_ceil(height));
                return Some(error(&[other, demand], column));
            }
        }
    }
    None
}

/// The error for demands that cannot be met: the first column up to which they cannot, and those of them that are needed for that.
///
/// Demands are left out one after another while the rest stays impossible, the last ones first. A trial is given the level
/// with some demands, and the number of columns from the left to try; there are as many trials as demands and as halvings of
/// the columns to one.
pub(super) fn smallest(
    steered: &SteeredLevel,
    trial: &dyn Fn(&SteeredLevel, usize) -> ConsistencyResult,
    proven: bool,
) -> SteeringError {
    if let Some(error) = of_counts(steered) {
        return error;
    }
    let try_part = |demands: &[usize], last: usize| {
        let part = steered.part(demands);
        part.map_or(ConsistencyResult::Unknown, |part| trial(&part, last + 1))
    };
    let mut kept: Vec<usize> = (0..steered.demands().len()).collect();
    // The first columns are possible below `low`, and impossible at `high`.
    let (mut low, mut high) = (0, steered.width() - 1);
    while low < high {
        let middle = low.midpoint(high);
        match try_part(&kept, middle) {
            ConsistencyResult::Impossible => high = middle,
            ConsistencyResult::Possible => low = middle + 1,
            ConsistencyResult::Unknown => break,
        }
    }
    for demand in (0..steered.demands().len()).rev() {
        let rest: Vec<usize> = kept
            .iter()
            .copied()
            .filter(|&other| other != demand)
            .collect();
        if try_part(&rest, high) == ConsistencyResult::Impossible {
            kept = rest;
        }
    }
    SteeringError::Contradictory {
        demands: kept
            .iter()
            .map(|&demand| steered.demands()[demand].to_string())
            .collect(),
        column: high,
        proven,
    }
}
