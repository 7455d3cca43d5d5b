//! Tests of findings: runs that ended early, approximations, exact answers, worlds and bounds.

use super::*;

#[test]
fn runs_that_ended_early_say_so() {
    let coin = Flip::new(0.5);
    let flag = Arc::new(AtomicBool::new(false));
    let raise = flag.clone();
    let sampler = ImportanceSampling::new(1 << 40)
        .interrupt(flag)
        .on_progress(move |progress| {
            raise.store(progress.done > 5000, std::sync::atomic::Ordering::Relaxed);
        });
    let answer = sampler.run(&Model::new(), &coin).unwrap();
    let text = found(&answer, |finding| {
        matches!(
            finding,
            Finding::StoppedEarly {
                why: Stopped::Interrupted,
                asked: Some(_),
                ..
            }
        )
    });
    assert!(text.starts_with("interrupted after"), "{text}");
    let late = ImportanceSampling::new(1 << 40).deadline(Duration::from_millis(300));
    let text = found(&late.run(&Model::new(), &coin).unwrap(), |finding| {
        matches!(
            finding,
            Finding::StoppedEarly {
                why: Stopped::Deadline,
                ..
            }
        )
    });
    assert!(text.contains("deadline"), "{text}");
}

#[test]
fn iterations_that_did_not_come_to_rest_say_so() {
    let mut run = finished();
    (run.residual, run.tolerance) = (Some(1e-3), Some(1e-4));
    found(&approximate(run.clone()), |finding| {
        *finding
            == Finding::NotConverged {
                residual: 1e-3,
                tolerance: 1e-4,
            }
    });
    run.residual = Some(1e-5);
    let settled = approximate(run.clone()).diagnose();
    assert_eq!(settled.findings(), [Finding::Approximation]);
    run.residual = Some(f64::NAN);
    found(&approximate(run), |finding| {
        matches!(finding, Finding::NotConverged { .. })
    });
}

/// A model with three variables in a cycle, where unequal neighbours have a lower weight.
#[test]
fn messages_that_go_round_loops_are_an_approximation() {
    let corners = [(); 3].map(|()| Flip::new(0.4));
    let price = |&(a, b): &(bool, bool)| if a == b { 0.9 } else { 0.2 };
    let [a, b, c] = &corners;
    let open = Model::new()
        .weigh(&tuple((a, b)), price)
        .weigh(&tuple((b, c)), price);
    let answer = BeliefPropagation::new().run(&open, a).unwrap();
    assert!(answer.diagnose().is_clean(), "{}", answer.diagnose());
    let closed = open.weigh(&tuple((c, a)), price);
    let answer = BeliefPropagation::new().run(&closed, a).unwrap();
    let text = found(&answer, |finding| *finding == Finding::Approximation);
    assert!(text.contains("error has no known bound"), "{text}");
    assert_eq!(answer.diagnose().findings().len(), 1);
    let exact = VariableElimination::new().run(&closed, a).unwrap();
    let error = answer.probability(a, &true).unwrap() - exact.probability(a, &true).unwrap();
    assert!((1e-3..0.1).contains(&error.abs()), "{error}");
}

#[test]
fn searches_without_a_bound_say_so() {
    let (model, mean) = continuous();
    let world = SimulatedAnnealing::new(500).run(&model, &mean).unwrap();
    let text = found(
        &world,
        |finding| matches!(finding, Finding::NotProven { gap } if *gap == f64::INFINITY),
    );
    assert!(
        text.starts_with("the probability of other worlds has no known bound"),
        "{text}"
    );
    let summary = world.summary(&mean).unwrap();
    assert!(summary.ends_with("no bound is known)"), "{summary}");
}

#[test]
fn exact_answers_say_that_they_are() {
    let coin = Flip::new(0.3).named("coin");
    let answer = VariableElimination::new()
        .run(&Model::new(), &coin)
        .unwrap();
    assert_eq!(
        answer.diagnose().to_string(),
        "nothing found: exact up to rounding"
    );
    assert_eq!(
        answer.to_string(),
        "coin: P(true) = 0.300000 exact\nVariableElimination: nothing found: exact up to rounding"
    );
}

fn geometric() -> Element<u32> {
    Flip::new(0.5).flat_map(|&stop| {
        if stop {
            Constant::new(0)
        } else {
            geometric().map(|n| n + 1)
        }
    })
}

#[test]
fn worlds_and_bounds_say_what_is_open() {
    let coin = Flip::new(0.3).named("coin");
    let value = || [(coin.erased().clone(), figrs_core::Datum::new(false))];
    let known = Answer::world("Search", value(), 0.7_f64.ln());
    assert!(known.diagnose().is_clean());
    let improvement = figrs_infer::Improvement {
        work: 1,
        log_probability: 0.7_f64.ln(),
        upper_bound: 0.7_f64.ln() + 0.5,
    };
    let open = Answer::searched_world("Search", value(), 0.7_f64.ln(), vec![improvement]);
    found(
        &open,
        |finding| matches!(finding, Finding::NotProven { gap } if (gap - 0.5).abs() < 1e-12),
    );
    assert!(
        open.to_string()
            .starts_with("coin = false\nlog-probability -0.3567\nSearch: there may be a world"),
        "{open}"
    );

    let n = geometric().named("n");
    let cut = LazyVariableElimination::to_width(1e-12)
        .work(2000)
        .run(&Model::new(), &n)
        .unwrap();
    found(&cut, |finding| {
        matches!(finding, Finding::BudgetSpent { .. })
    });
    assert!(
        cut.to_string().contains("where a limit was reached\n"),
        "{cut}"
    );
}

#[test]
fn answers_are_printed_with_their_quality() {
    let answer = chained(&number(), &uniform(8000, 9), 4);
    let text = answer.to_string();
    let (line, diagnosis) = text.split_once('\n').unwrap();
    assert!(
        line.starts_with("x: mean 0.5") || line.starts_with("x: mean 0.4"),
        "{line}"
    );
    for word in [
        "sd 0.2",
        "MCSE 0.00",
        "ESS ",
        "(bulk)",
        "(tail)",
        "R-hat 1.00",
    ] {
        assert!(line.contains(word), "{word}: {line}");
    }
    assert!(
        diagnosis.starts_with("Chains: nothing found"),
        "{diagnosis}"
    );
    let pairs = vec![[vec![1.0, 2.0], vec![3.0, 4.0]]; 2000].concat();
    let text = chained(&Constant::new(vec![0.0]).named("w"), &pairs, 4).to_string();
    assert!(
        text.starts_with("w[0]: mean 2.0000, sd 1.0000") && text.contains("w[1]: mean 3.0000"),
        "{text}"
    );
    let die = Uniform::new(1..=6).named("die");
    let text = ImportanceSampling::new(10_000)
        .run(&Model::new(), &die)
        .unwrap()
        .to_string();
    assert!(
        text.contains("MCSE 0.0171, ESS 10000") || text.contains("MCSE 0.0170, ESS 10000"),
        "{text}"
    );
    let text = VariableElimination::new()
        .run(&Model::new(), &die)
        .unwrap()
        .to_string();
    assert!(
        text.starts_with("die: mean 3.5000, sd 1.7078 exact\n"),
        "{text}"
    );
}
