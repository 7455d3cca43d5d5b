//! A puzzle of a user's own: orchards, with settings for each method that draws them.

use figrs_core::rand::RngExt;
use figrs_core::{Element, Flip, stream};
use figrs_models::board::{BoardError, ChainBoards, Elements, Generator, OwnSampler};
use figrs_models::grid::{Automaton, Constraint, Count, Position, Size};

/// Trees, no two of which stand side by side.
#[derive(Clone, Debug)]
pub(super) struct Orchard {
    pub(super) size: Size,
    /// The fewest trees; 0 without that demand.
    pub(super) least: u32,
    pub(super) clues: Vec<(Position, bool)>,
    /// The trees can be counted without an element program.
    pub(super) is_relaxable: bool,
    /// With the demand, much memory is needed.
    pub(super) wide: Option<Everything>,
    pub(super) has_elements: bool,
    pub(super) is_often_met: bool,
    pub(super) predicted: Option<f64>,
    pub(super) own: Option<Own>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Own {
    Independent,
    Chains,
    /// Boards without trees, which never meet the demand.
    Hopeless,
}

/// The orchards of 3 by 3 with three trees at least.
pub(super) fn orchard() -> Orchard {
    Orchard {
        size: Size::new(3, 3).unwrap(),
        least: 3,
        clues: Vec::new(),
        is_relaxable: false,
        wide: None,
        has_elements: true,
        is_often_met: false,
        predicted: None,
        own: None,
    }
}

/// No tree beside or below another.
struct Apart {
    columns: usize,
}

impl Automaton<bool> for Apart {
    /// The trees of the last row's cells, by column.
    type State = u32;

    fn start(&self) -> u32 {
        0
    }

    fn step(&self, at: Position, state: &u32, tree: &bool) -> Option<u32> {
        let is_tree = |column: usize| state >> column & 1 == 1;
        let beside = at.column > 0 && is_tree(at.column - 1);
        let rest = state & !(1 << at.column) & ((1 << self.columns) - 1);
        (!(*tree && (beside || is_tree(at.column)))).then_some(rest | u32::from(*tree) << at.column)
    }

    fn accepts(&self, _: &u32) -> bool {
        true
    }
}

/// No constraint, in states of all cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Everything;

impl Automaton<bool> for Everything {
    /// The cells as bits, and space.
    type State = [u64; 32];

    fn start(&self) -> [u64; 32] {
        [0; 32]
    }

    fn step(&self, _: Position, state: &[u64; 32], tree: &bool) -> Option<[u64; 32]> {
        let mut next = *state;
        next[0] = next[0] << 1 | u64::from(*tree);
        Some(next)
    }

    fn accepts(&self, _: &[u64; 32]) -> bool {
        true
    }
}

impl Orchard {
    pub(super) fn follows_the_rules(&self, trees: &[bool]) -> bool {
        let columns = self.size.columns();
        (0..trees.len()).all(|cell| {
            let beside = cell % columns > 0 && trees[cell - 1];
            let above = cell >= columns && trees[cell - columns];
            !trees[cell] || !(beside || above)
        })
    }

    fn by_chance(&self, rng: &mut figrs_core::Stream) -> Vec<bool> {
        loop {
            let trees: Vec<bool> = (0..self.size.cells())
                .map(|_| rng.random_bool(0.4))
                .collect();
            if self.follows_the_rules(&trees) {
                return trees;
            }
        }
    }
}

impl Generator for Orchard {
    type Cell = bool;
    type Board = Vec<bool>;

    fn size(&self) -> Size {
        self.size
    }

    fn elements(&self) -> Result<Elements<bool>, BoardError> {
        if !self.has_elements && self.least > 0 {
            let what = "a number of trees";
            return Err(BoardError::NoElements { what });
        }
        let trees: Vec<Element<bool>> = self.size.positions().map(|_| Flip::new(0.4)).collect();
        let columns = self.size.columns();
        let everything = self.wide.filter(|_| self.least > 0);
        let rules = Apart { columns }
            .and(everything)
            .and(Count::within(&(self.least..=99), self.size.cells()));
        let rules = Constraint::new(self.size, &trees, rules)?.model().clone();
        Ok(Elements::new(self.size, trees, rules)?.with_clues(self.clues.clone())?)
    }

    fn board(&self, cells: Vec<bool>) -> Result<Vec<bool>, BoardError> {
        if self.follows_the_rules(&cells) {
            return Ok(cells);
        }
        Err(BoardError::of_generator(std::fmt::Error))
    }

    fn predicted_bytes(&self) -> Option<f64> {
        self.predicted
    }

    fn relaxed(&self) -> Option<Self> {
        let least = 0;
        self.is_relaxable.then(|| Self {
            least,
            ..self.clone()
        })
    }

    fn meets(&self, trees: &Vec<bool>) -> bool {
        let trees = trees.iter().filter(|&&tree| tree).count();
        trees >= self.least as usize
    }

    fn is_often_met(&self) -> bool {
        self.is_often_met
    }

    fn sampler(&self) -> Option<OwnSampler<'_, Vec<bool>>> {
        Some(match self.own? {
            Own::Hopeless => OwnSampler::Independent {
                name: "chance",
                draw: Box::new(|_| vec![false; self.size.cells()]),
                rejects: true,
            },
            Own::Independent => OwnSampler::Independent {
                name: "chance",
                draw: Box::new(|rng| self.by_chance(rng)),
                rejects: true,
            },
            Own::Chains => OwnSampler::Chains {
                name: "chain",
                draw: Box::new(|chains| {
                    let mut rng = stream(chains.seed(), 0);
                    let mut boards = Vec::new();
                    while boards.len() < chains.wanted() && chains.swept(boards.len() as u64) {
                        boards.extend(Some(self.by_chance(&mut rng)).filter(|b| self.meets(b)));
                    }
                    let diagnostics = vec![("r-hat", 1.0)];
                    Ok(ChainBoards {
                        boards,
                        diagnostics,
                    })
                }),
            },
        })
    }
}
