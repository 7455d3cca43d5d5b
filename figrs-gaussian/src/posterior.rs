//! Distributions of the vectors of a graph, from the roots to the leaves.

use figrs_factor::Limits;
use std::collections::BTreeMap;

use figrs_factor::eliminate::error::check_interrupt;
use figrs_factor::graph::{Assignments, Factor, FactorTable, VarId};
use figrs_factor::tree::marginals;
use nalgebra::{DMatrix, DVector};

use crate::elimination::{Elimination, strides};
use crate::error::GaussianError;
use crate::expectation_propagation::Projection;
use crate::hybrid_graph::{HybridFactor, HybridGraph, RealId};
use crate::mixture::{Component, Mixture};
use crate::plan::{Input, Step};

/// Mean and covariance of some real numbers.
#[derive(Clone, Debug)]
struct Moments {
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
}

impl Moments {
    /// The mean and the variance of a linear function of the numbers at these positions.
    fn projected(&self, numbers: &[usize], projection: &Projection) -> (f64, f64) {
        let terms = || numbers.iter().zip(&projection.coefficients);
        let mean: f64 = terms().map(|(&i, c)| c * self.mean[i]).sum();
        let mut variance = 0.0;
        for (&i, a) in terms() {
            variance += a * terms()
                .map(|(&j, b)| b * self.covariance[(i, j)])
                .sum::<f64>();
        }
        (projection.offset + mean, variance.max(0.0))
    }
}

/// The joint distribution of some vectors: a mixture with one component for each possible assignment of some finite variables.
#[derive(Clone, Debug)]
pub struct JointMixture {
    /// The finite variables, sorted.
    pub scope: Vec<VarId>,
    /// An assignment of these variables, and the component for it; the shares sum to one.
    pub components: Vec<(Vec<u32>, Component)>,
}

impl JointMixture {
    /// The components without their assignments.
    pub fn into_mixture(self) -> Mixture {
        let components = self.components.into_iter().map(|(_, component)| component);
        Mixture {
            components: components.collect(),
        }
    }
}

/// The distribution of each vector given all factors, and the probabilities of the finite variables.
///
/// **Guarantee.** Exact up to rounding: the distribution of a vector is a mixture with one component for each possible assignment of the finite
/// variables that its tree of steps mentions. [`mean`](Self::mean) and [`covariance`](Self::covariance) merge components on the way, which
/// keeps the first two moments exact.
///
/// **Complexity.** As [`Elimination::run`], and cubic in the number of real numbers of each step.
///
/// **References.** Lauritzen 1992; Rauch, Tung and Striebel, *Maximum likelihood estimates of linear dynamic systems*, 1965 (the special case of a
/// smoother).
#[derive(Debug)]
pub struct Posterior<'e> {
    elimination: &'e Elimination<'e>,
    /// The natural logarithm of the total of the graph.
    log_total: f64,
    /// The probability of each assignment of each set of finite variables that is the scope of a step.
    joints: BTreeMap<Vec<VarId>, Vec<f64>>,
    /// For each finite variable, the probability of each value.
    shares: Vec<Vec<f64>>,
    /// For each vector, the step that eliminates it.
    homes: Vec<usize>,
    /// For each factor, the step that reads it.
    homes_of_factors: Vec<usize>,
    /// For each step, the last step of its tree.
    roots: Vec<usize>,
    /// For each step and each assignment of its finite variables, the moments of all vectors of the step; `None` if it is impossible.
    beliefs: Vec<Vec<Option<Moments>>>,
}

impl<'e> Posterior<'e> {
    /// Computes the moments of all vectors, and the probabilities of all finite variables.
    ///
    /// **Errors.** [`GaussianError::Elimination`].
    pub fn new(elimination: &'e Elimination<'e>, limits: &Limits) -> Result<Self, GaussianError> {
        let (log_total, shares, joints) = finite_probabilities(elimination, limits)?;
        let mut homes = vec![0; elimination.graph.dimensions.len()];
        let mut homes_of_factors = vec![0; elimination.graph.factors.len()];
        for (i, step) in elimination.steps.iter().enumerate() {
            for real in &step.eliminated {
                homes[real.index()] = i;
            }
            for input in &step.inputs {
                if let &Input::Factor(factor) = input {
                    homes_of_factors[factor] = i;
                }
            }
        }
        let mut roots: Vec<usize> = (0..elimination.steps.len()).collect();
        for (i, step) in elimination.steps.iter().enumerate().rev() {
            if let Some(parent) = step.parent {
                roots[i] = roots[parent];
            }
        }
        let mut this = Self {
            elimination,
            log_total,
            joints,
            shares,
            homes,
            homes_of_factors,
            roots,
            beliefs: vec![Vec::new(); elimination.steps.len()],
        };
        if log_total > f64::NEG_INFINITY {
            for i in (0..this.beliefs.len()).rev() {
                check_interrupt(&limits.until)?;
                this.beliefs[i] = this.beliefs_of(i);
            }
        }
        Ok(this)
    }

    /// The natural logarithm of the integral of the product of all factors, summed over the finite variables; minus infinity if it is zero.
    pub fn log_total(&self) -> f64 {
        self.log_total
    }

    /// The probability of each value of a finite variable; all are zero if the total is zero.
    pub fn shares(&self, variable: VarId) -> &[f64] {
        &self.shares[variable.index()]
    }

    /// The mean of a vector.
    pub fn mean(&self, real: RealId) -> DVector<f64> {
        self.merged(real).mean()
    }

    /// The covariance matrix of a vector.
    pub fn covariance(&self, real: RealId) -> DMatrix<f64> {
        self.merged(real).covariance()
    }

    /// A mixture with the mean and the covariance of a vector, and a component for each assignment of the finite variables of its step.
    fn merged(&self, real: RealId) -> Mixture {
        let home = self.homes[real.index()];
        let numbers = self.numbers_of(home, real);
        let joint = &self.joints[&self.step(home).finite];
        let beliefs = self.beliefs[home].iter().zip(joint);
        let components = beliefs.filter_map(|(moments, &share)| {
            let moments = moments.as_ref()?;
            Some(part(moments, &numbers, share))
        });
        Mixture {
            components: components.collect(),
        }
    }

    /// The mean and the variance of a linear function of the vectors of a factor, given in `projections` for each assignment of the factor's finite
    /// variables. `None` for an impossible assignment.
    pub fn projected(&self, factor: usize, projections: &[Projection]) -> Vec<Option<(f64, f64)>> {
        let HybridFactor { finite, reals, .. } = &self.graph().factors[factor];
        let home = self.homes_of_factors[factor];
        let scope = &self.step(home).finite;
        let numbers = reals.iter().flat_map(|&real| self.numbers_of(home, real));
        let numbers: Vec<usize> = numbers.collect();
        let strides = strides(self.graph(), scope, finite);
        let assignments = self.assignments(scope);
        let mut values = vec![0; scope.len()];
        let mut parts: Vec<Vec<(f64, f64, f64)>> = vec![Vec::new(); projections.len()];
        for (moments, &share) in self.beliefs[home].iter().zip(&self.joints[scope]) {
            let places = strides.iter().zip(&values);
            let place: usize = places.map(|(s, &value)| s * value as usize).sum();
            if let Some(moments) = moments.as_ref().filter(|_| share > 0.0) {
                let (mean, variance) = moments.projected(&numbers, &projections[place]);
                parts[place].push((share, mean, variance));
            }
            assignments.advance(&mut values);
        }
        let merged = |parts: Vec<(f64, f64, f64)>| {
            let total: f64 = parts.iter().map(|part| part.0).sum();
            let mean = parts.iter().map(|part| part.0 * part.1).sum::<f64>() / total;
            let spread = parts
                .iter()
                .map(|part| part.0 * (part.2 + (part.1 - mean).powi(2)));
            let variance = spread.sum::<f64>() / total;
            (total > 0.0).then_some((mean, variance))
        };
        parts.into_iter().map(merged).collect()
    }

    /// The joint distribution of some vectors that one factor mentions together, one after another in one list: a component for each possible
    /// assignment of the finite variables in [`scope`](JointMixture::scope).
    ///
    /// **Errors.** [`GaussianError::TooManyComponents`] if it has more than `limit` components.
    ///
    /// `reals` has at least one vector. Without a factor that mentions all of them, the numbers of some of them are missing in the result.
    pub fn joint(&self, reals: &[RealId], limit: usize) -> Result<JointMixture, GaussianError> {
        let homes = reals.iter().map(|real| self.homes[real.index()]);
        let home = homes.min().unwrap_or(0);
        let (root, scope) = (self.roots[home], &self.step(self.roots[home]).finite);
        let joint = &self.joints[scope];
        let count = joint.iter().filter(|&&share| share > 0.0).count();
        if count > limit {
            return Err(GaussianError::TooManyComponents {
                real: reals[0],
                components: count as f64,
                limit,
            });
        }
        // Steps below the first one with the whole scope merged some assignments.
        let mut below = Vec::new();
        let mut from = home;
        while self.step(from).finite.len() < scope.len() && from != root {
            below.push(from);
            from = self.step(from).parent.unwrap_or(root);
        }
        let numbers = reals.iter().flat_map(|&real| self.numbers_of(home, real));
        let numbers: Vec<usize> = numbers.collect();
        let mut found = JointMixture {
            scope: scope.clone(),
            components: Vec::with_capacity(count),
        };
        let assignments = self.assignments(scope);
        let mut values = vec![0; scope.len()];
        for (place, &share) in joint.iter().enumerate() {
            if share > 0.0
                && let Some(moments) = &self.beliefs[from][place]
            {
                let component = self.component(moments, from, &below, &values, &numbers, share);
                found.components.push((values.clone(), component));
            }
            assignments.advance(&mut values);
        }
        Ok(found)
    }

    /// The distribution of some numbers of the first of the steps `below`, given the moments of a step above them, for an assignment of the finite
    /// variables.
    fn component(
        &self,
        moments: &Moments,
        from: usize,
        below: &[usize],
        values: &[u32],
        numbers: &[usize],
        share: f64,
    ) -> Component {
        let scope = &self.step(self.roots[from]).finite;
        let mut above = from;
        let mut carried: Option<Moments> = None;
        for &i in below.iter().rev() {
            let strides = strides(self.graph(), scope, &self.step(i).finite);
            let places = strides.iter().zip(values);
            let place = places.map(|(s, &value)| s * value as usize).sum::<usize>();
            let known = carried.as_ref().unwrap_or(moments);
            let given = part(known, &self.separator_in(i, above), share);
            carried = Some(self.extended(i, place, &given.mean, &given.covariance));
            above = i;
        }
        part(carried.as_ref().unwrap_or(moments), numbers, share)
    }

    fn graph(&self) -> &HybridGraph {
        self.elimination.graph
    }

    fn step(&self, i: usize) -> &Step {
        &self.elimination.steps[i]
    }

    fn assignments(&self, finite: &[VarId]) -> Assignments {
        Assignments::rows(finite.iter().map(|&v| self.graph().finite.cardinality(v)))
    }

    /// The positions of the numbers of a vector among those of a step.
    fn numbers_of(&self, i: usize, real: RealId) -> Vec<usize> {
        let step = self.step(i);
        let mut start = 0;
        for &other in step.eliminated.iter().chain(&step.separator) {
            let end = start + self.graph().dimension(other);
            if other == real {
                return (start..end).collect();
            }
            start = end;
        }
        Vec::new()
    }

    /// The positions of the numbers of a step's message among those of the step `above`.
    fn separator_in(&self, i: usize, above: usize) -> Vec<usize> {
        let reals = self.step(i).separator.iter();
        reals
            .flat_map(|&real| self.numbers_of(above, real))
            .collect()
    }

    /// The moments of all vectors of a step, for each assignment of its finite variables.
    fn beliefs_of(&self, i: usize) -> Vec<Option<Moments>> {
        let step = self.step(i);
        let joint = &self.joints[&step.finite];
        let given = match step.parent {
            Some(parent) => self.separator_moments(i, parent),
            None => vec![
                Some(Moments {
                    mean: DVector::zeros(0),
                    covariance: DMatrix::zeros(0, 0),
                });
                joint.len()
            ],
        };
        let known = given.iter().zip(joint).enumerate();
        known
            .map(|(place, (given, &share))| {
                let given = given.as_ref().filter(|_| share > 0.0)?;
                Some(self.extended(i, place, &given.mean, &given.covariance))
            })
            .collect()
    }

    /// The moments of the vectors of a step's message, for each assignment of its finite variables: the assignments of the finite variables that
    /// only the step above has are merged.
    fn separator_moments(&self, i: usize, above: usize) -> Vec<Option<Moments>> {
        let (scope, wider) = (&self.step(i).finite, &self.step(above).finite);
        let numbers = self.separator_in(i, above);
        let joint = &self.joints[wider];
        let mut groups: Vec<Vec<Component>> = vec![Vec::new(); self.joints[scope].len()];
        let strides = strides(self.graph(), wider, scope);
        let assignments = self.assignments(wider);
        let mut values = vec![0; wider.len()];
        for (moments, &share) in self.beliefs[above].iter().zip(joint) {
            if let Some(moments) = moments {
                let places = strides.iter().zip(&values);
                let place: usize = places.map(|(s, &value)| s * value as usize).sum();
                groups[place].push(part(moments, &numbers, share));
            }
            assignments.advance(&mut values);
        }
        groups.into_iter().map(merge).collect()
    }

    /// The moments of all vectors of a step for an assignment of its finite variables, given those of the vectors of its message.
    fn extended(
        &self,
        i: usize,
        place: usize,
        mean: &DVector<f64>,
        covariance: &DMatrix<f64>,
    ) -> Moments {
        let conditional = &self.elimination.conditionals[i][place];
        let s = mean.len();
        let eliminated = self.step(i).eliminated.iter();
        let r: usize = eliminated.map(|&real| self.graph().dimension(real)).sum();
        let rows = DMatrix::from_row_slice(r, r + s + 1, conditional);
        let triangle = rows.columns(0, r);
        let mut inverse = DMatrix::identity(r, r);
        let mut pull = -rows.columns(r, s);
        let mut offset = rows.column(r + s).clone_owned();
        // No diagonal entry of the triangle is zero, so that the equations have solutions.
        triangle.solve_upper_triangular_mut(&mut inverse);
        triangle.solve_upper_triangular_mut(&mut pull);
        triangle.solve_upper_triangular_mut(&mut offset);
        let across = &pull * covariance;
        let mut all = Moments {
            mean: DVector::zeros(r + s),
            covariance: DMatrix::zeros(r + s, r + s),
        };
        all.mean.rows_mut(0, r).copy_from(&(offset + &pull * mean));
        all.mean.rows_mut(r, s).copy_from(mean);
        let own = &inverse * inverse.transpose() + &across * pull.transpose();
        all.covariance.view_mut((0, 0), (r, r)).copy_from(&own);
        all.covariance.view_mut((0, r), (r, s)).copy_from(&across);
        let transposed = across.transpose();
        all.covariance
            .view_mut((r, 0), (s, r))
            .copy_from(&transposed);
        all.covariance
            .view_mut((r, r), (s, s))
            .copy_from(covariance);
        all
    }
}

/// Some of the numbers of a normal distribution, as a component of a mixture.
fn part(moments: &Moments, numbers: &[usize], share: f64) -> Component {
    let n = numbers.len();
    Component {
        share,
        mean: DVector::from_fn(n, |i, _| moments.mean[numbers[i]]),
        covariance: DMatrix::from_fn(n, n, |i, j| moments.covariance[(numbers[i], numbers[j])]),
    }
}

/// The moments of a mixture whose shares need not sum to one; `None` if it has no components.
fn merge(components: Vec<Component>) -> Option<Moments> {
    let total: f64 = components.iter().map(|c| c.share).sum();
    let shared = components.into_iter().map(|c| Component {
        share: c.share / total,
        ..c
    });
    let mut mixture = Mixture {
        components: shared.collect(),
    };
    if mixture.components.len() == 1 {
        let Component {
            mean, covariance, ..
        } = mixture.components.pop()?;
        return Some(Moments { mean, covariance });
    }
    (!mixture.components.is_empty()).then(|| Moments {
        mean: mixture.mean(),
        covariance: mixture.covariance(),
    })
}

type Probabilities = (f64, Vec<Vec<f64>>, BTreeMap<Vec<VarId>, Vec<f64>>);

/// The total, the probabilities of each finite variable, and those of the assignments of the scopes of all steps.
///
/// The assignments of a scope are the values of a variable that is added for it.
fn finite_probabilities(
    elimination: &Elimination<'_>,
    limits: &Limits,
) -> Result<Probabilities, GaussianError> {
    let mut graph = elimination.finite().clone();
    let own = graph.cardinalities.len();
    let mut scopes: BTreeMap<Vec<VarId>, VarId> = BTreeMap::new();
    for step in &elimination.steps {
        let scope = &step.finite;
        if scope.is_empty() || scopes.contains_key(scope) {
            continue;
        }
        let count = graph.dense_size(scope);
        let number = graph.add_variable(count);
        let mut variables = scope.clone();
        variables.push(number);
        graph.factors.push(Factor {
            variables,
            table: FactorTable::Function {
                index: (0..count as u32).collect(),
            },
            normalised: true,
        });
        scopes.insert(scope.clone(), number);
    }
    let all: Vec<VarId> = (0..graph.cardinalities.len() as u32).map(VarId).collect();
    let mut found = marginals(&mut graph, &all, limits)?;
    let mut joints = BTreeMap::from([(Vec::new(), vec![1.0])]);
    for (scope, number) in scopes {
        joints.insert(scope, std::mem::take(&mut found.shares[number.index()]));
    }
    found.shares.truncate(own);
    Ok((found.log_total, found.shares, joints))
}
