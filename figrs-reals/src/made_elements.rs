//! Elements with a given joint distribution: the elements of the present state of a filter.

use std::any::TypeId;
use std::ops::Range;

use figrs_core::{AnyElement, Constant, Covariance, Element, MultivariateNormal, Select};
use nalgebra::DMatrix;

use crate::belief::{Belief, BeliefComponent};

/// A conditional variance is treated as zero if it is smaller than this number times the variance.
const ROUNDING: f64 = 1e-14;

pub(crate) struct MadeElements {
    /// A vector of independent standard normal numbers; all real elements are linear functions of this vector.
    pub(crate) numbers: AnyElement,
    pub(crate) elements: Vec<AnyElement>,
}

impl MadeElements {
    /// Creates elements with the joint distribution `belief`. The created elements have the types of the elements `like`.
    pub(crate) fn new(belief: &Belief, like: &[AnyElement]) -> Self {
        let all = &belief.components;
        let dimension = all.first().map_or(0, |c| c.mean.len()).max(1);
        let unit = Covariance::diagonal(vec![1.0; dimension]);
        let numbers =
            MultivariateNormal::new(vec![0.0; dimension], unit).named("state of the filter");
        let shares = all.iter().enumerate().map(|(i, c)| (c.share, i));
        let component = if all.len() > 1 {
            Select::new(shares)
        } else {
            Constant::new(0)
        };
        let own = |c: &BeliefComponent| c.factor.clone().unwrap_or_else(|| factor(&c.covariance));
        let factors: Vec<DMatrix<f64>> = all.iter().map(own).collect();
        let mut place = 0;
        let made = like.iter().zip(&belief.numbers).map(|(element, range)| {
            if let Some(range) = range {
                let list = list(belief, &factors, (&numbers, &component), range);
                let is_number = element.no_values().value_type() == TypeId::of::<f64>();
                return if is_number {
                    list.entry(0).erased().clone()
                } else {
                    list.erased().clone()
                };
            }
            let mut values = element.no_values();
            let value = |c: &BeliefComponent| values.insert(c.finite[place].as_any());
            let options = all.iter().map(value);
            let options = options
                .map(|option| option.unwrap_or_default() as u32)
                .collect();
            place += 1;
            element.by_index(&values.build(), options, &component)
        });
        Self {
            elements: made.collect(),
            numbers: numbers.erased().clone(),
        }
    }
}

/// Creates an element for the real numbers `range` of a distribution: a linear function of independent standard normal numbers, which depends on the
/// component of the mixture.
fn list(
    belief: &Belief,
    factors: &[DMatrix<f64>],
    (numbers, component): (&Element<Vec<f64>>, &Element<usize>),
    range: &Range<usize>,
) -> Element<Vec<f64>> {
    let of_component = |(c, factor): (&BeliefComponent, &DMatrix<f64>)| {
        let row = |i: usize| -> Vec<f64> { factor.row(i).iter().copied().collect() };
        let rows: Vec<Vec<f64>> = range.clone().map(row).collect();
        let means: Vec<f64> = range.clone().map(|i| c.mean[i]).collect();
        (rows, means)
    };
    let all = belief.components.iter().zip(factors);
    let mut all: Vec<(Vec<Vec<f64>>, Vec<f64>)> = all.map(of_component).collect();
    let numbers = numbers.clone();
    if all.len() > 1 {
        return component.flat_map(move |&i| {
            let (rows, means) = all[i].clone();
            numbers.affine(rows, means)
        });
    }
    let (rows, means) = all.swap_remove(0);
    numbers.affine(rows, means)
}

/// Returns a matrix L for which L L' is the matrix `covariance`, which may be singular.
pub(crate) fn factor(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    if covariance.is_empty() {
        return DMatrix::zeros(0, 1);
    }
    if let Some(lower) = covariance.clone().cholesky() {
        let (pivots, variances) = (lower.l_dirty().diagonal(), covariance.diagonal());
        let mut pairs = pivots.iter().zip(&variances);
        if pairs.all(|(pivot, variance)| pivot * pivot > ROUNDING * variance) {
            return lower.unpack();
        }
    }
    singular_factor(covariance)
}

/// Returns a matrix L for which L L' is the singular matrix `covariance`. The columns of L that stand for conditional variances of the size of
/// rounding errors are zero.
///
/// **References.** Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 10.3 (Cholesky factors with complete pivoting).
fn singular_factor(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    let n = covariance.nrows();
    let (mut rest, mut factor) = (covariance.clone(), DMatrix::zeros(n, n));
    let mut open: Vec<usize> = (0..n).filter(|&i| covariance[(i, i)] > 0.0).collect();
    for column in 0..n {
        // The part of a variance that the columns so far do not explain.
        let part = |i: usize, rest: &DMatrix<f64>| rest[(i, i)] / covariance[(i, i)];
        let largest =
            (0..open.len()).max_by(|&a, &b| part(open[a], &rest).total_cmp(&part(open[b], &rest)));
        let Some(place) = largest.filter(|&place| part(open[place], &rest) > ROUNDING) else {
            break;
        };
        let pivot = open.swap_remove(place);
        let root = rest[(pivot, pivot)].sqrt();
        factor[(pivot, column)] = root;
        for &i in &open {
            factor[(i, column)] = rest[(i, pivot)] / root;
        }
        for &i in &open {
            for &j in &open {
                rest[(i, j)] -= factor[(i, column)] * factor[(j, column)];
            }
        }
    }
    factor
}

/// Creates elements with the joint distributions `beliefs`, which are independent of each other. The created elements have the types of the elements
/// `like`.
pub(crate) fn made_elements(beliefs: &[Belief], like: &[AnyElement]) -> Vec<AnyElement> {
    let (mut rest, mut made) = (like, Vec::with_capacity(like.len()));
    for belief in beliefs {
        let (own, others) = rest.split_at(belief.numbers.len());
        made.extend(MadeElements::new(belief, own).elements);
        rest = others;
    }
    made
}
