//! Compact lists of small non-negative integers.

use super::growth::vector;

/// A list of non-negative integers, each stored in as many bytes as the largest integer needs.
#[derive(Debug)]
pub(super) enum PackedIntegers {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
}

impl Default for PackedIntegers {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

impl PackedIntegers {
    #[inline]
    pub(super) fn push(&mut self, number: u32) {
        match self {
            Self::Bytes(numbers) => {
                if let Ok(number) = u8::try_from(number) {
                    return numbers.push(number);
                }
                *self = Self::Halves(numbers.iter().copied().map(u16::from).collect());
                self.push(number);
            }
            Self::Halves(numbers) => {
                if let Ok(number) = u16::try_from(number) {
                    return numbers.push(number);
                }
                *self = Self::Words(numbers.iter().copied().map(u32::from).collect());
                self.push(number);
            }
            Self::Words(numbers) => numbers.push(number),
        }
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> u32 {
        match self {
            Self::Bytes(numbers) => u32::from(numbers[at]),
            Self::Halves(numbers) => u32::from(numbers[at]),
            Self::Words(numbers) => numbers[at],
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Halves(numbers) => numbers.len(),
            Self::Words(numbers) => numbers.len(),
        }
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        (0..self.len()).any(|at| self.get(at) == number)
    }

    pub(super) fn append(&mut self, others: &Self) {
        for at in 0..others.len() {
            self.push(others.get(at));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Halves(numbers) => 2 * numbers.len(),
            Self::Words(numbers) => 4 * numbers.len(),
        }
    }

    /// Returns the size of the list in bytes, with room for `more` further integers.
    pub(super) fn bytes_with(&self, more: usize) -> usize {
        match self {
            Self::Bytes(numbers) => vector(numbers, more),
            Self::Halves(numbers) => vector(numbers, more),
            Self::Words(numbers) => vector(numbers, more),
        }
    }

    pub(super) fn shrink(&mut self) {
        match self {
            Self::Bytes(numbers) => numbers.shrink_to_fit(),
            Self::Halves(numbers) => numbers.shrink_to_fit(),
            Self::Words(numbers) => numbers.shrink_to_fit(),
        }
    }
}
