//! Tests of elimination of real numbers, against dense normal distributions and the filter of Kalman.

mod chain;
mod far_peaks;
mod narrow_peaks;
mod quotients;
mod random_graphs;
