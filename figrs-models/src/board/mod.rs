//! Boards: a grid with a value in each cell, drawn from exactly what rules and demands allow.
//!
//! A puzzle is a [`Generator`]: an element program with its demands as evidence, and how values of its cells are read as a board. The
//! [`ConditionalSampler`] draws its boards by the method that suits it, and says which and why; [`ExactBoards`] answers any other question about them, and
//! [`NumberedBoards`] draw sets in parts.
//! [`maze`](crate::boards::maze), [`dungeon`](crate::boards::dungeon), [`island`](crate::boards::island), [`yin_yang`](crate::boards::yin_yang) and
//! [`chromatic_maze`](crate::boards::chromatic_maze) are such generators, and a puzzle of a user's own is another: see [`ConditionalSampler`].
//!
//! # References
//!
//! For choosing among engines behind one door by what can be predicted of them, and falling back: the meta engine of the Rust crate `regex`.

mod answers;
mod chain;
mod conditional_sampler;
mod conflict;
mod drawing;
mod drawn_boards;
mod elements;
mod error;
mod exact;
mod generator;
mod interleave;
mod method;
mod numbered;
mod particles;
mod rejection;
mod report;
mod sample;
mod watch;

pub(crate) use answers::positive;
pub use answers::{BoardAnswers, CellDistribution, OwnAnswers, Progress};
pub use chain::{BoardMoves, RuledCells, WindowMoves};
pub use conditional_sampler::ConditionalSampler;
pub(crate) use conflict::no_solution;
pub use drawn_boards::DrawnBoards;
pub use elements::Elements;
pub use error::BoardError;
pub use exact::{Cost, ExactBoards};
pub use generator::{Generator, OwnSampler};
pub use method::{Method, MethodChoice, Reason};
pub use numbered::NumberedBoards;
pub(crate) use rejection::MAX_CONSECUTIVE_FAILURES;
pub use report::Report;
pub use sample::Sample;
pub use watch::Event;
