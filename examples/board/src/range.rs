//! Ranges of whole numbers that are given by options on the command line.

use std::ops::RangeInclusive;

use figrs_models::grid::GridError;

/// Returns the range between a lower and an upper bound, if at least one bound is given and excludes a number.
///
/// **Errors.** [`GridError::Invalid`] if the range is empty.
pub fn range(
    what: &'static str,
    least: Option<u32>,
    most: Option<u32>,
) -> Result<Option<RangeInclusive<u32>>, GridError> {
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(u32::MAX));
    if (least, most) == (0, u32::MAX) {
        return Ok(None);
    }
    GridError::not_empty(what, least..=most).map(Some)
}

/// Returns a range in words; the argument `one` is the name of a single thing in the range, and `many` is the plural of this name.
pub fn message([one, many]: [&str; 2], range: Option<&RangeInclusive<u32>>) -> Option<String> {
    let (least, most) = (range?.start(), range?.end());
    let what = |number| if number == 1 { one } else { many };
    Some(match (*least, *most) {
        (0, most) => format!("at most {most} {}", what(most)),
        (least, u32::MAX) => format!("at least {least} {}", what(least)),
        (least, most) if least == most => format!("exactly {most} {}", what(most)),
        (least, most) => format!("{least} to {most} {}", what(most)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_nouns() {
        for (range, words) in [
            (1..=1, "exactly 1 bay"),
            (0..=0, "at most 0 bays"),
            (3..=3, "exactly 3 bays"),
            (0..=1, "at most 1 bay"),
            (0..=2, "at most 2 bays"),
            (1..=u32::MAX, "at least 1 bay"),
            (1..=2, "1 to 2 bays"),
        ] {
            assert_eq!(
                message(["bay", "bays"], Some(&range)).as_deref(),
                Some(words)
            );
        }
        assert_eq!(message(["bay", "bays"], None), None);
    }
}
