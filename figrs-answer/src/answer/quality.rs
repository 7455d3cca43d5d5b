//! Quality of an answer.

/// Quality of a probability or of an expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Quality {
    /// Exact up to rounding.
    Exact,
    /// Estimated from samples worth this many independent ones.
    Sampled {
        /// The effective sample size: `(Σw)² / Σw²` for independent weighted samples, for chains the least of those that
        /// autocorrelation leaves for the numbers and for each frequent value, for independent groups that which their
        /// spread leaves: the number of independent draws from the posterior whose mean has the variance of the estimate. Of a group it is no
        /// number of particles: particles of one population descend from few, and where the populations agree by chance it is more than
        /// there are particles.
        effective_samples: f64,
    },
    /// From an approximation whose error nothing bounds, such as loopy belief propagation.
    Approximate,
    /// Between bounds that hold, up to rounding.
    Bounds {
        /// Maximum width of the bounds of any event.
        width: f64,
    },
}
