//! Samplers of levels that meet demands, and descriptions of these samplers in words.

use std::sync::Arc;

use figrs_design::DemandedLevel;
use figrs_models::board::NumberedBoards;

/// A sampler of levels that meet demands.
pub type NumberedLevels = NumberedBoards<Arc<DemandedLevel>>;

/// The name of the method that draws the levels.
pub fn method(sampler: &NumberedLevels) -> &'static str {
    match sampler.particles() {
        None => "exact",
        Some(_) => "conditioned",
    }
}

/// The distribution of the levels.
pub fn guarantee(sampler: &NumberedLevels) -> String {
    let model = sampler.generator().level_model().name();
    match sampler.particles() {
        None => format!("exactly {model} given the demands"),
        Some(particles) => format!(
            "all demands are met; approximately {model} given the demands, by {particles} particles per level"
        ),
    }
}

/// Measured distance of the levels drawn so far from their exact distribution; `None` if the levels have exactly this distribution.
pub fn quality(sampler: &NumberedLevels) -> Option<String> {
    let (populations, effective) = sampler.effective_populations()?;
    let share = effective / populations as f64;
    let advice = match share {
        ..0.1 => "far from the exact distribution: use more particles, or the exact method",
        ..0.5 => "more particles bring the levels closer to the exact distribution",
        _ => "close to the exact distribution",
    };
    Some(format!(
        "measured: the weights of {populations} populations have an effective size of {effective:.1} ({:.0} %), {advice}",
        100.0 * share
    ))
}
