//! Greedy elimination orders of a component.

use rand::{Rng, RngExt};

use super::interaction_graph::{FixedPoint, InteractionGraph, ONE, power};

/// The score by which a greedy order selects the next vertex; the least score wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GreedyCriterion {
    /// Fill-in: the number of pairs of neighbours that become adjacent (min-fill).
    Fill,
    /// Weighted fill-in: the sum, over the pairs of neighbours that become adjacent, of the number of joint values of the pair.
    HeavyFill,
    /// Weighted fill-in divided by the number of values of the vertex.
    FillSaved,
    /// The number of entries of the vertex's joint table (min-weight).
    Size,
    /// The number of entries of the vertex's joint table, times the weighted fill-in.
    SizeAndFill,
    /// The predicted number of non-zero entries of the vertex's joint table.
    NonZeros,
}

/// Random noise on greedy scores: for each vertex a factor of its score, and the base-2 logarithm of this factor.
#[derive(Debug, Default)]
pub(super) struct ScoreNoise {
    factors: Vec<f64>,
    logs: Vec<f64>,
}

impl ScoreNoise {
    /// Returns noise that changes no score.
    pub(super) fn none(vertices: usize) -> Self {
        Self {
            factors: vec![1.0; vertices],
            logs: vec![0.0; vertices],
        }
    }

    /// Draws new noise; each base-2 logarithm is uniform between `-span` and `span`.
    pub(super) fn draw(&mut self, rng: &mut impl Rng, span: f64) {
        for (log, factor) in self.logs.iter_mut().zip(&mut self.factors) {
            *log = span * (2.0 * rng.random::<f64>() - 1.0);
            *factor = log.exp2();
        }
    }
}

/// Eliminates the vertices of `core` in the order of least score by `rule`, and adds them to `order`. Simplicial vertices (whose neighbours are
/// pairwise adjacent) are eliminated immediately, unless the score counts non-zeros.
///
/// Returns the cost of the order (the total number of entries of its joint tables), or `None` as soon as the cost reaches `limit`.
///
/// **Complexity.** Each elimination compares the scores of all remaining vertices. For each pair of neighbours that become adjacent, an elimination
/// reads two rows of the adjacency matrix.
///
/// **References.** Kjærulff, *Triangulation of graphs: algorithms giving small total state space*, 1990;
/// Fishelson and Geiger, *Optimizing exact genetic linkage computations*, RECOMB 2003 (weighted fill-in, with noise).
pub(super) fn greedy(
    core: &mut InteractionGraph,
    rule: GreedyCriterion,
    noise: &ScoreNoise,
    limit: f64,
    order: &mut Vec<u32>,
) -> Option<f64> {
    let mut price = 0.0;
    if matches!(
        rule,
        GreedyCriterion::Fill | GreedyCriterion::Size | GreedyCriterion::NonZeros
    ) {
        core.forget_weights();
    }
    while price < limit {
        if rule != GreedyCriterion::NonZeros
            && let Some(v) = core.ready.pop()
        {
            if core.is_simplicial(v) {
                price += core.eliminate(v, order);
            }
            continue;
        }
        core.ready.clear();
        let Some(v) = next(core, rule, noise) else {
            return Some(price);
        };
        price += core.eliminate(v, order);
    }
    None
}

/// Returns the vertex with the least score. Of vertices with equal scores, the vertex with the smallest clique is chosen, and of these the vertex
/// with the lowest index.
fn next(core: &mut InteractionGraph, rule: GreedyCriterion, noise: &ScoreNoise) -> Option<u32> {
    let log = |x: FixedPoint| x as f64 / ONE as f64;
    let mut best = None;
    let mut least = (f64::INFINITY, FixedPoint::MAX, u32::MAX);
    for &v in &core.left {
        let i = v as usize;
        let (size, weight) = (core.size[i], core.weights[i]);
        let score = match rule {
            GreedyCriterion::Fill => f64::from(core.fill[i]) * noise.factors[i],
            GreedyCriterion::HeavyFill => core.heavy_fill(v) * noise.factors[i],
            GreedyCriterion::FillSaved => core.heavy_fill(v) / weight.card * noise.factors[i],
            GreedyCriterion::Size => log(size) + noise.logs[i],
            GreedyCriterion::SizeAndFill => core.heavy_fill(v) * power(size) * noise.factors[i],
            GreedyCriterion::NonZeros => log(core.joint(v)) + noise.logs[i],
        };
        let score = (score, size - weight.log, v);
        if score < least {
            (least, best) = (score, Some(v));
        }
    }
    core.work += core.left.len() as u64;
    best
}
