//! Posterior distributions of the vectors of a hybrid factor graph, computed in a pass back through the elimination steps.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use figrs_factor::Limits;

use figrs_factor::eliminate::error::check_interrupt;
use figrs_factor::graph::{Assignments, Factor, FactorTable, VarId};
use figrs_factor::tree::marginals;
use smallvec::{SmallVec, smallvec};

use crate::elimination::{Elimination, strides};
use crate::error::GaussianError;
use crate::expectation_propagation::Projection;
use crate::hybrid_graph::{HybridFactor, HybridGraph, RealId};
use crate::mixture::Component;
use crate::moments::{Moments, merge, part};
use crate::plan::{Input, Step};

/// Maximum total count of stored numbers in the moments of elimination steps on the paths from vectors to the roots of their elimination trees; these
/// moments are stored because other vectors may need them.
const MAX_MADE: usize = 1 << 24;

/// Moments (mean and covariance) for each assignment of some finite variables; `None` if the assignment is impossible.
type Beliefs = SmallVec<[Option<Moments>; 1]>;

/// The joint distribution of some real vectors: a mixture with one component for each possible assignment of some finite variables.
#[derive(Clone, Debug)]
pub struct JointMixture {
    /// The finite variables of the mixture, in ascending order.
    pub scope: Vec<VarId>,
    /// The possible assignments of the finite variables, each with its component of the mixture; the shares of the components sum to one.
    pub components: Vec<(Vec<u32>, Component)>,
}

/// The distribution of each real vector given all factors, and the probabilities of the finite variables.
///
/// **Guarantee.** The result is exact up to rounding: the distribution of a vector is a mixture with one component for each possible assignment of
/// the finite variables in its elimination tree.
///
/// **Complexity.** The cost is that of [`Elimination::run`], plus a part that is cubic in the number of real numbers of each elimination step.
///
/// **References.** Lauritzen 1992; Rauch, Tung and Striebel, *Maximum likelihood estimates of linear dynamic systems*, 1965 (the special case of a
/// smoother).
#[derive(Debug)]
pub struct HybridPosterior<'e> {
    pub(crate) elimination: &'e Elimination<'e>,
    /// The natural logarithm of the product of all factors, summed over all assignments and integrated over all real numbers.
    log_total: f64,
    /// For each elimination step, the probability of each assignment of its finite variables.
    joints: Vec<Rc<[f64]>>,
    /// For each finite variable, the probability of each value.
    shares: Vec<Vec<f64>>,
    /// For each vector, the elimination step that eliminates it.
    pub(crate) homes: Vec<usize>,
    /// For each factor, the elimination step that multiplies it.
    homes_of_factors: Vec<usize>,
    /// For each elimination step, the root of the tree of steps to which it belongs.
    pub(crate) roots: Vec<usize>,
    /// For each elimination step and each assignment of its finite variables, the moments of all vectors of the step; `None` if the assignment is
    /// impossible.
    beliefs: Vec<Beliefs>,
    /// For each elimination step that lacks some finite variables of the root of its elimination tree, the moments for each assignment of the root's
    /// finite variables, stored when they are first needed.
    made_beliefs: RefCell<BTreeMap<usize, Rc<Beliefs>>>,
}

impl<'e> HybridPosterior<'e> {
    /// Computes the moments of all vectors, and the probabilities of all finite variables.
    ///
    /// **Errors.** [`GaussianError::InfiniteTotal`] if the total is infinite; [`GaussianError::Elimination`] if the elimination of the finite
    /// variables fails.
    pub fn new(elimination: &'e Elimination<'e>, limits: &Limits) -> Result<Self, GaussianError> {
        let (log_total, shares, totals) = finite_probabilities(elimination, limits)?;
        if log_total.is_nan() || log_total == f64::INFINITY {
            return Err(GaussianError::InfiniteTotal);
        }
        let mut homes = vec![0; elimination.graph.dimensions.len()];
        let mut homes_of_factors = vec![0; elimination.graph.factors.len()];
        for (i, step) in elimination.steps.iter().enumerate() {
            for real in &step.eliminated {
                homes[real.index()] = i;
            }
            for input in &step.inputs {
                if let &Input::Factor(factor) = input {
                    homes_of_factors[factor as usize] = i;
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
            joints: vec![Rc::from([]); elimination.steps.len()],
            shares,
            homes,
            homes_of_factors,
            roots,
            beliefs: vec![Beliefs::new(); elimination.steps.len()],
            made_beliefs: RefCell::default(),
        };
        if log_total > f64::NEG_INFINITY {
            let mut buffer = Vec::new();
            for i in (0..this.beliefs.len()).rev() {
                check_interrupt(&limits.until)?;
                let step = &elimination.steps[i];
                this.joints[i] = match step.parent {
                    None => Rc::clone(&totals[&step.kept]),
                    Some(above) => this.kept_shares(i, above),
                };
                this.beliefs[i] = this.beliefs_of(i, &mut buffer);
                for &v in &step.summed {
                    this.shares[v.index()] = this.sums_of(&this.joints[i], &step.finite, &[v]);
                }
            }
        }
        Ok(this)
    }

    /// Returns the natural logarithm of the product of all factors, integrated over the vectors and summed over the finite variables; minus infinity
    /// if this total is zero.
    pub fn log_total(&self) -> f64 {
        self.log_total
    }

    /// Returns the probability of each value of `variable`; all probabilities are zero if the product of all factors is zero everywhere.
    pub fn shares(&self, variable: VarId) -> &[f64] {
        &self.shares[variable.index()]
    }

    /// Returns the mean and the variance of a linear function of the vectors of `factor`, for each assignment of the factor's finite variables;
    /// `None` for an impossible assignment. `projections` contains the linear function of the vectors for each assignment of the factor's finite
    /// variables.
    pub fn projected(&self, factor: usize, projections: &[Projection]) -> Vec<Option<(f64, f64)>> {
        let HybridFactor { finite, reals, .. } = &self.graph().factors[factor];
        let home = self.homes_of_factors[factor];
        let scope = &self.step(home).finite;
        let numbers = self.numbers_of(home, reals);
        let strides = strides(self.graph(), scope, finite);
        let assignments = self.assignments(scope);
        let mut values = vec![0; scope.len()];
        let mut parts: Vec<Vec<(f64, f64, f64)>> = vec![Vec::new(); projections.len()];
        for (moments, &share) in self.beliefs[home].iter().zip(&*self.joints[home]) {
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

    /// Returns the joint distribution of the vectors `reals`, whose numbers are concatenated. One factor must contain all vectors of `reals`.
    ///
    /// The mixture has a component for each possible assignment of the finite variables in [`scope`](JointMixture::scope).
    ///
    /// **Errors.** [`GaussianError::TooManyComponents`] if the mixture has more than `limit` components.
    ///
    /// `reals` must have at least one vector. If no factor contains all vectors of `reals`, the result lacks numbers of some vectors.
    pub fn joint(&self, reals: &[RealId], limit: usize) -> Result<JointMixture, GaussianError> {
        let homes = reals.iter().map(|real| self.homes[real.index()]);
        self.joint_at(homes.min().unwrap_or(0), reals, limit)
    }

    /// Returns the joint distribution of the vectors of `factor`, whose numbers are concatenated. The scope of the mixture includes the finite
    /// variables of the factor.
    ///
    /// **Errors.** The same errors as [`joint`](Self::joint).
    pub fn joint_of_factor(
        &self,
        factor: usize,
        limit: usize,
    ) -> Result<JointMixture, GaussianError> {
        let reals = &self.graph().factors[factor].reals;
        self.joint_at(self.homes_of_factors[factor], reals, limit)
    }

    /// True if a chain of factors that have vectors in common connects `factor` and `real`.
    pub fn is_connected(&self, factor: usize, real: RealId) -> bool {
        self.roots[self.homes_of_factors[factor]] == self.roots[self.homes[real.index()]]
    }

    fn joint_at(
        &self,
        home: usize,
        reals: &[RealId],
        limit: usize,
    ) -> Result<JointMixture, GaussianError> {
        // If components were merged, the root of the tree may lack finite variables of the step `home`.
        let root = match self.elimination.sums.is_empty() {
            true => self.roots[home],
            false => home,
        };
        let (joint, scope) = (&self.joints[root], &self.step(root).finite);
        let count = joint.iter().filter(|&&share| share > 0.0).count();
        if count > limit {
            return Err(GaussianError::TooManyComponents {
                real: reals[0],
                components: count as f64,
                limit,
            });
        }
        let numbers = self.numbers_of(home, reals);
        let mut found = JointMixture {
            scope: scope.clone(),
            components: Vec::with_capacity(count),
        };
        let made = self.beliefs_for(home, root);
        let moments = made.as_deref().unwrap_or(&self.beliefs[home]);
        let assignments = self.assignments(scope);
        let mut values = vec![0; scope.len()];
        for (moments, &share) in moments.iter().zip(joint.iter()) {
            if let Some(moments) = moments.as_ref().filter(|_| share > 0.0) {
                let component = part(moments, &numbers, share);
                found.components.push((values.clone(), component));
            }
            assignments.advance(&mut values);
        }
        Ok(found)
    }

    /// Returns the moments of all vectors of the elimination step `home`, for each assignment of the finite variables of the step `root`, which is
    /// `home` or a step above it in its elimination tree; `None` if `home` has all these variables, so that [`beliefs`](Self::beliefs) has the
    /// moments.
    fn beliefs_for(&self, home: usize, root: usize) -> Option<Rc<Beliefs>> {
        let scope = &self.step(root).finite;
        // The steps in `below` lack finite variables of the scope. `from` is the step above the steps in `below` that is nearest to them and has
        // known moments.
        let (mut below, mut from, mut made) = (Vec::new(), home, None);
        while self.step(from).finite.len() < scope.len() && from != root {
            made = self.made_beliefs.borrow().get(&from).cloned();
            if made.is_some() {
                break;
            }
            below.push(from);
            from = self.step(from).parent.unwrap_or(root);
        }
        let steps = self.made_beliefs.borrow().len() + below.len();
        let reals = self.reals(home).map(|&r| self.graph().dimension(r));
        let numbers = self.joints[root]
            .len()
            .saturating_mul((reals.sum::<usize>() + 1).pow(2));
        let is_kept = steps.saturating_mul(numbers) <= MAX_MADE;
        let mut buffer = Vec::new();
        for i in below.into_iter().rev() {
            let above: &Beliefs = made.as_deref().unwrap_or(&self.beliefs[from]);
            let strides = strides(self.graph(), scope, &self.step(i).finite);
            let given = self.numbers_of(from, &self.step(i).separator);
            let all = self.reals(i).map(|&r| self.graph().dimension(r)).sum();
            let assignments = self.assignments(scope);
            let mut values = vec![0; scope.len()];
            let mut own = Beliefs::new();
            for (known, &share) in above.iter().zip(self.joints[root].iter()) {
                own.push(known.as_ref().filter(|_| share > 0.0).map(|known| {
                    let places = strides.iter().zip(&values);
                    let place = places.map(|(s, &value)| s * value as usize).sum::<usize>();
                    let conditional = self.elimination.conditionals.get(i, place);
                    known.extended(&given, (conditional, all), &mut buffer)
                }));
                assignments.advance(&mut values);
            }
            let own = Rc::new(own);
            if is_kept {
                self.made_beliefs.borrow_mut().insert(i, Rc::clone(&own));
            }
            (made, from) = (Some(own), i);
        }
        made
    }

    pub(crate) fn graph(&self) -> &HybridGraph {
        self.elimination.graph
    }

    pub(crate) fn step(&self, i: usize) -> &Step {
        &self.elimination.steps[i]
    }

    fn assignments(&self, finite: &[VarId]) -> Assignments {
        Assignments::rows(finite.iter().map(|&v| self.graph().finite.cardinality(v)))
    }

    /// Returns the indices of the numbers of the vectors `reals` among all real numbers of the elimination step `i`.
    fn numbers_of(&self, i: usize, reals: &[RealId]) -> SmallVec<[usize; 4]> {
        let mut numbers = SmallVec::new();
        for &real in reals {
            let mut start = 0;
            for &other in self.reals(i) {
                let end = start + self.graph().dimension(other);
                if other == real {
                    numbers.extend(start..end);
                    break;
                }
                start = end;
            }
        }
        numbers
    }

    /// Returns the vectors of the elimination step `i`, in the order of its real numbers.
    fn reals(&self, i: usize) -> impl Iterator<Item = &RealId> {
        let step = self.step(i);
        step.eliminated.iter().chain(&step.separator)
    }

    /// Returns the marginal probability of each assignment of `kept`, given the probabilities `shares` of the assignments of `scope`.
    fn sums_of(&self, shares: &[f64], scope: &[VarId], kept: &[VarId]) -> Vec<f64> {
        let strides = strides(self.graph(), scope, kept);
        let assignments = self.assignments(scope);
        let mut values = vec![0; scope.len()];
        let mut sums = vec![0.0; self.graph().finite.dense_size(kept)];
        for share in shares {
            let places = strides.iter().zip(&values);
            sums[places.map(|(s, &value)| s * value as usize).sum::<usize>()] += share;
            assignments.advance(&mut values);
        }
        sums
    }

    /// Returns the probability of each assignment of the finite variables in the message of the step `i`; the step `above` multiplies this message.
    fn kept_shares(&self, i: usize, above: usize) -> Rc<[f64]> {
        let (kept, scope) = (&self.step(i).kept, &self.step(above).finite);
        match kept == scope {
            true => Rc::clone(&self.joints[above]),
            false => self.sums_of(&self.joints[above], scope, kept).into(),
        }
    }

    /// Returns the moments of all vectors of the elimination step `i`, for each assignment of its finite variables.
    ///
    /// If the step sums over finite variables, also replaces `joints[i]`, the probabilities for the message's variables, by the probabilities for all
    /// variables of the step.
    fn beliefs_of(&mut self, i: usize, buffer: &mut Vec<f64>) -> Beliefs {
        let step = &self.elimination.steps[i];
        let eliminated = step.eliminated.iter().map(|&r| self.graph().dimension(r));
        let separator = step.separator.iter().map(|&r| self.graph().dimension(r));
        let all = eliminated.sum::<usize>() + separator.clone().sum::<usize>();
        let made;
        let (mut given, mut numbers) = match step.parent {
            Some(above) if self.step(above).finite == step.kept => (
                &self.beliefs[above],
                self.numbers_of(above, &step.separator),
            ),
            Some(above) => {
                made = self.separator_moments(i, above);
                (&made, (0..separator.sum()).collect())
            }
            None => {
                made = smallvec![Some(Moments::none()); self.joints[i].len()];
                (&made, SmallVec::new())
            }
        };
        let undone;
        if let Some(sum) = self.elimination.sums.get(&i) {
            let of_message = |moments: &Option<Moments>| {
                let (mean, covariance) = moments.as_ref()?.of(&numbers);
                Some(Moments::new(&mean, &covariance))
            };
            let of_message: Vec<Option<Moments>> = given.iter().map(of_message).collect();
            let (shares, moments) = sum.undone(&self.joints[i], &of_message);
            self.joints[i] = shares.into();
            undone = Beliefs::from(moments);
            (given, numbers) = (&undone, (0..numbers.len()).collect());
        }
        let extended = |(place, &share): (usize, &f64)| {
            let given = given[place].as_ref().filter(|_| share > 0.0)?;
            let conditional = self.elimination.conditionals.get(i, place);
            Some(given.extended(&numbers, (conditional, all), buffer))
        };
        self.joints[i].iter().enumerate().map(extended).collect()
    }

    /// Returns the moments of the vectors in the message of the step `i`, for each assignment of the message's finite variables. Components of the
    /// step `above` that differ only in finite variables outside the message are merged.
    fn separator_moments(&self, i: usize, above: usize) -> Beliefs {
        let (scope, wider) = (&self.step(i).kept, &self.step(above).finite);
        let numbers = self.numbers_of(above, &self.step(i).separator);
        let joint = &*self.joints[above];
        let mut groups: Vec<Vec<Component>> = vec![Vec::new(); self.joints[i].len()];
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
}

type Probabilities = (f64, Vec<Vec<f64>>, BTreeMap<Vec<VarId>, Rc<[f64]>>);

/// Returns the total of the graph, the probabilities of each finite variable, and the joint probabilities of the finite variables in each message
/// that no step multiplies. For each message that no step multiplies, a variable is added to the finite graph; the values of the added variable stand
/// for the joint values of the message's variables.
fn finite_probabilities(
    elimination: &Elimination<'_>,
    limits: &Limits,
) -> Result<Probabilities, GaussianError> {
    let graph = elimination.finite();
    let own = graph.cardinalities.len();
    let mut joints = BTreeMap::from([(Vec::new(), Rc::from([1.0]))]);
    let constant = |factor: &Factor| match &factor.table {
        FactorTable::Dense(weights) if own == 0 => Some(weights.log(0)),
        _ => None,
    };
    if let Some(log_total) = graph.factors.iter().map(constant).sum() {
        return Ok((log_total, Vec::new(), joints));
    }
    let mut graph = graph.clone();
    let mut scopes: BTreeMap<Vec<VarId>, VarId> = BTreeMap::new();
    for step in &elimination.steps {
        let scope = &step.kept;
        if step.parent.is_some() || scope.is_empty() || scopes.contains_key(scope) {
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
    for (scope, number) in scopes {
        let shares = std::mem::take(&mut found.shares[number.index()]);
        joints.insert(scope, shares.into());
    }
    found.shares.truncate(own);
    Ok((found.log_total, found.shares, joints))
}
