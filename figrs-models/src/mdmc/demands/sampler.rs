//! One interface to all ways of drawing levels.

use std::fmt::Debug;
use std::io::{self, Write};
use std::ops::Range;

use figrs_core::stream;
use figrs_infer::ItemSampler;

use super::super::{ElementSampler, GeneratedLevel, LookAheadSampler};
use super::conditioned::ConditionedSampler;
use super::demand::Demand;
use super::error::SteeringError;
use super::exact::ExactSampler;

/// A way of drawing levels, set up for one model and one width.
pub trait LevelSampler: Debug + Send + Sync {
    /// The name of the method.
    fn name(&self) -> &'static str;

    /// The distribution of the levels, in one sentence.
    fn guarantee(&self) -> String;

    /// Measured nearness of the levels drawn so far to the law, in one sentence; nothing where they have the law exactly.
    fn quality(&self) -> Option<String> {
        None
    }

    /// Demands that every level meets.
    fn demands(&self) -> Vec<Demand> {
        Vec::new()
    }

    /// Number of levels that are best asked for at once.
    fn batch(&self) -> u64 {
        1
    }

    /// The levels of a set that have these numbers: a level depends on the seed and its number alone. Ranges are best multiples of
    /// [`batch`](Self::batch).
    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError>;
}

impl LevelSampler for ElementSampler {
    fn name(&self) -> &'static str {
        "elements"
    }

    fn guarantee(&self) -> String {
        "as look-ahead, by queries to exact inference; a tile fails where the most probable continuation is unseen".to_owned()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError> {
        numbers
            .map(|number| Ok(self.sample(&mut stream(seed, number))?))
            .collect()
    }
}

/// Levels as items of a set: texts in the format of the training levels.
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
items!(
    ElementSampler,
    LookAheadSampler,
    ConditionedSampler,
    ExactSampler,
    dyn LevelSampler + '_
);
