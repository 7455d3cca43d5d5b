//! Non-negative numbers with the precision of `f64` and a nearly unbounded range.

use std::ops::{Add, Mul};

/// Base-2 logarithm of the ratio of consecutive scales of a `ScaledNumber`.
const UNIT: i32 = 512;

/// The number `mantissa * 2^(512 scale)`; the mantissa is zero or between `2^-256` and `2^256`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledNumber {
    mantissa: f64,
    scale: i64,
}

impl ScaledNumber {
    /// The number zero.
    pub const ZERO: Self = Self {
        mantissa: 0.0,
        scale: 0,
    };
    /// The number one.
    pub const ONE: Self = Self {
        mantissa: 1.0,
        scale: 0,
    };

    /// The number two.
    pub const TWO: Self = Self {
        mantissa: 2.0,
        scale: 0,
    };

    /// Returns the number whose natural logarithm is `log`.
    pub fn from_log(log: f64) -> Self {
        if log == f64::NEG_INFINITY {
            return Self::ZERO;
        }
        let unit = f64::from(UNIT) * std::f64::consts::LN_2;
        let scale = (log / unit).round();
        let mantissa = (log - scale * unit).exp();
        Self::new(mantissa, scale as i64)
    }

    fn new(mantissa: f64, scale: i64) -> Self {
        let (large, small) = (power_of_two(UNIT / 2), power_of_two(-UNIT / 2));
        if mantissa >= large {
            Self {
                mantissa: mantissa * power_of_two(-UNIT),
                scale: scale + 1,
            }
        } else if mantissa >= small {
            Self { mantissa, scale }
        } else if mantissa == 0.0 {
            Self::ZERO
        } else {
            Self {
                mantissa: mantissa * power_of_two(UNIT),
                scale: scale - 1,
            }
        }
    }

    /// True if the number is zero.
    pub fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    /// Returns the larger one of this number and `other`.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let is_larger = match (self.is_zero(), other.is_zero()) {
            (true, _) => true,
            (false, true) => false,
            // Numbers with consecutive scales are equal only if the mantissa of the number with the lower scale is
            // `2^256`.
            (false, false) => (other.scale, other.mantissa) > (self.scale, self.mantissa),
        };
        if is_larger { other } else { self }
    }

    /// Returns the quotient of this number and `whole`, which must be positive and at least as large as this number, up to rounding errors.
    pub fn share_of(self, whole: Self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let ratio = self.mantissa / whole.mantissa;
        match whole.scale - self.scale {
            0 => ratio,
            // Rounding may move a quotient of almost 1 to the next scale.
            -1 => ratio * power_of_two(UNIT),
            1 => ratio * power_of_two(-UNIT),
            _ => 0.0,
        }
    }

    /// Returns the natural logarithm of the number.
    pub fn ln(self) -> f64 {
        self.mantissa.ln() + self.scale as f64 * f64::from(UNIT) * std::f64::consts::LN_2
    }
}

impl Mul for ScaledNumber {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.mantissa * other.mantissa, self.scale + other.scale)
    }
}

impl Add for ScaledNumber {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let (large, small) = if self.scale >= other.scale {
            (self, other)
        } else {
            (other, self)
        };
        match large.scale - small.scale {
            0 => Self::new(large.mantissa + small.mantissa, large.scale),
            1 => Self::new(
                large.mantissa + small.mantissa * power_of_two(-UNIT),
                large.scale,
            ),
            // The smaller number is less than one unit in the last place of the larger number.
            _ => large,
        }
    }
}

/// Returns `2^exponent`, which must be a normal floating-point number (not subnormal or infinite).
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_are_those_of_logarithms() {
        for a in [-1e5, -400.0, -177.5, -3.0, 0.0, 0.7, 177.4, 900.0, 1e5] {
            let x = ScaledNumber::from_log(a);
            assert!((x.ln() - a).abs() <= 1e-12 * a.abs().max(1.0), "{a}");
            for b in [-1e5, -400.0, -178.0, 0.0, 177.6, 355.0, 1e5] {
                let y = ScaledNumber::from_log(b);
                let product = (x * y).ln();
                assert!((product - (a + b)).abs() <= 1e-11 * (a.abs() + b.abs()).max(1.0));
                let sum = f64::max(a, b) + (-(a - b).abs()).exp().ln_1p();
                assert!(((x + y).ln() - sum).abs() <= 1e-11 * sum.abs().max(1.0));
            }
        }
        let zero = ScaledNumber::from_log(f64::NEG_INFINITY);
        assert!(zero.is_zero() && (zero * ScaledNumber::ONE).is_zero());
        assert_eq!(zero + ScaledNumber::ONE, ScaledNumber::ONE);
        assert_eq!(zero.ln(), f64::NEG_INFINITY);
    }

    #[test]
    fn shares_are_the_same_on_both_sides_of_a_border_of_scales() {
        let border = ScaledNumber::new(power_of_two(UNIT / 2), 7);
        let below = ScaledNumber::new(power_of_two(UNIT / 2).next_down(), 7);
        assert_eq!((border.scale, below.scale), (8, 7));
        let share = border.share_of(below);
        assert!((share - 1.0).abs() <= 2.0 * f64::EPSILON, "{share}");
        let share = below.share_of(border);
        assert!((share - 1.0).abs() <= 2.0 * f64::EPSILON, "{share}");
        assert_eq!(
            (border * border).share_of(ScaledNumber::ONE * border * border),
            1.0
        );
        assert_eq!(below.share_of(border * border), 0.0);
    }
}
