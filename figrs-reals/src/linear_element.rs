//! Linear functions of normal vectors, one function for each assignment of some finite elements.

use std::borrow::Borrow;

use figrs_core::LinearFunction;
use nalgebra::DMatrixView;
use smallvec::{SmallVec, smallvec};

/// Rounding error of a coefficient, relative to its size.
const ROUNDING: f64 = 1e-14;

/// A linear function of some vectors: `offset + Σ coefficients * vector`. A function of few numbers is stored without heap
/// allocation.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    /// Number of real numbers of the function's value.
    numbers: usize,
    /// The vectors of the function, by index in ascending order, each with its dimension.
    vectors: SmallVec<[(u32, u32); 2]>,
    /// The offset, followed by the coefficients of each vector, column by column.
    entries: SmallVec<[f64; 6]>,
}

impl Linear {
    pub(crate) fn constant(offset: &[f64]) -> Self {
        Self {
            numbers: offset.len(),
            vectors: SmallVec::new(),
            entries: SmallVec::from_slice(offset),
        }
    }

    pub(crate) fn vector(index: usize, dimension: usize) -> Self {
        let mut this = Self {
            numbers: dimension,
            vectors: smallvec![(index as u32, dimension as u32)],
            entries: smallvec![0.0; dimension * (dimension + 1)],
        };
        for i in 0..dimension {
            this.entries[dimension + i * (dimension + 1)] = 1.0;
        }
        this
    }

    pub(crate) fn numbers(&self) -> usize {
        self.numbers
    }

    pub(crate) fn offset(&self) -> &[f64] {
        &self.entries[..self.numbers]
    }

    /// Returns the vectors of the function by index, in ascending order, with their coefficients.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (usize, DMatrixView<'_, f64>)> {
        let mut rest = &self.entries[self.numbers..];
        self.vectors.iter().map(move |&(index, width)| {
            let width = width as usize;
            let (own, others) = rest.split_at(self.numbers * width);
            rest = others;
            (
                index as usize,
                DMatrixView::from_slice(own, self.numbers, width),
            )
        })
    }

    /// Returns the indices of the vectors, in ascending order.
    pub(crate) fn vectors(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.vectors.iter().map(|vector| vector.0 as usize)
    }

    /// Returns the coefficients of the vector `index`; `None` if the function does not contain it.
    pub(crate) fn coefficients(&self, index: usize) -> Option<DMatrixView<'_, f64>> {
        let found = self.terms().find(|term| term.0 == index);
        found.map(|term| term.1)
    }

    /// Returns the index of the vector if this function is the identity function of one vector; otherwise `None`.
    pub(crate) fn as_vector(&self) -> Option<usize> {
        let [(index, dimension)] = self.vectors[..] else {
            return None;
        };
        let (index, dimension) = (index as usize, dimension as usize);
        let is_equal =
            dimension == self.numbers && self.entries == Self::vector(index, dimension).entries;
        is_equal.then_some(index)
    }

    /// If this function and `other` have one number each, returns the offset and the slope of this function as a linear function of `other`; `None`
    /// if it is not a function of `other`.
    pub(crate) fn in_terms_of(&self, other: &Self) -> Option<(f64, f64)> {
        if self.numbers != 1 {
            return None;
        }
        let (own, others) = (&self.entries[1..], &other.entries[1..]);
        if own.iter().all(|&x| x == 0.0) {
            return Some((self.entries[0], 0.0));
        }
        if self.vectors != other.vectors {
            return None;
        }
        let largest =
            (0..others.len()).max_by(|&i, &j| others[i].abs().total_cmp(&others[j].abs()))?;
        let slope = own[largest] / others[largest];
        let mut pairs = own.iter().zip(others);
        let is_multiple =
            pairs.all(|(a, b)| (a - slope * b).abs() <= ROUNDING * (a.abs() + (slope * b).abs()));
        (slope.is_finite() && is_multiple)
            .then(|| (self.entries[0] - slope * other.entries[0], slope))
    }

    /// True if the function has no vectors.
    pub(crate) fn is_constant(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Returns the function with the magnitudes of all coefficients.
    pub(crate) fn absolute(&self) -> Self {
        let mut absolute = self.clone();
        absolute.entries.iter_mut().for_each(|x| *x = x.abs());
        absolute
    }

    /// Replaces each vector for which `known` returns a function by that function.
    pub(crate) fn replaced<K: Borrow<Self>>(&self, known: impl Fn(usize) -> Option<K>) -> Self {
        let mut sum = Self::constant(self.offset());
        for (index, coefficients) in self.terms() {
            match known(index) {
                Some(known) => sum.add(coefficients, known.borrow()),
                None => sum.add_term(1.0, index, coefficients),
            }
        }
        sum
    }

    /// Sets each coefficient to zero that is not larger than the rounding errors of its sum, and removes vectors without other coefficients. The
    /// magnitudes of the terms add up to the coefficients of `absolute`.
    pub(crate) fn drop_rounding_errors(&mut self, absolute: &Self) {
        let pairs = self.entries.iter_mut().zip(&absolute.entries);
        for (x, size) in pairs.skip(self.numbers) {
            if x.abs() <= ROUNDING * size {
                *x = 0.0;
            }
        }
        let mut rest = Self::constant(self.offset());
        for (index, coefficients) in self.terms() {
            if coefficients.iter().any(|&x| x != 0.0) {
                rest.add_term(1.0, index, coefficients);
            }
        }
        *self = rest;
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.entries.iter().all(|x| x.is_finite())
    }

    /// Returns the function with the indices of its vectors replaced.
    pub(crate) fn renamed(&self, new_index: impl Fn(usize) -> usize) -> Self {
        let mut sum = Self::constant(self.offset());
        for (index, coefficients) in self.terms() {
            sum.add_term(1.0, new_index(index), coefficients);
        }
        sum
    }

    pub(crate) fn add_multiple(&mut self, factor: f64, other: &Self) {
        add_multiple(&mut self.entries, factor, other.offset());
        for (index, coefficients) in other.terms() {
            self.add_term(factor, index, coefficients);
        }
    }

    pub(crate) fn add(&mut self, coefficients: DMatrixView<'_, f64>, other: &Self) {
        let offset = &mut self.entries[..self.numbers];
        add_product(offset, coefficients, other.offset());
        for (index, of_other) in other.terms() {
            let own = self.columns(index, of_other.ncols());
            let columns = own.chunks_exact_mut(coefficients.nrows());
            for (sum, column) in columns.zip(of_other.column_iter()) {
                add_product(sum, coefficients, column.as_slice());
            }
        }
    }

    pub(crate) fn add_term(
        &mut self,
        factor: f64,
        index: usize,
        coefficients: DMatrixView<'_, f64>,
    ) {
        let own = self.columns(index, coefficients.ncols());
        let columns = own.chunks_exact_mut(coefficients.nrows().max(1));
        for (sum, column) in columns.zip(coefficients.column_iter()) {
            add_multiple(sum, factor, column.as_slice());
        }
    }

    /// Returns the coefficients of the vector `index`, column by column; zeros are inserted if the function does not contain the vector.
    fn columns(&mut self, index: usize, dimension: usize) -> &mut [f64] {
        let key = index as u32;
        let found = self.vectors.binary_search_by_key(&key, |vector| vector.0);
        let place = found.unwrap_or_else(|place| place);
        let before = self.vectors[..place]
            .iter()
            .map(|vector| vector.1)
            .sum::<u32>() as usize;
        let (start, count) = (self.numbers * (1 + before), self.numbers * dimension);
        if found.is_err() {
            self.vectors.insert(place, (key, dimension as u32));
            self.entries.resize(self.entries.len() + count, 0.0);
            self.entries[start..].rotate_right(count);
        }
        &mut self.entries[start..start + count]
    }
}

fn add_product(sum: &mut [f64], matrix: DMatrixView<'_, f64>, column: &[f64]) {
    for (own, &x) in matrix.column_iter().zip(column) {
        add_multiple(sum, x, own.as_slice());
    }
}

fn add_multiple(sum: &mut [f64], factor: f64, numbers: &[f64]) {
    for (sum, x) in sum.iter_mut().zip(numbers) {
        *sum += factor * x;
    }
}

/// A value for each assignment of some finite elements.
#[derive(Clone, Debug)]
pub(crate) struct Conditional<T> {
    /// The finite elements on which the value depends, by index in ascending order.
    pub(crate) finite: Vec<usize>,
    /// The values for all assignments, in row-major order: the last finite element varies fastest.
    pub(crate) rows: SmallVec<[T; 1]>,
}

impl<T> Conditional<T> {
    pub(crate) fn always(value: T) -> Self {
        Self {
            finite: Vec::new(),
            rows: smallvec![value],
        }
    }

    /// Returns the value for the assignment `values` of the finite elements `scope`, which are in ascending order and have `sizes` values.
    pub(crate) fn row(&self, scope: &[usize], values: &[u32], sizes: &[usize]) -> &T {
        let index = self.finite.iter().fold(0, |index, element| {
            let place = scope.binary_search(element).unwrap_or_default();
            index * sizes[place] + values[place] as usize
        });
        &self.rows[index]
    }

    pub(crate) fn map<R>(self, function: impl FnMut(T) -> R) -> Conditional<R> {
        Conditional {
            finite: self.finite,
            rows: self.rows.into_iter().map(function).collect(),
        }
    }
}

impl Conditional<Linear> {
    /// Returns the indices of all vectors, in ascending order.
    pub(crate) fn vectors(&self) -> SmallVec<[usize; 4]> {
        if let [row] = &self.rows[..] {
            return row.vectors().collect();
        }
        let mut all: SmallVec<_> = self.rows.iter().flat_map(Linear::vectors).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Returns the union of `lists`, in ascending order.
pub(crate) fn union<'a>(lists: impl IntoIterator<Item = &'a [usize]>) -> Vec<usize> {
    let mut all: Vec<usize> = lists.into_iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the composition of `function` with the linear functions `open`, as a linear function of vectors.
pub(crate) fn composed(function: &LinearFunction, open: &[&Linear]) -> Linear {
    let n = function.offset().len();
    let mut sum = Linear::constant(function.offset());
    let mut rest = function.coefficients();
    for linear in open {
        let (own, others) = rest.split_at(n * linear.numbers());
        rest = others;
        sum.add(DMatrixView::from_slice(own, n, linear.numbers()), linear);
    }
    sum
}
