//! Levels that meet demands, and the probabilities of their tiles.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use figrs_command::level_demands::route_settings;
use figrs_command::level_model::{ModelSettings, TrainedModel};
use figrs_command::level_sampler::{self, NumberedLevels};
use figrs_command::strict::{MOST_DRAWN, strictly};
use figrs_command::{Flag, as_json, level_counts};
use figrs_design::{DemandedLevel, DemandedLevelError, Route};
use figrs_infer::{Error, ItemSampler};
use figrs_models::board::{BoardError, ConditionalSampler, Method};
use figrs_models::mdmc::{GeneratedLevel, Travel};
use serde_json::{Map, Value as Json, json};

use super::demands::Demands;
use super::request::{LevelMethod, LevelRequest};
use super::training::Trained;
use super::{Levels, json_of, movement};
use crate::problem::{Problem, wrong};

/// The levels that a request asks for: the trained model, all demands, and the sampler.
pub(super) struct Drawing<'r> {
    key: Arc<DrawingKey>,
    request: &'r LevelRequest,
    trained: &'r Trained,
    demands: Demands,
    /// The paths of a player that the request demands; if a path is shown but not demanded, any path by the rules of the movement.
    routes: Vec<Route>,
    sampler: NumberedLevels,
    /// The flag that ends the work on the request.
    ended: Arc<AtomicBool>,
}

/// The key that identifies a sampler: the number of the training, and the fields of the request that determine the levels of a seed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DrawingKey {
    training: u64,
    request: LevelRequest,
}

/// The key that identifies a batch of levels of one seed: the first level number and the number of levels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BatchKey {
    drawing: Arc<DrawingKey>,
    seed: u64,
    first: u64,
    levels: u64,
}

/// The key that identifies a model: the number of the training, the settings, and the number of columns.
pub(super) type ModelKey = (u64, (TrainedModel, ModelSettings), usize);

impl Drawing<'_> {
    /// Returns the settings with which the levels can be reproduced.
    fn settings(&self) -> Vec<(&'static str, Json)> {
        let (request, sampler) = (self.request, &self.sampler);
        let mut settings = vec![("method", Json::from(level_sampler::method(sampler)))];
        let model = request.question.trained();
        if model != TrainedModel::default() {
            settings.push(("trained", model.name().into()));
        }
        let chain = &self.trained.chain;
        settings.extend(request.question.model_settings().json(model, chain));
        if let Some(particles) = sampler.particles() {
            settings.push(("particles", particles.into()));
        }
        settings.push(("demands", json!(self.demands.message)));
        settings.extend(route_settings(&self.routes, request.question.strict));
        settings.push(("guarantee", level_sampler::guarantee(sampler).into()));
        settings
    }

    /// Returns the probability of the demands in the JSON that `mario_mdmc --probability --format json` prints.
    pub(super) fn probability(&self) -> Result<Json, Problem> {
        let started = Instant::now();
        let seed = self.request.seed;
        let (log, error) = if let Some(exact) = self.sampler.exact() {
            (exact.log_probability(), 0.0)
        } else {
            let sampler = particles(self.request, &self.ended).seed(seed);
            match sampler.estimated_log_probability(self.sampler.generator()) {
                Ok(estimate) => (estimate.value, estimate.standard_error),
                Err(BoardError::Inference(Error::NoSampleMetEvidence { .. })) => {
                    return Err(Problem::without_answer(format!(
                        "no particle met the demands; use more {}, or the exact method",
                        Flag("particles")
                    )));
                }
                Err(error) => return Err(self.demands.problem(error.into())),
            }
        };
        let probability = log.exp();
        Ok(json!({
            "method": level_sampler::method(&self.sampler),
            "probability": as_json(probability),
            "log_probability": as_json(log),
            "standard_error": as_json(probability * error),
            "seed": seed,
            "seconds": started.elapsed().as_secs_f64(),
        }))
    }
}

impl Levels {
    /// Returns levels in the JSON that `mario_mdmc --format json` prints.
    pub(super) fn sample(&self, drawing: &Drawing<'_>) -> Result<Json, Problem> {
        let (request, trained) = (drawing.request, drawing.trained);
        let settings = drawing.settings();
        // If there are several demanded paths, the one that passes through the most areas is shown.
        let routes = drawing.routes.iter().filter(|_| request.question.show_path);
        let shown = routes.max_by_key(|route| route.areas().len());
        let drawn = (request.index..).zip(self.levels(drawing)?);
        let values = drawn.map(|(index, (generated, rejected))| {
            let counts = level_counts(&generated, &trained.chain);
            let level = generated.into_level();
            let settings = settings.clone();
            let number = Some((request.seed, index));
            let mut value = json_of(trained, &level, settings, counts, number, shown);
            if request.question.strict {
                value["rejected"] = rejected.into();
            }
            Ok(value)
        });
        values.collect()
    }

    /// Returns the probability of each tile in each cell, exactly or as the share among drawn levels.
    pub(super) fn marginals(&self, drawing: &Drawing<'_>) -> Result<Json, Problem> {
        let (request, trained) = (drawing.request, drawing.trained);
        let travel = trained.chain.travel();
        let (across, length) = (trained.chain.height(), request.length(travel));
        let (height, width) = match travel {
            Travel::Right => (across, length),
            Travel::Up => (length, across),
        };
        let mut object = json!({"rows": height, "columns": width});
        for (name, value) in drawing.settings() {
            object[name] = value;
        }
        let mut cells = vec![vec![Map::new(); width]; height];
        let exact = drawing.sampler.exact();
        if let Some(exact) = exact {
            for (place, marginal) in exact.marginals().map_err(wrong)?.iter().enumerate() {
                let drawn = (across - 1 - place % across, place / across);
                let (row, column) = travel.upright_cell(length, drawn);
                let cell = &mut cells[row][column];
                for (tile, p) in marginal {
                    cell.insert(tile.to_string(), as_json(p));
                }
            }
            object["log_probability"] = as_json(exact.log_probability());
        } else {
            let drawn = self.levels(drawing)?;
            let share = 1.0 / drawn.len() as f64;
            for (level, _) in &drawn {
                for (drawn, tile) in level.level().as_array().indexed_iter() {
                    let (row, column) = travel.upright_cell(length, drawn);
                    let count = cells[row][column]
                        .entry(tile.to_string())
                        .or_insert(0.0.into());
                    *count = as_json(count.as_f64().unwrap_or_default() + 1.0);
                }
            }
            for count in cells.iter_mut().flatten().flat_map(Map::values_mut) {
                *count = as_json(count.as_f64().unwrap_or_default() * share);
            }
            object["levels"] = drawn.len().into();
            object["seed"] = request.seed.into();
        }
        object["exact"] = exact.is_some().into();
        object["marginals"] = json!(cells);
        Ok(object)
    }

    /// Returns the sampler of levels that a request needs. The sampler of levels stops when the flag `ended` is set.
    ///
    /// **Errors.** The request is wrong, demands contradict each other, or exact inference does not fit into memory.
    pub(super) fn drawing<'r>(
        &self,
        request: &'r LevelRequest,
        trained: &'r Trained,
        ended: &Arc<AtomicBool>,
    ) -> Result<Drawing<'r>, Problem> {
        let question = &request.question;
        let length = request.length(trained.chain.travel());
        let model = (question.trained(), question.model_settings());
        let known = self.models.get((trained.number, model, length), || {
            let model = question.model(&trained.corpus, &trained.chain, length)?;
            DemandedLevel::new(model, &[]).map_err(wrong)
        })?;
        let demands = Demands::of(request, trained, known.level_model())?;
        let mut routes: Vec<Route> = demands.routes().cloned().collect();
        if routes.is_empty() && (request.question.show_path || request.question.strict) {
            routes.push(Route::under(&movement::rules(request, trained)?));
        }
        let key = Arc::new(DrawingKey {
            training: trained.number,
            request: request.of_demands(),
        });
        let demanded = || known.demanding(&demands.all).map(Arc::new).map_err(wrong);
        let sampler = match request.method {
            LevelMethod::Conditioned => {
                let sampler = self.conditioned.get(Arc::clone(&key), || {
                    let numbered = particles(request, ended).numbered(demanded()?);
                    numbered.map_err(|error| demands.problem(error.into()))
                })?;
                NumberedLevels::clone(&sampler).interrupt(Arc::clone(ended))
            }
            LevelMethod::Exact => {
                let sampler = self.exact.get(Arc::clone(&key), || {
                    let exact = ConditionalSampler::new().among([Method::Exact]);
                    let exact = exact.memory(question.memory().0);
                    let numbered = exact.interrupt(Arc::clone(ended)).numbered(demanded()?);
                    numbered.map_err(|error| too_large(error.into(), request, &demands))
                })?;
                NumberedLevels::clone(&sampler)
            }
        };
        Ok(Drawing {
            key,
            request,
            trained,
            demands,
            routes,
            sampler,
            ended: Arc::clone(ended),
        })
    }

    /// Returns the requested levels, each with the number of levels that stricter rules rejected before it.
    fn levels(&self, drawing: &Drawing<'_>) -> Result<Vec<(GeneratedLevel, u64)>, Problem> {
        let request = drawing.request;
        let numbers = request.index..request.index + request.question.levels;
        if !request.question.strict {
            let levels = self.batches(drawing, request.seed, numbers)?.into_iter();
            return Ok(levels.map(|level| (level, 0)).collect());
        }
        let draw = |seed| self.batches(drawing, seed, numbers.clone());
        let levels = strictly(&drawing.routes, request.seed, GeneratedLevel::level, draw)?;
        levels.ok_or_else(|| {
            Problem::without_answer(format!(
                "none of {MOST_DRAWN} draws of a level was playable by the stricter rules; demand {}, choose another {}, or leave out {}",
                Flag("playable"),
                Flag("movement"),
                Flag("strict")
            ))
            .with("playable", true.into())
        })
    }

    /// Draws levels of a seed. Levels are drawn in whole batches, which are kept for the next request; a single level is drawn alone.
    fn batches(
        &self,
        drawing: &Drawing<'_>,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<GeneratedLevel>, Problem> {
        let sampler = &drawing.sampler;
        let batch = sampler.batch();
        let key_of = |first, levels| BatchKey {
            drawing: Arc::clone(&drawing.key),
            seed,
            first,
            levels,
        };
        let key = |first| key_of(first, batch);
        if numbers.end - numbers.start == 1
            && self
                .batches
                .find(&key(numbers.start / batch * batch))
                .is_none()
        {
            // The other levels of its batch may be hard to find, so the answer does not wait for them.
            let drawn = self.batches.get(key_of(numbers.start, 1), || {
                let drawn = sampler.items(seed, numbers.clone());
                drawn.map_err(|error| drawing.demands.problem(error.into()))
            })?;
            return Ok(drawn.to_vec());
        }
        let mut levels = Vec::new();
        let mut first = numbers.start / batch * batch;
        while first < numbers.end {
            if let Some(kept) = self.batches.find(&key(first)) {
                levels.extend(kept.iter().cloned());
                first += batch;
                continue;
            }
            // Missing batches beside each other are drawn together.
            let mut end = first + batch;
            while end < numbers.end && self.batches.find(&key(end)).is_none() {
                end += batch;
            }
            let drawn = sampler.items(seed, first..end);
            let drawn = drawn.map_err(|error| drawing.demands.problem(error.into()))?;
            for (number, levels) in drawn.chunks(batch as usize).enumerate() {
                let first = first + number as u64 * batch;
                self.batches.keep(key(first), levels.to_vec());
            }
            levels.extend(drawn);
            first = end;
        }
        let before = (numbers.start % batch) as usize;
        let asked = levels.into_iter().skip(before);
        Ok(asked.take((numbers.end - numbers.start) as usize).collect())
    }
}

/// Drawing by particles. The flag ends the work.
fn particles(request: &LevelRequest, ended: &Arc<AtomicBool>) -> ConditionalSampler {
    let sampler = ConditionalSampler::new().among([Method::Particles]);
    let sampler = sampler.particles(request.question.particles());
    sampler.interrupt(Arc::clone(ended))
}

/// The reason why the states of exact inference do not fit into memory.
fn too_large(error: DemandedLevelError, request: &LevelRequest, demands: &Demands) -> Problem {
    match error {
        DemandedLevelError::Inference(Error::FrontierTooLarge { states, .. }) => {
            Problem::without_answer(format!(
                "the exact method needs more than {} (a frontier has {states} states); allow more {}, use fewer rows or simpler demands, \
                 or use the conditioned method",
                request.question.memory(),
                Flag("memory")
            ))
            .with("method", "exact".into())
        }
        other => demands.problem(other),
    }
}
