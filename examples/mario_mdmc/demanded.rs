//! Levels as the command line demands them.

use std::path::Path;
use std::sync::Arc;

use figrs::models::mdmc::{
    ConditionedSampler, Demand, ExactSampler, LevelElements, LevelSampler, MarkovChain, Mask,
    SteeredLevel, SteeringError, vglc,
};
use figrs::{Error, Frontier};

use crate::failure::Failure;
use crate::interrupt;
use crate::no_answer::NoAnswer;
use crate::options::{Demands, Method, Options};
use crate::progress;

/// The level with everything that is demanded of it.
pub(crate) fn steered(
    options: &Options,
    chain: &Arc<MarkovChain>,
) -> Result<SteeredLevel, Failure> {
    let elements = LevelElements::new(Arc::clone(chain), options.width)?;
    let demands = demands(&options.demands, chain.height(), options.width)?;
    Ok(SteeredLevel::new(&elements, &demands)?)
}

pub(crate) fn sampler(
    method: Method,
    options: &Options,
    chain: &Arc<MarkovChain>,
) -> Result<Box<dyn LevelSampler>, Failure> {
    let steered = steered(options, chain)?;
    if method == Method::Conditioned {
        let sampler = conditioned(options, steered);
        return Ok(Box::new(if options.shows_particles() {
            watched(sampler)?
        } else {
            sampler
        }));
    }
    Ok(Box::new(exact(options, steered)?))
}

pub(crate) fn conditioned(options: &Options, steered: SteeredLevel) -> ConditionedSampler {
    ConditionedSampler::new(steered).particles(options.particles())
}

/// The sampler with a bar for what takes long.
pub(crate) fn watched(sampler: ConditionedSampler) -> Result<ConditionedSampler, Failure> {
    let bar = progress::bar(0, "{bar:40} {percent}% of the particles, {eta} left")?;
    Ok(sampler.on_progress(move |progress| {
        let total = progress.total.unwrap_or_default();
        bar.set_length(total);
        bar.set_position(progress.done);
        if progress.done >= total {
            bar.finish_and_clear();
        }
    }))
}

/// Explores the frontiers, with a sign of life on a terminal.
pub(crate) fn exact(options: &Options, steered: SteeredLevel) -> Result<ExactSampler, Failure> {
    let steps = (steered.cells().len() + 1) as u64;
    let template = "{bar:40} {pos}/{len} cells explored, then a sweep back, {elapsed}";
    let bar = progress::bar(steps, template)?;
    let shown = bar.clone();
    let frontier = Frontier::new()
        .memory(options.memory())
        .interrupt(interrupt::flag())
        .on_progress(move |progress| shown.set_position(progress.done));
    let sampler = ExactSampler::new(steered, &frontier);
    bar.finish_and_clear();
    sampler.map_err(|error| match error {
        SteeringError::Inference(Error::FrontierTooLarge { states, limit, .. }) => NoAnswer(format!(
            "--method exact needs more than {} MiB here ({states} states are on a frontier); allow more (--memory), use fewer \
             --rows or demands that remember less, or --method conditioned",
            limit >> 20
        ))
        .into(),
        SteeringError::Inference(Error::NothingDone { .. }) => interrupt::nothing(),
        other => other.into(),
    })
}

fn demands(options: &Demands, height: usize, width: usize) -> Result<Vec<Demand>, Failure> {
    let mut demands = Vec::new();
    if !options.allow_unseen {
        demands.push(Demand::Seen);
    }
    for path in &options.pin {
        demands.push(Demand::Pinned(whole(path, height, width)?));
    }
    for path in &options.place {
        demands.push(Demand::Placed(whole(path, height, width)?));
    }
    if let Some(path) = &options.around {
        let level = vglc::read_level(path)?;
        let size = (level.height(), level.width());
        if size != (height, width) {
            return Err(does_not_fit(path, size, height, width));
        }
        let free = options.free.clone().unwrap_or(0..0);
        if free.end > level.width() {
            return Err(format!(
                "--free {}..{}: the level has {} columns",
                free.start,
                free.end,
                level.width()
            )
            .into());
        }
        demands.push(Demand::Pinned(Mask::around(&level, free)));
    }
    let pieces = [(&options.start, false), (&options.end, true)];
    for (path, at_end) in pieces {
        if let Some(path) = path {
            demands.push(Demand::Pinned(piece(path, at_end, height, width)?));
        }
    }
    demands.extend(options.max_gap.map(Demand::MaximumGap));
    for &(tile, ref range) in &options.count {
        demands.push(Demand::Count {
            tile,
            least: range.start,
            most: range.end,
        });
    }
    for &(tile, ref shares) in &options.density {
        demands.push(Demand::density(
            tile,
            shares.start,
            shares.end,
            height * width,
        ));
    }
    for path in &options.forbid {
        demands.push(Demand::Forbidden(Mask::read(path)?));
    }
    if options.playable {
        demands.push(Demand::Playable);
    }
    Ok(demands)
}

/// A mask of the size of a level.
fn whole(path: &Path, height: usize, width: usize) -> Result<Mask, Failure> {
    let mask = Mask::read(path)?;
    if (mask.height(), mask.width()) == (height, width) {
        Ok(mask)
    } else {
        let size = (mask.height(), mask.width());
        Err(does_not_fit(path, size, height, width))
    }
}

fn does_not_fit(path: &Path, size: (usize, usize), height: usize, width: usize) -> Failure {
    format!(
        "{}: {} rows of {} columns do not fit a level of {height} rows of {width}; see --width and --rows",
        path.display(),
        size.0,
        size.1
    )
    .into()
}

/// The first or last columns as a file has them.
fn piece(path: &Path, at_end: bool, height: usize, width: usize) -> Result<Mask, Failure> {
    let piece = Mask::read(path)?;
    if piece.height() != height || piece.width() > width {
        let size = (piece.height(), piece.width());
        return Err(does_not_fit(path, size, height, width));
    }
    let mut mask = Mask::free(height, width);
    let first = if at_end { width - piece.width() } else { 0 };
    for (row, column, tile) in piece.tiles() {
        mask.set(row, first + column, tile);
    }
    Ok(mask)
}
