//! The setting `Collapse`, which decides whether mixtures with too many components are approximated.

/// The approximation of mixtures of normal distributions that have too many components.
///
/// The setting is named `collapse` in `Exact`, `VariableElimination` and `JunctionTree` with the feature `reals`, and in
/// [`WithReals`](crate::WithReals). A [`Filter`](crate::Filter) merges components if it was created by the constructor
/// [`moments`](crate::Filter::moments), and not if it was created by [`exact`](crate::Filter::exact).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Collapse {
    /// Components of mixtures are not merged. If a step of the elimination would have more than 65 536 mixture components, the algorithm returns an
    /// error.
    #[default]
    Never,
    /// Components of mixtures are merged if a step of the exact elimination has more than 65 536 components. The merged normal distribution has the
    /// same mass, mean and covariance as the merged components together (a weak marginal).
    ///
    /// **Guarantee.** If no components of mixtures were merged, the answer is exact. If components of mixtures were merged, the answer is an
    /// approximation without bounds ([`Quality::Approximate`](figrs_answer::Quality::Approximate)), and the standard error of the log-evidence is
    /// NaN.
    ///
    /// **Complexity.** The total number of mixture components of all elimination steps is about 65 536, but each step may have at least eight, or
    /// more if a single factor requires more. For a system that switches among `k` linear laws, the mixture components of the last time steps stay
    /// separate, and the components of earlier time steps are merged.
    ///
    /// **References.** Lauritzen, *Propagation of probabilities, means, and variances in mixed graphical association models*, JASA 1992; Lauritzen and
    /// Jensen, *Stable local computation with conditional Gaussian distributions*, 2001.
    Moments,
}
