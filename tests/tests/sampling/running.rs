//! Tests that a run that is lengthened, stopped and resumed has the bits of one longer run.

mod saved;

use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use figrs::prelude::*;
use figrs::{
    AnyElement, Cases, Collapsed, DeepeningEnd, ExpectationMaximization, Iid,
    LazyVariableElimination, Learned, PortableTargets, ResumableSampler, SimulatedAnnealing,
    Stopped,
};
use figrs_tests::reference_models::failures;

/// Returns the text of an answer without its time.
fn said(answer: &Answer) -> String {
    let mut sampling = answer.sampling().unwrap().clone();
    sampling.elapsed = Duration::ZERO;
    format!("{:?}", answer.clone().with_sampling(sampling))
}

/// A model with a finite and a continuous target, evidence with weights, and a branch.
fn question() -> (Model, Vec<AnyElement>) {
    let rain = Flip::new(0.3);
    let amount = rain.flat_map(|&rain| {
        if rain {
            Uniform::new(1..=6)
        } else {
            Constant::new(0)
        }
    });
    let wet = amount.flat_map(|&n| Flip::new(0.1 + 0.14 * f64::from(n)));
    let model = Model::new().observe(&wet, true);
    (model, (&rain, &amount).elements())
}

/// Returns the model with a normal element that another normal element observes.
fn real_question() -> (Model, Vec<AnyElement>) {
    let (model, mut targets) = question();
    let x = Normal::new(0.0, StandardDeviation(1.0));
    let seen = Normal::new(&x, StandardDeviation(0.5));
    targets.push(x.erased().clone());
    (model.observe(&seen, 0.7), targets)
}

/// Checks the law of lengthened runs for a sampler with a number of samples, draws or populations.
fn check<S: Algorithm + 'static>(sampler: impl Fn(u64) -> S, lengths: [u64; 3], real: bool) {
    let (model, targets) = if real { real_question() } else { question() };
    let [first, second, third] = lengths;
    let whole = sampler(first + second + third)
        .answer(&model, &targets)
        .unwrap();
    let name = sampler(1).name();
    // An answer that is lengthened twice, and once more from its beginning.
    let short = sampler(first).run(&model, &targets).unwrap();
    let longer = short.extend(&model, second).unwrap();
    let about = |answer: &Answer| {
        said(
            &answer
                .clone()
                .with_question(Arc::new((model.clone(), targets.clone()))),
        )
    };
    assert_eq!(
        about(&longer.extend(&model, third).unwrap()),
        about(&whole),
        "{name}"
    );
    assert_eq!(
        about(&longer.extend(&model, third).unwrap()),
        about(&whole),
        "{name}"
    );
    assert_eq!(
        about(&short.extend(&model, second + third).unwrap()),
        about(&whole),
        "{name}"
    );
    // A run in a thread that is stopped and resumed while it is lengthened and asked.
    let running = sampler(first).start(&model, &targets);
    let asked = running.clone();
    let asking = thread::spawn(move || {
        while !asked.is_finished() {
            let _ = asked.answer();
            thread::sleep(Duration::from_micros(300));
        }
    });
    running.stop();
    running.extend(second).unwrap();
    running.resume();
    running.extend(third).unwrap();
    thread::sleep(Duration::from_millis(1));
    running.stop();
    running.resume();
    assert_eq!(about(&running.wait().unwrap()), about(&whole), "{name}");
    asking.join().unwrap();
    assert_eq!(
        running.answer().unwrap().sampling().unwrap().stopped,
        Stopped::Finished
    );
}

fn threads(n: usize) -> NonZero<usize> {
    NonZero::new(n).unwrap()
}

#[test]
fn worlds() {
    for real in [false, true] {
        let lengths = [1000, 77, 2500];
        check(
            |n| ImportanceSampling::new(n).seed(3).threads(threads(2)),
            lengths,
            real,
        );
        check(
            |n| ImportanceSampling::new(n).seed(3).keep_draws(),
            lengths,
            real,
        );
    }
    check(
        |n| RejectionSampling::new(n).seed(4).threads(threads(3)),
        [900, 1, 3000],
        false,
    );
    // All runs have blocks of the same size.
    check(
        |n| ImportanceSampling::new(n).seed(5),
        [300_001, 5_000, 70_000],
        false,
    );
}

#[test]
fn populations() {
    for real in [false, true] {
        let sampler = |n| SequentialMonteCarlo::new(200).populations(n).seed(2);
        check(sampler, [7, 4, 9], real);
        check(
            |n| sampler(n).keep_draws().threads(threads(2)),
            [16, 16, 3],
            real,
        );
    }
}

#[test]
fn chains() {
    for real in [false, true] {
        let sampler = |n| MetropolisHastings::new(n).burn_in(300).seed(8).thin(2);
        check(|n| sampler(n).threads(threads(2)), [200, 37, 400], real);
        check(
            |n| sampler(n).chains(2).tempered([4.0]),
            [100, 50, 150],
            real,
        );
    }
    check(
        |n| Gibbs::new(n).burn_in(50).seed(1).threads(threads(2)),
        [300, 1, 700],
        false,
    );
}

/// A run without an end is asked, stopped and resumed; its handles end it.
#[test]
fn endless_runs_are_stopped() {
    let (model, targets) = question();
    let running = ImportanceSampling::anytime().start(&model, targets.clone());
    let done = || {
        let answer = running.answer();
        answer.map_or(0, |answer| answer.sampling().unwrap().done)
    };
    while done() == 0 {
        thread::yield_now();
    }
    running.stop();
    let stopped = done();
    assert_eq!(done(), stopped);
    assert!(!running.is_finished());
    running.resume();
    while done() == stopped {
        thread::yield_now();
    }
    // A deadline pauses the run.
    let timed = MetropolisHastings::new(1 << 40)
        .burn_in(10)
        .deadline(Duration::from_millis(30));
    let timed = timed.start(&model, targets);
    let answer = timed.wait().unwrap();
    assert_eq!(answer.sampling().unwrap().stopped, Stopped::Deadline);
    timed.resume();
    let later = timed.wait().unwrap();
    assert!(later.sampling().unwrap().done > answer.sampling().unwrap().done);
}

#[test]
fn annealing() {
    let x = Uniform::new(0..100_u32);
    let model = Model::new().weigh(&x, |&x| {
        if x == 70 {
            3.0
        } else {
            f64::from(x % 50) / 25.0
        }
    });
    // The lengthened run goes on at the coldest temperature.
    let annealing = |n| SimulatedAnnealing::new(n).seed(2);
    let running = annealing(500).cooling(2.0, 0.5).start(&model, &x);
    running.stop();
    running.extend(700).unwrap();
    running.resume();
    let function = |step: u64| {
        let cooling = (0.5_f64 / 2.0).ln() / 500.0;
        2.0 * (cooling * step.min(500) as f64).exp()
    };
    let whole = annealing(1200).schedule(function).run(&model, &x).unwrap();
    let world = |answer: &Answer| {
        let done = answer.sampling().unwrap();
        (
            answer.most_likely_value(&x).unwrap(),
            done.done,
            done.acceptance,
        )
    };
    assert_eq!(world(&running.wait().unwrap()), world(&whole));
    assert_eq!(world(&whole).0, 70);
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let wrong = annealing(100).schedule(move |step| if step < 40 { 1.0 } else { wrong });
        let error = wrong.run(&model, &x).unwrap_err().to_string();
        assert!(error.contains("at step 40"), "{error}");
        assert!(wrong.start(&model, &x).wait().is_err());
    }
    let panics = annealing(100).schedule(|_| panic!("as it should"));
    assert!(matches!(
        panics.run(&model, &x),
        Err(Error::Panicked { .. })
    ));
}

#[test]
fn bounds_deepen() {
    let n = failures(0.3);
    let even = Model::new().condition(&n, |n| n % 2 == 0);
    let right = 0.3 * 0.49 / (0.3 / 0.51);
    let running = LazyVariableElimination::to_depth(4).start(&even, &n);
    let first = running.wait().unwrap();
    let alone = LazyVariableElimination::to_depth(4).run(&even, &n).unwrap();
    assert_eq!(first.bounds(&n, &2).unwrap(), alone.bounds(&n, &2).unwrap());
    assert_eq!(first.deepening().unwrap().ended, DeepeningEnd::Depth);
    running.extend(8).unwrap();
    let second = running.wait().unwrap();
    let alone = LazyVariableElimination::to_depth(12)
        .run(&even, &n)
        .unwrap();
    assert_eq!(
        second.bounds(&n, &2).unwrap(),
        alone.bounds(&n, &2).unwrap()
    );
    // A run to a width goes on after it has reached the width.
    let running = LazyVariableElimination::to_width(0.1)
        .work(1 << 16)
        .start(&even, &n);
    let wide = running.wait().unwrap().bounds(&n, &2).unwrap();
    running.extend(1 << 16).unwrap();
    let narrow = running.wait().unwrap().bounds(&n, &2).unwrap();
    assert!(narrow.contains(right) && narrow.width() < wide.width());
    let wrong = LazyVariableElimination::to_width(-1.0).start(&even, &n);
    assert!(matches!(wrong.wait(), Err(Error::InvalidSetting { .. })));
}

/// A grid that no exact algorithm solves with little work: the answer consists of bounds, until the run is given more work.
#[test]
fn portfolios_are_given_more_work() {
    let (model, targets) = question();
    let exact = Exact::new().run(&model, targets.clone()).unwrap();
    let running = Exact::new().start(&model, targets.clone());
    assert_eq!(running.wait().unwrap().log_evidence(), exact.log_evidence());
    let side = 8;
    let cells: Vec<Element<bool>> = (0..side * side).map(|_| Flip::new(0.4)).collect();
    let mut model = Model::new();
    for at in 0..side * side {
        let neighbours = [
            (at % side + 1 < side, at + 1),
            (at / side + 1 < side, at + side),
        ];
        for (_, other) in neighbours.into_iter().filter(|(exists, _)| *exists) {
            model = model.weigh(&cells[at].equals(&cells[other]), |&same| {
                if same { 1.3 } else { 0.8 }
            });
        }
    }
    let running = Exact::new().work(2000.0).start(&model, ());
    let bounds = running.wait().unwrap().log_evidence_bounds().unwrap();
    running.extend(1 << 40).unwrap();
    let answer = running.wait().unwrap();
    let right = answer.log_evidence().unwrap().value;
    assert!(
        bounds.lower <= right && right <= bounds.upper,
        "{bounds:?} {right}"
    );
    let world = MpeExact::new().run(&model, &cells).unwrap();
    let running = MpeExact::new().start(&model, &cells).wait().unwrap();
    assert_eq!(
        running.log_probability().unwrap(),
        world.log_probability().unwrap()
    );
}

#[test]
fn learning() {
    let (first, second) = (
        Learned::beta("first", 2.0, 2.0),
        Learned::beta("second", 2.0, 3.0),
    );
    let is_first = Flip::new(0.5);
    let heads = If::new(&is_first, Flip::new(&first), Flip::new(&second));
    let cases = Cases::new((&is_first, &heads)).weighted_rows([
        (9.0, (Some(true), true)),
        (1.0, (None, false)),
        (4.0, (Some(false), false)),
        (2.0, (None, true)),
    ]);
    let base = ExpectationMaximization::new(JunctionTree::new())
        .map_estimate()
        .starts(2)
        .tolerance(0.0);
    for learner in [
        base.clone(),
        base.clone().accelerated(),
        base.mini_batches(2),
    ] {
        let whole = learner
            .clone()
            .rounds(60)
            .fit(&Model::new(), &cases)
            .unwrap();
        let running = learner.rounds(7).start_fit(&Model::new(), &cases);
        running.stop();
        running.extend(13).unwrap();
        running.resume();
        let few = running.wait().unwrap();
        // A fit that shares the prepared model changes the parameters between two turns.
        few.standard_errors().unwrap();
        running.extend(40).unwrap();
        let many = running.wait().unwrap();
        assert_eq!(many.to_string(), whole.to_string());
        assert_eq!(
            many.value(&first).unwrap().to_bits(),
            whole.value(&first).unwrap().to_bits()
        );
        assert!(few.rounds() <= 20);
    }
}

/// The run of a collapsed sampler is that of its sampler, with the elements that were integrated out.
#[test]
fn collapsed_samplers() {
    let level = Normal::new(0.0, Variance(100.0));
    let noise = Gamma::new(2.0, Rate(1.0));
    let model = [4.9, 5.3, 4.6]
        .into_iter()
        .fold(Model::new(), |model, reading| {
            model.observe(&Normal::new(&level, Variance(&noise)), reading)
        });
    let sampler = |n| Collapsed(ImportanceSampling::new(n).seed(1));
    let whole = said(&sampler(300).run(&model, (&level, &noise)).unwrap());
    let short = sampler(200).run(&model, (&level, &noise)).unwrap();
    assert_eq!(said(&short.extend(&model, 100).unwrap()), whole);
    let running = sampler(200).start(&model, (&level, &noise));
    running.extend(100).unwrap();
    assert_eq!(said(&running.wait().unwrap()), whole);
}

/// A run that is continued after a parameter was set would mix two models.
#[test]
fn a_changed_parameter_ends_a_run() {
    let (rate, spread, guess) = (
        Param::new("rate", 0.3),
        Param::new("spread", 0.5),
        Param::new("guess", 0.5),
    );
    let rain = Flip::new(&rate);
    let level = Normal::new(0.0, StandardDeviation(1.0));
    let seen = Normal::new(&level, StandardDeviation(&spread));
    let guesses = Iid::new(Flip::new(&guess), 2);
    let model = Model::new().observe(&seen, 0.7);
    let changed = |error: Error, name: &str| {
        let expected = format!(
            "the parameter {name} has changed since the algorithm ran; run the algorithm again"
        );
        assert_eq!(error.to_string(), expected);
    };
    let targets = (&rain, &level, &guesses).elements();
    let samplers = figrs::algorithms![
        ImportanceSampling::new(300),
        MetropolisHastings::new(300),
        SequentialMonteCarlo::new(20)
    ];
    for sampler in samplers {
        for (param, name) in [(&rate, "rate"), (&spread, "spread"), (&guess, "guess")] {
            let answer = sampler.run(&model, &targets).unwrap();
            let running = sampler.start(&model, &targets);
            running.wait().unwrap();
            let before = param.get();
            param.set(0.25);
            changed(answer.extend(&model, 300).unwrap_err(), name);
            running.extend(300).unwrap();
            changed(running.wait().unwrap_err(), name);
            param.set(before);
            answer.extend(&model, 300).unwrap();
        }
    }
}
