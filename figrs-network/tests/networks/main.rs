//! Tests of networks: files, data and structures.

mod answers;
mod files;
mod learning;
mod mistakes;
mod mixed;
mod round_trips;
mod structure;
