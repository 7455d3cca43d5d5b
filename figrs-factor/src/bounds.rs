//! Bounds of a number, and a log of the bounds during a search for the most probable world.

use std::fmt;

/// An interval that contains a number, up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound of the unknown number, up to rounding.
    pub lower: f64,
    /// Upper bound of the unknown number, up to rounding.
    pub upper: f64,
}

impl Bounds {
    /// Returns the interval whose two bounds are `value`.
    pub fn exact(value: f64) -> Self {
        Self {
            lower: value,
            upper: value,
        }
    }

    /// Returns the difference between the upper and the lower bound.
    pub fn width(self) -> f64 {
        self.upper - self.lower
    }

    /// True if `value` lies between the lower and the upper bound.
    pub fn contains(self, value: f64) -> bool {
        (self.lower..=self.upper).contains(&value)
    }
}

/// Prepares a number for printing with six decimals: removes the minus sign of a number that would print as `-0.000000`.
#[doc(hidden)]
pub fn six_decimals(x: f64) -> f64 {
    if x.abs() <= 5e-7 { 0.0 } else { x }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lower, upper] = [self.lower, self.upper].map(six_decimals);
        write!(f, "[{lower:.6}, {upper:.6}]")
    }
}

/// Progress of a search for the most probable world (assignment) at one moment: best world, upper bound, work done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Improvement {
    /// Work that the search for the most probable world had done when it reported this progress, in the units of its budget.
    pub work: u64,
    /// The natural logarithm of the probability of the best world that the search had found when it reported this progress.
    pub log_probability: f64,
    /// Upper bound of the natural logarithm of the probability of every world.
    pub upper_bound: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_rounds_to_zero_has_no_sign() {
        for x in [-0.0, -1e-17, -5e-7, 4e-7] {
            assert_eq!(format!("{:.6}", six_decimals(x)), "0.000000", "{x}");
        }
        assert_eq!(format!("{:.6}", six_decimals(-5.1e-7)), "-0.000001");
    }
}
