//! Errors of drawing levels that meet demands.

use std::ops::RangeInclusive;

use figrs_core::wording::Counted;
use figrs_derive::ErrorDebug;
use thiserror::Error;

use super::demand_error::{DemandError, Remedy, with_remedies};
use figrs_models::board::BoardError;
use figrs_models::mdmc::SamplingError;

/// Reason why no levels that meet the demands can be drawn.
#[derive(Clone, Error, ErrorDebug)]
#[non_exhaustive]
pub enum DemandedLevelError {
    /// One of the demands does not fit the level.
    #[error(transparent)]
    Demand(#[from] DemandError),
    /// The look-ahead of the sampler or the width of the level is not allowed.
    #[error(transparent)]
    Sampling(#[from] SamplingError),
    /// An inference algorithm returned an error.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
    /// The conditional sampler of boards, which also draws levels (turned onto their side), drew no level.
    #[error(transparent)]
    Board(Box<BoardError>),
    /// No level meets all demands, so that no level can be drawn.
    #[error(
        "{}",
        with_remedies(
            &contradictory(.demands, .columns, (*.minimal, *.proven)),
            .remedies,
            |remedy| remedy.to_string()
        )
    )]
    Contradictory {
        /// Descriptions of the demands that contradict each other.
        demands: Vec<String>,
        /// Indices of the contradictory demands in the list of all demands, from 0.
        places: Vec<usize>,
        /// `true` if each of the listed demands is needed for the contradiction; `false` if the work or memory did not suffice to test each of them.
        minimal: bool,
        /// First column, from 0, at which levels can no longer meet the demands; if the work or memory did not suffice to find it, a range of columns
        /// that contains it.
        columns: RangeInclusive<usize>,
        /// `true` if it is proven that no level meets the listed demands.
        proven: bool,
        /// Changes of the user's request, each of which alone may let the sampler find levels.
        remedies: &'static [Remedy],
    },
    /// The rejection sampler drew levels, but none of them met the demands.
    #[error(
        "{}",
        with_remedies(&not_met(.demands, *.tries), .remedies, |remedy| remedy.to_string())
    )]
    NotMet {
        /// The demands, as text.
        demands: Vec<String>,
        /// Number of levels that the rejection sampler drew.
        tries: u64,
        /// Changes of the user's request, each of which alone may let the sampler find levels.
        remedies: &'static [Remedy],
    },
}

impl From<BoardError> for DemandedLevelError {
    fn from(error: BoardError) -> Self {
        match &error {
            BoardError::Inference(inference) => Self::Inference(inference.clone()),
            BoardError::Generator(own) => {
                let sampling = || own.downcast_ref().cloned().map(Self::Sampling);
                let known = own.downcast_ref().cloned().or_else(sampling);
                known.unwrap_or(Self::Board(error.into()))
            }
            _ => Self::Board(error.into()),
        }
    }
}

impl DemandedLevelError {
    /// Writes the error message; the function `word` returns the text of each remedy, such as the name of a program's option.
    pub fn worded(&self, word: impl Fn(Remedy) -> String) -> String {
        match self {
            Self::Demand(error) => error.worded(word),
            Self::Contradictory {
                demands,
                minimal,
                columns,
                proven,
                remedies,
                ..
            } => with_remedies(
                &contradictory(demands, columns, (*minimal, *proven)),
                remedies,
                word,
            ),
            Self::NotMet {
                demands,
                tries,
                remedies,
            } => with_remedies(&not_met(demands, *tries), remedies, word),
            other => other.to_string(),
        }
    }
}

fn contradictory(
    demands: &[String],
    columns: &RangeInclusive<usize>,
    (minimal, proven): (bool, bool),
) -> String {
    let part = if minimal {
        ""
    } else {
        ", some of which may be irrelevant"
    };
    let (first, last) = (Counted(*columns.start()), Counted(*columns.end()));
    let column = if columns.start() == columns.end() {
        format!("column {first}")
    } else {
        format!("some column from {first} to {last}")
    };
    let finding = if proven {
        format!(
            "it is proven that no level can continue at {column} (counted from {})",
            Counted(0)
        )
    } else {
        format!(
            "no particle could continue at {column} (counted from {}), but this does not prove that no level can continue there",
            Counted(0)
        )
    };
    format!(
        "no level was found that meets these demands together{part}: {}; {finding}",
        demands.join("; ")
    )
}

fn not_met(demands: &[String], tries: u64) -> String {
    format!(
        "none of {tries} levels that were drawn met these demands together: {}",
        demands.join("; ")
    )
}
