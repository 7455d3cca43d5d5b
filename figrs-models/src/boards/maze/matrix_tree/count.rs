//! The number of spanning trees of a grid.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::thread::available_parallelism;

use figrs_infer::in_order;
use num_bigint::BigUint;

use super::modular::{Modulus, primes};
use super::spectrum::log_weight_of_trees;
use crate::board::BoardError;

/// Returns the number of spanning trees of a grid of `m` by `n` rooms.
///
/// The number of spanning trees is a product over all pairs of nonzero eigenvalues, one of each side of the grid; the factor of a pair is the sum of
/// its two eigenvalues. The number of spanning trees is the resultant of the monic polynomials `S_(m-1)(x)` and `S_(n-1)(4 - x)`. The polynomial
/// `S_k` is Chebyshev's polynomial of the second kind, `S_(k+1)(x) = x S_k(x) - S_(k-1)(x)`, with the roots `2 cos(pi j / (k + 1))`. The number of
/// spanning trees, a resultant, is computed modulo primes whose product is larger than the number, and the remainders are combined by the Chinese
/// remainder theorem.
///
/// The function `step` receives the number of processed primes and the number of all primes, and may end the computation by an error.
///
/// **Complexity.** The computation uses `O(m n / 62)` primes, each in time `O(m n)` for the smaller side `m`, and combines the remainders in time
/// `O((m n / 62)^2)`.
pub(super) fn spanning_trees(
    (rows, columns): (usize, usize),
    mut step: impl FnMut(u64, u64) -> Result<(), BoardError>,
) -> Result<BigUint, BoardError> {
    /// Number of bits of the result that each prime determines at least, and number of bits that are added because the logarithm of the result is
    /// rounded.
    const BITS: (f64, f64) = (61.0, 64.0);
    let bits = log_weight_of_trees((columns, 1.0, 1.0), (rows, 1.0, 1.0)) / f64::ln(2.0);
    let wanted = ((bits + BITS.1) / BITS.0).ceil() as u64;
    let all: Vec<u64> = primes().take(wanted as usize).collect();
    let sides = (rows.min(columns), rows.max(columns));
    let threads = available_parallelism().map_or(1, NonZero::get);
    let (mut count, mut product, mut done) = (BigUint::ZERO, BigUint::from(1u32), 0);
    let mut failed = None;
    in_order(
        threads,
        (0..wanted, 1),
        || Ok(()),
        |(), number| {
            let modulus = Modulus::new(all[number as usize]);
            Ok((modulus, modulo(sides, modulus)))
        },
        |(modulus, remainder)| {
            let prime = modulus.prime;
            let of = |number: &BigUint| (number % prime).try_into().unwrap_or(0u64);
            let missing = modulus.minus(remainder, modulus.number(of(&count)));
            let inverse = modulus.inverse(modulus.number(of(&product)));
            count += &product * modulus.remainder(modulus.times(missing, inverse));
            product *= prime;
            done += 1;
            match step(done, wanted) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    )?;
    failed.map_or(Ok(count), Err)
}

/// Returns the number of spanning trees modulo a prime, in the Montgomery form of `modulus`; `small` is the smaller side of the grid.
fn modulo((small, large): (usize, usize), modulus: Modulus) -> u64 {
    // The polynomial `S` of the smaller side, with the lowest coefficient first.
    let (mut before, mut side) = (vec![0], vec![modulus.one()]);
    for _ in 1..small {
        let mut next = vec![0; side.len() + 1];
        next[1..].copy_from_slice(&side);
        for (to, from) in next.iter_mut().zip(&before) {
            *to = modulus.minus(*to, *from);
        }
        before = std::mem::replace(&mut side, next);
    }
    if small == 1 {
        return modulus.one();
    }
    // The polynomial `S` of the larger side at `4 - x`, modulo the polynomial `S` of the smaller side.
    let degree = side.len() - 1;
    let four = modulus.number(4);
    let (mut before, mut other) = (vec![0; degree], vec![0; degree]);
    other[0] = modulus.one();
    for _ in 1..large {
        let top = other[degree - 1];
        let mut carried = 0;
        for index in 0..degree {
            // The polynomial times `x`; the leading term of the product is reduced modulo `S` of the smaller side.
            let shifted = modulus.minus(carried, modulus.times(top, side[index]));
            carried = other[index];
            let next = modulus.minus(modulus.times(four, carried), shifted);
            before[index] = modulus.minus(next, before[index]);
        }
        std::mem::swap(&mut before, &mut other);
    }
    resultant(side, other, modulus)
}

/// Returns the resultant of the two polynomials `one` and `other` by Euclid's algorithm; the leading coefficient of `one` must be nonzero.
fn resultant(mut one: Vec<u64>, mut other: Vec<u64>, modulus: Modulus) -> u64 {
    let mut product = modulus.one();
    loop {
        while other.last() == Some(&0) {
            other.pop();
        }
        let Some(&lead) = other.last() else {
            return 0;
        };
        let (high, low) = (one.len() - 1, other.len() - 1);
        if low == 0 {
            return modulus.times(product, modulus.power(lead, high as u64));
        }
        // Reduces the polynomial `one` modulo `other`.
        let inverse = modulus.inverse(lead);
        for top in (low..=high).rev() {
            let factor = modulus.times(one[top], inverse);
            if factor != 0 {
                for (place, &coefficient) in other.iter().enumerate() {
                    let at = top - low + place;
                    one[at] = modulus.minus(one[at], modulus.times(factor, coefficient));
                }
            }
        }
        one.truncate(low);
        while one.last() == Some(&0) {
            one.pop();
        }
        let Some(rest) = one.len().checked_sub(1) else {
            return 0;
        };
        product = modulus.times(product, modulus.power(lead, (high - rest) as u64));
        if high * low % 2 == 1 {
            product = modulus.minus(0, product);
        }
        std::mem::swap(&mut one, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(rows: usize, columns: usize) -> String {
        spanning_trees((rows, columns), |_, _| Ok(()))
            .unwrap()
            .to_string()
    }

    /// The published numbers of spanning trees are sequence A007341 of the OEIS for square grids, and A001353 for grids of two rows (ladders).
    #[test]
    fn counts_are_the_published_ones() {
        let squares = [
            "1",
            "4",
            "192",
            "100352",
            "557568000",
            "32565539635200",
            "19872369301840986112",
            "126231322912498539682594816",
        ];
        for (side, published) in (1..).zip(squares) {
            assert_eq!(count(side, side), published);
        }
        for (rungs, published) in (1..).zip(["1", "4", "15", "56", "209", "780", "2911"]) {
            assert_eq!(count(2, rungs), published);
            assert_eq!(count(rungs, 2), published);
        }
        assert_eq!(count(1, 50), "1");
    }

    /// The leading digits of a large number of spanning trees, which no table lists, agree with those of the product of eigenvalues.
    #[test]
    fn large_counts_agree_with_their_logarithm() {
        for (rows, columns) in [(40, 33), (21, 60), (64, 64)] {
            let digits = count(rows, columns);
            let log = log_weight_of_trees((columns, 1.0, 1.0), (rows, 1.0, 1.0)) / f64::ln(10.0);
            let leading: f64 = format!("0.{}", &digits[..17]).parse().unwrap();
            let found = leading.log10() + digits.len() as f64;
            assert!((found - log).abs() < 1e-9, "{found} {log}");
        }
    }
}
