//! The quality of an answer.

/// The quality of a probability or of an expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Quality {
    /// The probability or expectation is exact up to rounding.
    Exact,
    /// The probability or expectation is estimated from samples.
    Sampled {
        /// The effective sample size: the number of independent draws from the posterior whose mean has the same variance as the estimate. For
        /// independent weighted samples, the effective sample size is `(Σw)² / Σw²`. For Markov chains, the effective sample size is computed from
        /// autocorrelations, and is the smallest size over the components of numeric values and the indicators of frequent values. For independent
        /// groups, the effective sample size is computed from the variance between groups. This size is usually below the number of particles,
        /// because the particles of one population descend from few ancestors. If the populations agree by chance, this size may exceed the number of
        /// particles.
        effective_samples: f64,
    },
    /// The probability or expectation is an approximation whose error has no known bound, such as a result of loopy belief propagation.
    Approximate,
    /// The probability or expectation is known only by bounds, which are correct up to rounding.
    Bounds {
        /// Maximum width of the bounds over all events.
        width: f64,
    },
}
