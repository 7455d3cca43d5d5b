//! Damping of expectation propagation: new approximations are averaged with old ones.

/// Smallest weight of new approximations in the average with the old approximations.
const MIN_WEIGHT: f64 = 1.0 / 64.0;

/// Initial number of successive sweeps in which the changes of the approximations must shrink before the weight of new approximations is doubled.
const PATIENCE: u32 = 2;

/// The weight of new approximations in the average with the old approximations.
///
/// The weight of new approximations is halved if the changes of the approximations grow from one sweep to the next, because the sweeps then
/// overshoot. If the changes of the approximations shrink in several successive sweeps, the weight of new approximations is doubled again. If the
/// changes of the approximations grow again after the weight of new approximations was doubled, the doubling was premature, and the next doubling
/// needs twice the number of sweeps.
///
/// **References.** Jylänki, Vanhatalo and Vehtari, *Robust Gaussian process regression with a Student-t likelihood*, JMLR 2011 (damping of parallel
/// updates).
#[derive(Debug)]
pub(crate) struct Damping {
    pub(crate) weight: f64,
    /// The weight of new approximations in the first sweep, which is the largest weight.
    first: f64,
    /// Number of the latest successive sweeps in which the changes of the approximations shrank.
    shrinking: u32,
    /// Number of successive sweeps with shrinking changes of the approximations after which the weight of new approximations is doubled.
    patience: u32,
    /// True if the weight of new approximations was doubled since it was last halved.
    is_raised: bool,
}

impl Damping {
    pub(crate) fn new(first: f64) -> Self {
        Self {
            weight: first,
            first,
            shrinking: 0,
            patience: PATIENCE,
            is_raised: false,
        }
    }

    /// Adapts the weight of new approximations in the average with the old ones after a sweep. `change` is the largest change of an approximation in
    /// the sweep, and `before` is the largest change in the previous sweep.
    pub(crate) fn adapt(&mut self, before: f64, change: f64) {
        if change > before {
            if self.is_raised {
                self.patience = self.patience.saturating_mul(2);
            }
            self.weight = (self.weight / 2.0).max(MIN_WEIGHT.min(self.first));
            (self.shrinking, self.is_raised) = (0, false);
            return;
        }
        self.shrinking += 1;
        if self.shrinking >= self.patience && self.weight < self.first {
            self.weight = (self.weight * 2.0).min(self.first);
            (self.shrinking, self.is_raised) = (0, true);
        }
    }
}
