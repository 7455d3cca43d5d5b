//! Tests of findings about weighted samples and populations.

use figrs_infer::diagnostics::few_groups_factor;

use super::*;

#[test]
fn degenerate_weights_are_found_and_doubted() {
    let rare = Flip::new(0.002);
    let model = Model::new().condition(&rare, |&rare| rare);
    let answer = ImportanceSampling::new(2000).run(&model, &rare).unwrap();
    found(
        &answer,
        |finding| matches!(finding, Finding::WeightDegeneracy { draws: 2000, threshold, .. } if *threshold == 100.0),
    );
    let summary = answer.summary(&rare).unwrap();
    assert!(
        summary.ends_with("too few effective samples to trust, see `diagnose`"),
        "{summary}"
    );
    // The weights grow so fast that one sample outweighs all others.
    let size = Uniform::new(0..100_000);
    let model = Model::new().log_weigh(&size, |&i| f64::from(i).powi(2));
    let answer = ImportanceSampling::new(50)
        .seed(3)
        .run(&model, &size)
        .unwrap();
    found(&answer, |finding| {
        matches!(finding, Finding::UncertainEvidence { .. })
    });
    let best = answer.most_likely_value(&size).unwrap();
    assert!(answer.standard_error(&size, &best).unwrap() > 0.2);
    assert_eq!(answer.log_evidence().unwrap().standard_error, f64::INFINITY);
}

/// An answer of weighted draws that are kept in it.
fn weighted(logs: Vec<f64>) -> Answer {
    let x = number();
    let mut values = x.erased().no_values();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let indices: Vec<u32> = (0..logs.len())
        .map(|i| values.insert(&(i as f64)).unwrap() as u32)
        .collect();
    let support = values.build();
    let target = TargetMarginal {
        element: x.erased().clone(),
        support: support.clone(),
        probabilities: weights.iter().map(|w| w / total).collect(),
        estimate: Estimate::Weighted {
            squares: weights.iter().map(|w| (w / total).powi(2)).collect(),
            unseen: 0.01,
        },
    };
    let draws = Draws {
        chains: 1,
        length: logs.len(),
        targets: vec![TargetDraws {
            element: x.erased().clone(),
            support,
            indices: indices.into(),
        }],
        log_weights: Some(logs),
    };
    Answer::marginals("Weighted", vec![target], NO_EVIDENCE).with_draws(draws)
}

#[test]
fn heavy_tails_and_dominating_weights_are_found_in_draws() {
    let even = weighted(vec![-3.0; 1000]).diagnose();
    assert!(even.is_clean(), "{even}");
    // Weights of the form u^(-1.5) have no finite mean.
    let heavy = weighted(
        uniform(4000, 8)
            .into_iter()
            .map(|u| -1.5 * (1.0 - u).ln())
            .collect(),
    );
    found(
        &heavy,
        |finding| matches!(finding, Finding::HeavyTailedWeights { k, threshold } if k > threshold),
    );
    found(
        &heavy,
        |finding| matches!(finding, Finding::DominatingWeight { share, .. } if *share > 0.1),
    );
    let mut run = finished();
    run.largest_share = Some(0.5);
    let text = found(&weighted(vec![0.0; 1000]).with_sampling(run), |finding| {
        matches!(finding, Finding::DominatingWeight { .. })
    });
    assert!(text.contains("50.0 %"), "{text}");
}

#[test]
fn populations_are_counted() {
    let coin = Flip::new(0.5);
    let answer = |groups: Vec<Vec<(u32, f64)>>| {
        let mut values = coin.erased().no_values();
        values.insert(&true);
        values.insert(&false);
        let target = TargetMarginal {
            element: coin.erased().clone(),
            support: values.build(),
            probabilities: vec![0.5, 0.5],
            estimate: Estimate::Groups {
                groups,
                unseen: 0.01,
            },
        };
        Answer::marginals("Groups", vec![target], NO_EVIDENCE)
    };
    found(&answer(vec![vec![(0, 0.5), (1, 0.5)]]), |finding| {
        *finding == Finding::SinglePopulation
    });
    let apart = answer(vec![vec![(0, 0.5)], vec![(1, 0.5)]]);
    found(&apart, |finding| {
        matches!(finding, Finding::FewEffectiveSamples { .. })
    });
    let close = (0..10).map(|i| {
        vec![
            (0, 0.0499 + 0.0002 * f64::from(i % 2)),
            (1, 0.0501 - 0.0002 * f64::from(i % 2)),
        ]
    });
    let diagnosis = answer(close.collect()).diagnose();
    assert!(diagnosis.is_clean(), "{diagnosis}");
}

#[test]
fn few_samples_are_asked_for_more() {
    let die = Uniform::new(1..=6);
    for samples in [1, 50] {
        let sampler = ForwardSampling::new(samples).keep_draws();
        let diagnosis = sampler.run(&Model::new(), &die).unwrap().diagnose();
        let threshold = 100.0;
        assert_eq!(
            diagnosis.findings(),
            [Finding::FewSamples { samples, threshold }]
        );
        assert!(diagnosis.to_string().ends_with("fewer than 100; draw more"));
    }
    let enough = ForwardSampling::new(100).run(&Model::new(), &die).unwrap();
    assert!(enough.diagnose().is_clean());
}

#[test]
fn populations_of_numbers_are_worth_their_error() {
    let (model, mean) = continuous();
    // The precision of the posterior is 3 + 1/4.
    let (expected, deviation) = (4.5 / 3.25, 3.25_f64.sqrt().recip());
    for seed in 0..20 {
        let sampler = SequentialMonteCarlo::new(1000).seed(seed);
        let answer = sampler.run(&model, &mean).unwrap();
        let diagnosis = answer.diagnose();
        assert!(diagnosis.is_clean(), "{diagnosis}");
        let marginal = answer.distribution(&mean).unwrap();
        let Quality::Sampled { effective_samples } = marginal.quality() else {
            panic!("{marginal}");
        };
        // The standard error has 15 degrees of freedom, so that its square is within a factor of 4 of the true one except once in 10⁴ runs.
        let error = marginal.standard_error_of(|&x| x);
        // The standard error contains the correction by Student's t with 15 degrees of freedom; the effective sample size does not.
        let square = (deviation / error * few_groups_factor(15.0)).powi(2);
        assert!((effective_samples / square - 1.0).abs() < 0.2);
        assert!((1_500.0..40_000.0).contains(&effective_samples));
        // A variable of Student's t with 15 degrees of freedom exceeds 6.5 once in 10⁵ runs.
        assert!((marginal.mean() - expected).abs() < 6.5 * error);
    }
    let few = SequentialMonteCarlo::new(3).run(&model, &mean).unwrap();
    found(&few, |finding| {
        matches!(finding, Finding::FewEffectiveSamples { .. })
    });
}

#[test]
fn single_values_of_continuous_targets_are_refused() {
    let (model, mean) = continuous();
    let list = (&mean, &mean.map(|x| x * x)).map(|(&a, &b)| vec![a, b]);
    let samplers = algorithms![
        ImportanceSampling::new(10_000),
        SequentialMonteCarlo::new(1000),
        SequentialMonteCarlo::new(1000)
            .populations(400)
            .keep_trajectories(),
        MetropolisHastings::new(2000)
    ];
    for sampler in samplers {
        let answer = sampler.run(&model, (&mean, &list)).unwrap();
        let name = sampler.name();
        let refused = |error: Error| {
            assert!(matches!(error, Error::NoRepeatedValue { .. }), "{name}");
            let text = error.to_string();
            assert!(text.contains("probability_that"), "{text}");
        };
        refused(answer.most_likely_value(&mean).unwrap_err());
        refused(answer.probability(&mean, &1.0).unwrap_err());
        refused(answer.standard_error(&mean, &1.0).unwrap_err());
        refused(answer.most_likely_value(&list).unwrap_err());
        let above = answer.probability_that(&mean, |&x| x > 0.0).unwrap();
        assert!(above > 0.9, "{name}: {above}");
        let summary = answer.summary(&mean).unwrap();
        assert!(
            summary.starts_with("mean 1.") && summary.contains("MCSE"),
            "{name}: {summary}"
        );
        let summary = answer.summary(&list).unwrap();
        assert!(
            summary.starts_with("[0]: mean 1.") && summary.contains("; [1]: mean 2."),
            "{name}: {summary}"
        );
    }
    // A number that is continuous only in some worlds has a value in the other worlds that is drawn repeatedly.
    let spike = If::new(&Flip::new(0.4), Constant::new(0.0), &mean);
    let answer = ImportanceSampling::new(1000).run(&Model::new(), &spike);
    let answer = answer.unwrap();
    assert_eq!(answer.most_likely_value(&spike).unwrap(), 0.0);
    let error = answer.probability(&spike, &0.0).unwrap() - 0.4;
    assert!(error.abs() < 5.0 * answer.standard_error(&spike, &0.0).unwrap());
    // If a value is observed, it is the only value of the target.
    let seen = Model::new().observe(&mean, 1.5);
    let answer = ImportanceSampling::new(10).run(&seen, &mean).unwrap();
    assert_eq!(answer.most_likely_value(&mean).unwrap(), 1.5);
}
