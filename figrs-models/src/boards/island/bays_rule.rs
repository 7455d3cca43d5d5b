//! Rule on the number of bays of an island (cells of water with land on exactly three sides), for Markov chains.

use std::ops::RangeInclusive;

use super::Terrain;
use crate::grid::{BoardRule, Size};

/// Requires that the number of bays (cells of water with land on exactly three sides) is in a range. The violation of the rule is the distance of the
/// number of bays from the allowed range.
#[derive(Clone, Debug)]
pub(super) struct BaysRule {
    size: Size,
    range: RangeInclusive<u32>,
    land: Vec<bool>,
    bays: u32,
    before: u32,
}

impl BaysRule {
    pub(super) fn new(size: Size, range: RangeInclusive<u32>) -> Self {
        Self {
            size,
            range,
            land: vec![false; size.cells()],
            bays: 0,
            before: 0,
        }
    }

    fn is_bay(&self, at: usize) -> bool {
        let land = |&cell: &usize| self.land[cell];
        !self.land[at] && self.size.beside(at).filter(land).count() == 3
    }

    fn around(&self, at: usize) -> u32 {
        let beside = self.size.beside(at).filter(|&cell| self.is_bay(cell));
        beside.count() as u32 + u32::from(self.is_bay(at))
    }

    fn violation(&self) -> u32 {
        let (least, most) = (*self.range.start(), *self.range.end());
        least.saturating_sub(self.bays) + self.bays.saturating_sub(most)
    }
}

impl BoardRule<Terrain> for BaysRule {
    fn read(&mut self, cells: &[Terrain]) -> Option<u32> {
        self.land = cells.iter().map(|&cell| cell == Terrain::Land).collect();
        self.bays = (0..cells.len()).filter(|&at| self.is_bay(at)).count() as u32;
        Some(self.violation())
    }

    fn change(&mut self, cells: &[Terrain], changed: &[usize]) -> Option<u32> {
        self.before = self.bays;
        for &at in changed {
            let is_land = cells[at] == Terrain::Land;
            if is_land != self.land[at] {
                let before = self.around(at);
                self.land[at] = is_land;
                self.bays = self.bays + self.around(at) - before;
            }
        }
        Some(self.violation())
    }

    fn undo(&mut self, cells: &[Terrain], changed: &[usize]) {
        for &at in changed {
            self.land[at] = cells[at] == Terrain::Land;
        }
        self.bays = self.before;
    }

    fn measure(&self) -> Option<f64> {
        Some(f64::from(self.bays))
    }
}
