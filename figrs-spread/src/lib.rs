//! Runs that are divided into numbered parts, so that many processes on one or many machines can compute them.
//!
//! A program that runs its queries through [`Spread::run`] also computes the parts of these queries; no separate worker program is needed. Without
//! options, a program that uses [`Spread::run`] computes the whole run in one process. With `--part N` the program writes one part of the run to a
//! file, and with `--serve` it writes the parts that are requested on its standard input. With `--merge` the program reads the parts and continues
//! with the answer, which equals the answer of a single process to the last bit.
//!
//! | item | method or type |
//! |---|---|
//! | an answer of a sampler | [`Spread::run`] |
//! | an exact sum over slices | [`Spread::sum`] |
//! | the fit of a learner, round by round | [`Spread::fit`] |
//! | a set of levels or boards in numbered files | [`Spread::levels`] |
//! | the options, for programs with their own command line | [`SpreadOptions`] |
//!
//! ```no_run
//! use figrs_core::{Flip, If, Model};
//! use figrs_infer::ImportanceSampling;
//! use figrs_spread::Spread;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let spread = Spread::from_args("rain", 64)?;
//!     let rain = Flip::new(0.2);
//!     let wet = If::new(&rain, Flip::new(0.9), Flip::new(0.1));
//!     let model = Model::new().observe(&wet, true);
//!     let sampler = ImportanceSampling::new(10_000_000_000).seed(1);
//!     if let Some(answer) = spread.run(&sampler, &model, &rain)? {
//!         println!("{}", answer.probability(&rain, &true)?);
//!     }
//!     Ok(())
//! }
//! ```

mod counted_fit;
mod error;
mod item_set;
mod part_bytes;
mod part_files;
mod part_identity;
mod requests;
mod sampled_run;
mod spread;

pub use error::SpreadError;
pub use figrs_infer::Slices;
pub use spread::{Spread, SpreadOptions};
