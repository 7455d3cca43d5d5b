//! The input of Markov chains of chromatic mazes: relative tiles (colours relative to the tile before) and a rule.

use figrs_core::stream;
use rand::RngExt;

use super::coloured_way_rule::ColouredWayRule;
use super::tile_moves::{TileMoves, placed};
use super::{ChromaticClue, ChromaticMaze, Endpoint, Hue, RelativeTile};
use crate::board::RuledCells;

impl ChromaticMaze {
    /// Returns the tiles as independent choices with equal weights, and the rule that a path exists. If two clues state the same end of the path, the
    /// tiles have no possible values, so that no maze is possible.
    ///
    /// Without clues and bounds on the path, Markov chains reach every chromatic maze: every maze can be changed to one with a single colour, and
    /// there the ends of the path can be moved anywhere.
    pub(super) fn ruled(&self) -> RuledCells<RelativeTile> {
        let size = self.size();
        let known = |end| {
            let clues = self
                .clues
                .iter()
                .filter(move |(_, clue)| clue.end() == Some(end));
            clues.map(|(at, _)| size.index(at)).collect::<Vec<usize>>()
        };
        let ends = [known(Endpoint::Start), known(Endpoint::Finish)];
        let is_once = ends.iter().all(|known| known.len() <= 1);
        let tile = |turn, marks, start_first| RelativeTile {
            turn,
            marks,
            start_first,
        };
        let choices = |at: usize| {
            let first: &[bool] = if at == 0 { &[false, true] } else { &[false] };
            let turns = 0..Hue::WHEEL.len() as u8;
            let tiles = turns.flat_map(|turn| (0..3).map(move |marks| (turn, marks)));
            let tiles = tiles.flat_map(|(turn, marks)| {
                first
                    .iter()
                    .map(move |&start_first| (tile(turn, marks, start_first), 1.0))
            });
            tiles.filter(|_| is_once).collect()
        };
        let mut ruled = RuledCells::new(size, choices)
            .clues(self.clues.iter().map(|(at, _)| at))
            .rule(ColouredWayRule::new(size, self.steps.clone()))
            .moves(TileMoves::new(self));
        if is_once {
            for colours in 0..2 {
                ruled = ruled.start(self.tiles([ends[0].first(), ends[1].first()], colours));
            }
        }
        match (self.clues.is_empty(), &self.steps) {
            (true, None) => ruled.joined(),
            (true, Some(_)) => ruled.nearly_joined(),
            (false, _) => ruled,
        }
    }

    /// Returns tiles with the colours of clues; the other tiles have one common colour if `colours` is 0, and random colours otherwise. An end of the
    /// path that no clue states is, in scan order, as far from the other end as possible.
    fn tiles(&self, known: [Option<&usize>; 2], colours: u64) -> Vec<RelativeTile> {
        let (size, mut rng) = (self.size(), stream(0, colours));
        let free = |taken: Option<usize>, mut places: Box<dyn Iterator<Item = usize>>| {
            places.find(|&at| Some(at) != taken).unwrap_or_default()
        };
        let start = known[0]
            .copied()
            .unwrap_or_else(|| free(known[1].copied(), Box::new(0..size.cells())));
        let finish = known[1]
            .copied()
            .unwrap_or_else(|| free(Some(start), Box::new((0..size.cells()).rev())));
        let mut last = 0;
        let tiles = size.positions().enumerate().map(|(at, position)| {
            let any = rng.random_range(0..Hue::WHEEL.len());
            let clue = self.clues.get(position).and_then(ChromaticClue::hue);
            let colour = match clue {
                Some(hue) => hue as usize,
                None if colours == 0 => 0,
                None => any,
            };
            let turn = (colour + Hue::WHEEL.len() - last) % Hue::WHEEL.len();
            last = colour;
            let tile = RelativeTile {
                turn: turn as u8,
                marks: 0,
                start_first: false,
            };
            placed(tile, at, (start, finish))
        });
        tiles.collect()
    }
}
