//! Errors of runs in parts.

use std::io;
use std::path::PathBuf;

use figrs_derive::ErrorDebug;
use thiserror::Error;

/// An error of a run in parts.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum SpreadError {
    /// Inference failed, in the part of this number or outside of parts.
    #[error("{}{source}", part.map(|part| format!("part {part}: ")).unwrap_or_default())]
    Inference {
        /// The part, if the error occurred in one.
        part: Option<u64>,
        /// The error.
        source: Box<figrs_infer::Error>,
    },
    /// There is no part with this number.
    #[error(
        "there is no part {part}: {parts} parts are numbered from 0; give --part a smaller number, or --parts a larger one"
    )]
    NoSuchPart {
        /// The requested part.
        part: u64,
        /// The number of parts.
        parts: u64,
    },
    /// A part ended before its last unit.
    #[error(
        "part {part} was stopped before its end; give its sampler no limit of time, and do it again"
    )]
    Stopped {
        /// The part.
        part: u64,
    },
    /// The settings do not limit the length of the run.
    #[error("the run has no end, so that it has no parts; give the sampler a number of samples")]
    Endless,
    /// Parts are missing.
    #[error(
        "{} of {parts} parts{} are missing in {}: {}; do them by --part, and {}",
        missing.len(),
        round.map(|round| format!(" of round {round}")).unwrap_or_default(),
        directory.display(),
        numbers(missing),
        if round.is_some() { "merge again" } else { "merge again, or without them by --partial" }
    )]
    MissingParts {
        /// The numbers of the missing parts.
        missing: Vec<u64>,
        /// The number of all parts.
        parts: u64,
        /// The round, of a fit.
        round: Option<u64>,
        /// The directory where the parts should be.
        directory: PathBuf,
    },
    /// A file is not a part of this run.
    #[error("{} is part of another run: its {what} is {theirs}, here {ours}; remove it, or give the options that it was made with, or another --out", file.display())]
    ForeignPart {
        /// The file.
        file: PathBuf,
        /// The name of the property that differs.
        what: String,
        /// The value of the property in the file.
        theirs: String,
        /// The value of the property in this process.
        ours: String,
    },
    /// A file is damaged, or not a part at all.
    #[error(
        "{} is no part: {problem}; remove it and {}",
        file.display(),
        part.map_or("begin again".into(), |part| format!("do part {part} again"))
    )]
    DamagedPart {
        /// The file.
        file: PathBuf,
        /// The part that should be in the file; `None` for the numbers of a round.
        part: Option<u64>,
        /// The problem.
        problem: String,
    },
    /// A set of files was begun with other settings.
    #[error("{}: the set was begun as another one: its {what} is {theirs}, here {ours}; give the settings that it was begun with, or another directory", directory.display())]
    ForeignSet {
        /// The directory of the set.
        directory: PathBuf,
        /// The name of the property that differs.
        what: String,
        /// The value of the property in the directory.
        theirs: String,
        /// The value of the property in this process.
        ours: String,
    },
    /// A sampler of items drew another number of items than requested.
    #[error("the sampler drew {drawn} items for the numbers {} to {}: it has to draw one for each, in their order", asked.start, asked.end.saturating_sub(1))]
    ItemsMissing {
        /// The requested numbers.
        asked: std::ops::Range<u64>,
        /// The number of items drawn.
        drawn: u64,
    },
    /// A directory of parts is given to a process that neither writes nor merges them.
    #[error(
        "--out {}: this process neither writes parts into it nor merges them; give --part or --merge, or leave out --out",
        directory.display()
    )]
    UnusedDirectory {
        /// The directory.
        directory: PathBuf,
    },
    /// A line on the standard input is not a request for a part.
    #[error(
        "{line:?} on the standard input is no request; a request is `RUN PART`, two numbers from 0 on, for a round of a fit with the bytes of its file in \
         hexadecimal digits, and runs are asked for in their order"
    )]
    InvalidRequest {
        /// The line.
        line: String,
    },
    /// A file of a part could not be read or written.
    #[error("{}: {source}; check the directory of --out", file.display())]
    PartFile {
        /// The file.
        file: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The values of targets could not be converted to bytes.
    #[error("the values of the targets cannot be sent: {problem}")]
    NotPortable {
        /// The problem.
        problem: String,
    },
    /// Items of a set could not be drawn.
    #[error("item {number} of the set, or one drawn with it: {source}")]
    Item {
        /// The number of the first requested item.
        number: u64,
        /// The error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The first numbers of a list as text.
fn numbers(all: &[u64]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = all.iter().take(SHOWN).map(u64::to_string).collect();
    let more = if all.len() > SHOWN { ", ..." } else { "" };
    shown.join(", ") + more
}

impl SpreadError {
    pub(crate) fn of_file(file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File {
            file: file.into(),
            source,
        }
    }

    pub(crate) fn of_part(file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::PartFile {
            file: file.into(),
            source,
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
