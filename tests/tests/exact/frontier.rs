//! Tests of edge cases of a frontier: repeated steps, memory, branches that are elements of others, wide states.

use std::sync::Arc;
use std::time::Duration;

use figrs::fold;
use figrs::prelude::*;

mod captured;
mod orders;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// A state that keeps its value with probability 0.9, and is observed with noise now and then.
fn walk(steps: usize) -> (Model, Vec<Element<u8>>) {
    let mut state = Uniform::new(0..=4u8);
    let mut states = vec![state.clone()];
    let mut model = Model::new();
    for step in 0..steps {
        state =
            state.flat_map(|&s| Select::new([(0.9, s), (0.06, (s + 1) % 5), (0.04, (s + 4) % 5)]));
        if step % 3 == 0 {
            let seen = state.flat_map(|&s| Flip::new(if s < 2 { 0.8 } else { 0.3 }));
            model = model.observe(&seen, true);
        }
        states.push(state.clone());
    }
    (model, states)
}

#[test]
fn repeated_steps_are_explored_once() {
    let (model, states) = walk(300);
    let compiled = Frontier::new().compile(&model, &states).unwrap();
    let (steps, repeated) = compiled.steps();
    assert_eq!(steps, 301 + 100);
    assert!(repeated > 390, "{repeated}");
    let tree = JunctionTree::new().run(&model, &states).unwrap();
    assert!(close(
        compiled.log_evidence(),
        tree.log_evidence().unwrap().value
    ));
    for state in &states {
        for value in 0..5 {
            let p = compiled.probability(state, &value).unwrap();
            assert!(close(p, tree.probability(state, &value).unwrap()));
        }
    }
}

#[test]
fn shared_functions_with_captures_are_recognised() {
    let stay = std::hint::black_box(0.9);
    let step = Arc::new(move |&s: &bool| Flip::new(if s { stay } else { 1.0 - stay }));
    let mut state = Flip::new(0.5);
    for _ in 0..100 {
        state = Parents::flat_map_shared(&state, &step);
    }
    let compiled = Frontier::new().compile(&Model::new(), &state).unwrap();
    assert!(compiled.steps().1 > 90, "{:?}", compiled.steps());
    assert!(close(compiled.probability(&state, &true).unwrap(), 0.5));
}

#[test]
fn messages_that_do_not_fit_are_computed_again() {
    let (model, states) = walk(2_000);
    let large = Frontier::new().compile(&model, &states).unwrap();
    let small = Frontier::new()
        .memory(20_000)
        .compile(&model, &states)
        .unwrap();
    assert!(close(large.log_evidence(), small.log_evidence()));
    let worlds = |compiled: &figrs::CompiledFrontier| -> Vec<Vec<u8>> {
        let worlds = compiled.samples(3).unwrap().take(70);
        worlds.map(|world| world.values(&states).unwrap()).collect()
    };
    assert_eq!(worlds(&large), worlds(&small));
    for state in states.iter().step_by(97) {
        let [p, q] = [&large, &small].map(|c| c.probability(state, &1).unwrap());
        assert!(close(p, q));
    }
    let [a, b] = [&large, &small].map(|c| c.most_probable().unwrap().values(&states).unwrap());
    assert_eq!(a, b);
}

#[test]
fn branches_of_others_are_met_before_the_chain() {
    let (a, b) = (Uniform::new(0..=3u8), Uniform::new(0..=5u8));
    let test = Flip::new(0.4);
    let chosen = If::new(&test, &a, &b);
    let captured = a.clone();
    let sum = b.flat_map(move |&b| captured.map(move |a| a + b));
    let model = Model::new().condition(&chosen, |&c| c > 1);
    let targets = (&chosen, &sum, &a);
    let frontier = Frontier::new().compile(&model, targets).unwrap();
    let exact = VariableElimination::new().run(&model, targets).unwrap();
    assert!(close(
        frontier.log_evidence(),
        exact.log_evidence().unwrap().value
    ));
    for value in 0..9 {
        for element in [&chosen, &sum, &a] {
            let p = frontier.probability(element, &value).unwrap();
            assert!(close(p, exact.probability(element, &value).unwrap()));
        }
    }
    let refused = [
        frontier.count().unwrap_err(),
        frontier.most_probable().unwrap_err(),
    ];
    for error in refused {
        assert!(
            matches!(
                error,
                Error::NotInAnswer {
                    algorithm: "Frontier",
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_score_of_others_in_a_branch_is_an_error() {
    let coin = Flip::new(0.5);
    let scored = Score::weigh(&coin, |&c| if c { 2.0 } else { 1.0 });
    let test = Flip::new(0.5);
    let other = scored.clone();
    let chosen = test.flat_map(move |&t| if t { other.clone() } else { Flip::new(0.5) });
    let error = Frontier::new().run(&Model::new(), &chosen).unwrap_err();
    assert!(matches!(error, Error::SharedScore { .. }), "{error}");
    // If the `Score` is reached in every world, it weighs every world.
    let both = Frontier::new()
        .run(&Model::new(), (&chosen, &scored))
        .unwrap();
    let exact = VariableElimination::new()
        .run(&Model::new(), (&chosen, &scored))
        .unwrap();
    assert!(close(
        both.probability(&chosen, &true).unwrap(),
        exact.probability(&chosen, &true).unwrap()
    ));
}

#[test]
fn a_frontier_that_grows_too_large_is_an_error() {
    let coins: Vec<_> = (0..40).map(|_| Flip::new(0.5)).collect();
    let all = Apply::new(&coins, |coins| coins.into_iter().filter(|c| **c).count());
    let error = Frontier::new()
        .memory(1 << 20)
        .run(&Model::new(), &all)
        .unwrap_err();
    let Error::FrontierTooLarge {
        states,
        bytes,
        limit,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(states > 1_000 && bytes > limit && limit == 1 << 20);
}

#[test]
fn states_of_many_large_numbers_fit_into_keys() {
    let first = Uniform::new(0..300u32);
    let copies: Vec<_> = (1..40u32).map(|i| first.map(move |n| n + i)).collect();
    let last = Uniform::new(0..2u32);
    let sums: Vec<_> = copies
        .iter()
        .map(|c| (c, &last).map(|(c, l)| c + l))
        .collect();
    let model = Model::new().condition(&sums[38], |&s| s % 7 == 0);
    let p = Frontier::new().log_evidence(&model).unwrap();
    let exact = VariableElimination::new().log_evidence(&model).unwrap();
    let wide = Frontier::new().run(&model, &sums).unwrap();
    assert!(close(p, exact) && close(wide.log_evidence().unwrap().value, exact));
}

#[test]
fn more_elements_than_a_state_holds_are_an_error() {
    let known: Vec<_> = (0..5_000u32).map(Constant::new).collect();
    let sum = Apply::new(&known, |known| known.into_iter().sum::<u32>());
    let error = Frontier::new().run(&Model::new(), &sum).unwrap_err();
    assert!(
        matches!(
            error,
            Error::FrontierTooWide {
                elements: 5_001,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn elements_that_capture_others_are_told_apart_though_they_share_a_function() {
    let (x, z, p) = (Flip::new(0.3), Flip::new(0.8), Flip::new(0.5));
    let (one, other) = (x.clone(), z.clone());
    let choose = Arc::new(move |&b: &bool| if b { other.clone() } else { one.clone() });
    let a = Parents::flat_map_shared(&p, &choose);
    let b = Parents::flat_map_shared(&x.not(), &choose);
    let model = Model::new().condition(&a.and(&b), |&both| both);
    let exact = VariableElimination::new()
        .run(&model, (&x, &z, &p))
        .unwrap();
    let found = Frontier::new().run(&model, (&x, &z, &p)).unwrap();
    for element in [&x, &z, &p] {
        let [p, q] = [&exact, &found].map(|answer| answer.probability(element, &true).unwrap());
        assert!(close(p, q), "{p} {q}");
    }
}

#[test]
fn a_deadline_that_has_passed_ends_the_exploration() {
    let (model, states) = walk(20);
    let error = Frontier::new()
        .deadline(Duration::ZERO)
        .run(&model, &states)
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::NothingDone {
                algorithm: "Frontier"
            }
        ),
        "{error}"
    );
}

#[test]
fn an_observation_with_a_probability_and_a_density_is_an_error() {
    let test = Flip::new(0.5);
    let value = test.flat_map(|&t| {
        if t {
            Constant::new(1.0)
        } else {
            Normal::new(0.0, Variance(1.0))
        }
    });
    let error = Frontier::new()
        .run(&Model::new().observe(&value, 1.0), &test)
        .unwrap_err();
    assert!(error.to_string().contains("density"), "{error}");
    let error = Frontier::new()
        .run(&Model::new(), Normal::new(0.0, Variance(1.0)))
        .unwrap_err();
    assert!(error.to_string().contains("continuous"), "{error}");
}

#[test]
fn counts_and_samples_follow_a_fold() {
    let dice: Vec<_> = (0..4).map(|_| Uniform::new(1..=6u32)).collect();
    let sum = fold(&dice, 0u32, |sum, die| sum + die);
    let compiled = Frontier::new()
        .compile(&Model::new().observe(&sum, 14), &dice)
        .unwrap();
    // The count is the coefficient of x^14 in (x + .. + x^6)^4.
    assert_eq!(compiled.count().unwrap().to_string(), "146");
    assert!(close(compiled.log_evidence().exp(), 146.0 / 1296.0));
    let mut seen = std::collections::BTreeMap::new();
    for world in compiled.samples(9).unwrap().take(14_600) {
        *seen.entry(world.values(&dice).unwrap()).or_insert(0u32) += 1;
    }
    assert_eq!(seen.len(), 146);
    // A chi-square statistic with 145 degrees of freedom exceeds 241 in one of a million cases.
    let chi: f64 = seen
        .values()
        .map(|&n| (f64::from(n) - 100.0).powi(2) / 100.0)
        .sum();
    assert!(chi < 241.0, "{chi}");
}

#[test]
fn targets_are_met_as_soon_as_they_can_be() {
    // Heads are counted along with the evidence; if the counts came after the evidence, all coins would be on the frontier.
    let coins: Vec<_> = (0..80).map(|_| Flip::new(0.5)).collect();
    let runs = fold(&coins, (0u8, true), |&(run, ok), &heads| {
        let run = if heads { run + 1 } else { 0 };
        (run.min(3), ok && run < 3)
    });
    let model = Model::new().condition(&runs, |run| run.1);
    let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin));
    let bias = Uniform::new([0.25, 0.5]);
    let biased = (&heads, &bias).map(|(heads, bias)| f64::from(*heads) * bias);
    let compiled = Frontier::new().compile(&model, (&heads, &biased)).unwrap();
    assert!(compiled.largest_frontier() < 81 * 4 * 4);
    let tree = JunctionTree::new().run(&model, (&heads, &biased)).unwrap();
    for number in [0, 20, 35, 53] {
        let (p, right) = (
            compiled.probability(&heads, &number).unwrap(),
            tree.probability(&heads, &number).unwrap(),
        );
        assert!(close(p, right), "{number}: {p}, not {right}");
        let half = f64::from(number) * 0.5;
        let p = compiled.probability(&biased, &half).unwrap();
        assert!(close(p, tree.probability(&biased, &half).unwrap()));
    }
}

#[test]
fn lists_of_several_types_are_targets_and_parents() {
    let (coin, die) = (Flip::new(0.5), Uniform::new(1..=6u8));
    let both = vec![coin.erased().clone(), die.erased().clone()];
    let compiled = Frontier::new().compile(&Model::new(), &both).unwrap();
    assert!(close(compiled.probability(&die, &6).unwrap(), 1.0 / 6.0));
    assert!(close(compiled.probability(&coin, &true).unwrap(), 0.5));
    let sum = both.map(|values| {
        let coin = values[0].downcast_ref::<bool>().copied();
        let die = values[1].downcast_ref::<u8>().copied();
        coin.map(u8::from).zip(die).map(|(coin, die)| coin + die)
    });
    for algorithm in algorithms![
        VariableElimination::new(),
        JunctionTree::new(),
        Frontier::new()
    ] {
        let answer = algorithm.run(&Model::new(), &sum).unwrap();
        let p = answer.probability(&sum, &Some(7)).unwrap();
        assert!(close(p, 1.0 / 12.0), "{}: {p}", algorithm.name());
    }
    let sampled = ForwardSampling::new(50_000)
        .seed(3)
        .run(&Model::new(), &sum)
        .unwrap();
    let p = sampled.probability(&sum, &Some(7)).unwrap();
    // Five standard errors give a false-alarm probability of 6e-7.
    assert!(
        (p - 1.0 / 12.0).abs() < 5.0 * (11.0_f64 / 144.0 / 50_000.0).sqrt(),
        "{p}"
    );
}

#[test]
fn the_first_element_that_can_be_true_is_found() {
    // Three heads in a row are possible from the third coin on, and four are impossible if the fourth coin is tails.
    let coins: Vec<_> = (0..12).map(|_| Flip::new(0.1)).collect();
    let mut row = Constant::new(0u32);
    let rows = coins.iter().map(|coin| {
        row = (&row, coin).map(|(row, &coin)| if coin { row + 1 } else { 0 });
        row.clone()
    });
    let rows: Vec<Element<u32>> = rows.collect();
    let reached = |length: u32| -> Vec<Element<bool>> {
        rows.iter()
            .map(|row| row.map(move |&row| row == length))
            .collect()
    };
    let frontier = Frontier::new();
    let first = |model: &Model, length| frontier.first_true(model, &reached(length)).unwrap();
    assert_eq!(first(&Model::new(), 3).position(), Some(2));
    let tails = Model::new()
        .observe(&coins[2], false)
        .observe(&coins[8], false);
    for (length, expected) in [(2, Some(1)), (3, Some(5)), (5, Some(7)), (6, None)] {
        assert_eq!(first(&tails, length).position(), expected, "{length}");
    }
    // Evidence about later elements than the answer is ignored, and a coin that is never reached is ignored, too.
    let later = tails
        .observe(&Flip::new(0.0), true)
        .observe(&coins[11], true);
    assert_eq!(first(&later, 5).position(), Some(7));
    assert_eq!(first(&later, 2).largest_frontier(), 3);
    assert_eq!(
        frontier.first_true(&Model::new(), &[]).unwrap().position(),
        None
    );
}

#[test]
fn a_search_that_repeats_itself_is_settled() {
    let mut state = Constant::new(0u32);
    let mut odd = Vec::new();
    let mut large = Vec::new();
    for _ in 0..9 {
        let step = Uniform::new([2u32, 4]);
        state = (&state, &step).map(|(state, step)| (state + step) % 6);
        odd.push(state.map(|state| state % 2 == 1));
        large.push(state.map(|&state| state > 5));
    }
    let frontier = Frontier::new();
    let found = frontier.first_true(&Model::new(), &odd).unwrap();
    assert!(found.is_settled() && found.position().is_none() && found.bytes() > 0);
    let short = frontier.first_true(&Model::new(), &large[..2]).unwrap();
    assert!(!short.is_settled() && short.position().is_none());
    // After the second step no world is possible.
    let none = Model::new().condition(&odd[1], |&odd| odd);
    let found = frontier.first_true(&none, &odd[..3]).unwrap();
    assert!(found.is_settled() && found.position().is_none());
    let error = Frontier::new()
        .memory(100)
        .first_true(&Model::new(), &odd)
        .unwrap_err();
    assert!(matches!(error, Error::FrontierTooLarge { .. }), "{error}");
}

/// A distribution lists the possible values and no others.
#[test]
fn values_that_evidence_excludes_are_not_listed() {
    let (a, b) = (Uniform::new(0..6u8), Uniform::new(0..6u8));
    let sum = (&a, &b).map(|(a, b)| a + b);
    let model = Model::new().condition(&sum, |&sum| sum == 3);
    let frontier = Frontier::new().compile(&model, (&a, &b)).unwrap();
    for element in [&a, &b] {
        let found = frontier.distribution(element).unwrap();
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|(_, p)| close(p, 0.25)));
    }
}

/// Counters restart after a number of steps. Their frontiers have this number of states, and have nothing in common until they are equal.
#[test]
fn frontiers_that_come_again_are_known_whatever_the_period() {
    for (period, states) in [(2, 1), (3, 4), (5, 1), (6, 4), (20, 16), (100, 2)] {
        let step = Arc::new(move |(place, turn): (&u32, &u32)| {
            let round = (place / 16 + 1) % period;
            round * 16 + (place + turn) % states
        });
        let turns: Vec<_> = (0..600).map(|_| Uniform::new(0..states)).collect();
        let mut place = Constant::new(0u32);
        let places = turns.iter().map(|turn| {
            place = (&place, turn).map_shared(&step);
            place.clone()
        });
        let places: Vec<_> = places.collect();
        let compiled = Frontier::new().compile(&Model::new(), &places).unwrap();
        let (steps, repeated) = compiled.steps();
        assert!(
            steps - repeated <= 2 * period as usize + 3,
            "{period} {states}: {repeated} of {steps}"
        );
        let never = Arc::new(|place: &u32| *place > 10_000);
        let nevers: Vec<_> = places.iter().map(|p| p.map_shared(&never)).collect();
        let found = Frontier::new().first_true(&Model::new(), &nevers).unwrap();
        assert!(found.position().is_none() && found.is_settled());
    }
}

/// A frontier has many values, whose numbers need more bits in the middle of a step; afterwards the values are numbered again.
#[test]
fn a_sweep_with_wider_keys_starts_from_nothing() {
    let carried: Vec<Element<u64>> = (0..4u64)
        .map(|k| Flip::new(0.5).map(move |up| 1_000_000 + 10 * k + u64::from(*up)))
        .collect();
    let mut model = Model::new();
    for element in &carried {
        model = model.condition(element, |value| *value > 0);
    }
    let mut place = Flip::new(0.5).map(|up| u64::from(*up));
    let mut exact = std::collections::BTreeMap::from([(0u64, 0.5), (1, 0.5)]);
    for i in 1..=90 {
        let step = move |place: u64, turn: u64| i * 1000 + (place * 7 + turn * turn + i * i) % 50;
        let turn = Uniform::new(0..3u64);
        place = (&place, &turn).map(move |(place, turn)| step(*place, *turn));
        let mut next = std::collections::BTreeMap::new();
        for (place, p) in exact {
            for turn in 0..3 {
                *next.entry(step(place, turn)).or_insert(0.0) += p / 3.0;
            }
        }
        exact = next;
    }
    let all = (&carried[0], &carried[1], &carried[2], &carried[3], &place);
    let small = all.map(|(.., place)| place % 10 < 3);
    let compiled = Frontier::new().compile(&model, &small).unwrap();
    let small_ones = exact.iter().filter(|(place, _)| *place % 10 < 3);
    let expected: f64 = small_ones.map(|(_, p)| p).sum();
    assert!(close(
        compiled.probability(&small, &true).unwrap(),
        expected
    ));
}

/// Each frontier has values of its own, which take four megabytes in all; at most four values are needed at a time.
#[test]
fn values_of_frontiers_that_were_left_are_given_up() {
    let coins: Vec<_> = (0..2_000).map(|_| Flip::new(0.3)).collect();
    let last = fold(&coins, "0".repeat(1_000), |text, &coin| {
        let number: u32 = text.trim_start_matches('0').parse().unwrap_or(0);
        format!("{:0>1000}", 2 * (number / 2 + 1) + u32::from(coin))
    });
    let model = Model::new().condition(&last, |text| text.ends_with('1'));
    let compile = |memory: u64| Frontier::new().memory(memory).compile(&model, &coins);
    let compiled = compile(1 << 20).unwrap();
    assert!((compiled.probability(&coins[7], &true).unwrap() - 0.3).abs() < 1e-12);
    assert!((compiled.log_evidence() - 0.3_f64.ln()).abs() < 1e-9);
    let error = compile(1 << 12).unwrap_err();
    assert!(matches!(error, Error::FrontierTooLarge { .. }), "{error}");
}
