//! Boards: grids with a value in each cell, drawn at random from all boards that the rules and the user's demands (requirements) allow.
//!
//! A puzzle is a [`Generator`]: a probabilistic program in which the user's demands are evidence, and a function that converts the values of its
//! cells to a board. The [`ConditionalSampler`] draws random boards by the most suitable method, and reports the method with the reason for its
//! choice. [`ExactBoards`] computes exact answers about boards, such as marginal distributions and the most probable board. [`NumberedBoards`] draws
//! a set of random boards in several parts, which may be computed on different machines. The modules [`maze`](crate::boards::maze),
//! [`dungeon`](crate::boards::dungeon), [`island`](crate::boards::island), [`yin_yang`](crate::boards::yin_yang) and
//! [`chromatic_maze`](crate::boards::chromatic_maze) have generators of boards; users can write their own: see [`ConditionalSampler`].
//!
//! # References
//!
//! The choice among algorithms by predictions of their cost, with fallbacks, follows the meta engine of the Rust crate `regex`.

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
mod numbered_particles;
mod particles;
mod rejection;
mod report;
mod sample;
mod sequence;
mod watch;

pub(crate) use answers::positive;
pub use answers::{AnswerProgress, BoardAnswers, CellDistribution, OwnAnswers};
pub use chain::{BoardMoves, RuledCells, WindowMoves};
pub use conditional_sampler::ConditionalSampler;
pub use conflict::ConflictStage;
pub(crate) use conflict::no_solution;
pub use drawn_boards::DrawnBoards;
pub use elements::BoardElements;
pub use error::BoardError;
pub use exact::{Cost, ExactBoards};
pub use generator::{Generator, OwnDraw, OwnSampler};
pub use method::{Method, MethodChoice, Reason};
pub use numbered::NumberedBoards;
pub(crate) use rejection::MAX_CONSECUTIVE_FAILURES;
pub use report::Report;
pub use sample::Sample;
pub use sequence::BoardSequence;
pub use watch::Event;
