//! Tests of the bounds of the share of values that no weighted sample has.

use super::*;

/// A cause of probability `1e-4` and its observed effect: `P(cause | effect) = 1e-4 / (1e-4 + 0.9999 * 0.0111) = 0.00893`.
fn rare_cause() -> (Model, Element<bool>, f64) {
    let cause = Flip::new(1e-4).named("cause");
    let effect = cause.flat_map(|&cause| Flip::new(if cause { 1.0 } else { 0.0111 }));
    let exact = 1e-4 / (1e-4 + 0.9999 * 0.0111);
    (Model::new().observe(&effect, true), cause, exact)
}

#[test]
fn a_cause_that_no_sample_has_is_bounded() {
    let (model, cause, exact) = rare_cause();
    let log_exact = (1e-4_f64 + 0.9999 * 0.0111).ln();
    let (mut missed, mut beyond) = (0, 0);
    for seed in 0..50 {
        let answer = ImportanceSampling::new(5000).seed(seed);
        let answer = answer.run(&model, &cause).unwrap();
        let marginal = answer.distribution(&cause).unwrap();
        let p = marginal.probability(&true);
        let error = marginal.standard_error(&true);
        let numbers = marginal.standard_error_of(|&cause| f64::from(u8::from(cause)));
        let evidence = answer.log_evidence().unwrap();
        if p == 0.0 {
            missed += 1;
            // The bound is 3 / 5000, divided by the mean weight of about 0.0111.
            assert!((error - 0.054).abs() < 0.002, "{error}");
            assert!((numbers - error).abs() < 1e-12, "{numbers}");
            assert!((evidence.value - log_exact).abs() < evidence.standard_error);
            assert!(answer.to_string().contains("95 % bound"), "{answer}");
        }
        beyond += usize::from((p - exact).abs() > error);
    }
    // For 60 % of the seeds no sample has the cause; in these cases the error is never larger than the bound.
    assert!((20..40).contains(&missed), "{missed}");
    assert!(beyond < 10, "{beyond}");
}

/// A rare cause of an effect that is observed with a density: once the largest value of the density is known, once it is not.
#[test]
fn a_value_whose_weight_has_no_maximum_is_a_finding() {
    let run = |known: bool, seed| {
        let cause = Flip::new(1e-4).named("cause");
        let mean = cause.map(|&cause| if cause { 0.0 } else { 4.0 });
        let seen = if known {
            Normal::new(&mean, StandardDeviation(1.0))
        } else {
            let deviation = cause.map(|_| 1.0);
            Normal::new(&mean, StandardDeviation(&deviation))
        };
        let model = Model::new().observe(&seen, 0.0);
        let answer = ImportanceSampling::new(5000).seed(seed);
        (answer.run(&model, &cause).unwrap(), cause)
    };
    let exact = 1e-4 / (1e-4 + 0.9999 * (-8.0_f64).exp());
    let (mut known, mut unknown) = (0, 0);
    for seed in 0..12 {
        let (answer, cause) = run(true, seed);
        if answer.probability(&cause, &true).unwrap() == 0.0 {
            // The bound is 3 / 5000 times exp(8), which is above one and therefore useless.
            let text = found(&answer, |finding| {
                matches!(finding, Finding::UnseenValues { .. })
            });
            assert!(text.contains("`cause`") && text.contains("true"), "{text}");
            known += 1;
        }
        let (answer, cause) = run(false, seed);
        if answer.probability(&cause, &true).unwrap() == 0.0 {
            found(&answer, |finding| {
                matches!(finding, Finding::UnseenValues { .. })
            });
            assert_eq!(answer.standard_error(&cause, &true).unwrap(), f64::INFINITY);
            assert_eq!(answer.log_evidence().unwrap().standard_error, f64::INFINITY);
            unknown += 1;
        }
    }
    assert!(exact > 0.2 && known > 0 && unknown > 0);
    // If all values of the targets were drawn or are known, there is no such finding.
    let (model, mean) = continuous();
    let answer = ImportanceSampling::new(20_000).run(&model, &mean).unwrap();
    assert!(answer.diagnose().is_clean(), "{}", answer.diagnose());
    let die = Uniform::new(1..=6);
    let seen = die.flat_map(|&side| Normal::new(f64::from(side), StandardDeviation(0.5)));
    let model = Model::new().observe(&seen, 3.0);
    let answer = ImportanceSampling::new(20_000).run(&model, &die).unwrap();
    assert!(answer.diagnose().is_clean(), "{}", answer.diagnose());
}

#[test]
fn samplers_bound_what_they_do_not_show() {
    let rare = Flip::new(1e-5);
    let algorithms: [(Box<dyn figrs_infer::Algorithm>, f64); 3] = [
        (Box::new(ForwardSampling::new(3000)), 1e-3),
        (Box::new(figrs_infer::RejectionSampling::new(3000)), 1e-3),
        (
            Box::new(SequentialMonteCarlo::new(200).populations(15)),
            1e-3,
        ),
    ];
    for (algorithm, bound) in algorithms {
        let answer = algorithm
            .answer(&Model::new(), &[rare.erased().clone()])
            .unwrap();
        let error = answer.standard_error(&rare, &true).unwrap();
        assert!(error >= bound * 0.999, "{} {error}", answer.algorithm());
        let marginal = answer.distribution(&rare).unwrap();
        assert!(marginal.standard_error_of(|&rare| f64::from(u8::from(rare))) >= bound * 0.999);
        assert_eq!(answer.log_evidence().unwrap().standard_error, 0.0);
    }
}

/// The evidence of a random walk of 20 steps that is observed with noise. The exact evidence comes from a Kalman filter.
#[test]
fn evidence_of_heavy_weights_is_not_called_clean() {
    const SEEN: [f64; 20] = [
        0.3, -0.4, 0.9, 1.6, 1.1, 2.4, 2.0, 3.1, 2.2, 2.9, 3.8, 3.1, 4.4, 4.0, 3.2, 3.9, 4.8, 5.1,
        4.1, 4.9,
    ];
    let (mut mean, mut variance, mut exact) = (0.0, 0.0, 0.0);
    let mut model = Model::new();
    let mut state: Element<f64> = Constant::new(0.0);
    for seen in SEEN {
        variance += 1.0;
        let all = variance + 1.0;
        exact -= 0.5 * ((2.0 * std::f64::consts::PI * all).ln() + (seen - mean).powi(2) / all);
        mean += variance / all * (seen - mean);
        variance /= all;
        state = Normal::new(&state, StandardDeviation(1.0));
        model = model.observe(&Normal::new(&state, StandardDeviation(1.0)), seen);
    }
    let (mut clean, mut squares, mut found) = (0, 0.0, 0);
    for seed in 0..20 {
        let answer = ImportanceSampling::new(4000).seed(seed);
        let answer = answer.run(&model, &state).unwrap();
        let evidence = answer.log_evidence().unwrap();
        if answer.diagnose().is_clean() {
            clean += 1;
            squares += ((evidence.value - exact) / evidence.standard_error).powi(2);
        }
        let is_heavy = |finding: &&Finding| matches!(finding, Finding::HeavyTailedWeights { .. });
        found += answer.diagnose().findings().iter().filter(is_heavy).count();
    }
    assert!(found > 10, "heavy weights found in {found} of 20");
    assert!(
        clean == 0 || squares / f64::from(clean) < 2.0,
        "{clean} {squares}"
    );
}

#[test]
fn rounding_is_no_standard_error() {
    // All particles have the same weight, up to rounding.
    let mut model = Model::new();
    let state = Uniform::new([0.1, 0.2, 0.3]);
    for _ in 0..30 {
        let seen = state.flat_map(|_| Flip::new(0.1));
        model = model.observe(&seen, true);
    }
    let answer = SequentialMonteCarlo::new(64).run(&model, &state).unwrap();
    let error = answer.log_evidence().unwrap().standard_error;
    assert!(error.is_infinite() || error > 1e-6, "{error}");
    let marginal = answer.distribution(&state).unwrap();
    let one = marginal.standard_error_of(|_| 0.1);
    assert_eq!(one, 0.0);
    assert!(marginal.standard_error_that(|&x| x > 0.0) > 1e-4);
}
