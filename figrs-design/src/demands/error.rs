//! Errors when levels are drawn given demands.

use std::ops::RangeInclusive;

use figrs_derive::ErrorDebug;
use thiserror::Error;

use super::demand_error::DemandError;
use figrs_models::mdmc::SamplingError;

/// Reason why no levels that meet the demands can be drawn.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum SteeringError {
    /// A demand does not fit the level.
    #[error(transparent)]
    Demand(#[from] DemandError),
    /// The look-ahead distance or the width of the level is not allowed.
    #[error(transparent)]
    Sampling(#[from] SamplingError),
    /// An inference algorithm failed.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
    /// No level meets the demands together.
    #[error(
        "no level was found that meets these demands together{}: {}; {} at {} (from 0): take one of them back{}",
        if *.minimal { "" } else { ", of which some may play no part" },
        .demands.join("; "),
        if *.proven {
            "it is proven that none can go on"
        } else {
            "it is not proven, but none of the particles could go on"
        },
        if .columns.start() == .columns.end() {
            format!("column {}", .columns.start())
        } else {
            format!("some column from {} to {}", .columns.start(), .columns.end())
        },
        if *.proven { "" } else { ", or allow more particles, or ask for the exact law" }
    )]
    Contradictory {
        /// Descriptions of the demands that conflict.
        demands: Vec<String>,
        /// Indices of these demands among all demands, from 0.
        places: Vec<usize>,
        /// `true` if each of these demands is needed for the conflict; `false` if work or memory did not suffice to find out.
        minimal: bool,
        /// First column, from 0, at which no level meets all demands any more; a range that contains this column if work or memory ran out.
        columns: RangeInclusive<usize>,
        /// `true` if it is proven that no level meets these demands.
        proven: bool,
    },
    /// The rejection sampler drew many levels, and none met the demands.
    #[error(
        "none of {tries} levels that were drawn met these demands together: {}; take one of them back, or condition the model instead",
        .demands.join("; ")
    )]
    NotMet {
        /// Descriptions of the demands.
        demands: Vec<String>,
        /// Number of levels drawn.
        tries: u64,
    },
}
