//! Playability column by column.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::super::{LevelError, Tile};
use super::stages::{FREE, JumpAutomaton, Stage};
use super::{
    START,
    moves::{free_moves, jump_moves},
};

/// Reachability of the right edge, for a level that comes column by column from the left.
///
/// Levels with equal values of this type stay equally playable under any columns that follow, so that it can be the state of
/// a [`fold`](figrs_core::fold) over columns, or of a particle.
///
/// # Guarantee
///
/// Exact: after each column the answer is that of [`Playability`](super::Playability) for the columns so far. Moves cross
/// one column at a time, so the past matters only by where a player can cross into the next column: from the
/// start, and after coming back from each place in the columns to come. Both are kept, however far
/// back to the left the way leads.
///
/// # Complexity
///
/// A column takes time in proportion to its height times the stages of jumps, once for what is reached from the left and
/// once for each way of coming back from the right into a part of the column that is not. Memory does not grow with
/// the number of columns.
///
/// # Errors
///
/// [`LevelError::ColumnHeight`] if a column is not of the height given at the start.
///
/// # Example
///
/// ```
/// use figrs_models::mdmc::{Reach, Tile};
///
/// let ground = [Tile::EMPTY, Tile::EMPTY, Tile::EMPTY, Tile::GROUND];
/// let mut reach = Reach::new(4);
/// for _ in 0..5 {
///     assert!(reach.push(&ground)?);
/// }
/// let gap = (0..20).map(|_| reach.push(&[Tile::EMPTY; 4])).collect::<Result<Vec<_>, _>>()?;
/// assert!(gap[6] && !gap[15]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
///
/// Shepherdson, "The Reduction of Two-Way Automata to One-Way Automata", IBM Journal of Research and Development 3(2), 1959.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reach {
    height: usize,
    /// Columns so far, counted up to the first one after the start.
    columns: usize,
    edge: Arc<EdgeCrossings>,
}

impl figrs_core::Value for Reach {
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn feed<H: Hasher>(&self, hasher: &mut H) {
        self.hash(hasher);
    }

    fn heap_bytes(&self) -> usize {
        let each = size_of::<((usize, Stage), Crossings)>() + size_of::<u64>() * self.height;
        size_of::<EdgeCrossings>() + size_of::<u64>() * self.height + each * self.edge.returns.len()
    }
}

/// For each row a bit for each stage in which a player comes into the column that follows.
type Crossings = Vec<u64>;

/// Crossings of the right edge of the columns so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct EdgeCrossings {
    alive: bool,
    /// From the start.
    reached: Crossings,
    /// For a player who comes back, by row and stage, the further crossings that become possible; in ascending order.
    returns: Vec<((usize, Stage), Crossings)>,
}

impl Reach {
    /// Before the first column of a level of `height` rows.
    pub fn new(height: usize) -> Self {
        Self {
            height,
            columns: 0,
            edge: Arc::new(EdgeCrossings {
                alive: true,
                reached: vec![0; height],
                returns: Vec::new(),
            }),
        }
    }

    /// True if a player can reach the last column so far; once false, it stays so.
    pub fn alive(&self) -> bool {
        self.edge.alive
    }

    /// Adds a column, its tiles from the top; returns `true` if a player can reach it.
    ///
    /// **Errors.** [`LevelError::ColumnHeight`].
    pub fn push(&mut self, column: &[Tile]) -> Result<bool, LevelError> {
        if column.len() != self.height {
            return Err(LevelError::ColumnHeight {
                height: column.len(),
                expected: self.height,
            });
        }
        if self.edge.alive {
            let solid: Vec<bool> = column.iter().map(|tile| tile.solid()).collect();
            self.edge = Arc::new(self.next(&solid));
            self.columns = START.1.min(self.columns) + 1;
        }
        Ok(self.edge.alive)
    }

    fn next(&self, solid: &[bool]) -> EdgeCrossings {
        let mut inside = ColumnExploration {
            solid,
            left: (self.columns > 0).then_some(&*self.edge),
            reached: vec![0; self.height],
            right: vec![0; self.height],
            open: Vec::new(),
        };
        inside.come(&self.edge.reached);
        if self.columns == START.1 {
            inside.reach(START.0.min(self.height - 1), FREE);
        }
        if self.columns >= START.1 && inside.open.is_empty() {
            return EdgeCrossings {
                alive: false,
                reached: vec![0; self.height],
                returns: Vec::new(),
            };
        }
        inside.explore();
        let mut returns = Vec::new();
        let mut back = inside.clone();
        // The exploration of a free player who comes back in the row below.
        let mut free = inside.clone();
        for row in (0..self.height).rev().filter(|&row| !solid[row]) {
            // A player without support falls into that row.
            let falls = solid.get(row + 1).is_some_and(|&below| !below);
            back.reset(if falls { &free } else { &inside });
            back.reach(row, FREE);
            back.explore();
            free.reset(&back);
            for &stage in JumpAutomaton::published().leftward() {
                if inside.reached[row] >> stage & 1 == 1 {
                    continue;
                }
                back.reset(&free);
                back.reach(row, stage);
                back.explore();
                let new = back.right.iter().zip(&inside.right);
                let new = new.map(|(all, known)| all & !known);
                if new.clone().any(|stages| stages > 0) {
                    returns.push(((row, stage), new.collect()));
                }
            }
        }
        returns.sort_unstable_by_key(|&(at, _)| at);
        EdgeCrossings {
            alive: true,
            reached: inside.right,
            returns,
        }
    }
}

/// The exploration of one column, between the edge at its left and the columns that follow.
#[derive(Clone)]
struct ColumnExploration<'a> {
    solid: &'a [bool],
    left: Option<&'a EdgeCrossings>,
    /// For each row a bit for each stage reached.
    reached: Vec<u64>,
    right: Crossings,
    open: Vec<(usize, Stage)>,
}

impl ColumnExploration<'_> {
    /// Restores a finished exploration of the same column.
    fn reset(&mut self, other: &Self) {
        self.reached.copy_from_slice(&other.reached);
        self.right.copy_from_slice(&other.right);
    }

    /// Marks a stage of a row as reached, and the free stage with it, whose moves are open to a player in any stage.
    fn reach(&mut self, row: usize, stage: Stage) {
        for stage in [FREE, stage] {
            if self.reached[row] >> stage & 1 == 0 {
                self.reached[row] |= 1 << stage;
                self.open.push((row, stage));
            }
        }
    }

    /// Players come from the left.
    fn come(&mut self, crossings: &[u64]) {
        for (row, &stages) in crossings.iter().enumerate() {
            let mut stages = if self.solid[row] { 0 } else { stages };
            while stages > 0 {
                self.reach(row, stages.trailing_zeros() as Stage);
                stages &= stages - 1;
            }
        }
    }

    fn explore(&mut self) {
        let height = self.solid.len();
        while let Some((row, stage)) = self.open.pop() {
            let supported = self.solid.get(row + 1).is_some_and(|&solid| solid);
            let to = |dx, row, stage| self.go(dx, row, stage);
            match stage {
                FREE => free_moves(height, row, supported, to),
                stage => jump_moves(height, row, stage, to),
            }
        }
    }

    fn go(&mut self, dx: i8, row: usize, stage: Stage) {
        match dx {
            0 if !self.solid[row] => self.reach(row, stage),
            1 => self.right[row] |= 1 << FREE | 1 << stage,
            -1 => {
                if let Some(left) = self.left {
                    let found = left.returns.binary_search_by_key(&(row, stage), |r| r.0);
                    if let Ok(index) = found {
                        self.come(&left.returns[index].1);
                    }
                }
            }
            _ => {}
        }
    }
}
