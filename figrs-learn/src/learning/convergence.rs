//! Decides whether parameters have stopped changing between the iterations of a fit.

use figrs_core::Datum;

/// True if each number in `now` differs from its value in `before` by at most the fraction `share` of this value.
pub(super) fn are_near(now: &[Datum], before: &[Datum], share: f64) -> bool {
    let both = now.iter().zip(before);
    both.flat_map(|(now, before)| numbers(now).iter().zip(numbers(before)))
        .all(|(now, before)| (now - before).abs() <= share * now.abs())
}

pub(super) fn numbers(value: &Datum) -> &[f64] {
    let number = value.get::<f64>().map(std::slice::from_ref);
    let numbers = number.or_else(|| value.get::<Vec<f64>>().map(Vec::as_slice));
    numbers.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_change_decides() {
        let values = |x: f64| [Datum::new(0.5), Datum::new(vec![x, 1.0 - x])];
        assert!(are_near(&values(0.25), &values(0.25), 0.0));
        assert!(are_near(&values(0.251), &values(0.25), 0.01));
        assert!(!are_near(&values(0.3), &values(0.25), 0.01));
    }
}
