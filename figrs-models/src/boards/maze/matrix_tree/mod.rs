//! Exact answers about mazes of any size by the matrix-tree theorem.
//!
//! A maze is a spanning tree of the grid, directed to the first room; its weight is the product of the weights of its pointers. The sum of the
//! weights of all mazes is the determinant of the grid's Laplacian matrix without the row and column of the first room. In the Laplacian matrix, the
//! row of a room has, in the column of each pointer's target, the negative weight of the pointer, and on the diagonal the sum of the weights of the
//! room's pointers. The Laplacian of a grid is a Kronecker sum of the Laplacians of its sides, whose eigenvalues are known.
//!
//! # References
//!
//! The matrix-tree theorem is due to Kirchhoff (1847), and its form for directed trees to Tutte, "The dissection of equilateral triangles into
//! equilateral triangles" (1948). The eigenvalues of the Laplacians of grids are given in Wu, "Number of spanning trees on a lattice", Journal of
//! Physics A 10 (1977). Marginal distributions of random trees by Green's function are derived in Burton and Pemantle, "Local characteristics,
//! entropy and limit theorems for spanning trees", Annals of Probability 21 (1993).

mod branching;
mod count;
mod marginals;
mod modular;
mod spectrum;

use num_bigint::BigUint;

use super::{PerfectMaze, Pointer};
use crate::board::{AnswerProgress, BoardError, CellDistribution, OwnAnswers};
use crate::grid::Board;

/// Exact answers about mazes without clues and without bounds on the length of the solution.
pub(super) struct MatrixTree(pub(super) PerfectMaze);

impl OwnAnswers<Pointer, Board<Pointer>> for MatrixTree {
    fn name(&self) -> &'static str {
        "matrix-tree"
    }

    fn count(&self, progress: &AnswerProgress<'_>) -> Result<BigUint, BoardError> {
        let size = self.0.size();
        count::spanning_trees((size.rows(), size.columns()), |done, all| {
            progress.step(done, all)
        })
    }

    fn log_probability(&self) -> Result<f64, BoardError> {
        let size = self.0.size();
        let rooms = size.positions().skip(1);
        let totals = rooms.map(|at| {
            self.0
                .choices(at)
                .map(|(_, weight)| weight)
                .sum::<f64>()
                .ln()
        });
        Ok(self.log_weight_of_all() - totals.sum::<f64>())
    }

    fn marginals(
        &self,
        memory: u64,
        progress: &AnswerProgress<'_>,
    ) -> Result<Vec<CellDistribution<Pointer>>, BoardError> {
        marginals::of_pointers(&self.0, memory, progress)
    }

    fn most_probable(&self) -> Result<(Board<Pointer>, f64), BoardError> {
        let size = self.0.size();
        let best = branching::heaviest(&self.0);
        let weights = best
            .iter()
            .skip(1)
            .map(|&pointer| self.0.weights.of(pointer).ln());
        let log = weights.sum::<f64>() - self.log_weight_of_all();
        Ok((Board::of(size, best), log.min(0.0)))
    }
}

impl MatrixTree {
    fn log_weight_of_all(&self) -> f64 {
        let (size, weights) = (self.0.size(), self.0.weights);
        let across = (size.columns(), weights.left, weights.right);
        let down = (size.rows(), weights.up, weights.down);
        spectrum::log_weight_of_trees(across, down)
    }
}
