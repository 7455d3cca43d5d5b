//! Conformance cases of our own on typical mistakes of inference, each with its closed form.

use figrs::prelude::*;
use figrs::{Table, fold, inject, tuple};

use crate::conformance::asked::{
    Asked, expectation, log_evidence, probability, probability_of_evidence, probability_that,
};
use crate::conformance::case::Expected::{Impossible, Number};

/// A coin is weighed four times, each time three to one against `true`; the products of the weights do not fit an `f64`.
fn weighed() -> (Model, Element<bool>) {
    let coin = Flip::new(0.5);
    let mut model = Model::new();
    for _ in 0..4 {
        model = model.weigh(&coin, |&heads| if heads { 1e-120 } else { 3e-120 });
    }
    (model, coin)
}

/// The evidence excludes the only value whose weight would fit into an `f64` beside the weight one.
fn tiny_remainder() -> (Model, Element<char>) {
    let x = Uniform::new(['a', 'b', 'c']);
    let alarm = If::new(&x.is('a'), Constant::new(false), Flip::new(0.5));
    let first = |&x: &char| if x == 'a' { 1.0 } else { 1e-200 };
    let second = |&x: &char| match x {
        'a' => 1.0,
        'b' => 1e-200,
        _ => 2e-200,
    };
    let model = Model::new()
        .weigh(&x, first)
        .weigh(&x, second)
        .observe(&alarm, true);
    (model, x)
}

/// Returns `a`, a child of `a` that may be set by intervention, and a grandchild.
fn line() -> [Element<bool>; 3] {
    let a = Flip::new(0.1);
    let b = If::new(&a, Flip::new(0.2), Flip::new(0.3));
    let c = If::new(&b, Flip::new(0.9), Flip::new(0.4));
    [a, b, c]
}

/// A mast that is observed to hold in a storm, and that does not matter otherwise.
fn mast(storm: &Element<bool>) -> Element<bool> {
    If::new(
        storm,
        Score::observe(&Flip::new(0.7), true),
        Constant::new(true),
    )
}

fn branch_of(branch: &Element<bool>) -> (Element<bool>, Element<bool>) {
    let test = Flip::new(0.3);
    let chain = If::new(&test, branch, Constant::new(false));
    (test, chain)
}

fn sprinkler() -> Asked {
    let cloudy = Flip::new(0.5);
    let states = || vec![true, false];
    let sprinkler = Table::new([(&cloudy, states())], states(), vec![0.1, 0.9, 0.5, 0.5]);
    let rain = Table::new([(&cloudy, states())], states(), vec![0.8, 0.2, 0.2, 0.8]);
    let wet = Table::new(
        [(&sprinkler, states()), (&rain, states())],
        states(),
        vec![0.99, 0.01, 0.9, 0.1, 0.9, 0.1, 0.0, 1.0],
    );
    probability(Model::new().observe(&wet, true), &rain, true)
}

cases! {
    duplicate_values_of_a_select: Number(0.5), Few, || {
        probability(Model::new(), &Select::new([(1.0, 'a'), (2.0, 'b'), (1.0, 'a')]), 'a')
    };
    duplicate_values_of_a_uniform: Number(2.0 / 3.0), Few, || {
        probability(Model::new(), &Uniform::new([1, 1, 2]), 1)
    };
    duplicate_zeros_of_either_sign: Number(0.5), Few, || {
        probability(Model::new(), &Select::new([(1.0, 0.0), (1.0, -0.0), (2.0, 1.0)]), 0.0)
    };
    duplicate_values_observed: Number(2.0 / 3.0), Few, || {
        let x = Uniform::new([1, 1, 2]);
        probability_of_evidence(Model::new().observe(&x, 1))
    };
    duplicate_values_as_parents: Number(6.0 / 7.0), Few, || {
        let x = Uniform::new([1, 2, 1]);
        let y = x.flat_map(|&x| Flip::new(if x == 1 { 0.9 } else { 0.3 }));
        probability(Model::new().observe(&y, true), &x, 1)
    };
    duplicate_elements_of_a_dist: Number(0.45), Few, || {
        let (f, g) = (Flip::new(0.3), Flip::new(0.6));
        let d = Dist::new([(1.0, f.clone()), (2.0, g), (1.0, f)]);
        probability(Model::new(), &d, true)
    };
    shared_outcomes_of_two_chains: Number(0.73), Few, || {
        let (a, b) = (Flip::new(0.5), Flip::new(0.5));
        let (f, g) = (Flip::new(0.3), Flip::new(0.6));
        let same = If::new(&a, &f, &g).equals(&If::new(&b, &f, &g));
        probability(Model::new(), &same, true)
    };

    weights_that_underflow: Number(1.0 / 82.0), Few, || {
        let (model, coin) = weighed();
        probability(model, &coin, true)
    };
    weights_that_underflow_log: Number(3.713_572_066_704_308 - 480.0 * std::f64::consts::LN_10), Few, || {
        log_evidence(weighed().0)
    };
    /// As an `f64`, 1e-320 has only four digits; multiplied by 1e250 it looks like an ordinary number.
    weights_through_subnormals: Number(0.1), Few, || {
        let coin = Flip::new(0.5);
        let small = |&heads: &bool| if heads { 1e-160 } else { 3e-160 };
        let parts = [coin.map(|&c| c), coin.map(|&c| c)];
        let model = Model::new().weigh(&parts[0], small).weigh(&parts[1], small);
        probability(model.weigh(&coin.map(|&c| c), |_| 1e250), &coin, true)
    };
    weights_that_overflow: Number(0.8), Few, || {
        let coin = Flip::new(0.5);
        let large = |&heads: &bool| if heads { 2e300 } else { 1e300 };
        probability(Model::new().weigh(&coin, large).weigh(&coin, large), &coin, true)
    };
    tiny_but_possible: Number(1.0 / 3.0), Few, || {
        let (model, x) = tiny_remainder();
        probability(model, &x, 'b')
    };
    tiny_but_possible_log: Number(-std::f64::consts::LN_2 - 400.0 * std::f64::consts::LN_10), Few, || {
        log_evidence(tiny_remainder().0)
    };
    log_weights: Number(1.0 / (1.0 + std::f64::consts::E)), Few, || {
        let x = Uniform::new([0, 1, 2]);
        let model = Model::new().log_weigh(&x, |&x| match x {
            0 => -2000.0,
            1 => -1999.0,
            _ => f64::NEG_INFINITY,
        });
        probability(model, &x, 0)
    };
    one_observation_stated_twice: Number(0.3), Few, || {
        let f = Flip::new(0.3);
        probability_of_evidence(Model::new().observe(&f, true).observe(&f, true))
    };

    impossible_logic: Impossible, Few, || {
        let (a, b) = (Flip::new(0.3), Flip::new(0.4));
        let model = Model::new().observe(&a.and(&b), true).observe(&a.xor(&b), true);
        probability(model, &a, true)
    };
    impossible_logic_has_probability_zero: Number(0.0), Few, || {
        let (a, b) = (Flip::new(0.3), Flip::new(0.4));
        probability_of_evidence(Model::new().observe(&a.and(&b), true).observe(&a.xor(&b), true))
    };
    impossible_condition: Impossible, Few, || {
        let die = Uniform::new(1..=6);
        probability(Model::new().condition(&die, |&d| d > 6), &die, 6)
    };
    impossible_weights: Impossible, Few, || {
        let die = Uniform::new(1..=6);
        probability(Model::new().weigh(&die, |_| 0.0), &die, 6)
    };
    impossible_value: Impossible, Few, || {
        let die = Uniform::new(1..=6);
        probability(Model::new().observe(&die, 7), &Flip::new(0.5), true)
    };
    impossible_scores: Impossible, Few, || {
        let f = Flip::new(0.5);
        let c = f.flat_map(|&f| Score::observe(&Constant::new(f), !f));
        probability(Model::new(), &c, true)
    };

    evidence_on_a_branch_holds_in_every_world: Number(0.8), Few, || {
        let r = Flip::new(0.8);
        let _ = branch_of(&r);
        probability_of_evidence(Model::new().observe(&r, true))
    };
    evidence_on_a_branch_leaves_the_test: Number(0.3), Few, || {
        let r = Flip::new(0.8);
        let (test, chain) = branch_of(&r);
        let model = Model::new().observe(&r, true).condition(&chain, |_| true);
        probability(model, &test, true)
    };
    score_holds_in_its_branch_only: Number(0.97), Few, || {
        let mast = mast(&Flip::new(0.1));
        probability_of_evidence(Model::new().condition(&mast, |_| true))
    };
    score_moves_the_test: Number(0.07 / 0.97), Few, || {
        let storm = Flip::new(0.1);
        probability(Model::new().observe(&mast(&storm), true), &storm, true)
    };
    score_reached_by_a_target_alone: Number(0.97), Few, || {
        probability_of_evidence(Model::new()).with_target(&mast(&Flip::new(0.1)))
    };
    score_reached_by_another_target: Number(0.07 / 0.97), Few, || {
        let storm = Flip::new(0.1);
        probability(Model::new(), &storm, true).with_target(&mast(&storm))
    };
    score_is_no_root: Number(0.1), Few, || {
        let storm = Flip::new(0.1);
        let _never_reached = mast(&storm);
        probability(Model::new(), &storm, true)
    };
    score_shared_by_two_branches_weighs_once: Number(0.9), Few, || {
        let (a, b) = (Flip::new(0.5), Flip::new(0.5));
        let heavy = Score::weigh(&Constant::new(true), |_| 3.0);
        let chains = [&a, &b].map(|test| If::new(test, &heavy, Constant::new(false)));
        let model = Model::new().condition(&tuple((&chains[0], &chains[1])), |_| true);
        // The weight is 3 in the three worlds with a or b and 1 in the other world; it is not 9 in the world with both.
        probability_that(model, &tuple((&a, &b)), |&(a, b)| a || b)
    };

    intervention_reaches_children: Number(0.9), Few, || {
        let [_, b, c] = line();
        probability(Model::new().intervene(&b, true), &c, true)
    };
    intervention_blocks_evidence: Number(0.1), Few, || {
        let [a, b, c] = line();
        probability(Model::new().intervene(&b, true).observe(&c, true), &a, true)
    };
    intervention_is_not_weighed: Number(1.0), Few, || {
        let [_, b, _] = line();
        probability_of_evidence(Model::new().intervene(&b, true).observe(&b, true))
    };
    intervention_against_the_evidence: Impossible, Few, || {
        let [a, b, _] = line();
        probability(Model::new().intervene(&b, true).observe(&b, false), &a, true)
    };
    intervention_outside_the_support: Number(7.0), Few, || {
        let die = Uniform::new(1..=6);
        expectation(Model::new().intervene(&die, 7), &die, |&d| f64::from(d))
    };
    intervention_replaced_by_a_later_one: Number(0.4), Few, || {
        let [_, b, c] = line();
        probability(Model::new().intervene(&b, true).intervene(&b, false), &c, true)
    };

    certain_and_impossible_flips: Number(0.0), Few, || {
        let odd = Flip::new(0.0).or(&Flip::new(1.0).not());
        probability(Model::new(), &odd, true)
    };
    parameter_that_changed: Number(0.25), Few, || {
        let p = Param::new("p", 0.0);
        let f = Flip::new(&p);
        p.set(0.25);
        probability(Model::new(), &f, true)
    };
    binomial_of_an_element: Number(0.408), Few, || {
        let p = Uniform::new([0.5, 0.3]);
        probability(Model::new(), &Binomial::new(3, &p), 1)
    };
    tuple_observed: Number(0.18), Few, || {
        let (a, b) = (Flip::new(0.3), Flip::new(0.4));
        probability_of_evidence(Model::new().observe(&tuple((&a, &b)), (true, false)))
    };
    list_condition: Number(14.0 / 29.0), Few, || {
        let coins = [Flip::new(0.3), Flip::new(0.4), Flip::new(0.5)];
        let model = Model::new().condition(&inject(&coins), |c| c.iter().filter(|&&c| c).count() == 2);
        // The weights are 0.06 for the first two, 0.09 for the outer two, and 0.14 for the last two.
        probability(model, &coins[0], false)
    };
    fold_of_a_hundred_coins: Number(0.079_589_237_387_178_77), Many, || {
        let coins: Vec<Element<bool>> = (0..100).map(|_| Flip::new(0.5)).collect();
        let heads = fold(&coins, 0, |heads, &coin| heads + i32::from(coin));
        probability(Model::new(), &heads, 50).samples(20_000)
    };
    tables_as_networks_have_them: Number(0.4581 / 0.6471), Few, sprinkler;
}
