//! Puzzles in the Game Description Language, as inference.

mod check;
mod clauses;
mod elements;
mod error;
mod ground;
mod join;
mod kif;
mod limits;
mod machine;
mod puzzle;
mod saturate;
mod state;
mod survey;
mod syntax;
mod terms;
mod tuples;

pub use elements::{Length, PlanElements, Policy};
pub use error::{GdlError, TextProblem};
pub use limits::Limits;
pub use puzzle::Puzzle;
pub use state::{Action, Move, State};
pub use survey::Survey;
