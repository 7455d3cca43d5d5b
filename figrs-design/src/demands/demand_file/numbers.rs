//! Reads ranges of numbers in a design file, such as `4`, `"2..5"`, `"2.."` and `"50%.."`.

use std::ops::Range;

use serde_json::Value;

/// Description of the values that [`numbers`] reads, for messages.
pub(super) const RANGE: &str = "a number, or a range as \"2..5\" or \"2..\"";

/// Description of the values that [`positions`] reads, for messages.
pub(super) const POSITIONS: &str =
    "a position, or a range as \"3..8\" (8 is not in it) or \"50%..\"";

/// Splits the text of a range of numbers into its two ends. One end of the range may be missing; a single number is both ends.
fn ends(value: &Value) -> Option<(Option<&str>, Option<&str>)> {
    let text = value.as_str()?.trim();
    let open = |end: &'_ str| !end.trim().is_empty();
    Some(match text.split_once("..") {
        None => (Some(text), Some(text)),
        Some((from, to)) => (
            Some(from.trim()).filter(|end| open(end)),
            Some(to.trim()).filter(|end| open(end)),
        ),
    })
}

fn whole(value: &Value) -> Option<usize> {
    value.as_u64().map(|number| number as usize)
}

/// Reads a range of numbers that includes both ends, such as `4`, `"2..5"`, `"2.."` or `"..5"`.
pub(super) fn numbers(value: &Value) -> Option<(usize, Option<usize>)> {
    if let Some(number) = whole(value) {
        return Some((number, Some(number)));
    }
    let (least, most) = ends(value)?;
    let least = least.map_or(Some(0), |end| end.parse().ok())?;
    let most = match most {
        None => None,
        Some(end) => Some(end.parse().ok()?),
    };
    Some((least, most))
}

/// Reads a range of rows or columns that excludes its end, such as `4`, `"3..8"` or `"50%.."`. A percentage in a range stands for a share of `size`,
/// rounded down.
pub(super) fn positions(value: &Value, size: usize) -> Option<Range<usize>> {
    if let Some(position) = whole(value) {
        return Some(position..position.checked_add(1)?);
    }
    let (start, end) = ends(value)?;
    let position = |text: &str| match text.strip_suffix('%') {
        None => text.parse().ok(),
        Some(share) => {
            let share: f64 = share.trim().parse().ok()?;
            let is_share = (0.0..=100.0).contains(&share);
            // The small addend compensates for the rounding of decimal fractions.
            is_share.then(|| (share / 100.0 * size as f64 + 1e-9).floor() as usize)
        }
    };
    let first = start.map_or(Some(0), position)?;
    let last = end.map_or(Some(size), position)?;
    let is_single = start.is_some() && start == end && !value.as_str()?.contains("..");
    Some(if is_single {
        first..first.checked_add(1)?
    } else {
        first..last
    })
}

/// Reads a range of shares, such as `"1%..5%"` or `0.02`.
pub(super) fn shares(value: &Value) -> Option<(f64, f64)> {
    let share = |text: &str| {
        let share = match text.strip_suffix('%') {
            None => text.parse::<f64>().ok()?,
            Some(share) => share.trim().parse::<f64>().ok()? / 100.0,
        };
        (0.0..=1.0).contains(&share).then_some(share)
    };
    if let Some(number) = value.as_f64() {
        return (0.0..=1.0).contains(&number).then_some((number, number));
    }
    let (low, high) = ends(value)?;
    let low = low.map_or(Some(0.0), share)?;
    let high = high.map_or(Some(1.0), share)?;
    (low <= high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ranges_are_closed_for_numbers_and_open_for_positions() {
        assert_eq!(numbers(&json!(4)), Some((4, Some(4))));
        assert_eq!(numbers(&json!("4")), Some((4, Some(4))));
        assert_eq!(numbers(&json!("2..5")), Some((2, Some(5))));
        assert_eq!(numbers(&json!("2..")), Some((2, None)));
        assert_eq!(numbers(&json!(" .. 5 ")), Some((0, Some(5))));
        assert_eq!(positions(&json!(4), 20), Some(4..5));
        assert_eq!(positions(&json!("4"), 20), Some(4..5));
        assert_eq!(positions(&json!("3..8"), 20), Some(3..8));
        assert_eq!(positions(&json!("50%.."), 21), Some(10..21));
        assert_eq!(positions(&json!("..30%"), 10), Some(0..3));
        assert_eq!(shares(&json!("1%..5%")), Some((0.01, 0.05)));
        assert_eq!(shares(&json!(0.25)), Some((0.25, 0.25)));
        assert_eq!(shares(&json!("..0.5")), Some((0.0, 0.5)));
    }

    #[test]
    fn what_is_no_range_is_nothing() {
        for value in [
            json!(-1),
            json!("a"),
            json!("2..x"),
            json!([1]),
            json!("1.5"),
        ] {
            assert_eq!(numbers(&value), None, "{value}");
        }
        for value in [json!(-1), json!("101%.."), json!("1..b"), json!(null)] {
            assert_eq!(positions(&value, 10), None, "{value}");
        }
        for value in [json!(1.5), json!("5%..1%"), json!("x")] {
            assert_eq!(shares(&value), None, "{value}");
        }
    }
}
