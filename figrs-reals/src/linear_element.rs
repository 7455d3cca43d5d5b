//! Linear functions of normal vectors, one function for each assignment of some finite elements.

use std::ops::Range;

use figrs_core::LinearFunction;
use nalgebra::DMatrixView;
use smallvec::{SmallVec, smallvec};

/// Largest rounding error of a sum, relative to the sum of the magnitudes of its terms. The bound on the rounding error of a sum is 45 times the
/// rounding error of one operation.
const ROUNDING: f64 = 1e-14;

/// A linear function of some real vectors: `offset + Σ coefficients * vector`. A linear function of few numbers is stored without heap allocation.
///
/// The offset and the coefficients of a linear function are sums of products of the numbers of the model. The magnitude of a sum of products is the
/// same sum with the absolute values of its numbers; the rounding error of the sum is proportional to its magnitude.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    /// Number of real numbers in the value of the linear function.
    numbers: usize,
    /// The vectors of which this is a linear function, by index in ascending order, each with its dimension.
    vectors: SmallVec<[(u32, u32); 2]>,
    /// The offset of the linear function, followed by the coefficients of each vector, column by column.
    entries: SmallVec<[f64; 6]>,
    /// For each entry, its magnitude (the sum of the absolute values of its terms); empty as long as the magnitudes are the absolute values of the
    /// entries, because no terms of opposite signs were added.
    magnitudes: Vec<f64>,
}

impl Linear {
    pub(crate) fn constant(offset: &[f64]) -> Self {
        Self {
            numbers: offset.len(),
            vectors: SmallVec::new(),
            entries: SmallVec::from_slice(offset),
            magnitudes: Vec::new(),
        }
    }

    pub(crate) fn vector(index: usize, dimension: usize) -> Self {
        let mut entries: SmallVec<[f64; 6]> = smallvec![0.0; dimension * (dimension + 1)];
        for i in 0..dimension {
            entries[dimension + i * (dimension + 1)] = 1.0;
        }
        Self {
            numbers: dimension,
            vectors: smallvec![(index as u32, dimension as u32)],
            entries,
            magnitudes: Vec::new(),
        }
    }

    pub(crate) fn numbers(&self) -> usize {
        self.numbers
    }

    pub(crate) fn offset(&self) -> &[f64] {
        &self.entries[..self.numbers]
    }

    /// Returns the indices of the linear function's vectors, in ascending order, with their coefficients.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (usize, DMatrixView<'_, f64>)> {
        self.blocks().map(|(index, width, block)| {
            let own = &self.entries[block];
            (index, DMatrixView::from_slice(own, self.numbers, width))
        })
    }

    /// Returns the index and the dimension of each vector, and the range of the vector's coefficients among the entries.
    fn blocks(&self) -> impl Iterator<Item = (usize, usize, Range<usize>)> {
        let mut start = self.numbers;
        self.vectors.iter().map(move |&(index, width)| {
            let end = start + self.numbers * width as usize;
            let block = start..end;
            start = end;
            (index as usize, width as usize, block)
        })
    }

    /// Returns the indices of the linear function's vectors, in ascending order.
    pub(crate) fn vectors(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.vectors.iter().map(|vector| vector.0 as usize)
    }

    /// Returns the coefficients of the vector `index`; `None` if the linear function does not contain this vector.
    pub(crate) fn coefficients(&self, index: usize) -> Option<DMatrixView<'_, f64>> {
        let found = self.terms().find(|term| term.0 == index);
        found.map(|term| term.1)
    }

    /// Returns the index of the vector if this linear function is the identity function of one vector; otherwise `None`.
    pub(crate) fn as_vector(&self) -> Option<usize> {
        let [(index, dimension)] = self.vectors[..] else {
            return None;
        };
        let is_equal = dimension as usize == self.numbers
            && self.offset().iter().all(|&x| x == 0.0)
            && is_identity(&self.entries[self.numbers..], self.numbers);
        is_equal.then_some(index as usize)
    }

    /// If `self` and `other` have one number each, returns the offset and the slope of `self` as a linear function of `other`; `None` if `self` is
    /// not a function of `other`.
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

    /// True if the linear function contains no vectors, so that it is constant.
    pub(crate) fn is_constant(&self) -> bool {
        self.vectors.is_empty()
    }

    /// True if the linear function is constant and has the value `value` up to rounding: each number differs from the number in `value` by at most
    /// 1e-14 times the sum of the magnitudes of the two numbers.
    pub(crate) fn agrees_with(&self, value: &[f64]) -> bool {
        let mut pairs = self.offset().iter().zip(value).enumerate();
        let is_near = |(place, (x, value)): (usize, (&f64, &f64))| {
            let size = self.magnitudes.get(place).copied().unwrap_or(x.abs());
            (x - value).abs() <= ROUNDING * (size + value.abs())
        };
        self.is_constant() && pairs.all(is_near)
    }

    /// Returns the linear function that gives the number with the index `position` in this function's value.
    pub(crate) fn number(&self, position: usize) -> Self {
        let rows = (position..self.entries.len()).step_by(self.numbers);
        Self {
            numbers: 1,
            vectors: self.vectors.clone(),
            entries: rows.clone().map(|i| self.entries[i]).collect(),
            magnitudes: rows
                .filter_map(|i| self.magnitudes.get(i).copied())
                .collect(),
        }
    }

    /// Replaces each vector for which `known` returns a linear function by this linear function.
    pub(crate) fn replaced<'k>(&self, known: impl Fn(usize) -> Option<&'k Self>) -> Self {
        let mut sum = self.with_blocks(|_, _| false);
        for (index, width, block) in self.blocks() {
            match known(index) {
                Some(known) => sum.add_product(self.terms_of(block), known),
                None => sum.add_block(1.0, (index, width), self.terms_of(block)),
            }
        }
        sum
    }

    /// Sets each coefficient to zero that is not larger than its rounding error, and removes vectors whose coefficients are all zero.
    pub(crate) fn drop_rounding_errors(&mut self) {
        let pairs = self.entries.iter_mut().zip(&self.magnitudes);
        for (x, size) in pairs.skip(self.numbers) {
            if x.abs() <= ROUNDING * size {
                *x = 0.0;
            }
        }
        if self
            .terms()
            .any(|(_, block)| block.iter().all(|&x| x == 0.0))
        {
            *self = self.with_blocks(|_, block| block.iter().any(|&x| x != 0.0));
        }
    }

    /// Returns the linear function without the term of the vector `index`.
    pub(crate) fn without(&self, index: usize) -> Self {
        self.with_blocks(|other, _| other != index)
    }

    /// Returns the linear function without the terms of vectors for which `keeps` is false. The arguments of `keeps` are the index of the vector and
    /// its coefficients.
    fn with_blocks(&self, keeps: impl Fn(usize, &[f64]) -> bool) -> Self {
        let mut sum = Self {
            numbers: self.numbers,
            vectors: SmallVec::new(),
            entries: SmallVec::from_slice(self.offset()),
            magnitudes: self.terms_of(0..self.numbers).sizes.to_vec(),
        };
        for (index, width, block) in self.blocks() {
            if keeps(index, &self.entries[block.clone()]) {
                sum.add_block(1.0, (index, width), self.terms_of(block));
            }
        }
        sum
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.entries.iter().all(|x| x.is_finite())
    }

    /// Returns the linear function with other indices of its vectors.
    pub(crate) fn renamed(&self, new_index: impl Fn(usize) -> usize) -> Self {
        let mut sum = self.with_blocks(|_, _| false);
        for (index, width, block) in self.blocks() {
            sum.add_block(1.0, (new_index(index), width), self.terms_of(block));
        }
        sum
    }

    pub(crate) fn add_multiple(&mut self, factor: f64, other: &Self) {
        let offset = other.terms_of(0..other.numbers);
        self.add_terms(0..self.numbers, (factor, factor.abs()), offset);
        for (index, width, block) in other.blocks() {
            self.add_block(factor, (index, width), other.terms_of(block));
        }
    }

    /// Adds the product of the matrix `coefficients`, which is given column by column, and the linear function `other`.
    pub(crate) fn add(&mut self, coefficients: &[f64], other: &Self) {
        let matrix = Terms {
            numbers: coefficients,
            sizes: &[],
        };
        self.add_product(matrix, other);
    }

    /// Adds the product of a matrix, which is given column by column, and the linear function `other`.
    fn add_product(&mut self, matrix: Terms<'_>, other: &Self) {
        let n = self.numbers;
        self.add_column(0..n, matrix, other.terms_of(0..other.numbers));
        for (index, width, block) in other.blocks() {
            let own = self.block(index, width).start;
            for column in 0..width {
                let start = block.start + column * other.numbers;
                let vector = other.terms_of(start..start + other.numbers);
                let start = own + column * n;
                self.add_column(start..start + n, matrix, vector);
            }
        }
    }

    /// Adds the product of a matrix, which is given column by column, and a vector to the entries `own`.
    fn add_column(&mut self, own: Range<usize>, matrix: Terms<'_>, vector: Terms<'_>) {
        for (column, &x) in vector.numbers.iter().enumerate() {
            let size = vector.sizes.get(column).copied().unwrap_or(x.abs());
            let column = matrix.part(column * own.len()..(column + 1) * own.len());
            self.add_terms(own.clone(), (x, size), column);
        }
    }

    /// Adds `factor` times the coefficients of a vector, which are given column by column, to this linear function.
    fn add_block(&mut self, factor: f64, (index, width): (usize, usize), terms: Terms<'_>) {
        let own = self.block(index, width);
        self.add_terms(own, (factor, factor.abs()), terms);
    }

    /// Adds `factor` times the numbers of `terms` to the entries `own`; `size` is the magnitude of the factor.
    fn add_terms(&mut self, own: Range<usize>, (factor, size): (f64, f64), terms: Terms<'_>) {
        let pairs = || self.entries[own.clone()].iter().zip(terms.numbers);
        let cancels = |(&sum, &x): (&f64, &f64)| {
            let term = factor * x;
            (sum > 0.0 && term < 0.0) || (sum < 0.0 && term > 0.0)
        };
        let is_exact = terms.sizes.is_empty() && size == factor.abs();
        if self.magnitudes.is_empty() && (!is_exact || pairs().any(cancels)) {
            self.magnitudes = self.entries.iter().map(|x| x.abs()).collect();
        }
        if !self.magnitudes.is_empty() {
            let sums = &mut self.magnitudes[own.clone()];
            for (place, (sum, x)) in sums.iter_mut().zip(terms.numbers).enumerate() {
                *sum += size * terms.sizes.get(place).copied().unwrap_or(x.abs());
            }
        }
        add_multiple(&mut self.entries[own], factor, terms.numbers);
    }

    /// Returns the entries of the linear function in `range`, with their magnitudes.
    fn terms_of(&self, range: Range<usize>) -> Terms<'_> {
        let all = Terms {
            numbers: &self.entries,
            sizes: &self.magnitudes,
        };
        all.part(range)
    }

    /// Returns the range of the coefficients of the vector `index` among the entries; zeros are inserted if the linear function does not contain the
    /// vector.
    fn block(&mut self, index: usize, width: usize) -> Range<usize> {
        let key = index as u32;
        let found = self.vectors.binary_search_by_key(&key, |vector| vector.0);
        let place = found.unwrap_or_else(|place| place);
        let before = self.vectors[..place]
            .iter()
            .map(|vector| vector.1)
            .sum::<u32>() as usize;
        let (start, count) = (self.numbers * (1 + before), self.numbers * width);
        if found.is_err() {
            self.vectors.insert(place, (key, width as u32));
            let length = self.entries.len() + count;
            self.entries.resize(length, 0.0);
            self.entries[start..].rotate_right(count);
            if !self.magnitudes.is_empty() {
                self.magnitudes.resize(length, 0.0);
                self.magnitudes[start..].rotate_right(count);
            }
        }
        start..start + count
    }
}

/// Numbers with the magnitudes that bound their rounding errors; if `sizes` is empty, the magnitudes are the absolute values of the numbers.
#[derive(Clone, Copy)]
struct Terms<'a> {
    numbers: &'a [f64],
    sizes: &'a [f64],
}

impl Terms<'_> {
    fn part(self, range: Range<usize>) -> Self {
        Self {
            numbers: &self.numbers[range.clone()],
            sizes: self.sizes.get(range).unwrap_or_default(),
        }
    }
}

fn add_multiple(sum: &mut [f64], factor: f64, numbers: &[f64]) {
    for (sum, x) in sum.iter_mut().zip(numbers) {
        *sum += factor * x;
    }
}

/// True if `entries` is the identity matrix of `n` rows.
fn is_identity(entries: &[f64], n: usize) -> bool {
    let mut all = entries.iter().enumerate();
    entries.len() == n * n && all.all(|(i, &x)| x == f64::from(u8::from(i % (n + 1) == 0)))
}

/// A value for each assignment (joint value) of some finite elements.
#[derive(Clone, Debug)]
pub(crate) struct Conditional<T> {
    /// The finite elements on which the value depends, by index in ascending order.
    pub(crate) finite: Vec<usize>,
    /// The values for all assignments of the finite elements, in row-major order: the last finite element varies fastest.
    pub(crate) rows: SmallVec<[T; 1]>,
}

impl<T> Conditional<T> {
    pub(crate) fn always(value: T) -> Self {
        Self {
            finite: Vec::new(),
            rows: smallvec![value],
        }
    }

    /// Returns the value for the assignment `values` of the finite elements `scope`, which are in ascending order; `sizes` has their numbers of
    /// values.
    pub(crate) fn row(&self, scope: &[usize], values: &[u32], sizes: &[usize]) -> &T {
        &self.rows[self.index(scope, values, sizes)]
    }

    /// Returns the index of the row for the assignment `values` of the finite elements `scope`, which are in ascending order; `sizes` has their
    /// numbers of values.
    pub(crate) fn index(&self, scope: &[usize], values: &[u32], sizes: &[usize]) -> usize {
        self.finite.iter().fold(0, |index, element| {
            let place = scope.binary_search(element).unwrap_or_default();
            index * sizes[place] + values[place] as usize
        })
    }

    pub(crate) fn map<R>(self, function: impl FnMut(T) -> R) -> Conditional<R> {
        Conditional {
            finite: self.finite,
            rows: self.rows.into_iter().map(function).collect(),
        }
    }
}

impl Conditional<Linear> {
    /// Returns the indices of all vectors in the linear functions, in ascending order.
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

/// Returns the union of the lists of indices `lists`, in ascending order.
pub(crate) fn union<'a>(lists: impl IntoIterator<Item = &'a [usize]>) -> Vec<usize> {
    let mut all: Vec<usize> = lists.into_iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the composition of `function` with the linear functions `open`, as a linear function of real vectors.
pub(crate) fn composed(function: &LinearFunction, open: &[&Linear]) -> Linear {
    let n = function.offset().len();
    if let &[linear] = open {
        // If the argument is a vector itself, copies of the coefficients are faster than products of matrices.
        if linear.as_vector().is_some() {
            let offset = function.offset().iter();
            return Linear {
                numbers: n,
                vectors: linear.vectors.clone(),
                entries: offset.chain(function.coefficients()).copied().collect(),
                magnitudes: Vec::new(),
            };
        }
        if n == linear.numbers
            && function.offset().iter().all(|&x| x == 0.0)
            && is_identity(function.coefficients(), n)
        {
            return linear.clone();
        }
    }
    let mut sum = Linear::constant(function.offset());
    let mut rest = function.coefficients();
    for linear in open {
        let (own, others) = rest.split_at(n * linear.numbers());
        rest = others;
        sum.add(own, linear);
    }
    sum
}
