//! Super Mario levels from a trained multi-dimensional Markov chain.
//!
//! `cargo run --release --example mario_mdmc -- --help`

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::{Parser, ValueEnum};
use figrs::models::mdmc::{
    Corpus, ElementSampler, Generated, LevelElements, LookAheadSampler, MarkovChain, RowSplits,
    Structure, TileSelection, vglc,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

type Failure = Box<dyn Error + Send + Sync>;

/// Generates Super Mario levels from a multi-dimensional Markov chain trained on example levels.
///
/// Levels go to the standard output (or to --out), 14 rows of tiles each; the seed, the number of unseen
/// states and fallbacks, and the time go to the standard error. The same seed gives the same
/// levels, on any number of threads.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Train on the levels (*.txt) of this directory, in the text format of the Video Game Level Corpus,
    /// instead of the levels that figrs ships.
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Columns of each level, from 1 to a million (65 536 for the elements method).
    #[arg(long, default_value_t = 120)]
    width: usize,
    /// Which neighbours a tile depends on: ns0 none, ns1 left, ns2 left and below, ns3 left, below and
    /// left-below. Simpler structures are fallen back on.
    #[arg(long, value_name = "ns0|ns1|ns2|ns3", default_value_t = Structure::NS3)]
    structure: Structure,
    /// Train one table for each of this many bands of rows, at most as many as there are rows; one band a row
    /// if not given.
    #[arg(long, value_name = "BANDS")]
    row_splits: Option<usize>,
    /// Accept a tile only if this many cells after it can be filled without an unseen state: 0 to 32, or to 8
    /// for the elements method.
    #[arg(long, value_name = "CELLS", default_value_t = 3)]
    look_ahead: usize,
    /// How levels are drawn.
    #[arg(long, value_enum, default_value_t = Method::LookAhead)]
    method: Method,
    /// How the elements method takes a tile from its distribution.
    #[arg(long, value_enum, default_value_t = Tile::Sampled)]
    tile: Tile,
    /// How many levels.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    levels: u64,
    /// Where the random numbers start; another one at every run if not given.
    #[arg(long)]
    seed: Option<u64>,
    /// Threads that draw levels of a set; all cores if not given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Text in the format of the corpus, levels parted by an empty line; or a JSON list.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the levels to this file; it is replaced when all of them are there.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// The published look-ahead sampler, tile by tile on the trained tables.
    LookAhead,
    /// The level as an element program: each tile by queries to exact inference.
    Elements,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Tile {
    /// Drawn from the posterior of its Chain.
    Sampled,
    /// The most likely value, as the method was published: one flat level whatever the seed.
    MostLikely,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn run(options: &Options) -> Result<(), Failure> {
    if options.tile == Tile::MostLikely && options.method != Method::Elements {
        return Err("--tile most-likely needs --method elements".into());
    }
    let corpus = match &options.corpus {
        Some(directory) => vglc::read_corpus(directory)?,
        None => Corpus::shipped(),
    };
    let bands = options.row_splits.unwrap_or(corpus.height());
    let splits = RowSplits::new(bands, corpus.height())?;
    let chain = Arc::new(MarkovChain::train(&corpus, &options.structure, splits)?);
    let seed = options.seed.unwrap_or_else(fresh_seed);
    let started = Instant::now();
    let generator = Generator::new(options, &chain, seed)?;
    let totals = match &options.out {
        None => generator.write(&mut io::stdout().lock(), Path::new("the standard output"))?,
        Some(path) => write_file(&generator, path)?,
    };
    eprintln!(
        "seed {seed}, levels {} of {} by {}: unseen states {}, fallbacks {}, {:.3} s",
        options.levels,
        chain.height(),
        options.width,
        totals.unseen,
        totals.fallbacks,
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_micros() as u64)
}

fn in_file(path: &Path, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Box::new(io::Error::from(io::ErrorKind::BrokenPipe));
    }
    format!("cannot write {}: {error}", path.display()).into()
}

/// Writes to a file beside `path` that takes its place when it is complete; straight to what is not a plain file.
fn write_file(generator: &Generator<'_>, path: &Path) -> Result<Totals, Failure> {
    let cannot = |error: &io::Error| in_file(path, error);
    // A link stays a link: what it points to is replaced.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let present = std::fs::metadata(path).ok();
    if present.as_ref().is_some_and(|present| !present.is_file()) {
        let mut file = std::fs::File::options()
            .write(true)
            .open(path)
            .map_err(|e| cannot(&e))?;
        return generator.write(&mut file, path);
    }
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if !directory.is_dir() {
        return Err(format!(
            "cannot write {}: there is no such directory",
            path.display()
        )
        .into());
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory).map_err(|e| cannot(&e))?;
    if let Some(present) = present {
        let permissions = present.permissions();
        file.as_file()
            .set_permissions(permissions)
            .map_err(|e| cannot(&e))?;
    }
    let totals = generator.write(&mut io::BufWriter::new(file.as_file_mut()), path)?;
    file.persist(path).map_err(|e| cannot(&e.error))?;
    Ok(totals)
}

struct Generator<'a> {
    options: &'a Options,
    chain: &'a MarkovChain,
    elements: Option<LevelElements>,
    seed: u64,
}

#[derive(Default)]
struct Totals {
    unseen: usize,
    fallbacks: usize,
}

impl<'a> Generator<'a> {
    fn new(options: &'a Options, chain: &'a Arc<MarkovChain>, seed: u64) -> Result<Self, Failure> {
        let elements = match options.method {
            Method::LookAhead => None,
            Method::Elements => Some(LevelElements::new(Arc::clone(chain), options.width)?),
        };
        Ok(Self {
            options,
            chain,
            elements,
            seed,
        })
    }

    /// Level `index` of the set, from random numbers of its own.
    fn level(&self, index: u64) -> Result<Generated, Failure> {
        let mut rng = figrs::stream(self.seed, index);
        let depth = self.options.look_ahead;
        let Some(elements) = &self.elements else {
            let sampler = LookAheadSampler::new(self.chain, depth)?;
            return Ok(sampler.sample(self.options.width, &mut rng)?);
        };
        let selection = match self.options.tile {
            Tile::Sampled => TileSelection::Sampled,
            Tile::MostLikely => TileSelection::MostLikely,
        };
        Ok(ElementSampler::new(elements, depth, selection)?.sample(&mut rng)?)
    }

    /// Some levels of the set, in order.
    fn batch(&self, from: u64, to: u64, threads: usize) -> Result<Vec<Generated>, Failure> {
        let next = AtomicU64::new(from);
        let work = || -> Result<Vec<(u64, Generated)>, Failure> {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= to {
                    return Ok(done);
                }
                done.push((index, self.level(index)?));
            }
        };
        let threads = threads.min((to - from) as usize);
        let results: Vec<_> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let results = handles.into_iter().map(std::thread::ScopedJoinHandle::join);
            results.collect()
        });
        let mut levels = Vec::new();
        for result in results {
            levels.extend(result.map_err(|_| "a thread failed")??);
        }
        levels.sort_by_key(|(index, _)| *index);
        Ok(levels.into_iter().map(|(_, level)| level).collect())
    }

    fn write(&self, out: &mut dyn Write, place: &Path) -> Result<Totals, Failure> {
        let cannot = |error: io::Error| in_file(place, &error);
        let threads = match self.options.threads {
            Some(threads) => threads.into(),
            None => std::thread::available_parallelism()?.get(),
        };
        let progress = progress_bar(self.options.levels)?;
        let mut totals = Totals::default();
        let mut index = 0;
        while index < self.options.levels {
            let to = self.options.levels.min(index + 8 * threads as u64);
            for generated in self.batch(index, to, threads)? {
                self.write_level(out, index, &generated).map_err(cannot)?;
                totals.unseen += generated.unseen();
                totals.fallbacks += generated.fallbacks();
                index += 1;
            }
            progress.set_position(index);
        }
        if self.options.format == Format::Json {
            writeln!(out, "\n]").map_err(cannot)?;
        }
        out.flush().map_err(cannot)?;
        progress.finish_and_clear();
        Ok(totals)
    }

    fn write_level(
        &self,
        out: &mut dyn Write,
        index: u64,
        generated: &Generated,
    ) -> io::Result<()> {
        let text = generated.level().to_string();
        match self.options.format {
            Format::Text => {
                let gap = if index > 0 { "\n" } else { "" };
                writeln!(out, "{gap}{}", text.trim_end())
            }
            Format::Json => {
                let level = json!({
                    "seed": self.seed,
                    "index": index,
                    "width": generated.level().width(),
                    "height": generated.level().height(),
                    "structure": self.options.structure.to_string(),
                    "row_splits": self.chain.row_splits().count(),
                    "look_ahead": self.options.look_ahead,
                    "method": self.options.method.to_possible_value().map(|v| v.get_name().to_owned()),
                    "unseen": generated.unseen(),
                    "fallbacks": generated.fallbacks(),
                    "rows": text.lines().collect::<Vec<_>>(),
                });
                write!(out, "{}{level}", if index > 0 { ",\n" } else { "[\n" })
            }
        }
    }
}

/// A bar for sets of levels, on a terminal.
fn progress_bar(levels: u64) -> Result<ProgressBar, Failure> {
    if levels == 1 || !io::stderr().is_terminal() {
        return Ok(ProgressBar::hidden());
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} levels, {eta} left")?;
    let target = ProgressDrawTarget::stderr();
    Ok(ProgressBar::with_draw_target(Some(levels), target).with_style(style))
}
