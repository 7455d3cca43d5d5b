//! Coordinates of continuous values, in which random walks are symmetric.
//!
//! The coordinate of a real number is the number itself. The coordinates of a point of the simplex are the additive log-ratios `ln (x_i / x_n)` for
//! all components except the last: Aitchison (1982), "The statistical analysis of compositional data". The density of a random walk over points of
//! the simplex is its density over coordinates divided by the volume element `|dx / dy| = Π x_i`.

use figrs_core::{Datum, Space};
use figrs_lower::internals::{Site, Trace};

/// Appends the coordinates of the value `value` to `into`. Returns the number of coordinates, and the logarithm of the volume element at `value`.
/// Returns `None` if values of the space `space` have no coordinates.
pub(super) fn push(space: Space, value: &Datum, into: &mut Vec<f64>) -> Option<(usize, f64)> {
    let start = into.len();
    let mut volume = 0.0;
    match (space, value.get::<f64>(), value.get::<Vec<f64>>()) {
        (Space::Real, Some(number), _) => into.push(*number),
        (Space::Real, _, Some(numbers)) => into.extend(numbers),
        (Space::Simplex, _, Some(numbers)) => {
            let (last, others) = numbers.split_last()?;
            let last = last.ln();
            into.extend(others.iter().map(|x| x.ln() - last));
            volume = numbers.iter().map(|x| x.ln()).sum();
        }
        _ => return None,
    }
    let finite = into[start..].iter().all(|y| y.is_finite());
    (finite && into.len() > start).then_some((into.len() - start, volume))
}

pub(super) fn count(space: Space, value: &Datum) -> Option<usize> {
    let numbers = value.get::<Vec<f64>>().map_or(1, Vec::len);
    match space {
        Space::Real => Some(numbers),
        Space::Simplex => numbers.checked_sub(1),
        _ => None,
    }
}

/// Returns the value with the coordinates `coordinates`, in the type of `like`, and the logarithm of the volume element at the value. Returns `None`
/// if rounding makes the resulting value invalid.
pub(super) fn value(space: Space, like: &Datum, coordinates: &[f64]) -> Option<(Datum, f64)> {
    if coordinates.iter().any(|y| !y.is_finite()) {
        return None;
    }
    match space {
        Space::Real if like.get::<f64>().is_some() => {
            Some((Datum::new(*coordinates.first()?), 0.0))
        }
        Space::Real => Some((Datum::new(coordinates.to_vec()), 0.0)),
        Space::Simplex => {
            let highest = coordinates.iter().copied().fold(0.0, f64::max);
            let mut numbers: Vec<f64> = coordinates.iter().map(|y| (y - highest).exp()).collect();
            numbers.push((-highest).exp());
            let sum: f64 = numbers.iter().sum();
            for x in &mut numbers {
                *x /= sum;
            }
            let volume = numbers.iter().map(|x| x.ln()).sum();
            let inside = numbers.iter().all(|&x| x >= f64::MIN_POSITIVE);
            inside.then(|| (Datum::new(numbers), volume))
        }
        _ => None,
    }
}

/// Returns the coordinates of the present value of a random choice; `None` if the values of the choice are not continuous.
pub(super) fn coordinates_of(
    trace: &mut Trace,
    site: Site,
    into: &mut Vec<f64>,
) -> Option<(Datum, usize, f64)> {
    if !trace.is_continuous(site) {
        return None;
    }
    let present = trace.value(site)?;
    let (count, volume) = push(trace.space(site), &present, into)?;
    Some((present, count, volume))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(space: Space, value_of: &Datum) -> (usize, f64) {
        let mut coordinates = Vec::new();
        let (count, volume) = push(space, value_of, &mut coordinates).unwrap();
        let (back, again) = value(space, value_of, &coordinates).unwrap();
        let numbers = |datum: &Datum| match datum.get::<Vec<f64>>() {
            Some(numbers) => numbers.clone(),
            None => vec![*datum.get::<f64>().unwrap()],
        };
        for (x, y) in numbers(value_of).into_iter().zip(numbers(&back)) {
            assert!((x - y).abs() < 1e-14, "{x} and {y}");
        }
        assert!((volume - again).abs() < 1e-12);
        (count, volume)
    }

    #[test]
    fn coordinates_lead_back_to_the_value() {
        assert_eq!(there_and_back(Space::Real, &Datum::new(-2.5)), (1, 0.0));
        let numbers = Datum::new(vec![1.0, -3.0]);
        assert_eq!(there_and_back(Space::Real, &numbers), (2, 0.0));
        let (count, volume) = there_and_back(Space::Simplex, &Datum::new(vec![0.2, 0.5, 0.3]));
        assert!(count == 2 && (volume - 0.03_f64.ln()).abs() < 1e-14);
    }

    /// Compares the volume element of the simplex coordinates with the determinant of the Jacobian matrix, computed by finite differences.
    #[test]
    fn the_volume_is_that_of_the_change_of_coordinates() {
        let at = |y: [f64; 2]| -> Vec<f64> {
            let like = Datum::new(Vec::<f64>::new());
            let (datum, _) = value(Space::Simplex, &like, &y).unwrap();
            datum.get::<Vec<f64>>().unwrap().clone()
        };
        let (y, h) = ([0.4, -1.1], 1e-5);
        let slope = |i: usize, j: usize| {
            let (mut up, mut down) = (y, y);
            up[j] += h;
            down[j] -= h;
            (at(up)[i] - at(down)[i]) / (2.0 * h)
        };
        let determinant = slope(0, 0) * slope(1, 1) - slope(0, 1) * slope(1, 0);
        let product: f64 = at(y).iter().product();
        assert!(
            (determinant - product).abs() < 1e-9,
            "{determinant}, {product}"
        );
    }

    #[test]
    fn what_has_no_coordinates_has_none() {
        let mut none = Vec::new();
        assert_eq!(push(Space::Real, &Datum::new(3_u8), &mut none), None);
        let edge = Datum::new(vec![0.0, 1.0]);
        assert_eq!(push(Space::Simplex, &edge, &mut none), None);
        assert!(value(Space::Simplex, &edge, &[800.0, 0.0]).is_none());
        assert!(value(Space::Real, &edge, &[f64::INFINITY]).is_none());
    }
}
