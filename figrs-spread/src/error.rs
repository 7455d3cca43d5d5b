//! Errors of runs that are divided into parts.

use std::io;
use std::path::PathBuf;

use figrs_derive::ErrorDebug;
use thiserror::Error;

/// An error of a run that is divided into parts.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum SpreadError {
    /// Inference failed, either while a part of the run was computed or outside of the parts.
    #[error("{}{source}", part.map(|part| format!("part {part}: ")).unwrap_or_default())]
    Inference {
        /// The number of the part of the run in which the error occurred, if it occurred in a part.
        part: Option<u64>,
        /// The error of the inference.
        source: Box<figrs_infer::Error>,
    },
    /// The options contradict each other or the run: the run has no part with the given number, a directory of parts is given but not used, or the
    /// run has no end and therefore no parts.
    #[error("{problem}; {remedy}")]
    Options {
        /// The problem with the options, as a statement.
        problem: String,
        /// The remedy, as a request that names the options.
        remedy: &'static str,
    },
    /// The computation of a part was stopped before the part was complete.
    #[error(
        "part {part} was stopped before it was complete; remove the time limit of its sampler, and compute the part again"
    )]
    Stopped {
        /// The number of the part.
        part: u64,
    },
    /// Parts of the run that must be merged are missing.
    #[error(
        "{} of {parts} parts{} are missing in {}: {}; compute them with --part, and {}",
        missing.len(),
        round.map(|round| format!(" of round {round}")).unwrap_or_default(),
        directory.display(),
        numbers(missing),
        if round.is_some() { "merge again" } else { "merge again, or merge without the missing parts by --partial" }
    )]
    MissingParts {
        /// The numbers of the missing parts of the run.
        missing: Vec<u64>,
        /// The total number of parts of the run.
        parts: u64,
        /// The number of the learning round, if the run learns parameters.
        round: Option<u64>,
        /// The directory that should contain the parts of the run.
        directory: PathBuf,
    },
    /// A file contains a part of another run, or the set of numbered files in a directory was drawn with other settings than those of this run.
    #[error(
        "{} {}: its {what} is {theirs}, but here it is {ours}; {}",
        path.display(),
        if *is_set { "contains a set with other settings" } else { "is part of another run" },
        if *is_set {
            "give the settings with which the set was begun, or another directory"
        } else {
            "remove it, give the options with which it was computed, or give another --out"
        }
    )]
    Foreign {
        /// The path of the file that contains a part, or of the directory that contains a set of files.
        path: PathBuf,
        /// True if the path is the directory of a set of numbered files, false if it is the file of a part.
        is_set: bool,
        /// The name of the property in which the file or directory differs from this run.
        what: String,
        /// The value of the differing property in the file or the directory.
        theirs: String,
        /// The value of the differing property in this process.
        ours: String,
    },
    /// A file is damaged, or does not contain a part of a run.
    #[error(
        "{} is not a valid part: {problem}; remove it, and {}",
        file.display(),
        part.map_or("begin again".into(), |part| format!("compute part {part} again"))
    )]
    DamagedPart {
        /// The path of the file.
        file: PathBuf,
        /// The number of the part that should be in the file; `None` if the file should contain a learning round's request.
        part: Option<u64>,
        /// A description of the problem, for the error message.
        problem: String,
    },
    /// A line on the standard input is not a valid request for a part of a run.
    #[error(
        "{line:?} on the standard input is not a request; write `RUN PART` (two numbers counted from 0, and for a round of a fit the bytes of its \
        file in hexadecimal digits), and request runs in their order"
    )]
    InvalidRequest {
        /// The line on the standard input that is not a request.
        line: String,
    },
    /// A file, the standard input or the standard output could not be read or written.
    #[error("{}: {source}; {remedy}", file.display())]
    File {
        /// The path of the file.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
        /// The remedy for the error, worded as a request.
        remedy: &'static str,
    },
    /// The values of targets could not be converted to bytes.
    #[error("the values of the targets cannot be converted to bytes: {problem}")]
    NotPortable {
        /// A description of the problem, for the error message.
        problem: String,
    },
    /// Items of a set could not be drawn, or the sampler did not return as many items as were requested.
    #[error("item {number} of the set, or one drawn with it: {source}")]
    Item {
        /// The number of the first item that was requested.
        number: u64,
        /// The error of the sampler.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Returns the first few numbers of a list as text.
fn numbers(all: &[u64]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = all.iter().take(SHOWN).map(u64::to_string).collect();
    let more = if all.len() > SHOWN { ", ..." } else { "" };
    shown.join(", ") + more
}

impl SpreadError {
    pub(crate) fn of_file(file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        Self::of_system(file.into(), "check the path and its permissions")
    }

    pub(crate) fn of_part(file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        Self::of_system(file.into(), "check the directory of --out")
    }

    fn of_system(file: PathBuf, remedy: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File {
            file,
            source,
            remedy,
        }
    }

    pub(crate) fn no_such_part(part: u64, parts: u64) -> Self {
        Self::Options {
            problem: format!("there is no part {part}: {parts} parts are numbered from 0"),
            remedy: "give --part a smaller number, or --parts a larger one",
        }
    }

    pub(crate) fn in_part(part: u64) -> impl FnOnce(figrs_infer::Error) -> Self {
        move |source| Self::Inference {
            part: Some(part),
            source: source.into(),
        }
    }

    pub(crate) fn not_portable(error: impl ToString) -> Self {
        Self::NotPortable {
            problem: error.to_string(),
        }
    }
}

impl From<figrs_infer::Error> for SpreadError {
    fn from(source: figrs_infer::Error) -> Self {
        Self::Inference {
            part: None,
            source: source.into(),
        }
    }
}
