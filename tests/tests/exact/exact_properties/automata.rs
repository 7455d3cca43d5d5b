//! Tests of frontiers whose states grow, shrink and recur: random automata with repeating steps are compared with directly computed sums.

use std::sync::Arc;

use figrs_core::{Constant, Element, Model, Parents, Select};
use figrs_infer::{Compiled, CompiledFrontier, Error, Frontier};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, failed};

/// Number of states, which needs more than four bits.
const STATES: usize = 20;
const CHOICES: usize = 3;
/// Weights of the choices, in sixths, which are chosen so that products of weights are distinct.
const WEIGHTS: [u64; CHOICES] = [1, 2, 3];

/// A kind of step: the next state for each state and choice, and the states that are allowed after the step.
#[derive(Clone, Debug)]
struct Kind {
    to: [[u8; CHOICES]; STATES],
    allowed: [bool; STATES],
}

/// The kinds of steps, and the sequence in which they occur.
#[derive(Clone, Debug)]
struct Automaton {
    kinds: Vec<Kind>,
    sequence: Vec<usize>,
    /// Steps that have separate functions, which no other step shares.
    alone: Vec<usize>,
}

impl Automaton {
    /// Returns the allowed transitions of a step, each as state, choice and next state.
    fn arrows(&self, at: usize) -> Vec<(usize, usize, usize)> {
        let kind = &self.kinds[self.sequence[at]];
        let from = (0..STATES).flat_map(|s| (0..CHOICES).map(move |choice| (s, choice)));
        let arrows = from.map(|(s, choice)| (s, usize::from(kind.to[s][choice]), choice));
        arrows.filter(|&(_, to, _)| kind.allowed[to]).collect()
    }

    /// Returns, after each number of steps, the sum of the weights of all paths to each state, and of all paths from each state to the end.
    fn sums(&self, weights: [f64; CHOICES]) -> [Vec<[f64; STATES]>; 2] {
        let steps = self.sequence.len();
        let mut before = vec![[0.0; STATES]; steps + 1];
        let mut after = vec![[0.0; STATES]; steps + 1];
        before[0][0] = 1.0;
        after[steps] = [1.0; STATES];
        for at in 0..steps {
            for (from, to, choice) in self.arrows(at) {
                before[at + 1][to] += before[at][from] * weights[choice];
            }
        }
        for at in (0..steps).rev() {
            for (from, to, choice) in self.arrows(at) {
                after[at][from] += after[at + 1][to] * weights[choice];
            }
        }
        [before, after]
    }

    /// Returns the weight of the best path to the end.
    fn best(&self) -> f64 {
        let mut best = [1.0; STATES];
        for at in (0..self.sequence.len()).rev() {
            let mut earlier = [0.0_f64; STATES];
            for (from, to, choice) in self.arrows(at) {
                earlier[from] = earlier[from].max(best[to] * WEIGHTS[choice] as f64 / 6.0);
            }
            best = earlier;
        }
        best[0]
    }

    /// Returns the model of the evidence that states are allowed, and the state after each step.
    fn elements(&self) -> (Model, Vec<Element<u8>>) {
        let steps = self.kinds.iter().map(|kind| {
            let to = kind.to;
            Arc::new(move |(state, choice): (&u8, &usize)| to[usize::from(*state)][*choice])
        });
        let steps: Vec<_> = steps.collect();
        let allowed = self.kinds.iter().map(|kind| {
            let allowed = kind.allowed;
            Arc::new(move |state: &u8| allowed[usize::from(*state)])
        });
        let allowed: Vec<_> = allowed.collect();
        let mut model = Model::new();
        let mut states = vec![Constant::new(0u8)];
        for &kind in &self.sequence {
            let choice = Select::new((0..CHOICES).map(|choice| (WEIGHTS[choice] as f64, choice)));
            let before = &states[states.len() - 1];
            let state = if self.alone.contains(&states.len()) {
                let to = self.kinds[kind].to;
                (before, &choice).map(move |(state, choice)| to[usize::from(*state)][*choice])
            } else {
                (before, &choice).map_shared(&steps[kind])
            };
            model = model.condition_shared(&state, &allowed[kind]);
            states.push(state);
        }
        (model, states)
    }
}

fn automata() -> impl Strategy<Value = Automaton> {
    let kind = (
        proptest::array::uniform20(proptest::array::uniform3(0..STATES as u8)),
        proptest::array::uniform20(prop::bool::weighted(0.85)),
    );
    let kinds = prop::collection::vec(kind.prop_map(|(to, allowed)| Kind { to, allowed }), 1..4);
    kinds.prop_flat_map(|kinds| {
        // Most sequences are periodic, for which growing frontiers are made, with some irregular steps.
        let period = prop::collection::vec(0..kinds.len(), 1..7);
        let alone = prop::collection::vec(1..60usize, 0..3);
        let out_of_turn = prop::collection::vec((0..60usize, 0..kinds.len()), 0..3);
        let sequence = (period, 1..60usize, out_of_turn).prop_map(|(period, steps, others)| {
            let mut sequence: Vec<_> = (0..steps).map(|at| period[at % period.len()]).collect();
            for (at, kind) in others {
                if let Some(step) = sequence.get_mut(at) {
                    *step = kind;
                }
            }
            sequence
        });
        (Just(kinds), sequence, alone).prop_map(|(kinds, sequence, alone)| Automaton {
            kinds,
            sequence,
            alone,
        })
    })
}

fn answers_are_sums(
    automaton: &Automaton,
    compiled: &CompiledFrontier,
    states: &[Element<u8>],
) -> Checked {
    // Numbers below two to the power of 95 are counted exactly in integers, and here up to rounding.
    let [_, counts] = automaton.sums([1.0; CHOICES]);
    let count: f64 = compiled
        .count()
        .map_err(failed)?
        .to_string()
        .parse()
        .map_err(failed)?;
    prop_assert!((count - counts[0][0]).abs() <= 1e-12 * count);
    let [before, after] = automaton.sums(WEIGHTS.map(|weight| weight as f64 / 6.0));
    let total = after[0][0];
    if total == 0.0 {
        let drawn = compiled.sample(&mut figrs_core::stream(1, 0));
        let is_refused = matches!(drawn, Err(Error::ImpossibleEvidence { .. }));
        prop_assert!(is_refused);
        return Ok(());
    }
    prop_assert!((compiled.log_evidence() - total.ln()).abs() < 1e-9);
    for (at, state) in states.iter().enumerate() {
        for value in 0..STATES {
            let expected = before[at][value] * after[at][value] / total;
            let p = compiled
                .probability(state, &(value as u8))
                .map_err(failed)?;
            prop_assert!(
                (p - expected).abs() < 1e-12,
                "{} at {}: {} {}",
                value,
                at,
                p,
                expected
            );
        }
    }
    let mut worlds = compiled.samples(1).map_err(failed)?.take(5);
    let best = compiled.most_probable().map_err(failed)?;
    prop_assert!((best.log_probability() - automaton.best().ln()).abs() < 1e-9);
    let possible = |world: figrs_infer::World| {
        let values = world.values(states).map_err(failed)?;
        let pairs = values.windows(2).zip(&automaton.sequence);
        let mut steps = pairs.map(|(pair, &kind)| {
            let kind = &automaton.kinds[kind];
            kind.to[usize::from(pair[0])].contains(&pair[1]) && kind.allowed[usize::from(pair[1])]
        });
        prop_assert!(steps.all(|is_possible| is_possible));
        Ok(())
    };
    possible(best)?;
    worlds.try_for_each(possible)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn frontiers_that_come_again_are_summed(automaton in automata()) {
        let (model, states) = automaton.elements();
        let compiled = Frontier::new().compile(&model, &states).map_err(failed)?;
        answers_are_sums(&automaton, &compiled, &states)?;
        // If memory is short, messages are computed again; and in a search, which keeps no transitions, frontiers are dropped.
        match Frontier::new().memory(6_000).compile(&model, &states) {
            Err(Error::FrontierTooLarge { .. }) => {}
            compiled => answers_are_sums(&automaton, &compiled.map_err(failed)?, &states)?,
        }
        let [before, _] = automaton.sums([1.0; CHOICES]);
        for value in (0..STATES).step_by(5) {
            let test = Arc::new(move |state: &u8| usize::from(*state) == value);
            let reached: Vec<_> = states.iter().map(|state| state.map_shared(&test)).collect();
            let first = before.iter().position(|ways| ways[value] > 0.0);
            for memory in [1 << 20, 8_000] {
                let search = Frontier::new().memory(memory);
                let found = search.first_true(&model, &reached).map_err(failed)?;
                prop_assert_eq!(found.position(), first);
            }
        }
    }
}

/// The states of a walk from zero have the parity of the number of steps.
#[test]
fn only_new_states_are_explored() {
    let walk = |steps: usize| {
        let mut place = Constant::new(0i32);
        for _ in 0..steps {
            let up = figrs_core::Flip::new(0.5);
            place = (&place, &up).map(|(place, up)| place + if *up { 1 } else { -1 });
        }
        place
    };
    let bytes = |steps: usize| {
        let place = walk(steps);
        let compiled = Frontier::new().compile(&Model::new(), &place).unwrap();
        let middle = compiled.probability(&place, &0).unwrap();
        let expected = (1..=steps / 2)
            .map(|k| (steps / 2 + k) as f64 / (4 * k) as f64)
            .product::<f64>();
        assert!((middle - expected).abs() < 1e-12, "{middle} {expected}");
        compiled.bytes()
    };
    let [short, long] = [bytes(100), bytes(400)];
    assert!(long < 5 * short, "{short} {long}");
}
