//! Constraints on the cells of a grid, as automata that read the cells in scan order (row by row).
//!
//! An [`Automaton`] has a small state, and a function that reads the next cell; cells are read row by row, from left to right. The state of an
//! automaton summarises the cells read so far; often it depends only on the cell read last in each column (the *frontier*). If the cells read so far
//! cannot be completed to a board that the automaton accepts, its state is `None`. A [`Constraint`] folds an automaton over the elements of the
//! cells: each state is a function (an `Apply`) of the previous state and the next cell, and the constraint is evidence on the states. The module
//! `grid` has no solver of its own, because any inference algorithm of figrs can answer queries about the cells. Exact algorithms evaluate
//! constraints on the cells of a grid by dynamic programming (transfer matrices); the algorithm [`Frontier`](figrs_infer::Frontier) is the fastest.
//!
//! | constraint | automaton |
//! |---|---|
//! | number of cells | [`Count`] |
//! | a constraint for each row, or each column | [`Rows`], [`Columns`], [`Runs`] |
//! | no 2 by 2 square of one colour | [`NoSquare`] |
//! | the cells of a colour are connected | [`Connected`] |
//! | a few cells are connected with a given cell | [`ConnectedAround`] |
//! | the cells of each of two colours are connected | [`TwoColours`] |
//! | the cells of a colour contain no cycle | [`Acyclic`] |
//! | marked cells can reach one another | [`ConnectedMarks`] |
//! | lengths of paths between marked cells | [`Distances`] |
//! | paths where not all neighbours are connected | [`Walk`] |
//! | two constraints together, a constraint on a function of each cell | [`Automaton::and`], [`Automaton::reading`] |
//!
//! ```
//! use figrs_core::{Element, Flip};
//! use figrs_infer::{Compiled, Frontier};
//! use figrs_models::grid::{Automaton, Connected, Constraint, NoSquare, Size};
//!
//! // Trees of land that leave no square of water: how many are there on 4 by 4?
//! let size = Size::new(4, 4)?;
//! let land: Vec<Element<bool>> = size.positions().map(|_| Flip::new(0.5)).collect();
//! let rules = Connected.and(NoSquare::new(size));
//! let constraint = Constraint::new(size, &land, rules)?;
//! let islands = Frontier::new().compile(constraint.model(), &land)?;
//! println!("{}", islands.count()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # References
//!
//! Transfer matrices over partitions of a frontier (the last cell read in each column) are described in Jensen, "Enumerations of lattice animals and
//! trees", Journal of Statistical Physics 102 (2001), and Knuth, *The Art of Computer Programming* 4A (2011), section 7.1.4, exercise 225 (Simpath).

mod automaton;
mod board;
mod clues;
mod connected;
mod connected_around;
mod connected_marks;
mod constraint;
mod count;
mod distances;
mod error;
pub(crate) mod limits;
mod lines;
mod no_square;
mod partition;
mod rules;
mod runs;
mod size;
mod two_colours;
mod walk;

pub use automaton::{Automaton, MappedAutomaton, ProductAutomaton};
pub use board::Board;
pub use clues::{Clues, Symbol};
pub use connected::{Acyclic, Connected, ConnectedState};
pub use connected_around::{ConnectedAround, ConnectedAroundState};
pub use connected_marks::{ConnectedMarks, ConnectedMarksState};
pub use constraint::Constraint;
pub use count::Count;
pub use distances::{Distances, DistancesState};
pub use error::GridError;
pub use lines::{Columns, Rows};
pub use no_square::{NoSquare, NoSquareState};
pub(crate) use partition::NextCell;
pub use partition::Partition;
pub use rules::{BoardRule, ConnectedRule, CountRule, SquareRule, WayRule, WeighedRule};
pub use runs::{Runs, RunsState};
pub use size::{Position, Size};
pub use two_colours::TwoColours;
pub use walk::{Ground, OpenEdges, Walk};
