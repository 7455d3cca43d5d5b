//! Pruning of barren factors: factors that sum to a constant over variables that occur in no other factor.

use crate::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};

pub(super) struct Pruned {
    pub(super) live: Vec<bool>,
    pub(super) vanished: Vec<bool>,
    /// The constant to which the pruned factors sum, unless it is one.
    pub(super) constant: Option<Weights>,
}

/// The way in which pruning treats factors that are not known to be normalised: their sums are computed, or the factors are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownSums {
    /// The entries of a factor that is not marked as normalised are summed, because many networks have conditional tables without this mark.
    Computed,
    Kept,
}

impl Pruned {
    pub(super) fn nothing(graph: &FactorGraph) -> Self {
        Self {
            live: vec![true; graph.factors.len()],
            vanished: vec![false; graph.cardinalities.len()],
            constant: None,
        }
    }
}

/// Drops each factor that sums to a constant over a variable, if the variable is not in `keep` and occurs in no other remaining factor. The pruning
/// ends if no remaining factor sums to a constant over a variable that occurs in no other remaining factor.
///
/// **Guarantee.** Sums of products over the variables `keep` do not change, up to rounding and a constant factor.
///
/// **Complexity.** The time of the pruning is linear in the total length of the factors' scopes. If factors are tested for a constant sum, the
/// worst-case time also includes, for each factor, its number of entries times its number of variables. The test of a factor for a constant sum ends
/// as soon as two of the sums of its entries differ.
///
/// **References.** Shachter, *Evaluating influence diagrams*, Operations Research 34(6), 1986 (barren nodes).
pub(super) fn prune(graph: &FactorGraph, keep: &[VarId], sums: UnknownSums) -> Pruned {
    let mut search = BarrenSearch::new(graph, keep, sums);
    let mut work: Vec<usize> = (0..graph.cardinalities.len()).collect();
    while let Some(v) = work.pop() {
        search.look_at(v, &mut work);
    }
    let mut pruned = search.pruned;
    let log_constant = search.log_constant + search.product.ln();
    pruned.constant = (log_constant != 0.0).then(|| Weights::from_logs(vec![log_constant]));
    pruned
}

/// The factors that contain one variable and have not been pruned.
#[derive(Clone, Default)]
struct Mentions {
    /// Number of unpruned factors that contain the variable and at least one other variable with several values.
    joint: usize,
    /// The exclusive or of the indices of the factors that the field `joint` counts; if `joint` is one, the exclusive or is the index of the factor.
    last: usize,
    /// The unpruned factors that depend on the variable only, because each of their other variables has one value.
    own: Vec<usize>,
}

struct BarrenSearch<'a> {
    graph: &'a FactorGraph,
    sums: UnknownSums,
    kept: Vec<bool>,
    mentions: Vec<Mentions>,
    pruned: Pruned,
    /// The constant to which the pruned factors sum is `product` times the exponential of `log_constant`. Most numbers are multiplied into `product`,
    /// because a sum of many logarithms would lose digits of the constant.
    log_constant: f64,
    product: f64,
}

/// Range of the numbers that are multiplied into `product`; the logarithm of any other number is added to `log_constant`.
const PRODUCT: std::ops::Range<f64> = 1e-100..1e100;

impl<'a> BarrenSearch<'a> {
    fn new(graph: &'a FactorGraph, keep: &[VarId], sums: UnknownSums) -> Self {
        let n = graph.cardinalities.len();
        let mut this = Self {
            graph,
            sums,
            kept: vec![false; n],
            mentions: vec![Mentions::default(); n],
            pruned: Pruned::nothing(graph),
            log_constant: 0.0,
            product: 1.0,
        };
        for v in keep {
            this.kept[v.index()] = true;
        }
        for (i, factor) in graph.factors.iter().enumerate() {
            let is_joint = this.is_joint(factor);
            for v in &factor.variables {
                let mentions = &mut this.mentions[v.index()];
                if is_joint {
                    mentions.joint += 1;
                    mentions.last ^= i;
                } else {
                    mentions.own.push(i);
                }
            }
        }
        this
    }

    /// True if `factor` contains more than one variable with several values.
    fn is_joint(&self, factor: &Factor) -> bool {
        let open = factor.variables.iter();
        open.filter(|&&v| self.graph.cardinality(v) > 1).count() > 1
    }

    /// Prunes the factors of the variable with index `v` if they sum to a constant.
    fn look_at(&mut self, v: usize, work: &mut Vec<usize>) {
        let mentions = &self.mentions[v];
        if self.kept[v] || self.pruned.vanished[v] || mentions.joint > 1 {
            return;
        }
        let is_live = |i: &usize| self.pruned.live[*i];
        let own: Vec<usize> = mentions.own.iter().copied().filter(is_live).collect();
        let joint = (mentions.joint == 1).then_some(mentions.last);
        let constant = match (joint, &own[..]) {
            (Some(factor), []) | (None, &[factor]) if self.is_normalised(factor, v) => {
                Some((1.0, 0.0))
            }
            (Some(factor), own) if self.sums == UnknownSums::Computed => {
                self.constant_sum(factor, v, own)
            }
            _ => None,
        };
        let Some((constant, log_scale)) = constant else {
            return;
        };
        self.log_constant += log_scale;
        if PRODUCT.contains(&constant) {
            self.product *= constant;
        } else {
            self.log_constant += constant.ln();
        }
        if !PRODUCT.contains(&self.product) {
            self.log_constant += std::mem::replace(&mut self.product, 1.0).ln();
        }
        self.pruned.vanished[v] = true;
        for i in own.into_iter().chain(joint) {
            self.pruned.live[i] = false;
            let factor = &self.graph.factors[i];
            let is_joint = self.is_joint(factor);
            for u in factor.variables.iter().map(|u| u.index()) {
                if is_joint {
                    self.mentions[u].joint -= 1;
                    self.mentions[u].last ^= i;
                }
                work.push(u);
            }
        }
    }

    fn is_normalised(&self, factor: usize, v: usize) -> bool {
        let factor = &self.graph.factors[factor];
        factor.normalised
            && factor
                .variables
                .last()
                .is_some_and(|last| last.index() == v)
    }

    /// Multiplies a factor by the factors `own`, which depend only on the variable `v`, and sums the product over `v`. Returns the sum and the
    /// natural logarithm of its scale. Returns `None` if the sum may depend on the variables that are not summed out.
    fn constant_sum(&self, factor: usize, v: usize, own: &[usize]) -> Option<(f64, f64)> {
        let values = self.graph.cardinalities[v] as usize;
        if values == 1 {
            return None;
        }
        // A dense table has at least one weight for each value of `v`.
        let joint = &self.graph.factors[factor];
        let weights = plain_weights(joint)?;
        let mut shares = vec![1.0; values];
        let mut log_scale = 0.0;
        for &i in own {
            let own = plain_weights(&self.graph.factors[i])?;
            log_scale += own.log_scale();
            for (share, weight) in shares.iter_mut().zip(own.linear()) {
                *share *= weight;
            }
        }
        let at = joint.variables.iter().position(|u| u.index() == v)?;
        let stride = self.graph.dense_size(&joint.variables[at + 1..]);
        let mut sums = weights
            .linear()
            .chunks_exact(values * stride)
            .flat_map(|block| {
                (0..stride).map(|start| {
                    let column = block[start..].iter().step_by(stride);
                    column.zip(&shares).map(|(x, share)| x * share).sum::<f64>()
                })
            });
        let first = sums.next()?;
        // Bound of the rounding errors, if each number is the rounded result of one division and the numbers are then added.
        let slack = (values + 2) as f64 * f64::EPSILON * first;
        let is_constant = first.is_normal() && sums.all(|sum| (sum - first).abs() <= slack);
        is_constant.then(|| (first, log_scale + weights.log_scale()))
    }
}

/// Returns the weights of `factor` if it is dense and no positive weight underflows when the largest weight is scaled to one.
fn plain_weights(factor: &Factor) -> Option<&Weights> {
    match &factor.table {
        FactorTable::Dense(weights) if !weights.is_flushed() => Some(weights),
        _ => None,
    }
}

/// Returns the graph without barren factors (factors that sum to a constant over variables of no other factor). Returns `None` if
/// no factor is barren.
pub fn without_barren(graph: &FactorGraph, keep: &[VarId]) -> Option<FactorGraph> {
    let pruned = prune(graph, keep, UnknownSums::Computed);
    if pruned.live.iter().all(|live| *live) {
        return None;
    }
    let factors = graph.factors.iter().zip(&pruned.live);
    let mut open = pruned.vanished;
    for is_open in &mut open {
        *is_open = !*is_open;
    }
    let mut is_free = open.clone();
    let mentioned = factors.clone().filter(|(_, live)| **live);
    let mentioned = mentioned.flat_map(|(factor, _)| &factor.variables);
    for v in mentioned.chain(keep) {
        is_free[v.index()] = false;
    }
    let mut log_constant = pruned.constant.map_or(0.0, |weights| weights.log(0));
    for (v, _) in is_free.iter().enumerate().filter(|(_, is_free)| **is_free) {
        log_constant += f64::from(graph.cardinalities[v]).ln();
        open[v] = false;
    }
    let constant = (log_constant != 0.0).then(|| Factor {
        variables: Vec::new(),
        table: FactorTable::Dense(Weights::from_logs(vec![log_constant])),
        normalised: false,
    });
    let cardinalities = graph.cardinalities.iter().zip(&open);
    Some(FactorGraph {
        factors: factors
            .filter(|(_, live)| **live)
            .map(|(factor, _)| factor.clone())
            .chain(constant)
            .collect(),
        cardinalities: cardinalities
            .map(|(&n, &is_open)| if is_open { n } else { 1 })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a chain-shaped factor graph in which each variable depends on the previous one.
    fn chain(weights: [f64; 4], normalised: bool) -> (FactorGraph, Vec<VarId>) {
        let mut graph = FactorGraph::default();
        let v: Vec<VarId> = (0..100).map(|_| graph.add_variable(2)).collect();
        for i in 0..100 {
            let (variables, weights) = match i {
                0 => (vec![v[0]], &weights[..2]),
                i => (vec![v[i - 1], v[i]], &weights[..]),
            };
            graph.factors.push(Factor {
                variables,
                table: FactorTable::Dense(Weights::from_linear(weights.to_vec())),
                normalised,
            });
        }
        (graph, v)
    }

    fn count(of: &[bool]) -> usize {
        of.iter().filter(|&&is| is).count()
    }

    #[test]
    fn a_chain_nobody_asks_about_vanishes_to_its_root() {
        let (mut graph, v) = chain([0.5; 4], true);
        let pruned = prune(&graph, &[v[3]], UnknownSums::Kept);
        assert_eq!((count(&pruned.live), count(&pruned.vanished)), (4, 96));
        assert!(pruned.constant.is_none());
        graph.factors[50].normalised = false;
        let pruned = prune(&graph, &[], UnknownSums::Kept);
        assert_eq!(count(&pruned.live), 51);
    }

    #[test]
    fn factors_that_sum_to_a_constant_vanish_too() {
        // The entries of each row of a table sum to two.
        let (mut graph, v) = chain([0.5, 1.5, 1.75, 0.25], false);
        let kept = prune(&graph, &[v[3]], UnknownSums::Kept);
        assert_eq!(count(&kept.live), 100);
        let pruned = prune(&graph, &[v[3]], UnknownSums::Computed);
        assert_eq!((count(&pruned.live), count(&pruned.vanished)), (4, 96));
        let log = pruned.constant.unwrap().log(0);
        assert!((log - 96.0 * 2.0_f64.ln()).abs() < 1e-12, "{log}");
        // With additional weights of the last variable, the row sums differ, and no factor is pruned.
        graph.factors.push(Factor {
            variables: vec![v[99]],
            table: FactorTable::Dense(Weights::from_linear(vec![0.25, 0.75])),
            normalised: false,
        });
        let pruned = prune(&graph, &[v[3]], UnknownSums::Computed);
        assert_eq!(count(&pruned.live), 101);
    }
}
