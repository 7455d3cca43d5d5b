//! Assignments of variables in row-major order: the last variable changes fastest.

use super::factor_graph::FactorGraph;

/// The assignments of some variables, each with a row-major index.
///
/// The methods of `Assignments` read and write the values of an assignment in a list, in which each variable has an index. The list of values may
/// also contain values of other variables, which the methods do not change.
#[derive(Clone, Debug)]
pub struct Assignments {
    digits: Vec<Digit>,
    count: usize,
}

/// One variable of an assignment, with its index in lists of values, its cardinality and its stride.
#[derive(Clone, Copy, Debug)]
struct Digit {
    place: u32,
    cardinality: u32,
    stride: usize,
}

impl Assignments {
    /// Creates the assignments of variables; each pair in `variables` is the index of a variable in lists of values, and its cardinality.
    pub fn new(variables: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let digit = |(place, cardinality)| Digit {
            place: place as u32,
            cardinality: cardinality as u32,
            stride: 1,
        };
        let mut digits: Vec<Digit> = variables.into_iter().map(digit).collect();
        let mut count = 1usize;
        for digit in digits.iter_mut().rev() {
            digit.stride = count;
            count = count.saturating_mul(digit.cardinality as usize);
        }
        Self { digits, count }
    }

    /// Creates the assignments of the variables of `graph` with the indices `variables`; a list of values has one value for each variable of `graph`.
    pub fn within(graph: &FactorGraph, variables: impl IntoIterator<Item = usize>) -> Self {
        let cardinality = |v: usize| (v, graph.cardinalities[v] as usize);
        Self::new(variables.into_iter().map(cardinality))
    }

    /// Creates the assignments of variables with the cardinalities `cardinalities`; a list of values has one value for each of these variables.
    pub fn rows(cardinalities: impl IntoIterator<Item = usize>) -> Self {
        Self::new(cardinalities.into_iter().enumerate())
    }

    /// Returns the number of variables.
    pub fn variables(&self) -> usize {
        self.digits.len()
    }

    /// Returns the number of assignments, or the largest `usize` if the number is larger.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns, for each variable, its index in the lists of values and its stride in the row-major numbering.
    pub fn strides(&self) -> impl Iterator<Item = (usize, usize)> {
        self.digits.iter().map(|d| (d.place as usize, d.stride))
    }

    /// Sets all variables to value zero, which is their first assignment.
    pub fn reset(&self, values: &mut [u32]) {
        for digit in &self.digits {
            values[digit.place as usize] = 0;
        }
    }

    /// Sets the variables to their next assignment in row-major order. Returns the index of the variable whose value grew by one in the step to the
    /// next assignment; all later variables became zero. After the last assignment, sets all variables to zero and returns `None`.
    #[inline]
    pub fn advance(&self, values: &mut [u32]) -> Option<usize> {
        for (i, digit) in self.digits.iter().enumerate().rev() {
            let value = &mut values[digit.place as usize];
            *value += 1;
            if *value < digit.cardinality {
                return Some(i);
            }
            *value = 0;
        }
        None
    }

    /// Returns, for each variable, the change of an offset in another table if the value of the variable grows by one while all later variables
    /// become zero. `strides` contains the strides of the variables in the table to which the offset belongs. The changes of the offset are computed
    /// modulo the size of a machine word.
    pub fn offset_changes(&self, strides: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut changes: Vec<usize> = strides.into_iter().collect();
        let mut back = 0usize;
        for (change, digit) in changes.iter_mut().zip(&self.digits).rev() {
            let stride = *change;
            *change = stride.wrapping_sub(back);
            back = back.wrapping_add(stride.wrapping_mul(digit.cardinality as usize - 1));
        }
        changes
    }

    /// Returns the row-major index of the assignment in the list `values`.
    #[inline]
    pub fn number(&self, values: &[u32]) -> usize {
        let digits = self.digits.iter();
        digits
            .map(|digit| values[digit.place as usize] as usize * digit.stride)
            .sum()
    }

    /// Returns the values of the assignment with the row-major index `number`.
    #[inline]
    pub fn values(&self, mut number: usize) -> impl Iterator<Item = u32> {
        self.digits.iter().map(move |digit| {
            let value = number / digit.stride;
            number %= digit.stride;
            value as u32
        })
    }

    /// Writes the assignment with the row-major index `number` into `values`.
    #[inline]
    pub fn assign(&self, number: usize, values: &mut [u32]) {
        for (digit, value) in self.digits.iter().zip(self.values(number)) {
            values[digit.place as usize] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_numbered_in_the_order_they_come() {
        let all = Assignments::new([(3, 2), (0, 3), (2, 1), (1, 2)]);
        let mut values = vec![7; 5];
        all.reset(&mut values);
        for number in 0..all.count() {
            assert_eq!(all.number(&values), number);
            let mut other = vec![7; 5];
            all.assign(number, &mut other);
            assert_eq!(other, values);
            let row: Vec<u32> = all.values(number).collect();
            assert_eq!(row, [3, 0, 2, 1].map(|place: usize| values[place]));
            let raised = [Some(3), Some(1), Some(3), Some(1), Some(3), Some(0)];
            let expected = if number == 11 {
                None
            } else {
                raised[number % 6]
            };
            assert_eq!(all.advance(&mut values), expected);
        }
        assert_eq!(values, [0, 0, 0, 0, 7]);
    }

    #[test]
    fn offsets_of_another_table_follow() {
        let (all, strides) = (Assignments::rows([2, 3, 2]), [1, 4, 2]);
        let changes = all.offset_changes(strides);
        let (mut values, mut offset) = ([0; 3], 0usize);
        loop {
            let digits = values.iter().zip(strides);
            let expected: usize = digits.map(|(&x, stride)| x as usize * stride).sum();
            assert_eq!(offset, expected);
            let Some(raised) = all.advance(&mut values) else {
                return;
            };
            offset = offset.wrapping_add(changes[raised]);
        }
    }

    #[test]
    fn no_variables_have_one_assignment() {
        let all = Assignments::rows([]);
        assert_eq!((all.count(), all.number(&[])), (1, 0));
        assert_eq!(all.advance(&mut []), None);
    }
}
