//! Networks: files, data, structures.

mod answers;
mod files;
mod learning;
mod round_trips;
mod structure;
