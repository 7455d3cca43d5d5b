//! The mixture components of the joint distribution of several elements, and groups of components that agree.

use std::hash::{Hash, Hasher};

use figrs_core::Datum;
use indexmap::{Equivalent, IndexMap};
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxBuildHasher;

/// Means and covariances are treated as equal if their difference is at most this number times their magnitudes.
const SAME: f64 = 1e-9;

/// One mixture component of the joint distribution of several elements.
#[derive(Clone, Debug)]
pub(crate) struct BeliefComponent {
    pub(crate) share: f64,
    /// The values of the finite elements, in the order of the elements.
    pub(crate) finite: Vec<Datum>,
    /// The mean vector of the concatenated numbers of all real elements; `covariance` is the covariance matrix of these numbers.
    pub(crate) mean: DVector<f64>,
    pub(crate) covariance: DMatrix<f64>,
    /// A matrix L for which L L' is the covariance matrix, if such a factor is known.
    pub(crate) factor: Option<DMatrix<f64>>,
}

/// The kind of agreement between components by which [`grouped`] puts the components into one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alike {
    /// The components have equal values of the finite elements, equal means and equal covariances.
    Equal,
    /// The components have equal values of the finite elements; their means and covariances may differ.
    Values,
}

/// Divides mixture components into groups of components that agree; returns the indices of the components of each group, ordered by the first
/// component of each group.
pub(crate) fn grouped(components: &[BeliefComponent], alike: Alike) -> Vec<Vec<usize>> {
    if let [_] = components {
        return vec![vec![0]];
    }
    let mut groups: IndexMap<Key<'_>, Vec<usize>, FxBuildHasher> = IndexMap::default();
    for (i, component) in components.iter().enumerate() {
        groups.entry(Key { component, alike }).or_default().push(i);
    }
    groups.into_values().collect()
}

/// Values of finite elements, as a key of a hash map.
#[derive(Clone, Debug)]
pub(crate) struct FiniteValues(pub(crate) Vec<Datum>);

/// Borrowed values of finite elements, by which the keys [`FiniteValues`] are found in a hash map.
pub(crate) struct Values<'v>(pub(crate) &'v [Datum]);

impl PartialEq for FiniteValues {
    fn eq(&self, other: &Self) -> bool {
        Values(&self.0).equivalent(other)
    }
}

impl Eq for FiniteValues {}

impl Equivalent<FiniteValues> for Values<'_> {
    fn equivalent(&self, other: &FiniteValues) -> bool {
        are_same(self.0, &other.0)
    }
}

impl Hash for FiniteValues {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Values(&self.0).hash(state);
    }
}

impl Hash for Values<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0
            .iter()
            .for_each(|value| state.write_u64(value.digest()));
    }
}

fn are_same(values: &[Datum], others: &[Datum]) -> bool {
    let mut pairs = values.iter().zip(others);
    pairs.all(|(a, b)| a.same_as(b.as_any()))
}

/// A mixture component as the hash key of its group.
struct Key<'c> {
    component: &'c BeliefComponent,
    alike: Alike,
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.component, other.component);
        let are_equal = || one.mean == other.mean && one.covariance == other.covariance;
        are_same(&one.finite, &other.finite) && (self.alike == Alike::Values || are_equal())
    }
}

impl Eq for Key<'_> {}

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Values(&self.component.finite).hash(state);
        if self.alike == Alike::Equal {
            let numbers = self.component.mean.iter();
            for number in numbers.chain(&self.component.covariance) {
                // The sum is the same for 0 and -0.
                state.write_u64((number + 0.0).to_bits());
            }
        }
    }
}

impl BeliefComponent {
    /// Creates a mixture component without real numbers, whose share is not known yet.
    pub(crate) fn finite(finite: Vec<Datum>) -> Self {
        Self {
            share: 0.0,
            finite,
            mean: DVector::zeros(0),
            covariance: DMatrix::zeros(0, 0),
            factor: None,
        }
    }

    /// True if all means and covariances of the component are finite numbers.
    pub(crate) fn is_finite(&self) -> bool {
        let mut numbers = self.mean.iter().chain(&self.covariance);
        numbers.all(|x| x.is_finite())
    }

    /// Returns the factor of the covariance matrix of the first `count` numbers, if the factor of the whole covariance matrix is known and lower
    /// triangular.
    pub(crate) fn first_factor(&self, count: usize) -> Option<DMatrix<f64>> {
        let factor = self.factor.as_ref()?;
        let is_square = factor.ncols() == factor.nrows();
        is_square.then(|| factor.view((0, 0), (count, count)).clone_owned())
    }

    /// True if the first `count` numbers of the component have the same mean and covariance as those of `other`, up to rounding errors.
    pub(crate) fn has_same_start(&self, other: &Self, count: usize) -> bool {
        let sd = |i: usize| self.covariance[(i, i)].max(0.0).sqrt();
        let is_near = |a: f64, b: f64, unit: f64| (a - b).abs() <= SAME * (unit + a.abs());
        (0..count).all(|i| {
            is_near(self.mean[i], other.mean[i], sd(i))
                && (0..count).all(|j| {
                    let place = (i, j);
                    let unit = sd(i) * sd(j);
                    is_near(self.covariance[place], other.covariance[place], unit)
                })
        })
    }

    /// Replaces each group of equal mixture components by one component with their total share.
    pub(crate) fn totals(components: Vec<Self>, groups: &[Vec<usize>]) -> Vec<Self> {
        if groups.len() == components.len() {
            return components;
        }
        let total = |group: &Vec<usize>| Self {
            share: group.iter().map(|&i| components[i].share).sum(),
            ..components[group[0]].clone()
        };
        groups.iter().map(total).collect()
    }

    /// Replaces each group of mixture components with the same finite values by one component with the total share, the mean and the covariance of
    /// their mixture.
    pub(crate) fn all_merged(components: Vec<Self>, groups: &[Vec<usize>]) -> Vec<Self> {
        if groups.len() == components.len() {
            return components;
        }
        let merged = |group: &Vec<usize>| match group[..] {
            [only] => components[only].clone(),
            _ => Self::merged(group.iter().map(|&i| &components[i])),
        };
        groups.iter().map(merged).collect()
    }

    fn merged<'c>(components: impl Iterator<Item = &'c Self> + Clone) -> Self {
        let share: f64 = components.clone().map(|c| c.share).sum();
        let means = components.clone().map(|c| &c.mean * (c.share / share));
        let mean = means.reduce(|sum, part| sum + part).unwrap_or_default();
        let parts = components.clone().map(|c| {
            let apart = &c.mean - &mean;
            (&c.covariance + &apart * apart.transpose()) * (c.share / share)
        });
        let covariance = parts.reduce(|sum, part| sum + part).unwrap_or_default();
        let finite = components.map(|c| c.finite.clone()).next();
        Self {
            share,
            finite: finite.unwrap_or_default(),
            mean,
            covariance,
            factor: None,
        }
    }
}
