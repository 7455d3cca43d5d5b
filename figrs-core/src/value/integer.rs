//! Integer arguments of elements.

use crate::element::Element;
use crate::element::param::Operand;

/// An integer argument of a constructor: an integer of any type, or an element of integers.
#[derive(Clone, Debug)]
pub struct Integer(Operand);

impl Integer {
    /// Returns the integer as a numeric parameter of a family of distributions. `f64` does not represent every integer above 2⁵³; a larger integer as
    /// a parameter of a distribution is an error.
    pub(crate) fn operand(self) -> Operand {
        self.0
    }
}

macro_rules! integer {
    ($($type:ty),+) => {$(
        impl From<$type> for Integer {
            #[allow(clippy::cast_lossless)]
            fn from(n: $type) -> Self {
                Self(Operand::from(n as f64))
            }
        }

        impl From<&Element<$type>> for Integer {
            #[track_caller]
            #[allow(clippy::cast_lossless)]
            fn from(element: &Element<$type>) -> Self {
                Self(Operand::from(element.map(|&n| n as f64)))
            }
        }

        impl From<Element<$type>> for Integer {
            #[track_caller]
            fn from(element: Element<$type>) -> Self {
                Self::from(&element)
            }
        }
    )+};
}
integer!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);
