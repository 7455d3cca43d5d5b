//! Writing of levels in the requested format.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use figrs_command::{Failure, LevelJson, in_file, replace, stop};
use figrs_design::{LevelWriter, Obstacle, OutputError, Playability, write_tileset};
use figrs_models::mdmc::Level;
use serde_json::Value;

use crate::format::Format;
use crate::generator::{Made, Trained};
use crate::options::Options;
use crate::ordered::{Wanted, in_order};
use crate::resumed::{Fingerprint, Journal, Printed};
use crate::set_report::SetReport;

#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) unseen: usize,
    pub(crate) fallbacks: usize,
    /// Number of levels that the stricter rules rejected.
    rejected: u64,
    /// Number of levels that were drawn.
    drawn: u64,
    /// Number of levels that already existed.
    kept: u64,
    /// Number of playable levels, among the levels whose path was requested.
    playable: u64,
    /// The obstacle that stops the player in the last level that is not playable.
    obstacle: Option<Obstacle>,
}

/// The totals and the HTML report, collected while levels are written.
struct SetMeasures<'a> {
    totals: Totals,
    report: Option<SetReport<'a>>,
}

impl SetMeasures<'_> {
    /// Adds a level; returns the path of a player through it, if the options request the path.
    fn add(
        &mut self,
        options: &Options,
        trained: &Trained,
        index: u64,
        made: &Made,
    ) -> Result<Option<Playability>, Failure> {
        self.totals.add(made);
        let path = self.totals.path(options, trained, made);
        if let Some(report) = &mut self.report {
            report.add(index, made, path.as_ref())?;
        }
        Ok(path)
    }
}

impl Totals {
    fn add(&mut self, made: &Made) {
        self.unseen += made.unseen;
        self.fallbacks += made.fallbacks.unwrap_or_default();
        self.rejected += made.rejected.unwrap_or_default();
    }

    /// Returns the path of a player through a level, if the options request it.
    fn path(&mut self, options: &Options, trained: &Trained, made: &Made) -> Option<Playability> {
        // If there are several demanded paths, the one that passes through the most areas is shown.
        let routes = trained.routes.iter().filter(|_| options.question.show_path);
        let route = routes.max_by_key(|route| route.areas().len())?;
        let playability = Playability::along(&trained.upright(&made.level), route);
        self.playable += u64::from(playability.playable());
        self.obstacle = playability.obstacle().or(self.obstacle);
        Some(playability)
    }

    /// Returns the number of levels, in a few words.
    pub(crate) fn levels(&self, wanted: u64) -> String {
        let Self { drawn, kept, .. } = self;
        match (drawn + kept, stop::reason()) {
            (all, Some(reason)) if all < wanted => {
                format!("{all} of {wanted} ({})", reason.message())
            }
            (all, _) => all.to_string(),
        }
    }

    /// Returns the number of levels that already existed, in a few words.
    pub(crate) fn kept(&self) -> String {
        match self.kept {
            0 => String::new(),
            kept => format!(" ({kept} kept, not counted here)"),
        }
    }

    /// Returns a short summary of the paths, and of the levels that the stricter rules rejected.
    pub(crate) fn paths(&self, options: &Options) -> String {
        let paths = match self.obstacle {
            _ if !options.question.show_path => String::new(),
            Some(obstacle) if options.question.levels == 1 => format!(", not playable: {obstacle}"),
            _ => format!(", playable {}", self.playable),
        };
        match options.question.strict {
            true => format!("{paths}, strictly playable all, rejected {}", self.rejected),
            false => paths,
        }
    }
}

/// Draws levels and writes them to a file or the standard output.
pub(crate) fn write(options: &Options, trained: &Arc<Trained>) -> Result<Totals, Failure> {
    let report = options.report.as_ref();
    let report = report.map(|_| SetReport::new(options, trained));
    let mut measures = SetMeasures {
        totals: Totals::default(),
        report: report.transpose()?,
    };
    match &options.out {
        None => {
            let place = Path::new("the standard output");
            write_list(
                options,
                trained,
                &mut measures,
                &mut figrs_command::standard_output(),
                place,
            )?;
        }
        Some(path) if options.format().needs_file() => {
            write_files(options, trained, &mut measures, path)?;
        }
        Some(path) => replace(path, |out| {
            write_list(options, trained, &mut measures, out, path)
        })?,
    }
    if let (Some(path), Some(report)) = (&options.report, &measures.report) {
        report.write(path)?;
    }
    Ok(measures.totals)
}

/// Writes all levels one after another to one file or the standard output.
fn write_list(
    options: &Options,
    trained: &Arc<Trained>,
    measures: &mut SetMeasures<'_>,
    out: &mut dyn Write,
    place: &Path,
) -> Result<(), Failure> {
    let cannot = |error| in_file(place, error);
    // The last level in JSON states whether the set was ended early.
    let mut last: Option<Value> = None;
    let drawn = in_order(
        options,
        wanted(options, trained, BTreeSet::new()),
        work(trained),
        |index, made| {
            let path = measures.add(options, trained, index, &made)?;
            let written = if options.format() == Format::Json {
                let before = last.replace(json_of(trained, index, &made, path));
                before.map_or(Ok(()), |level| {
                    write!(out, "{}{level}", if index > 1 { ",\n" } else { "[\n" })
                })
            } else {
                write_text(trained, out, index, &made, path)
            };
            written.map_err(cannot)
        },
    )?;
    measures.totals.drawn = drawn;
    if let Some(mut level) = last {
        if let Some(reason) = stop::reason().filter(|_| drawn < options.question.levels) {
            level["stopped"] = reason.name().into();
        }
        let before = if drawn > 1 { ",\n" } else { "[\n" };
        writeln!(out, "{before}{level}\n]").map_err(cannot)?;
    }
    out.flush().map_err(cannot)
}

/// Returns a function that draws the levels whose numbers lie in a given range.
fn work(
    trained: &Arc<Trained>,
) -> impl Fn(std::ops::Range<u64>) -> Result<Vec<Made>, Failure> + Send + Sync + 'static {
    let trained = Arc::clone(trained);
    move |numbers| trained.levels(0, numbers)
}

fn wanted(options: &Options, trained: &Trained, kept: BTreeSet<u64>) -> Wanted {
    Wanted {
        count: options.question.levels,
        kept,
        batch: trained.batch(0),
    }
}

fn write_text(
    trained: &Trained,
    out: &mut dyn Write,
    index: u64,
    made: &Made,
    path: Option<Playability>,
) -> io::Result<()> {
    let path = path.as_ref().map_or(&[][..], Playability::path);
    let text = trained.upright(&made.level).to_string();
    let mut rows: Vec<Vec<char>> = text.lines().map(|row| row.chars().collect()).collect();
    for &(row, column) in path {
        rows[row][column] = '*';
    }
    if index > 0 {
        out.write_all(b"\n")?;
    }
    for row in rows {
        writeln!(out, "{}", String::from_iter(row))?;
    }
    Ok(())
}

fn json_of(trained: &Trained, index: u64, made: &Made, path: Option<Playability>) -> Value {
    let upright = trained.upright(&made.level);
    let mut level = LevelJson {
        level: &upright,
        drawn: Some((trained.seed, index)),
        settings: trained.settings(),
        unseen: made.unseen,
        fallbacks: made.fallbacks,
        path: path
            .as_ref()
            .map(|playability| (playability, playability.path())),
    }
    .value();
    if let Some(rejected) = made.rejected {
        level["rejected"] = rejected.into();
    }
    level
}

/// Writes one file for each level, numbered if there are several levels; for maps of an editor, also writes the picture of the tiles.
fn write_files(
    options: &Options,
    trained: &Arc<Trained>,
    measures: &mut SetMeasures<'_>,
    path: &Path,
) -> Result<(), Failure> {
    if options.format() == Format::Png {
        writer(trained, &trained.corpus.levels()[0])
            .check_picture(trained.size().0, trained.size().1)
            .map_err(|error| output(path, error))?;
    }
    let tiles = with_suffix(path, "-tiles", "png");
    if matches!(options.format(), Format::Tmx | Format::TiledJson) {
        replace(&tiles, |out| {
            let written = match &trained.sheet {
                Some(sheet) => sheet.write_tileset(out),
                None => write_tileset(trained.chain.tile_set(), out),
            };
            written.map_err(|error| output(&tiles, error))
        })?;
    }
    let image = tiles.file_name().unwrap_or_default().to_string_lossy();
    let digits = options.question.levels.to_string().len();
    let file = |index: u64| {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        match options.question.levels {
            1 => path.to_owned(),
            _ => with_suffix(path, &format!("-{:0digits$}", index + 1), &extension),
        }
    };
    let (mut journal, kept) = if options.resume {
        let record = with_suffix(path, "-set", "json");
        let (journal, kept) = Journal::open(options, trained, &record, file)?;
        (Some(journal), kept)
    } else {
        (None, BTreeSet::new())
    };
    measures.totals.kept = kept.len() as u64;
    let numbers = wanted(options, trained, kept);
    let drawn = in_order(options, numbers, work(trained), |index, made| {
        let path = file(index);
        let way = measures.add(options, trained, index, &made)?;
        let way = way.as_ref().map_or(&[][..], Playability::path);
        let level = trained.upright(&made.level);
        let writer = notes(trained, index, writer(trained, &level)).path(way);
        let print = replace(&path, |out| {
            let print = Fingerprint::NONE;
            let mut out = Printed { out, print };
            let written = match options.format() {
                Format::Png => writer.png(&mut out),
                Format::Tmx => writer.tmx(&mut out, &image),
                Format::TiledJson => writer.tiled_json(&mut out, &image),
                _ => writer.ldtk_csv(&mut out),
            };
            written.map_err(|error| output(&path, error))?;
            Ok(out.print)
        })?;
        journal
            .iter_mut()
            .try_for_each(|journal| journal.add(index, print))
    })?;
    measures.totals.drawn = drawn;
    Ok(())
}

/// Returns the writer of a level, with the pictures of --tile-sheet or the default pictures.
pub(crate) fn writer<'a>(trained: &'a Trained, level: &'a Level) -> LevelWriter<'a> {
    let writer = LevelWriter::new(level);
    match &trained.sheet {
        Some(sheet) => writer.sheet(sheet),
        None => writer.tiles(trained.chain.tile_set()),
    }
}

/// Adds to the writer of a level the settings with which the level can be reproduced.
fn notes<'a>(trained: &Trained, index: u64, writer: LevelWriter<'a>) -> LevelWriter<'a> {
    let writer = writer
        .note("Software", concat!("figrs ", env!("CARGO_PKG_VERSION")))
        .note("seed", trained.seed.to_string())
        .note("index", index.to_string());
    let settings = trained.settings().into_iter();
    settings.fold(writer, |writer, (name, value)| {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        writer.note(name, value)
    })
}

fn output(path: &Path, error: OutputError) -> Failure {
    match error {
        OutputError::Io(error) => in_file(path, error),
        other => format!("{}: {other}", path.display()).into(),
    }
}

/// Returns the path with a suffix after its file name, and with an extension. The name of the file may contain dots.
fn with_suffix(path: &Path, suffix: &str, extension: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(suffix);
    if !extension.is_empty() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
