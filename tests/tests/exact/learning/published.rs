//! Tests of learned parameters against published values.

use figrs::prelude::*;
use figrs::{Cases, ExpectationMaximization, Learned};

use super::assert_near;

fn map() -> ExpectationMaximization<JunctionTree> {
    ExpectationMaximization::new(JunctionTree::new()).map_estimate()
}

#[test]
fn a_coin_after_its_throws() {
    // The last three cases come from Figaro's tests of expectation-maximisation, the first from its example FairCoin.
    for (a, b, heads, tails, expected) in [
        (2.0, 2.0, 62, 24, 63.0 / 88.0),
        (2.0, 2.0, 7, 3, 2.0 / 3.0),
        (3.0, 7.0, 7, 3, 0.5),
        (1.0, 1.0, 7, 3, 0.7),
    ] {
        let bias = Learned::beta("bias", a, b);
        let throws: Vec<Element<bool>> = (0..heads + tails).map(|_| Flip::new(&bias)).collect();
        let cases = Cases::new(&throws).rows([(0..heads + tails).map(|i| i < heads)]);
        assert_near(
            map()
                .fit(&Model::new(), &cases)
                .unwrap()
                .value(&bias)
                .unwrap(),
            expected,
        );
        let throw = Flip::new(&bias);
        let one_a_row = Cases::new(&throw).rows((0..heads + tails).map(|i| i < heads));
        let fit = map().fit(&Model::new(), &one_a_row).unwrap();
        assert_near(fit.value(&bias).unwrap(), expected);
        let binomial = Binomial::new(heads + tails, &bias);
        let counted = Cases::new(&binomial).rows([heads]);
        assert_near(
            map()
                .fit(&Model::new(), &counted)
                .unwrap()
                .value(&bias)
                .unwrap(),
            expected,
        );
    }
}

#[test]
fn a_choice_after_a_hundred_and_two_hundred_observations() {
    // The example is OnlineEM of Figaro's book.
    let mix = Learned::dirichlet("mix", [2.0, 2.0, 2.0]);
    let choice = Select::by(&mix, [1, 2, 3]);
    let first = Cases::new(&choice).rows([1; 100]);
    let fit = map().fit(&Model::new(), &first).unwrap();
    assert_near(fit.value(&mix).unwrap()[0], 0.980_582_524_271_844_7);
    let answer = VariableElimination::new()
        .run(&fit.model(), &choice)
        .unwrap();
    assert_near(
        answer.probability(&choice, &1).unwrap(),
        0.980_582_524_271_844_7,
    );
    let fit = map().fit(&Model::new(), &first.rows([2; 100])).unwrap();
    assert_near(fit.value(&mix).unwrap()[0], 0.497_536_945_812_807_9);
}

#[test]
fn a_spam_filter() {
    // The model has the form of Figaro's example MAPLearning, with its priors. By hand, the words of the single spam mail have probability (1 +
    // count) / 3 and those of the two other mails (1 + count) / 4; the new mail contains `free` and `reply`.
    let words = ["hello", "reply", "question", "free", "book"];
    let has = |text: &str| {
        words
            .iter()
            .map(|word| text.contains(word))
            .collect::<Vec<bool>>()
    };
    let spam = Learned::beta("spam", 2.0, 3.0);
    let given = |case: &str| -> Vec<Element<f64>> {
        words
            .iter()
            .map(|word| Learned::beta(format!("{word} | {case}"), 2.0, 2.0))
            .collect()
    };
    let (given_spam, given_normal) = (given("spam"), given("normal"));
    let is_spam = Flip::new(&spam);
    let has_words: Vec<Element<bool>> = given_spam
        .iter()
        .zip(&given_normal)
        .map(|(yes, no)| If::new(&is_spam, Flip::new(yes), Flip::new(no)))
        .collect();
    let mails = [
        (true, has("Hello, would you like to receive a free book?")),
        (false, has("Please reply to my question by Tuesday!")),
        (false, has("Hello, I have a question about your book.")),
    ];
    let cases = Cases::new((&is_spam, &has_words)).rows(mails);
    let fit = map().fit(&Model::new(), &cases).unwrap();
    let mut model = fit.model();
    for (element, has) in has_words
        .iter()
        .zip(has("Feel free to reply if you have any ideas."))
    {
        model = model.observe(element, has);
    }
    let answer = JunctionTree::new().run(&model, &is_spam).unwrap();
    let (spam, normal) = (8.0 / 729.0, 1.0 / 128.0);
    assert_near(
        answer.probability(&is_spam, &true).unwrap(),
        spam / (spam + normal),
    );
}

#[test]
fn samplers_draw_from_the_posterior_of_the_same_parameter() {
    let bias = Learned::beta("bias", 2.0, 2.0);
    let throws: Vec<Element<bool>> = (0..10).map(|_| Flip::new(&bias)).collect();
    let model = throws
        .iter()
        .enumerate()
        .fold(Model::new(), |model, (i, throw)| {
            model.observe(throw, i < 7)
        });
    let answer = MetropolisHastings::new(20_000)
        .seed(1)
        .run(&model, &bias)
        .unwrap();
    // Beta(9, 5) has the mean 9 / 14 and the standard deviation .124; the draws are independent.
    assert!((answer.mean(&bias).unwrap() - 9.0 / 14.0).abs() < 0.005);
}

#[test]
fn only_branches_that_are_taken_count() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let taken = Flip::new(0.5);
    // These are not rows of the branch's table: one is a function of a flip, and one is a flip that two branches share.
    let flip = Flip::new(&rate);
    let other = Flip::new(0.5);
    let shared = (
        If::new(&taken, flip.map(|flip| !flip), Constant::new(true)),
        If::new(&other, flip.clone(), Constant::new(true)),
    );
    let rows = [
        (1.0, (true, false, false)),
        (1e5, (false, false, true)),
        (1.0, (true, true, true)),
    ];
    let cases = Cases::new((&taken, &other, &shared.0)).weighted_rows(rows);
    let learner = ExpectationMaximization::new(JunctionTree::new()).exact_rounds(1);
    let fit = learner.fit(&Model::new(), &cases).unwrap();
    // In the first row the flip is true, and in the last row false; in the other rows the flip is not reached.
    assert_near(fit.value(&rate).unwrap(), 0.5);
    let first = Cases::new((&taken, &other, &shared.0)).weighted_rows(rows[..2].to_vec());
    assert_near(
        learner
            .fit(&Model::new(), &first)
            .unwrap()
            .value(&rate)
            .unwrap(),
        1.0,
    );
}

#[test]
fn interventions_and_evidence_of_the_model_hold_in_each_case() {
    let (rate, other) = (
        Learned::beta("rate", 1.0, 1.0),
        Learned::beta("other", 1.0, 1.0),
    );
    let hidden = Flip::new(&rate);
    let seen = If::new(&hidden, Flip::new(&other), Constant::new(false));
    let cases =
        Cases::new((&hidden, &seen)).rows([(Some(true), true), (None, true), (Some(true), false)]);
    let model = Model::new().intervene(&rate, 0.3);
    let learner = || ExpectationMaximization::new(JunctionTree::new());
    let fit = learner().fit(&model, &cases).unwrap();
    assert_near(fit.value(&other).unwrap(), 2.0 / 3.0);
    assert_eq!(fit.value(&rate), Err(Error::not_learned(rate.label())));
    let likelihood: f64 = [0.3 * 2.0 / 3.0, 0.3 * 2.0 / 3.0, 0.3 / 3.0]
        .iter()
        .map(|p: &f64| p.ln())
        .sum();
    assert_near(fit.log_likelihood(), likelihood);
    let weighed = Model::new().weigh(&hidden, |hidden| if *hidden { 3.0 } else { 1.0 });
    let fit = learner()
        .fit(&weighed, &Cases::new(&seen).rows([true, true]))
        .unwrap();
    assert_near(fit.value(&rate).unwrap(), 1.0);
    assert_near(fit.log_likelihood(), 2.0 * 3f64.ln());
}

#[test]
fn one_interpretation_of_friends_who_smoke() {
    // ProbLog's test of learning from interpretations, `smokes`, has four persons whose friends influence them. It prints .611491 and .568169, which
    // are the values one round after a random start. The maximum follows by hand: stress is known of three persons, and three influences are known.
    let stress = Learned::beta("stress", 1.0, 1.0);
    let influence = Learned::beta("influence", 1.0, 1.0);
    let stressed: Vec<Element<bool>> = (0..4).map(|_| Flip::new(&stress)).collect();
    let influences: Vec<Element<bool>> = (0..16).map(|_| Flip::new(&influence)).collect();
    // The friends of each person; paths of up to three influences reach everybody.
    let friends: [&[usize]; 4] = [&[1], &[0, 3], &[1], &[1]];
    let mut smokes = stressed.clone();
    for _ in 0..3 {
        let person = |x: usize| {
            friends[x].iter().fold(stressed[x].clone(), |smokes_x, &y| {
                smokes_x.or(&influences[4 * y + x].and(&smokes[y]))
            })
        };
        smokes = (0..4).map(person).collect();
    }
    let seen = Model::new()
        .observe(&smokes[1], false)
        .observe(&smokes[3], true)
        .observe(&influences[1], false)
        .observe(&influences[4 * 3 + 1], false)
        .observe(&influences[4 + 2], true)
        .observe(&stressed[0], true);
    let cases = Cases::new((&stressed, &influences)).case(1.0, &seen);
    let learner = ExpectationMaximization::new(JunctionTree::new()).tolerance(0.0);
    let fit = learner.fit(&Model::new(), &cases).unwrap();
    for (parameter, expected) in [(&stress, 2.0 / 3.0), (&influence, 1.0 / 3.0)] {
        let found = fit.value(parameter).unwrap();
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
    // Each of the two parameters has three known values.
    let errors = fit.standard_errors().unwrap();
    for parameter in [&stress, &influence] {
        let error = errors.of(parameter).unwrap()[0].unwrap();
        assert!((error - (2.0 / 27.0_f64).sqrt()).abs() < 1e-5, "{error}");
    }
    let start = learner.exact_rounds(1).start(&stress, 0.445_964);
    let fit = start.start(&influence, 0.622_362_4);
    let fit = fit.fit(&Model::new(), &cases).unwrap();
    for (parameter, expected) in [(&stress, 0.611_491), (&influence, 0.568_169)] {
        let found = fit.value(parameter).unwrap();
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
}
