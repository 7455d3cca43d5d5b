//! Conformance tests: every case of the reference, and every case of our own, runs on every algorithm that can answer it.
//!
//! A new case is one row in a table of `conformance/`; a new algorithm is one row in `conformance/contenders.rs`. Each case is a separate test with a
//! name.

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
