//! Colours on a wheel.

/// A colour on a wheel of six.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hue {
    /// Beside yellow and magenta.
    Red,
    /// Beside red and green.
    Yellow,
    /// Beside yellow and cyan.
    Green,
    /// Beside green and blue.
    Cyan,
    /// Beside cyan and magenta.
    Blue,
    /// Beside blue and red.
    Magenta,
}
figrs_core::value!(Hue);

impl Hue {
    /// All colours, in the order of the wheel.
    pub const WHEEL: [Self; 6] = [
        Self::Red,
        Self::Yellow,
        Self::Green,
        Self::Cyan,
        Self::Blue,
        Self::Magenta,
    ];

    /// The colour this many places further on the wheel.
    pub(super) fn turned(self, places: u8) -> Self {
        Self::WHEEL[(self as usize + usize::from(places)) % Self::WHEEL.len()]
    }

    /// True if one can step between tiles of these colours: they are equal or neighbours on the wheel.
    pub fn is_near(self, other: Self) -> bool {
        let apart = (self as u8).abs_diff(other as u8);
        apart <= 1 || apart == 5
    }

    /// The first letter of its name.
    pub fn symbol(self) -> char {
        match self {
            Self::Red => 'R',
            Self::Yellow => 'Y',
            Self::Green => 'G',
            Self::Cyan => 'C',
            Self::Blue => 'B',
            Self::Magenta => 'M',
        }
    }
}
