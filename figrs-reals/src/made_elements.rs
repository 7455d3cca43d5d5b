//! Elements that are created with a given joint distribution: the elements of a filter's present state and of the states before it.

use std::any::TypeId;
use std::ops::Range;

use figrs_core::{
    AnyElement, Constant, Covariance, Datum, Element, MultivariateNormal, Select, inject,
};
use nalgebra::{Cholesky, DMatrix, Dyn};

use crate::backward_kernel::{BackwardKernel, BackwardOption};
use crate::belief::Belief;
use crate::belief_component::BeliefComponent;

/// A conditional variance is treated as zero if it is smaller than this number times the unconditional variance.
const ROUNDING: f64 = 1e-14;

#[derive(Clone, Debug)]
pub(crate) struct MadeElements {
    /// A vector of independent standard normal numbers; all real elements are linear functions of this vector.
    pub(crate) numbers: Element<Vec<f64>>,
    component: Element<usize>,
    pub(crate) elements: Vec<AnyElement>,
}

/// The elements of a filter's state on which the elements of the state before it depend.
#[derive(Clone, Debug)]
pub(crate) struct StateLink {
    /// The element whose value is the index of the mixture component.
    pub(crate) component: Element<usize>,
    /// The concatenated numbers of all real elements of the state; `None` if all elements are finite.
    pub(crate) numbers: Option<Element<Vec<f64>>>,
}

impl StateLink {
    pub(crate) fn elements(&self) -> Vec<AnyElement> {
        let numbers = self.numbers.iter().map(Element::erased);
        std::iter::once(self.component.erased())
            .chain(numbers)
            .cloned()
            .collect()
    }
}

impl MadeElements {
    /// Creates elements with the joint distribution `belief`. The new elements have the same types as the elements `like`.
    pub(crate) fn new(belief: &Belief, like: &[AnyElement]) -> Self {
        let all = &belief.components;
        let numbers = standard_normal(belief.dimension().max(1)).named("state of the filter");
        let component = if let [_] = all[..] {
            Constant::new(0)
        } else {
            Select::new(all.iter().enumerate().map(|(i, c)| (c.share, i)))
        };
        let factors = factors(belief);
        let list = |range: &Range<usize>| list(belief, &factors, (&numbers, &component), range);
        let finite = all.iter().map(|c| &c.finite[..]);
        Self {
            elements: mixture_elements(like, &belief.numbers, finite, (&component, list)),
            component,
            numbers,
        }
    }

    /// Returns the random elements on which all created elements depend.
    pub(crate) fn sources(&self) -> [AnyElement; 2] {
        [self.numbers.erased(), self.component.erased()].map(Clone::clone)
    }

    /// Returns a `StateLink` with the element that is the index of the state's mixture component, but without the numbers of the state.
    pub(crate) fn component(&self) -> StateLink {
        StateLink {
            component: self.component.clone(),
            numbers: None,
        }
    }

    /// Returns the elements of this state on which the elements of the state before it depend. The argument `belief` is the joint distribution of the
    /// state's elements.
    pub(crate) fn link(&self, belief: &Belief) -> StateLink {
        let all = 0..belief.dimension();
        let of = (&self.numbers, &self.component);
        let numbers = (!all.is_empty()).then(|| list(belief, &factors(belief), of, &all));
        StateLink {
            numbers,
            ..self.component()
        }
    }
}

/// Creates the elements of the filter's state before the state `next`, with the distribution `kernel` given `next`; the created elements have the
/// types of the elements `like`. The function also returns those of the created elements on which the elements of the next earlier state depend.
pub(crate) fn elements_before(
    kernel: &BackwardKernel,
    next: &StateLink,
    like: &[AnyElement],
) -> (StateLink, Vec<AnyElement>) {
    // The options of all components of the next state, in one list.
    let all: Vec<&BackwardOption> = kernel.options.iter().flatten().collect();
    let option = if all.len() == kernel.options.len() {
        next.component.clone()
    } else {
        let mut start = 0;
        let shares = kernel.options.iter().map(|options| {
            let shares = (start..).zip(options).map(|(i, option)| (option.share, i));
            start += options.len();
            shares.collect()
        });
        let shares: Vec<Vec<(f64, usize)>> = shares.collect();
        next.component
            .flat_map(move |&component| Select::new(shares[component].clone()))
    };
    let components: Vec<usize> = all.iter().map(|option| option.component).collect();
    let component = option.map(move |&option| components[option]);
    let dimension = kernel.dimension();
    let numbers = (dimension > 0).then(|| {
        let own = standard_normal(dimension);
        let known = next.numbers.iter().flat_map(|numbers| {
            let count = all[0].coefficients.ncols();
            (0..count).map(|i| numbers.entry(i))
        });
        let known: Vec<Element<f64>> = known.collect();
        let own = (0..dimension).map(|i| own.entry(i));
        let both = inject(known.into_iter().chain(own).collect::<Vec<_>>());
        let laws = all.iter().map(|o| (o.rows(), o.offset.as_slice().to_vec()));
        let mut laws: Vec<(Vec<Vec<f64>>, Vec<f64>)> = laws.collect();
        if laws.len() == 1 {
            let (rows, offset) = laws.swap_remove(0);
            return both.affine(rows, offset);
        }
        option.flat_map(move |&option| {
            let (rows, offset) = laws[option].clone();
            both.affine(rows, offset)
        })
    });
    let list = |range: &Range<usize>| {
        let numbers = numbers
            .as_ref()
            .expect("a state with a real element has numbers");
        let row = |i: usize| {
            let mut row = vec![0.0; i + 1];
            row[i] = 1.0;
            row
        };
        numbers.affine(range.clone().map(row), vec![0.0; range.len()])
    };
    let finite = kernel.finite.iter().map(|values| &values[..]);
    let elements = mixture_elements(like, &kernel.numbers, finite, (&component, list));
    (StateLink { component, numbers }, elements)
}

/// Creates a vector of `dimension` independent standard normal numbers.
fn standard_normal(dimension: usize) -> Element<Vec<f64>> {
    MultivariateNormal::new(
        vec![0.0; dimension],
        Covariance::diagonal(vec![1.0; dimension]),
    )
}

/// Returns the matrix factor L (with L L' equal to the covariance matrix) of each mixture component.
fn factors(belief: &Belief) -> Vec<DMatrix<f64>> {
    let own = |c: &BeliefComponent| c.factor.clone().unwrap_or_else(|| factor(&c.covariance));
    belief.components.iter().map(own).collect()
}

/// Creates elements with the types and labels of the elements `like`. The values of finite elements depend on the index `component` of a mixture
/// component; `list` creates the lists of the numbers of real elements.
fn mixture_elements<'f>(
    like: &[AnyElement],
    numbers: &[Option<Range<usize>>],
    finite: impl Iterator<Item = &'f [Datum]> + Clone,
    (component, list): (&Element<usize>, impl Fn(&Range<usize>) -> Element<Vec<f64>>),
) -> Vec<AnyElement> {
    let mut place = 0;
    let made = like.iter().zip(numbers).map(|(element, range)| {
        if let Some(range) = range {
            let list = list(range);
            let is_number = element.no_values().value_type() == TypeId::of::<f64>();
            let made = if is_number {
                list.entry(0).into_erased()
            } else {
                list.into_erased()
            };
            return made.labelled_like(element);
        }
        let mut values = element.no_values();
        let options = finite.clone().map(|finite| {
            let value = values.insert(finite[place].as_any());
            value.unwrap_or_default() as u32
        });
        let options = options.collect();
        place += 1;
        let made = element.by_index(&values.build(), options, component);
        made.labelled_like(element)
    });
    made.collect()
}

/// Creates an element for the real numbers `range` of a mixture: a linear function of independent standard normal numbers, which depends on the
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

/// Returns a matrix L for which L L' equals the covariance matrix `covariance`, which may be singular.
pub(crate) fn factor(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    if covariance.is_empty() {
        return DMatrix::zeros(0, 1);
    }
    match regular_factor(covariance) {
        Some(lower) => lower.unpack(),
        None => singular_factor(covariance),
    }
}

/// Returns the Cholesky factor of the covariance matrix `covariance`; returns `None` if the matrix is singular up to rounding errors.
pub(crate) fn regular_factor(covariance: &DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    let lower = covariance.clone().cholesky()?;
    let (pivots, variances) = (lower.l_dirty().diagonal(), covariance.diagonal());
    let mut pairs = pivots.iter().zip(&variances);
    let is_regular = pairs.all(|(pivot, variance)| pivot * pivot > ROUNDING * variance);
    is_regular.then_some(lower)
}

/// Returns a matrix L for which L L' equals the singular matrix `covariance`. The columns of L for conditional variances of the size of rounding
/// errors are zero.
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
