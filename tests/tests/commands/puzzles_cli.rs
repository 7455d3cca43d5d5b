//! Tests of the examples that draw boards, run as a user runs them.

mod answers;
mod files;
mod impossible;
mod laws;
mod made;
mod methods;
mod mistakes;
mod shown;
mod stats;
