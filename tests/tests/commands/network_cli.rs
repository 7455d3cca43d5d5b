//! Tests of the example that answers queries about networks, run as a user runs it.

mod answers;
mod counts;
mod decisions;
mod estimates;
mod failures;
mod files;
mod formats;
mod learning;
mod options;
mod predictions;
mod reading;
mod real_variables;
mod structures;
mod worlds;
