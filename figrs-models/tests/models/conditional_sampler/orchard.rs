//! A puzzle that a user could have written: orchards, with settings for each method that draws them.

use figrs_core::rand::RngExt;
use figrs_core::{Element, Flip};
use figrs_models::board::{BoardElements, BoardError, Generator, OwnSampler, RuledCells};
use figrs_models::grid::{Automaton, BoardRule, Constraint, Count, CountRule, Position, Size};

/// A generator of boards on which each cell may have a tree, but no two adjacent cells have trees.
#[derive(Clone, Debug)]
pub(super) struct Orchard {
    pub(super) size: Size,
    /// The smallest number of trees; 0 if there is no such demand.
    pub(super) least: u32,
    pub(super) clues: Vec<(Position, bool)>,
    /// True if the number of trees can be left out of the element program and tested afterwards.
    pub(super) is_relaxable: bool,
    /// An automaton with large states, so that the demand needs much memory.
    pub(super) wide: Option<Everything>,
    pub(super) has_elements: bool,
    pub(super) is_often_met: bool,
    pub(super) predicted: Option<f64>,
    pub(super) own: Option<Own>,
    pub(super) chains: Option<Chains>,
}

/// Starts of Markov chains.
#[derive(Clone, Copy, Debug)]
pub(super) enum Chains {
    Anywhere,
    Trees,
    /// Chains start from any board, and boards are declared as joined.
    Joined,
    /// Chains start from a board without cells, which is refused.
    TooFew,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Own {
    Independent,
    /// The sampler draws boards without trees, which never meet the demand.
    Hopeless,
}

/// Returns the generator of orchards of 3 by 3 cells with at least three trees.
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
        chains: None,
    }
}

/// Constraint that no tree is beside or below another tree.
struct Apart {
    columns: usize,
}

impl Automaton<bool> for Apart {
    /// Bit set of the columns whose last cell read has a tree.
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

/// An automaton that accepts all boards, and whose state holds all cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Everything;

impl Automaton<bool> for Everything {
    /// The cells as bits, with additional memory to make the state large.
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

    fn elements(&self) -> Result<BoardElements<bool>, BoardError> {
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
        Ok(BoardElements::new(self.size, trees, rules)?.with_clues(self.clues.clone())?)
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

    fn ruled_cells(&self) -> Option<RuledCells<bool>> {
        let chains = self.chains?;
        let clue = |at: usize| {
            let clues = self.clues.iter();
            let mut here = clues.filter(move |(place, _)| self.size.index(*place) == at);
            here.next().map(|(_, tree)| *tree)
        };
        let choices = |at| match clue(at) {
            Some(tree) => vec![(tree, 1.0)],
            None => vec![(true, 0.4), (false, 0.6)],
        };
        let trees = CountRule::new(self.least..=99, |_, tree: &bool| *tree);
        let ruled = RuledCells::new(self.size, choices).rule(trees);
        let ruled = ruled.rule(TooNear(self.clone()));
        Some(match chains {
            Chains::Anywhere => ruled,
            Chains::Joined => ruled.joined(),
            Chains::Trees => ruled.start(vec![true; self.size.cells()]),
            Chains::TooFew => ruled.start(Vec::new()),
        })
    }

    fn sampler(&self) -> Option<OwnSampler<'_, Vec<bool>>> {
        let own = self.own?;
        let draw = move |rng: &mut figrs_core::Stream| match own {
            Own::Hopeless => vec![false; self.size.cells()],
            Own::Independent => self.by_chance(rng),
        };
        Some(OwnSampler {
            name: "chance",
            draw: Box::new(move |rng| Ok(Some(draw(rng)))),
            tries: Some(u64::MAX),
        })
    }
}

/// Rule that no two adjacent cells have trees; it rereads the board after each change.
struct TooNear(Orchard);

impl BoardRule<bool> for TooNear {
    fn read(&mut self, trees: &[bool]) -> Option<u32> {
        let columns = self.0.size.columns();
        let near = (0..trees.len()).filter(|&cell| {
            let beside = cell % columns > 0 && trees[cell - 1];
            trees[cell] && (beside || cell >= columns && trees[cell - columns])
        });
        Some(near.count() as u32)
    }
}
