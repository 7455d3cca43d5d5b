//! Predicted densities (fractions of non-zero entries) of tables during a symbolic elimination.

use super::interaction_graph::FixedPoint;

/// A table with zeros, and its predicted density.
#[derive(Debug)]
struct TableDensity {
    scope: Vec<u32>,
    /// The logarithm of the density of the table (its fraction of non-zero entries).
    density: FixedPoint,
}

/// For each vertex, the tables with zeros that contain it; the lists are empty if no table has zeros.
#[derive(Debug, Default)]
pub(super) struct Densities {
    tables: Vec<Option<TableDensity>>,
    /// For each vertex, the tables that contain it, including removed tables.
    of: Vec<Vec<u32>>,
    /// For each vertex, the sum of the log-densities of the tables that contain it and have not been removed.
    total: Vec<FixedPoint>,
}

impl Densities {
    pub(super) fn add(&mut self, scope: Vec<u32>, density: FixedPoint, vertices: usize) {
        if density >= 0 {
            return;
        }
        if self.total.is_empty() {
            self.total.resize(vertices, 0);
            self.of.resize_with(vertices, Vec::new);
        }
        for &v in &scope {
            self.total[v as usize] += density;
            self.of[v as usize].push(self.tables.len() as u32);
        }
        self.tables.push(Some(TableDensity { scope, density }));
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    pub(super) fn of(&self, v: u32) -> FixedPoint {
        self.total.get(v as usize).copied().unwrap_or(0)
    }

    /// Removes the tables that contain `v`, and returns the sum of their log-densities.
    pub(super) fn remove_vertex(&mut self, v: u32) -> FixedPoint {
        let mut sum = 0;
        let Some(tables) = self.of.get_mut(v as usize) else {
            return sum;
        };
        for t in std::mem::take(tables) {
            if let Some(promise) = self.tables[t as usize].take() {
                sum += promise.density;
                for u in promise.scope {
                    self.total[u as usize] -= promise.density;
                }
            }
        }
        sum
    }

    /// Returns the tables that have not been removed, with their log-densities.
    pub(super) fn remaining(&self) -> impl Iterator<Item = (&[u32], FixedPoint)> {
        let left = self.tables.iter().flatten();
        left.map(|promise| (promise.scope.as_slice(), promise.density))
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        let vertices = other.total.len();
        self.clear();
        for (scope, density) in other.remaining() {
            self.add(scope.to_vec(), density, vertices);
        }
    }
}
