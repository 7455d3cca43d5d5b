//! Tests of findings about choices that are not targets.

use super::*;

#[test]
fn a_choice_that_cannot_cross_is_found_though_the_target_is_right() {
    let [a, b, c] = ["a", "b", "c"].map(|name| Flip::new(0.5).named(name));
    let coin = Flip::new(0.5).named("coin");
    // Neither flips of single elements nor flips of pairs lead from one possible world to the other.
    let model = Model::new()
        .observe(&a.equals(&b), true)
        .observe(&b.equals(&c), true);
    let answer = MetropolisHastings::new(4000)
        .chains(8)
        .seed(1)
        .run(&model, &coin)
        .unwrap();
    let text = found(&answer, |finding| {
        matches!(finding, Finding::ChoicesDisagree { r_hat, chance, threshold, choices, .. }
            if *r_hat > 2.0 && chance < threshold && *choices == 3)
    });
    assert!(
        ["`a`", "`b`", "`c`"].iter().any(|name| text.contains(name)),
        "the worst choice is named: {text}"
    );
    let others = answer.diagnose();
    assert_eq!(others.findings().len(), 1, "{others}");
    // If the three elements change together, nothing is found, and the text describes the checks.
    let answer = MetropolisHastings::new(4000)
        .chains(8)
        .seed(1)
        .block((&a, &b, &c))
        .run(&model, &coin)
        .unwrap();
    let text = answer.diagnose().to_string();
    assert!(text.contains("all 4 choices"), "{text}");
}

#[test]
fn lists_and_words_are_choices_as_well() {
    let same = Flip::new(0.5);
    let modes = |kind: &str| -> (Element<bool>, Element<bool>) {
        if kind == "words" {
            let word = Uniform::new(["left", "right"]).named("side");
            (same.clone(), word.map(|word| *word == "left"))
        } else {
            let list = figrs_core::Dirichlet::new([0.5, 0.5]).named("side");
            (same.clone(), list.map(|list| list[0] < 0.5))
        }
    };
    for kind in ["words", "lists"] {
        let (a, b) = modes(kind);
        let third = Flip::new(0.5);
        let model = Model::new()
            .observe(&a.equals(&b), true)
            .observe(&third.equals(&b), true);
        let coin = Flip::new(0.5);
        let answer = MetropolisHastings::new(3000).chains(8).seed(2);
        let answer = answer.run(&model, &coin).unwrap();
        found(&answer, |finding| {
            matches!(finding, Finding::ChoicesDisagree { choices: 3, .. })
        });
    }
}

#[test]
fn agreeing_chains_give_false_alarms_at_the_stated_rate() {
    let mut alarms = 0;
    for seed in 0..25 {
        let mean = Normal::new(0.0, StandardDeviation(1.0));
        let seen = Normal::new(&mean, StandardDeviation(1.0));
        let side = Uniform::new(0..5);
        let target = side.flat_map(|&side| Flip::new(0.1 + 0.1 * f64::from(side)));
        let answer = MetropolisHastings::new(3000).seed(seed);
        let model = Model::new().observe(&seen, 0.5);
        let diagnosis = answer.run(&model, &target).unwrap().diagnose();
        let of_choices = |finding: &&Finding| matches!(finding, Finding::ChoicesDisagree { .. });
        alarms += diagnosis.findings().iter().filter(of_choices).count();
    }
    // The false alarm rate is at most one in a hundred, so that three alarms in 25 runs have a probability of 0.002.
    assert!(alarms < 3, "{alarms}");
}

#[test]
fn choices_that_few_worlds_have_are_listed_apart() {
    let rare = Flip::new(0.02).named("rare");
    let target = rare.flat_map(|&rare| {
        if rare {
            Flip::new(0.5).named("inner")
        } else {
            Constant::new(false)
        }
    });
    let answer = MetropolisHastings::new(4000).seed(3);
    let diagnosis = answer.run(&Model::new(), &target).unwrap().diagnose();
    let names = diagnosis.rare_choices().iter();
    let names: Vec<_> = names.map(|label| label.name.clone()).collect();
    assert_eq!(names, [Some("inner".to_owned())]);
    assert!(
        diagnosis
            .checked()
            .contains("except 1 that occurred in fewer than 5 %"),
        "{}",
        diagnosis.checked()
    );
}

#[test]
fn chains_of_few_steps_a_choice_are_told() {
    let coins: Vec<Element<bool>> = (0..300).map(|_| Flip::new(0.5)).collect();
    let count = figrs_core::inject(&coins).map(|coins| coins.iter().filter(|c| **c).count());
    let answer = MetropolisHastings::new(3000).seed(4);
    let answer = answer.run(&Model::new(), &count).unwrap();
    let text = found(&answer, |finding| {
        matches!(
            finding,
            Finding::FewSweeps {
                choices: 300,
                sweeps: 10,
                threshold: 16
            }
        )
    });
    assert!(
        text.contains("each chain made 10 steps for each of 300 choices"),
        "{text}"
    );
}

/// Two numbers that may exchange their values: single steps do not lead from one mode to the other.
#[test]
fn chains_in_one_of_two_modes_are_not_called_clean() {
    let mut in_one = 0;
    for seed in 0..12 {
        let means = [-1.0, 1.0].map(|x| Normal::new(x, StandardDeviation(3.0)).named("mean"));
        let [a, b] = &means;
        let least = (a, b).map(|(a, b)| a.min(*b));
        let most = (a, b).map(|(a, b)| a.max(*b));
        let seen = |x: &Element<f64>| Normal::new(x, StandardDeviation(0.3));
        let model = Model::new().observe(&seen(&least), -2.0);
        let model = model.observe(&seen(&most), 3.0);
        let answer = MetropolisHastings::new(4000).chains(2).seed(seed);
        let answer = answer.run(&model, (a, b)).unwrap();
        let below = answer.probability_that(a, |a| *a < 0.0).unwrap();
        let diagnosis = answer.diagnose();
        let is_other = |finding: &Finding| matches!(finding, Finding::OtherMode { of: 16, .. });
        if !(0.001..0.999).contains(&below) {
            in_one += 1;
            assert!(!diagnosis.is_clean(), "{seed}: {diagnosis}");
        }
        let modes = diagnosis.findings().iter().filter(|f| is_other(f));
        for mode in modes {
            assert!(mode.to_string().contains("ended elsewhere"), "{mode}");
        }
    }
    // Both chains are in the same mode in half of the runs, because a chain is in the more probable mode with a probability of .6 to .7.
    assert!((2..11).contains(&in_one), "{in_one}");
}

#[test]
fn one_mode_is_no_finding() {
    for seed in 0..10 {
        let (model, mean) = continuous();
        let answer = MetropolisHastings::new(4000).seed(seed);
        let diagnosis = answer.run(&model, &mean).unwrap().diagnose();
        let is_other = |finding: &Finding| matches!(finding, Finding::OtherMode { .. });
        assert!(!diagnosis.findings().iter().any(is_other), "{diagnosis}");
        assert!(
            diagnosis.checked().contains("16 short chains"),
            "{}",
            diagnosis.checked()
        );
    }
}

/// Three coins that a condition makes equal: neither single steps nor pairs change all three.
#[test]
fn chains_that_conditions_keep_in_one_part_of_the_worlds_are_not_called_clean() {
    let mut in_one = 0;
    for seed in 0..12 {
        let coins: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.4)).collect();
        let other = Flip::new(0.5);
        let target = (&coins[0], &other).map(|(a, b)| 2 * u8::from(*a) + u8::from(*b));
        let are_equal =
            figrs_core::inject(&coins).map(|coins| coins.iter().all(|c| *c == coins[0]));
        let model = Model::new().observe(&are_equal, true);
        let answer = MetropolisHastings::new(2000).seed(seed);
        let answer = answer.run(&model, &target).unwrap();
        let diagnosis = answer.diagnose();
        assert!(!diagnosis.is_clean(), "{seed}: {diagnosis}");
        if answer.probability_that(&target, |x| *x < 2).unwrap() == 1.0 {
            in_one += 1;
            let text = found(
                &answer,
                |finding| matches!(finding, Finding::MissedValues { share, chance, .. } if *share == 0.0 && *chance < 1e-4),
            );
            assert!(text.contains("the chains miss a part"), "{text}");
        }
    }
    // In a third of the runs, all four chains start with tails.
    assert!((1..10).contains(&in_one), "{in_one}");
}

/// A model whose condition can be met by proposals for pairs, with evidence that favours one half of the worlds.
#[test]
fn chains_that_reach_all_worlds_miss_no_values() {
    for seed in 0..20 {
        let coins: Vec<Element<bool>> = (0..4).map(|_| Flip::new(0.4)).collect();
        let sum = figrs_core::inject(&coins).map(|coins| coins.iter().filter(|c| **c).count());
        let seen = sum.flat_map(|&sum| Flip::new(0.1 + 0.2 * sum as f64));
        let model = Model::new()
            .observe(&coins[0].equals(&coins[1]), false)
            .observe(&seen, true);
        let answer = MetropolisHastings::new(2000)
            .seed(seed)
            .run(&model, &sum)
            .unwrap();
        let diagnosis = answer.diagnose();
        let is_missed = |finding: &Finding| matches!(finding, Finding::MissedValues { .. });
        assert!(
            !diagnosis.findings().iter().any(is_missed),
            "{seed}: {diagnosis}"
        );
    }
}
