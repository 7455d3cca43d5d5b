//! Conflicts: the smallest sets of demands that exclude each other, and the column where they do.

use std::time::Duration;

use figrs_infer::Frontier;

use super::demand::Demand;
use super::error::SteeringError;
use super::proof::{Conflict, ProofSearch};
use super::steered::SteeredLevel;

/// Result of trying a set of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConsistencyResult {
    Possible,
    Impossible,
    /// There was not enough work or memory left to find out.
    Unknown,
}

/// Certainty of a conflict: proven, or looked for during a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Certainty {
    Proven,
    NotProven(Duration),
}

/// The error of a conflict.
pub(super) fn error(
    steered: &SteeredLevel,
    conflict: &Conflict,
    certainty: Certainty,
) -> SteeringError {
    let demands = conflict.demands.iter();
    SteeringError::Contradictory {
        demands: demands
            .map(|&demand| steered.demand(demand).to_string())
            .collect(),
        places: conflict.demands.clone(),
        column: conflict.column,
        proven: matches!(certainty, Certainty::Proven),
        spent: match certainty {
            Certainty::Proven => Duration::ZERO,
            Certainty::NotProven(spent) => spent,
        },
    }
}

/// Demands that are proven to be impossible together. The search ends with the interrupt of a frontier.
pub(super) fn proven(steered: &SteeredLevel, frontier: &Frontier) -> Option<Conflict> {
    of_counts(steered).or_else(|| ProofSearch::new(steered, frontier).find())
}

/// Result of a search for a proof before a model is explored.
pub(super) enum EarlyProof {
    Proven(Conflict),
    NotFound,
    /// The model is so small that its exploration takes no more time.
    NotSearched,
}

/// The same where the model is so large that the search takes less time than its exploration.
pub(super) fn soon_proven(steered: &SteeredLevel, frontier: &Frontier) -> EarlyProof {
    if steered.demands().len() == 0 {
        return EarlyProof::NotFound;
    }
    if let Some(conflict) = of_counts(steered) {
        return EarlyProof::Proven(conflict);
    }
    let search = ProofSearch::new(steered, frontier);
    if !search.is_relaxed() {
        return EarlyProof::NotSearched;
    }
    search
        .find()
        .map_or(EarlyProof::NotFound, EarlyProof::Proven)
}

/// A proof for demands that particles could not meet together: of so many that sets of them are not all tried.
pub(super) fn confirmed(
    steered: &SteeredLevel,
    found: &Conflict,
    frontier: &Frontier,
) -> Option<Conflict> {
    ProofSearch::new(steered, frontier).confirm(&found.demands)
}

/// Numbers of tiles of one kind that exclude each other, or do not fit into the level.
pub(super) fn of_counts(steered: &SteeredLevel) -> Option<Conflict> {
    let (height, width) = (steered.height(), steered.width());
    let demands = steered.demands().enumerate();
    let counts = demands.filter_map(|(number, demand)| match *demand {
        Demand::Count { tile, least, most } => Some((number, tile, least, most)),
        _ => None,
    });
    let counts: Vec<_> = counts.collect();
    for &(demand, tile, least, _) in &counts {
        if least > height * width {
            let (demands, column) = (vec![demand], 0);
            return Some(Conflict { demands, column });
        }
        for &(other, of, _, most) in &counts {
            if of == tile && most < least {
                // The first column that leaves fewer cells than are missing.
                let column = width.saturating_sub((least - most).div_ceil(height));
                let demands = vec![other, demand];
                return Some(Conflict { demands, column });
            }
        }
    }
    None
}

/// The first column up to which demands cannot be met, and those of them that are needed for that.
///
/// Demands are left out one after another while the rest stays impossible, the last ones first. A trial is given the level
/// with some demands, and the number of columns from the left to try; there are as many trials as demands and as halvings of
/// the columns to one.
pub(super) fn smallest(
    steered: &SteeredLevel,
    trial: &dyn Fn(&SteeredLevel, usize) -> ConsistencyResult,
) -> Conflict {
    let try_part = |demands: &[usize], last: usize| {
        let part = steered.part(steered.level_model(), demands);
        trial(&part, last + 1)
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
    Conflict {
        demands: kept,
        column: high,
    }
}
