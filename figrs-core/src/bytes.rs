//! Amounts of memory, such as `512MiB`.

use std::fmt;
use std::str::FromStr;

use figrs_derive::ErrorDebug;
use thiserror::Error;

/// An amount of memory in bytes; it is parsed and printed with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

const UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1000),
    ("B", 1),
];

const MOST: u64 = 1 << 50;

/// Error for a text that is not an amount of memory.
#[derive(Clone, Copy, PartialEq, Eq, Error, ErrorDebug)]
#[error("write an amount of memory such as 512MiB or 6GiB, at most 1024TiB")]
pub struct InvalidBytes;

impl FromStr for Bytes {
    type Err = InvalidBytes;

    /// Reads an amount of memory such as `512MiB`; a number without a unit is a number of bytes.
    fn from_str(text: &str) -> Result<Self, InvalidBytes> {
        Self::parse(text, 1)
    }
}

impl Bytes {
    /// Reads an amount of memory; a number without a unit is multiplied by `plain` bytes.
    ///
    /// **Errors.** [`InvalidBytes`] if `text` is not an amount of memory, or is too large.
    pub fn parse(text: &str, plain: u64) -> Result<Self, InvalidBytes> {
        let text = text.trim();
        let end = text.find(|letter: char| letter.is_alphabetic());
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let factor = match unit {
            "" => Some(plain),
            unit => {
                let found = UNITS
                    .iter()
                    .find(|(name, _)| name.eq_ignore_ascii_case(unit));
                found.map(|(_, factor)| *factor)
            }
        };
        let amount = factor.and_then(|factor| product(number.trim(), factor));
        let amount = amount.filter(|amount| *amount <= MOST);
        amount.map(Self).ok_or(InvalidBytes)
    }
}

fn product(number: &str, factor: u64) -> Option<u64> {
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let is_digit = |letter: char| letter.is_ascii_digit() || letter == '.';
    let number: f64 = number
        .chars()
        .all(is_digit)
        .then(|| number.parse().ok())??;
    let product = number * factor as f64;
    (product <= MOST as f64).then_some(product as u64)
}

impl fmt::Display for Bytes {
    /// An amount of memory that is a whole number of units is printed without decimal places, other amounts with at most two decimal places.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary = UNITS.iter().filter(|(name, _)| name.ends_with("iB"));
        let Some((name, unit)) = binary.clone().find(|(_, unit)| *unit <= self.0) else {
            return write!(f, "{}B", self.0);
        };
        if self.0.is_multiple_of(*unit) {
            return write!(f, "{}{name}", self.0 / unit);
        }
        let text = format!("{:.2}", self.0 as f64 / *unit as f64);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        write!(f, "{text}{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_with_and_without_units() {
        for (text, expected) in [
            ("6GiB", 6 << 30),
            ("512MiB", 512 << 20),
            ("1.5 gib", 3 << 29),
            ("2TB", 2_000_000_000_000),
            ("10B", 10),
            ("64", 64 << 20),
        ] {
            assert_eq!(Bytes::parse(text, 1 << 20), Ok(Bytes(expected)), "{text}");
        }
        assert_eq!("64".parse(), Ok(Bytes(64)));
        for text in [
            "",
            "-1",
            "6 apples",
            "1e9",
            "nanB",
            "MiB",
            "2048TiB",
            "1..5GiB",
            "99999999999999999999",
        ] {
            assert_eq!(text.parse::<Bytes>(), Err(InvalidBytes), "{text}");
        }
        assert!(InvalidBytes.to_string().contains("512MiB"));
    }

    #[test]
    fn amounts_are_shown_with_their_unit() {
        for (amount, message) in [
            (0, "0B"),
            (1, "1B"),
            (1 << 10, "1KiB"),
            (512 << 20, "512MiB"),
            (3 << 29, "1.5GiB"),
            ((1 << 30) + (1 << 20), "1GiB"),
            (1_000_000, "976.56KiB"),
        ] {
            assert_eq!(Bytes(amount).to_string(), message);
            assert!(message.parse::<Bytes>().is_ok());
        }
    }
}
