//! Levels that meet demands, and the probabilities of their tiles.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use figrs_command::{as_json, chain_settings};
use figrs_infer::{Error, Frontier};
use figrs_models::mdmc::{
    ConditionedSampler, ExactSampler, GeneratedLevel, LevelSampler, SteeredLevel, SteeringError,
    Travel,
};
use serde_json::{Map, Value as Json, json};

use super::demands::Demands;
use super::request::{LevelMethod, LevelRequest};
use super::training::Trained;
use super::{Levels, json_of};
use crate::problem::{Problem, wrong};

/// A level with its demands, and the sampler that draws it.
enum Drawing {
    Conditioned(ConditionedSampler),
    Exact(Arc<ExactSampler>),
}

impl Drawing {
    fn sampler(&self) -> &dyn LevelSampler {
        match self {
            Self::Conditioned(sampler) => sampler,
            Self::Exact(sampler) => &**sampler,
        }
    }
}

impl Levels {
    /// Levels as `mario_mdmc --format json` prints them.
    pub(super) fn sample(
        &self,
        key: &str,
        request: &LevelRequest,
        trained: &Trained,
        ended: &Arc<AtomicBool>,
    ) -> Result<Json, Problem> {
        let demands = Demands::of(request, trained)?;
        let drawing = self.drawing(key, request, trained, &demands, ended)?;
        let drawn = levels(&drawing, request, &demands)?;
        let settings = settings(&drawing, request, trained, &demands);
        let values = (request.index..).zip(drawn).map(|(index, generated)| {
            let counts = (generated.unseen(), Some(generated.fallbacks()));
            let level = generated.into_level();
            json_of(
                trained,
                request,
                &level,
                settings.clone(),
                counts,
                Some(index),
            )
        });
        values.collect()
    }

    /// The probability of each tile in each cell: exact, or shares among levels that are drawn.
    pub(super) fn marginals(
        &self,
        key: &str,
        request: &LevelRequest,
        trained: &Trained,
        ended: &Arc<AtomicBool>,
    ) -> Result<Json, Problem> {
        let demands = Demands::of(request, trained)?;
        let drawing = self.drawing(key, request, trained, &demands, ended)?;
        let travel = trained.chain.travel();
        let (across, length) = (trained.chain.height(), request.length(travel));
        let (height, width) = match travel {
            Travel::Right => (across, length),
            Travel::Up => (length, across),
        };
        let mut object = json!({"rows": height, "columns": width});
        for (name, value) in settings(&drawing, request, trained, &demands) {
            object[name] = value;
        }
        let mut cells = vec![vec![Map::new(); width]; height];
        if let Drawing::Exact(sampler) = &drawing {
            let elements = sampler.steered().cells();
            for (place, element) in elements.iter().enumerate() {
                let marginal = sampler.compiled().distribution(element).map_err(failed)?;
                let drawn = (across - 1 - place % across, place / across);
                let (row, column) = travel.upright_cell(length, drawn);
                let cell = &mut cells[row][column];
                for (tile, p) in &marginal {
                    cell.insert(tile.to_string(), as_json(p));
                }
            }
            object["log_probability"] = as_json(sampler.log_probability());
        } else {
            let drawn = levels(&drawing, request, &demands)?;
            let share = 1.0 / drawn.len() as f64;
            for level in &drawn {
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
        object["exact"] = matches!(drawing, Drawing::Exact(_)).into();
        object["marginals"] = json!(cells);
        Ok(object)
    }

    /// The probability of the demands as `mario_mdmc --probability --format json` prints it.
    pub(super) fn probability(
        &self,
        key: &str,
        request: &LevelRequest,
        trained: &Trained,
        ended: &Arc<AtomicBool>,
    ) -> Result<Json, Problem> {
        let started = Instant::now();
        let demands = Demands::of(request, trained)?;
        let drawing = self.drawing(key, request, trained, &demands, ended)?;
        let (log, error) = match &drawing {
            Drawing::Exact(sampler) => (sampler.log_probability(), 0.0),
            Drawing::Conditioned(sampler) => match sampler.log_probability(request.seed) {
                Ok(estimate) => (estimate.value, estimate.standard_error),
                Err(SteeringError::Inference(Error::NoSampleMetEvidence { .. })) => {
                    return Err(Problem::without_answer(
                        "no particle met the demands; use more particles, or the exact method"
                            .to_owned(),
                    ));
                }
                Err(error) => return Err(demands.problem(error)),
            },
        };
        let probability = log.exp();
        Ok(json!({
            "method": drawing.sampler().name(),
            "probability": as_json(probability),
            "log_probability": as_json(log),
            "standard_error": as_json(probability * error),
            "seed": request.seed,
            "seconds": started.elapsed().as_secs_f64(),
        }))
    }

    fn drawing(
        &self,
        key: &str,
        request: &LevelRequest,
        trained: &Trained,
        demands: &Demands,
        ended: &Arc<AtomicBool>,
    ) -> Result<Drawing, Problem> {
        let steered = || {
            let elements = trained.elements(request)?;
            SteeredLevel::new(&elements, &demands.all).map_err(wrong)
        };
        if request.method == LevelMethod::Conditioned {
            let sampler = ConditionedSampler::new(steered()?).particles(request.particles);
            return Ok(Drawing::Conditioned(sampler.interrupt(Arc::clone(ended))));
        }
        let key = format!(
            "{key} {} {} {:?}",
            request.length(trained.chain.travel()),
            request.memory,
            demands.all
        );
        let compiled = self.exact.get(&key, || {
            let frontier = Frontier::new()
                .memory(request.memory << 20)
                .interrupt(Arc::clone(ended));
            let sampler = ExactSampler::new(steered()?, &frontier);
            sampler.map_err(|error| match error {
                SteeringError::Inference(Error::FrontierTooLarge { states, .. }) => {
                    Problem::without_answer(format!(
                        "the exact method needs more than {} MiB here ({states} states are on a frontier); allow more memory, use fewer rows or demands \
                         that remember less, or the conditioned method",
                        request.memory
                    ))
                    .with("method", "exact".into())
                }
                error => demands.problem(error),
            })
        })?;
        Ok(Drawing::Exact(compiled))
    }
}

fn levels(
    drawing: &Drawing,
    request: &LevelRequest,
    demands: &Demands,
) -> Result<Vec<GeneratedLevel>, Problem> {
    let numbers = request.index..request.index + request.levels;
    let drawn = drawing.sampler().levels(request.seed, numbers);
    drawn.map_err(|error| demands.problem(error))
}

/// The settings that give the levels again.
fn settings(
    drawing: &Drawing,
    request: &LevelRequest,
    trained: &Trained,
    demands: &Demands,
) -> Vec<(&'static str, Json)> {
    let sampler = drawing.sampler();
    let mut settings = vec![("method", Json::from(sampler.name()))];
    settings.extend(chain_settings(&trained.chain));
    if matches!(drawing, Drawing::Conditioned(_)) {
        settings.push(("particles", request.particles.into()));
    }
    settings.push(("demands", json!(demands.told)));
    if (request.playable || request.show_path)
        && let Ok(rules) = trained.rules()
    {
        settings.push(("movement", rules.movement().name().into()));
        settings.push(("promise", rules.movement().promise().into()));
    }
    settings.push(("guarantee", sampler.guarantee().into()));
    settings
}

fn failed(error: Error) -> Problem {
    Problem::of(&error.into())
}
