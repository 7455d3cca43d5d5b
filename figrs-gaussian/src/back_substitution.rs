//! The numbers of real vectors as functions of independent standard normal numbers: the equations of the elimination steps are solved in reverse
//! order.

use std::collections::BTreeMap;

use figrs_factor::graph::VarId;
use nalgebra::{DMatrix, DVector};

use crate::elimination::Elimination;
use crate::hybrid_graph::RealId;
use crate::posterior::HybridPosterior;

impl Elimination<'_> {
    /// Returns a value of each real vector, given an assignment of the finite variables. Each number of a vector is its conditional mean plus its
    /// conditional standard deviation times the number that `noise` returns.
    pub(crate) fn reals(
        &self,
        finite: &[u32],
        mut noise: impl FnMut() -> f64,
    ) -> Vec<DVector<f64>> {
        let graph = self.graph;
        let dimensions = graph.dimensions.iter();
        let mut reals: Vec<DVector<f64>> = dimensions.map(|&n| DVector::zeros(n)).collect();
        let mut values: Vec<f64> = Vec::new();
        for (index, step) in self.steps.iter().enumerate().rev() {
            let place = step.finite.iter().fold(0, |place, &v| {
                place * graph.finite.cardinality(v) + finite[v.index()] as usize
            });
            let own = step.eliminated.iter().map(|&real| graph.dimension(real));
            values.clear();
            values.resize(own.sum(), 0.0);
            for real in &step.separator {
                values.extend(reals[real.index()].iter());
            }
            let conditional = self.conditionals.get(index, place);
            let rows = conditional.chunks_exact(values.len() + 1);
            for (i, row) in rows.enumerate().rev() {
                let known = row[i + 1..values.len()].iter().zip(&values[i + 1..]);
                let sum: f64 = known.map(|(coefficient, x)| coefficient * x).sum();
                values[i] = (row[values.len()] + noise() - sum) / row[i];
            }
            let mut rest = &values[..];
            for &real in &step.eliminated {
                let (own, others) = rest.split_at(graph.dimension(real));
                reals[real.index()].copy_from_slice(own);
                rest = others;
            }
        }
        reals
    }
}

impl HybridPosterior<'_> {
    /// Returns the deviations of the vectors `reals` from their means, for the assignment `values` of the finite variables `scope`, as a linear
    /// function of independent standard normal numbers: the matrix of this function has a row for each number of the vectors. If L is the matrix of a
    /// linear function that gives deviations from independent standard normal numbers, L L' is the covariance matrix of the deviations, but L also
    /// represents small deviations next to large ones, which rounding removes from a covariance matrix.
    ///
    /// `reals` must have at least one vector, and chains of factors must connect them. `scope` must be the scope of the [`joint`](Self::joint)
    /// distribution of the vectors `reals`, and no components of mixtures may have been merged.
    ///
    /// **Complexity.** The cost is that of one draw of the connected vectors, times the number of real numbers in these vectors.
    pub fn deviations(&self, reals: &[RealId], scope: &[VarId], values: &[u32]) -> DMatrix<f64> {
        let root = self.roots[self.homes[reals[0].index()]];
        let connected = |&i: &usize| self.roots[i] == root;
        let own = |i: usize| self.step(i).eliminated.iter();
        let steps: Vec<usize> = (0..self.roots.len()).rev().filter(connected).collect();
        let eliminated = steps.iter().flat_map(|&i| own(i));
        let columns: usize = eliminated.map(|&real| self.graph().dimension(real)).sum();
        let mut found: BTreeMap<usize, DMatrix<f64>> = BTreeMap::new();
        let mut noise = 0;
        for i in steps {
            let place = self.step(i).finite.iter().fold(0, |place, v| {
                let value = scope.iter().position(|other| other == v);
                let value = value.map_or(0, |position| values[position]);
                place * self.graph().finite.cardinality(*v) + value as usize
            });
            let conditional = self.elimination.conditionals.get(i, place);
            let count: usize = own(i).map(|&real| self.graph().dimension(real)).sum();
            let separator = self.step(i).separator.iter();
            let known = separator.filter_map(|real| found.get(&real.index()));
            let known = known.flat_map(|deviations| deviations.row_iter());
            let mut rows: Vec<_> = vec![DMatrix::zeros(1, columns).row(0).clone_owned(); count];
            rows.extend(known.map(|row| row.clone_owned()));
            for place in (0..count).rev() {
                let entries =
                    &conditional[place * (rows.len() + 1)..(place + 1) * (rows.len() + 1)];
                let mut row = rows[place].clone();
                row[noise] = 1.0;
                noise += 1;
                for (other, entry) in rows.iter().zip(entries).skip(place + 1) {
                    row -= other * *entry;
                }
                rows[place] = row / entries[place];
            }
            let mut rest = &rows[..];
            for &real in own(i) {
                let (rows, others) = rest.split_at(self.graph().dimension(real));
                found.insert(real.index(), DMatrix::from_rows(rows));
                rest = others;
            }
        }
        let rows = reals.iter().filter_map(|real| found.get(&real.index()));
        let rows: Vec<_> = rows.flat_map(|deviations| deviations.row_iter()).collect();
        DMatrix::from_rows(&rows)
    }
}
