//! Levels of the reference corpora, and what demands make of them.

mod movement_demands;
mod ngram_runs;
mod seen_levels;
mod vglc_movements;
mod vglc_smb;
