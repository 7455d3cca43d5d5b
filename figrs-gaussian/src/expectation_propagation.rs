//! Expectation propagation: likelihoods that are not Gaussian are approximated by Gaussian functions.

use figrs_factor::Until;
use figrs_factor::eliminate::EliminationError;
use figrs_factor::{Limits, Stopped};
use smallvec::SmallVec;

use crate::damping::Damping;
use crate::elimination::Elimination;
use crate::error::GaussianError;
use crate::hybrid_graph::HybridGraph;
use crate::plan::{Step, plan};
use crate::posterior::HybridPosterior;
use crate::square_root_form::SquareRootForm;
use crate::tilted::Tilted;

/// A precision of a Gaussian approximation of at most this magnitude, as a share of the precision without the likelihood, is replaced by a larger
/// precision if the mean of the approximation would be too far away ([`FARTHEST`]).
const LEAST: f64 = 1e-6;

/// Largest distance between the mean of an approximation and the mean of its real number, in standard deviations of the approximation, if the
/// precision of the approximation is at most [`LEAST`]. If the mean of an approximation is farther away, the product of precision and mean loses
/// digits.
const FARTHEST: f64 = 100.0;

/// A precision of this magnitude, as a share of the precision without the likelihood, is only a rounding error.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Maximum number of times that new approximations are averaged with earlier approximations, if the product of all factors is no distribution.
const RETREATS: usize = 60;

/// A linear function of the real numbers in a factor's vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// The value of the linear function if all real numbers are zero.
    pub offset: f64,
    /// The coefficient of each real number in the linear function.
    pub coefficients: Vec<f64>,
}

/// A factor that is a likelihood of one real number, which is a linear function of the factor's vectors.
///
/// In the graph, the likelihood factor has Gaussian functions that approximate the likelihood. Expectation propagation computes the Gaussian
/// functions that approximate a likelihood.
pub struct LikelihoodFactor<'a> {
    /// The index of the factor in [`HybridGraph::factors`].
    pub factor: usize,
    /// For each assignment of the factor's finite variables, the real number as a function of the factor's vectors.
    pub projections: Vec<Projection>,
    /// For a likelihood of one real number, the function returns the normal distribution of this number, multiplied by the likelihood. The arguments
    /// of the function `tilted` are the index of an assignment of the factor's finite variables, and the mean and the variance of the real number
    /// without the likelihood. The function `tilted` returns `None` if the likelihood is zero everywhere. The resulting distribution is not
    /// [proper](Tilted::is_proper) if the expected value of the likelihood is infinite.
    #[allow(clippy::type_complexity)]
    pub tilted: Box<dyn Fn(usize, f64, f64) -> Option<Tilted> + 'a>,
}

impl std::fmt::Debug for LikelihoodFactor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LikelihoodFactor")
            .field("factor", &self.factor)
            .finish_non_exhaustive()
    }
}

/// Limits of expectation propagation.
#[derive(Clone, Copy, Debug)]
pub struct Sweeps {
    /// Maximum number of sweeps.
    pub most: u64,
    /// Convergence threshold for the largest change in a sweep: of a mean in standard deviations, or of a variance divided by the variance.
    pub tolerance: f64,
    /// Initial weight of the new approximation; the natural parameters of the new and the old approximation are averaged.
    pub weight: f64,
}

/// The state of the Gaussian approximations after the last sweep of expectation propagation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Number of sweeps.
    pub sweeps: u64,
    /// The largest change of a mean or a variance in the last sweep, measured as in [`Sweeps::tolerance`].
    pub residual: f64,
    /// `Finished` if the largest change in the last sweep is within the tolerance; otherwise the reason why the sweeps ended.
    pub stopped: Stopped,
    /// The index of the likelihood whose approximation changed most in the last sweep.
    pub last_moved: usize,
    /// Number of likelihoods whose approximations have a negative precision, because the likelihoods increase the variance of their real numbers.
    pub widening: usize,
}

/// A Gaussian function of one real number that approximates a likelihood.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Approximation {
    pub(crate) precision: f64,
    /// The precision of the Gaussian function times its mean.
    pub(crate) shift: f64,
    pub(crate) log_scale: f64,
}

/// Approximates all likelihoods by Gaussian functions. For each likelihood, a sweep computes the distribution of its real number given all other
/// factors, and multiplies this distribution by the likelihood. The new approximation is the Gaussian function whose product with the distribution of
/// the real number given all other factors has the same integral, mean and variance as the product of this distribution with the likelihood. All
/// approximations of likelihoods are updated together at the end of a sweep.
///
/// **Guarantee.** At convergence, the mean and the variance of each likelihood's real number are those that the likelihood implies, given the
/// approximations of all other likelihoods. With a single likelihood and a single assignment of finite variables, expectation propagation computes
/// exact means, covariances and total. With several likelihoods or several assignments of finite variables, the result of expectation propagation has
/// no guarantee.
///
/// **Complexity.** A sweep consists of one elimination, one pass back through the elimination steps, and one call of
/// [`LikelihoodFactor::tilted`] for each likelihood and each assignment of its finite variables.
///
/// A likelihood that has an infinite expected value in one sweep may have a finite expected value after other likelihoods are approximated; until
/// then, the approximation of the likelihood does not change.
///
/// If a likelihood increases the variance of its real number, its approximation has a negative precision. If the product of all factors with the new
/// approximations is no distribution, the new approximations are averaged with the approximations of the previous sweep.
///
/// **References.** Minka, *Expectation propagation for approximate Bayesian inference*, 2001; Heskes and Zoeter, *Expectation propagation for
/// approximate inference in dynamic Bayesian networks*, 2002 (finite variables); Rasmussen and Williams, *Gaussian Processes for Machine Learning*,
/// 2006, section 3.6 (negative precisions).
///
/// **Errors.** [`GaussianError::InfiniteLikelihood`] if a likelihood has an infinite expected value after all other approximations have converged, or
/// in the last sweep; the same errors as [`Elimination::run`] and [`HybridPosterior::new`].
pub fn propagate(
    graph: &mut HybridGraph,
    sites: &[LikelihoodFactor<'_>],
    sweeps: Sweeps,
    (limit, limits): (usize, &Limits),
    progress: &dyn Fn(u64),
) -> Result<Convergence, GaussianError> {
    let mut approximations: Vec<Vec<Approximation>> = Vec::with_capacity(sites.len());
    for site in sites {
        approximations.push(vec![Approximation::default(); site.projections.len()]);
        write(graph, site, &approximations[approximations.len() - 1]);
    }
    // All sweeps use one plan, because the approximations do not change the scopes of factors.
    let steps = plan(graph, &limits.until)?;
    let mut damping = Damping::new(sweeps.weight);
    let mut state = Convergence {
        sweeps: 0,
        residual: f64::INFINITY,
        stopped: if sites.is_empty() {
            Stopped::Finished
        } else {
            Stopped::Budget
        },
        last_moved: 0,
        widening: 0,
    };
    let mut proper = approximations.clone();
    let mut infinite = None;
    while state.stopped != Stopped::Finished && state.sweeps < sweeps.most {
        let before = state.residual;
        let around = (&proper[..], &mut approximations);
        let found = retreating(graph, sites, around, |graph, approximations| {
            sweep(graph, &steps, (sites, approximations), (limit, limits))
        });
        let next = match found {
            Err(GaussianError::Elimination(EliminationError::Interrupted)) if state.sweeps > 0 => {
                state.stopped = limits.until.stopped().unwrap_or(Stopped::Interrupted);
                break;
            }
            next => next?,
        };
        (state.residual, state.last_moved) = (next.residual, next.last_moved);
        (state.sweeps, state.widening) = (state.sweeps + 1, next.widening);
        infinite = next.infinite;
        proper.clone_from(&approximations);
        damping.adapt(before, next.residual);
        for ((site, old), new) in sites
            .iter()
            .zip(&mut approximations)
            .zip(next.approximations)
        {
            for (old, new) in old.iter_mut().zip(new) {
                *old = new.mixed_with(old, damping.weight);
            }
            write(graph, site, old);
        }
        if state.residual <= sweeps.tolerance {
            state.stopped = Stopped::Finished;
        }
        progress(state.sweeps);
    }
    if let Some(site) = infinite {
        return Err(GaussianError::InfiniteLikelihood { site });
    }
    let is_widening = |own: &Approximation| own.precision < 0.0;
    if approximations.iter().flatten().any(is_widening) {
        retreating(graph, sites, (&proper, &mut approximations), |graph, _| {
            Elimination::by_steps(graph, steps.clone(), limit, &Until::default()).map(drop)
        })?;
    }
    Ok(state)
}

/// Calls `run` with the approximations of the likelihoods. As long as the product of all factors is no distribution, averages the approximations of
/// the likelihoods with `proper`, for which the product is a distribution, and calls `run` again.
fn retreating<R>(
    graph: &mut HybridGraph,
    sites: &[LikelihoodFactor<'_>],
    (proper, approximations): (&[Vec<Approximation>], &mut Vec<Vec<Approximation>>),
    run: impl Fn(&HybridGraph, &[Vec<Approximation>]) -> Result<R, GaussianError>,
) -> Result<R, GaussianError> {
    let mut retreats = 0;
    loop {
        match run(graph, approximations) {
            Err(GaussianError::Improper(_)) if retreats < RETREATS => retreats += 1,
            found => return found,
        }
        for ((site, own), proper) in sites.iter().zip(approximations.iter_mut()).zip(proper) {
            for (own, proper) in own.iter_mut().zip(proper) {
                own.precision = f64::midpoint(own.precision, proper.precision);
                own.shift = f64::midpoint(own.shift, proper.shift);
            }
            write(graph, site, own);
        }
    }
}

/// Returns the Gaussian function of a factor's vectors that gives their linear function `projection` the distribution `tilted`. Without the
/// likelihood, the linear function of the vectors has the mean and the variance `cavity`.
pub(crate) fn matching_form(
    projection: &Projection,
    cavity: (f64, f64),
    tilted: &Tilted,
) -> SquareRootForm {
    let proposal = Proposal::matching((cavity.1.recip(), cavity), tilted);
    let approximation = proposal.mixed_with(&Approximation::default(), 1.0);
    approximation.form(projection)
}

/// The new approximations of likelihoods that one sweep of expectation propagation makes.
struct Sweep {
    approximations: Vec<Vec<Proposal>>,
    residual: f64,
    last_moved: usize,
    widening: usize,
    /// The index of the first likelihood with an infinite expected value.
    infinite: Option<usize>,
}

/// A new Gaussian approximation of a likelihood, for one assignment of finite variables.
#[derive(Clone, Copy)]
enum Proposal {
    /// The likelihood is zero everywhere.
    Impossible,
    Unchanged,
    New {
        precision: f64,
        shift: f64,
        /// Mean and variance of the real number without the likelihood.
        cavity: (f64, f64),
        log_mass: f64,
    },
}

impl Proposal {
    /// Returns the precision of a new approximation; zero if the likelihood is impossible or its approximation is unchanged.
    fn precision(self) -> f64 {
        match self {
            Self::New { precision, .. } => precision,
            Self::Impossible | Self::Unchanged => 0.0,
        }
    }

    /// Returns the Gaussian function that, in place of a likelihood, gives a real number the same mass, mean and variance. Without the likelihood,
    /// the number has the precision `precision`, and the mean and variance `cavity`; with the likelihood, it has the distribution `tilted`.
    fn matching((precision, cavity): (f64, (f64, f64)), tilted: &Tilted) -> Self {
        let (mut new, mut shift) = (0.0, 0.0);
        if cavity.1 > 0.0 && tilted.variance > 0.0 {
            new = tilted.variance.recip() - precision;
            let moved = (tilted.mean - cavity.0) * precision.sqrt();
            let least = LEAST.min((moved / FARTHEST).powi(2));
            if new.abs() < least.max(ROUNDING) * precision {
                new = least * precision;
            }
            shift = tilted.mean * (precision + new) - cavity.0 * precision;
        } else if cavity.1 > 0.0 {
            // The likelihood determines the number up to rounding.
            new = precision / f64::EPSILON;
            shift = tilted.mean * (precision + new) - cavity.0 * precision;
        }
        Self::New {
            precision: new,
            shift,
            cavity,
            log_mass: tilted.log_mass,
        }
    }

    fn mixed_with(self, old: &Approximation, weight: f64) -> Approximation {
        match self {
            Self::Unchanged => *old,
            Self::Impossible => Approximation {
                log_scale: f64::NEG_INFINITY,
                ..Approximation::default()
            },
            Self::New {
                precision,
                shift,
                cavity: (mean, variance),
                log_mass,
            } => {
                let mix = |new: f64, old: f64| {
                    if weight < 1.0 {
                        weight * new + (1.0 - weight) * old
                    } else {
                        new
                    }
                };
                let precision = mix(precision, old.precision);
                let shift = mix(shift, old.shift);
                let mut mixed = Approximation {
                    precision,
                    shift,
                    log_scale: 0.0,
                };
                mixed.log_scale = log_mass - mixed.log_integral((mean, variance));
                mixed
            }
        }
    }
}

impl Approximation {
    /// Returns the approximation that corresponds to the Gaussian function `form` of the vectors (see [`form`](Self::form)).
    pub(crate) fn from_form(form: &SquareRootForm, projection: &Projection) -> Self {
        let (mut rows, added) = form.rows();
        let Some(row) = rows.next() else {
            return Self {
                log_scale: form.log_scale,
                ..Self::default()
            };
        };
        let terms = || projection.coefficients.iter().zip(row);
        let squares: f64 = terms().map(|(c, _)| c * c).sum();
        let root = terms().map(|(c, x)| c * x).sum::<f64>() / squares.max(f64::MIN_POSITIVE);
        let target = row[form.dimension()] + root * projection.offset;
        let sign = if added == 1 { 1.0 } else { -1.0 };
        Self {
            precision: sign * root * root,
            shift: sign * root * target,
            log_scale: form.log_scale,
        }
    }

    /// Returns the natural logarithm of the expected value of the Gaussian function, if its scale is one, for a normal number with the given mean and
    /// variance.
    pub(crate) fn log_integral(&self, (mean, variance): (f64, f64)) -> f64 {
        let wider = (1.0 + self.precision * variance).max(LEAST);
        let apart = self.root() * mean - self.target();
        let squares = (apart * apart / wider).copysign(self.precision);
        -0.5 * (wider.ln() + squares)
    }

    /// Returns the natural logarithm of the Gaussian function at `number`.
    pub(crate) fn log_value(&self, number: f64) -> f64 {
        let apart = self.root() * number - self.target();
        self.log_scale - 0.5 * (apart * apart).copysign(self.precision)
    }

    /// Returns the approximation as a Gaussian function of the vectors on which its real number depends.
    fn form(&self, projection: &Projection) -> SquareRootForm {
        let root = self.root();
        let mut entries: SmallVec<_> = projection.coefficients.iter().map(|x| root * x).collect();
        entries.push(self.target() - root * projection.offset);
        SquareRootForm {
            dimension: projection.coefficients.len(),
            entries,
            subtracted: usize::from(self.precision < 0.0),
            log_scale: self.log_scale,
        }
    }

    /// Returns the square root of the magnitude of the precision of the Gaussian function.
    fn root(self) -> f64 {
        self.precision.abs().sqrt()
    }

    /// Returns the value of the real number times [`root`](Self::root) at which the Gaussian function is largest, or smallest if the precision is
    /// negative.
    fn target(self) -> f64 {
        if self.precision == 0.0 {
            0.0
        } else {
            (self.shift / self.root()).copysign(self.shift * self.precision)
        }
    }
}

fn sweep(
    graph: &HybridGraph,
    steps: &[Step],
    (sites, approximations): (&[LikelihoodFactor<'_>], &[Vec<Approximation>]),
    (limit, limits): (usize, &Limits),
) -> Result<Sweep, GaussianError> {
    let elimination = Elimination::by_steps(graph, steps.to_vec(), limit, &limits.until)?;
    let posterior = HybridPosterior::new(&elimination, limits)?;
    let mut sweep = Sweep {
        approximations: Vec::with_capacity(sites.len()),
        residual: 0.0,
        last_moved: 0,
        widening: 0,
        infinite: None,
    };
    if posterior.log_total() == f64::NEG_INFINITY {
        let unchanged = approximations
            .iter()
            .map(|own| vec![Proposal::Unchanged; own.len()]);
        sweep.approximations = unchanged.collect();
        return Ok(sweep);
    }
    for (index, (site, own)) in sites.iter().zip(approximations).enumerate() {
        let present = posterior.projected(site.factor, &site.projections);
        let mut proposals = Vec::with_capacity(own.len());
        for (place, (present, old)) in present.into_iter().zip(own).enumerate() {
            let Some((mean, variance)) = present else {
                proposals.push(Proposal::Unchanged);
                continue;
            };
            let precision = if variance > 0.0 {
                variance.recip() - old.precision
            } else {
                f64::INFINITY
            };
            if precision <= 0.0 {
                proposals.push(Proposal::Unchanged);
                continue;
            }
            let cavity = if precision.is_finite() {
                ((mean / variance - old.shift) / precision, precision.recip())
            } else {
                (mean, 0.0)
            };
            let Some(tilted) = (site.tilted)(place, cavity.0, cavity.1) else {
                proposals.push(Proposal::Impossible);
                sweep.residual = f64::INFINITY;
                continue;
            };
            if !tilted.is_proper() {
                proposals.push(Proposal::Unchanged);
                sweep.infinite.get_or_insert(index);
                continue;
            }
            let proposal = Proposal::matching((precision, cavity), &tilted);
            let new = proposal.precision();
            sweep.widening += usize::from(new < 0.0);
            let moved = if cavity.1 > 0.0 {
                let next = (precision + new).recip();
                let of_mean = (tilted.mean - mean).abs() / variance.sqrt();
                of_mean.max((next / variance - 1.0).abs())
            } else {
                0.0
            };
            if moved > sweep.residual {
                (sweep.residual, sweep.last_moved) = (moved, index);
            }
            proposals.push(proposal);
        }
        sweep.approximations.push(proposals);
    }
    Ok(sweep)
}

/// Sets the Gaussian functions of the factor of `site` to `approximations`.
fn write(graph: &mut HybridGraph, site: &LikelihoodFactor<'_>, approximations: &[Approximation]) {
    let all = site.projections.iter().zip(approximations);
    let forms = all.map(|(projection, own)| own.form(projection));
    graph.factors[site.factor].forms = forms.collect();
}
