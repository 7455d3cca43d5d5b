//! Errors of drawing levels given demands.

use std::ops::RangeInclusive;

use figrs_derive::ErrorDebug;
use thiserror::Error;

use super::demand_error::DemandError;
use figrs_models::mdmc::SamplingError;

/// Reason why levels that meet the demands cannot be drawn.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum SteeringError {
    /// A demand does not fit the level.
    #[error(transparent)]
    Demand(#[from] DemandError),
    /// The look-ahead or the width cannot be had.
    #[error(transparent)]
    Sampling(#[from] SamplingError),
    /// An inference algorithm failed.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
    /// No level meets the demands.
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
        /// Demands that conflict.
        demands: Vec<String>,
        /// Their places among all demands, from 0.
        places: Vec<usize>,
        /// `true` if each of these demands is needed for that; `false` if there was too little work or memory to find out.
        minimal: bool,
        /// The column, from 0, at which the last levels fail that meet them so far; several, among which it is, if there was too little of that to find it.
        columns: RangeInclusive<usize>,
        /// `true` if it is certain that there is no such level.
        proven: bool,
    },
    /// No level of many that were drawn met the demands.
    #[error(
        "none of {tries} levels that were drawn met these demands together: {}; take one of them back, or condition the model instead",
        .demands.join("; ")
    )]
    NotMet {
        /// The demands.
        demands: Vec<String>,
        /// Levels drawn.
        tries: u64,
    },
}
