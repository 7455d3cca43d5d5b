//! Command lines of the examples that draw boards: flags, tasks, messages, JSON, pictures and pages.
//!
//! An example defines its own flags and its [`Puzzle`]: a [generator](figrs_models::board::Generator) and the display of its boards. The function
//! [`main`] does all other work of an example.

mod answer;
mod clue_file;
mod deadline;
mod demand_files;
mod display;
mod findings;
mod flags;
mod goodness;
mod options;
mod page;
mod progress_lines;
mod puzzle;
pub mod puzzles;
mod question;
mod range;
mod report;
mod run;
mod watch;
mod words;

pub use answer::{Unanswered, answer};
pub use clue_file::{ClueSource, read as read_clues};
pub use demand_files::DemandFiles;
pub use display::{all_demands, marked, place};
pub use figrs_command::Failure;
pub use options::{Options, Task};
pub use puzzle::{CHAIN, Example, Length, Other, Puzzle, Role};
pub use range::{message, range};
pub use run::main;
pub use watch::Watch;
