//! Quality of an answer.

/// Quality of a probability or of an expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Quality {
    /// Exact up to rounding.
    Exact,
    /// Estimated from samples worth this many independent ones.
    Sampled {
        /// The effective sample size: `(Σw)² / Σw²` for independent weighted samples, for chains the least of the sizes that
        /// autocorrelation leaves for the numbers and for each frequent value, for independent groups the size from their
        /// spread: the number of independent draws from the posterior whose mean has the variance of the estimate. For groups the effective sample size is not
        /// the number of particles: particles of one population descend from few, and if the populations agree by chance the effective sample size is larger
        /// than the number of particles.
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
