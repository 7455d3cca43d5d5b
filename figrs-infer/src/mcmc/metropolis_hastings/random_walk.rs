//! Random walks with an adapted covariance, for correlated continuous random choices.
//!
//! The covariance is adapted as in Haario, Saksman and Tamminen (2001), "An adaptive Metropolis algorithm". The scale is adapted as in algorithm 4 of
//! Andrieu and Thoms (2008), "A tutorial on adaptive MCMC".

use super::decisions::StepDecisions;

/// Exponent of the weight of new positions: the t-th position of the chain gets the weight t to the power of minus `FORGETTING_EXPONENT` in the
/// covariance. With the exponent 0.6, the covariance forgets the start of the chain, and grows along a ridge as fast as the chain moves along it.
/// With two numbers of correlation .99999, all chains explored the whole distribution within 1500 positions.
const FORGETTING_EXPONENT: f64 = 0.6;
/// Number of positions per dimension after which the t-th position gets a weight in proportion to 1 / t; all later positions then count equally.
const FORGETTING_POSITIONS: u32 = 100;
/// Relative increase of each variance in a learned covariance matrix, which ensures that the matrix has a Cholesky factor in spite of rounding
/// errors.
const JITTER: f64 = 1e-9;
/// Minimum correlation of two continuous choices for which a joint random walk is worth its cost.
const MIN_CORRELATION: f64 = 0.5;

/// A random walk with normally distributed steps. The covariance of a step is the covariance of the chain's positions so far, times an adapted scale.
#[derive(Clone, Debug, Default)]
pub(super) struct RandomWalk {
    learned: u32,
    mean: Vec<f64>,
    /// The lower triangle of the covariance matrix of the positions, row by row.
    covariance: Vec<Vec<f64>>,
    /// The Cholesky factor of the covariance matrix; empty until the walk has learned enough positions.
    factor: Vec<Vec<f64>>,
    log_scale: f64,
    adapted: u32,
}

impl RandomWalk {
    /// Adds a position to the learned covariance. Learning starts again if the new position has another number of dimensions than the positions
    /// before.
    pub(super) fn add_position(&mut self, position: &[f64]) {
        let dimensions = position.len();
        if self.mean.len() != dimensions {
            *self = Self {
                mean: position.to_vec(),
                covariance: (1..=dimensions).map(|row| vec![0.0; row]).collect(),
                ..Self::default()
            };
        }
        self.learned += 1;
        let settled = f64::from(FORGETTING_POSITIONS) * dimensions as f64;
        let learned = f64::from(self.learned);
        let weight = learned.min(settled).powf(-FORGETTING_EXPONENT) * (settled / learned).min(1.0);
        let moved: Vec<f64> = position
            .iter()
            .zip(&self.mean)
            .map(|(x, m)| x - m)
            .collect();
        for (i, row) in self.covariance.iter_mut().enumerate() {
            for (entry, other) in row.iter_mut().zip(&moved) {
                *entry = (1.0 - weight) * (*entry + weight * moved[i] * other);
            }
        }
        for (mean, moved) in self.mean.iter_mut().zip(&moved) {
            *mean += weight * moved;
        }
        if self.learned as usize >= 2 * dimensions + 8 {
            self.factor = cholesky(&self.covariance).unwrap_or_default();
        }
    }

    pub(super) fn is_learned(&self) -> bool {
        !self.factor.is_empty()
    }

    /// True if the random walk can make a step from a position of `dimensions` dimensions.
    pub(super) fn can_move(&self, dimensions: usize) -> bool {
        self.factor.len() == dimensions
    }

    /// True if joint random walk steps of `sites` random choices are worth their cost: some choice is a list of numbers, or some learned correlation
    /// is strong.
    pub(super) fn is_profitable(&self, sites: usize) -> bool {
        if self.is_learned() && self.mean.len() > sites {
            return true;
        }
        let variance = |i: usize| self.covariance[i][i];
        !self.factor.is_empty()
            && (0..self.covariance.len()).any(|i| {
                (0..i).any(|j| {
                    let correlation = self.covariance[i][j] / (variance(i) * variance(j)).sqrt();
                    correlation.abs() >= MIN_CORRELATION
                })
            })
    }

    pub(super) fn step(&self, position: &mut [f64], decisions: &mut impl StepDecisions) {
        let scale = self.log_scale.exp() * 2.38 / (position.len() as f64).sqrt();
        let normal: Vec<f64> = position.iter().map(|_| decisions.normal()).collect();
        for (x, row) in position.iter_mut().zip(&self.factor) {
            let moved: f64 = row.iter().zip(&normal).map(|(l, z)| l * z).sum();
            *x += scale * moved;
        }
    }

    pub(super) fn adapt(&mut self, accepted: f64) {
        // The optimal acceptance rate is .44 in one dimension and falls to .234 in many dimensions: Roberts and Rosenthal (2001).
        let aim = 0.234 + 0.206 / self.mean.len().max(1) as f64;
        self.adapted += 1;
        self.log_scale += (accepted - aim) / f64::from(self.adapted).powf(0.6);
    }
}

/// Returns the Cholesky factor of a symmetric matrix, given by its lower triangle; `None` if the matrix is not positive definite.
fn cholesky(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (i, entries) in matrix.iter().enumerate() {
        let mut row: Vec<f64> = Vec::with_capacity(i + 1);
        for (j, entry) in entries.iter().enumerate() {
            let other = factor.get(j).map_or(&row[..], Vec::as_slice);
            let known: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            if j < i {
                row.push((entry - known) / factor[j][j]);
            } else {
                let rest = entry * (1.0 + JITTER) - known;
                if !(rest > 0.0 && rest.is_finite()) {
                    return None;
                }
                row.push(rest.sqrt());
            }
        }
        factor.push(row);
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;

    use super::*;

    /// In the test, the walk learns positions along a line in two dimensions; the first hundred positions are far from the line.
    #[test]
    fn steps_have_the_shape_of_what_was_learned() {
        let mut random = stream(1, 0);
        let mut walk = RandomWalk::default();
        for i in 0..4000 {
            let far = if i < 100 { 1000.0 } else { 0.0 };
            let (along, beside) = (100.0 * random.normal(), random.normal());
            walk.add_position(&[far + along, 5.0 - along + beside]);
        }
        assert!(walk.can_move(2) && walk.is_profitable(2));
        let (mut along, mut beside) = (0.0, 0.0);
        for _ in 0..4000 {
            let mut position = [0.0, 0.0];
            walk.step(&mut position, &mut random);
            along += (position[0] / 100.0).powi(2) / 4000.0;
            beside += (position[0] + position[1]).powi(2) / 4000.0;
        }
        let right = 2.38_f64.powi(2) / 2.0;
        assert!((along / right - 1.0).abs() < 0.2, "{along}");
        assert!((beside / right - 1.0).abs() < 0.2, "{beside}");
    }

    #[test]
    fn what_does_not_vary_cannot_move() {
        let mut walk = RandomWalk::default();
        for _ in 0..100 {
            walk.add_position(&[1.0, 2.0]);
        }
        assert!(!walk.can_move(2) && !walk.is_profitable(2));
    }

    #[test]
    fn a_factor_multiplies_to_its_matrix() {
        let matrix = vec![vec![4.0], vec![2.0, 5.0], vec![-1.0, 0.5, 3.0]];
        let factor = cholesky(&matrix).unwrap();
        for (i, row) in matrix.iter().enumerate() {
            for (j, entry) in row.iter().enumerate() {
                let product: f64 = factor[i].iter().zip(&factor[j]).map(|(a, b)| a * b).sum();
                assert!((product - entry).abs() < 1e-8);
            }
        }
        assert_eq!(cholesky(&[vec![1.0], vec![2.0, 1.0]]), None);
    }
}
