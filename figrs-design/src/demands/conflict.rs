//! Finds conflicts: minimal sets of demands that contradict each other, and the column at which they do.

use std::cell::Cell;

use figrs_infer::{Frontier, WorkBudget};
use figrs_models::board::ConflictStage;
use figrs_models::mdmc::Tile;

use super::demand::Demand;
use super::demand_error::Remedy;
use super::error::SteeringError;
use super::parts::LevelParts;
use super::proof::{Conflict, ProofSearch};
use super::room::of_places;
use super::steered::SteeredLevel;
use super::trial::{Trial, first_column, minimal};

/// Returns the error that reports a conflict, which is either `proven` or found by particles.
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

/// Divisor of the work of the search for a proof: the quotient is reserved to [confirm](confirmed) conflicts that particles find.
const CONFIRMATION: u64 = 4;

/// Returns demands that exclude each other, and whether this is proven, if the search of the stage `stage` finds any.
pub(super) fn find(
    steered: &SteeredLevel,
    stage: ConflictStage<'_, Tile>,
    engine: &Frontier,
) -> Option<(Conflict, bool)> {
    let is_proven = |conflict| (conflict, true);
    match stage {
        // Exploring a small model takes no longer than the search.
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

/// Searches once for demands that are proven to exclude each other, if the search is `worth` its time; this function receives whether the model is
/// large. An interrupted search proves nothing.
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

/// Tries to prove the conflict `found` by particles, within the work that the first search left over.
fn confirmed(steered: &SteeredLevel, found: &Conflict, engine: &Frontier) -> Option<Conflict> {
    let spent = steered.proof().get().map_or(0, |(_, spent)| *spent);
    let work = WorkBudget::new(steered.steps_of_proof().saturating_sub(spent));
    ProofSearch::new(steered, engine, work).confirm(&found.demands)
}

/// Returns demands that, by arithmetic on their numbers alone, contradict each other or do not fit into the level.
fn by_arithmetic(steered: &SteeredLevel) -> Option<Conflict> {
    of_counts(steered).or_else(|| of_places(steered))
}

/// Returns demands on numbers of tiles of one kind that contradict each other or do not fit into the level.
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
                // The first column after which fewer cells remain than tiles are missing.
                let column = width.saturating_sub((least - most).div_ceil(height));
                return Some(Conflict::at(column, vec![other, demand]));
            }
        }
    }
    None
}

/// Returns a minimal set of demands that contradict each other up to the first column where all demands together fail. The set of demands may not be
/// minimal if trials remain undecided.
///
/// `trial` takes some demands, and the number of columns from the left on which to try them.
fn minimal_conflict(
    steered: &SteeredLevel,
    trial: &dyn Fn(&SteeredLevel, usize) -> Trial,
) -> Conflict {
    let columns = first_column(steered.width(), |last| trial(steered, last + 1));
    let all: Vec<usize> = (0..steered.demands().len()).collect();
    let core = minimal(&all, |rest| match rest {
        // Without demands, every level is allowed.
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
