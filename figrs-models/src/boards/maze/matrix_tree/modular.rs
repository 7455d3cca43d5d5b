//! Arithmetic modulo a prime of 62 bits, with numbers in Montgomery form.

/// A prime below `2^62` as the modulus. A stored number `x` represents `x / 2^64` modulo the prime (Montgomery form).
#[derive(Clone, Copy, Debug)]
pub(super) struct Modulus {
    pub(super) prime: u64,
    /// The number `-1 / prime` modulo `2^64`, for Montgomery multiplication.
    inverse: u64,
    /// The number `2^64` modulo the prime, which represents 1 in Montgomery form. The field `square` is the square of the field `one` modulo the
    /// prime, and represents `2^64`.
    one: u64,
    square: u64,
}

impl Modulus {
    /// **References.** P. L. Montgomery, "Modular multiplication without trial division", Mathematics of Computation 44 (1985).
    pub(super) fn new(prime: u64) -> Self {
        // Newton's iteration doubles the number of correct bits, which is three at the start.
        let inverse = (0..5).fold(prime, |inverse, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(prime.wrapping_mul(inverse)))
        });
        let one = ((1u128 << 64) % u128::from(prime)) as u64;
        let square = (u128::from(one) * u128::from(one) % u128::from(prime)) as u64;
        Self {
            prime,
            inverse: inverse.wrapping_neg(),
            one,
            square,
        }
    }

    pub(super) fn number(self, number: u64) -> u64 {
        self.times(number % self.prime, self.square)
    }

    /// Returns the remainder modulo the prime that the number `number` in Montgomery form represents.
    pub(super) fn remainder(self, number: u64) -> u64 {
        self.times(number, 1)
    }

    pub(super) fn times(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let factor = (product as u64).wrapping_mul(self.inverse);
        let reduced = (product + u128::from(factor) * u128::from(self.prime)) >> 64;
        let reduced = reduced as u64;
        reduced.min(reduced.wrapping_sub(self.prime))
    }

    pub(super) fn minus(self, a: u64, b: u64) -> u64 {
        let less = a.wrapping_sub(b);
        less.min(less.wrapping_add(self.prime))
    }

    pub(super) fn power(self, base: u64, mut exponent: u64) -> u64 {
        let (mut power, mut square) = (self.one, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.times(power, square);
            }
            square = self.times(square, square);
            exponent >>= 1;
        }
        power
    }

    pub(super) fn one(self) -> u64 {
        self.one
    }

    /// Returns the multiplicative inverse of the nonzero number `number`, by Fermat's theorem.
    pub(super) fn inverse(self, number: u64) -> u64 {
        self.power(number, self.prime - 2)
    }
}

pub(super) fn primes() -> impl Iterator<Item = u64> {
    let odd = (1..1u64 << 62).rev().step_by(2);
    odd.filter(|&number| is_prime(number))
}

/// True if `number` is a prime, by the Miller-Rabin test; the bases of the test suffice for all numbers of 64 bits.
///
/// **References.** J. Sorenson and J. Webster, "Strong pseudoprimes to twelve prime bases", Mathematics of Computation 86 (2017).
fn is_prime(number: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if BASES.iter().any(|base| number.is_multiple_of(*base)) {
        return BASES.contains(&number);
    }
    let modulus = Modulus::new(number);
    let (one, minus_one) = (modulus.one(), number - modulus.one());
    let twos = (number - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut power = modulus.power(modulus.number(base), (number - 1) >> twos);
        if power == one {
            return true;
        }
        (0..twos).any(|_| {
            let found = power == minus_one;
            power = modulus.times(power, power);
            found
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_those_of_trial_division() {
        let by_division = |number: u64| {
            let mut divisors = (2..).take_while(|divisor| divisor * divisor <= number);
            number > 1 && divisors.all(|divisor| !number.is_multiple_of(divisor))
        };
        for number in (3..20_000).step_by(2) {
            assert_eq!(is_prime(number), by_division(number), "{number}");
        }
        // The largest prime below 2^62 is 2^62 - 57.
        assert_eq!(primes().next(), Some((1 << 62) - 57));
    }

    #[test]
    fn arithmetic_agrees_with_remainders() {
        let modulus = Modulus::new((1 << 62) - 57);
        let prime = u128::from(modulus.prime);
        for (a, b) in [
            (3, 5),
            (1 << 61, 1 << 60),
            (modulus.prime - 1, modulus.prime - 2),
        ] {
            let (x, y) = (modulus.number(a), modulus.number(b));
            let (wide_a, wide_b) = (u128::from(a), u128::from(b));
            let residue = |number| u128::from(modulus.remainder(number));
            assert_eq!(residue(modulus.times(x, y)), wide_a * wide_b % prime);
            assert_eq!(
                residue(modulus.minus(x, y)),
                (wide_a + prime - wide_b) % prime
            );
            assert_eq!(residue(modulus.times(x, modulus.inverse(x))), 1);
        }
    }
}
