//! Every case of the reference and every trap of our own, put to every algorithm that can answer it.
//!
//! A new case is one row in a table of `conformance/`; a new algorithm is one row in
//! `conformance/contenders.rs`. Each case is a test of its own name.

use figrs_tests::asked;

#[path = "conformance/case.rs"]
#[macro_use]
mod case;
#[path = "conformance/contenders.rs"]
mod contenders;

#[path = "conformance/chains.rs"]
mod chains;
#[path = "conformance/continuous.rs"]
mod continuous;
#[path = "conformance/elements.rs"]
mod elements;
#[path = "conformance/endless.rs"]
mod endless;
#[path = "conformance/lazy_bounds.rs"]
mod lazy_bounds;
#[path = "conformance/networks.rs"]
mod networks;
#[path = "conformance/printer.rs"]
mod printer;
#[path = "conformance/sequences.rs"]
mod sequences;
#[path = "conformance/traps.rs"]
mod traps;
#[path = "conformance/world_traps.rs"]
mod world_traps;
#[path = "conformance/worlds.rs"]
mod worlds;

#[path = "conformance/reference.rs"]
mod reference;
