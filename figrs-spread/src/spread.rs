//! Runs that are divided into parts: a process computes all parts, computes one part, or merges the parts.

use std::cell::{Cell, RefCell};
use std::io;
use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use clap::{Args, Parser};
use figrs_core::Model;

use super::counted_fit::{CountedFit, count};
use super::error::SpreadError;
use super::item_set::ItemSet;
use super::part_files::{AbsentPart, PartFiles};
use super::part_identity::PartIdentity;
use super::requests::{self, Request};
use super::sampled_run::SampledRun;
use figrs_infer::{Answer, ItemSampler, MergeableSampler, PortableTargets, Run, Slices};
use figrs_learn::{CaseColumns, Cases, ExpectationMaximization, ExpectedCounts, Fit};

/// The runs of a program. The command-line options decide whether this process computes all parts of a run, computes one part, or merges the parts.
///
/// All processes of a run execute the same program with different options ([`SpreadOptions`]) and build the same model. A run is identified by its
/// index among the runs of the program. A process that writes requested parts to its standard output must write nothing else there.
///
/// **Guarantee.** The answer from the merged parts equals the answer of a single process to the last bit, except for its time. The answer of a run
/// does not depend on the number of parts, processes and threads. A damaged part is refused when parts are merged, and so is a part of another run,
/// of another version of figrs, or with another seed or other settings. A part of another model is refused if the models differ in the elements
/// outside of the branches of `Chain` elements, in the parameters of their distributions, or in some samples.
#[derive(Debug)]
pub struct Spread {
    name: String,
    parts: u64,
    role: Role,
    /// The number of runs that the program has started so far.
    runs: Cell<u32>,
    /// A request that was read but not answered yet, because the requested part belongs to a later run of the program.
    request: RefCell<Option<Request>>,
    /// True after the last request on the standard input.
    ended: Cell<bool>,
}

/// The role of the running process: to compute the run, to compute or serve parts, or to merge parts.
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

/// The command line of a program whose only options are [`SpreadOptions`].
#[derive(Parser)]
#[command(about = "Does all of its work, or numbered parts of it")]
struct CommandLine {
    #[command(flatten)]
    options: SpreadOptions,
}

impl Spread {
    /// Prepares the runs of a program with the given name; options for the parts are read from the command line. Each run is divided into `parts`
    /// parts, unless the options specify another number. The function ends the program if the command line contains `--help` or unknown options.
    ///
    /// Programs with options of their own use [`from_options`](Self::from_options).
    ///
    /// **Errors.** The errors of [`from_options`](Self::from_options).
    pub fn from_args(name: &str, parts: u64) -> Result<Self, SpreadError> {
        Self::from_options(name, parts, CommandLine::parse().options)
    }

    /// Prepares the runs of a program with the given name and options. Each run is divided into `parts` parts, unless the options specify another
    /// number.
    ///
    /// **Errors.** [`SpreadError::Options`] if the number of the part is too large, or if a directory of parts is given but parts are neither
    /// computed nor merged.
    pub fn from_options(
        name: &str,
        parts: u64,
        options: SpreadOptions,
    ) -> Result<Self, SpreadError> {
        let parts = options.parts.map_or(parts, NonZero::get).max(1);
        if let Some(directory) = &options.out
            && options.part.is_none()
            && !options.merge
        {
            return Err(SpreadError::Options {
                problem: format!(
                    "--out {}: this process neither writes parts into it nor merges them",
                    directory.display()
                ),
                remedy: "give --part or --merge, or leave out --out",
            });
        }
        let directory = options.out.unwrap_or_default();
        let role = match options.part {
            Some(part) if part >= parts => return Err(SpreadError::no_such_part(part, parts)),
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
            request: RefCell::new(None),
            ended: Cell::new(false),
        })
    }

    /// Returns the answer of a sampler: this process computes the whole run, or merges the parts. The result is `None` in a process that only
    /// computes parts of the run.
    ///
    /// **Errors.** [`SpreadError::Inference`] with the error of the sampler; for parts [`SpreadError::Options`] if the run has no end,
    /// [`SpreadError::Stopped`], [`SpreadError::MissingParts`], [`SpreadError::Foreign`], [`SpreadError::DamagedPart`],
    /// [`SpreadError::NotPortable`] and [`SpreadError::File`].
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
        let next = self.next();
        if self.is_whole() {
            return Ok(Some(sampler.run(model, targets.elements())?));
        }
        let identity = run.identity(next)?;
        let merging = self.in_parts(identity, |identity, part| run.part(identity, part))?;
        merging.map_or(Ok(None), |(files, absent)| {
            run.merge(&files, absent).map(Some)
        })
    }

    /// Returns the natural logarithm of the probability of the evidence as a sum over slices, each of which fixes some variables at one joint value.
    /// The process computes all slices, or merges parts. The result is `None` in a process that only computes parts of the run.
    ///
    /// **Guarantee.** The log-probability is exact up to rounding, and its bits do not depend on the number of parts.
    ///
    /// **Errors.** The errors of [`run`](Self::run). If some parts of the sum are left out, the result is an error that states the lower bound from
    /// the remaining parts.
    ///
    /// ```no_run
    /// # use figrs_core::{Flip, If, Model};
    /// # use figrs_spread::{Slices, Spread};
    /// let spread = Spread::from_args("rain", 16)?;
    /// let rain = Flip::new(0.2);
    /// let wet = If::new(&rain, Flip::new(0.9), Flip::new(0.1));
    /// let model = Model::new().observe(&wet, true);
    /// if let Some(log_evidence) = spread.sum(&model, Slices::fitting("100MiB")?)? {
    ///     println!("{log_evidence}");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sum(&self, model: &Model, slices: Slices) -> Result<Option<f64>, SpreadError> {
        let Some(answer) = self.run(&slices, model, &())? else {
            return Ok(None);
        };
        Ok(Some(answer.log_evidence()?.value))
    }

    /// Returns the parameters that a learner estimates from cases. This process learns the parameters alone, or merges the expected counts that other
    /// processes compute in parts in each round. The result is `None` in a process that computes parts, or if the parts of the next learning round
    /// are not computed yet.
    ///
    /// Each round of learning is divided into its own parts. A process that computes a part uses the parameters of the last round whose request file
    /// is in the directory, or the initial parameters if no such file exists. A process that merges parts goes through the rounds whose parts exist,
    /// and then writes the parameters of the next round or returns the learned parameters. Jobs of a computer cluster compute one learning round each
    /// time they are submitted, but a process that waits for parts goes through all rounds.
    ///
    /// **Guarantee.** The learned parameters equal those of a single process to the last bit.
    ///
    /// **Errors.** The errors of [`run`](Self::run). Parameter learning needs all parts of each round, and allows no mini-batches.
    ///
    /// ```no_run
    /// # use figrs_core::{Flip, If, Learned, Model};
    /// # use figrs_infer::JunctionTree;
    /// # use figrs_learn::{Cases, ExpectationMaximization};
    /// # use figrs_spread::Spread;
    /// let spread = Spread::from_args("coins", 16)?;
    /// let (first, second) = (Learned::beta("first", 2.0, 1.0), Learned::beta("second", 1.0, 2.0));
    /// let heads = If::new(&Flip::new(0.5), Flip::new(&first), Flip::new(&second));
    /// let cases = Cases::new(&heads).weighted_rows([(6.0, true), (3.0, false)]);
    /// let learner = ExpectationMaximization::new(JunctionTree::new()).map_estimate();
    /// if let Some(fit) = spread.fit(&learner, &Model::new(), &cases)? {
    ///     println!("{}", fit.value(&first)?);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit<E: ExpectedCounts, C: CaseColumns>(
        &self,
        learner: &ExpectationMaximization<E>,
        model: &Model,
        cases: &Cases<C>,
    ) -> Result<Option<Fit>, SpreadError> {
        let fit = CountedFit {
            learner,
            model,
            cases,
        };
        let next = self.next();
        if self.is_whole() {
            return Ok(Some(learner.fit(model, cases)?));
        }
        let place = next.place;
        let identity = fit.identity(next);
        match &self.role {
            Role::Whole => {}
            Role::Part { number, directory } => fit.do_part(&identity, directory, *number)?,
            Role::Server => {
                let counter = RefCell::new(fit.counter()?);
                self.serve(place, |asked| {
                    let place = Path::new("the round on the standard input");
                    let read = identity.read(asked.round.clone(), place);
                    let (identity, request) = read.map_err(|error| match error {
                        SpreadError::DamagedPart { problem, .. } => SpreadError::InvalidRequest {
                            line: format!("a round ({problem})"),
                        },
                        error => error,
                    })?;
                    let mut counter = counter.borrow_mut();
                    let counts = count(&mut counter, &request, &identity, asked.part)?;
                    identity.bytes(Some(asked.part), &counts)
                })?;
            }
            Role::Merger { directory, absent } => {
                return fit.merge(&identity, (directory, *absent));
            }
        }
        Ok(None)
    }

    /// Draws a set of items, such as game levels or boards, into numbered files. Each file is written completely or not at all; existing files are
    /// kept, and missing files are drawn. A process that computes one part of the run draws the files of that part. A process that merges the parts
    /// draws missing files of the parts that were computed. The result is the number of files that the process has written.
    ///
    /// The name of an item's file is the item's number with an extension; all numbers have as many digits as the last number of the set. The file
    /// `.set.figrs` in the directory stores the settings of the set of items. The set of files may be extended to further numbers with the same
    /// number of digits; the parts of an extended set need another directory `--out`.
    ///
    /// **Guarantee.** The contents of the files do not depend on the number of parts, processes and threads.
    ///
    /// **Errors.** [`SpreadError::Item`] with the error of the sampler; [`SpreadError::Foreign`] if the directory contains another set;
    /// [`SpreadError::File`]; if parts are computed or merged, the errors of [`run`](Self::run).
    pub fn levels<S: ItemSampler + ?Sized>(
        &self,
        sampler: &S,
        seed: u64,
        numbers: Range<u64>,
        directory: impl AsRef<Path>,
    ) -> Result<u64, SpreadError> {
        let set = ItemSet {
            sampler,
            seed,
            numbers,
            directory: directory.as_ref(),
        };
        let identity = set.identity(self.next());
        set.begin(&identity)?;
        let drawn = Cell::new(0);
        let fill = |numbers| {
            drawn.set(drawn.get() + set.fill(&numbers)?);
            Ok::<_, SpreadError>(Vec::new())
        };
        match &self.role {
            Role::Whole => return set.fill(&set.numbers),
            // Files of a part may be missing although the part was computed.
            Role::Part { number, .. } => drop(fill(set.share(&identity, *number))?),
            Role::Server | Role::Merger { .. } => {}
        }
        let merging = self.in_parts(identity, |identity, part| fill(set.share(identity, part)))?;
        if let Some((files, absent)) = merging {
            let left_out = files.take_all(absent, |_, _| Ok(ControlFlow::Continue(())))?;
            for part in (0..self.parts).filter(|part| left_out.binary_search(part).is_err()) {
                fill(set.share(&files.identity, part))?;
            }
            if !left_out.is_empty() {
                let done = self.parts - left_out.len() as u64;
                eprintln!("{done} of {} parts of the set exist", self.parts);
            }
        }
        Ok(drawn.get())
    }

    fn is_whole(&self) -> bool {
        matches!(self.role, Role::Whole)
    }

    /// Returns the identity of the next run of the program; those of its properties that depend on the kind of run are not set yet.
    fn next(&self) -> PartIdentity {
        PartIdentity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.name.clone(),
            place: self.runs.replace(self.runs.get() + 1),
            parts: self.parts,
            units: 0,
            settings: String::new(),
            pilot: 0,
            round: None,
        }
    }

    /// Computes the parts of the run that this process has to compute. The function returns the files of the parts if the process has to merge them.
    fn in_parts(
        &self,
        identity: PartIdentity,
        part: impl Fn(&PartIdentity, u64) -> Result<Vec<u8>, SpreadError>,
    ) -> Result<Option<(PartFiles<'_>, AbsentPart)>, SpreadError> {
        match &self.role {
            Role::Whole => {}
            Role::Part { number, directory } => {
                let files = PartFiles::new(directory, identity);
                if !files.has(*number)? {
                    files.write(*number, &part(&files.identity, *number)?)?;
                }
            }
            Role::Server => self.serve(identity.place, |asked| {
                identity.bytes(Some(asked.part), &part(&identity, asked.part)?)
            })?,
            Role::Merger { directory, absent } => {
                return Ok(Some((PartFiles::new(directory, identity), *absent)));
            }
        }
        Ok(None)
    }

    /// Computes the requested parts of the run, until a part of a later run is requested or the input ends.
    fn serve(
        &self,
        place: u32,
        part: impl Fn(&Request) -> Result<Vec<u8>, SpreadError>,
    ) -> Result<(), SpreadError> {
        let mut input = io::stdin().lock();
        while !self.ended.get() {
            let request = match self.request.take() {
                Some(request) => Some(request),
                None => match Request::read(&mut input) {
                    Err(error @ SpreadError::InvalidRequest { .. }) => {
                        requests::answer(Err(&error))?;
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
                self.request.replace(Some(request));
                break;
            }
            let done = if request.place < place {
                Err(SpreadError::InvalidRequest {
                    line: format!("{} {}", request.place, request.part),
                })
            } else if request.part >= self.parts {
                Err(SpreadError::no_such_part(request.part, self.parts))
            } else {
                part(&request)
            };
            requests::answer(done.as_deref())?;
        }
        Ok(())
    }
}

/// The command-line options of a program whose runs are divided into parts. A program with its own options includes [`SpreadOptions`] by
/// `#[command(flatten)]`.
#[derive(Args, Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct SpreadOptions {
    /// Number of parts into which a run is divided
    #[arg(long, value_name = "N", value_parser = parts, help_heading = "Parts")]
    pub parts: Option<NonZero<u64>>,
    /// Compute only the part with this number, counted from 0, and write it into --out, unless it exists
    #[arg(
        long,
        value_name = "N",
        requires = "out",
        conflicts_with_all = ["serve", "merge"],
        help_heading = "Parts"
    )]
    pub part: Option<u64>,
    /// Compute the parts that are requested on the standard input by lines `RUN PART` (for a fit `RUN PART ROUND`), and write them to the standard
    /// output
    #[arg(long, conflicts_with = "merge", help_heading = "Parts")]
    pub serve: bool,
    /// Read the parts from --out, and continue with the answer, or, for a fit, with its next round
    #[arg(long, requires = "out", help_heading = "Parts")]
    pub merge: bool,
    /// Merge the parts that exist, and leave out the missing parts
    #[arg(long, requires = "merge", help_heading = "Parts")]
    pub partial: bool,
    /// Wait for missing parts instead of reporting an error
    #[arg(
        long,
        requires = "merge",
        conflicts_with = "partial",
        help_heading = "Parts"
    )]
    pub wait: bool,
    /// Directory that contains the parts
    #[arg(long, value_name = "DIR", help_heading = "Parts")]
    pub out: Option<PathBuf>,
}

fn parts(text: &str) -> Result<NonZero<u64>, &'static str> {
    text.parse().map_err(|_| "write a whole number, 1 or more")
}
