//! Random draws in which some real numbers are drawn from their exact distributions given the numbers drawn before them.

use std::rc::Rc;

use figrs_factor::Limits;
use nalgebra::DVector;
use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;
use statrs::distribution::Normal;

use crate::draws::HybridDraws;
use crate::elimination::Elimination;
use crate::error::GaussianError;
use crate::expectation_propagation::{Approximation, Projection};
use crate::tilted::RealLikelihood;

/// Earlier draws are taken to determine a number if the standard deviation of the number given these draws is at most this share of its own standard
/// deviation.
const DETERMINED: f64 = 1e-9;

/// Maximum total number of entries of the plans for draws that a sampler stores.
const MAX_ENTRIES: usize = 1 << 25;

/// A restriction of one real number to an interval; the number is a linear function of the vectors of a factor. The factor contains a Gaussian
/// approximation of the restriction to the interval.
pub struct GuidedLikelihood<'a> {
    /// The index of the factor in [`HybridGraph::factors`](crate::HybridGraph::factors).
    pub factor: usize,
    /// For each assignment of the factor's finite variables, the real number as a function of the factor's vectors.
    pub projections: Vec<Projection>,
    /// For each assignment of the factor's finite variables, the bounds of the number; `None` if the assignment is impossible.
    pub bounds: Vec<Option<(f64, f64)>>,
    /// The natural logarithm of the likelihood of a number between the bounds.
    pub log_height: f64,
    /// Draws from the normal distribution with the given mean and variance, truncated to the given bounds.
    pub draw: &'a TruncatedDraw,
}

/// Draws from the normal distribution with the mean and the variance of the first argument, truncated to the bounds of the second argument.
pub type TruncatedDraw = dyn Fn((f64, f64), (f64, f64), &mut dyn Rng) -> f64;

impl std::fmt::Debug for GuidedLikelihood<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuidedLikelihood")
            .field("factor", &self.factor)
            .finish_non_exhaustive()
    }
}

/// A draw of all variables of a hybrid factor graph.
#[derive(Clone, Debug)]
pub struct GuidedDraw {
    /// The value of each finite variable.
    pub finite: Vec<u32>,
    /// The value of each vector.
    pub reals: Vec<DVector<f64>>,
    /// The natural logarithm of the draw's importance weight: the density of the draw under the product of all factors, with the exact likelihoods in
    /// place of their approximations, relative to the total of the graph and to the density of the proposal.
    pub log_weight: f64,
}

/// Independent draws of all variables of a hybrid factor graph, guided by restrictions of real numbers to intervals.
///
/// The finite variables are drawn from the graph with the Gaussian approximations `g` of the restrictions to intervals. After the finite variables,
/// standard normal numbers are drawn one after another; each of them determines the restricted numbers of one or several sites (likelihoods). Let `f`
/// be the distribution of a drawn number given the numbers drawn before it and the approximations of the sites (likelihoods) that are not determined
/// yet. Each number is drawn from its distribution `f` given the earlier numbers, truncated to the interval that satisfies all the sites
/// (likelihoods) that the number determines. After the numbers of all sites (likelihoods) have been determined, all vectors are drawn given these
/// numbers. The weight of the draw is the product over all numbers of `P / E[g]`: under the distribution `f` of a number, `P` is the probability of
/// its interval, and `g` is the product of the approximations of the sites that the number determines.
///
/// **Guarantee.** The mean of the weights is an unbiased estimate of the total of the graph with the exact restrictions to intervals, divided by its
/// total with Gaussian approximations of the restrictions. If the Gaussian approximations of the restrictions to intervals are constant, the draws
/// are those of the sampler of Geweke, Hajivassiliou and Keane.
///
/// **Complexity.** For each assignment of the finite variables, the first draw has one pass back through the elimination for each real number, and an
/// orthogonalisation of the numbers of the sites (likelihoods). The time of a draw is proportional to the number of sites (likelihoods) times the
/// number of real numbers.
///
/// **References.** Geweke, *Efficient simulation from the multivariate normal and Student-t distributions subject to linear constraints*, 1991;
/// Hajivassiliou and others, *Simulation of multivariate normal rectangle probabilities*, 1996; Ridgway, *Computation of Gaussian orthant
/// probabilities in high dimension*, 2016 (as importance sampling); Hoffman and Ribak, *Constrained realizations of Gaussian fields*, 1991 (vectors
/// given linear functions of them).
#[derive(Debug)]
pub struct GuidedDraws<'e> {
    elimination: &'e Elimination<'e>,
    draws: HybridDraws<'e>,
    sites: Vec<GuidedLikelihood<'e>>,
    /// The indices of the finite variables of the factors that contain vectors, in ascending order.
    read: Vec<usize>,
    /// For each drawn assignment of the finite variables, the distribution of the numbers of the sites (likelihoods).
    plans: FxHashMap<Vec<u32>, Rc<Plan>>,
    entries: usize,
}

/// The joint distribution of the numbers of all sites (likelihoods), for an assignment of finite variables.
#[derive(Debug)]
struct Plan {
    /// The sites (likelihoods) whose numbers are constant.
    constant: Vec<SiteNumber>,
    steps: Vec<PlanStep>,
}

/// A standard normal number that is drawn, and the numbers that it determines together with the numbers drawn before it.
#[derive(Debug)]
struct PlanStep {
    /// The drawn number as a linear function of independent standard normal numbers (the noise of all vectors); the coefficients are a vector of
    /// length one.
    direction: Vec<f64>,
    determined: Vec<SiteNumber>,
}

/// The restricted number of a site (likelihood) as a linear function of the drawn numbers.
#[derive(Debug)]
struct SiteNumber {
    bounds: Option<(f64, f64)>,
    log_height: f64,
    mean: f64,
    /// The restricted number's coefficient of each drawn number, up to the draw that determines the restricted number.
    coefficients: Vec<f64>,
    approximation: Approximation,
}

impl<'e> GuidedDraws<'e> {
    /// Prepares draws that are guided by the restrictions `sites`.
    ///
    /// **Errors.** The same errors as [`HybridDraws::new`].
    pub fn new(
        elimination: &'e Elimination<'e>,
        sites: Vec<GuidedLikelihood<'e>>,
        limits: &Limits,
    ) -> Result<Self, GaussianError> {
        let factors = elimination.graph.factors.iter();
        let read = factors.flat_map(|factor| factor.finite.iter().map(|v| v.index()));
        let mut read: Vec<usize> = read.collect();
        read.sort_unstable();
        read.dedup();
        Ok(Self {
            elimination,
            draws: HybridDraws::new(elimination, limits)?,
            sites,
            read,
            plans: FxHashMap::default(),
            entries: 0,
        })
    }

    /// Draws a value of each finite variable and of each vector; `None` if the product of the factors is zero everywhere.
    pub fn draw(&mut self, rng: &mut impl Rng) -> Option<GuidedDraw> {
        let finite = self.draws.draw_finite(rng)?;
        let plan = self.plan(&finite);
        let constant = plan.constant.iter();
        let mut log_weight: f64 = constant.map(SiteNumber::log_ratio_of_constant).sum();
        let mut drawn: Vec<f64> = Vec::with_capacity(plan.steps.len());
        for step in &plan.steps {
            let draw = self.sites[0].draw;
            let (log_ratio, number) = step
                .drawn(&drawn, draw, rng)
                .unwrap_or((f64::NEG_INFINITY, 0.0));
            log_weight += log_ratio;
            drawn.push(number);
        }
        let normal = Normal::standard();
        let count = self.elimination.graph.dimensions.iter().sum();
        let mut noise: Vec<f64> = (0..count).map(|_| rng.sample(normal)).collect();
        for (step, number) in plan.steps.iter().zip(drawn) {
            let own = product(&step.direction, &noise);
            add_multiple(&mut noise, number - own, &step.direction);
        }
        let mut noise = noise.into_iter();
        let reals = self
            .elimination
            .reals(&finite, || noise.next().unwrap_or_default());
        Some(GuidedDraw {
            finite,
            reals,
            log_weight,
        })
    }

    fn plan(&mut self, finite: &[u32]) -> Rc<Plan> {
        let key: Vec<u32> = self.read.iter().map(|&v| finite[v]).collect();
        if let Some(plan) = self.plans.get(&key) {
            return Rc::clone(plan);
        }
        let plan = Rc::new(self.new_plan(finite));
        self.entries += plan.entries();
        if self.entries > MAX_ENTRIES {
            self.plans.clear();
            self.entries = 0;
        }
        self.plans.insert(key, Rc::clone(&plan));
        plan
    }

    fn new_plan(&self, finite: &[u32]) -> Plan {
        let graph = self.elimination.graph;
        let count: usize = graph.dimensions.iter().sum();
        let places = self.sites.iter().map(|site| {
            let variables = graph.factors[site.factor].finite.iter();
            variables.fold(0, |place, &v| {
                place * graph.finite.cardinality(v) + finite[v.index()] as usize
            })
        });
        let places: Vec<usize> = places.collect();
        // The numbers of the sites if the noise with the index `unit` is one, and all other noise is zero.
        let values = |unit: Option<usize>| {
            let mut index = 0;
            let reals = self.elimination.reals(finite, || {
                index += 1;
                f64::from(unit == Some(index - 1))
            });
            let value = |(site, &place): (&GuidedLikelihood<'_>, &usize)| {
                let Projection {
                    offset,
                    coefficients,
                } = &site.projections[place];
                let vectors = graph.factors[site.factor].reals.iter();
                let numbers = vectors.flat_map(|real| &reals[real.index()]);
                offset
                    + coefficients
                        .iter()
                        .zip(numbers)
                        .map(|(a, x)| a * x)
                        .sum::<f64>()
            };
            let values: Vec<f64> = self.sites.iter().zip(&places).map(value).collect();
            values
        };
        let means = values(None);
        let mut rows: Vec<Vec<f64>> = vec![Vec::with_capacity(count); means.len()];
        for unit in 0..count {
            let values = values(Some(unit));
            for ((row, value), mean) in rows.iter_mut().zip(values).zip(&means) {
                row.push(value - mean);
            }
        }
        let open = self.sites.iter().zip(&places).zip(means).zip(rows);
        let open = open.map(|(((site, &place), mean), row)| OpenNumber {
            whole: product(&row, &row).sqrt(),
            row,
            number: SiteNumber {
                bounds: site.bounds[place],
                log_height: site.log_height,
                mean,
                coefficients: Vec::new(),
                approximation: Approximation::from_form(
                    &graph.factors[site.factor].forms[place],
                    &site.projections[place],
                ),
            },
        });
        Plan::new(open.collect())
    }
}

/// The restricted number of a site (likelihood) that the drawn numbers do not determine yet.
struct OpenNumber {
    /// The part of the restricted number that is independent of the numbers drawn in earlier steps, as a linear function of independent standard
    /// normal numbers (the noise).
    row: Vec<f64>,
    /// The standard deviation of the restricted number.
    whole: f64,
    number: SiteNumber,
}

impl OpenNumber {
    fn is_determined(&self) -> bool {
        product(&self.row, &self.row).sqrt() <= DETERMINED * self.whole
    }
}

impl Plan {
    /// Orthogonalises the numbers of the sites (likelihoods): the number drawn in each step determines the first undetermined number, and all other
    /// numbers that depend only on the numbers drawn so far.
    fn new(open: Vec<OpenNumber>) -> Self {
        let (constant, mut open): (Vec<OpenNumber>, Vec<OpenNumber>) =
            open.into_iter().partition(|open| open.whole == 0.0);
        let mut steps: Vec<PlanStep> = Vec::new();
        while let Some(first) = open.first_mut() {
            // The direction is orthogonalised again, because rounding errors of the earlier steps add up.
            for (step, coefficient) in steps.iter().zip(&mut first.number.coefficients) {
                let common = product(&step.direction, &first.row);
                *coefficient += common;
                add_multiple(&mut first.row, -common, &step.direction);
            }
            let length = product(&first.row, &first.row).sqrt();
            let direction: Vec<f64> = first.row.iter().map(|x| x / length).collect();
            for open in &mut open {
                let common = product(&direction, &open.row);
                open.number.coefficients.push(common);
                add_multiple(&mut open.row, -common, &direction);
            }
            open[0].row.fill(0.0);
            let determined: Vec<OpenNumber>;
            (determined, open) = open.into_iter().partition(OpenNumber::is_determined);
            steps.push(PlanStep {
                direction,
                determined: determined.into_iter().map(|open| open.number).collect(),
            });
        }
        Self {
            constant: constant.into_iter().map(|open| open.number).collect(),
            steps,
        }
    }

    fn entries(&self) -> usize {
        let coefficients = |step: &PlanStep| {
            let lengths = step.determined.iter().map(|n| n.coefficients.len());
            step.direction.len() + lengths.sum::<usize>()
        };
        self.steps.iter().map(coefficients).sum()
    }
}

impl PlanStep {
    /// Draws the standard normal number of one step of a sampler's plan; `before` contains the numbers drawn in the earlier steps. Returns the
    /// natural logarithm of the ratio of the probability of the restricted number's interval to the expected value of its approximation, and the
    /// drawn number; `None` if the interval is empty.
    fn drawn(
        &self,
        before: &[f64],
        draw: &TruncatedDraw,
        rng: &mut impl Rng,
    ) -> Option<(f64, f64)> {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        // With all approximations, the number is standard normal; here the approximations of the determined sites are divided out.
        let (mut precision, mut shift) = (1.0, 0.0);
        let mut log_height = 0.0;
        for number in &self.determined {
            let (mean, slope) = number.given(before);
            let bounds = number.bounds?;
            let (a, b) = ((bounds.0 - mean) / slope, (bounds.1 - mean) / slope);
            (low, high) = (low.max(a.min(b)), high.min(a.max(b)));
            let own = number.approximation;
            precision -= own.precision * slope * slope;
            shift -= slope * (own.shift - own.precision * mean);
            log_height += number.log_height;
        }
        if low >= high {
            return None;
        }
        let approximations = |number: f64| {
            let values = self.determined.iter().map(|site| {
                let (mean, slope) = site.given(before);
                site.approximation.log_value(mean + slope * number)
            });
            values.sum::<f64>()
        };
        let is_proper = precision > 0.0;
        let (mean, variance) = match is_proper {
            true => (shift / precision, precision.recip()),
            false => (0.0, 1.0),
        };
        let restricted = RealLikelihood::Between(low, high).tilted(mean, variance)?;
        let number = draw((mean, variance), (low, high), rng);
        // The expected approximation, from the densities with and without the approximations at zero.
        let log_approximation = match is_proper {
            true => approximations(0.0) - 0.5 * (variance.ln() + mean * mean / variance),
            false => approximations(number),
        };
        Some((log_height + restricted.log_mass - log_approximation, number))
    }
}

impl SiteNumber {
    /// Returns the mean of a restricted number given the numbers drawn in earlier steps, and its coefficient of the number that is drawn in the step
    /// which determines it.
    fn given(&self, before: &[f64]) -> (f64, f64) {
        let slope = self.coefficients.last().copied().unwrap_or_default();
        (self.mean + product(&self.coefficients, before), slope)
    }

    /// Returns the natural logarithm of the ratio of the likelihood of a constant number to the approximation of the likelihood.
    fn log_ratio_of_constant(&self) -> f64 {
        match self.bounds {
            Some((low, high)) if (low..=high).contains(&self.mean) => {
                self.log_height - self.approximation.log_value(self.mean)
            }
            _ => f64::NEG_INFINITY,
        }
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add_multiple(sum: &mut [f64], factor: f64, numbers: &[f64]) {
    for (sum, x) in sum.iter_mut().zip(numbers) {
        *sum += factor * x;
    }
}
