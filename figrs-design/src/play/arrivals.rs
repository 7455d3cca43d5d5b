//! Arrivals: the ways in which a step of a player's move can enter the adjacent column.

use std::collections::BTreeSet;

use super::cell_class::{CellClass, Via};
use super::stages::{FREE, MoveStep, Stage, StagedStep};

/// A way to enter the adjacent column: the stage (progress) of the player's move after the step, and the test that the entered cell must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Arrival {
    pub(super) then: Stage,
    pub(super) lands: bool,
    pub(super) via: Via,
    pub(super) down: bool,
}

impl Arrival {
    /// True if a player can arrive in the way `self` wherever a player can arrive in the way `weak`, and if the further moves after `self` include
    /// those after `weak`.
    pub(super) fn implies(self, weak: Self) -> bool {
        let allows = self.then == weak.then && self.lands == weak.lands
            || self.lands && weak.lands && weak.then == FREE;
        let mut entries = (0..CellClass::ENTRIES).map(CellClass::of_entry);
        allows
            && entries.all(|class| {
                self.via.admits(class, self.down) || !weak.via.admits(class, weak.down)
            })
    }
}

#[derive(Default)]
pub(super) struct ArrivalTable {
    pub(super) arrivals: Vec<Arrival>,
    /// Indices of the arrivals that enter a column from its right side.
    pub(super) backward: BTreeSet<u16>,
}

impl ArrivalTable {
    /// Returns the steps of a move, each with the index of the arrival (the way in which the step enters an adjacent column).
    pub(super) fn staged(&mut self, steps: &[(MoveStep, Stage)]) -> Vec<StagedStep> {
        let staged = steps.iter().map(|&(step, then)| {
            let mut arrival = 0;
            if step.columns != 0 {
                let of = |then| Arrival {
                    then,
                    lands: step.lands,
                    via: step.via,
                    down: step.down,
                };
                // A player who can leave the move after the step also arrives as a player between moves.
                if step.lands {
                    self.number(of(FREE), step.columns);
                }
                arrival = self.number(of(then), step.columns);
            }
            StagedStep {
                step,
                then,
                arrival,
            }
        });
        staged.collect()
    }

    fn number(&mut self, arrival: Arrival, columns: i8) -> u16 {
        let known = self.arrivals.iter().position(|&other| other == arrival);
        let number = known.unwrap_or_else(|| {
            self.arrivals.push(arrival);
            self.arrivals.len() - 1
        }) as u16;
        if columns < 0 {
            self.backward.insert(number);
        }
        number
    }
}
