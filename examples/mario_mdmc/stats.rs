//! Measures of many levels of each method, in one table.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use figrs_command::{Failure, has_extension, in_file, note, replace, stop};
use figrs_design::{Diversity, ReferenceCorpus};
use figrs_models::mdmc::{Level, vglc};
use serde_json::{Value, json};

use crate::format::Format;
use crate::generator::Trained;
use crate::measured::{Column, Measured};
use crate::moving;
use crate::options::Options;
use crate::ordered::{Wanted, in_order};

/// Returns the training levels as the reference of all measures, with the number of sections for difficulty profiles and the movement for
/// playability.
pub(crate) fn yardstick(options: &Options, trained: &Trained) -> Result<ReferenceCorpus, Failure> {
    let yardstick = ReferenceCorpus::new(&trained.corpus);
    let yardstick = yardstick.sections(options.sections.unwrap_or(ReferenceCorpus::SECTIONS));
    if options.movement.is_none() {
        return Ok(yardstick);
    }
    let (tiles, travel) = (trained.corpus.tiles(), trained.corpus.travel());
    Ok(yardstick.movement(moving::rules(options, tiles, travel)?))
}

/// Reads levels that another tool drew from a directory, in the order of their file names, and turns them to the orientation of the model.
fn levels_of(directory: &Path, trained: &Trained) -> Result<Vec<Level>, Failure> {
    let unreadable = |error| format!("--also: cannot read {}: {error}", directory.display());
    let entries = fs::read_dir(directory).map_err(unreadable)?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if has_extension(&path, "txt") && path.is_file() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        let place = directory.display();
        return Err(format!(
            "--also: {place} contains no levels; name a directory with *.txt files"
        )
        .into());
    }
    paths.sort();
    let level = |path: &PathBuf| {
        let level = vglc::read_level(path, trained.chain.tile_set())?;
        Ok(trained.chain.travel().turned(&level))
    };
    paths.iter().map(level).collect()
}

/// Returns the measures of the levels in a directory.
fn column_of(
    directory: &Path,
    trained: &Trained,
    yardstick: &ReferenceCorpus,
) -> Result<Column, Failure> {
    let name = directory.file_name().unwrap_or(directory.as_os_str());
    let mut column = Column::new(name.to_string_lossy().into_owned());
    let mut diversity = Some(Diversity::new());
    for level in levels_of(directory, trained)? {
        let is_as_high = level.height() == trained.chain.height();
        let unseen = is_as_high.then(|| trained.chain.unseen(&level));
        let metrics = yardstick.measure(&level);
        column.add(&Measured::new(level.width(), unseen, metrics));
        // Levels of different sizes have no distances.
        diversity = diversity.and_then(|mut all| all.add(&level).ok().map(|()| all));
    }
    column.diversity = diversity.and_then(|all| all.mean_distance());
    Ok(column)
}

/// Measures levels of each method and the training levels, and writes the table.
pub(crate) fn write(options: &Options, trained: &Arc<Trained>) -> Result<(), Failure> {
    let yardstick = Arc::new(yardstick(options, trained)?);
    let also = options.also.iter();
    let also = also.map(|directory| column_of(directory, trained, &yardstick));
    let also = also.collect::<Result<Vec<_>, Failure>>()?;
    let wanted = options.stats.unwrap_or_default();
    let mut columns = vec![Column::of_corpus(trained, &yardstick)];
    for (place, method) in options.methods.iter().enumerate() {
        let mut column = Column::new(method.name());
        let mut diversity = Diversity::new();
        let mut drawing = Duration::ZERO;
        let (drawn, yardstick) = (Arc::clone(trained), Arc::clone(&yardstick));
        let work = move |numbers| -> Result<Vec<_>, Failure> {
            let started = Instant::now();
            let made = drawn.levels(place, numbers)?;
            let elapsed = started.elapsed() / made.len().max(1) as u32;
            let measured = made.into_iter().map(|made| {
                let metrics = yardstick.measure(&made.level);
                let measured = Measured::new(made.level.width(), Some(made.unseen), metrics);
                (made.level, measured, elapsed)
            });
            Ok(measured.collect())
        };
        let numbers = Wanted {
            count: wanted,
            kept: BTreeSet::new(),
            batch: trained.batch(place),
        };
        let count = in_order(options, numbers, work, |_, (level, measured, elapsed)| {
            column.add(&measured);
            drawing += elapsed;
            Ok(diversity.add(&level)?)
        });
        let count = match count {
            // After a request to stop, the table lists the methods that have been measured.
            Err(_) if stop::is_set() && place > 0 => break,
            count => count?,
        };
        column.diversity = diversity.mean_distance();
        let milliseconds = drawing.as_secs_f64() * 1e3 / count as f64;
        note(format!("{}: {milliseconds:.3} ms per level", column.name));
        columns.push(column);
    }
    let drawn = &columns[1..];
    let is_all = drawn.len() == options.methods.len();
    let is_all = is_all && drawn.iter().all(|column| column.levels == wanted);
    let stopped = stop::reason().filter(|_| !is_all);
    if let Some(reason) = stopped {
        note(format!(
            "note: {}; the table measures the levels so far",
            reason.message()
        ));
    }
    columns.extend(also);
    let text = match options.format() {
        Format::Json => {
            let columns: Vec<Value> = columns.iter().map(Column::as_json).collect();
            let mut message = json!({"seed": trained.seed, "width": trained.size().1, "height": trained.size().0, "methods": columns});
            if let Some(reason) = stopped {
                message["stopped"] = reason.name().into();
            }
            format!("{message}\n")
        }
        _ => table(&columns),
    };
    let put = |out: &mut dyn Write, place: &Path| {
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| in_file(place, error))
    };
    match &options.out {
        Some(path) => replace(path, |out| put(out, path)),
        None => put(
            &mut figrs_command::standard_output(),
            Path::new("the standard output"),
        ),
    }
}

/// Returns a table with a row for each measure and a column for each method; a cell has the mean and its standard error. The difficulty profiles of
/// the levels are added below the table.
fn table(columns: &[Column]) -> String {
    let mut text = row("mean ± s.e.", columns.iter().map(Column::heading));
    for cells in Column::rows(&columns.iter().collect::<Vec<_>>()) {
        text += &row(&cells[0], cells[1..].iter().cloned());
    }
    let diversities = columns.iter().map(|column| column.diversity);
    let cells = diversities.map(|d| d.map_or_else(|| "-".to_owned(), |d| format!("{d:.4}")));
    text += &row("diversity", cells);
    let profiles: Vec<_> = columns.iter().map(Column::difficulty).collect();
    let highest = profiles.iter().flatten().flatten().copied();
    let highest = highest.fold(0.0, f64::max);
    if highest > 0.0 {
        let bars = profiles.iter().map(|profile| bars(profile, highest));
        text += &row("difficulty", bars);
        return format!(
            "{text}(from the start to the end of a level; a full bar is {highest:.4} per column)\n"
        );
    }
    text
}

/// Returns a row of bars: one for each value, in eighths of the highest value; a blank for a missing value.
fn bars(values: &[Option<f64>], highest: f64) -> String {
    let bar = |value: &Option<f64>| {
        let eighths = (*value)? / highest * 7.0;
        char::from_u32(u32::from('▁') + eighths.round() as u32)
    };
    values
        .iter()
        .map(|value| bar(value).unwrap_or(' '))
        .collect()
}

fn row(name: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| format!(" {cell:>19}")).collect();
    format!("{name:<17}{}\n", cells.concat())
}
