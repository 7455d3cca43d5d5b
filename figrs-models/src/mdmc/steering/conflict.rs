//! Which demands exclude each other, and where.

use figrs_core::Model;

use super::error::SteeringError;
use super::steered::SteeredLevel;

/// Whether evidence can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    Possible,
    Impossible,
    /// There was no time or memory to find out.
    Unknown,
}

/// The error for demands that cannot be met: those that are needed for it, and the first column up to which they cannot.
///
/// Demands are left out one after another while the rest stays impossible.
pub(super) fn smallest(
    steered: &SteeredLevel,
    trial: &dyn Fn(&Model) -> Trial,
    proven: bool,
) -> SteeringError {
    let last = steered.width() - 1;
    let mut kept: Vec<usize> = (0..steered.demands().len()).collect();
    for demand in 0..steered.demands().len() {
        let rest: Vec<usize> = kept
            .iter()
            .copied()
            .filter(|&other| other != demand)
            .collect();
        if trial(&steered.part(&rest, last)) == Trial::Impossible {
            kept = rest;
        }
    }
    // The first columns are possible below `low`, and impossible at `high`.
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = low.midpoint(high);
        match trial(&steered.part(&kept, middle)) {
            Trial::Impossible => high = middle,
            Trial::Possible => low = middle + 1,
            Trial::Unknown => break,
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
