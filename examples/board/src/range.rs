//! Ranges on the command line.

use std::ops::RangeInclusive;

use figrs_models::grid::GridError;

/// The range between two bounds, if one of them is given and excludes a number.
///
/// **Errors.** [`GridError::EmptyRange`].
pub fn range(
    what: &'static str,
    least: Option<u32>,
    most: Option<u32>,
) -> Result<Option<RangeInclusive<u32>>, GridError> {
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(u32::MAX));
    if (least, most) == (0, u32::MAX) {
        return Ok(None);
    }
    if least > most {
        return Err(GridError::EmptyRange { what, least, most });
    }
    Ok(Some(least..=most))
}

/// A range in words.
pub fn told(what: &str, range: Option<&RangeInclusive<u32>>) -> Option<String> {
    let (least, most) = (range?.start(), range?.end());
    Some(match (*least, *most) {
        (0, most) => format!("at most {most} {what}"),
        (least, u32::MAX) => format!("at least {least} {what}"),
        (least, most) => format!("{least} to {most} {what}"),
    })
}
