//! Conformance cases of models that run over time.

use figrs::prelude::*;

use crate::conformance::asked::{Asked, asks, most_probable_world, probability, probability_that};
use crate::conformance::case::Expected::{Most, Number};

fn step(before: &Element<bool>) -> Element<bool> {
    If::new(before, Flip::new(0.6), Flip::new(0.3))
}

/// Returns a sequence of states that begins with `first`, where each state is made by [`step`] from the one before.
fn states(first: Element<bool>, count: usize) -> Vec<Element<bool>> {
    std::iter::successors(Some(first), |before| Some(step(before)))
        .take(count)
        .collect()
}

/// A hidden Markov model of six states; a sensor that is right with probability 0.7 observes the first states.
fn hmm(seen: &[bool]) -> Asked {
    let hidden = states(Flip::new(0.4), 6);
    let mut model = Model::new();
    for (state, &seen) in hidden.iter().zip(seen) {
        let sensor = If::new(state, Flip::new(0.7), Flip::new(0.3));
        model = model.observe(&sensor, seen);
    }
    probability(model, &hidden[2], true)
}

fn viterbi() -> Asked {
    const NAMES: [[&str; 5]; 2] = [
        ["h0", "h1", "h2", "h3", "h4"],
        ["o0", "o1", "o2", "o3", "o4"],
    ];
    let hidden = states(Flip::new(0.4), 5);
    let sensors = hidden
        .iter()
        .map(|state| If::new(state, Flip::new(0.7), Flip::new(0.2)));
    let sensors: Vec<Element<bool>> = sensors.collect();
    let mut model = Model::new();
    for (sensor, seen) in sensors.iter().zip([true, true, false, false, true]) {
        model = model.observe(sensor, seen);
    }
    let named = |names: [&'static str; 5], elements: &[Element<bool>]| {
        let pairs = names.into_iter().zip(elements.to_vec());
        pairs.map(|(name, element)| asks(name, &element))
    };
    let roots = named(NAMES[0], &hidden).chain(named(NAMES[1], &sensors));
    most_probable_world(model, roots.collect())
}

/// A model of ninety minutes of football: confidence, possession, goals and the goal difference.
fn soccer() -> Asked {
    let mut confident = Flip::new(0.4);
    let mut lead = Constant::new(0);
    for _ in 0..90 {
        let winning = lead.map(|lead: &i32| lead.signum());
        confident = Cpd::new(
            (&confident, &winning),
            [
                ((true, 1), Flip::new(0.9)),
                ((true, 0), Flip::new(0.7)),
                ((true, -1), Flip::new(0.5)),
                ((false, 1), Flip::new(0.5)),
                ((false, 0), Flip::new(0.3)),
                ((false, -1), Flip::new(0.1)),
            ],
        );
        let possession = If::new(&confident, Flip::new(0.7), Flip::new(0.3));
        let goal = Cpd::new(
            (&possession, &confident),
            [
                ((true, true), Flip::new(0.04)),
                ((true, false), Flip::new(0.01)),
                ((false, true), Flip::new(0.045)),
                ((false, false), Flip::new(0.02)),
            ],
        );
        let scored = (&possession, &lead)
            .map(|(&ours, &lead)| (lead + if ours { 1 } else { -1 }).clamp(-5, 5));
        lead = If::new(&goal, scored, &lead);
    }
    probability_that(Model::new(), &lead, |&lead| lead > 0).samples(4_000)
}

cases! {
    hmm_prior: Number(0.426), Few, || hmm(&[]);
    hmm_01234: Number(0.766_378_650_333_588_5), Few, || hmm(&[true; 5]);

    markov_chain: Number(0.428_745), Few, || {
        probability(Model::new(), &states(Flip::new(0.5), 8)[5], true)
    };

    dbn_soccer: Number(0.400_617_362_192), Many, soccer;

    mpe_hmm: Most {
        values: &[
            ("h0", "true"), ("h1", "true"), ("h2", "false"), ("h3", "false"), ("h4", "true"),
            ("o0", "true"), ("o1", "true"), ("o2", "false"), ("o3", "false"), ("o4", "true"),
        ],
        joint: 0.004_425_523_2,
        posterior: 0.199_275_793_550_729_75,
    }, Few, viterbi;
}
