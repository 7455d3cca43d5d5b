//! Choice of the next variable of the search, and of the two decisions on its values.

use super::super::network::{Decision, Network};

/// Maximum number of remaining values at which a branching separates one value from the others; a larger domain is divided into halves.
const DIVIDED: usize = 10;

/// Two alternative decisions on a variable; each assignment agrees with exactly one of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branching {
    pub(super) first: Decision,
    pub(super) second: Decision,
    /// A lower bound of the cost of assignments that agree with the second decision.
    pub(super) lower: i64,
}

impl Network {
    /// Returns the variable for the next branching: the variable of the last conflict, or else the variable with the smallest ratio of the number of
    /// its remaining values to the conflicts of its cost functions.
    ///
    /// **References.** Boussemart, Hemery, Lecoutre and Sais, *Boosting systematic search by weighting constraints*, ECAI 2004; Lecoutre, Sais,
    /// Tabary and Vidal, *Reasoning from last conflict(s) in constraint programming*, Artificial Intelligence 173, 2009.
    pub(super) fn next_variable(&self, last_conflict: u32) -> Option<u32> {
        if last_conflict != u32::MAX && self.is_open(last_conflict as usize) {
            return Some(last_conflict);
        }
        let mut best: Option<(f64, i64, u32)> = None;
        for &v in self.open() {
            let mut weight = 1;
            for &f in &self.incident[v as usize] {
                if self.is_active(f as usize) {
                    weight += self.weights[f as usize];
                }
            }
            let score = self.live_count(v as usize) as f64 / weight as f64;
            let better = best.is_none_or(|(least, costliest, u)| {
                score < least
                    || (score == least && {
                        let own = self.costliest(v as usize);
                        own > costliest || (own == costliest && v < u)
                    })
            });
            if better {
                best = Some((score, self.costliest(v as usize), v));
            }
        }
        best.map(|(_, _, v)| v)
    }

    fn costliest(&self, v: usize) -> i64 {
        let costs = self.domain(v).iter().map(|&a| self.unary(v, a as usize));
        costs.max().unwrap_or(0)
    }

    /// Returns two decisions that divide the remaining values of the variable `v`: into halves if there are many values, otherwise into one value and
    /// all others. The first of the two decisions keeps the value `preferred`.
    pub(super) fn branching(&self, v: u32, preferred: Option<u32>) -> Branching {
        let i = v as usize;
        let live = |a: &u32| self.is_live(i, *a as usize);
        let value = preferred
            .filter(live)
            .or(Some(self.supported[i]).filter(live));
        let value = value.unwrap_or(self.cheapest[i]);
        let values = self.domain(i);
        if values.len() > DIVIDED {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            let middle = sorted[sorted.len() / 2];
            let halves = [(0, middle), (middle, self.sizes[i])];
            let [first, second] = halves.map(|(from, to)| Decision::Keep {
                variable: v,
                from,
                to,
            });
            let (first, second) = if value < middle {
                (first, second)
            } else {
                (second, first)
            };
            return Branching {
                first,
                second,
                lower: self.lower,
            };
        }
        let others = values
            .iter()
            .filter(|&&a| a != value)
            .map(|&a| self.unary(i, a as usize));
        Branching {
            first: Decision::Assign(v, value),
            second: Decision::Remove(v, value),
            lower: self.lower + others.min().unwrap_or(0),
        }
    }
}
