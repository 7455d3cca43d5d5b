//! Exact samples of assignments by a traceback through the messages of a contraction tree.

use rand::{Rng, RngExt};

use crate::algebra::{NumberForm, Semiring};

use super::beliefs::Beliefs;
use super::contraction_tree::ContractionTree;
use super::tree_beliefs::BeliefQuery;

/// A query that draws one assignment (indexed by the rank of each variable in the elimination order) with probability proportional to its weight. The
/// result of the query is `None` if no assignment has a positive weight.
///
/// **Complexity.** Each sample takes one traceback, which lists the alternatives of each step given the values drawn before. **References.** Dawid,
/// *Applications of a general propagation algorithm for probabilistic expert systems*, Statistics and Computing 2, 1992, section 5.
#[derive(Debug)]
pub struct SampleQuery<'a, R> {
    /// The tree to which the messages belong.
    pub tree: &'a ContractionTree,
    /// The source of random numbers.
    pub rng: std::cell::RefCell<&'a mut R>,
}

impl<R: Rng> BeliefQuery<Option<Vec<u32>>> for SampleQuery<'_, R> {
    fn ask<S: Semiring<Value = f64>>(
        &self,
        beliefs: &mut Beliefs<S>,
        form: NumberForm,
    ) -> Option<Vec<u32>> {
        let (total, _) = beliefs.total(self.tree);
        if S::is_zero(&total) {
            return None;
        }
        let mut rng = self.rng.borrow_mut();
        beliefs.trace(self.tree, |weights| {
            sample_index(&form.shares(weights.to_vec()), rng.random())
        })
    }
}

/// A query that enumerates the assignments (indexed by the rank of each variable) that [`SampleQuery`] may draw, with their probabilities. The query
/// follows each alternative of each random choice that a draw of an assignment makes.
#[derive(Debug)]
pub struct EnumerationQuery<'a> {
    /// The tree to which the messages belong.
    pub tree: &'a ContractionTree,
}

impl BeliefQuery<Vec<(Vec<u32>, f64)>> for EnumerationQuery<'_> {
    fn ask<S: Semiring<Value = f64>>(
        &self,
        beliefs: &mut Beliefs<S>,
        form: NumberForm,
    ) -> Vec<(Vec<u32>, f64)> {
        let mut all = Vec::new();
        // For each choice of the traceback, the number of alternatives and the index of the taken alternative.
        let mut path: Vec<(usize, usize)> = Vec::new();
        loop {
            let (mut made, mut p) = (0, 1.0);
            let drawn = beliefs.trace(self.tree, |weights| {
                if made == path.len() {
                    path.push((weights.len(), 0));
                }
                let chosen = path[made].1;
                made += 1;
                p *= form.shares(weights.to_vec())[chosen];
                chosen
            });
            all.extend(drawn.map(|values| (values, p)));
            while path.last().is_some_and(|&(n, taken)| taken + 1 == n) {
                path.pop();
            }
            match path.last_mut() {
                Some((_, taken)) => *taken += 1,
                None => return all,
            }
        }
    }
}

/// Returns the index of the interval that contains the number `left` between zero and one; `shares` has the lengths of the intervals.
fn sample_index(shares: &[f64], mut left: f64) -> usize {
    for (i, share) in shares.iter().enumerate() {
        if left < *share {
            return i;
        }
        left -= share;
    }
    // Because of rounding, the number may exceed the sum of all lengths. The function then returns the last alternative, which has a positive weight.
    shares.len() - 1
}
