//! Tests of sums and maxima in slices: they equal those of whole eliminations, for any division into parts and number of threads, within the memory
//! limit.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs::eliminate::EliminationError;
use figrs::network::Network;
use figrs::prelude::*;
use figrs::{Bytes, Error, MergeableSampler, MpeSlices, Parents, Slices};

/// Returns coins on a square grid, whose neighbours tend to agree.
fn grid(side: usize) -> (Model, Vec<Element<u8>>) {
    let cell = |i: usize| Select::new([(1.0, 0), (1.0 + 0.1 * (i % 3) as f64, 1), (0.7, 2)]);
    let cells: Vec<Element<u8>> = (0..side * side).map(cell).collect();
    let mut model = Model::new();
    for i in 0..side * side {
        let right = (i % side + 1 < side).then_some(i + 1);
        for j in right.into_iter().chain([i + side]) {
            if let Some(other) = cells.get(j) {
                let factor = 1.5 + 0.01 * i as f64;
                let agree = cells[i].equals(other);
                model = model.weigh(&agree, move |&same| if same { factor } else { 1.0 });
            }
        }
    }
    (model, cells)
}

#[test]
fn parts_and_threads_give_the_same_bits_as_one_process() {
    let (model, cells) = grid(5);
    // If there are several targets, all messages are kept in memory.
    for (targets, memory) in [(0..0, "4KiB"), (0..1, "4KiB"), (3..7, "16KiB")] {
        let (targets, slices) = (&cells[targets], Slices::fitting(memory).unwrap());
        let whole = slices.clone().run(&model, targets).unwrap();
        let exact = VariableElimination::new().run(&model, targets).unwrap();
        let shown = |answer: &Answer| {
            let evidence = answer.log_evidence().unwrap().value.to_bits();
            let marginals = targets
                .iter()
                .map(|cell| answer.distribution(cell).unwrap());
            (evidence, marginals.collect::<Vec<_>>())
        };
        let single = slices.clone().threads(NonZero::<usize>::MIN);
        assert_eq!(shown(&single.run(&model, targets).unwrap()), shown(&whole));
        let evidence = |answer: &Answer| answer.log_evidence().unwrap().value;
        assert!((evidence(&whole) - evidence(&exact)).abs() < 1e-9);
        for cell in targets {
            for value in 0..3 {
                let [a, b] =
                    [&whole, &exact].map(|answer| answer.probability(cell, &value).unwrap());
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
        }
        let units = slices.units(&model, &targets.elements()).unwrap();
        assert!((6..500).contains(&units), "{units}");
        let mut sums = slices.partial(&model, &targets.elements(), 0..0).unwrap();
        for part in [0..2, 2..5, 5..units] {
            let part = slices.portable_part(&model, &targets, part).unwrap();
            let bytes = postcard::to_allocvec(&part).unwrap();
            let part = postcard::from_bytes(&bytes).unwrap();
            sums.merge_portable(part, &targets).unwrap();
        }
        assert_eq!(shown(&sums.into_answer().unwrap()), shown(&whole));
    }
}

#[test]
fn a_part_of_other_slices_is_refused() {
    let ((model, cells), (other, _)) = (grid(5), grid(4));
    let slices = Slices::fitting("4KiB").unwrap();
    // A part of the same grid with one other number is refused as well.
    let changed = model
        .clone()
        .weigh(&cells[0], |&value| if value == 0 { 0.999 } else { 1.0 });
    let same = model.clone().weigh(&cells[0], |_| 1.0);
    let part = slices.portable_part(&changed, &(), 0..2).unwrap();
    let mut sums = slices.partial(&same, &[], 0..0).unwrap();
    assert!(matches!(
        sums.merge_portable(part, &()),
        Err(Error::UnfitPart { unit: 0, .. })
    ));
    let part = slices.portable_part(&other, &(), 0..2).unwrap();
    let mut sums = slices.partial(&model, &[], 0..0).unwrap();
    let refused = sums.merge_portable(part, &());
    assert!(
        matches!(refused, Err(Error::UnfitPart { unit: 0, .. })),
        "{refused:?}"
    );
}

#[test]
fn missing_slices_leave_a_lower_bound() {
    let (model, _) = grid(5);
    let slices = Slices::fitting("4KiB").unwrap();
    let whole = slices.log_evidence(&model).unwrap();
    let units = slices.units(&model, &[]).unwrap();
    let mut sums = slices.partial(&model, &[], 0..4).unwrap();
    sums.leave_out(4..units).unwrap();
    match sums.into_answer() {
        Err(Error::MissingSlices {
            added: 4,
            slices,
            lower_bound,
        }) => {
            assert_eq!(slices, units);
            assert!(lower_bound < whole && lower_bound > whole - 10.0);
        }
        other => panic!("{other:?}"),
    }
    let stopped = || Arc::new(AtomicBool::new(true));
    let nothing = slices.interrupt(stopped()).log_evidence(&model);
    assert!(matches!(
        nothing,
        Err(Error::NothingDone { .. } | Error::MissingSlices { added: 0, .. })
    ));
}

#[test]
fn settings_and_memories_that_do_not_do_are_refused() {
    for text in ["", "much", "-1MiB"] {
        let refused = Slices::fitting(text).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("512MiB"), "{refused}");
        assert!(MpeSlices::fitting(text).is_err());
    }
    // A single table of a million entries has no small slice.
    let many = Uniform::new(0..1_000_000_u32);
    let parity = many.map(|x| x % 7);
    let model = Model::new().weigh(&parity, |&x| f64::from(x));
    let wide = Slices::within(Bytes(64)).run(&model, &many);
    assert!(
        matches!(
            wide,
            Err(Error::Elimination(EliminationError::TooMuchMemory { .. }))
        ),
        "{wide:?}"
    );
}

#[test]
fn slices_that_would_never_end_are_told_by_their_number_of_operations() {
    let coins: Vec<Element<bool>> = (0..70).map(|_| Flip::new(0.4)).collect();
    let mut model = Model::new();
    for (i, coin) in coins.iter().enumerate() {
        for other in &coins[..i] {
            model = model.weigh(&coin.equals(other), |&same| if same { 1.1 } else { 1.0 });
        }
    }
    let refused = Slices::fitting("16MiB").unwrap().cost(&model, ());
    assert!(
        matches!(
            refused,
            Err(Error::Elimination(EliminationError::TooManyOperations { needed, .. })) if needed > 1e20
        ),
        "{refused:?}"
    );
}

#[test]
fn impossible_evidence_is_named() {
    let coin = Flip::new(0.5);
    let model = Model::new().observe(&coin, true).condition(&coin, |&x| !x);
    let slices = Slices::new();
    assert_eq!(slices.log_evidence(&model).unwrap(), f64::NEG_INFINITY);
    assert!(matches!(
        slices.run(&model, &coin),
        Err(Error::ImpossibleEvidence { .. })
    ));
    assert!(matches!(
        MpeSlices::new().run(&model, &coin),
        Err(Error::ImpossibleEvidence { .. })
    ));
}

#[test]
fn the_best_world_of_all_slices_is_that_of_elimination() {
    let (model, cells) = grid(5);
    let slices = MpeSlices::fitting("24KiB").unwrap();
    let world = slices.run(&model, &cells).unwrap();
    let whole = MpeVariableElimination::new().run(&model, &cells).unwrap();
    let [sliced, whole] = [&world, &whole].map(|answer| answer.log_probability().unwrap());
    assert!((sliced - whole).abs() < 1e-9);
    let single = slices
        .threads(NonZero::<usize>::MIN)
        .run(&model, &cells)
        .unwrap();
    for cell in &cells {
        let [a, b] = [&world, &single].map(|answer| answer.most_likely_value(cell).unwrap());
        assert_eq!(a, b);
    }
}

/// Returns the path of a file of the reference data, if it exists.
fn reference(name: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/data")
        .join(name);
    if !file.exists() {
        println!("skipped: there is no {}", file.display());
    }
    Some(file).filter(|file| file.exists())
}

/// The messages of this network take more than four times the predicted memory, but very little in absolute terms.
#[test]
fn all_marginals_of_a_small_network_are_one_slice() {
    let Some(file) = reference("networks/hailfinder.bif") else {
        return;
    };
    let network = Network::read(&file).unwrap();
    let (model, all) = (network.model(), network.elements());
    let sliced = Slices::new().run(&model, all).unwrap();
    let whole = JunctionTree::new().run(&model, all).unwrap();
    for element in all {
        for (state, probability) in &whole.distribution(element).unwrap() {
            let found = sliced.probability(element, state).unwrap();
            assert!((found - probability).abs() < 1e-9);
        }
    }
}

/// The full elimination of this linkage network has a table of 4.6 GB.
#[test]
fn a_network_beyond_the_memory_is_summed_in_slices() {
    let Some(file) = reference("uai2014/pr/linkage_23.uai") else {
        return;
    };
    let network = Network::read(&file).unwrap();
    let evidence = network.read_evidence(file.with_extension("uai.evid"));
    let model = network.given(&evidence.unwrap());
    let log_evidence = Slices::fitting("100MiB")
        .unwrap()
        .log_evidence(&model)
        .unwrap();
    assert!(
        (log_evidence + 268.434_840_500_830).abs() < 1e-9,
        "{log_evidence}"
    );
}
