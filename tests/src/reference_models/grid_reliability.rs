//! Reliability of a grid of links: the probability that opposite corners are connected.

use figrs::prelude::*;
use figrs::value;

use super::Question;
use crate::asked::Worlds;

/// Connectivity of the cells of the frontier. Cells are added row by row, and the frontier is the last cell of each of the `k` columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Frontier {
    /// For each column, the smallest column whose frontier cell is connected with the frontier cell of this column.
    groups: Vec<usize>,
    /// For each column, `true` if its frontier cell is connected with the first corner.
    reached: Vec<bool>,
}
value!(Frontier);

impl Frontier {
    /// Returns the frontier that has only the first cell.
    fn start(k: usize) -> Self {
        let mut reached = vec![false; k];
        reached[0] = true;
        Self {
            groups: (0..k).collect(),
            reached,
        }
    }

    /// Adds a cell to a column. `below` states whether it is linked with the cell above it, and `beside` whether with the cell on its left.
    fn add(&self, column: usize, below: bool, beside: bool) -> Self {
        let mut next = self.clone();
        if !below {
            next.leave(column);
        }
        if beside {
            next.join(column - 1, column);
        }
        next
    }

    /// Replaces the frontier cell of this column by a cell without connections.
    fn leave(&mut self, column: usize) {
        let left = |&other: &usize| other != column && self.groups[other] == self.groups[column];
        let others: Vec<usize> = (0..self.groups.len()).filter(left).collect();
        for &other in &others {
            self.groups[other] = others[0];
        }
        self.groups[column] = column;
        self.reached[column] = false;
    }

    fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [a, b].map(|column| self.groups[column]);
        let all = self.groups.iter().zip(&self.reached);
        let reached = all.fold(false, |any, (&group, &reached)| {
            any || (reached && (group == a || group == b))
        });
        for (group, own) in self.groups.iter_mut().zip(&mut self.reached) {
            if *group == a || *group == b {
                (*group, *own) = (a.min(b), reached);
            }
        }
    }
}

const REFERENCES: [(&str, f64); 5] = [
    ("M13c_gridrel3", 0.869_502_287_872_000_2),
    ("M13c_gridrel4", 0.875_349_990_614_917_7),
    ("M13c_gridrel5", 0.879_044_856_376_178_8),
    ("M13c_gridrel6", 0.880_822_964_740_658_6),
    ("M13c_gridrel7", 0.881_580_550_948_444_1),
];

/// Asks for the probability that opposite corners of a grid of `k` by `k` are connected if each edge holds with probability 0.8, for `k` from three
/// to seven.
///
/// # Panics
///
/// Panics for other sizes.
pub fn grid_reliability(k: usize) -> Question {
    let holds = || Flip::new(0.8);
    let mut frontier = Constant::new(Frontier::start(k));
    for cell in 1..k * k {
        let (row, column) = (cell / k, cell % k);
        // A cell in the first row has no cell above it to which it could be linked.
        frontier = match (row > 0, column > 0) {
            (true, true) => (&frontier, &holds(), &holds())
                .map(move |(f, &below, &beside)| f.add(column, below, beside)),
            (true, false) => {
                (&frontier, &holds()).map(move |(f, &below)| f.add(column, below, false))
            }
            (false, _) => {
                (&frontier, &holds()).map(move |(f, &beside)| f.add(column, false, beside))
            }
        };
    }
    let connected = frontier.map(move |f| f.reached[k - 1]);
    let (reference, exact) = REFERENCES[k - 3];
    Question::new(reference, Model::new())
        .probability("P(connected)", &connected, true, exact)
        .worlds(Worlds::Many)
        .samples(20_000)
}
