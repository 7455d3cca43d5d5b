//! Computes the sum of the weights of all spanning trees of a grid from the eigenvalues of the grid's Laplacian.

use std::f64::consts::PI;

/// A side of a grid of rooms: the number of its rooms, and the weights of pointers to the previous room and to the next room along the side.
type Side = (usize, f64, f64);

/// Returns the logarithm of the sum of the weights of all spanning trees of a grid that are directed to its first room.
///
/// The eigenvalues of the Laplacian of a line of `n` rooms (a side of the grid) are 0 and `back + forward - 2 sqrt(back forward) cos(pi k / n)` for
/// `k` from 1 to `n - 1`. Each eigenvalue of the grid's Laplacian is the sum of one eigenvalue of each side of the grid. The product of the nonzero
/// eigenvalues of the grid's Laplacian is the weight of all spanning trees, directed to any room. The trees that are directed to a given room have a
/// share of the weight of all trees that equals the room's stationary probability: `(forward / back)^k` for room `k` of a side, up to a factor.
///
/// **Complexity.** The time is linear in the number of rooms of the grid.
pub(super) fn log_weight_of_trees(across: Side, down: Side) -> f64 {
    let (across_values, down_values) = (eigenvalues(across), eigenvalues(down));
    let mut sum = log_share_of_first(across) + log_share_of_first(down);
    for (row, &one) in down_values.iter().enumerate() {
        for &other in &across_values[usize::from(row == 0)..] {
            sum += (one + other).ln();
        }
    }
    sum
}

fn eigenvalues((rooms, back, forward): Side) -> Vec<f64> {
    let others = (1..rooms).map(|k| {
        // This form of the eigenvalue loses no digits, even if `back` and `forward` are nearly equal.
        let half = (PI * k as f64 / (2.0 * rooms as f64)).sin();
        (back.sqrt() - forward.sqrt()).powi(2) + 4.0 * (back * forward).sqrt() * half * half
    });
    std::iter::once(0.0).chain(others).collect()
}

/// Returns the logarithm of the probability of the first room in the stationary distribution of a random walk along a side of the grid.
fn log_share_of_first((rooms, back, forward): Side) -> f64 {
    let ratio = forward.ln() - back.ln();
    let largest = (ratio * (rooms - 1) as f64).max(0.0);
    let terms = (0..rooms).map(|k| (ratio * k as f64 - largest).exp());
    -(largest + terms.sum::<f64>().ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side of the grid has a single spanning tree, a path, and a square of four rooms has four spanning trees.
    #[test]
    fn weights_of_small_grids_are_known() {
        let path = log_weight_of_trees((4, 3.0, 2.0), (1, 5.0, 7.0));
        assert!((path - 27f64.ln()).abs() < 1e-12, "{path}");
        let (left, right, up, down) = (3.0, 2.0, 5.0, 7.0);
        let found = log_weight_of_trees((2, left, right), (2, up, down)).exp();
        // Each product multiplies the weights of the pointers of the three other rooms; each tree omits one of the four passages.
        let trees = [
            left * up * left,
            left * up * up,
            down * up * left,
            left * right * up,
        ];
        let sum: f64 = trees.iter().sum();
        assert!((found - sum).abs() < 1e-9, "{found} {sum}");
    }
}
