//! Linear functions of normal vectors, one for each assignment of some finite elements.

use nalgebra::{DMatrix, DVector};

/// A linear function of some vectors: `offset + Σ coefficients * vector`.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) offset: DVector<f64>,
    /// The vectors, by index in ascending order, with their coefficients.
    pub(super) terms: Vec<(usize, DMatrix<f64>)>,
}

impl Linear {
    pub(super) fn constant(offset: DVector<f64>) -> Self {
        Self {
            offset,
            terms: Vec::new(),
        }
    }

    /// A vector itself.
    pub(super) fn vector(index: usize, dimension: usize) -> Self {
        Self {
            offset: DVector::zeros(dimension),
            terms: vec![(index, DMatrix::identity(dimension, dimension))],
        }
    }

    /// The vector that this function is equal to, if there is one.
    pub(super) fn as_vector(&self) -> Option<usize> {
        let [(index, coefficients)] = &self.terms[..] else {
            return None;
        };
        let n = self.offset.len();
        let is_equal =
            self.offset.iter().all(|&x| x == 0.0) && *coefficients == DMatrix::identity(n, n);
        is_equal.then_some(*index)
    }

    /// Adds `coefficients * other`.
    pub(super) fn add(&mut self, coefficients: &DMatrix<f64>, other: &Self) {
        self.offset += coefficients * &other.offset;
        for (index, of_other) in &other.terms {
            let product = coefficients * of_other;
            match self.terms.binary_search_by_key(index, |term| term.0) {
                Ok(place) => self.terms[place].1 += product,
                Err(place) => self.terms.insert(place, (*index, product)),
            }
        }
    }
}

/// A value for each assignment of some finite elements.
#[derive(Clone, Debug)]
pub(super) struct Conditional<T> {
    /// The finite elements, by index in ascending order.
    pub(super) finite: Vec<usize>,
    /// The values, row-major: the last finite element varies fastest.
    pub(super) rows: Vec<T>,
}

impl<T> Conditional<T> {
    pub(super) fn always(value: T) -> Self {
        Self {
            finite: Vec::new(),
            rows: vec![value],
        }
    }

    /// The value for an assignment of all finite elements that `scope` lists in ascending order.
    pub(super) fn row(&self, scope: &[usize], values: &[u32], sizes: &[usize]) -> &T {
        let index = self.finite.iter().fold(0, |index, element| {
            let place = scope.binary_search(element).unwrap_or_default();
            index * sizes[place] + values[place] as usize
        });
        &self.rows[index]
    }
}

/// The union of lists in ascending order.
pub(super) fn union<'a>(lists: impl IntoIterator<Item = &'a [usize]>) -> Vec<usize> {
    let mut all: Vec<usize> = lists.into_iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
