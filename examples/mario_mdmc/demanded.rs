//! Levels with the demands of the command line.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use figrs::models::mdmc::{
    ConditionedSampler, Corpus, Demand, DesignFile, ExactSampler, LevelModel, LevelSampler, Mask,
    RejectionSampler, Route, SteeredLevel, SteeringError, TileSet, Travel, vglc,
};
use figrs::{Error, Frontier};
use figrs_command::level_demands::add_demands;
use figrs_command::{Failure, NoAnswer, Progress, read_text, stop};

use crate::method::Method;
use crate::moving::{self, MOVING};
use crate::options::Options;

/// The level with everything that is demanded of it.
pub(crate) fn steered(
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<SteeredLevel, Failure> {
    let demands = demands(options, corpus, model)?;
    Ok(SteeredLevel::new(model, &demands)?)
}

pub(crate) fn sampler(
    method: Method,
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<Box<dyn LevelSampler>, Failure> {
    let steered = steered(options, corpus, model)?;
    if method == Method::Conditioned {
        let sampler = conditioned(options, steered);
        return Ok(Box::new(if options.shows_particles() {
            watched(sampler)
        } else {
            counted(sampler)
        }));
    }
    Ok(Box::new(exact(options, steered)?))
}

/// A sampler of levels of a model, that draws again until the demands are met if there are any.
pub(crate) fn drawn_again(
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
    sampler: Box<dyn LevelSampler>,
) -> Result<Box<dyn LevelSampler>, Failure> {
    if !options.demands.any() {
        return Ok(sampler);
    }
    let steered = steered(options, corpus, model)?;
    Ok(Box::new(RejectionSampler::new(sampler, steered)?))
}

pub(crate) fn conditioned(options: &Options, steered: SteeredLevel) -> ConditionedSampler {
    ConditionedSampler::new(steered).particles(options.particles())
}

/// The sampler with a line that shows the progress of its run.
pub(crate) fn watched(sampler: ConditionedSampler) -> ConditionedSampler {
    let line = Progress::of("particles", None);
    sampler.on_progress(move |progress| {
        progress.total.inspect(|&total| line.set_total(total));
        line.set(progress.done);
    })
}

/// The sampler with a line that counts the particles of all runs, on any number of threads.
fn counted(sampler: ConditionedSampler) -> ConditionedSampler {
    thread_local! {
        /// Progress of the run on this thread at the last update.
        static BEFORE: Cell<u64> = const { Cell::new(0) };
    }
    let line = Progress::of("particles of levels under way", None);
    let all = AtomicU64::new(0);
    sampler.on_progress(move |progress| {
        let before = BEFORE.replace(progress.done);
        let further = progress.done.checked_sub(before).unwrap_or(progress.done);
        line.set(all.fetch_add(further, Ordering::Relaxed) + further);
    })
}

/// Explores the frontiers, with a sign of life on a terminal.
pub(crate) fn exact(options: &Options, steered: SteeredLevel) -> Result<ExactSampler, Failure> {
    let progress = Progress::of("cells explored", None);
    let frontier = Frontier::new()
        .memory(options.memory().0)
        .interrupt(stop::flag())
        .on_progress(move |run| progress.set(run.done));
    let sampler = ExactSampler::new(steered, &frontier);
    sampler.map_err(|error| match error {
        SteeringError::Inference(Error::FrontierTooLarge { states, .. }) => NoAnswer(format!(
            "--method exact needs more than --memory {} here ({states} states are on a frontier); allow more, use fewer --rows or \
             demands that remember less, or --method conditioned",
            options.memory()
        ))
        .into(),
        SteeringError::Inference(Error::NothingDone { .. }) => stop::nothing("a level"),
        other => other.into(),
    })
}

fn demands(options: &Options, corpus: &Corpus, model: &LevelModel) -> Result<Vec<Demand>, Failure> {
    let tiles = model.tile_set();
    let frame = Frame {
        tiles,
        travel: model.travel(),
        size: (model.height(), model.width()),
    };
    let given = &options.demands;
    let mut demands = Vec::new();
    if !given.allow_unseen {
        demands.push(Demand::Seen);
    }
    for path in &given.pin {
        demands.push(Demand::Pinned(frame.whole(path)?));
    }
    for path in &given.place {
        demands.push(Demand::Placed(frame.whole(path)?));
    }
    if let Some(path) = &given.around {
        let level = frame.travel.turned(&vglc::read_level(path, tiles)?);
        let size = (level.height(), level.width());
        if size != frame.size {
            return Err(frame.does_not_fit(path, size));
        }
        let free = given.free.clone().unwrap_or(0..0);
        if free.end > level.width() {
            return Err(format!(
                "--free {}..{}: the level has only {}",
                free.start,
                free.end,
                level.width()
            )
            .into());
        }
        demands.push(Demand::Pinned(Mask::around(&level, free)));
    }
    let pieces = [(&given.start, false), (&given.end, true)];
    for (path, at_end) in pieces {
        if let Some(path) = path {
            demands.push(Demand::Pinned(frame.piece(path, at_end)?));
        }
    }
    demands.extend(given.in_numbers().on(model, "--")?);
    for path in &given.forbid {
        demands.push(Demand::Forbidden(frame.mask(path)?));
    }
    add_files(&mut demands, options, corpus, model)?;
    Ok(demands)
}

/// Adds the demands of files, and the ways that these and --playable demand.
fn add_files(
    demands: &mut Vec<Demand>,
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<(), Failure> {
    let given = &options.demands;
    let files = given.demands.iter();
    let files = files.map(|path| Ok((path.display().to_string(), design(path)?)));
    let files = files.collect::<Result<Vec<_>, Failure>>()?;
    let is_played = files.iter().any(|(_, design)| design.needs_movement());
    if options.movement.is_some() && !is_played && !options.needs_movement() {
        return Err(format!("--movement needs {MOVING}").into());
    }
    let rules = (given.playable || is_played)
        .then(|| moving::rules(options, model.tile_set(), model.travel()))
        .transpose()?;
    let demanded = rules.iter().filter(|_| given.playable);
    let routes = demanded.map(Route::from).collect();
    add_demands(demands, &files, (model, corpus), rules.as_ref(), routes)
}

/// A file of demands.
fn design(path: &Path) -> Result<DesignFile, Failure> {
    let text = read_text(path)?;
    let is_json = path.extension().is_some_and(|name| name == "json");
    let design = if is_json {
        DesignFile::from_json(&text)
    } else {
        DesignFile::from_toml(&text)
    };
    design.map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The tile of a character in an option.
/// The rectangle in which demands are stated, turned as models draw levels.
struct Frame<'a> {
    tiles: &'a TileSet,
    travel: Travel,
    size: (usize, usize),
}

impl Frame<'_> {
    fn mask(&self, path: &Path) -> Result<Mask, Failure> {
        Ok(Mask::read(path, self.tiles)?.turned(self.travel))
    }

    /// A mask of the size of a level.
    fn whole(&self, path: &Path) -> Result<Mask, Failure> {
        let mask = self.mask(path)?;
        let size = (mask.height(), mask.width());
        if size == self.size {
            Ok(mask)
        } else {
            Err(self.does_not_fit(path, size))
        }
    }

    /// The error for a file of another size, both sizes turned.
    fn does_not_fit(&self, path: &Path, size: (usize, usize)) -> Failure {
        let upright = |(rows, columns)| match self.travel {
            Travel::Right => (rows, columns),
            Travel::Up => (columns, rows),
        };
        let ((rows, columns), (height, width)) = (upright(size), upright(self.size));
        let length = match self.travel {
            Travel::Right => "--width",
            Travel::Up => "--height",
        };
        format!(
            "{}: {rows} rows of {columns} columns do not fit a level of {height} rows of {width}; see {length} and --rows",
            path.display()
        )
        .into()
    }

    /// The first or last columns as a file has them.
    fn piece(&self, path: &Path, at_end: bool) -> Result<Mask, Failure> {
        let piece = self.mask(path)?;
        let (height, width) = self.size;
        if piece.height() != height || piece.width() > width {
            return Err(self.does_not_fit(path, (piece.height(), piece.width())));
        }
        let mut mask = Mask::free(height, width);
        let first = if at_end { width - piece.width() } else { 0 };
        for (row, column, tile) in piece.tiles() {
            mask.set(row, first + column, tile);
        }
        Ok(mask)
    }
}
