//! Queries about the explored states of a frontier sweep: marginals, random worlds, the most probable world, and the possibility of given values of
//! targets.

use rand::{Rng, RngExt};

use super::explore::Exploration;
use super::messages::{BackwardMessages, ShareSemiring};
use figrs_factor::algebra::{MaxProduct, Semiring};

/// A world: the code of the value of each target (the index of the value in a dictionary), and the natural logarithm of the world's weight.
pub(super) type TargetWorld = (Vec<u32>, f64);

/// Computes the distribution of each target in one forward sweep; returns `None` if a number overflowed or underflowed.
pub(super) fn marginals<S: ShareSemiring>(
    explored: &Exploration,
    messages: &BackwardMessages<S>,
) -> Option<Vec<Vec<f64>>> {
    let sizes = explored.types.iter().map(|&of| explored.values[of].len());
    let mut marginals: Vec<Vec<f64>> = sizes.map(|size| vec![0.0; size]).collect();
    let mut forward = vec![S::one()];
    let mut lost = false;
    let mut products = Vec::new();
    messages.forward(explored, |layer, step, after| {
        let mut next = vec![S::zero(); step.states];
        products.clear();
        for (state, reach) in forward.iter().enumerate() {
            for transition in layer.from(state) {
                let target = layer.targets[transition] as usize;
                let weight = messages.weight(layer, transition);
                let here = S::mul(reach, weight);
                let product = S::mul(&here, &after[target]);
                lost |= S::is_out_of_range(reach, weight, &here);
                lost |= S::is_out_of_range(&here, &after[target], &product);
                products.push(product);
                S::accumulate(&mut next[target], &here);
            }
        }
        S::shares(&mut products);
        let total: f64 = products.iter().sum();
        for (report, &target) in layer.reports.iter().zip(&step.reports) {
            for (transition, product) in products.iter().enumerate() {
                let code = report.get(transition) as usize;
                marginals[target][code] += product / total;
            }
        }
        S::normalise(&mut next, &mut lost);
        forward = next;
    });
    (!lost).then_some(marginals)
}

/// Draws one world from the posterior distribution for each random number generator.
pub(super) fn draw<S: ShareSemiring, R: Rng>(
    explored: &Exploration,
    messages: &BackwardMessages<S>,
    rngs: &mut [R],
) -> Vec<TargetWorld> {
    let mut worlds: Vec<(usize, TargetWorld)> =
        vec![(0, (vec![0; explored.types.len()], 0.0)); rngs.len()];
    let mut products = Vec::new();
    messages.forward(explored, |layer, step, after| {
        for ((state, (values, log)), rng) in worlds.iter_mut().zip(&mut *rngs) {
            let transitions = layer.from(*state);
            let start = transitions.start;
            let chosen = if transitions.len() == 1 {
                start
            } else {
                products.clear();
                products.extend(transitions.map(|transition| {
                    let target = layer.targets[transition] as usize;
                    S::mul(messages.weight(layer, transition), &after[target])
                }));
                S::shares(&mut products);
                start + sample_index(&products, rng)
            };
            *state = layer.targets[chosen] as usize;
            *log += explored.weights.log(layer.weights.get(chosen) as usize);
            for (report, &target) in layer.reports.iter().zip(&step.reports) {
                values[target] = report.get(chosen);
            }
        }
    });
    worlds.into_iter().map(|(_, message)| message).collect()
}

/// Draws an index with a probability proportional to its entry of `shares`.
fn sample_index<R: Rng>(shares: &[f64], rng: &mut R) -> usize {
    let total: f64 = shares.iter().sum();
    let mut rest = rng.random::<f64>() * total;
    let mut last = 0;
    for (i, &share) in shares.iter().enumerate() {
        if share > 0.0 {
            last = i;
            if rest < share {
                break;
            }
            rest -= share;
        }
    }
    last
}

/// Returns the most probable world; of equally probable worlds, the first.
pub(super) fn best(explored: &Exploration, messages: &BackwardMessages<MaxProduct>) -> TargetWorld {
    let (mut values, mut log, mut state) = (vec![0; explored.types.len()], 0.0, 0);
    messages.forward(explored, |layer, step, after| {
        let value = |transition: &usize| {
            let target = layer.targets[*transition] as usize;
            MaxProduct::mul(messages.weight(layer, *transition), &after[target])
        };
        let better = |best: usize, next: usize| {
            if value(&next) > value(&best) {
                next
            } else {
                best
            }
        };
        let Some(chosen) = layer.from(state).reduce(better) else {
            return;
        };
        state = layer.targets[chosen] as usize;
        log += explored.weights.log(layer.weights.get(chosen) as usize);
        for (report, &target) in layer.reports.iter().zip(&step.reports) {
            values[target] = report.get(chosen);
        }
    });
    (values, log)
}

/// True if some world has the values `known` of some targets. Each entry of `known` is the index of a target and the code of a value, or `None` for a
/// value that the target never has.
///
/// **Complexity.** The time is linear in the number of transitions from the states that agree with the given values.
pub(super) fn is_possible(explored: &Exploration, known: &[(usize, Option<u32>)]) -> bool {
    let mut wanted: Vec<Option<u32>> = vec![None; explored.types.len()];
    for &(target, value) in known {
        match (value, wanted[target]) {
            (None, _) => return false,
            (Some(value), Some(other)) if value != other => return false,
            (Some(value), _) => wanted[target] = Some(value),
        }
    }
    let (mut states, mut next) = (vec![0usize], Vec::new());
    // For each state index, the last step that reached the state.
    let mut reached = vec![usize::MAX; explored.largest.max(1)];
    for (number, step) in explored.steps.iter().enumerate() {
        let layer = explored.layer(step);
        if reached.len() < step.states {
            reached.resize(step.states, usize::MAX);
        }
        let reports = layer.reports.iter().zip(&step.reports);
        let reports = reports.filter_map(|(report, &target)| Some((report, wanted[target]?)));
        let reports: Vec<_> = reports.collect();
        next.clear();
        for &state in &states {
            for transition in layer.from(state) {
                let target = layer.targets[transition] as usize;
                let weight = explored.weights.log(layer.weights.get(transition) as usize);
                let is_new = reached[target] != number && weight > f64::NEG_INFINITY;
                if is_new
                    && reports
                        .iter()
                        .all(|(report, code)| report.get(transition) == *code)
                {
                    reached[target] = number;
                    next.push(target);
                }
            }
        }
        std::mem::swap(&mut states, &mut next);
    }
    !states.is_empty()
}
