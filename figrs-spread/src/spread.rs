//! A run in parts, of which this process does all, one, or the merging.

use std::cell::Cell;
use std::error::Error;
use std::io::{self, Write};
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Parser;
use figrs_core::graph::ModelGraph;
use figrs_core::{Model, Stream};
use figrs_infer::{
    Answer, ImportanceSampling, MergeableSampler, PortablePartOf, PortableTargets, Run, Stopped,
};

use super::error::SpreadError;
use super::files::FileSet;
use super::options::SpreadOptions;
use super::part_files::{PartFiles, part_of};
use super::part_identity::{PartIdentity, hash};
use super::requests::{self, Request};

/// Worlds whose draws identify a model.
const PILOT_WORLDS: u64 = 64;
/// Interval at which it is looked whether a part has come.
const POLL: Duration = Duration::from_millis(100);

/// The runs of a program, of which this process does all parts, one of them, or the merging.
///
/// Every process of a run is the same program, with other options ([`SpreadOptions`]): it builds the same model, and its runs are told apart
/// by their order.
///
/// **Guarantee.** The answer of the merged parts is that of one process to the last bit, its time apart, whatever the number of parts,
/// processes and threads. A part of another run, version or seed, or of other settings, is refused, and so is one that is damaged; one of another model as far as
/// the elements before their branches, with the numbers of their distributions, and some worlds tell.
#[derive(Debug)]
pub struct Spread {
    name: String,
    parts: u64,
    role: Role,
    /// The number of runs so far.
    runs: Cell<u32>,
    /// The request for a later run, as it was read.
    request: Cell<Option<Request>>,
    /// True after the last request.
    ended: Cell<bool>,
}

/// Role of this process.
#[derive(Debug)]
enum Role {
    Whole,
    Part {
        number: u64,
        directory: PathBuf,
    },
    Server,
    Merger {
        directory: PathBuf,
        absent: AbsentPart,
    },
}

/// Treatment of parts that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AbsentPart {
    Refused,
    LeftOut,
    Awaited,
}

/// The command line of a program that has no other options.
#[derive(Parser)]
#[command(about = "Does all of its work, or numbered parts of it")]
struct CommandLine {
    #[command(flatten)]
    options: SpreadOptions,
}

impl Spread {
    /// The runs of the program of this name, in so many parts, by the options of the command line; wrong options and `--help` end
    /// the program.
    ///
    /// Programs with options of their own use [`from_options`](Self::from_options).
    pub fn from_args(name: &str, parts: u64) -> Self {
        let options = CommandLine::parse().options;
        match Self::from_options(name, parts, options) {
            Ok(spread) => spread,
            Err(error) => {
                eprintln!("error: {error}");
                std::process::exit(2);
            }
        }
    }

    /// The runs of the program of this name, in so many parts unless the options say otherwise.
    ///
    /// **Errors.** [`SpreadError::NoSuchPart`].
    pub fn from_options(
        name: &str,
        parts: u64,
        options: SpreadOptions,
    ) -> Result<Self, SpreadError> {
        let parts = options.parts.map_or(parts, NonZero::get).max(1);
        let directory = options.out.unwrap_or_default();
        let role = match options.part {
            Some(part) if part >= parts => return Err(SpreadError::NoSuchPart { part, parts }),
            Some(number) => Role::Part { number, directory },
            None if options.serve => Role::Server,
            None if options.merge => Role::Merger {
                directory,
                absent: match (options.partial, options.wait) {
                    (true, _) => AbsentPart::LeftOut,
                    (_, true) => AbsentPart::Awaited,
                    _ => AbsentPart::Refused,
                },
            },
            None => Role::Whole,
        };
        Ok(Self {
            name: name.to_owned(),
            parts,
            role,
            runs: Cell::new(0),
            request: Cell::new(None),
            ended: Cell::new(false),
        })
    }

    /// The answer of a sampler: of all units in this process, or of parts that are merged. `None` in a process that does parts.
    ///
    /// **Errors.** [`SpreadError::Inference`] with the error of the sampler; [`SpreadError::Endless`]; of parts
    /// [`SpreadError::Stopped`], [`SpreadError::MissingParts`], [`SpreadError::ForeignPart`], [`SpreadError::DamagedPart`], [`SpreadError::NotPortable`],
    /// [`SpreadError::InvalidRequest`], [`SpreadError::File`].
    pub fn run<S, T>(
        &self,
        sampler: &S,
        model: &Model,
        targets: &T,
    ) -> Result<Option<Answer>, SpreadError>
    where
        S: MergeableSampler,
        T: PortableTargets,
    {
        let run = SampledRun {
            sampler,
            model,
            targets,
        };
        let place = self.next_place();
        let identity = || run.identity(&self.name, place, self.parts);
        match &self.role {
            Role::Whole => return Ok(Some(sampler.run(model, targets.elements())?)),
            Role::Part { number, directory } => {
                let identity = identity()?;
                let files = PartFiles {
                    directory,
                    identity: &identity,
                };
                if !files.has(*number)? {
                    files.write(*number, &run.part(&identity, *number)?)?;
                }
            }
            Role::Server => {
                let identity = identity()?;
                self.serve(place, |part| run.part(&identity, part))?;
            }
            Role::Merger { directory, absent } => {
                let identity = identity()?;
                let files = PartFiles {
                    directory,
                    identity: &identity,
                };
                return run.merge(&files, *absent).map(Some);
            }
        }
        Ok(None)
    }

    /// A set of numbered files, each drawn with a stream of random numbers of its own and written whole or not at all; those that are there are
    /// kept. In a process that does one part, the files of that part; none in one that serves parts of other runs or merges them.
    ///
    /// The name of a file is its number, with as many digits as the last one of the set has, and the extension.
    ///
    /// **Errors.** [`SpreadError::Item`] with the error of `draw`; [`SpreadError::File`].
    pub fn files<T, E>(
        &self,
        (directory, extension): (&Path, &str),
        (seed, numbers): (u64, Range<u64>),
        draw: impl Fn(&mut Stream) -> Result<T, E> + Sync,
        write: impl Fn(&T, &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SpreadError>
    where
        T: Send,
        E: Error + Send + Sync + 'static,
    {
        let place = self.next_place();
        let set = FileSet {
            directory,
            extension,
            seed,
            numbers: numbers.clone(),
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let fill = |numbers| set.fill(numbers, threads, &draw, &write);
        let count = numbers.end.saturating_sub(numbers.start);
        let of_part = |part| {
            let part = share(count, part, self.parts);
            numbers.start + part.start..numbers.start + part.end
        };
        match &self.role {
            Role::Whole => fill(numbers.clone()),
            Role::Part { number, .. } => fill(of_part(*number)),
            Role::Server => self.serve(place, |part| {
                fill(of_part(part))?;
                Ok(Vec::new())
            }),
            Role::Merger { .. } => Ok(()),
        }
    }

    fn next_place(&self) -> u32 {
        self.runs.replace(self.runs.get() + 1)
    }

    /// Does the parts of a run that are asked for, until one of a later run is, or the input ends.
    fn serve(
        &self,
        place: u32,
        part: impl Fn(u64) -> Result<Vec<u8>, SpreadError>,
    ) -> Result<(), SpreadError> {
        let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
        while !self.ended.get() {
            let request = match self.request.take() {
                Some(request) => Some(request),
                None => match Request::read(&mut input) {
                    Err(error @ SpreadError::InvalidRequest { .. }) => {
                        requests::answer(&mut output, Err(&error))?;
                        continue;
                    }
                    read => read?,
                },
            };
            let Some(request) = request else {
                self.ended.set(true);
                break;
            };
            if request.place > place {
                self.request.set(Some(request));
                break;
            }
            let done = if request.place < place {
                Err(SpreadError::InvalidRequest {
                    line: format!("{} {}", request.place, request.part),
                })
            } else if request.part >= self.parts {
                Err(SpreadError::NoSuchPart {
                    part: request.part,
                    parts: self.parts,
                })
            } else {
                part(request.part)
            };
            requests::answer(&mut output, done.as_deref())?;
        }
        Ok(())
    }
}

/// The units of a part.
fn share(units: u64, part: u64, parts: u64) -> Range<u64> {
    let bound = |part: u64| (u128::from(units) * u128::from(part) / u128::from(parts)) as u64;
    bound(part)..bound(part + 1)
}

/// A run of a sampler.
#[derive(Debug)]
struct SampledRun<'a, S, T> {
    sampler: &'a S,
    model: &'a Model,
    targets: &'a T,
}

impl<S: MergeableSampler, T: PortableTargets> SampledRun<'_, S, T> {
    fn identity(&self, name: &str, place: u32, parts: u64) -> Result<PartIdentity, SpreadError> {
        let units = self.sampler.units(self.model, &self.targets.elements())?;
        if units == u64::MAX {
            return Err(SpreadError::Endless);
        }
        Ok(PartIdentity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: name.to_owned(),
            place,
            parts,
            units,
            settings: self.sampler.settings(),
            pilot: self.pilot(),
        })
    }

    /// A hash of the elements of the model before their branches, and of a few worlds or the reason that there are none.
    fn pilot(&self) -> u64 {
        let graph = ModelGraph::new(self.model, self.targets.elements());
        let nodes = graph.nodes().iter().map(|node| {
            let stated = (&node.evidence, &node.intervention, node.target);
            format!("{:?} {:?} {stated:?}", node.label, node.distribution)
        });
        let edges = graph.edges().iter();
        let edges = edges.map(|edge| format!("{} {}", edge.from, edge.to));
        let mut bytes = nodes.chain(edges).collect::<String>().into_bytes();
        let sampler = ImportanceSampling::new(PILOT_WORLDS);
        let worlds = sampler.portable_part(self.model, self.targets, 0..u64::MAX);
        let worlds = worlds.map(|worlds| postcard::to_stdvec(&worlds.without_time()));
        match worlds {
            Ok(Ok(worlds)) => bytes.extend(worlds),
            Ok(Err(error)) => bytes.extend(error.to_string().into_bytes()),
            Err(error) => bytes.extend(error.to_string().into_bytes()),
        }
        hash(&bytes)
    }

    /// The bytes of a part.
    fn part(&self, identity: &PartIdentity, number: u64) -> Result<Vec<u8>, SpreadError> {
        let units = share(identity.units, number, identity.parts);
        let part = self
            .sampler
            .portable_part(self.model, self.targets, units.clone());
        let part = part.map_err(|source| SpreadError::Inference {
            part: Some(number),
            source: source.into(),
        })?;
        if part.units() != units || part.stopped() != Stopped::Finished {
            return Err(SpreadError::Stopped { part: number });
        }
        let contributions =
            postcard::to_stdvec(&part).map_err(|error| SpreadError::NotPortable {
                problem: error.to_string(),
            })?;
        part_of(identity, number, &contributions)
    }

    /// The answer of the parts in their files.
    fn merge(&self, files: &PartFiles<'_>, absent: AbsentPart) -> Result<Answer, SpreadError> {
        let parts = files.identity.parts;
        let (mut missing, mut is_told) = (Vec::new(), false);
        let mut sums = self
            .sampler
            .partial(self.model, &self.targets.elements(), 0..0)?;
        for number in 0..parts {
            if sums.is_enough() {
                break;
            }
            let contributions = loop {
                match files.read(number)? {
                    None if absent == AbsentPart::Awaited => {
                        if !is_told {
                            let directory = files.directory.display();
                            eprintln!("waiting for part {number} of {parts} in {directory}");
                            is_told = true;
                        }
                        thread::sleep(POLL);
                    }
                    found => break found,
                }
            };
            let Some(contributions) = contributions else {
                missing.push(number);
                sums.leave_out(share(files.identity.units, number, parts))?;
                continue;
            };
            let damaged = |problem: String| files.damaged(number, problem);
            let part: PortablePartOf<S, T> =
                postcard::from_bytes(&contributions).map_err(|error| damaged(error.to_string()))?;
            let merged = sums.merge_portable(part, self.targets);
            merged.map_err(|error| damaged(error.to_string()))?;
        }
        if !missing.is_empty() {
            if absent == AbsentPart::Refused {
                return Err(SpreadError::MissingParts {
                    missing,
                    parts,
                    directory: files.directory.to_owned(),
                });
            }
            eprintln!("merged {} of {parts} parts", parts - missing.len() as u64);
        }
        Ok(sums.into_answer_about(self.model, self.targets.elements())?)
    }
}
