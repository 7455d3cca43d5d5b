//! Colours on a wheel of six colours.

/// A colour on a wheel of six colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hue {
    /// Red, between yellow and magenta on the wheel.
    Red,
    /// Yellow, between red and green on the wheel.
    Yellow,
    /// Green, between yellow and cyan on the wheel.
    Green,
    /// Cyan, between green and blue on the wheel.
    Cyan,
    /// Blue, between cyan and magenta on the wheel.
    Blue,
    /// Magenta, between blue and red on the wheel.
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

    pub(super) fn turned(self, places: u8) -> Self {
        Self::WHEEL[(self as usize + usize::from(places)) % Self::WHEEL.len()]
    }

    /// True if a player can step between tiles of the two colours, because the colours are equal or neighbours on the wheel.
    pub fn is_near(self, other: Self) -> bool {
        let apart = (self as u8).abs_diff(other as u8);
        apart <= 1 || apart == 5
    }

    /// Returns the first letter of the colour's name.
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
