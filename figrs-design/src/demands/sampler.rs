//! A common interface of all samplers of levels.

use std::fmt::Debug;
use std::io::{self, Write};
use std::ops::Range;

use figrs_infer::ItemSampler;

use super::conditioned::ConditionedSampler;
use super::demand::Demand;
use super::error::SteeringError;
use super::exact::ExactSampler;
use figrs_models::mdmc::{ElementSampler, GeneratedLevel, LookAheadSampler};

/// A sampler of levels, set up for one model and one width.
pub trait LevelSampler: Debug + Send + Sync {
    /// Returns the name of the method.
    fn name(&self) -> &'static str;

    /// Describes the distribution of the levels in one sentence.
    fn guarantee(&self) -> String;

    /// Describes in one sentence how near the levels drawn so far are to the law; `None` if they have the law exactly.
    fn quality(&self) -> Option<String> {
        None
    }

    /// Returns the demands that every level meets.
    fn demands(&self) -> Vec<Demand> {
        Vec::new()
    }

    /// Returns the number of levels to request at once for the least time per level.
    fn batch(&self) -> u64 {
        1
    }

    /// Draws the levels with these indices; a level depends only on the seed and its index. Ranges should begin and end at multiples of
    /// [`batch`](Self::batch).
    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError>;
}

impl LevelSampler for LookAheadSampler {
    fn name(&self) -> &'static str {
        "look-ahead"
    }

    fn guarantee(&self) -> String {
        "tiles drawn one by one, those that run into an unseen configuration within the look-ahead drawn again: near the \
         trained chain given that nothing is unseen, and not exactly that"
            .to_owned()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError> {
        let Ok(levels) = self.items(seed, numbers);
        Ok(levels)
    }
}

impl LevelSampler for ElementSampler {
    fn name(&self) -> &'static str {
        "elements"
    }

    fn guarantee(&self) -> String {
        "as look-ahead, by queries to exact inference; a tile fails where the most probable continuation is unseen".to_owned()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError> {
        Ok(self.items(seed, numbers)?)
    }
}

/// Implements [`ItemSampler`] for samplers of levels; each level is written as text in the format of the training levels.
macro_rules! items {
    ($($sampler:ty),+) => {$(
        impl ItemSampler for $sampler {
            type Item = GeneratedLevel;
            type Error = SteeringError;

            fn batch(&self) -> u64 {
                LevelSampler::batch(self).max(1)
            }

            fn items(
                &self,
                seed: u64,
                numbers: Range<u64>,
            ) -> Result<Vec<GeneratedLevel>, SteeringError> {
                self.levels(seed, numbers)
            }

            fn write(&self, generated: &GeneratedLevel, out: &mut dyn Write) -> io::Result<()> {
                writeln!(out, "{}", generated.level())
            }
        }
    )+};
}
items!(ConditionedSampler, ExactSampler, dyn LevelSampler + '_);
