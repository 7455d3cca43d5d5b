//! Proposals for Markov chains of chromatic mazes: another colour of one tile, or another position of one end of the path.

use super::{ChromaticClues, ChromaticMaze, Endpoint, Hue, RelativeTile};
use crate::board::BoardMoves;

/// Changes the colour of a tile, or moves the start or the finish.
///
/// A new colour changes the relative forms of the tile and of the next tile. Tiles and ends of the path that clues state stay unchanged.
#[derive(Clone, Debug)]
pub(super) struct TileMoves {
    clues: ChromaticClues,
}

/// Mean number of proposals among which one moves the start or the finish of the path.
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

/// Returns `tile`, at the index `at`, with the marks that follow from the indices of start and finish.
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
