//! A hidden Markov model, observed with noise.

use figrs::prelude::*;

use super::Question;
use crate::asked::Worlds;

const STATES: usize = 5;

/// Returns the probability of each next state, which is proportional to `(1 + distance)^-2`.
fn transitions(from: usize) -> [f64; STATES] {
    let weights = std::array::from_fn(|to: usize| (1.0 + from.abs_diff(to) as f64).powi(-2));
    let sum: f64 = weights.iter().sum();
    weights.map(|w| w / sum)
}

/// Returns the probability of each symbol given a state; the symbol of the state is the most probable.
fn emissions(state: usize) -> [f64; STATES] {
    std::array::from_fn(|symbol| if symbol == state { 0.6 } else { 0.1 })
}

fn select(probabilities: [f64; STATES]) -> Element<usize> {
    Select::new(probabilities.into_iter().zip(0..))
}

fn seen(t: usize) -> usize {
    (t / 7 + if t % 5 == 4 { 2 } else { 0 }) % STATES
}

/// A hidden Markov model with five states, of which a symbol is observed at each of `length` times.
pub fn hidden_markov(length: usize, reference: &'static str) -> Question {
    let mut states = vec![Uniform::new(0..STATES)];
    for t in 1..length {
        states.push(states[t - 1].flat_map(|&state| select(transitions(state))));
    }
    let mut model = Model::new();
    for (t, state) in states.iter().enumerate() {
        let symbol = state.flat_map(|&state| select(emissions(state)));
        model = model.observe(&symbol, seen(t));
    }
    let exact = Exact::new(length);
    let middle = length / 2;
    let mut question = Question::new(reference, model)
        .log_evidence("log P(o)", exact.log_evidence)
        .probabilities("P(x_0=j|o)", &states[0], &exact.smoothed[0])
        .probabilities("P(x_mid=j|o)", &states[middle], &exact.smoothed[middle])
        .probabilities(
            "P(x_last=j|o)",
            &states[length - 1],
            &exact.smoothed[length - 1],
        )
        .sequence(&states)
        .worlds(Worlds::Many)
        .samples(20_000);
    let path = states.clone();
    question = question.most_probable(&states, exact.log_best, move |answer| {
        // Several paths may have equal probability, so the path found must only have the probability that it claims.
        let path = path.iter().map(|state| answer.most_likely_value(state));
        let path: Vec<usize> = path.collect::<Result<_, _>>()?;
        Ok((log_probability(&path) - answer.log_probability()?).abs() < 1e-9)
    });
    question
}

fn log_probability(path: &[usize]) -> f64 {
    let moves = path.windows(2).map(|step| transitions(step[0])[step[1]]);
    let seen = path.iter().enumerate().map(|(t, &x)| emissions(x)[seen(t)]);
    let all = moves.chain(seen).map(f64::ln);
    all.sum::<f64>() - (STATES as f64).ln()
}

/// Exact answers by the recursions of Rabiner (1989).
struct Exact {
    log_evidence: f64,
    log_best: f64,
    smoothed: Vec<[f64; STATES]>,
}

impl Exact {
    fn new(length: usize) -> Self {
        let all = || 0..STATES;
        let mut forward = vec![[0.2; STATES]; length];
        let mut log_best = [-(STATES as f64).ln(); STATES];
        let mut log_evidence = 0.0;
        for t in 0..length {
            if t > 0 {
                let before = forward[t - 1];
                forward[t] = std::array::from_fn(|to| {
                    all().map(|from| before[from] * transitions(from)[to]).sum()
                });
                let before = log_best;
                log_best = std::array::from_fn(|to| {
                    all()
                        .map(|from| before[from] + transitions(from)[to].ln())
                        .fold(f64::NEG_INFINITY, f64::max)
                });
            }
            for x in all() {
                forward[t][x] *= emissions(x)[seen(t)];
                log_best[x] += emissions(x)[seen(t)].ln();
            }
            let sum: f64 = forward[t].iter().sum();
            log_evidence += sum.ln();
            forward[t] = forward[t].map(|p| p / sum);
        }
        let mut backward = [1.0; STATES];
        let mut smoothed = forward;
        for t in (0..length).rev() {
            if t + 1 < length {
                let next = backward;
                let likely = |to: usize| emissions(to)[seen(t + 1)] * next[to];
                backward =
                    std::array::from_fn(|x| all().map(|to| transitions(x)[to] * likely(to)).sum());
            }
            let both: [f64; STATES] = std::array::from_fn(|x| smoothed[t][x] * backward[x]);
            let sum: f64 = both.iter().sum();
            smoothed[t] = both.map(|p| p / sum);
            // The numbers are scaled, because only their proportions matter and they would leave the range of `f64`.
            let scale: f64 = backward.iter().sum();
            backward = backward.map(|b| b / scale);
        }
        Self {
            log_evidence,
            log_best: log_best.into_iter().fold(f64::NEG_INFINITY, f64::max),
            smoothed,
        }
    }
}
