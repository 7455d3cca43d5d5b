//! Shared parts of the examples' command lines: limits of time and memory, files, evidence of networks, ranges, progress, and messages.
//!
//! The function [`run`] parses and runs a command. A command listens to Ctrl-C and `--time` with [`stop::listen`], runs work that cannot be
//! interrupted in [`stop::attempt`], reads files with [`read_text`], writes them with [`replace`], and shows a [`Progress`] on a terminal. The exit
//! code is 0 with an answer, 1 without an answer, and 2 if files or options are wrong.

mod answer_options;
mod bytes;
mod destination;
mod failure;
mod json;
pub mod level_demands;
mod level_json;
pub mod level_model;
pub mod level_names;
pub mod level_question;
pub mod level_sampler;
mod network_json;
mod numbers;
mod observed;
mod parsed;
mod printed;
mod program;
mod progress;
pub mod ranges;
mod reading;
pub mod stop;
pub mod strict;
mod words;
mod writing;

pub use answer_options::{AnswerFormat, AnswerOptions, WrittenAnswer};
pub use bytes::{bytes, mebibytes};
pub use destination::{check_distinct, check_report, check_writable, format_of, has_extension};
pub use failure::{Failure, NoAnswer, inference, is_without_answer};
pub use figrs_core::Bytes;
pub use json::as_json;
pub use level_json::{LevelJson, chain_settings, level_counts};
pub use network_json::{each_state, probabilities, standard_errors};
pub use numbers::{finite, not_negative, whole};
pub use observed::{observations, queried};
pub use parsed::{parsed, parsed_by, parsed_from, seconds};
pub use printed::{Printed, standard_output};
pub use program::{message, run};
pub use progress::{Progress, note};
pub use reading::{
    column_of_cell, is_standard_input, read_diagram, read_mixed, read_network, read_standard_input,
    read_text,
};
pub use writing::{in_file, publish, replace, replace_text};
