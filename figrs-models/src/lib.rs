//! Generators of boards and levels, built with the public items of figrs.
//!
//! - The module [`board`] has generators of random boards, and the sampler that chooses a method of drawing for each generator.
//! - The module [`grid`] has constraints on the cells of a grid, as automata that are folded over the elements (random variables) of the cells.
//! - The modules [`maze`], [`dungeon`], [`island`], [`yin_yang`] and [`chromatic_maze`] draw puzzles and maps at random from all boards that their
//!   rules allow.
//! - The module [`picture`] draws pictures of boards, and the module [`variation`] computes scores of how much boards differ.
//! - The module [`mdmc`] draws platformer levels from multi-dimensional Markov chains trained on example levels.
//!
//! # Example
//!
//! ```
//! use figrs_models::mdmc::{Corpus, LookAheadSampler, MarkovChain, RowSplits, Structure};
//! use rand::SeedableRng;
//!
//! let corpus = Corpus::shipped();
//! let chain = MarkovChain::train(&corpus, &Structure::NS3, RowSplits::NONE)?;
//! let sampler = LookAheadSampler::new(chain, 3, 80)?;
//! let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
//! let generated = sampler.sample(&mut rng);
//! assert_eq!(generated.level().width(), 80);
//! println!("{}", generated.level());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::unwrap_used)]

pub mod board;
mod boards;
pub mod grid;
pub mod mdmc;
#[cfg(feature = "png")]
pub mod picture;
#[doc(hidden)]
pub mod shares;
pub mod variation;

pub use boards::{chromatic_maze, dungeon, island, maze, yin_yang};
pub use figrs_reading::{FileError, Mistake, MistakeKind};
