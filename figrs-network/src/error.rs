//! Errors of reading, writing and learning networks.

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use figrs_reading::FileError;
use thiserror::Error;

use super::{NetworkFormat, Unknown};

/// An error of reading, writing or querying a network, with the place of the mistake and a remedy.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum NetworkError {
    /// A network file cannot be read or written, or its text has a mistake.
    #[error(transparent)]
    File(#[from] FileError),
    /// The network has no variable, or the variable no state, with the given name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The network cannot be written in a format, because figrs does not write this format, or because the format has no Markov networks or cannot
    /// represent a name.
    #[error("{problem}; {remedy}")]
    NotWritable {
        /// The format in which the network should have been written.
        format: NetworkFormat,
        /// Description of the problem, with the name of the format.
        problem: String,
        /// The remedy of the problem, worded as a request, such as "choose another format".
        remedy: &'static str,
    },
}

impl NetworkError {
    /// Returns the error that `name`, the name of a network, a variable or a state, contains a character that the format `format` cannot represent.
    pub(super) fn of_name(name: &str, format: NetworkFormat) -> Self {
        let name = printable(name);
        Self::NotWritable {
            format,
            problem: format!(
                "the name `{name}` cannot be written as {format}, which has no way to write one of its characters"
            ),
            remedy: "choose another format",
        }
    }
}

/// Reason why the tables of a network cannot be learned.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum NetworkLearningError {
    /// The network has no conditional tables, because it is a Markov network.
    #[error("a Markov network has no conditional tables to learn; give a Bayesian network")]
    NotBayesian,
    /// The count that a prior adds to each count is negative, larger than [`MOST_PRIOR`](super::NetworkLearner::MOST_PRIOR), or NaN.
    #[error("the prior adds {count} to each count; give a number from 0 to 1e15")]
    Prior {
        /// The invalid count.
        count: f64,
    },
    /// The inference algorithm that learning uses failed.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
}
