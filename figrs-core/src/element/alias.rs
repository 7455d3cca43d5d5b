//! Alias table: constant-time sampling of a categorical distribution from one random word.

use std::hint::select_unpredictable;

use rand::Rng;

/// An alias table (Walker 1977; construction by Vose 1991), whose probabilities are accurate to 2^-64.
#[derive(Clone, Debug)]
pub struct Alias {
    /// The cells of the table: the threshold of a cell out of 2^64, its own outcome, and its alias.
    cells: Vec<(u64, u32, u32)>,
}

impl Alias {
    /// Returns the size of the table in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.cells)
    }

    /// Creates a table that draws outcome `codes[i]` with a probability proportional to `weights[i]`; at least one weight must be
    /// positive.
    pub fn new(weights: &[f64], codes: &[u32]) -> Self {
        const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;
        let n = weights.len();
        let total: f64 = weights.iter().sum();
        let mut shares: Vec<f64> = weights.iter().map(|w| w / total * n as f64).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..n).partition(|&i| shares[i] < 1.0);
        let mut cells = vec![(u64::MAX, 0, 0); n];
        for (cell, &code) in cells.iter_mut().zip(codes) {
            *cell = (u64::MAX, code, code);
        }
        while let (Some(&less), Some(&more)) = (small.last(), large.last()) {
            small.pop();
            // The conversion of a float to `u64` saturates at the largest `u64`.
            cells[less] = ((shares[less] * TWO_POW_64) as u64, codes[less], codes[more]);
            shares[more] -= 1.0 - shares[less];
            if shares[more] < 1.0 {
                large.pop();
                small.push(more);
            }
        }
        // Because of rounding, some cells may still have a share near one; but an outcome of share zero must never be drawn.
        if let Some(likeliest) = (0..n).max_by(|&a, &b| weights[a].total_cmp(&weights[b])) {
            for rest in small {
                if weights[rest] == 0.0 {
                    cells[rest] = (0, codes[rest], codes[likeliest]);
                }
            }
        }
        Self { cells }
    }

    /// Draws an outcome and returns its code.
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
        let wide = u128::from(rng.next_u64()) * self.cells.len() as u128;
        let (own, code, other) = self.cells[(wide >> 64) as usize];
        select_unpredictable((wide as u64) < own, code, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_sum_to_the_probabilities() {
        let weights = [0.1, 0.0, 3.0, 1e-9, 2.0, 0.25];
        let codes = [5, 4, 3, 2, 1, 0];
        let alias = Alias::new(&weights, &codes);
        let mut shares = [0.0; 6];
        for &(own, code, other) in &alias.cells {
            let own = own as f64 / 2f64.powi(64);
            shares[code as usize] += own / 6.0;
            shares[other as usize] += (1.0 - own) / 6.0;
        }
        let total: f64 = weights.iter().sum();
        for (weight, code) in weights.iter().zip(codes) {
            let difference = (weight / total - shares[code as usize]).abs();
            assert!(difference < 1e-15, "{code}: {difference}");
        }
        assert_eq!(shares[4], 0.0);
    }
}
