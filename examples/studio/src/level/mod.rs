//! Answers to requests for game levels.

mod demands;
mod drawn;
mod export;
mod movement;
mod request;
mod training;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use figrs_command::level_sampler::NumberedLevels;
use figrs_command::{LevelJson, chain_settings};
use figrs_design::{DemandedLevel, Movement, Playability, Route, TileSheet, write_tileset};
use figrs_models::mdmc::{GeneratedLevel, Level, Meaning, Travel};
use serde_json::{Value as Json, json};

use crate::folder::Folder;
use crate::memory_pool::MemoryPool;
use crate::problem::{Problem, wrong};
use crate::recent::Recent;
use drawn::{BatchKey, DrawingKey, ModelKey};
use request::{LevelRequest, LevelTask};
use training::{Texts, Trained};

/// The trained Markov chains, the compiled models and the levels of earlier requests.
#[derive(Debug)]
pub(crate) struct Levels {
    trained: Recent<String, Trained>,
    /// Models without demands; each model remembers the paths of a player that were found in it.
    models: Recent<ModelKey, DemandedLevel>,
    exact: Recent<Arc<DrawingKey>, NumberedLevels>,
    /// Samplers by particles, which keep results for later requests: the factors by which demands change the probabilities of tiles, whether demands
    /// exclude each other, and the levels that were drawn together with a requested level.
    conditioned: Recent<Arc<DrawingKey>, NumberedLevels>,
    batches: Recent<BatchKey, Vec<GeneratedLevel>>,
}

impl Levels {
    pub(crate) fn new() -> Self {
        Self {
            trained: Recent::of(8),
            models: Recent::of(4),
            exact: Recent::of(1),
            conditioned: Recent::of(4),
            batches: Recent::of(48),
        }
    }

    /// Returns the JSON answer to a request for levels; the work stops when a flag is set.
    ///
    /// **Errors.** The request is wrong, or there is no answer.
    pub(crate) fn answer(
        &self,
        body: &[u8],
        folder: Option<&Folder>,
        pool: &MemoryPool,
        ended: &Arc<AtomicBool>,
    ) -> Result<Json, Problem> {
        let request = LevelRequest::read(body)?;
        let texts = Texts::of(&request, folder)?;
        let key = texts.key(&request);
        let trained = self.trained.get(key, || texts.train(&request))?;
        request.check(&trained.chain)?;
        let _share = pool.take(request.expected_memory(), ended)?;
        let drawing = || self.drawing(&request, &trained, ended);
        match request.task {
            LevelTask::Sample => self.sample(&drawing()?),
            LevelTask::Marginals => self.marginals(&drawing()?),
            LevelTask::Probability => drawing()?.probability(),
            LevelTask::Check => {
                let level = given(&request, &trained)?;
                let settings = chain_settings(&trained.chain).into();
                let unseen = unseen(&trained, &level)?;
                let route = shown(&request, &trained)?;
                let counts = (unseen, None);
                Ok(json_of(
                    &trained,
                    &level,
                    settings,
                    counts,
                    None,
                    route.as_ref(),
                ))
            }
            LevelTask::Export => export::file(&request, &given(&request, &trained)?, &trained),
            LevelTask::Tiles => tiles(&request, &trained),
        }
    }
}

/// Returns the level that a request contains, in the orientation of the model.
fn given(request: &LevelRequest, trained: &Trained) -> Result<Level, Problem> {
    let text = request.texts.level.join("\n");
    let level = Level::from_text("level", &text, trained.chain.tile_set()).map_err(wrong)?;
    Ok(trained.chain.travel().turned(&level))
}

/// Returns any path of a player through the level, if the request asks to show a path.
fn shown(request: &LevelRequest, trained: &Trained) -> Result<Option<Route>, Problem> {
    let rules = request
        .question
        .show_path
        .then(|| movement::rules(request, trained));
    Ok(rules.transpose()?.as_ref().map(Route::under))
}

/// Returns the JSON of a drawn level in its upright form, with the seed and the number of the level if they are known, and with the path to show.
fn json_of(
    trained: &Trained,
    level: &Level,
    settings: Vec<(&'static str, Json)>,
    (unseen, fallbacks): (usize, Option<usize>),
    drawn: Option<(u64, u64)>,
    route: Option<&Route>,
) -> Json {
    let upright = trained.upright(level);
    let path = route.map(|route| Playability::along(&upright, route));
    LevelJson {
        level: &upright,
        drawn,
        settings,
        unseen,
        fallbacks,
        path: path
            .as_ref()
            .map(|playability| (playability, playability.path())),
    }
    .value()
}

/// Returns the number of cells whose neighbourhood never occurred in training.
fn unseen(trained: &Trained, level: &Level) -> Result<usize, Problem> {
    let (height, rows) = (trained.chain.height(), level.height());
    if rows != height {
        return Err(Problem::wrong(format!(
            "level: it has {rows} {}, but the training levels have {height}",
            match trained.chain.travel() {
                Travel::Right => "rows",
                Travel::Up => "columns",
            }
        )));
    }
    Ok(trained.chain.unseen(level))
}

/// Returns the tiles of the training levels with the picture of each tile, and the training levels themselves.
fn tiles(request: &LevelRequest, trained: &Trained) -> Result<Json, Problem> {
    let (set, corpus) = (trained.chain.tile_set(), &trained.corpus);
    let tiles = set.tiles().map(|tile| {
        json!({
            "symbol": tile.to_string(),
            "name": set.description(tile),
            "meanings": tile.meanings().map(Meaning::name).collect::<Vec<_>>(),
            "solid": tile.solid(),
        })
    });
    let sheet = export::sheet(request, trained)?;
    let mut picture = Vec::new();
    let written = match &sheet {
        Some(sheet) => sheet.write_tileset(&mut picture),
        None => write_tileset(set, &mut picture),
    };
    written.map_err(wrong)?;
    let training = corpus.names().iter().zip(corpus.levels());
    let training = training.map(|(name, level)| {
        let level = corpus.travel().upright(level);
        json!({"name": name, "text": format!("{level}\n")})
    });
    let suggested = Movement::suggested(set, corpus.travel()).ok();
    let mut object = json!({
        "tiles": tiles.collect::<Json>(),
        "empty": set.empty().map(|tile| tile.to_string()),
        "drawn": sheet.is_none() && set.is_platformer(),
        "picture": STANDARD.encode(picture),
        "side": sheet.as_ref().map_or(TileSheet::SIDE, TileSheet::side),
        "across": corpus.height(),
        "travel": corpus.travel().name(),
        "movement": suggested.as_ref().map(Movement::name),
        "notes": trained.notes,
        "training": training.collect::<Json>(),
    });
    for (name, value) in chain_settings(&trained.chain) {
        object[name] = value;
    }
    Ok(object)
}
