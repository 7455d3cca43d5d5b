//! Tests of samplers with invalid settings, of samplers that are stopped, and of evidence that no sample meets.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use figrs::prelude::*;
use figrs::{Progress, SimulatedAnnealing, Stopped};

use crate::errors::{error, says};

fn coin() -> (Model, Element<bool>) {
    let coin = Flip::new(0.5).named("coin");
    let seen = If::new(&coin, Flip::new(0.9), Flip::new(0.2));
    (Model::new().observe(&seen, true), coin)
}

#[track_caller]
fn invalid(algorithm: &dyn Algorithm, parts: &[&str]) {
    let (model, coin) = coin();
    let found = says(error(algorithm, &model, &coin), parts);
    assert!(matches!(found, Error::InvalidSetting { .. }), "{found:?}");
}

#[test]
fn settings_that_cannot_work() {
    invalid(
        &ImportanceSampling::new(0),
        &["ImportanceSampling", "samples is 0"],
    );
    invalid(
        &ForwardSampling::new(0),
        &["ForwardSampling", "samples is 0"],
    );
    invalid(
        &RejectionSampling::new(0),
        &["RejectionSampling", "tries is 0"],
    );
    invalid(&ImportanceSampling::anytime(), &["unlimited", "deadline"]);
    for enough in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let sampling = ImportanceSampling::anytime().until_effective(enough);
        invalid(
            &sampling,
            &["until_effective", &enough.to_string(), "positive"],
        );
    }
    let filter = SequentialMonteCarlo::new;
    invalid(&filter(0), &["SequentialMonteCarlo", "particles is 0"]);
    invalid(&filter(usize::MAX), &["particles is 1844", "16 million"]);
    invalid(&filter(10).populations(0), &["populations is 0"]);
    for threshold in [2.0, -0.1, f64::NAN] {
        let text = format!("threshold is {threshold}");
        invalid(
            &filter(10).threshold(threshold),
            &[&text, "between 0 and 1"],
        );
    }
}

/// Rejection sampling needs the largest weight of a statement, which is known only if the user states it.
#[test]
fn rejection_needs_the_largest_weight() {
    let die = Uniform::new(1..=6).named("die");
    let sampling = RejectionSampling::new(1000);
    let model = Model::new().weigh(&die, |&n| f64::from(n));
    let found = says(
        error(&sampling, &model, &die),
        &[
            "die",
            "errors/sampling.rs",
            "weigh_at_most",
            "ImportanceSampling",
        ],
    );
    assert!(matches!(found, Error::UnboundedWeight { .. }), "{found:?}");
    let stated = Model::new().weigh_at_most(&die, 6.0, |&n| f64::from(n));
    let answer = sampling.run(&stated, &die).unwrap();
    let p = answer.probability(&die, &6).unwrap();
    // Some 583 draws are accepted, so the share has a standard deviation of 0.019.
    assert!((p - 6.0 / 21.0).abs() < 0.12, "{p}");
}

#[test]
fn the_prior_has_no_evidence() {
    let (model, coin) = coin();
    let found = says(
        error(&ForwardSampling::new(10), &model, &coin),
        &["ForwardSampling", "errors/sampling.rs", "RejectionSampling"],
    );
    assert!(
        matches!(found, Error::EvidenceNotAllowed { .. }),
        "{found:?}"
    );
}

#[test]
fn no_sample_meets_the_evidence() {
    let die = Uniform::new(1..=6);
    let model = Model::new().condition(&die, |&n| n > 6);
    let one: &[(&dyn Algorithm, u64, &str)] = &[
        (&ImportanceSampling::new(1000), 1000, "draw more"),
        (&RejectionSampling::new(1000), 1000, "more tries"),
        (
            &SequentialMonteCarlo::new(100).populations(7),
            700,
            "more particles",
        ),
        (&MetropolisHastings::new(10).max_tries(9), 9, "`max_tries`"),
        (&SimulatedAnnealing::new(10).max_tries(9), 9, "`max_tries`"),
    ];
    for &(algorithm, tried, remedy) in one {
        let found = says(
            error(algorithm, &model, &die),
            &[algorithm.name(), "impossible or very rare", remedy],
        );
        assert!(
            matches!(found, Error::NoSampleMetEvidence { tried: t, .. } if t == tried),
            "{found:?}"
        );
    }
    let never = Score::weigh(&die, |_| 0.0);
    let found = error(&ForwardSampling::new(10), &Model::new(), &never);
    says(found, &["none of 10", "Score of zero"]);
    // A continuous element never takes an observed value in a draw.
    let place = Normal::new(0.0, Variance(1.0));
    let seen = Model::new().observe(&place, 0.5);
    let found = error(&RejectionSampling::new(500), &seen, &place);
    let found = says(found, &["none of 500", "ImportanceSampling", "continuous"]);
    assert!(matches!(
        found,
        Error::NoSampleMetEvidence { tried: 500, .. }
    ));
}

#[test]
fn nothing_is_done_by_what_is_stopped_at_once() {
    let (model, coin) = coin();
    let (prior, stop) = (Model::new(), Arc::new(AtomicBool::new(true)));
    let weighed = ImportanceSampling::new(1000);
    let kept = RejectionSampling::new(1000);
    let forward = ForwardSampling::new(1000);
    let filter = SequentialMonteCarlo::new(1000);
    let stopped: [(&Model, Box<dyn Algorithm>); 5] = [
        (&model, Box::new(weighed.interrupt(Arc::clone(&stop)))),
        (&model, Box::new(kept.deadline(Duration::ZERO))),
        (&prior, Box::new(forward.interrupt(Arc::clone(&stop)))),
        (&model, Box::new(filter.clone().interrupt(stop))),
        (&model, Box::new(filter.deadline(Duration::ZERO))),
    ];
    for (model, algorithm) in stopped {
        let found = says(
            error(&*algorithm, model, &coin),
            &[algorithm.name(), "was stopped before", "deadline"],
        );
        assert!(matches!(found, Error::NothingDone { .. }), "{found:?}");
    }
}

#[test]
fn a_deadline_ends_what_has_no_end() {
    let (model, coin) = coin();
    let sampling = ImportanceSampling::anytime().deadline(Duration::from_millis(50));
    let answer = sampling.run(&model, &coin).unwrap();
    let run = answer.sampling().unwrap();
    assert_eq!((run.stopped, run.asked), (Stopped::Deadline, None));
    assert!(
        run.done > 0 && run.elapsed >= Duration::from_millis(50),
        "{run:?}"
    );
    let enough = ImportanceSampling::anytime().until_effective(5000.0);
    let answer = enough.run(&model, &coin).unwrap();
    assert_eq!(answer.sampling().unwrap().stopped, Stopped::Finished);
}

/// The listener is called with the progress of each run, and stops the run after its third call.
#[test]
fn a_listener_may_end_a_run() {
    let (model, coin) = coin();
    for threads in 1..=3 {
        let threads = NonZero::new(threads).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let reports = Arc::new(Mutex::new(Vec::<Progress>::new()));
        let listener = |stop: &Arc<AtomicBool>| {
            let (stop, reports) = (Arc::clone(stop), Arc::clone(&reports));
            move |progress: &Progress| {
                let mut reports = reports.lock().unwrap();
                reports.push(*progress);
                if reports.len() == 3 {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        };
        let prior = Model::new();
        let runs: [(&Model, Box<dyn Algorithm>); 4] = [
            (
                &model,
                Box::new(
                    ImportanceSampling::anytime()
                        .threads(threads)
                        .interrupt(Arc::clone(&stop))
                        .on_progress(listener(&stop)),
                ),
            ),
            (
                &model,
                Box::new(
                    RejectionSampling::new(u64::MAX)
                        .threads(threads)
                        .interrupt(Arc::clone(&stop))
                        .on_progress(listener(&stop)),
                ),
            ),
            (
                &prior,
                Box::new(
                    ForwardSampling::new(u64::MAX)
                        .threads(threads)
                        .interrupt(Arc::clone(&stop))
                        .on_progress(listener(&stop)),
                ),
            ),
            (
                &model,
                Box::new(
                    SequentialMonteCarlo::new(500)
                        .populations(1 << 40)
                        .threads(threads)
                        .interrupt(Arc::clone(&stop))
                        .on_progress(listener(&stop)),
                ),
            ),
        ];
        for (model, algorithm) in runs {
            stop.store(false, Ordering::Relaxed);
            reports.lock().unwrap().clear();
            let on_the_way = algorithm.name() == "SequentialMonteCarlo";
            let answer = match algorithm.run(model, &coin) {
                // On a busy machine, all reports may come from unfinished populations.
                Err(Error::NothingDone { .. }) if on_the_way => continue,
                answer => answer.unwrap(),
            };
            let run = answer.sampling().unwrap();
            assert_eq!(run.stopped, Stopped::Interrupted, "{}", algorithm.name());
            let reports = reports.lock().unwrap();
            // Each thread may still report one more unit of progress.
            assert!(
                (3..=3 + threads.get()).contains(&reports.len()),
                "{reports:?}"
            );
            let last = reports[reports.len() - 1].done;
            // Unfinished populations are reported in the progress, and count as none at the end.
            assert!(last == run.done || on_the_way && last > run.done);
            for pair in reports.windows(2) {
                assert!(pair[0].done < pair[1].done && pair[0].elapsed <= pair[1].elapsed);
            }
            for report in reports.iter() {
                assert_eq!(report.algorithm, algorithm.name());
                assert!(report.total.is_none_or(|total| report.done <= total));
            }
        }
    }
}
