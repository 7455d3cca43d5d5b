//! Goal tiles of a level that the player has not reached yet. For each goal tile, the `Reach` state stores the returns from later columns by which a
//! player reaches the tile.

use super::cell_class::CellClass;
use super::exploration::{ColumnCells, ColumnExploration, Crossings};
use super::frame::FrameGoal;

/// A goal tile in the columns read so far that the player has not reached yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Target {
    /// Number of columns read since the column of the goal tile; it is stored only if goal tiles must be near the end of the level to count as goals.
    age: u8,
    /// The ways of returning into the last column read so far after which a player can reach the goal tile.
    ways: Crossings,
    /// Row of the goal tile, if the tile is in the column that is being explored.
    row: Option<usize>,
    noted: Crossings,
}

pub(super) struct Found {
    pub(super) open: Vec<Target>,
    /// Number of columns read since the nearest goal tile that the player reached; it is stored only if goal tiles must be near the end of the level
    /// to count as goals.
    pub(super) nearest: Option<u8>,
}

impl FrameGoal {
    /// True if the goal is such that a player may still reach goal tiles after returning from later columns.
    pub(super) fn has_targets(self) -> bool {
        matches!(self, Self::AllTiles | Self::LastColumnOr { .. })
    }
}

/// Returns the goal tiles, in the explored column or before it, that the player's exploration of the column does not reach.
pub(super) fn after(
    before: &[Target],
    nearest: Option<u8>,
    cells: &ColumnCells<'_>,
    inside: &ColumnExploration<'_>,
) -> Found {
    let within = match cells.rules.goal {
        FrameGoal::LastColumnOr { within } => Some(within),
        FrameGoal::AllTiles => None,
        _ => {
            return Found {
                open: Vec::new(),
                nearest: None,
            };
        }
    };
    let older = |age: u8| match within {
        None => Some(0),
        Some(within) => age.checked_add(1).filter(|&age| age < within),
    };
    let before = before.iter().filter_map(|target| {
        Some(Target {
            age: older(target.age)?,
            noted: vec![0; inside.right.len()],
            ..target.clone()
        })
    });
    let rows = (0..cells.height()).filter(|&row| cells.classes[row].has(CellClass::GOAL));
    let here = rows.map(|row| Target {
        age: 0,
        ways: Vec::new(),
        row: Some(row),
        noted: vec![0; inside.right.len()],
    });
    let (met, open): (Vec<_>, Vec<_>) =
        before.chain(here).partition(|target| target.is_met(inside));
    let met = met.iter().map(|target| target.age);
    let nearest = met.chain(nearest.and_then(older)).min();
    Found {
        open,
        nearest: nearest.filter(|_| within.is_some()),
    }
}

/// Returns the goal tiles of `open` that must be stored, without those that are redundant because of another goal tile.
pub(super) fn smallest(open: Vec<Target>, goal: FrameGoal) -> Vec<Target> {
    let within = |small: &Crossings, large: &Crossings| {
        small
            .iter()
            .zip(large)
            .all(|(small, large)| small & !large == 0)
    };
    let mut targets: Vec<Target> = open
        .into_iter()
        .map(|target| Target {
            age: target.age,
            ways: target.noted,
            row: None,
            noted: Vec::new(),
        })
        .collect();
    targets.sort_unstable();
    targets.dedup();
    let mut kept: Vec<Target> = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let others = targets
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != index);
        let mut others = others.map(|(_, other)| other);
        let is_needless = match goal {
            // One reached goal tile is enough.
            FrameGoal::LastColumnOr { .. } => {
                target.is_out_of_reach()
                    || others
                        .any(|other| other.age <= target.age && within(&target.ways, &other.ways))
            }
            _ => others.any(|other| within(&other.ways, &target.ways)),
        };
        if !is_needless {
            kept.push(target.clone());
        }
    }
    kept
}

impl Target {
    /// True if the exploration `by` of a column reaches the goal tile, which lies in this column or can be reached by an arrival (a way to enter a
    /// cell) in the column before it.
    pub(super) fn is_met(&self, by: &ColumnExploration<'_>) -> bool {
        match self.row {
            Some(row) => by.is_free(row),
            None => self
                .ways
                .iter()
                .zip(&by.left)
                .any(|(ways, taken)| ways & taken > 0),
        }
    }

    /// Records the arrival `arrival` (a way to enter the column) at `place` if, in the exploration `by`, a player with this arrival reaches the goal
    /// tile.
    pub(super) fn note(&mut self, by: &ColumnExploration<'_>, place: usize, arrival: u16) {
        if self.is_met(by) {
            self.noted[place + usize::from(arrival) / 64] |= 1 << (arrival % 64);
        }
    }

    /// True if some player who returns to the place with the bits `words` (in machine words) can reach the goal tile.
    pub(super) fn is_reached_from(&self, words: std::ops::Range<usize>) -> bool {
        self.ways[words].iter().any(|&arrivals| arrivals > 0)
    }

    pub(super) fn is_out_of_reach(&self) -> bool {
        self.ways.iter().all(|&arrivals| arrivals == 0)
    }
}
