//! Semirings in ordinary numbers, with the common scale of a table stored separately, and their conversion to logarithms.

use std::borrow::Cow;

use super::logarithmic::{LogSumProduct, MaxProduct};
use super::semiring::{ExponentRange, Semiring, ValueBounds};
use crate::graph::Weights;

/// Defines zero, one, products, conversions and scaling of ordinary numbers with a common scale.
macro_rules! scaled_numbers {
    () => {
        type Value = f64;

        fn zero() -> f64 {
            0.0
        }
        fn one() -> f64 {
            1.0
        }
        fn is_zero(value: &f64) -> bool {
            *value == 0.0
        }
        fn mul(a: &f64, b: &f64) -> f64 {
            a * b
        }
        fn lift(weights: &Weights, i: usize) -> f64 {
            weights.linear()[i]
        }
        fn lift_all(weights: &Weights) -> Cow<'_, [f64]> {
            Cow::Borrowed(weights.linear())
        }
        fn scale(weights: &Weights) -> f64 {
            weights.log_scale()
        }
        fn is_out_of_range(a: &f64, b: &f64, product: &f64) -> bool {
            !product.is_normal() && *a != 0.0 && *b != 0.0
        }
        fn range(values: &[f64]) -> ExponentRange {
            let (low, high) = exponents(values);
            ExponentRange { low, high }
        }
        fn rescale(values: &mut [f64], lost: &mut bool) -> (f64, ExponentRange) {
            rescale(values, lost)
        }
        fn normalise(values: &mut [f64], lost: &mut bool) -> f64 {
            normalise(values, lost)
        }
    };
}

/// The sum-product semiring in `f64`, in which each message (table) is divided by a power of two, and the logarithm of this power is stored.
///
/// A positive product that would be rounded to zero, to a subnormal number or to infinity is reported as lost
/// (overflow or underflow). After an overflow or underflow, the caller repeats the computation in
/// [`super::LogSumProduct`].
#[derive(Clone, Copy, Debug)]
pub struct SumProduct;

impl Semiring for SumProduct {
    const SUMS_TO_ONE: bool = true;

    scaled_numbers!();

    fn add(a: f64, b: f64) -> f64 {
        a + b
    }
    fn repeated(times: usize) -> f64 {
        times as f64
    }
    fn extent(values: &[f64]) -> ValueBounds {
        // Positive floating-point numbers have the same order as their bit patterns. The subtraction of one turns the bit pattern of zero into the
        // largest integer.
        let (mut low, mut high) = (u64::MAX, 0);
        for value in values {
            let bits = value.to_bits();
            low = low.min(bits.wrapping_sub(1));
            high = high.max(bits);
        }
        let has_zeros = values.contains(&0.0);
        let exponent = |bits: u64| (bits >> 52) as i32 - 1023;
        ValueBounds {
            has_zeros,
            low: exponent(low.saturating_add(1).min(high)).min(0),
            high: (exponent(high) + 1).max(0),
        }
    }
}

/// The max-product semiring in `f64`, with tables scaled by powers of two as in [`SumProduct`].
#[derive(Clone, Copy, Debug)]
pub struct ScaledMaxProduct;

impl Semiring for ScaledMaxProduct {
    const SUMS_TO_ONE: bool = false;

    scaled_numbers!();

    fn add(a: f64, b: f64) -> f64 {
        if b > a { b } else { a }
    }
    fn repeated(_times: usize) -> f64 {
        1.0
    }
}

/// A table is not rescaled if the base-2 exponent of its largest value is in this range.
const SETTLED: std::ops::RangeInclusive<i32> = -32..=32;

pub(super) fn rescale(values: &mut [f64], lost: &mut bool) -> (f64, ExponentRange) {
    let (low, high) = exponents(values);
    if low > high || SETTLED.contains(&high) {
        return (0.0, ExponentRange { low, high });
    }
    let scale = normalise(values, lost);
    (scale, SumProduct::range(values))
}

/// Divides `values` by the largest power of two that does not exceed the largest value; this division is exact.
fn normalise(values: &mut [f64], lost: &mut bool) -> f64 {
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    if !largest.is_normal() {
        *lost = true;
        return 0.0;
    }
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    if exponent == 0 {
        return 0.0;
    }
    // The scaling takes two steps, because 2^-exponent itself may overflow.
    let half = exponent / 2;
    let (first, second) = (power_of_two(-half), power_of_two(half - exponent));
    for value in values.iter_mut() {
        let scaled = *value * first * second;
        *lost |= SumProduct::is_out_of_range(value, &1.0, &scaled);
        *value = scaled;
    }
    f64::from(exponent) * std::f64::consts::LN_2
}

/// Returns the base-2 exponents of the smallest positive value and of the smallest power of two above the largest value; both are zero if all values
/// are zero.
fn exponents(values: &[f64]) -> (i32, i32) {
    // Number of values that the loop processes at a time; they fill a vector register.
    const LANES: usize = 8;
    let (mut lows, mut highs) = ([f64::INFINITY; LANES], [0.0f64; LANES]);
    let see = |low: &mut f64, high: &mut f64, value: f64| {
        let positive = if value > 0.0 { value } else { f64::INFINITY };
        *low = if positive < *low { positive } else { *low };
        *high = if value > *high { value } else { *high };
    };
    let chunks = values.chunks_exact(LANES);
    for (i, &value) in chunks.remainder().iter().enumerate() {
        see(&mut lows[i], &mut highs[i], value);
    }
    for chunk in chunks {
        for ((low, high), &value) in lows.iter_mut().zip(&mut highs).zip(chunk) {
            see(low, high, value);
        }
    }
    let low = lows.into_iter().fold(f64::INFINITY, f64::min);
    let high = highs.into_iter().fold(0.0, f64::max);
    if high == 0.0 {
        return (0, 0);
    }
    let exponent = |x: f64| (x.to_bits() >> 52) as i32 - 1023;
    (exponent(low), exponent(high) + 1)
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// One semiring with numbers in two representations: scaled numbers and natural logarithms.
pub trait Precision: std::fmt::Debug {
    /// The semiring on scaled numbers, which may overflow or underflow.
    type Scaled: Semiring<Value = f64>;
    /// The semiring on natural logarithms, which never overflow or underflow.
    type Logs: Semiring<Value = f64>;
}

/// The semiring of sums of products.
#[derive(Debug)]
pub struct SumProductPrecision;

impl Precision for SumProductPrecision {
    type Scaled = SumProduct;
    type Logs = LogSumProduct;
}

/// The semiring of maxima of products.
#[derive(Debug)]
pub struct MaxProductPrecision;

impl Precision for MaxProductPrecision {
    type Scaled = ScaledMaxProduct;
    type Logs = MaxProduct;
}

/// Representation of a weight: the number itself, or its logarithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberForm {
    /// The number itself.
    Scaled,
    /// The weight is represented by its natural logarithm.
    Logs,
}

impl NumberForm {
    /// Returns the natural logarithm of the number that `value` represents.
    pub fn log(self, value: f64) -> f64 {
        match self {
            Self::Scaled => value.ln(),
            Self::Logs => value,
        }
    }

    /// Returns `values` divided by their sum, as plain numbers; all are zero if the sum is zero.
    pub fn shares(self, values: Vec<f64>) -> Vec<f64> {
        self.normalised(values).0
    }

    /// Returns `values` divided by their sum, as plain numbers, and the natural logarithm of the sum. All returned numbers are
    /// zero if the sum is zero.
    pub fn normalised(self, mut values: Vec<f64>) -> (Vec<f64>, f64) {
        let mut log_scale = 0.0;
        if self == Self::Logs {
            log_scale = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let scaled = |log: f64| {
                if log == f64::NEG_INFINITY {
                    0.0
                } else {
                    (log - log_scale).exp()
                }
            };
            for value in &mut values {
                *value = scaled(*value);
            }
        }
        let sum: f64 = values.iter().sum();
        if sum > 0.0 {
            for value in &mut values {
                *value /= sum;
            }
        }
        (values, log_scale + sum.ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalising_is_exact() {
        for scale in [1e-300, 1e-9, 0.3, 1.0, 7.0, 1e300] {
            let before = [0.0, 0.4 * scale, 0.9 * scale];
            let mut after = before;
            let mut lost = false;
            let log = SumProduct::normalise(&mut after, &mut lost);
            assert!(!lost && (1.0..2.0).contains(&after[2]));
            assert_eq!(after[1] / after[2], before[1] / before[2]);
            assert!((after[2].ln() + log - before[2].ln()).abs() < 1e-12);
        }
    }

    #[test]
    fn extents_bound_the_values() {
        let extent = |values: &[f64]| {
            let ValueBounds {
                has_zeros,
                low,
                high,
            } = SumProduct::extent(values);
            (has_zeros, low, high)
        };
        assert_eq!(extent(&[]), (false, -1023, 0));
        assert_eq!(extent(&[0.0]), (true, -1023, 0));
        assert_eq!(extent(&[0.5, 0.25, 1.0]), (false, -2, 1));
        assert_eq!(extent(&[0.0, 3.0, 0.1]), (true, -4, 2));
        assert_eq!(extent(&[5.0, 9.0]), (false, 0, 4));
        assert_eq!(extent(&[f64::INFINITY]).2, 1025);
        assert_eq!(extent(&[1e-310, 1.0]).1, -1023);
    }

    #[test]
    fn losses_are_seen() {
        assert!(SumProduct::is_out_of_range(
            &1e-200,
            &1e-200,
            &(1e-200 * 1e-200)
        ));
        assert!(SumProduct::is_out_of_range(
            &1e-160,
            &1e-160,
            &(1e-160 * 1e-160)
        ));
        assert!(SumProduct::is_out_of_range(
            &1e200,
            &1e200,
            &(1e200 * 1e200)
        ));
        assert!(!SumProduct::is_out_of_range(&0.0, &1e-200, &0.0));
        let mut lost = false;
        SumProduct::normalise(&mut [1e-300, 1e100], &mut lost);
        assert!(lost);
    }
}
