//! Proposals for Markov chains of chromatic mazes: another colour of one tile, or another position of one end of the path.

use super::{ChromaticClues, ChromaticMaze, Endpoint, Hue, RelativeTile};
use crate::board::BoardMoves;

/// Proposals that change the colour of a tile, or move the start or the finish of the path.
///
/// A new colour of a tile changes the stored turn of the colour wheel at this tile and at the next tile. Tile colours and ends of the path that clues
/// state stay unchanged.
#[derive(Clone, Debug)]
pub(super) struct TileMoves {
    clues: ChromaticClues,
}

/// On average, one of this number of proposals moves the start or the finish of the path.
const ENDS: usize = 8;
const COLOURS: usize = Hue::WHEEL.len();

impl TileMoves {
    pub(super) fn new(maze: &ChromaticMaze) -> Self {
        let clues = maze.clues.clone();
        Self { clues }
    }

    fn move_end(
        &self,
        cells: &[RelativeTile],
        (end, to): (Endpoint, usize),
        changes: &mut Vec<(usize, RelativeTile)>,
    ) {
        let known = self.clues.iter().any(|(_, clue)| clue.end() == Some(end));
        if known || cells[to].is_end() {
            return;
        }
        let (start, finish) = ends(cells);
        let (start, finish) = match end {
            Endpoint::Start => (to, finish),
            Endpoint::Finish => (start, to),
        };
        let mut tiles: Vec<usize> = (0..cells.len()).filter(|&at| cells[at].is_end()).collect();
        tiles.extend([0, to]);
        tiles.sort_unstable();
        tiles.dedup();
        for at in tiles {
            let tile = placed(cells[at], at, (start, finish));
            if tile != cells[at] {
                changes.push((at, tile));
            }
        }
    }
}

fn ends(cells: &[RelativeTile]) -> (usize, usize) {
    let mut ends = (0..cells.len()).filter(|&at| cells[at].is_end());
    let first = ends.next().unwrap_or_default();
    let second = ends.next().unwrap_or_default();
    match cells[0].start_first {
        true => (first, second),
        false => (second, first),
    }
}

/// Returns `tile`, at the index `at`, with marks that show whether it is an end of the path, given the indices of start and finish.
pub(super) fn placed(
    tile: RelativeTile,
    at: usize,
    (start, finish): (usize, usize),
) -> RelativeTile {
    let (first, second) = (start.min(finish), start.max(finish));
    RelativeTile {
        marks: u8::from(at == first) + 2 * u8::from(at == second),
        start_first: at == 0 && start < finish,
        ..tile
    }
}

impl BoardMoves<RelativeTile> for TileMoves {
    fn propose(
        &mut self,
        cells: &[RelativeTile],
        choose: &mut dyn FnMut(usize) -> usize,
        changes: &mut Vec<(usize, RelativeTile)>,
    ) {
        if choose(ENDS) == 0 {
            let end = [Endpoint::Start, Endpoint::Finish][choose(2)];
            let to = choose(cells.len());
            return self.move_end(cells, (end, to), changes);
        }
        let at = choose(cells.len());
        let clue = self.clues.get(self.clues.size().position(at));
        if clue.is_some_and(|clue| clue.hue().is_some()) {
            return;
        }
        let turn = 1 + choose(COLOURS - 1);
        let mut turned = |at: usize, by: usize| {
            if let Some(&tile) = cells.get(at) {
                let turn = ((usize::from(tile.turn) + by) % COLOURS) as u8;
                changes.push((at, RelativeTile { turn, ..tile }));
            }
        };
        turned(at, turn);
        turned(at + 1, COLOURS - turn);
    }
}
