//! Sets of levels in the format asked for.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use figrs::models::mdmc::{LevelWriter, Obstacle, OutputError, Playability, write_tileset};
use serde_json::json;

use crate::Failure;
use crate::files::{in_file, replace};
use crate::generator::{Made, Trained};
use crate::options::{Format, Options};
use crate::ordered::in_order;
use crate::resumed;
use crate::set_report::SetReport;

#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) unseen: usize,
    pub(crate) fallbacks: usize,
    /// How many levels were drawn.
    drawn: u64,
    /// How many levels stood there already.
    kept: u64,
    /// How many levels of those whose path was asked for are playable.
    playable: u64,
    /// What stops a player in the last one that is not.
    obstacle: Option<Obstacle>,
}

/// What is told of the levels beside writing them.
struct Told<'a> {
    totals: Totals,
    report: Option<SetReport<'a>>,
}

impl Told<'_> {
    /// Takes in a level; its path if that is asked for.
    fn add(
        &mut self,
        options: &Options,
        index: u64,
        made: &Made,
    ) -> Result<Option<Playability>, Failure> {
        self.totals.add(made);
        let path = self.totals.path(options, made);
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
    }

    /// The path of a level if it is asked for.
    fn path(&mut self, options: &Options, made: &Made) -> Option<Playability> {
        let playability = options.show_path.then(|| Playability::of(&made.level))?;
        self.playable += u64::from(playability.playable());
        self.obstacle = playability.obstacle().or(self.obstacle);
        Some(playability)
    }

    /// How many levels there are, in a few words.
    pub(crate) fn levels(&self, wanted: u64) -> String {
        let Self { drawn, kept, .. } = self;
        match drawn + kept {
            all if all < wanted => format!("{all} of {wanted} (interrupted)"),
            all => all.to_string(),
        }
    }

    /// How many levels stood there already, in a few words.
    pub(crate) fn kept(&self) -> String {
        match self.kept {
            0 => String::new(),
            kept => format!(" ({kept} kept, not counted here)"),
        }
    }

    /// What was found about paths, in a few words.
    pub(crate) fn paths(&self, options: &Options) -> String {
        match self.obstacle {
            _ if !options.show_path => String::new(),
            Some(obstacle) if options.levels == 1 => format!(", not playable: {obstacle}"),
            _ => format!(", playable {}", self.playable),
        }
    }
}

/// Draws the set and writes it where it should go.
pub(crate) fn write(options: &Options, trained: &Trained<'_>) -> Result<Totals, Failure> {
    let report = || SetReport::new(trained, options.methods[0].name());
    let mut told = Told {
        totals: Totals::default(),
        report: options.report.as_ref().map(|_| report()),
    };
    match &options.out {
        None => {
            let place = Path::new("the standard output");
            write_list(options, trained, &mut told, &mut io::stdout().lock(), place)?;
        }
        Some(path) if options.format.needs_file() => {
            write_files(options, trained, &mut told, path)?;
        }
        Some(path) => replace(path, |out| {
            write_list(options, trained, &mut told, out, path)
        })?,
    }
    if let (Some(path), Some(report)) = (&options.report, &told.report) {
        report.write(path)?;
    }
    Ok(told.totals)
}

/// All levels one after another.
fn write_list(
    options: &Options,
    trained: &Trained<'_>,
    told: &mut Told<'_>,
    out: &mut dyn Write,
    place: &Path,
) -> Result<(), Failure> {
    let cannot = |error| in_file(place, error);
    let work = |numbers| trained.levels(0, numbers);
    let levels = (0..options.levels, trained.step(0, options.levels));
    let drawn = in_order(options, levels, work, |index, made| {
        let path = told.add(options, index, &made)?;
        let written = match options.format {
            Format::Json => write_json(trained, out, index, &made, path),
            _ => write_text(out, index, &made, path),
        };
        written.map_err(cannot)
    })?;
    told.totals.drawn = drawn;
    if options.format == Format::Json {
        writeln!(out, "\n]").map_err(cannot)?;
    }
    out.flush().map_err(cannot)
}

fn write_text(
    out: &mut dyn Write,
    index: u64,
    made: &Made,
    path: Option<Playability>,
) -> io::Result<()> {
    let text = made.level.to_string();
    let mut rows: Vec<Vec<u8>> = text.lines().map(|row| row.as_bytes().to_vec()).collect();
    for &(row, column) in path.iter().flat_map(Playability::path) {
        rows[row][column] = b'*';
    }
    if index > 0 {
        out.write_all(b"\n")?;
    }
    for row in rows {
        out.write_all(&row)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn write_json(
    trained: &Trained<'_>,
    out: &mut dyn Write,
    index: u64,
    made: &Made,
    path: Option<Playability>,
) -> io::Result<()> {
    let text = made.level.to_string();
    let mut level = json!({
        "seed": trained.seed,
        "index": index,
        "width": made.level.width(),
        "height": made.level.height(),
    });
    for (name, value) in trained.settings() {
        level[name] = value;
    }
    level["unseen"] = made.unseen.into();
    if let Some(fallbacks) = made.fallbacks {
        level["fallbacks"] = fallbacks.into();
    }
    if let Some(playability) = path {
        level["playable"] = playability.playable().into();
        level["obstacle"] = playability.obstacle().map(|o| o.to_string()).into();
        level["path"] = json!(playability.path());
    }
    level["rows"] = text.lines().collect();
    write!(out, "{}{level}", if index > 0 { ",\n" } else { "[\n" })
}

/// One file a level, numbered if there is more than one, and for maps the picture of the tiles beside them.
fn write_files(
    options: &Options,
    trained: &Trained<'_>,
    told: &mut Told<'_>,
    path: &Path,
) -> Result<(), Failure> {
    let tiles = with_suffix(path, "-tiles", "png");
    if matches!(options.format, Format::Tmx | Format::TiledJson) {
        replace(&tiles, |out| {
            write_tileset(out).map_err(|error| output(&tiles, error))
        })?;
    }
    let image = tiles.file_name().unwrap_or_default().to_string_lossy();
    let digits = options.levels.to_string().len();
    let file = |index: u64| {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        match options.levels {
            1 => path.to_owned(),
            _ => with_suffix(path, &format!("-{:0digits$}", index + 1), &extension),
        }
    };
    if options.resume {
        told.totals.kept =
            resumed::done(options, trained, &with_suffix(path, "-set", "json"), file)?;
    }
    let work = |numbers| trained.levels(0, numbers);
    let levels = (
        told.totals.kept..options.levels,
        trained.step(0, options.levels),
    );
    let drawn = in_order(options, levels, work, |index, made| {
        let path = file(index);
        let way = told.add(options, index, &made)?;
        let way = way.as_ref().map_or(&[][..], Playability::path);
        let writer = notes(trained, index, LevelWriter::new(&made.level)).path(way);
        replace(&path, |out| {
            let written = match options.format {
                Format::Png => writer.png(out),
                Format::Tmx => writer.tmx(out, &image),
                Format::TiledJson => writer.tiled_json(out, &image),
                _ => writer.ldtk_csv(out),
            };
            written.map_err(|error| output(&path, error))
        })
    })?;
    told.totals.drawn = drawn;
    Ok(())
}

/// The settings that give the level again.
fn notes<'a>(trained: &Trained<'_>, index: u64, writer: LevelWriter<'a>) -> LevelWriter<'a> {
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

/// The path with something added to its name, and an extension.
fn with_suffix(path: &Path, suffix: &str, extension: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(suffix);
    let mut path = path.with_file_name(name);
    path.set_extension(extension);
    path
}
