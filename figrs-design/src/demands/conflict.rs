//! Finds conflicts: minimal sets of demands (requirements on a level) that contradict each other, and the column at which levels can no longer meet
//! these demands.

use std::cell::Cell;

use figrs_infer::{Compiled, Frontier, WorkBudget};
use figrs_models::board::ConflictStage;
use figrs_models::mdmc::Tile;

use super::demand::Demand;
use super::demand_error::Remedy;
use super::error::SteeringError;
use super::proof::{Conflict, ProofSearch};
use super::room::of_places;
use super::steered::{LevelParts, SteeredLevel};
use super::trial::{Trial, first_column, minimal};

/// Returns the error for a conflict, which is either `proven` or found by particles.
pub(super) fn error(steered: &SteeredLevel, conflict: &Conflict, proven: bool) -> SteeringError {
    let demands = conflict.demands.iter();
    SteeringError::Contradictory {
        demands: demands
            .map(|&demand| steered.demand(demand).to_string())
            .collect(),
        places: conflict.demands.clone(),
        minimal: conflict.is_minimal,
        columns: conflict.columns.clone(),
        proven,
        remedies: if proven {
            &[Remedy::FewerDemands]
        } else {
            &[
                Remedy::FewerDemands,
                Remedy::MoreParticles,
                Remedy::ExactLaw,
            ]
        },
    }
}

/// The fraction of the proof's work that is reserved for [confirming](confirmed) a conflict that particles find is one divided by this number.
const CONFIRMATION: u64 = 4;

/// Searches by the method for the stage `stage` for demands that exclude each other. Returns the conflict, and true if it is proven.
pub(super) fn find(
    steered: &SteeredLevel,
    stage: ConflictStage<'_, Tile>,
    engine: &Frontier,
) -> Option<(Conflict, bool)> {
    let is_proven = |conflict| (conflict, true);
    match stage {
        // If the model is small, its exact exploration takes no longer than the search for a proof.
        ConflictStage::BeforeExact => proven(steered, engine, |is_large| is_large).map(is_proven),
        ConflictStage::Undecided => proven(steered, engine, |_| true).map(is_proven),
        ConflictStage::Impossible => {
            let trial = |part: &SteeredLevel, columns: usize| match engine
                .compile(&part.first_columns(columns).model, ())
            {
                Ok(part) => Trial::decided(part.log_evidence() > f64::NEG_INFINITY),
                Err(_) => Trial::Unknown,
            };
            let found = proven(steered, engine, |_| true);
            let found = found.unwrap_or_else(|| minimal_conflict(steered, &trial));
            Some(is_proven(found))
        }
        ConflictStage::Failed { particles, trial } => {
            if let Some(found) = proven(steered, engine, |_| true) {
                return Some(is_proven(found));
            }
            let left = Cell::new(steered.cells_of_conflict());
            let of_part = |part: &SteeredLevel, columns: usize| {
                let cells = particles * steered.height() * columns;
                let Some(rest) = left.get().checked_sub(cells as u64) else {
                    return Trial::Unknown;
                };
                left.set(rest);
                trial(&LevelParts::to(part, columns))
            };
            let found = minimal_conflict(steered, &of_part);
            let confirmed = confirmed(steered, &found, engine);
            Some(confirmed.map_or((found, false), is_proven))
        }
    }
}

/// Searches for demands that are proven to exclude each other, once for all calls. The function `worth`, given whether the model is large, decides
/// whether the search is worthwhile. An interrupted search returns nothing.
pub(super) fn proven(
    steered: &SteeredLevel,
    engine: &Frontier,
    worth: impl Fn(bool) -> bool,
) -> Option<Conflict> {
    if let Some((found, _)) = steered.proof().get() {
        return found.clone();
    }
    if steered.demands().len() == 0 {
        return None;
    }
    let steps = steered.steps_of_proof();
    let steps = steps - steps / CONFIRMATION;
    let work = WorkBudget::new(steps);
    let found = match by_arithmetic(steered) {
        None => {
            let search = ProofSearch::new(steered, engine, work.clone());
            if !worth(search.is_relaxed()) {
                return None;
            }
            search.find()
        }
        found => found,
    };
    if engine.is_interrupted() {
        return None;
    }
    let proof = || (found, steps - work.left());
    steered.proof().get_or_init(proof).0.clone()
}

/// Tries to prove the conflict `found`, which particles found, with the work that the first search has left.
fn confirmed(steered: &SteeredLevel, found: &Conflict, engine: &Frontier) -> Option<Conflict> {
    let spent = steered.proof().get().map_or(0, |(_, spent)| *spent);
    let work = WorkBudget::new(steered.steps_of_proof().saturating_sub(spent));
    ProofSearch::new(steered, engine, work).confirm(&found.demands)
}

/// Returns demands that contradict each other or do not fit into the level because of their numbers alone.
fn by_arithmetic(steered: &SteeredLevel) -> Option<Conflict> {
    of_counts(steered).or_else(|| of_places(steered))
}

/// Returns demands on the numbers of one tile that contradict each other or do not fit into the level.
fn of_counts(steered: &SteeredLevel) -> Option<Conflict> {
    let (height, width) = (steered.height(), steered.width());
    let demands = steered.demands().enumerate();
    let counts = demands.filter_map(|(number, demand)| match *demand {
        Demand::Count { tile, least, most } => Some((number, tile, least, most)),
        _ => None,
    });
    let counts: Vec<_> = counts.collect();
    for &(demand, tile, least, _) in &counts {
        if least > height * width {
            return Some(Conflict::at(0, vec![demand]));
        }
        for &(other, of, _, most) in &counts {
            if of == tile && most < least {
                // The first column after which the remaining cells are fewer than the tiles that the demand still needs.
                let column = width.saturating_sub((least - most).div_ceil(height));
                return Some(Conflict::at(column, vec![other, demand]));
            }
        }
    }
    None
}

/// Returns a minimal set of contradictory demands. Only the columns up to the first one at which no level meets all demands are considered. If trial
/// runs (tests whether any level meets some demands) remain undecided, the set may not be minimal.
///
/// The function `trial` receives a level, some of the demands on it, and the number of columns to examine, counted from the left.
fn minimal_conflict(
    steered: &SteeredLevel,
    trial: &dyn Fn(&SteeredLevel, usize) -> Trial,
) -> Conflict {
    let columns = first_column(steered.width(), |last| trial(steered, last + 1));
    let all: Vec<usize> = (0..steered.demands().len()).collect();
    let core = minimal(&all, |rest| match rest {
        [] => Trial::Possible,
        rest => trial(
            &steered.part(steered.level_model(), rest),
            columns.end() + 1,
        ),
    });
    Conflict {
        demands: core.members,
        is_minimal: core.is_minimal,
        columns,
    }
}
