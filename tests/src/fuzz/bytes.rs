//! Turns bytes of the fuzzer into decisions.

/// Numbers that constructors may not expect, and some usual ones.
const NUMBERS: [f64; 32] = [
    0.5,
    0.0,
    1.0,
    0.25,
    2.0,
    0.9,
    3.0,
    0.1,
    -1.0,
    -0.0,
    1.5,
    10.0,
    1e-9,
    1e-200,
    1e200,
    f64::MIN_POSITIVE,
    5e-324,
    1e-310,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::EPSILON,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON,
    -745.0,
    709.0,
    1e9,
    9_007_199_254_740_993.0,
    1e17,
    -1e-320,
];

/// Bytes that are read as decisions; after the last byte, the simplest decisions follow.
#[derive(Debug)]
pub(super) struct Bytes<'a>(std::slice::Iter<'a, u8>);

impl<'a> Bytes<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self(data.iter())
    }

    /// Returns the next byte; 0 after the last one.
    pub(super) fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    /// Returns a number below `limit`.
    pub(super) fn below(&mut self, limit: u8) -> u8 {
        self.byte() % limit
    }

    /// Returns eight bytes as a number.
    pub(super) fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte()))
    }

    /// Returns one of the numbers of the table, or an arbitrary number.
    pub(super) fn number(&mut self) -> f64 {
        match self.byte() {
            255 => f64::from_bits(self.word()),
            byte => NUMBERS[usize::from(byte) % NUMBERS.len()],
        }
    }

    /// Returns a list of `least` to `least + 3` items.
    pub(super) fn list<T>(&mut self, least: u8, mut thing: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = least + self.below(4);
        (0..count).map(|_| thing(self)).collect()
    }
}
