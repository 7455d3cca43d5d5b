//! Tests that saved runs continue with the same bits, and that runs of other questions and damaged runs are refused.

use super::*;

/// Returns the answer of a run that is saved after some work, loaded, and lengthened.
fn saved_and_loaded<S: ResumableSampler, T: PortableTargets>(
    sampler: &S,
    (model, targets): (&Model, &T),
    more: [u64; 2],
) -> String {
    let running = sampler.start_portable(model, targets.elements());
    thread::sleep(Duration::from_millis(1));
    running.stop();
    running.extend(more[0]).unwrap();
    let save = |running| postcard::to_allocvec(&sampler.save(running, targets).unwrap()).unwrap();
    let saved = save(&running);
    let load = |bytes: &[u8]| {
        let saved = postcard::from_bytes(bytes).unwrap();
        sampler.load(model, targets, saved).unwrap()
    };
    // A loaded run is saved again before it works.
    let again = load(&saved);
    again.stop();
    let loaded = load(&save(&again));
    loaded.extend(more[1]).unwrap();
    said(&loaded.wait().unwrap())
}

#[test]
fn saved_runs() {
    let rain = Flip::new(0.3);
    let x = rain.flat_map(|&rain| Normal::new(f64::from(u8::from(rain)), StandardDeviation(1.0)));
    let seen = Normal::new(&x, StandardDeviation(0.5));
    let model = Model::new().observe(&seen, 0.7);
    let targets = (&rain, &x);
    let whole = |sampler: &dyn Algorithm| said(&sampler.run(&model, targets).unwrap());
    let sampler = |n| ImportanceSampling::new(n).seed(3).keep_draws();
    let loaded = saved_and_loaded(&sampler(3000), (&model, &targets), [500, 700]);
    assert_eq!(loaded, whole(&sampler(4200)));
    let sampler = |n| SequentialMonteCarlo::new(100).populations(n);
    assert_eq!(
        saved_and_loaded(&sampler(30), (&model, &targets), [5, 50]),
        whole(&sampler(85))
    );
    let sampler = |n| MetropolisHastings::new(n).burn_in(100).chains(2);
    assert_eq!(
        saved_and_loaded(&sampler(300), (&model, &targets), [50, 100]),
        whole(&sampler(450))
    );
    // The number of samples follows from their weights.
    let sampler = |n: f64| {
        ImportanceSampling::anytime()
            .until_effective(n)
            .keep_draws()
    };
    let loaded = saved_and_loaded(&sampler(2_000.0), (&model, &targets), [500, 700]);
    assert_eq!(loaded, whole(&sampler(3_200.0)));
    let discrete = Model::new();
    let sampler = |n| Gibbs::new(n).burn_in(10);
    let loaded = saved_and_loaded(&sampler(300), (&discrete, &&rain), [50, 100]);
    assert_eq!(loaded, said(&sampler(450).run(&discrete, &rain).unwrap()));
}

#[test]
fn runs_of_other_questions_are_refused() {
    let (model, targets) = question();
    let other = model.clone().observe(&Flip::new(0.5), true);
    let sampler = ImportanceSampling::new(2000);
    let answer = sampler.run(&model, targets.clone()).unwrap();
    let error = answer.extend(&other, 10).unwrap_err();
    assert_eq!(
        error,
        Error::OtherModel {
            algorithm: "ImportanceSampling"
        }
    );
    assert!(error.to_string().contains("another model or other targets"));
    assert!(
        answer
            .extend(&model.clone(), u64::MAX)
            .unwrap_err()
            .to_string()
            .contains("extend")
    );
    // An exact answer has no run, and an exact algorithm other than a portfolio cannot be started.
    let exact = VariableElimination::new()
        .run(&model, targets.clone())
        .unwrap();
    assert!(matches!(
        exact.extend(&model, 1),
        Err(Error::NotInAnswer { .. })
    ));
    let started = VariableElimination::new().start(&model, targets.clone());
    assert!(matches!(started.wait(), Err(Error::NotInAnswer { .. })));
    assert!(started.is_finished());
    // The error of wrong settings is the answer.
    let started = ImportanceSampling::new(0).start(&model, targets);
    assert!(matches!(started.wait(), Err(Error::InvalidSetting { .. })));
    assert!(matches!(
        started.extend(1),
        Err(Error::InvalidSetting { .. })
    ));
    // Saved runs of other models, targets and settings.
    let (rain, snow) = (Flip::new(0.2), Flip::new(0.2));
    let running = sampler.start_portable(&Model::new(), &rain);
    running.wait().unwrap();
    let saved = || {
        let saved = sampler.save(&running, &rain).unwrap();
        postcard::from_bytes(&postcard::to_allocvec(&saved).unwrap()).unwrap()
    };
    assert_eq!(
        sampler.save(&running, &snow).unwrap_err(),
        Error::OtherModel {
            algorithm: "ImportanceSampling"
        }
    );
    let observed = Model::new().observe(&snow, true);
    assert!(matches!(
        sampler.load(&observed, &rain, saved()),
        Err(Error::OtherModel { .. })
    ));
    // Another probability of the same name and source line.
    let likely = |p: f64| Flip::new(p);
    let twin = likely(0.2);
    let running_twin = sampler.start_portable(&Model::new(), &twin);
    running_twin.wait().unwrap();
    let saved_twin = || {
        let saved = sampler.save(&running_twin, &twin).unwrap();
        postcard::from_bytes(&postcard::to_allocvec(&saved).unwrap()).unwrap()
    };
    assert!(matches!(
        sampler.load(&Model::new(), &likely(0.9), saved_twin()),
        Err(Error::OtherModel { .. })
    ));
    let loaded = sampler.load(&Model::new(), &likely(0.2), saved_twin());
    loaded.unwrap().wait().unwrap();
    let seeded = sampler.clone().seed(1);
    assert!(matches!(
        seeded.load(&Model::new(), &rain, saved()),
        Err(Error::UnfitPart { .. })
    ));
    // Each bit that changes is noticed.
    let chains = MetropolisHastings::new(30).burn_in(10).chains(2);
    let running = chains.start_portable(&Model::new(), &rain);
    running.wait().unwrap();
    let bytes = postcard::to_allocvec(&chains.save(&running, &rain).unwrap()).unwrap();
    let load = |bytes: &[u8]| {
        let saved = postcard::from_bytes(bytes).ok()?;
        Some(chains.load(&Model::new(), &rain, saved))
    };
    assert!(load(&bytes).unwrap().is_ok());
    let mut damaged = 0;
    for (at, bit) in (0..bytes.len()).step_by(2).zip((0..8).cycle()) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << bit;
        if let Some(loaded) = load(&bytes) {
            damaged += 1;
            assert!(matches!(loaded, Err(Error::UnfitPart { .. })), "{at}");
        }
    }
    assert!(damaged > 20, "{damaged} of {}", bytes.len());
    let summed = sampler.start(&Model::new(), &rain);
    assert!(matches!(
        sampler.save(&summed, &rain),
        Err(Error::NotInAnswer { .. })
    ));
}
