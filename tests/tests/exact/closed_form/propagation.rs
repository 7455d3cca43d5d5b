//! Expectation propagation: fixed points and exact moments computed elsewhere, and refusals.

mod comparisons;
mod improper;
pub(super) mod likelihoods;
mod robust_regression;

use figrs::prelude::*;
use figrs::{
    AnyElement, Covariance, DegreesOfFreedom, Error, ExpectationPropagation, MultivariateNormal,
    Scale, StudentT, weighted_sum,
};
use serde_json::Value as Json;
use statrs::distribution::{ContinuousCDF, Normal as NormalDistribution};

use super::reference::{cases, matrix, number, numbers, text};

/// Checks a number to 1e-9 of its size, and to 1e-10 near zero.
fn check(name: &str, found: f64, exact: f64) {
    let apart = (found - exact).abs();
    assert!(
        apart <= 1e-9 * exact.abs() + 1e-10,
        "{name}: {found}, not {exact}"
    );
}

fn link(node: &Json) -> fn(f64) -> f64 {
    if node["link"] == "probit" {
        |eta| NormalDistribution::standard().cdf(eta)
    } else {
        |eta| 1.0 / (1.0 + (-eta).exp())
    }
}

/// The finite child of real numbers with a linear predictor.
fn child(node: &Json, parents: &[&Element<f64>], weights: &[f64]) -> Element<bool> {
    let terms = weights.iter().copied().zip(parents.iter().copied());
    let eta = &weighted_sum(terms) + number(&node["eta"]["const"]);
    let link = link(node);
    // Both ways to write a likelihood of a number.
    if node["name"] == "y1" {
        Flip::new(eta.map(move |&eta| link(eta)))
    } else {
        eta.flat_map(move |&eta| Flip::new(link(eta)))
    }
}

#[test]
fn finite_children_of_real_parents() {
    for case in cases("continuous_to_discrete").unwrap_or_default() {
        let (id, answers) = (text(&case["id"]), &case["answers"]);
        if id == "ordinal_probit" {
            ordinal(answers);
            continue;
        }
        let exact = if answers.get("ep").is_some() {
            &answers["ep"]
        } else if [
            "probit_one",
            "probit_surprise",
            "logistic_one",
            "discrete_normal",
        ]
        .iter()
        .any(|start| id.starts_with(start))
        {
            answers
        } else {
            continue;
        };
        let mut model = Model::new();
        let mut finite: Vec<Element<usize>> = Vec::new();
        let mut reals: Vec<Element<f64>> = Vec::new();
        let mut vector: Option<Element<Vec<f64>>> = None;
        for node in case["model"]["nodes"].as_array().unwrap() {
            match text(&node["kind"]).as_str() {
                "categorical" => {
                    let p = numbers(&node["p"]);
                    finite.push(Select::new(p.into_iter().enumerate().map(|(i, p)| (p, i))));
                }
                "multivariate_normal" => {
                    let cov = Covariance::rows(matrix(&node["cov"]));
                    let x = MultivariateNormal::new(numbers(&node["mean"]), cov);
                    reals.extend([x.entry(0), x.entry(1)]);
                    vector = Some(x);
                }
                "normal" if node.get("given").is_some() => {
                    let rows = matrix(&node["mean_variance"]);
                    reals.push(
                        finite[0].flat_map(move |&d| Normal::new(rows[d][0], Variance(rows[d][1]))),
                    );
                }
                "normal" => {
                    let mean = number(&node["mean"]["const"]);
                    reals.push(Normal::new(mean, Variance(number(&node["variance"]))));
                }
                _ => {
                    let eta = &node["eta"];
                    let weights = match eta.get("weights") {
                        Some(weights) => numbers(weights),
                        None => vec![number(&eta["terms"][0][0])],
                    };
                    let parents: Vec<&Element<f64>> = reals.iter().collect();
                    let value = case["evidence"][text(&node["name"])] == 1;
                    model = model.observe(&child(node, &parents, &weights), value);
                }
            }
        }
        let mut targets: Vec<AnyElement> = reals.iter().map(|x| x.erased().clone()).collect();
        targets.extend(finite.iter().map(|d| d.erased().clone()));
        targets.extend(vector.iter().map(|x| x.erased().clone()));
        let answer = ExpectationPropagation::new().run(&model, targets).unwrap();
        check(
            &id,
            answer.log_evidence().unwrap().value,
            number(&exact["log_evidence"]),
        );
        if let Some(x) = &vector {
            let mixture = answer.mixture(x).unwrap();
            for (i, row) in matrix(&exact["cov"]).iter().enumerate() {
                check(&id, mixture.means()[i], number(&exact["mean"][i]));
                for (j, &exact) in row.iter().enumerate() {
                    check(&id, mixture.covariance()[i][j], exact);
                }
            }
            continue;
        }
        check(&id, answer.mean(&reals[0]).unwrap(), number(&exact["mean"]));
        check(
            &id,
            answer.variance(&reals[0]).unwrap(),
            number(&exact["variance"]),
        );
        for d in &finite {
            for (value, p) in numbers(&exact["d"]).into_iter().enumerate() {
                check(&id, answer.probability(d, &value).unwrap(), p);
            }
        }
    }
}

/// Three states, divided by two cuts of a noisy number: by a function of the number and by a distribution.
fn ordinal(answers: &Json) {
    let standard = NormalDistribution::standard();
    for state in 0..3_usize {
        let x = Normal::new(1.0, Variance(4.0));
        let noisy = Normal::new(&x, Variance(1.0));
        let cut = noisy.map(|&x| usize::from(x > -1.0) + usize::from(x > 2.0));
        let drawn = x.flat_map(move |x| {
            let (low, high) = (standard.cdf(-1.0 - x), standard.cdf(2.0 - x));
            Select::new([(low, 0_usize), (high - low, 1), (1.0 - high, 2)])
        });
        let exact = &answers[format!("y={state}")];
        for y in [cut, drawn] {
            let model = Model::new().observe(&y, state);
            let answer = ExpectationPropagation::new().run(&model, (&x, &y)).unwrap();
            check("ordinal", answer.mean(&x).unwrap(), number(&exact["mean"]));
            check(
                "ordinal",
                answer.variance(&x).unwrap(),
                number(&exact["variance"]),
            );
            check(
                "ordinal",
                answer.log_evidence().unwrap().value,
                number(&exact["log_evidence"]),
            );
            // Without evidence, the probability of the state is that of the evidence.
            let free = ExpectationPropagation::new()
                .run(&Model::new(), (&x, &y))
                .unwrap();
            let p = number(&exact["log_evidence"]).exp();
            check("ordinal", free.probability(&y, &state).unwrap(), p);
            check("ordinal", free.mean(&x).unwrap(), 1.0);
        }
    }
}

#[test]
fn sums_above_and_between_bounds() {
    for case in cases("mixture").unwrap_or_default() {
        let (id, answers) = (text(&case["id"]), &case["answers"]);
        if !id.starts_with("sum_") {
            continue;
        }
        let nodes = &case["model"]["nodes"];
        let normal = |i: usize| {
            let node = &nodes[i];
            Normal::new(
                number(&node["mean"]["const"]),
                Variance(number(&node["variance"])),
            )
        };
        let (a, b) = (normal(0), normal(1));
        let c = &a + &b;
        let evidence = &case["evidence"]["c"];
        let model = if let Some(low) = evidence.get("greater_than") {
            Model::new().observe(&c.greater_than(&Constant::new(number(low))), true)
        } else {
            let bounds = numbers(&evidence["between"]);
            Model::new().condition(&c, move |&c| bounds[0] < c && c < bounds[1])
        };
        let by_comparisons = evidence.get("between").map_or(model.clone(), |bounds| {
            let [low, high] = [0, 1].map(|i| Constant::new(numbers(bounds)[i]));
            let model = Model::new().observe(&c.at_most(&low), false);
            model.observe(&c.less_than(&high), true)
        });
        let targets = (&a, &b, &c);
        for answer in [
            ExpectationPropagation::new().run(&model, targets),
            Exact::new().run(&by_comparisons, targets),
        ] {
            let answer = answer.unwrap();
            let log_evidence = answer.log_evidence().unwrap().value;
            check(&id, log_evidence, number(&answers["log_evidence"]));
            for (name, element) in [("a", &a), ("b", &b), ("c", &c)] {
                let (mean, variance) = (&answers[name]["mean"], &answers[name]["variance"]);
                check(&id, answer.mean(element).unwrap(), number(mean));
                check(&id, answer.variance(element).unwrap(), number(variance));
            }
        }
    }
}

/// The performances of teams, and the model of a game with these ranks.
fn game(case: &Json, skills: &[Vec<Element<f64>>], ranks: &[f64]) -> Model {
    let beta = number(&case["beta"]);
    let performance = |team: &Vec<Element<f64>>| {
        let all: Vec<Element<f64>> = team
            .iter()
            .map(|s| Normal::new(s, Variance(beta * beta)))
            .collect();
        weighted_sum(all.iter().map(|performance| (1.0, performance)))
    };
    let performances: Vec<Element<f64>> = skills.iter().map(performance).collect();
    let mut order: Vec<usize> = (0..skills.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let mut model = Model::new();
    for pair in order.windows(2) {
        let players = (skills[pair[0]].len() + skills[pair[1]].len()) as f64;
        let half = f64::midpoint(1.0, number(&case["draw_probability"]));
        let margin = NormalDistribution::standard().inverse_cdf(half) * players.sqrt() * beta;
        let lead = &performances[pair[0]] - &performances[pair[1]];
        model = if ranks[pair[0]] == ranks[pair[1]] {
            model.condition(&lead, move |lead| lead.abs() <= margin)
        } else {
            model.observe(&lead.greater_than(&Constant::new(margin)), true)
        };
    }
    model
}

fn skill(player: &Json, tau: f64) -> Element<f64> {
    let sigma = number(&player["sigma"]);
    Normal::new(number(&player["mean"]), Variance(sigma * sigma + tau * tau))
}

#[test]
fn skills_of_players() {
    for case in cases("trueskill").unwrap_or_default() {
        let (id, model, answers) = (text(&case["id"]), &case["model"], &case["answers"]);
        let tau = number(&model["tau"]);
        if id == "batch_of_games" {
            batch(&case);
            continue;
        }
        let Some(teams) = model["teams"].as_array() else {
            continue;
        };
        let players = |team: &Json| {
            team.as_array()
                .unwrap()
                .iter()
                .map(|p| skill(p, tau))
                .collect()
        };
        let skills: Vec<Vec<Element<f64>>> = teams.iter().map(players).collect();
        let evidence = game(model, &skills, &numbers(&case["evidence"]["ranks"]));
        let answer = ExpectationPropagation::new()
            .run(&evidence, skills.concat())
            .unwrap();
        let (exact, log_evidence) = match answers.get("ep") {
            Some(exact) => (exact, &answers["ep_log_evidence"]),
            None => (&answers["posterior"], &answers["log_evidence"]),
        };
        for (skill, exact) in skills.concat().iter().zip(exact.as_array().unwrap()) {
            check(&id, answer.mean(skill).unwrap(), number(&exact["mean"]));
            check(
                &id,
                answer.variance(skill).unwrap(),
                number(&exact["variance"]),
            );
        }
        check(
            &id,
            answer.log_evidence().unwrap().value,
            number(log_evidence),
        );
    }
}

fn batch(case: &Json) {
    let (model, exact) = (&case["model"], &case["answers"]["ep"]);
    let beta = number(&model["beta"]);
    let players = model["players"].as_array().unwrap();
    let skills: Vec<Element<f64>> = players.iter().map(|player| skill(player, 0.0)).collect();
    let margin = NormalDistribution::standard().inverse_cdf(0.55) * 2.0_f64.sqrt() * beta;
    let mut evidence = Model::new();
    for won in matrix(&case["evidence"]["won"]) {
        let lead = &skills[won[0] as usize] - &skills[won[1] as usize];
        let wins =
            Normal::new(&lead, Variance(2.0 * beta * beta)).greater_than(&Constant::new(margin));
        evidence = evidence.observe(&wins, true);
    }
    let answer = ExpectationPropagation::new()
        .run(&evidence, &skills)
        .unwrap();
    for (i, skill) in skills.iter().enumerate() {
        check(
            "batch",
            answer.mean(skill).unwrap(),
            number(&exact["mean"][i]),
        );
        check(
            "batch",
            answer.variance(skill).unwrap(),
            number(&exact["cov"][i][i]),
        );
    }
    check(
        "batch",
        answer.log_evidence().unwrap().value,
        number(&exact["log_evidence"]),
    );
}

/// Finite elements above and below a comparison: the probability of each is that of bivariate normal quadrants.
#[test]
fn finite_elements_that_read_a_comparison() {
    let (a, b) = (
        Normal::new(0.0, Variance(1.0)),
        Normal::new(0.5, Variance(3.0)),
    );
    let a_wins = a.greater_than(&b);
    let report = a_wins.flat_map(|&wins| Flip::new(if wins { 0.9 } else { 0.2 }));
    let model = Model::new().observe(&report, true);
    let answer = ExpectationPropagation::new()
        .run(&model, (&a_wins, &a))
        .unwrap();
    let p = NormalDistribution::standard().cdf(-0.25);
    let total = 0.9 * p + 0.2 * (1.0 - p);
    check(
        "report",
        answer.probability(&a_wins, &true).unwrap(),
        0.9 * p / total,
    );
    check("report", answer.log_evidence().unwrap().value, total.ln());
    // E[a | a > b] = sd(a - b) correlation times the inverse Mills ratio at -0.25.
    let density = (-0.5 * 0.0625_f64).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let mean = (0.9 - 0.2) * density * 0.5 / total;
    check("report", answer.mean(&a).unwrap(), mean);
}

#[test]
fn convergence_is_stated() {
    let x = Normal::new(0.0, Variance(1.0));
    let (low, high) = (Constant::new(-0.5), Constant::new(0.7));
    let model = Model::new()
        .observe(&x.greater_than(&low), true)
        .observe(&Normal::new(&x, Variance(1.0)).less_than(&high), true);
    let run = |algorithm: ExpectationPropagation| algorithm.run(&model, &x).unwrap();
    let whole = run(ExpectationPropagation::new());
    let statistics = whole.sampling().unwrap();
    assert_eq!(statistics.stopped, figrs::Stopped::Finished);
    assert!(statistics.residual.unwrap() <= 1e-10 && statistics.done > 2);
    assert!(whole.summary(&x).unwrap().ends_with("approximate"));
    assert!(!whole.diagnose().findings().is_empty());
    let early = run(ExpectationPropagation::new().sweeps(2));
    assert_eq!(early.sampling().unwrap().stopped, figrs::Stopped::Budget);
    let damped = run(ExpectationPropagation::new().damping(0.5));
    check("damped", damped.mean(&x).unwrap(), whole.mean(&x).unwrap());
    let free = ExpectationPropagation::new()
        .run(&Model::new(), &x)
        .unwrap();
    assert!(free.summary(&x).unwrap().ends_with("exact"));
}

#[test]
fn refusals() {
    let (x, y) = (
        Normal::new(0.0, Variance(1.0)),
        Normal::new(0.0, Variance(1.0)),
    );
    let run = |model: Model| ExpectationPropagation::new().run(&model, &x);
    let product = Apply::new((&x, &y), |(x, y)| x * y > 1.0);
    let refused = run(Model::new().observe(&product, true)).unwrap_err();
    assert!(
        matches!(&refused, Error::NotClosedForm { problem, .. } if problem.contains("two real numbers")),
        "{refused}"
    );
    // A mean and a variance that are different numbers, and a condition on a pair.
    let spread = Normal::new(&x, Variance(&y.map(|y| y.exp())));
    let pair = Apply::new((&x, &y), |(&x, &y)| (x, y));
    for model in [
        Model::new().observe(&spread, 1.0),
        Model::new().condition(&pair, |(x, y)| x * x + y * y < 1.0),
    ] {
        let refused = run(model).unwrap_err();
        let text = refused.to_string();
        assert!(
            text.contains("two real numbers") && text.contains("Collapsed"),
            "{text}"
        );
    }
    let square = x.map(|x| x * x);
    let refused = run(Model::new().observe(&square, 4.0)).unwrap_err();
    assert!(matches!(refused, Error::NotClosedForm { .. }), "{refused}");
    // A search at finitely many numbers proves nothing impossible.
    let none = run(Model::new().condition(&x.map(|x| x * x), |_| false)).unwrap_err();
    assert!(matches!(none, Error::NotClosedForm { .. }), "{none}");
    assert!(none.to_string().contains("narrower interval"), "{none}");
    let invalid = ExpectationPropagation::new()
        .sweeps(0)
        .run(&Model::new(), &x);
    assert!(matches!(
        invalid.unwrap_err(),
        Error::InvalidSetting {
            setting: "sweeps",
            ..
        }
    ));
    let invalid = ExpectationPropagation::new()
        .tolerance(-1.0)
        .run(&Model::new(), &x);
    assert!(matches!(
        invalid.unwrap_err(),
        Error::InvalidSetting {
            setting: "tolerance",
            ..
        }
    ));
    let invalid = ExpectationPropagation::new()
        .damping(1.0)
        .run(&Model::new(), &x);
    assert!(matches!(
        invalid.unwrap_err(),
        Error::InvalidSetting {
            setting: "damping",
            ..
        }
    ));
    // A probability outside of [0, 1] at numbers that have probability.
    let wrong = Flip::new(&x);
    assert!(run(Model::new().observe(&wrong, true)).is_err());
}

/// An observed comparison is a target, and another element reads it.
#[test]
fn observed_comparisons_are_values() {
    let (a, b) = (
        Normal::new(0.0, Variance(1.0)),
        Normal::new(0.0, Variance(1.0)),
    );
    let a_wins = a.greater_than(&b);
    let happy = a_wins.flat_map(|&wins| Flip::new(if wins { 0.9 } else { 0.2 }));
    let model = Model::new().observe(&a_wins, true).observe(&happy, true);
    let targets = (&a, &a_wins, &happy);
    let answer = ExpectationPropagation::new().run(&model, targets).unwrap();
    assert_eq!(answer.probability(&a_wins, &true).unwrap(), 1.0);
    assert_eq!(answer.probability(&happy, &true).unwrap(), 1.0);
    check(
        "evidence",
        answer.log_evidence().unwrap().value,
        0.45_f64.ln(),
    );
    check(
        "mean",
        answer.mean(&a).unwrap(),
        1.0 / std::f64::consts::PI.sqrt(),
    );
    // The same for an observed flip of an unknown probability.
    let p = Beta::new(1.0, 1.0);
    let flip = Flip::new(&p);
    let other = flip.map(|flip| !flip);
    let model = Model::new().observe(&flip, true);
    let answer = Exact::new().run(&model, (&p, &flip, &other)).unwrap();
    assert_eq!(answer.probability(&other, &false).unwrap(), 1.0);
    check("flip", answer.mean(&p).unwrap(), 2.0 / 3.0);
}
