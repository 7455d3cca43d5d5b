//! Tests of decision problems that are long or wide, or have weights beyond ordinary numbers.

use figrs::prelude::*;
use figrs::{Decision, Limits, MaximiseUtility};

const STATES: usize = 3;

/// Returns the probabilities, in sevenths, of the next state after a state and an action.
fn next(state: usize, action: usize) -> [f64; STATES] {
    let weights = [
        [[4.0, 2.0, 1.0], [1.0, 1.0, 5.0]],
        [[0.0, 3.0, 4.0], [5.0, 2.0, 0.0]],
        [[2.0, 2.0, 3.0], [6.0, 0.0, 1.0]],
    ];
    weights[state][action].map(|weight| weight / 7.0)
}

fn reward(state: usize, action: usize) -> f64 {
    [[1.0, 0.0], [-2.0, 3.0], [4.0, -1.0]][state][action]
}

/// In a Markov decision process of forty steps, the plan equals that of backward induction, and depends only on the present state.
#[test]
fn long_processes_are_solved_by_their_states() {
    const STEPS: usize = 40;
    let mut values = [0.0; STATES];
    let mut actions = vec![[0; STATES]; STEPS];
    for step in (0..STEPS).rev() {
        let worth = |state: usize, action: usize| {
            let later = next(state, action).into_iter().zip(values);
            reward(state, action) + later.map(|(p, v)| p * v).sum::<f64>()
        };
        actions[step] = std::array::from_fn(|state| usize::from(worth(state, 1) > worth(state, 0)));
        values = std::array::from_fn(|state| worth(state, 0).max(worth(state, 1)));
    }
    let mut state = Constant::new(0usize);
    let (mut decisions, mut rewards, mut states) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STEPS {
        let action = Decision::new(&state, [0usize, 1]);
        rewards.push((&state, &action).map(|(&state, &action)| reward(state, action)));
        let after = (&state, &action)
            .flat_map(|(&state, &action)| Select::new(next(state, action).into_iter().zip(0..)));
        states.push(std::mem::replace(&mut state, after));
        decisions.push(action);
    }
    let plan = MaximiseUtility::new();
    let plan = plan.run(&Model::new(), &rewards, &decisions).unwrap();
    assert!((plan.expected_utility() - values[0]).abs() < 1e-9);
    for (step, (decision, state)) in decisions.iter().zip(&states).enumerate().skip(5) {
        let policy = plan.policy(decision).unwrap();
        assert!(policy.known().len() <= 1);
        for (value, action) in actions[step].iter().enumerate() {
            let choice = policy.choice(&Model::new().observe(state, value));
            assert_eq!(choice.unwrap(), *action, "{step}");
        }
    }
}

/// The known elements have 90 000 joint values, 300 of which are possible; tables list only those.
#[test]
fn combinations_that_are_impossible_take_no_room() {
    let hidden = Uniform::new(0..300usize);
    let left = hidden.map(|&x| x);
    let right = hidden.map(|&x| x * 7 % 300);
    let guess = Decision::new((&left, &right), [0usize, 1]);
    let worth = (&hidden, &guess).map(|(&x, &guess)| if x % 2 == guess { 1.0 } else { 0.0 });
    let options = Limits::default().table_entries(1 << 18);
    let plan = MaximiseUtility::new().limits(options);
    let plan = plan.run(&Model::new(), [&worth], &guess).unwrap();
    assert!((plan.expected_utility() - 1.0).abs() < 1e-12);
    let policy = plan.policy(&guess).unwrap();
    assert_eq!((policy.known().len(), policy.rows().len()), (1, 300));
}

/// Weights as small as `exp(-800)` are handled like others.
#[test]
fn weights_beyond_ordinary_numbers_count() {
    let rain = Flip::new(0.5);
    let umbrella = Decision::new((), [true, false]);
    let comfort = (&rain, &umbrella).map(|(rain, umbrella)| match (rain, umbrella) {
        (_, true) => -1.0,
        (true, false) => -10.0,
        (false, false) => 0.0,
    });
    for (logs, umbrella_taken) in [([-800.0, -802.0], true), ([-803.0, -800.0], false)] {
        let model = Model::new().log_weigh(&rain, move |&rain| logs[usize::from(!rain)]);
        let plan = MaximiseUtility::new()
            .run(&model, [&comfort], &umbrella)
            .unwrap();
        let share = 1.0 / (1.0 + f64::exp(logs[1] - logs[0]));
        let expected = f64::max(-1.0, -10.0 * share);
        assert!((plan.expected_utility() - expected).abs() < 1e-9);
        let policy = plan.policy(&umbrella).unwrap();
        assert_eq!(policy.choice(&Model::new()).unwrap(), umbrella_taken);
    }
}

/// Among equally good options the first is chosen, also if rounding errors make their sums differ.
#[test]
fn of_equally_good_options_the_first_is_chosen() {
    let coins: Vec<_> = (0..7).map(|_| Flip::new(0.1)).collect();
    for options in [[0usize, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let choice = Decision::new((), options);
        let parts: Vec<_> = coins
            .iter()
            .enumerate()
            .map(|(i, coin)| {
                (coin, &choice).map(move |(&coin, &choice)| {
                    let scale = [0.1, 0.3, 0.7][(i + choice) % 3];
                    if coin { scale } else { 0.0 }
                })
            })
            .collect();
        // In each of the first six parts, every option has each scale twice; the seventh part is left out.
        let plan = MaximiseUtility::new();
        let plan = plan.run(&Model::new(), &parts[..6], &choice).unwrap();
        assert_eq!(plan.policy(&choice).unwrap().rows()[0].choose, options[0]);
    }
}
