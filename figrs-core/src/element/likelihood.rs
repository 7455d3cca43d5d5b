//! The log-likelihood of a parameter, as a sum of basis functions with coefficients.

/// A basis function of a parameter θ. Log-likelihoods are stored as linear combinations of basis functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Term {
    /// The parameter itself: θ.
    Linear,
    /// The square of the parameter: θ².
    Square,
    /// The reciprocal of the parameter: 1 / θ.
    Inverse,
    /// The natural logarithm of the parameter: ln θ.
    Log,
    /// The natural logarithm of the complement of the parameter: ln (1 - θ).
    LogComplement,
    /// The logarithm of one number of a parameter that is a list of probabilities; there is one such basis function for each number.
    LogOfEach,
}

const SCALARS: usize = 5;

const SCALAR_TERMS: [Term; SCALARS] = [
    Term::Linear,
    Term::Square,
    Term::Inverse,
    Term::Log,
    Term::LogComplement,
];

impl Term {
    /// Returns the value of the basis function at the number `x`, and its derivative; NaN for [`LogOfEach`](Self::LogOfEach).
    fn at(self, x: f64) -> (f64, f64) {
        match self {
            Self::Linear => (x, 1.0),
            Self::Square => (x * x, 2.0 * x),
            Self::Inverse => (1.0 / x, -1.0 / (x * x)),
            Self::Log => (x.ln(), 1.0 / x),
            Self::LogComplement => ((-x).ln_1p(), -1.0 / (1.0 - x)),
            Self::LogOfEach => (f64::NAN, f64::NAN),
        }
    }
}

/// The log-likelihood of a parameter, up to a constant: a sum of [`Term`]s with coefficients.
///
/// Each value whose distribution depends on the parameter adds terms to the log-likelihood ([`Family::likelihood`](crate::Family::likelihood)).
/// Samplers use the log-likelihood to draw the parameter from its conditional distribution
/// ([`Family::sample_conditional`](crate::Family::sample_conditional)).
///
/// ```
/// # use figrs_core::{Likelihood, Term};
/// let mut of_rate = Likelihood::new(&[Term::Log, Term::Linear]);
/// // A count of 3 that is Poisson distributed.
/// of_rate.add(Term::Log, 3.0);
/// of_rate.add(Term::Linear, -1.0);
/// assert_eq!((of_rate.get(Term::Log), of_rate.is_refused()), (3.0, false));
/// of_rate.add(Term::Square, 1.0);
/// assert!(of_rate.is_refused());
/// ```
#[derive(Clone, Debug)]
pub struct Likelihood {
    terms: &'static [Term],
    scalars: [f64; SCALARS],
    each: Vec<f64>,
    power: f64,
    is_refused: bool,
}

impl Likelihood {
    /// Creates a constant likelihood, to which `terms` can be added.
    pub fn new(terms: &'static [Term]) -> Self {
        Self {
            terms,
            scalars: [0.0; SCALARS],
            each: Vec::new(),
            power: 1.0,
            is_refused: false,
        }
    }

    /// Sets the power to which the likelihoods of further values are raised: each coefficient that is added later is first multiplied by `power`.
    pub fn set_power(&mut self, power: f64) {
        self.power = power;
    }

    /// Records that the log-likelihood of some value is not a sum of `Term`s.
    pub fn refuse(&mut self) {
        self.is_refused = true;
    }

    /// True if the log-likelihood of some value was found not to be a sum of `Term`s.
    pub fn is_refused(&self) -> bool {
        self.is_refused
    }

    fn accepts(&mut self, term: Term, coefficient: f64) -> bool {
        if !(coefficient.is_finite() && self.terms.contains(&term)) {
            self.is_refused = true;
        }
        !self.is_refused
    }

    /// Adds `coefficient` times the basis function `term`, which must not be [`LogOfEach`](Term::LogOfEach).
    #[inline]
    pub fn add(&mut self, term: Term, coefficient: f64) {
        let accepts = self.accepts(term, coefficient);
        match self.scalars.get_mut(term as usize) {
            Some(sum) if accepts => *sum += self.power * coefficient,
            _ => self.is_refused = true,
        }
    }

    /// Adds `coefficient` times the logarithm of the number at the index `position` of a list of probabilities.
    #[inline]
    pub fn add_log_of(&mut self, position: usize, coefficient: f64) {
        if self.accepts(Term::LogOfEach, coefficient) {
            if self.each.len() <= position {
                self.each.resize(position + 1, 0.0);
            }
            self.each[position] += self.power * coefficient;
        }
    }

    /// Returns the derivatives of the log-likelihood with respect to each number of the parameter; the derivative with respect to a zero in a list is
    /// set to zero.
    pub fn derivatives(&self, value: &[f64]) -> Vec<f64> {
        let derivative = |(i, &x): (usize, &f64)| {
            if self.terms.contains(&Term::LogOfEach) {
                return if x > 0.0 { self.log_of(i) / x } else { 0.0 };
            }
            self.at(x).1
        };
        value.iter().enumerate().map(derivative).collect()
    }

    /// Adds the log-likelihood `other`, multiplied by the number `times`.
    pub fn add_times(&mut self, other: &Self, times: f64) {
        for (sum, coefficient) in self.scalars.iter_mut().zip(other.scalars) {
            *sum += times * coefficient;
        }
        if self.each.len() < other.each.len() {
            self.each.resize(other.each.len(), 0.0);
        }
        for (sum, coefficient) in self.each.iter_mut().zip(&other.each) {
            *sum += times * coefficient;
        }
        self.is_refused |= other.is_refused;
    }

    /// Multiplies all coefficients of the log-likelihood by `factor`.
    pub fn scale(&mut self, factor: f64) {
        for sum in self.scalars.iter_mut().chain(&mut self.each) {
            *sum *= factor;
        }
    }

    /// Returns the coefficient of `term`, which must not be [`LogOfEach`](Term::LogOfEach).
    pub fn get(&self, term: Term) -> f64 {
        self.scalars.get(term as usize).copied().unwrap_or(0.0)
    }

    /// Creates a constant likelihood, to which all terms except [`LogOfEach`](Term::LogOfEach) can be added.
    pub(crate) fn of_one_number() -> Self {
        Self::new(&SCALAR_TERMS)
    }

    /// Returns the value of the log-likelihood at the number `x`, and its derivative.
    fn at(&self, x: f64) -> (f64, f64) {
        let terms = SCALAR_TERMS.iter().zip(&self.scalars);
        let present = terms.filter(|(_, coefficient)| **coefficient != 0.0);
        present.fold((0.0, 0.0), |(sum, slope), (term, &coefficient)| {
            let (value, derivative) = term.at(x);
            (sum + coefficient * value, slope + coefficient * derivative)
        })
    }

    /// Returns the derivative at `x` of a log-probability that differs from the log-likelihood `self` only by a constant. If the probability is zero
    /// at `x`, returns the derivative of the probability itself, not of its logarithm. Returns `None` if the log-likelihood has no finite derivative
    /// at `x`.
    pub(crate) fn derivative(&self, x: f64, log_prob: impl Fn(f64) -> f64) -> Option<f64> {
        if self.is_refused {
            return None;
        }
        let slope = if log_prob(x) > f64::NEG_INFINITY {
            self.at(x).1
        } else {
            self.derivative_at_zero(x, log_prob)?
        };
        slope.is_finite().then_some(slope)
    }

    /// Returns the derivative at `x` of a probability that is zero at `x`: near `x`, the probability is proportional to a power of the distance to 0
    /// or 1, or is zero.
    fn derivative_at_zero(&self, x: f64, log_prob: impl Fn(f64) -> f64) -> Option<f64> {
        let (term, sign) = match x {
            0.0 => (Term::Log, 1.0),
            1.0 => (Term::LogComplement, -1.0),
            _ => return Some(0.0),
        };
        let order = self.get(term);
        if order == 0.0 || order > 1.0 {
            return Some(0.0);
        }
        // `rest` has all terms except `term`. The additive constant is computed from the log-probability at 0.5.
        let mut rest = self.clone();
        rest.scalars[term as usize] = 0.0;
        let constant = log_prob(0.5) - self.at(0.5).0;
        (order == 1.0).then(|| sign * (constant + rest.at(x).0).exp())
    }

    /// Returns the coefficient, in the log-likelihood, of the logarithm of the number at the index `position` of a list of probabilities.
    pub fn log_of(&self, position: usize) -> f64 {
        self.each.get(position).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_among_the_terms_is_refused() {
        let of = |add: fn(&mut Likelihood)| {
            let mut likelihood = Likelihood::new(&[Term::Log, Term::LogOfEach]);
            add(&mut likelihood);
            likelihood.is_refused()
        };
        assert!(!of(|l| l.add(Term::Log, 1.0)) && !of(|l| l.add_log_of(3, 1.0)));
        assert!(of(|l| l.add(Term::Linear, 1.0)) && of(|l| l.add(Term::Log, f64::NAN)));
        assert!(of(|l| l.add(Term::LogOfEach, 1.0)) && of(Likelihood::refuse));
        let mut flat = Likelihood::new(&[]);
        flat.add_log_of(0, 1.0);
        assert!(flat.is_refused());
    }

    #[test]
    fn derivatives_of_probabilities_that_are_zero() {
        // In three trials, the probability of one success is 3 p (1 - p)², and that of three successes is p³.
        let of = |successes: f64, x: f64| {
            let mut likelihood = Likelihood::of_one_number();
            likelihood.add(Term::Log, successes);
            likelihood.add(Term::LogComplement, 3.0 - successes);
            let coefficient: f64 = if successes % 3.0 == 0.0 { 1.0 } else { 3.0 };
            let power = |x: f64, n: f64| if n == 0.0 { 0.0 } else { n * x.ln() };
            likelihood.derivative(x, |x| {
                coefficient.ln() + power(x, successes) + power(1.0 - x, 3.0 - successes)
            })
        };
        let close = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-12;
        assert!(close(of(1.0, 0.0), 3.0) && close(of(3.0, 0.0), 0.0));
        assert!(close(of(2.0, 1.0), -3.0) && close(of(1.0, 1.0), 0.0));
        assert!(close(of(0.0, 0.0), -3.0) && close(of(3.0, 1.0), 3.0));
        assert!(close(of(1.0, 0.25), 4.0 - 2.0 / 0.75));
        // The square root of the parameter has an infinite derivative at zero.
        let mut root = Likelihood::of_one_number();
        root.add(Term::Log, 0.5);
        assert_eq!(root.derivative(0.0, |x: f64| 0.5 * x.ln()), None);
        root.refuse();
        assert_eq!(root.derivative(0.5, |x: f64| 0.5 * x.ln()), None);
    }

    #[test]
    fn coefficients_add_up_to_their_powers() {
        let mut likelihood = Likelihood::new(&[Term::Log, Term::LogOfEach]);
        likelihood.add(Term::Log, 2.0);
        likelihood.set_power(0.5);
        likelihood.add(Term::Log, 3.0);
        likelihood.add_log_of(1, 4.0);
        assert_eq!(likelihood.get(Term::Log), 3.5);
        let each = [0, 1, 2].map(|position| likelihood.log_of(position));
        assert_eq!(each, [0.0, 2.0, 0.0]);
        let mut sum = Likelihood::new(&[Term::Log, Term::LogOfEach]);
        sum.add(Term::Log, 1.0);
        sum.add_times(&likelihood, 2.0);
        sum.scale(10.0);
        assert_eq!((sum.get(Term::Log), sum.log_of(1)), (80.0, 40.0));
    }
}
