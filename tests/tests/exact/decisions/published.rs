//! Tests on decision problems whose solutions are published.

use figrs::prelude::*;
use figrs::{Decision, MaximiseUtility};

/// The entrepreneur of Koller and Friedman, *Probabilistic Graphical Models* (2009), example 23.
pub(super) struct Entrepreneur {
    market: Element<usize>,
    pub(super) test: Element<bool>,
    pub(super) survey: Element<i32>,
    pub(super) found: Element<bool>,
    pub(super) cost: Element<f64>,
    pub(super) value: Element<f64>,
}

/// Returns the problem with a survey that is made if `test` is true.
pub(super) fn entrepreneur(test: Element<bool>, price: f64) -> Entrepreneur {
    let market = Select::new([(0.5, 0), (0.3, 1), (0.2, 2)]).named("market");
    let survey = (&test, &market).flat_map(|(&test, &market)| match (test, market) {
        (false, _) => Select::new([(1.0, -1)]),
        (true, 0) => Select::new([(0.6, 0), (0.3, 1), (0.1, 2)]),
        (true, 1) => Select::new([(0.3, 0), (0.4, 1), (0.3, 2)]),
        (true, _) => Select::new([(0.1, 0), (0.4, 1), (0.5, 2)]),
    });
    let survey = survey.named("survey");
    let found = Decision::new(&survey, [true, false]).named("found");
    let value = (&found, &market).map(|(found, market)| {
        if *found {
            [-7.0, 5.0, 20.0][*market]
        } else {
            0.0
        }
    });
    let cost = test.map(move |&test| if test { -price } else { 0.0 });
    Entrepreneur {
        market,
        test,
        survey,
        found,
        cost,
        value,
    }
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

/// The expected numbers are those of Figaro's `SingleDecision`.
#[test]
fn a_company_is_founded_after_a_survey() {
    let e = entrepreneur(Constant::new(true), 0.0);
    let plan = MaximiseUtility::new()
        .run(&Model::new(), [&e.value], &e.found)
        .unwrap();
    near(plan.expected_utility(), 3.25);
    assert!(plan.is_optimal());
    let policy = plan.policy(&e.found).unwrap();
    let rows = policy.rows().iter();
    let chosen: Vec<bool> = rows.map(|row| row.choose).collect();
    assert_eq!(chosen, [false, true, true]);
    let utilities: Vec<f64> = policy.rows().iter().map(|row| row.utility).collect();
    for (utility, expected) in utilities.iter().zip([0.0, 1.15 / 0.35, 2.1 / 0.24]) {
        near(*utility, expected);
    }
    let answers = [-1.25 / 0.41, 1.15 / 0.35, 2.1 / 0.24];
    for (survey, expected) in (0..).zip(answers) {
        let known = Model::new().observe(&e.survey, survey);
        near(plan.utility_of(&e.found, &known, &true).unwrap(), expected);
        near(plan.utility_of(&e.found, &known, &false).unwrap(), 0.0);
        assert_eq!(policy.choice(&known).unwrap(), survey > 0);
    }
    // Without a survey, founding is worth 2; if the market is known, the plan is worth 5.5.
    near(plan.value_of_information(&e.market).unwrap(), 2.25);
    near(plan.value_of_control(&e.market).unwrap(), 20.0 - 3.25);
    let text = policy.to_string();
    assert!(text.starts_with("survey  found  utility\n"), "{text}");
    assert_eq!(text.lines().count(), 4);
}

/// The expected numbers are those of Figaro's `MultiDecision`, where making the survey is a decision as well.
#[test]
fn a_survey_is_made_first() {
    let test = Decision::new((), [true, false]).named("test");
    let e = entrepreneur(test, 1.0);
    let utilities = [&e.cost, &e.value];
    let decisions = (&e.test, &e.found);
    let plan = MaximiseUtility::new()
        .run(&Model::new(), utilities, decisions)
        .unwrap();
    near(plan.expected_utility(), 2.25);
    let test = plan.policy(&e.test).unwrap();
    assert!(test.known().is_empty());
    assert!(test.choice(&Model::new()).unwrap());
    // The survey reveals the decision about the test.
    let found = plan.policy(&e.found).unwrap();
    assert_eq!(found.known().len(), 1);
    for (survey, expected) in [(-1, true), (0, false), (1, true), (2, true)] {
        let known = Model::new().observe(&e.survey, survey);
        assert_eq!(found.choice(&known).unwrap(), expected, "{survey}");
    }
    let made = Model::new().observe(&e.survey, 0).observe(&e.test, true);
    near(
        plan.utility_of(&e.found, &made, &true).unwrap(),
        -1.25 / 0.41 - 1.0,
    );
    let not_made = Model::new().observe(&e.survey, -1);
    near(plan.utility_of(&e.found, &not_made, &true).unwrap(), 2.0);
    near(
        plan.utility_of(&e.test, &Model::new(), &false).unwrap(),
        2.0,
    );
    // Limited memory loses nothing here, because the survey reveals whether it was made.
    let limited = MaximiseUtility::new().limited_memory();
    let plan = limited.run(&Model::new(), utilities, decisions).unwrap();
    near(plan.expected_utility(), 2.25);
    // A more expensive survey is not made.
    let e = entrepreneur(Decision::new((), [true, false]), 1.5);
    let plan = MaximiseUtility::new();
    let plan = plan
        .run(&Model::new(), [&e.cost, &e.value], (&e.test, &e.found))
        .unwrap();
    near(plan.expected_utility(), 2.0);
}

/// The viral marketing problem of `DTProbLog` (Van den Broeck, Thon, van Otterlo, De Raedt 2010): which persons should receive an advertisement, if
/// telling one costs 2, each buyer pays 5, and persons buy what their friends buy.
#[test]
fn half_of_the_persons_are_told() {
    let names = [
        "bernd", "ingo", "theo", "angelika", "guy", "martijn", "laura", "kurt",
    ];
    let friends = [
        (0, 1),
        (1, 2),
        (2, 3),
        (0, 5),
        (1, 5),
        (5, 4),
        (4, 2),
        (4, 3),
        (6, 1),
        (6, 2),
        (6, 4),
        (6, 5),
        (7, 0),
    ];
    let informed: Vec<_> = names
        .iter()
        .map(|&name| Decision::new((), [false, true]).named(name))
        .collect();
    // The bits say which persons buy, and which of the buyers have friends who have heard of it. First come the persons who buy by themselves, then
    // the friends of one buyer after the other, each of whom trusts the buyer or not.
    let nobody = Constant::new((0u8, 0u8));
    let first = informed
        .iter()
        .enumerate()
        .fold(nobody, |buyers, (person, informed)| {
            (&buyers, informed).flat_map(move |(&(buyers, heard), &informed)| {
                let more = (buyers | 1 << person, heard);
                let share = if informed { 0.2 } else { 0.0 };
                Select::new([(share, more), (1.0 - share, (buyers, heard))])
            })
        });
    let spread = std::sync::Arc::new(move |&(buyers, heard): &(u8, u8)| {
        let next = (buyers & !heard).trailing_zeros() as usize;
        let mut states = vec![(1.0, (buyers, heard))];
        if next < names.len() {
            states[0].1.1 |= 1 << next;
            let pairs = friends.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            for (_, friend) in pairs.filter(|&(person, _)| person == next) {
                if buyers & 1 << friend == 0 {
                    let trusting = states
                        .iter()
                        .map(|&(p, (b, h))| (0.3 * p, (b | 1 << friend, h)));
                    let trusting: Vec<_> = trusting.collect();
                    for (p, _) in &mut states {
                        *p *= 0.7;
                    }
                    states.extend(trusting);
                }
            }
        }
        Select::new(states)
    });
    let last = names
        .iter()
        .fold(first, |buyers, _| buyers.flat_map_shared(&spread));
    let profits = [last.map(|&(buyers, _)| 5.0 * f64::from(buyers.count_ones()))];
    let costs = informed
        .iter()
        .map(|informed| informed.map(|&informed| if informed { -2.0 } else { 0.0 }));
    let utilities: Vec<_> = profits.into_iter().chain(costs).collect();
    let plan = MaximiseUtility::new();
    let plan = plan.run(&Model::new(), &utilities, &informed).unwrap();
    assert!((plan.expected_utility() - 3.210_97).abs() < 5e-6);
    let chosen = informed.iter().filter(|informed| {
        let policy = plan.policy(*informed).unwrap();
        policy.choice(&Model::new()).unwrap()
    });
    let chosen: Vec<String> = chosen
        .filter_map(|informed| informed.label().name)
        .collect();
    assert_eq!(chosen, ["ingo", "theo", "guy", "martijn"]);
}

#[test]
fn a_score_in_a_branch_leaves_limited_memory_unproven() {
    let (x, y) = (Flip::new(0.5), Flip::new(0.5));
    let inner = y.clone();
    let scored = x.flat_map(move |&x| {
        if x {
            Score::weigh(&inner, |&y| if y { 9.0 } else { 1.0 })
        } else {
            Constant::new(false)
        }
    });
    let second = Decision::new(&x, [false, true]);
    let first = Decision::new(&second, [false, true]);
    let guess = (&first, &y).map(|(guess, y)| if guess == y { 1.0 } else { 0.0 });
    let reached = scored.map(|_| 0.0);
    let limited = MaximiseUtility::new().limited_memory();
    let plan = limited
        .run(&Model::new(), [&guess, &reached], (&second, &first))
        .unwrap();
    assert!(!plan.is_optimal());
}

/// A plan keeps the parameters with which it was found; values of information solve the problem again.
#[test]
fn plans_hold_the_parameters_that_they_were_found_with() {
    let chance = Param::new("chance", 0.9);
    let rain = Flip::new(&chance);
    let umbrella = Decision::new((), [true, false]);
    let worth = (&rain, &umbrella).map(|(rain, umbrella)| if rain == umbrella { 1.0 } else { 0.0 });
    let run = || {
        MaximiseUtility::new()
            .run(&Model::new(), [&worth], &umbrella)
            .unwrap()
    };
    let plan = run();
    near(plan.value_of_information(&rain).unwrap(), 0.1);
    chance.set(0.3);
    near(plan.expected_utility(), 0.9);
    assert!(
        plan.policy(&umbrella)
            .unwrap()
            .choice(&Model::new())
            .unwrap()
    );
    let nothing = Model::new();
    near(plan.utility_of(&umbrella, &nothing, &false).unwrap(), 0.1);
    let again = run();
    near(again.expected_utility(), 0.7);
    near(again.value_of_information(&rain).unwrap(), 0.3);
}
