//! Networks: files, data, structures.

mod answers;
mod files;
mod learning;
mod mistakes;
mod round_trips;
mod structure;
