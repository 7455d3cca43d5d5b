//! Backward kernels: the distribution of a state of a filter given the next state.

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum};
use indexmap::IndexMap;
use nalgebra::{DMatrix, DVector};

use crate::belief::Belief;
use crate::belief_component::{Alike, BeliefComponent, grouped};
use crate::hybrid_model::NumbersOfElement;
use crate::made_elements::{factor, regular_factor};

/// Largest eigenvalue of a correlation matrix that is treated as zero, because it may be a rounding error.
const ROUNDING: f64 = 1e-12;

/// Probabilities are treated as equal if they differ by at most this number.
const SAME: f64 = 1e-9;

/// The distribution of a group of elements of a filter's earlier state, given the next state and all evidence so far. Evidence about later states
/// does not change a backward kernel, the distribution of a state given the next state.
///
/// **References.** Rauch, Tung and Striebel, *Maximum likelihood estimates of linear dynamic systems*, 1965; Kim, *Dynamic linear models with
/// Markov-switching*, 1994 (the approximation for merged components).
#[derive(Clone, Debug)]
pub(crate) struct BackwardKernel {
    /// For each element of the earlier state, the range of its numbers in the state's vector of real numbers; `None` if the element is finite.
    pub(crate) numbers: Vec<NumbersOfElement>,
    /// For each mixture component of the earlier state, the values of its finite elements.
    pub(crate) finite: Vec<Vec<Datum>>,
    /// For each mixture component of the next state, the possible components of the earlier state.
    pub(crate) options: Vec<Vec<BackwardOption>>,
}

/// A possible mixture component of the earlier state, and the distribution of the earlier state's real numbers given those of the next state.
#[derive(Clone, Debug)]
pub(crate) struct BackwardOption {
    /// The index of the earlier state's mixture component, and the probability of this component given the component of the next state.
    pub(crate) component: usize,
    pub(crate) share: f64,
    /// The mean of the earlier state's real numbers is `offset + coefficients * x`, where `x` is the vector of the next state's real numbers.
    pub(crate) offset: DVector<f64>,
    pub(crate) coefficients: DMatrix<f64>,
    /// The covariance matrix of the earlier state's real numbers given the next state.
    pub(crate) covariance: DMatrix<f64>,
}

impl BackwardKernel {
    /// Computes the backward kernel from `pair`, the joint distribution of the elements of the next state, of the index of the earlier state's
    /// mixture component, and of the numbers of the earlier state. For each mixture component of the next state, `members` has the components of
    /// `pair` that belong to it. The numbers and the finite values of the earlier state are those of `earlier`.
    pub(crate) fn new((pair, members): &(Belief, Vec<Vec<usize>>), earlier: &Belief) -> Self {
        let finite = earlier.components.iter().map(|c| c.finite.clone());
        let mut this = Self {
            numbers: earlier.numbers.clone(),
            finite: finite.collect(),
            options: Vec::new(),
        };
        this.options = options_of(pair, members, this.dimension());
        this
    }

    /// Replaces the distributions of the backward kernel by those that [`new`](Self::new) computes from `pair`.
    pub(crate) fn renew(&mut self, (pair, members): &(Belief, Vec<Vec<usize>>)) {
        self.options = options_of(pair, members, self.dimension());
    }

    /// Replaces the distributions of the kernel by those of `pair`, whose elements are, first for the next state and then for the earlier state, the
    /// index of the mixture component and the real numbers. The distribution of the earlier state given an impossible component of the next state is
    /// kept.
    ///
    /// Returns `true` if the new kernel is an approximation, because the probabilities of the earlier state's components depend on the numbers of the
    /// next state.
    ///
    /// **Errors.** [`Error::NotClosedForm`] about `element` if the kernel would be an approximation and `may_approximate` is false.
    pub(crate) fn replace(
        &mut self,
        pair: &Belief,
        may_approximate: bool,
        element: &AnyElement,
    ) -> Result<bool, Error> {
        let own = self.dimension();
        let known = pair.dimension() - own;
        let mut is_approximate = false;
        let mut members: Vec<Vec<&BeliefComponent>> = vec![Vec::new(); self.options.len()];
        for component in &pair.components {
            members[index_of(&component.finite[0])].push(component);
        }
        for (options, members) in self.options.iter_mut().zip(members) {
            let found = most_probable_and_shares(&members);
            if found.len() > 1 && !have_same_shares(&members, &found, known) {
                is_approximate = true;
                if !may_approximate {
                    let problem = "evidence about a past state of the filter makes the probabilities of this state's components depend on the numbers of the next \
                                   state; state the evidence in the step of this state";
                    return Err(Error::not_closed_form(element, problem));
                }
            }
            if !found.is_empty() {
                let option = |(share, component): &(f64, &BeliefComponent)| BackwardOption {
                    share: *share,
                    ..BackwardOption::new(component, own, 1.0)
                };
                *options = found.values().map(option).collect();
            }
        }
        Ok(is_approximate)
    }

    /// Renumbers the mixture components of the next state: `pair` is the joint distribution of the next state's elements after more evidence, and of
    /// the index of the state's component before this evidence. For each component of the next state after the new evidence, `members` has the
    /// components of `pair` that belong to it.
    pub(crate) fn renumber(&mut self, (pair, members): &(Belief, Vec<Vec<usize>>)) {
        let options = members.iter().map(|members| {
            let total: f64 = members.iter().map(|&i| pair.components[i].share).sum();
            let of_member = |&i: &usize| {
                let component = &pair.components[i];
                let before = component.finite.last().map_or(0, index_of);
                let share = component.share / total;
                self.options[before]
                    .iter()
                    .map(move |option| BackwardOption {
                        share: option.share * share,
                        ..option.clone()
                    })
            };
            members.iter().flat_map(of_member).collect()
        });
        self.options = options.collect();
    }

    /// Adapts the backward kernel to a next state whose vector of numbers has the layout `new` instead of `old`; additional numbers are known.
    pub(crate) fn set_next_layout(&mut self, old: &[NumbersOfElement], new: &[NumbersOfElement]) {
        let dimension = new.iter().flatten().map(|range| range.end).max();
        for option in self.options.iter_mut().flatten() {
            let rows = option.coefficients.nrows();
            let mut wide = DMatrix::zeros(rows, dimension.unwrap_or(0));
            let pairs = old.iter().zip(new);
            for (own, new) in pairs.filter_map(|(own, new)| own.clone().zip(new.clone())) {
                let own = option.coefficients.columns_range(own);
                wide.columns_range_mut(new).copy_from(&own);
            }
            option.coefficients = wide;
        }
    }

    /// Number of real numbers in the earlier state of the filter.
    pub(crate) fn dimension(&self) -> usize {
        let ends = self.numbers.iter().flatten().map(|range| range.end);
        ends.max().unwrap_or(0)
    }

    /// Returns the distribution of the earlier state, given the distribution `next` of the next state, whose components have the indices that this
    /// kernel uses. Mixture components with the same index are merged if `merges` is true, or if there are more than `most` components. The second
    /// result is `true` if components of the mixture were merged.
    pub(crate) fn earlier(
        &self,
        next: &[(usize, BeliefComponent)],
        (merges, most): (bool, usize),
    ) -> (Vec<(usize, BeliefComponent)>, bool) {
        let of_next = |(index, next): &(usize, BeliefComponent)| {
            let made = self.options[*index].iter().map(|option| BeliefComponent {
                share: option.share * next.share,
                finite: vec![Datum::new(option.component)],
                mean: &option.offset + &option.coefficients * &next.mean,
                covariance: {
                    let carried = &option.coefficients * &next.covariance;
                    &option.covariance + carried * option.coefficients.transpose()
                },
                factor: None,
            });
            made.collect::<Vec<_>>()
        };
        let mut all: Vec<BeliefComponent> = next.iter().flat_map(of_next).collect();
        let equal = grouped(&all, Alike::Equal);
        all = BeliefComponent::totals(all, &equal);
        let mut is_merged = false;
        if merges || all.len() > most {
            let same = grouped(&all, Alike::Values);
            is_merged = same.len() < all.len();
            all = BeliefComponent::all_merged(all, &same);
        }
        let with_index = all.into_iter().map(|mut component| {
            let index = index_of(&component.finite[0]);
            component.finite.clone_from(&self.finite[index]);
            (index, component)
        });
        (with_index.collect(), is_merged)
    }
}

/// Returns the possible components of the earlier state for each component of the next state, as in [`BackwardKernel::new`]. The earlier state of the
/// filter has `dimension` real numbers.
fn options_of(pair: &Belief, members: &[Vec<usize>], dimension: usize) -> Vec<Vec<BackwardOption>> {
    let options = members.iter().map(|members| {
        let total: f64 = members.iter().map(|&i| pair.components[i].share).sum();
        let members = members.iter();
        let option = |&i: &usize| BackwardOption::new(&pair.components[i], dimension, total);
        members.map(option).collect()
    });
    options.collect()
}

/// The mixture components of the earlier state, each with its probability and the most probable joint component of the two successive states that
/// contains it.
type Found<'c> = IndexMap<usize, (f64, &'c BeliefComponent)>;

/// Returns the mixture components of the earlier state among the joint components `members` of two successive states.
fn most_probable_and_shares<'c>(members: &[&'c BeliefComponent]) -> Found<'c> {
    let total: f64 = members.iter().map(|member| member.share).sum();
    let mut found = Found::new();
    for &member in members {
        let (share, most) = found
            .entry(index_of(&member.finite[1]))
            .or_insert((0.0, member));
        *share += member.share / total;
        if member.share > most.share {
            *most = member;
        }
    }
    found
}

/// True if the probabilities of the earlier state's components are the same for each normal distribution of the first `known` numbers, which belong
/// to the next state.
fn have_same_shares(members: &[&BeliefComponent], all: &Found<'_>, known: usize) -> bool {
    let mut rest = members.to_vec();
    while let Some(&first) = rest.first() {
        let (same, others): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|member| member.has_same_start(first, known));
        rest = others;
        let found = most_probable_and_shares(&same);
        let is_same = |(component, (share, _)): (&usize, &(f64, &BeliefComponent))| {
            let found = found.get(component).map_or(0.0, |found| found.0);
            (found - share).abs() <= SAME
        };
        if !all.iter().all(is_same) {
            return false;
        }
    }
    true
}

impl BackwardOption {
    /// Computes the distribution of the last `dimension` numbers of the joint component `pair` given its other numbers. The last finite value of
    /// `pair` is the index of the earlier state's mixture component, and `total` is the probability of the next state's component.
    fn new(pair: &BeliefComponent, dimension: usize, total: f64) -> Self {
        let n = pair.mean.len() - dimension;
        let by_factor = pair.factor.as_ref().and_then(|lower| {
            let across = lower.view((n, 0), (dimension, n)).transpose();
            let coefficients = lower
                .view((0, 0), (n, n))
                .tr_solve_lower_triangular(&across)?;
            let own = lower.view((n, n), (dimension, dimension));
            Some((coefficients.transpose(), own * own.transpose()))
        });
        let (coefficients, covariance) = by_factor.unwrap_or_else(|| {
            let known = pair.covariance.view((0, 0), (n, n)).clone_owned();
            let both = pair.covariance.view((0, n), (n, dimension)).clone_owned();
            let own = pair.covariance.view((n, n), (dimension, dimension));
            let coefficients = solution(known, &both).transpose();
            let covariance = own - &coefficients * both;
            (coefficients, covariance)
        });
        let offset = pair.mean.rows(n, dimension) - &coefficients * pair.mean.rows(0, n);
        Self {
            component: pair.finite.last().map_or(0, index_of),
            share: pair.share / total,
            covariance,
            offset,
            coefficients,
        }
    }
}

/// Returns a solution X of the linear system `covariance * X = right`; the covariance matrix may be singular.
fn solution(covariance: DMatrix<f64>, right: &DMatrix<f64>) -> DMatrix<f64> {
    if right.is_empty() {
        return DMatrix::zeros(covariance.nrows(), right.ncols());
    }
    if let Some(lower) = regular_factor(&covariance) {
        return lower.solve(right);
    }
    // The pseudo-inverse of the correlation matrix does not depend on the units of the numbers.
    let inverse = |variance: f64| {
        if variance > 0.0 {
            variance.sqrt().recip()
        } else {
            0.0
        }
    };
    let scale = DMatrix::from_diagonal(&covariance.diagonal().map(inverse));
    let correlation = &scale * covariance * &scale;
    let eigen = correlation.symmetric_eigen();
    let inverse = |value: f64| if value > ROUNDING { value.recip() } else { 0.0 };
    let values = DMatrix::from_diagonal(&eigen.eigenvalues.map(inverse));
    let vectors = &scale * &eigen.eigenvectors;
    &vectors * (values * (vectors.transpose() * right))
}

fn index_of(datum: &Datum) -> usize {
    datum.get::<usize>().copied().unwrap_or_default()
}

impl BackwardOption {
    /// Returns the rows of the matrix that maps the numbers of the next state, followed by independent standard normal numbers, to the numbers of the
    /// earlier state (without the constant term).
    pub(crate) fn rows(&self) -> Vec<Vec<f64>> {
        let factor = factor(&self.covariance);
        let row = |i: usize| {
            let coefficients = self.coefficients.row(i);
            let own = factor.row(i);
            coefficients.iter().chain(own.iter()).copied().collect()
        };
        (0..self.offset.len()).map(row).collect()
    }
}
