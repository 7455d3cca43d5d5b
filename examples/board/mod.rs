//! Flags, tasks and methods of the examples that draw boards, and the way from a puzzle to its answer.
//!
//! An example states its [`Puzzle`], which is an element program and how its boards are shown, and its own flags; the rest is
//! [`main`].

mod boards;
mod conflict;
pub(crate) mod engine;
mod findings;
mod goodness;
pub(crate) mod options;
mod page;
mod puzzle;
mod question;
mod rejection;
mod report;
mod run;
mod side;
mod turns;

pub(crate) use boards::Boards;
pub(crate) use engine::Engine;
pub(crate) use figrs_command::Failure;
use findings::Findings;
pub(crate) use options::Options;
pub(crate) use puzzle::{Drawn, Example, Fallback, Program, Puzzle};
pub(crate) use run::main;
pub(crate) use side::Side;
