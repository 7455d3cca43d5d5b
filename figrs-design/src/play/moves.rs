//! Splits the moves that a movement (the rules of a player's moves) allows into steps of at most one column, in model coordinates.

use std::collections::BTreeSet;

use super::cell_class::{CellClass, Via};
use super::movement::Movement;
use super::rules::Situation;
use super::stages::{MoveAutomaton, MoveStep, MoveSteps, PlayedStep, Stage, in_frame};
use figrs_models::mdmc::Travel;

/// Returns the list of all offsets in `cells`, each followed by its mirror image.
fn mirrored(cells: &[(i8, i8)]) -> impl Iterator<Item = (i8, i8)> {
    cells.iter().flat_map(|&(dx, dy)| {
        let sides: &[i8] = if dx == 0 { &[1] } else { &[-1, 1] };
        sides.iter().map(move |side| (side * dx, dy))
    })
}

pub(super) struct MoveBuilder {
    pub(super) travel: Travel,
    pub(super) is_strict: bool,
    /// All properties of cells that at least one tile of the set has.
    pub(super) used: CellClass,
    pub(super) automaton: MoveAutomaton,
}

/// Returns a step of a move to `cell` with the test `via`; the player can leave the move after this step.
fn step(cell: (i8, i8), via: Via) -> PlayedStep {
    PlayedStep {
        cell,
        via,
        clamps: false,
        lands: true,
    }
}

impl MoveBuilder {
    pub(super) fn free(
        &mut self,
        movement: &Movement,
    ) -> [Vec<(MoveStep, Stage)>; Situation::COUNT] {
        let jumps = movement.jumps.iter().flat_map(|arc| {
            let played = |side: i8| {
                let before = std::iter::once(&(0, 0)).chain(arc);
                let cells = arc.iter().zip(before);
                cells.map(move |(to, at)| PlayedStep {
                    clamps: true,
                    ..step((side * (to.0 - at.0), to.1 - at.1), Via::Air)
                })
            };
            [played(1).collect::<Vec<_>>(), played(-1).collect()]
        });
        let jumps: BTreeSet<MoveSteps> = jumps.map(|arc| self.normal(arc)).collect();
        let jumps = self.automaton.first_steps(&jumps);
        let mut standing = self.each(mirrored(&movement.steps), Via::Foot);
        standing.extend(jumps);
        if self.used.has(CellClass::CLIMB) {
            standing.extend(self.each([(0, 1)], Via::Climb));
        }
        if movement.drop && self.used.has(CellClass::TOP) {
            standing.extend(self.each([(0, 1)], Via::Drop));
        }
        if self.used.has(CellClass::DIG) {
            for side in [-1, 1] {
                let closed = |cell, via| PlayedStep {
                    lands: false,
                    ..step(cell, via)
                };
                let through = [closed((side, 0), Via::Air), closed((0, 1), Via::Dig)];
                standing.extend(self.one(through.into_iter().chain([step((0, 1), Via::Air)])));
            }
        }
        let falling = self.each(mirrored(&movement.falls), Via::Air);
        let climbing = self.each([(0, -1), (0, 1)], Via::Foot);
        let hanging = self.each([(0, 1)], Via::Foot);
        let mut doors = Vec::new();
        if self.used.has(CellClass::DOOR) {
            for cell in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                for walls in 1..=movement.doors {
                    let between = if self.is_strict { Via::Wall } else { Via::Pass };
                    let wall = PlayedStep {
                        lands: false,
                        ..step(cell, between)
                    };
                    let walls = (0..walls).map(|_| wall);
                    doors.extend(self.one(walls.chain([step(cell, Via::Door)])));
                }
            }
        }
        std::array::from_fn(|situation| {
            let is = |bit: u8| situation as u8 & bit > 0;
            let mut steps = Vec::new();
            let parts = [
                (is(Situation::STANDING), &standing),
                (
                    !is(Situation::STANDING) && !is(Situation::HARM_BELOW),
                    &falling,
                ),
                (is(Situation::CLIMB), &climbing),
                (is(Situation::HANG) && !is(Situation::CLIMB), &hanging),
                (is(Situation::DOOR), &doors),
            ];
            for (_, part) in parts.into_iter().filter(|&(is, _)| is) {
                for step in part {
                    if !steps.contains(step) {
                        steps.push(*step);
                    }
                }
            }
            steps
        })
    }

    /// Returns the first steps of single-step moves; there is one such move for each cell in `cells`.
    fn each(
        &mut self,
        cells: impl IntoIterator<Item = (i8, i8)>,
        via: Via,
    ) -> Vec<(MoveStep, Stage)> {
        let cells = cells.into_iter();
        cells.flat_map(|cell| self.one([step(cell, via)])).collect()
    }

    fn one(&mut self, played: impl IntoIterator<Item = PlayedStep>) -> Vec<(MoveStep, Stage)> {
        let steps = self.normal(played);
        self.automaton.first_steps(&BTreeSet::from([steps]))
    }

    /// Converts a player's move from the upright level to model coordinates. Replaces the tests of cells in a move by simpler tests that give the
    /// same result for all tiles of the set.
    fn normal(&self, played: impl IntoIterator<Item = PlayedStep>) -> MoveSteps {
        let mut steps = in_frame(self.travel, self.is_strict, played);
        for step in &mut steps {
            if step.via == Via::Foot && !self.used.has(CellClass::AIR_ONLY) {
                step.via = Via::Air;
            }
            let is_tested = matches!(step.via, Via::Air | Via::Foot);
            step.down &= is_tested && self.used.has(CellClass::TOP);
        }
        steps
    }
}
