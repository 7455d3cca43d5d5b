//! Intervals that contain a number.

use std::fmt;

/// An interval that contains a number, up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Bounds {
    /// The bounds of a number that is known.
    pub fn exact(value: f64) -> Self {
        Self {
            lower: value,
            upper: value,
        }
    }

    /// Width of the interval.
    pub fn width(self) -> f64 {
        self.upper - self.lower
    }

    /// True if the number lies between them.
    pub fn contains(self, value: f64) -> bool {
        (self.lower..=self.upper).contains(&value)
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:.6}, {:.6}]", self.lower, self.upper)
    }
}
