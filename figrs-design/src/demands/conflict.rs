//! Finds conflicts: minimal sets of demands (requirements on a level) that contradict each other, and the column at which levels can no longer meet
//! these demands.

use std::cell::Cell;

use figrs_infer::{Compiled, Frontier, WorkBudget};
use figrs_models::board::ConflictStage;
use figrs_models::mdmc::Tile;

use super::demand::Demand;
use super::demand_error::Remedy;
use super::demanded_level::{DemandedLevel, LevelParts};
use super::error::DemandedLevelError;
use super::proof::{Conflict, ProofSearch};
use super::room::of_places;
use super::trial::{Trial, first_column, minimal};

/// Returns the error for contradictory demands; the conflict is either `proven` or was found by particles (a sampler with weighted partial levels).
pub(super) fn error(
    demanded: &DemandedLevel,
    conflict: &Conflict,
    proven: bool,
) -> DemandedLevelError {
    let demands = conflict.demands.iter();
    DemandedLevelError::Contradictory {
        demands: demands
            .map(|&demand| demanded.demand(demand).to_string())
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

/// The fraction of the work for proofs that is reserved for [confirming](confirmed) a conflict that particles find is one divided by this number.
const CONFIRMATION: u64 = 4;

/// Searches for demands that exclude each other, by the method that belongs to the stage `stage` of the inference. Returns the conflict (the
/// contradictory demands), and true if the conflict is proven.
pub(super) fn find(
    demanded: &DemandedLevel,
    stage: ConflictStage<'_, Tile>,
    engine: &Frontier,
) -> Option<(Conflict, bool)> {
    let is_proven = |conflict| (conflict, true);
    match stage {
        // If the model is small, its exact exploration takes no longer than the search for a proof.
        ConflictStage::BeforeExact => proven(demanded, engine, |is_large| is_large).map(is_proven),
        ConflictStage::Undecided => proven(demanded, engine, |_| true).map(is_proven),
        ConflictStage::Impossible => {
            let trial = |part: &DemandedLevel, columns: usize| match engine
                .compile(&part.first_columns(columns).model, ())
            {
                Ok(part) => Trial::decided(part.log_evidence() > f64::NEG_INFINITY),
                Err(_) => Trial::Unknown,
            };
            let found = proven(demanded, engine, |_| true);
            let found = found.unwrap_or_else(|| minimal_conflict(demanded, &trial));
            Some(is_proven(found))
        }
        ConflictStage::Failed { particles, trial } => {
            if let Some(found) = proven(demanded, engine, |_| true) {
                return Some(is_proven(found));
            }
            let left = Cell::new(demanded.cells_of_conflict());
            let of_part = |part: &DemandedLevel, columns: usize| {
                let cells = particles * demanded.height() * columns;
                let Some(rest) = left.get().checked_sub(cells as u64) else {
                    return Trial::Unknown;
                };
                left.set(rest);
                trial(&LevelParts::to(part, columns))
            };
            let found = minimal_conflict(demanded, &of_part);
            let confirmed = confirmed(demanded, &found, engine);
            Some(confirmed.map_or((found, false), is_proven))
        }
    }
}

/// Searches for demands that are proven to exclude each other; the search runs once, and later calls return its result. The function `worth` receives
/// whether the model is large, and decides whether the search for a proof is worthwhile. A search that is interrupted returns no conflict.
pub(super) fn proven(
    demanded: &DemandedLevel,
    engine: &Frontier,
    worth: impl Fn(bool) -> bool,
) -> Option<Conflict> {
    if let Some((found, _)) = demanded.proof().get() {
        return found.clone();
    }
    if demanded.demands().len() == 0 {
        return None;
    }
    let steps = demanded.steps_of_proof();
    let steps = steps - steps / CONFIRMATION;
    let work = WorkBudget::new(steps);
    let found = match by_arithmetic(demanded) {
        None => {
            let search = ProofSearch::new(demanded, engine, work.clone());
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
    demanded.proof().get_or_init(proof).0.clone()
}

/// Tries to prove the conflict `found`, which particles found, with the steps of work that the first search for a proof did not use.
fn confirmed(demanded: &DemandedLevel, found: &Conflict, engine: &Frontier) -> Option<Conflict> {
    let spent = demanded.proof().get().map_or(0, |(_, spent)| *spent);
    let work = WorkBudget::new(demanded.steps_of_proof().saturating_sub(spent));
    ProofSearch::new(demanded, engine, work).confirm(&found.demands)
}

/// Returns demands whose required numbers alone (of tiles, for example) show that the demands contradict each other or do not fit into the level.
fn by_arithmetic(demanded: &DemandedLevel) -> Option<Conflict> {
    of_counts(demanded).or_else(|| of_places(demanded))
}

/// Returns demands on the number of one kind of tile that contradict each other or do not fit into the level.
fn of_counts(demanded: &DemandedLevel) -> Option<Conflict> {
    let (height, width) = (demanded.height(), demanded.width());
    let demands = demanded.demands().enumerate();
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

/// Returns a minimal set of demands that contradict each other. The search for contradictory demands considers only the columns up to the first one
/// at which no level meets all demands. If trial runs (tests whether any level meets some demands) remain undecided, the set of contradictory demands
/// may not be minimal.
///
/// The function `trial` receives a level with some of the demands, and the number of columns to examine, counted from the left.
fn minimal_conflict(
    demanded: &DemandedLevel,
    trial: &dyn Fn(&DemandedLevel, usize) -> Trial,
) -> Conflict {
    let columns = first_column(demanded.width(), |last| trial(demanded, last + 1));
    let all: Vec<usize> = (0..demanded.demands().len()).collect();
    let core = minimal(&all, |rest| match rest {
        [] => Trial::Possible,
        rest => trial(
            &demanded.part(demanded.level_model(), rest),
            columns.end() + 1,
        ),
    });
    Conflict {
        demands: core.members,
        is_minimal: core.is_minimal,
        columns,
    }
}
