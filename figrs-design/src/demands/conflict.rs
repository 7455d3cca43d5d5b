//! Finds conflicts: minimal sets of demands that contradict each other, and the column where they do.

use figrs_infer::{Frontier, WorkBudget};

use super::demand::Demand;
use super::error::SteeringError;
use super::proof::{Conflict, ProofSearch};
use super::remedy::Remedy;
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

/// One divided by this number is the share of the proof work that is reserved to [confirm](confirmed) conflicts that particles find.
const CONFIRMATION: u64 = 4;

/// Returns the number of steps allowed to the search for a proof that runs before particles are tried.
fn search_work(steered: &SteeredLevel) -> u64 {
    let steps = steered.steps_of_proof();
    steps - steps / CONFIRMATION
}

/// Searches for demands that provably contradict each other; returns the demands and the work done. The search for a proof stops when `frontier` is
/// interrupted.
pub(super) fn proven(steered: &SteeredLevel, frontier: &Frontier) -> (Option<Conflict>, u64) {
    if let Some(conflict) = by_arithmetic(steered) {
        return (Some(conflict), 0);
    }
    let steps = search_work(steered);
    let work = WorkBudget::new(steps);
    let found = ProofSearch::new(steered, frontier, work.clone()).find();
    (found, steps - work.left())
}

/// Result of the search for a proof of a conflict before a model is explored.
pub(super) enum EarlyProof {
    Proven(Conflict),
    NotFound,
    /// No search was made, because exploring the small model takes no longer than the search.
    NotSearched,
}

/// Searches for a proof of a conflict before a large model is explored, because the search takes less time than the exploration.
pub(super) fn soon_proven(steered: &SteeredLevel, frontier: &Frontier) -> EarlyProof {
    if steered.demands().len() == 0 {
        return EarlyProof::NotFound;
    }
    if let Some(conflict) = by_arithmetic(steered) {
        return EarlyProof::Proven(conflict);
    }
    let work = WorkBudget::new(search_work(steered));
    let search = ProofSearch::new(steered, frontier, work);
    if !search.is_relaxed() {
        return EarlyProof::NotSearched;
    }
    search
        .find()
        .map_or(EarlyProof::NotFound, EarlyProof::Proven)
}

/// Tries to prove a conflict that particles found, within the work that the first search left over.
pub(super) fn confirmed(
    steered: &SteeredLevel,
    found: &Conflict,
    frontier: &Frontier,
    spent: u64,
) -> Option<Conflict> {
    let work = WorkBudget::new(steered.steps_of_proof().saturating_sub(spent));
    ProofSearch::new(steered, frontier, work).confirm(&found.demands)
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
/// The function `trial` takes some demands and the number of columns, from the left, for which to try them.
pub(super) fn minimal_conflict(
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
