//! Levels in JSON.

use figrs_design::Playability;
use figrs_models::mdmc::{GeneratedLevel, Level, MarkovChain};
use serde_json::{Value as Json, json};

/// A level in the JSON of commands: its settings, its measures and its rows.
#[derive(Debug)]
pub struct LevelJson<'a> {
    /// The level as it is shown, in its upright form.
    pub level: &'a Level,
    /// The seed of the random numbers, and the index of the level among the levels with this seed.
    pub drawn: Option<(u64, u64)>,
    /// The settings with which the level can be drawn again.
    pub settings: Vec<(&'static str, Json)>,
    /// Number of cells whose neighbourhood never occurred in the training levels.
    pub unseen: usize,
    /// Number of tiles drawn by simpler dependency structures (fallbacks); `None` for models without such structures.
    pub fallbacks: Option<usize>,
    /// The playability of the level and the cells of the path, if the command asks for them.
    pub path: Option<(&'a Playability, &'a [(usize, usize)])>,
}

impl LevelJson<'_> {
    /// The level as JSON.
    pub fn value(self) -> Json {
        let text = self.level.to_string();
        let mut object = match self.drawn {
            Some((seed, index)) => json!({"seed": seed, "index": index}),
            None => json!({}),
        };
        object["width"] = self.level.width().into();
        object["height"] = self.level.height().into();
        for (name, value) in self.settings {
            object[name] = value;
        }
        object["unseen"] = self.unseen.into();
        if let Some(fallbacks) = self.fallbacks {
            object["fallbacks"] = fallbacks.into();
        }
        if let Some((playability, way)) = self.path {
            object["playable"] = playability.playable().into();
            object["obstacle"] = playability.obstacle().map(|o| o.to_string()).into();
            object["path"] = json!(way);
        }
        object["rows"] = text.lines().collect();
        object
    }
}

/// Returns the settings of a trained Markov chain.
pub fn chain_settings(chain: &MarkovChain) -> [(&'static str, Json); 3] {
    [
        ("structure", chain.structure_list().to_string().into()),
        ("smoothing", chain.smoothing().into()),
        ("row_splits", chain.row_splits().count().into()),
    ]
}

/// Returns the number of cells whose neighbourhood never occurred in training, and the number of fallbacks if the level was drawn with dependency
/// structures.
pub fn level_counts(generated: &GeneratedLevel, chain: &MarkovChain) -> (usize, Option<usize>) {
    let is_of_chain = !generated.tiles_by_structure().is_empty();
    if is_of_chain {
        (generated.unseen(), Some(generated.fallbacks()))
    } else {
        (chain.unseen(generated.level()), None)
    }
}
