//! Draws levels given the demands of the command line.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use figrs::Error;
use figrs_command::level_demands::{add_demands, read_design};
use figrs_command::level_sampler::NumberedLevels;
use figrs_command::{Failure, NoAnswer, Progress, note, stop};
use figrs_design::{Demand, DemandedLevel, DemandedLevelError, Mask, Route};
use figrs_models::board::{ConditionalSampler, Event, ExactBoards, Method as BoardMethod};
use figrs_models::mdmc::{Corpus, LevelModel, TileSet, Travel, vglc};

use crate::method::Method;
use crate::moving::{self, MOVING};
use crate::options::Options;

/// Returns the distribution of levels given all demands.
pub(crate) fn demanded_level(
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<DemandedLevel, Failure> {
    Ok(stated(options, corpus, model)?.0)
}

/// Returns the distribution of levels given all demands, and the origin of each demand.
fn stated(
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<(DemandedLevel, Vec<String>), Failure> {
    let (demands, origins) = demands(options, corpus, model)?.into_iter().unzip();
    let demands: Vec<Demand> = demands;
    Ok((DemandedLevel::new(model, &demands)?, origins))
}

/// A sampler of levels that meet all demands, and the origin of each demand.
pub(crate) fn sampler(
    method: Method,
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<(NumberedLevels, Vec<String>), Failure> {
    let (demanded, origins) = stated(options, corpus, model)?;
    let demanded = Arc::new(demanded);
    let sampler = if method == Method::Exact {
        let sampler = exact(options).numbered(demanded);
        sampler.map_err(|error| unexplored(options, attributed(error.into(), &origins)))?
    } else if let Some(exact) = soon_exact(options, &demanded) {
        exact
    } else {
        let sampler = conditioned(options);
        let sampler = if options.shows_particles() {
            watched(sampler)
        } else {
            counted(sampler)
        };
        sampler
            .numbered(demanded)
            .map_err(DemandedLevelError::from)?
    };
    Ok((sampler, origins))
}

/// Returns an exact sampler for soft demands, which a sampler with particles would only approximate; `None` if the user names a method, or if exact
/// sampling takes much memory.
fn soon_exact(options: &Options, demanded: &DemandedLevel) -> Option<NumberedLevels> {
    /// Memory in bytes up to which the tables of exact inference (frontiers) are computed in seconds.
    const BYTES: u64 = 24 << 20;
    let is_soft =
        |demand: &Demand| matches!(demand, Demand::Near { .. } | Demand::Preferred { .. });
    if !options.is_method_chosen || !demanded.demands().any(is_soft) {
        return None;
    }
    let exact = ConditionalSampler::new().among([BoardMethod::Exact]);
    let exact = exact.memory(BYTES).interrupt(stop::flag());
    exact
        .numbered(Arc::new(demanded.clone().proof_work(0)))
        .ok()
}

/// Adds to an error the origin of each contradictory demand; `origins` contains the origins of all demands.
pub(crate) fn attributed(mut error: DemandedLevelError, origins: &[String]) -> DemandedLevelError {
    if let DemandedLevelError::Contradictory {
        demands, places, ..
    } = &mut error
    {
        for (demand, &place) in demands.iter_mut().zip(&*places) {
            if let Some(origin) = origins.get(place).filter(|origin| !origin.is_empty()) {
                *demand = format!("{demand} ({origin})");
            }
        }
    }
    error
}

/// Returns the sampler that draws boards by particles.
pub(crate) fn conditioned(options: &Options) -> ConditionalSampler {
    let particles = ConditionalSampler::new().among([BoardMethod::Particles]);
    particles.particles(options.question.particles())
}

/// Returns the sampler with a progress line on the terminal that shows the progress of its run.
pub(crate) fn watched(sampler: ConditionalSampler) -> ConditionalSampler {
    let line = Progress::of("particles", None);
    sampler.on_event(move |event| {
        if let Event::Filtered { particles, total } = *event {
            line.follow(particles, total);
        }
    })
}

/// Returns the sampler with a progress line that counts the particles of all runs, on any number of threads.
fn counted(sampler: ConditionalSampler) -> ConditionalSampler {
    thread_local! {
        /// The number of particles of this thread's run at the last update of the progress line.
        static BEFORE: Cell<u64> = const { Cell::new(0) };
    }
    let line = Progress::of("particles of unfinished levels", None);
    let all = AtomicU64::new(0);
    sampler.on_event(move |event| {
        if let Event::Filtered { particles, .. } = *event {
            let before = BEFORE.replace(particles);
            let further = particles.checked_sub(before).unwrap_or(particles);
            line.set(all.fetch_add(further, Ordering::Relaxed) + further);
        }
    })
}

/// Returns the exact natural logarithm of the probability of all demands.
pub(crate) fn exact_log_probability(
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<f64, Failure> {
    let (demanded, origins) = stated(options, corpus, model)?;
    let numbered = exact(options).numbered(&demanded);
    let numbered =
        numbered.map_err(|error| unexplored(options, attributed(error.into(), &origins)))?;
    let exact = numbered.exact().map(ExactBoards::log_probability);
    Ok(exact.unwrap_or(f64::NEG_INFINITY))
}

/// The exact method, whose progress is shown on the terminal. Notes predict the remaining time from the pace so far: the first after 5 seconds, and
/// each later note after twice the time.
fn exact(options: &Options) -> ConditionalSampler {
    let progress = Progress::of("elements explored", Some(0));
    let (begun, noted) = (Instant::now(), AtomicU64::new(5));
    let exact = ConditionalSampler::new().among([BoardMethod::Exact]);
    let exact = exact
        .memory(options.question.memory().0)
        .interrupt(stop::flag());
    exact.on_event(move |event| {
        let Event::Explored { steps, total } = *event else {
            return;
        };
        progress.follow(steps, total);
        let (seconds, next) = (begun.elapsed().as_secs(), noted.load(Ordering::Relaxed));
        if seconds >= next {
            noted.store(2 * seconds, Ordering::Relaxed);
            let left = total.map(|total| total.saturating_sub(steps));
            let prediction = left.filter(|&left| left > 0).map_or_else(String::new, |left| {
                let more = seconds as f64 * left as f64 / steps as f64;
                format!(", about {} s more at this pace", more.ceil())
            });
            note(format!(
                "note: --method exact has explored {steps} elements in {seconds} s{prediction}; --time ends the work, and --method conditioned is \
                 faster, but only approximate"
            ));
        }
    })
}

/// Converts an error of exact inference to a failure in the words of the command.
fn unexplored(options: &Options, error: DemandedLevelError) -> Failure {
    match error {
        DemandedLevelError::Inference(Error::FrontierTooLarge { states, .. }) => NoAnswer(format!(
            "--method exact needs more than --memory {} (a frontier has {states} states); allow more memory, use fewer --rows or \
             simpler demands, or use --method conditioned",
            options.question.memory()
        ))
        .into(),
        DemandedLevelError::Inference(Error::NothingDone { .. }) => stop::nothing("a level"),
        other => other.into(),
    }
}

/// Returns the demands of all options, each with its origin; the origin of default demands is empty.
fn demands(
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<Vec<(Demand, String)>, Failure> {
    let tiles = model.tile_set();
    let frame = Frame {
        tiles,
        travel: model.travel(),
        size: (model.height(), model.width()),
    };
    let given = &options.demands;
    let mut demands = Vec::new();
    if !given.own.allow_unseen {
        demands.push((Demand::Seen, String::new()));
    }
    for path in &given.pin {
        let origin = format!("--pin {}", path.display());
        demands.push((Demand::Pinned(frame.whole(path)?), origin));
    }
    for path in &given.place {
        let origin = format!("--place {}", path.display());
        demands.push((Demand::Placed(frame.whole(path)?), origin));
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
                "--free {}..{}: the last number is larger than the length of the level, {}",
                free.start,
                free.end,
                level.width()
            )
            .into());
        }
        let origin = format!("--around {}", path.display());
        demands.push((Demand::Pinned(Mask::around(&level, free)), origin));
    }
    let pieces = [(&given.start, false), (&given.end, true)];
    for (path, at_end) in pieces {
        if let Some(path) = path {
            let option = if at_end { "--end" } else { "--start" };
            let origin = format!("{option} {}", path.display());
            demands.push((Demand::Pinned(frame.piece(path, at_end)?), origin));
        }
    }
    let in_numbers = given.own.in_numbers(model)?.into_iter();
    demands.extend(in_numbers.map(|(demand, flag)| (demand, flag.to_string())));
    for path in &given.forbid {
        let origin = format!("--forbid {}", path.display());
        demands.push((Demand::Forbidden(frame.mask(path)?), origin));
    }
    add_files(&mut demands, options, corpus, model)?;
    Ok(demands)
}

/// Adds the demands of files, and the paths of a player that files and --playable demand.
fn add_files(
    demands: &mut Vec<(Demand, String)>,
    options: &Options,
    corpus: &Corpus,
    model: &LevelModel,
) -> Result<(), Failure> {
    let given = &options.demands;
    let files = given.demands.iter();
    let files = files.map(|path| Ok((path.display().to_string(), read_design(path)?)));
    let files = files.collect::<Result<Vec<_>, Failure>>()?;
    let is_played = files.iter().any(|(_, design)| design.needs_movement());
    if options.movement.is_some() && !is_played && !options.heeds_movement() {
        return Err(format!("--movement needs {MOVING}").into());
    }
    let rules = (given.own.playable || is_played)
        .then(|| moving::rules(options, model.tile_set(), model.travel()))
        .transpose()?;
    let demanded = rules.iter().filter(|_| given.own.playable);
    let routes = demanded.map(|rules| (Route::from(rules), "--playable".to_owned()));
    let routes = routes.collect();
    let mut of_files = Vec::new();
    let scope = (model, corpus);
    let origins = add_demands(&mut of_files, &files, scope, rules.as_ref(), routes)?;
    demands.extend(of_files.into_iter().zip(origins));
    Ok(())
}

/// The rectangle of a level in the model's direction of play, on which demands are stated.
struct Frame<'a> {
    tiles: &'a TileSet,
    travel: Travel,
    size: (usize, usize),
}

impl Frame<'_> {
    fn mask(&self, path: &Path) -> Result<Mask, Failure> {
        Ok(Mask::read(path, self.tiles)?.turned(self.travel))
    }

    /// Reads a file with a mask (a pattern of tiles) of the size of a level.
    fn whole(&self, path: &Path) -> Result<Mask, Failure> {
        let mask = self.mask(path)?;
        let size = (mask.height(), mask.width());
        if size == self.size {
            Ok(mask)
        } else {
            Err(self.does_not_fit(path, size))
        }
    }

    /// Returns the error for a file whose size is not that of a level; the message states both sizes as levels are shown.
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
            "{}: the file has {rows} rows and {columns} columns, but a level has {height} rows and {width} columns; see {length} and --rows",
            path.display()
        )
        .into()
    }

    /// Reads the first or the last columns of a level from a file.
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
