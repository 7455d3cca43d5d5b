//! What the examples that draw boards share: flags, tasks, methods, files, and the way from a puzzle to its answer.
//!
//! An example states its [`Puzzle`], which is an element program and how its boards are shown, and its own flags; the rest is
//! [`main`].

#[path = "../program/command_line.rs"]
mod command_line;
mod conflict;
mod engine;
mod failure;
#[path = "../program/files.rs"]
mod files;
mod findings;
mod goodness;
#[path = "../program/no_answer.rs"]
mod no_answer;
pub(crate) mod options;
mod page;
mod progress;
mod puzzle;
mod question;
mod rejection;
mod report;
mod run;
mod side;
mod turns;

pub(crate) use engine::Engine;
pub(crate) use failure::{Failure, too_large};
use findings::Findings;
pub(crate) use no_answer::NoAnswer;
pub(crate) use options::Options;
pub(crate) use progress::Progress;
pub(crate) use puzzle::{Drawn, Example, Fallback, Program, Puzzle};
pub(crate) use run::main;
pub(crate) use side::Side;
