//! Tests of parts of other runs, and of bytes that were changed.

use figrs::Sums;

use super::*;

/// Returns the problem that is found when a part of one sampler is merged into the run of another sampler.
fn refused<S: MergeableSampler, T: PortableTargets + ?Sized>(
    (sender, receiver): (&S, &S),
    model: &Model,
    targets: &T,
    units: Range<u64>,
) -> String {
    let bytes = sent(sender, (model, targets), units.clone()).unwrap();
    let elements = targets.elements();
    let first = units.start..units.start;
    let mut sums = receiver.partial(model, &elements, first.clone()).unwrap();
    let part = postcard::from_bytes(&bytes).unwrap();
    match sums.merge_portable(part, targets).unwrap_err() {
        Error::UnfitPart { unit, problem } => {
            assert!(units.contains(&unit), "{unit}");
            assert_eq!(sums.units(), first);
            problem
        }
        other => panic!("{other}"),
    }
}

fn coins() -> (Model, [Element<bool>; 2]) {
    let coins = [Flip::new(0.5), Flip::new(0.4)];
    let model = Model::new().condition(&coins[0].or(&coins[1]), |&some| some);
    (model, coins)
}

#[test]
fn parts_of_other_settings_are_refused() {
    let (model, coins) = coins();
    let all = |samples| ImportanceSampling::new(samples);
    let found = [
        refused((&all(10_000), &all(20_000)), &model, &coins, 2..4),
        refused((&all(9000).keep_draws(), &all(9000)), &model, &coins, 0..1),
        refused((&all(9000), &all(9000).keep_draws()), &model, &coins, 0..1),
    ];
    assert!(found[0].contains("number of worlds"), "{found:?}");
    assert!(
        found[1].contains("number of draws") && found[1] == found[2],
        "{found:?}"
    );
    let filter = || SequentialMonteCarlo::new(60).populations(40);
    let found = [
        refused((&filter(), &filter().populations(60)), &model, &coins, 2..3),
        refused((&filter().keep_draws(), &filter()), &model, &coins, 0..1),
        refused((&filter(), &filter().keep_draws()), &model, &coins, 0..1),
        refused(
            (&filter(), &filter().keep_trajectories()),
            &model,
            &coins,
            0..1,
        ),
    ];
    assert!(found[0].contains("number of populations"), "{found:?}");
    assert!(found[1].contains("too many draws"), "{found:?}");
    assert!(found[2].contains("number of draws"), "{found:?}");
    assert!(found[3].contains("number of draws"), "{found:?}");
    let chains = |draws| MetropolisHastings::new(draws);
    let found = [
        refused((&chains(300), &chains(200)), &model, &coins, 1..3),
        refused((&chains(300), &chains(300).chains(2)), &model, &coins, 1..4),
    ];
    assert!(found[0].contains("more draws or steps"), "{found:?}");
    assert!(found[1].contains("a probe"), "{found:?}");
    let gibbs = |draws| Gibbs::new(draws);
    let found = [
        refused((&gibbs(300), &gibbs(200)), &model, &coins, 0..2),
        refused((&gibbs(300), &gibbs(300).chains(2)), &model, &coins, 1..4),
    ];
    assert!(found[0].contains("more sweeps or draws"), "{found:?}");
    assert!(found[1].contains("fewer chains"), "{found:?}");
}

#[test]
fn parts_of_other_models_and_targets_are_refused() {
    let (model, coins) = coins();
    let die = Uniform::new([1, 2, 3, 4]);
    let two = Uniform::new([1, 2]);
    let gibbs = Gibbs::new(100).seed(1);
    // The part stores values of a chain as positions in a list, which is longer where the part was made.
    let bytes = sent(&gibbs, (&Model::new(), &die), 0..1).unwrap();
    let mut sums = gibbs.partial(&Model::new(), &two.elements(), 0..0).unwrap();
    let error = sums
        .merge_portable(postcard::from_bytes(&bytes).unwrap(), &two)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("of a target that has only 2 values"),
        "{error}"
    );
    assert!(
        error.to_string().starts_with("unit 0 of the part"),
        "{error}"
    );
    // The targets are as many in another order, or fewer.
    let sampler = ImportanceSampling::new(1000);
    let swapped = [&coins[1], &coins[0]];
    let part = |targets| sampler.portable_part(&model, targets, 0..1).unwrap();
    let mut sums = sampler.partial(&model, &coins.elements(), 0..0).unwrap();
    let error = sums.merge_portable(part(&swapped), &swapped).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("differ from the targets of the run"),
        "{error}"
    );
    let error = sums
        .merge_portable(part(&[&coins[0]; 2]), &[&coins[0]])
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("differ from the targets of the run"),
        "{error}"
    );
    let bytes = sent(&sampler, (&model, &coins[..1]), 0..1).unwrap();
    let short = postcard::from_bytes(&bytes).unwrap();
    let error = sums.merge_portable(short, &coins).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("values of 1 targets, but the run has 2"),
        "{error}"
    );
    // The parts are merged in the wrong order.
    let late = sampler.portable_part(&model, &coins, 3..4).unwrap();
    let error = sums.merge_portable(late, &coins).unwrap_err();
    assert_eq!(error, Error::NotConsecutive { end: 0, begin: 3 });
}

/// Reads changed bytes as parts and merges the parts that can be read; the result must be an answer or an error, without a panic.
fn is_survived<S: MergeableSampler, T: PortableTargets + ?Sized>(
    sampler: &S,
    (model, targets): (&Model, &T),
    units: Range<u64>,
) where
    <S::Sums as Sums>::Unit: Send,
{
    let bytes = sent(sampler, (model, targets), units.clone()).unwrap();
    let elements = targets.elements();
    let step = bytes.len().div_ceil(150);
    let (mut refused, mut unread) = (0, 0);
    for at in (0..bytes.len()).step_by(step) {
        for change in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let Ok(part) = postcard::from_bytes(&changed) else {
                unread += 1;
                continue;
            };
            let first = units.start..units.start;
            let mut sums = sampler.partial(model, &elements, first).unwrap();
            match sums.merge_portable(part, targets) {
                Ok(()) => drop(sums.into_answer().map(|answer| answer.diagnose())),
                Err(Error::UnfitPart { .. } | Error::NotConsecutive { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        let cut = postcard::from_bytes::<figrs::PortablePartOf<S, T>>(&bytes[..at]);
        assert!(cut.is_err());
    }
    assert!(refused > 0 && unread > 0, "{refused} and {unread}");
}

#[test]
fn damaged_parts_do_no_harm() {
    let (model, (place, _, kind)) = numbers();
    let asked = (&model, &(&place, &kind));
    is_survived(&ImportanceSampling::new(100).keep_draws(), asked, 0..2);
    is_survived(&ImportanceSampling::new(100), asked, 1..2);
    let filter = SequentialMonteCarlo::new(20).populations(4);
    is_survived(&filter, asked, 0..1);
    is_survived(&filter.clone().keep_draws(), asked, 0..1);
    is_survived(&filter.keep_trajectories(), asked, 0..1);
    is_survived(&MetropolisHastings::new(40).chains(2), asked, 0..2);
    let (model, coins) = coins();
    is_survived(
        &MetropolisHastings::new(1000).chains(1),
        (&model, &coins),
        0..2,
    );
    is_survived(&Gibbs::new(30).chains(2), (&model, &coins), 0..2);
}
