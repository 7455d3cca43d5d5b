//! Combines all moves of a player into one small automaton, whose states are called stages.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexSet;

use super::cell_class::Via;
use figrs_models::mdmc::Travel;

/// The index of a stage, which is a state of the automaton of a player's moves.
pub(super) type Stage = u16;

/// The stage of a player who is between two moves and stands or falls.
pub(super) const FREE: Stage = 0;

/// A step of a player's move in model coordinates: it leads over at most one column, and has a test for the cell into which it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct MoveStep {
    pub(super) columns: i8,
    pub(super) rows: i8,
    pub(super) via: Via,
    /// True if the step of the move leads downwards in the upright level.
    pub(super) down: bool,
    /// True if a step that would lead above the top row of the level leads to the top row instead.
    pub(super) clamps: bool,
    /// True if the player can leave the move after the step.
    pub(super) lands: bool,
    /// True if the step continues a part of a move that has already begun; a lost player (one who cannot begin a move) can take such a step, but no
    /// other.
    pub(super) is_within: bool,
}

pub(super) type MoveSteps = Vec<MoveStep>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StagedStep {
    pub(super) step: MoveStep,
    pub(super) then: Stage,
    /// If the step leads into another column, the index of the arrival (the way in which the step enters that column).
    pub(super) arrival: u16,
}

impl StagedStep {
    /// Returns the row into which the step leads in a level of `height` rows; `wrap` is true if opposite sides of the level are joined.
    pub(super) fn row(&self, row: usize, height: usize, wrap: bool) -> Option<usize> {
        let to = row.cast_signed() + isize::from(self.step.rows);
        if wrap {
            return Some(to.rem_euclid(height.cast_signed()).cast_unsigned());
        }
        let to = if self.step.clamps { to.max(0) } else { to };
        usize::try_from(to).ok().filter(|&to| to < height)
    }
}

/// A step of a player's move in the upright level: the number of columns to the right, the number of rows down, and the test of the cell into which
/// the step leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayedStep {
    pub(super) cell: (i8, i8),
    pub(super) via: Via,
    pub(super) clamps: bool,
    pub(super) lands: bool,
}

/// Converts the steps of a move from the upright level to model coordinates. A step over more than one column becomes several steps, of which only
/// the last tests its cell. Under strict rules, a step over more than one column stays a single step, because the [automaton](MoveAutomaton) splits
/// the step later.
pub(super) fn in_frame(
    travel: Travel,
    is_strict: bool,
    played: impl IntoIterator<Item = PlayedStep>,
) -> MoveSteps {
    let mut steps = Vec::new();
    for PlayedStep {
        cell: (dx, dy),
        via,
        clamps,
        lands,
    } in played
    {
        let (columns, rows) = match travel {
            Travel::Right => (dx, dy),
            Travel::Up => (-dy, dx),
        };
        let last = MoveStep {
            columns: if is_strict { columns } else { columns.signum() },
            rows,
            via,
            down: dy > 0,
            clamps: clamps && travel == Travel::Right,
            lands,
            is_within: false,
        };
        let passed = MoveStep {
            rows: 0,
            via: Via::Pass,
            down: false,
            lands: false,
            ..last
        };
        let before = if is_strict { 1 } else { columns.unsigned_abs() };
        steps.extend((1..before).map(|_| passed));
        steps.push(last);
    }
    steps
}

/// Automaton of a player's moves: the possible next steps for each of its states, which are called stages.
///
/// A stage of the automaton is a set of possible remaining steps of moves, so that moves share stages if they begin or end with the same steps. The
/// 39 cells of the five published jump arcs and their 39 mirror images need 31 stages, besides the stage between moves.
///
/// Under strict rules, a step over several cells becomes several steps of one cell, up, down or sideways, in every order that leads to the same cell.
#[derive(Debug)]
pub(super) struct MoveAutomaton {
    strict: Option<Travel>,
    stages: IndexSet<BTreeSet<MoveSteps>>,
    next: Vec<Vec<(MoveStep, Stage)>>,
}

impl MoveAutomaton {
    pub(super) const MOST: usize = 1024;

    /// Creates an automaton of moves; `strict` is the direction of travel if the rules of movement are strict, and else `None`.
    pub(super) fn new(strict: Option<Travel>) -> Self {
        Self {
            strict,
            stages: IndexSet::from([BTreeSet::new()]),
            next: vec![Vec::new()],
        }
    }

    /// Returns the possible first steps of a player who makes one of the moves `moves`, each given by its steps.
    pub(super) fn first_steps(&mut self, moves: &BTreeSet<MoveSteps>) -> Vec<(MoveStep, Stage)> {
        let mut next: BTreeMap<MoveStep, BTreeSet<MoveSteps>> = BTreeMap::new();
        for rest in moves {
            for (first, rest) in self.split(rest) {
                let after = next.entry(first).or_default();
                after.extend((!rest.is_empty()).then_some(rest));
            }
        }
        let next = next.into_iter();
        next.map(|(step, rest)| (step, self.stages.insert_full(rest).0 as Stage))
            .collect()
    }

    /// Returns the possible first steps of a move, each with the steps of the move that remain after it.
    fn split(&self, steps: &[MoveStep]) -> Vec<(MoveStep, MoveSteps)> {
        let Some((&step, rest)) = steps.split_first() else {
            return Vec::new();
        };
        let cells = u16::from(step.columns.unsigned_abs()) + u16::from(step.rows.unsigned_abs());
        let Some(travel) = self.strict.filter(|_| cells > 1) else {
            return vec![(step, rest.to_vec())];
        };
        let sides = [
            (step.columns.signum(), 0, Travel::Up),
            (0, step.rows.signum(), Travel::Right),
        ];
        let sides = sides.into_iter().filter(|side| (side.0, side.1) != (0, 0));
        let split = sides.map(|(columns, rows, upright)| {
            let first = MoveStep {
                columns,
                rows,
                via: Via::Side,
                // If the player climbs, a column in model coordinates is a row of the upright level.
                down: step.down && travel == upright,
                lands: false,
                ..step
            };
            let left = MoveStep {
                columns: step.columns - columns,
                rows: step.rows - rows,
                is_within: true,
                ..step
            };
            (first, [&[left], rest].concat())
        });
        split.collect()
    }

    /// Finds all stages of the automaton of moves; returns `false` if there are too many stages.
    pub(super) fn complete(&mut self) -> bool {
        while self.next.len() < self.stages.len() && self.stages.len() <= Self::MOST {
            let moves = self.stages[self.next.len()].clone();
            let steps = self.first_steps(&moves);
            self.next.push(steps);
        }
        self.stages.len() <= Self::MOST
    }

    pub(super) fn steps(&self) -> &[Vec<(MoveStep, Stage)>] {
        &self.next
    }

    pub(super) fn len(&self) -> usize {
        self.stages.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::JUMP_ARCS;

    fn arc(cells: &[(i8, i8)], side: i8, travel: Travel) -> MoveSteps {
        let before = std::iter::once(&(0, 0)).chain(cells);
        let played = cells.iter().zip(before).map(|(to, at)| PlayedStep {
            cell: (side * (to.0 - at.0), to.1 - at.1),
            via: Via::Air,
            clamps: true,
            lands: true,
        });
        in_frame(travel, false, played)
    }

    #[test]
    fn the_stages_spell_the_arcs_and_their_mirror_images_and_nothing_else() {
        for travel in [Travel::Right, Travel::Up] {
            let both = JUMP_ARCS
                .iter()
                .flat_map(|cells| [arc(cells, 1, travel), arc(cells, -1, travel)]);
            let moves: BTreeSet<MoveSteps> = both.collect();
            let mut stages = MoveAutomaton::new(None);
            let first = stages.first_steps(&moves);
            assert!(stages.complete());
            let mut spelt: BTreeSet<MoveSteps> = BTreeSet::new();
            let mut open: Vec<(Stage, MoveSteps)> = first
                .iter()
                .map(|&(step, then)| (then, vec![step]))
                .collect();
            while let Some((stage, steps)) = open.pop() {
                if stage == FREE {
                    spelt.insert(steps);
                    continue;
                }
                for &(step, then) in &stages.steps()[usize::from(stage)] {
                    let longer = steps.iter().copied().chain([step]);
                    open.push((then, longer.collect()));
                }
            }
            assert_eq!(spelt, moves);
            assert!(moves.iter().flatten().all(|step| step.columns.abs() <= 1));
            if travel == Travel::Right {
                assert_eq!(stages.len(), 32);
            }
        }
    }

    #[test]
    fn a_step_over_columns_becomes_steps_of_one_column() {
        let far = PlayedStep {
            cell: (3, 1),
            via: Via::Foot,
            clamps: false,
            lands: true,
        };
        let steps = in_frame(Travel::Right, false, [far]);
        let message: Vec<_> = steps
            .iter()
            .map(|step| (step.columns, step.rows, step.via, step.lands))
            .collect();
        assert_eq!(
            message,
            [
                (1, 0, Via::Pass, false),
                (1, 0, Via::Pass, false),
                (1, 1, Via::Foot, true)
            ]
        );
        let turned = in_frame(Travel::Up, false, [far]);
        assert_eq!(turned.len(), 1);
        assert_eq!((turned[0].columns, turned[0].rows), (-1, 3));
    }
}
