//! Commutative semirings, in which factors are multiplied and variables are summed out.

use std::borrow::Cow;
use std::fmt::Debug;

use crate::graph::Weights;
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// A commutative semiring, which defines the product of factors and the sum over the values of a variable.
///
/// `zero` is neutral for `add` and absorbs in `mul`; `one` is neutral for `mul`; `mul` distributes over `add`.
pub trait Semiring: Copy + Debug + Send + Sync + 'static {
    /// Type of the entries of a table.
    type Value: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// `true` if every normalised factor sums to one over its last variable in this semiring.
    const SUMS_TO_ONE: bool;

    /// Returns the weight of an impossible assignment.
    fn zero() -> Self::Value;

    /// Returns the neutral weight of multiplication; a factor whose entries all have this weight carries no information.
    fn one() -> Self::Value;

    /// True if `value` is zero.
    fn is_zero(value: &Self::Value) -> bool;

    /// Adds the weights of two alternatives.
    fn add(a: Self::Value, b: Self::Value) -> Self::Value;

    /// Adds `term` to `total`.
    fn accumulate(total: &mut Self::Value, term: &Self::Value) {
        *total = Self::add(total.clone(), term.clone());
    }

    /// Multiplies the weights of two independent factors.
    fn mul(a: &Self::Value, b: &Self::Value) -> Self::Value;

    /// Returns the sum of `times` ones: the total weight of a variable with `times` values that occurs in no factor.
    fn repeated(times: usize) -> Self::Value;

    /// Returns the value of entry `i` of `weights`, divided by `exp(Self::scale(weights))`.
    fn lift(weights: &Weights, i: usize) -> Self::Value;

    /// Returns the values of all entries of `weights`, divided by `exp(Self::scale(weights))`.
    fn lift_all(weights: &Weights) -> Cow<'_, [Self::Value]> {
        (0..weights.len()).map(|i| Self::lift(weights, i)).collect()
    }

    /// Returns the natural logarithm of the number by which `lift` divides every entry of the weights.
    fn scale(_weights: &Weights) -> f64 {
        0.0
    }

    /// Divides a message by its largest entry, or by a number close to that entry, and returns the natural logarithm of the divisor. Sets the flag
    /// `lost` if an entry of the message overflows or underflows.
    fn normalise(_values: &mut [Self::Value], _lost: &mut bool) -> f64 {
        0.0
    }

    /// True if the computed product `product` of `a` and `b` overflowed or underflowed.
    fn is_out_of_range(_a: &Self::Value, _b: &Self::Value, _product: &Self::Value) -> bool {
        false
    }

    /// Returns a range of the base-2 exponents of `_values`, which shows if products of these values may overflow or underflow.
    fn range(_values: &[Self::Value]) -> ExponentRange {
        ExponentRange::default()
    }

    /// Divides `values` by a power of two if they are far from one; a division by a power of two is exact. Returns the natural logarithm of the
    /// divisor, and the range of the base-2 exponents of the values after the division. Sets the flag `lost` if a value overflows during the division
    /// or underflows.
    fn rescale(values: &mut [Self::Value], lost: &mut bool) -> (f64, ExponentRange) {
        let scale = Self::normalise(values, lost);
        (scale, Self::range(values))
    }

    /// Returns bounds of `values`, which show if products of these values may overflow or underflow.
    fn extent(values: &[Self::Value]) -> ValueBounds {
        ValueBounds {
            has_zeros: values.iter().any(Self::is_zero),
            ..ValueBounds::default()
        }
    }
}

/// Maximum absolute base-2 exponent that three values may have so that their product surely fits a 64-bit floating-point number.
const CENTRAL: i32 = 256;

/// A range of base-2 exponents that contains the exponents of all non-zero values of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExponentRange {
    /// Lower bound of the exponents: every non-zero value is at least two to the power of `low`.
    pub low: i32,
    /// Upper bound of the exponents: every value is below two to the power of `high`.
    pub high: i32,
}

impl ExponentRange {
    /// Returns the exponent range of the products of a number in this exponent range and a number in the range `other`.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }

    /// Returns an exponent range for products that take at most one value from each of `ranges`.
    pub fn of_products(ranges: impl IntoIterator<Item = Self>) -> Self {
        let bounded = ranges.into_iter().map(|range| Self {
            low: range.low.min(0),
            high: range.high.max(0),
        });
        bounded.fold(Self::default(), Self::times)
    }

    /// Returns the exponent range of sums of up to `terms` values in this exponent range.
    #[must_use]
    pub fn of_sums(self, terms: usize) -> Self {
        let doublings = terms.max(1).next_power_of_two().trailing_zeros();
        Self {
            high: self.high + doublings.cast_signed(),
            ..self
        }
    }

    /// True if the product of three values in this exponent range can neither overflow nor underflow in 64-bit floating point.
    pub fn is_central(self) -> bool {
        self.low >= -CENTRAL && self.high <= CENTRAL
    }

    /// True if numbers in this exponent range, or sums of them, may exceed the range of a 64-bit floating-point number.
    pub fn may_overflow(self) -> bool {
        self.low < -1000 || self.high > 900
    }
}

/// Bounds of the values in a list: a lower and an upper exponent, and a mark if some value is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueBounds {
    /// `true` if some value is zero.
    pub has_zeros: bool,
    /// Lower bound of the base-2 exponents of the non-zero values; at most zero.
    pub low: i32,
    /// Upper bound of the base-2 exponents of all values; at least zero.
    pub high: i32,
}

/// The Boolean semiring, which decides without arithmetic if some assignment has a positive weight.
#[derive(Clone, Copy, Debug)]
pub struct Boolean;

impl Semiring for Boolean {
    type Value = bool;
    const SUMS_TO_ONE: bool = true;

    fn zero() -> bool {
        false
    }
    fn one() -> bool {
        true
    }
    fn is_zero(value: &bool) -> bool {
        !value
    }
    fn add(a: bool, b: bool) -> bool {
        a || b
    }
    fn mul(a: &bool, b: &bool) -> bool {
        *a && *b
    }
    fn repeated(times: usize) -> bool {
        times > 0
    }
    fn lift(weights: &Weights, i: usize) -> bool {
        !weights.is_zero(i)
    }
}

/// The counting semiring, which counts the assignments with a positive weight.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

impl Semiring for Counting {
    type Value = BigUint;
    const SUMS_TO_ONE: bool = false;

    fn zero() -> BigUint {
        BigUint::ZERO
    }
    fn one() -> BigUint {
        BigUint::one()
    }
    fn is_zero(value: &BigUint) -> bool {
        value.is_zero()
    }
    fn add(a: BigUint, b: BigUint) -> BigUint {
        a + b
    }
    fn accumulate(total: &mut BigUint, term: &BigUint) {
        *total += term;
    }
    fn mul(a: &BigUint, b: &BigUint) -> BigUint {
        a * b
    }
    fn repeated(times: usize) -> BigUint {
        BigUint::from(times)
    }
    fn lift(weights: &Weights, i: usize) -> BigUint {
        BigUint::from(u8::from(!weights.is_zero(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{
        ExpectedUtility, LogSumProduct, MaxProduct, ScaledMaxProduct, SumProduct, WeighedUtility,
    };

    fn laws<S: Semiring>(samples: &[S::Value]) {
        let (zero, one) = (S::zero(), S::one());
        assert!(S::is_zero(&zero) && !S::is_zero(&one));
        assert_eq!(S::repeated(1), one);
        for a in samples {
            assert_eq!(&S::add(a.clone(), zero.clone()), a);
            assert_eq!(&S::mul(a, &one), a);
            assert_eq!(S::mul(a, &zero), zero);
            for b in samples {
                assert_eq!(S::add(a.clone(), b.clone()), S::add(b.clone(), a.clone()));
                assert_eq!(S::mul(a, b), S::mul(b, a));
            }
        }
    }

    #[test]
    fn every_algebra_obeys_the_laws() {
        laws::<Boolean>(&[false, true]);
        laws::<Counting>(&[0u32, 1, 7, 1 << 30].map(BigUint::from));
        laws::<SumProduct>(&[0.0, 0.25, 1.0, 3.0]);
        laws::<ScaledMaxProduct>(&[0.0, 0.25, 1.0, 3.0]);
        laws::<LogSumProduct>(&[f64::NEG_INFINITY, -700.0, 0.0, 2.0]);
        laws::<MaxProduct>(&[f64::NEG_INFINITY, -700.0, 0.0, 2.0]);
        let pairs = [(0.0, 0.0), (0.25, -7.0), (1.0, 0.0), (2.0, 5.0)];
        laws::<ExpectedUtility<SumProduct>>(
            &pairs.map(|(weight, mean)| WeighedUtility { weight, mean }),
        );
    }

    /// Tests that sums and products of numbers between 2^-1022 and 2^1023 do not overflow or underflow if the exponent ranges report no risk.
    #[test]
    fn ranges_tell_what_may_leave_the_numbers() {
        let range = |low, high| ExponentRange { low, high };
        assert_eq!(range(-3, 5).times(range(-4, 0)), range(-7, 5));
        assert_eq!(range(0, 1).times(range(0, 1)), range(0, 2));
        for (low, high, may_overflow) in [
            (0, 0, false),
            (-1000, 900, false),
            (-1001, 0, true),
            (0, 901, true),
        ] {
            assert_eq!(
                range(low, high).may_overflow(),
                may_overflow,
                "{low} {high}"
            );
        }
    }
}
