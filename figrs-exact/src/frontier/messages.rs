//! Backward messages of a frontier sweep: for each state, the sum of the weights of all ways to continue from the state.

use std::borrow::Cow;
use std::fmt::Debug;

use super::explore::Exploration;
use super::sweep::SweepStep;
use super::transitions::TransitionLayer;
use figrs_factor::algebra::Semiring;

/// For each state of each frontier, the sum of the weights of all ways to continue from the state, in the semiring `S`.
///
/// If all backward messages would take too much memory, only some of them are stored, and the messages between them are recomputed.
#[derive(Debug)]
pub(super) struct BackwardMessages<S: Semiring> {
    weights: Vec<S::Value>,
    /// Number of steps of the sweep from one stored message to the next.
    every: usize,
    /// The stored messages: index `i` has the message of the frontier before step `i * every`, and the last entry is the message of the last
    /// frontier.
    kept: Vec<Vec<S::Value>>,
    /// The sum of the weights of all worlds, divided by the exponential of `log_scale`.
    pub(super) total: S::Value,
    pub(super) log_scale: f64,
}

impl<S: Semiring> BackwardMessages<S> {
    /// Computes the backward messages, in a backward sweep over all steps; returns `None` if a number overflowed or underflowed.
    pub(super) fn new(explored: &Exploration, memory: u64) -> Option<Self> {
        let steps = &explored.steps;
        let sizes = steps.iter().map(|step| step.sources);
        let all: usize = sizes.clone().sum();
        let most = sizes.max().unwrap_or(1);
        let bytes =
            |every: usize| (all / every + every * most) as u64 * size_of::<S::Value>() as u64;
        let mut every = 1;
        // The memory is least if the interval is the square root of the number of steps; larger intervals are not tried.
        while bytes(every) > memory && every * every < steps.len() {
            every += 1;
        }
        let weights = S::lift_all(&explored.weights).into_owned();
        let end = steps.last().map_or(1, |step| step.states);
        let mut message = vec![S::one(); end];
        let mut log_scale = steps.len() as f64 * S::scale(&explored.weights);
        let mut kept = vec![message.clone()];
        let mut lost = false;
        for (at, step) in steps.iter().enumerate().rev() {
            let layer = explored.layer(step);
            let (earlier, scale) = back::<S>((layer, step.sources), &weights, &message, &mut lost);
            if lost {
                return None;
            }
            log_scale += scale;
            if at % every == 0 {
                kept.push(earlier.clone());
            }
            message = earlier;
        }
        kept.reverse();
        let total = message.first().cloned().unwrap_or_else(S::zero);
        Some(Self {
            weights,
            every,
            kept,
            total,
            log_scale,
        })
    }

    /// Visits all steps of the sweep from first to last, each with the message of the frontier after the step.
    pub(super) fn forward(
        &self,
        explored: &Exploration,
        mut visit: impl FnMut(&TransitionLayer, &SweepStep, &[S::Value]),
    ) {
        let mut lost = false;
        for (segment, part) in explored.steps.chunks(self.every).enumerate() {
            let mut within: Vec<Cow<'_, [S::Value]>> = vec![Cow::Borrowed(&self.kept[segment + 1])];
            for step in part[1..].iter().rev() {
                let next = within.last().map_or(&[][..], |message| message);
                let layer = (explored.layer(step), step.sources);
                let (message, _) = back::<S>(layer, &self.weights, next, &mut lost);
                within.push(Cow::Owned(message));
            }
            for step in part {
                if let Some(message) = within.pop() {
                    visit(explored.layer(step), step, &message);
                }
            }
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.every == 1
    }

    #[inline]
    pub(super) fn weight(&self, layer: &TransitionLayer, transition: usize) -> &S::Value {
        &self.weights[layer.weights.get(transition) as usize]
    }
}

/// Computes the message of the frontier before a step of the sweep from the message of the frontier after it; `sources` is the number of states
/// before the step. The second result is the logarithm of the number by which the backward message was divided.
fn back<S: Semiring>(
    (layer, sources): (&TransitionLayer, usize),
    weights: &[S::Value],
    next: &[S::Value],
    lost: &mut bool,
) -> (Vec<S::Value>, f64) {
    let mut message = Vec::with_capacity(sources);
    for state in 0..sources {
        let mut total = S::zero();
        for transition in layer.from(state) {
            let weight = &weights[layer.weights.get(transition) as usize];
            let rest = &next[layer.targets[transition] as usize];
            let product = S::mul(weight, rest);
            *lost |= S::is_out_of_range(weight, rest, &product);
            S::accumulate(&mut total, &product);
        }
        message.push(total);
    }
    let scale = S::normalise(&mut message, lost);
    (message, scale)
}

/// A semiring whose products can be converted to unnormalised probabilities.
pub(super) trait ShareSemiring: Semiring<Value = f64> + Debug {
    /// Converts products of weights to probabilities, up to a common factor.
    fn shares(products: &mut [f64]);
}

impl ShareSemiring for figrs_factor::algebra::SumProduct {
    /// Divides the products of weights by a common factor only if their sum would overflow.
    fn shares(products: &mut [f64]) {
        let largest = products.iter().copied().fold(0.0, f64::max);
        if largest > f64::MAX / 1e18 {
            for product in products {
                *product /= largest;
            }
        }
    }
}

impl ShareSemiring for figrs_factor::algebra::LogSumProduct {
    fn shares(products: &mut [f64]) {
        let largest = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for product in products {
            *product = if largest == f64::NEG_INFINITY {
                0.0
            } else {
                (*product - largest).exp()
            };
        }
    }
}
