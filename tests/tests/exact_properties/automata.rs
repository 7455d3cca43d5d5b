//! Frontiers whose states grow, shrink and come again: random automata with steps that repeat, beside counts made by hand.

use std::sync::Arc;

use figrs_core::{Constant, Element, Model, Parents, Uniform};
use figrs_infer::{CompiledFrontier, Error, Frontier};
use proptest::prelude::*;

use crate::shared::{Checked, failed};

const STATES: usize = 7;
const CHOICES: usize = 3;

/// A step: where each choice leads from each state, and which states are allowed after it.
#[derive(Clone, Debug)]
struct Kind {
    to: [[u8; CHOICES]; STATES],
    allowed: [bool; STATES],
}

/// Kinds of steps, and their sequence.
#[derive(Clone, Debug)]
struct Automaton {
    kinds: Vec<Kind>,
    sequence: Vec<usize>,
}

impl Automaton {
    /// The ways to each state after each number of steps, and from each to the end.
    fn ways(&self) -> [Vec<[u128; STATES]>; 2] {
        let mut before = vec![[0; STATES]; self.sequence.len() + 1];
        let mut after = vec![[0; STATES]; self.sequence.len() + 1];
        before[0][0] = 1;
        after[self.sequence.len()] = [1; STATES];
        let arrows = |at: usize| {
            let kind = &self.kinds[self.sequence[at]];
            let from = (0..STATES).flat_map(|s| kind.to[s].map(|t| (s, usize::from(t))));
            from.filter(|&(_, to)| kind.allowed[to]).collect::<Vec<_>>()
        };
        for at in 0..self.sequence.len() {
            for (from, to) in arrows(at) {
                before[at + 1][to] += before[at][from];
            }
        }
        for at in (0..self.sequence.len()).rev() {
            for (from, to) in arrows(at) {
                after[at][from] += after[at + 1][to];
            }
        }
        [before, after]
    }

    /// The states after each step, and the evidence that they are allowed.
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
            let choice = Uniform::new(0..CHOICES);
            let state = (&states[states.len() - 1], &choice).map_shared(&steps[kind]);
            model = model.condition_shared(&state, &allowed[kind]);
            states.push(state);
        }
        (model, states)
    }
}

fn automata() -> impl Strategy<Value = Automaton> {
    let kind = (
        proptest::array::uniform7(proptest::array::uniform3(0..STATES as u8)),
        proptest::array::uniform7(prop::bool::weighted(0.85)),
    );
    let kinds = prop::collection::vec(kind.prop_map(|(to, allowed)| Kind { to, allowed }), 1..4);
    kinds.prop_flat_map(|kinds| {
        // Mostly periods, which growing frontiers are made for, and some steps out of turn.
        let period = prop::collection::vec(0..kinds.len(), 1..5);
        let out_of_turn = prop::collection::vec((0..30usize, 0..kinds.len()), 0..3);
        let sequence = (period, 1..30usize, out_of_turn).prop_map(|(period, steps, others)| {
            let mut sequence: Vec<_> = (0..steps).map(|at| period[at % period.len()]).collect();
            for (at, kind) in others {
                if let Some(step) = sequence.get_mut(at) {
                    *step = kind;
                }
            }
            sequence
        });
        (Just(kinds), sequence).prop_map(|(kinds, sequence)| Automaton { kinds, sequence })
    })
}

fn answers_are_counts(
    automaton: &Automaton,
    compiled: &CompiledFrontier,
    states: &[Element<u8>],
) -> Checked {
    let [before, after] = automaton.ways();
    let total = after[0][0];
    prop_assert_eq!(compiled.count().map_err(failed)?, total.into());
    if total == 0 {
        let drawn = compiled.sample(&mut figrs_core::stream(1, 0));
        let is_refused = matches!(drawn, Err(Error::ImpossibleEvidence { .. }));
        prop_assert!(is_refused);
        return Ok(());
    }
    let all = (CHOICES as f64).powi(automaton.sequence.len() as i32);
    let log = (total as f64 / all).ln();
    prop_assert!((compiled.log_evidence() - log).abs() < 1e-9);
    for (at, state) in states.iter().enumerate() {
        for value in 0..STATES {
            let ways = before[at][value] * after[at][value];
            let expected = ways as f64 / total as f64;
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
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn frontiers_that_come_again_are_counted(automaton in automata()) {
        let (model, states) = automaton.elements();
        let compiled = Frontier::new().compile(&model, &states).map_err(failed)?;
        answers_are_counts(&automaton, &compiled, &states)?;
        // Where memory is short, frontiers are forgotten, and messages computed again.
        match Frontier::new().memory(1_500).compile(&model, &states) {
            Err(Error::FrontierTooLarge { .. }) => {}
            compiled => answers_are_counts(&automaton, &compiled.map_err(failed)?, &states)?,
        }
        let [before, _] = automaton.ways();
        for value in 0..STATES {
            let reached: Vec<_> = states.iter().map(|s| s.map(move |&s| usize::from(s) == value)).collect();
            let found = Frontier::new().first_true(&model, &reached).map_err(failed)?;
            let first = before.iter().position(|ways| ways[value] > 0);
            prop_assert_eq!(found.position(), first);
        }
    }
}

/// States of a walk from zero, which are of the parity of the number of steps.
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
