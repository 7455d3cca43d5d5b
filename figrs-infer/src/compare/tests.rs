//! Tests of comparisons, with correct algorithms and with algorithms that are deliberately wrong.

mod limits;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use figrs_core::{AnyElement, Element, Flip, Model, Normal, StandardDeviation, Uniform};

use super::Verdict::{
    Agrees, Approximate, NotApplicable, Unjudged, UnknownError, WithinFive, WithinThree, Wrong,
};
use super::timed_run::RunLimits;
use crate::compare::*;
use crate::{
    ForwardSampling, Gibbs, ImportanceSampling, MetropolisHastings, SequentialMonteCarlo,
    SimulatedAnnealing,
};
use figrs_answer::{
    Algorithm, Answer, Error, Estimate, LogEvidence, Run, TargetBounds, TargetMarginal, algorithms,
};
use figrs_exact::{
    BeliefPropagation, Enumerate, JunctionTree, LazyVariableElimination, MarginalMap,
    MpeVariableElimination, VariableElimination,
};
use figrs_factor::bounds::Bounds;

fn wet_grass() -> (Model, Element<bool>) {
    let rain = Flip::new(0.2).named("rain");
    let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
    (Model::new().observe(&wet, true), rain)
}

const EXACT: f64 = 0.18 / 0.26;

/// An algorithm that always answers with the given probability of `true` for a Boolean target, and states the given quality of this estimate.
#[derive(Debug)]
struct Claims(f64, Estimate);

impl Algorithm for Claims {
    fn name(&self) -> &'static str {
        "Claims"
    }

    fn answer(&self, _: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let marginal = |element: &AnyElement| {
            let mut support = element.no_values();
            support.insert(&false);
            support.insert(&true);
            TargetMarginal {
                element: element.clone(),
                support: support.build(),
                probabilities: vec![1.0 - self.0, self.0],
                estimate: self.1.clone(),
            }
        };
        let evidence = LogEvidence::exact(0.0);
        let marginals = targets.iter().map(marginal).collect();
        Ok(Answer::marginals(self.name(), marginals, evidence))
    }
}

/// Returns an algorithm with the answer of ten thousand independent samples of equal weight; the fraction `p` of them has the value `true`.
fn sampled(p: f64) -> Claims {
    let n = 10_000.0;
    Claims(
        p,
        Estimate::Weighted {
            squares: vec![(1.0 - p) / n, p / n],
            unseen: 0.01,
        },
    )
}

fn verdicts(comparison: &Comparison) -> Vec<Verdict> {
    comparison.rows.iter().map(|row| row.verdict).collect()
}

#[test]
fn right_answers_agree_and_wrong_ones_are_flagged() {
    let (model, rain) = wet_grass();
    let error = (EXACT * (1.0 - EXACT) / 10_000.0).sqrt();
    let comparison = compare(
        &model,
        &rain,
        algorithms![
            Enumerate::new(),
            JunctionTree::new(),
            LazyVariableElimination::to_width(1e-6),
            BeliefPropagation::new(),
            Claims(EXACT, Estimate::Exact),
            Claims(EXACT + 1e-6, Estimate::Exact),
            Claims(EXACT + 0.1, Estimate::Approximate),
            sampled(EXACT + 2.9 * error),
            sampled(EXACT - 4.5 * error),
            sampled(EXACT + 6.0 * error),
            ForwardSampling::new(10),
        ],
    );
    assert_eq!(
        verdicts(&comparison),
        [
            Agrees,
            Agrees,
            Agrees,
            Agrees,
            Agrees,
            Wrong,
            Approximate,
            WithinThree,
            WithinFive,
            Wrong,
            NotApplicable
        ]
    );
    let exact = comparison.exact.as_ref().unwrap();
    assert_eq!(exact.algorithm, "VariableElimination");
    let names: Vec<&str> = comparison
        .estimands
        .iter()
        .map(|e| e.name.as_str())
        .collect();
    assert_eq!(names, ["P(rain = true)", "P(rain = false)"]);
    assert!((exact.values[0] - EXACT).abs() < 1e-12);
    let rows = &comparison.rows;
    assert!(
        (rows[9].deviation.unwrap() - 6.0).abs() < 0.2,
        "{:?}",
        rows[9]
    );
    assert!((rows[9].error.unwrap() - 6.0 * error).abs() < 1e-12);
    assert!((rows[9].effective_samples.unwrap() - 10_000.0).abs() < 1e-6);
    assert!((rows[5].error.unwrap() - 1e-6).abs() < 1e-12);
    assert!(
        rows[10]
            .message
            .as_ref()
            .unwrap()
            .contains("ForwardSampling draws from the prior")
    );
    let lines = comparison.conclusion();
    let line = |start: &str| lines.iter().find(|line| line.starts_with(start)).unwrap();
    assert!(line("WRONG").contains("Claims (off by 1.0e-6), Claims (off by 2.8e-2, 6."));
    assert!(
        line("agree").contains(
            "Enumerate, JunctionTree, LazyVariableElimination, BeliefPropagation, Claims"
        )
    );
    assert!(line("not applicable").contains("ForwardSampling draws from the prior"));
    // The deliberately wrong algorithms have the most effective samples per second; the first algorithm is not among the fastest.
    let best = comparison.best_sampler().unwrap();
    assert_ne!(best.verdict, Wrong);
    assert_eq!(comparison.fastest_exact().unwrap().verdict, Agrees);
    let text = comparison.to_string();
    assert!(
        text.contains("answer: P(rain = true); error: the largest of 2 numbers"),
        "{text}"
    );
    assert!(
        text.contains("exact: 0.692308 (VariableElimination"),
        "{text}"
    );
    assert_eq!(text.matches("WRONG").count(), 3, "{text}");
}

#[test]
fn samplers_are_within_their_errors() {
    // An estimate with a normal error deviates by more than three standard errors with probability 1 / 370; the seeds are fixed.
    let (model, rain) = wet_grass();
    let comparison = compare(
        &model,
        &rain,
        algorithms![
            ImportanceSampling::new(20_000).seed(1),
            SequentialMonteCarlo::new(500).populations(20).seed(1),
            MetropolisHastings::new(5000).seed(1),
            Gibbs::new(2000).seed(1),
        ],
    );
    assert_eq!(verdicts(&comparison), [WithinThree; 4]);
    for row in &comparison.rows {
        assert!(row.effective_samples.unwrap() > 50.0 && row.seconds > 0.0);
        assert!(row.standard_error.unwrap() > 0.0 && row.error.unwrap() > 0.0);
        assert_eq!(row.values.len(), 2);
    }
}

#[test]
fn an_infinite_error_holds_no_answer() {
    let (model, rain) = wet_grass();
    let agreeing = Claims(
        0.0,
        Estimate::Weighted {
            squares: vec![1e-4, 0.0],
            unseen: f64::INFINITY,
        },
    );
    let never = Flip::new(0.0);
    let comparison = compare(&Model::new(), &never, algorithms![agreeing]);
    assert_eq!(verdicts(&comparison), [UnknownError]);
    let agreeing = Claims(
        0.0,
        Estimate::Weighted {
            squares: vec![1e-4, 0.0],
            unseen: f64::INFINITY,
        },
    );
    let comparison = compare(&model, &rain, algorithms![agreeing]);
    assert_eq!(verdicts(&comparison), [UnknownError]);
    let text = comparison.to_string();
    assert!(
        text.contains("error unknown") && !text.contains("within 3"),
        "{text}"
    );
    // The finding states the reason and the remedy.
    assert!(
        text.contains("no draw is") && text.contains("Exact"),
        "{text}"
    );
    assert!(comparison.best_sampler().is_none());
}

/// Returns an algorithm with the answer of sixteen populations of particles: the fractions of `true` in the populations have the mean `p`, with a
/// standard error of `.001` before the correction by Student's t.
fn populations(p: f64) -> Claims {
    let off = |i: i32| if i % 2 == 0 { 0.001 } else { -0.001 } * 15.0_f64.sqrt();
    let groups = (0..16).map(|i| {
        let share = (p + off(i)) / 16.0;
        vec![(0, 1.0 / 16.0 - share), (1, share)]
    });
    let groups = groups.collect();
    Claims(
        p,
        Estimate::Groups {
            groups,
            unseen: 1e-6,
        },
    )
}

/// With 15 degrees of freedom, a variable of Student's t distribution exceeds 3.65 as often as a normal variable exceeds 3.04, and
/// 3.50 as often as 2.95.
#[test]
fn few_populations_are_judged_by_students_t() {
    let (model, rain) = wet_grass();
    let algorithms = algorithms![
        populations(EXACT + 0.0035),
        populations(EXACT - 0.0038),
        populations(EXACT + 0.007),
        populations(EXACT + 0.02)
    ];
    let comparison = compare(&model, &rain, algorithms);
    assert_eq!(
        verdicts(&comparison),
        [WithinThree, WithinFive, WithinFive, Wrong]
    );
    let row = &comparison.rows[0];
    let factor = figrs_answer::quality::diagnostics::few_groups_factor(15.0);
    assert!((row.standard_error.unwrap() / (0.001 * factor) - 1.0).abs() < 1e-6);
}

#[test]
fn wrong_answers_say_why_and_what_would_do() {
    let (model, rain) = wet_grass();
    let indices: Vec<u32> = (0..8000).map(|i| u32::from(i % 3 == 0)).collect();
    let chains = Claims(
        2667.0 / 8000.0,
        Estimate::Chains {
            indices: indices.into(),
            chains: 4,
        },
    );
    let comparison = compare(&model, &rain, algorithms![chains]);
    assert_eq!(verdicts(&comparison), [Wrong]);
    let text = comparison.conclusion().join("\n");
    for word in ["tempered", "Gibbs", "Exact", "centred"] {
        assert!(text.contains(word), "{text}");
    }
    let comparison = compare(
        &model,
        (&rain, &Flip::new(0.5)),
        algorithms![Gibbs::new(100)],
    );
    let text = comparison.conclusion().join("\n");
    assert!(
        text.contains("ESS is the smallest over the targets: Gibbs of "),
        "{text}"
    );
}

#[test]
fn worlds_are_judged_by_their_log_probability() {
    #[derive(Debug)]
    struct FixedWorld(f64);
    impl Algorithm for FixedWorld {
        fn name(&self) -> &'static str {
            "World"
        }
        fn answer(&self, _: &Model, _: &[AnyElement]) -> Result<Answer, Error> {
            Ok(Answer::world(self.name(), [], self.0))
        }
    }
    let (model, rain) = wet_grass();
    let best = f64::ln(0.18);
    let comparison = compare(
        &model,
        &rain,
        algorithms![
            MpeVariableElimination::new(),
            FixedWorld(best),
            FixedWorld(best - 1e-3),
            FixedWorld(best + 1e-3),
            MarginalMap::new(),
            SimulatedAnnealing::new(2000).seed(1),
        ],
    );
    assert_eq!(
        verdicts(&comparison),
        [Agrees, Agrees, Wrong, Wrong, Unjudged, Agrees]
    );
    assert!((comparison.best_log_probability.unwrap() - best).abs() < 1e-12);
    assert!(comparison.to_string().contains("log-probability -1.714798"));
    // A search that proves nothing and misses the best world gets the verdict `Approximate`.
    let judged = verdict::judge_world(best - 1.0, false, Some(best));
    assert_eq!(judged.verdict, Approximate);
    assert!((judged.error.unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn bounds_must_hold_what_is_exact_and_impossible_values_have_no_probability() {
    #[derive(Debug)]
    struct Bounded(f64);
    impl Algorithm for Bounded {
        fn name(&self) -> &'static str {
            "Bounded"
        }
        fn answer(&self, _: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
            let mut support = targets[0].no_values();
            support.insert(&true);
            support.insert(&false);
            let logs = |p: f64| vec![p.ln(), (1.0 - p).ln()];
            let bounds = TargetBounds {
                element: targets[0].clone(),
                support: support.build(),
                cells: Vec::new(),
                bins: Vec::new(),
                log_lower: logs(self.0),
                log_upper: logs(self.0),
                log_unknown: f64::ln(0.01),
            };
            let evidence = Bounds::exact(0.0);
            Ok(Answer::bounded_marginals(
                self.name(),
                vec![bounds],
                evidence,
            ))
        }
    }
    let (model, rain) = wet_grass();
    let algorithms = algorithms![Bounded(EXACT), Bounded(EXACT + 0.005), Bounded(EXACT + 0.1)];
    let comparison = compare(&model, &rain, algorithms);
    assert_eq!(verdicts(&comparison), [Agrees, Agrees, Wrong]);
    let sure = Flip::new(1.0);
    let algorithms = algorithms![sampled(1.0), sampled(1.0 - 1e-4)];
    let comparison = compare(&Model::new(), &sure, algorithms);
    assert_eq!(verdicts(&comparison), [WithinThree, Wrong]);
}

#[test]
fn an_answer_can_be_given_and_a_mean_compared() {
    // Exact algorithms do not see that the function is linear.
    let normal = Normal::new(170.0, StandardDeviation(7.0));
    let height = normal.map(|x| x + 0.0).named("height");
    let algorithms = || algorithms![ImportanceSampling::new(5000).seed(3)];
    let comparison = compare(&Model::new(), &height, algorithms());
    assert_eq!(verdicts(&comparison), [Unjudged]);
    assert_eq!(comparison.estimands[0].name, "E(height)");
    let row = &comparison.rows[0];
    assert!((row.values[0] - 170.0).abs() < 5.0 * 7.0 / 5000_f64.sqrt());
    assert!((row.standard_error.unwrap() * 5000_f64.sqrt() / 7.0 - 1.0).abs() < 0.1);
    assert!(comparison.to_string().contains("no exact answer is known"));
    let many = Uniform::new((0..1000).map(f64::from)).named("many");
    let exact = VariableElimination::new()
        .run(&Model::new(), &many)
        .unwrap();
    let comparison = Compare::new(&Model::new(), &many)
        .exact(exact)
        .algorithms(algorithms())
        .run();
    assert_eq!(verdicts(&comparison), [WithinThree]);
    assert!((comparison.exact.as_ref().unwrap().values[0] - 499.5).abs() < 1e-9);
    assert_eq!(comparison.exact.as_ref().unwrap().seconds, 0.0);
}

#[test]
fn errors_fall_along_a_curve() {
    let (model, rain) = wet_grass();
    let comparison = Compare::new(&model, &rain)
        .curve([100, 10_000], 20, |n, seed| {
            ImportanceSampling::new(n).seed(seed)
        })
        .run();
    let curve = &comparison.curves[0];
    assert_eq!(curve.algorithm, "ImportanceSampling");
    let [few, many] = curve.points[..] else {
        panic!("{curve:?}")
    };
    assert_eq!((few.budget, many.budget, few.runs), (100, 10_000, 20));
    // Ten times as many samples reduce the error to a tenth; each root mean square error has a relative noise of about 1 / √40.
    assert!((5.0..20.0).contains(&(few.error / many.error)), "{curve:?}");
    for point in [few, many] {
        let ratio = point.error / point.standard_error.unwrap();
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
    let text = comparison.to_string();
    assert!(
        text.contains("largest error against time") && text.contains("A ImportanceSampling"),
        "{text}"
    );
}

#[test]
fn json_has_every_number() {
    let (model, rain) = wet_grass();
    let algorithms = algorithms![Enumerate::new(), sampled(EXACT), ForwardSampling::new(3)];
    let comparison = compare(&model, &rain, algorithms);
    let json = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json["targets"], serde_json::json!(["rain"]));
    assert_eq!(json["estimands"][0]["name"], "P(rain = true)");
    assert_eq!(
        json["exact"]["values"][0].as_f64(),
        Some(comparison.exact.as_ref().unwrap().values[0])
    );
    assert_eq!(json["rows"][0]["verdict"], "agrees");
    assert_eq!(json["rows"][1]["verdict"], "within-three");
    assert_eq!(json["rows"][2]["verdict"], "not-applicable");
    assert!(json["rows"][0].get("answer").is_none() && json.get("model").is_none());
}
