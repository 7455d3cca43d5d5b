//! A common interface of all samplers of levels.

use std::fmt::Debug;
use std::ops::{Deref, Range};

use figrs_infer::ItemSampler;

use super::demand::Demand;
use super::error::SteeringError;
use super::steered::SteeredLevel;
use figrs_models::board::NumberedBoards;
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

/// Levels that meet demands, drawn from exactly the law of the model given the demands, or by particles near that law.
impl<P> LevelSampler for NumberedBoards<P>
where
    P: Deref<Target = SteeredLevel> + Send + Sync,
{
    fn name(&self) -> &'static str {
        match self.particles() {
            None => "exact",
            Some(_) => "conditioned",
        }
    }

    fn guarantee(&self) -> String {
        let model = self.generator().level_model().name();
        match self.particles() {
            None => format!("exactly {model} given the demands"),
            Some(particles) => format!(
                "all demands are met; near {model} given the demands and not exactly that, {particles} particles a level"
            ),
        }
    }

    fn quality(&self) -> Option<String> {
        let (populations, effective) = self.effective_populations()?;
        let share = effective / populations as f64;
        let advice = match share {
            ..0.1 => "far from the law: take more particles, or ask for the exact law",
            ..0.5 => "more particles bring levels nearer to the law",
            _ => "near the law",
        };
        Some(format!(
            "measured: the weights of {populations} populations have an effective size of {effective:.1} ({:.0} %), {advice}",
            100.0 * share
        ))
    }

    fn demands(&self) -> Vec<Demand> {
        self.generator().demands().cloned().collect()
    }

    fn batch(&self) -> u64 {
        ItemSampler::batch(self)
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError> {
        Ok(self.items(seed, numbers)?)
    }
}
