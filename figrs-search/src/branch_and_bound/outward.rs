//! Sums and differences of logarithms with outward rounding: the results are valid bounds of the exact numbers.

/// Returns an upper bound of the exact logarithm whose rounded value is `log`. The logarithm 0 is treated as exact, because it is the logarithm of
/// the weight 1.
pub(super) fn above(log: f64) -> f64 {
    if log == 0.0 { log } else { log.next_up() }
}

/// Returns a lower bound of the exact logarithm whose rounded value is `log`.
pub(super) fn below(log: f64) -> f64 {
    if log == 0.0 { log } else { log.next_down() }
}

/// Returns the rounded sum of `a` and `b`, and the exact rounding error (Knuth, *The Art of Computer Programming*, volume
/// 2, section 4.2.2).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let own = sum - a;
    (sum, (a - (sum - own)) + (b - own))
}

pub(super) fn difference_above(a: f64, b: f64) -> f64 {
    let (difference, rest) = two_sum(a, -b);
    if rest > 0.0 {
        difference.next_up()
    } else {
        difference
    }
}

pub(super) fn difference_below(a: f64, b: f64) -> f64 {
    -difference_above(b, a)
}

/// Returns an upper bound of the sum of `numbers`, which exceeds the sum by at most two units in the last place.
pub(super) fn sum_above(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut rest, mut rounded) = (0.0, 0.0, 0.0);
    for number in numbers {
        let (next, lost) = two_sum(sum, number);
        sum = next;
        rest += lost;
        // The sum of the rounding errors is itself rounded; this line bounds the error of its rounding.
        rounded += (rest.abs() + f64::MIN_POSITIVE) * f64::EPSILON;
    }
    if rest == 0.0 || !sum.is_finite() {
        return sum;
    }
    (sum + (rest + 2.0 * rounded)).next_up()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use figrs_random_graphs::generator;

    /// Compares rounded sums with exact integer sums, for random numbers that are multiples of `2^-46` with 53 bits.
    #[test]
    fn sums_and_differences_are_rounded_outward() {
        let unit = f64::exp2(-46.0);
        let exact = |x: f64| (x / unit).floor() as i128;
        let (mut inexact, mut tight) = (0, 0);
        for seed in 0..2000 {
            let mut rng = generator(seed);
            let units: Vec<i64> = (0..rng.random_range(1..40))
                .map(|_| rng.random_range(-(1i64 << 53)..1 << 53))
                .collect();
            let numbers = units.iter().map(|&x| x as f64 * unit);
            let sum = units.iter().map(|&x| i128::from(x)).sum::<i128>();
            let above = sum_above(numbers.clone());
            assert!(exact(above) >= sum, "seed {seed}: {above} for {sum}");
            assert!(exact(above.next_down().next_down()) <= sum, "seed {seed}");
            inexact += usize::from(exact(numbers.sum()) < sum);
            let (a, b) = (units[0], units[units.len() - 1]);
            let (x, y) = (a as f64 * unit, b as f64 * unit);
            let difference = i128::from(a) - i128::from(b);
            let (low, high) = (difference_below(x, y), difference_above(x, y));
            assert!(exact(low) <= difference && exact(high) >= difference);
            tight += usize::from(low == high);
        }
        assert!(inexact > 200 && tight > 200, "{inexact} {tight}");
    }
}
