//! Parsers of numbers on the command line; an error of a parser says which numbers the parser accepts.

use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

/// Returns a parser of whole numbers in a range, which includes its bounds.
pub fn whole<T>(
    range: impl RangeBounds<T> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr<Err = ParseIntError> + PartialOrd + Display,
{
    move |text| {
        let number = text.parse::<T>();
        let remedy = |error: Option<ParseIntError>| match (range.start_bound(), range.end_bound()) {
            (Bound::Included(least), Bound::Included(most)) => {
                format!("write a whole number from {least} to {most}")
            }
            (Bound::Included(least), _) if !error.as_ref().is_some_and(is_too_large) => {
                format!("write a whole number, {least} or more")
            }
            _ => whole_number(error.as_ref()).to_owned(),
        };
        match number {
            Ok(number) if range.contains(&number) => Ok(number),
            Ok(_) => Err(remedy(None)),
            Err(error) => Err(remedy(Some(error))),
        }
    }
}

fn is_too_large(error: &ParseIntError) -> bool {
    *error.kind() == IntErrorKind::PosOverflow
}

/// Returns advice for a text that is not a whole number of the required type.
pub(crate) fn whole_number(error: Option<&ParseIntError>) -> &'static str {
    match error.map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => "write a smaller whole number",
        Some(IntErrorKind::Zero) => "write a whole number, 1 or more",
        _ => "write a whole number",
    }
}

/// Parses a finite number.
///
/// **Errors.** The text is not a finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    number.ok_or_else(|| "write a finite number".to_owned())
}

/// Parses a finite number of at least zero.
///
/// **Errors.** The text is not a finite number of at least zero.
pub fn not_negative(text: &str) -> Result<f64, String> {
    let number = finite(text).ok().filter(|&x| x >= 0.0);
    number.ok_or_else(|| "write a finite number, 0 or more".to_owned())
}
