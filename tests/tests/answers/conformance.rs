//! Every case of the reference and every trap of our own, put to every algorithm that can answer it.
//!
//! A new case is one row in a table of `conformance/`; a new algorithm is one row in
//! `conformance/contenders.rs`. Each case is a test of its own name.

use figrs_tests::asked;

#[macro_use]
mod case;
mod contenders;

mod chains;
mod continuous;
mod elements;
mod endless;
mod lazy_bounds;
mod networks;
mod printer;
mod sequences;
mod traps;
mod world_traps;
mod worlds;

mod reference;
