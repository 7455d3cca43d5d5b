//! Tests of the standard errors of estimates.

use super::*;

/// Returns an estimate from weighted samples, in which the upper bound of the probability of unseen values is one in a hundred.
fn weighted(squares: Vec<f64>) -> Estimate {
    Estimate::Weighted {
        squares,
        unseen: 0.01,
    }
}

fn grouped(groups: Vec<Vec<(u32, f64)>>) -> Estimate {
    Estimate::Groups {
        groups,
        unseen: 0.01,
    }
}

fn columns() -> NumericColumns {
    NumericColumns::new([&false as &dyn std::any::Any, &true].into_iter())
}

#[test]
fn one_sample_that_outweighs_all_others_is_no_certainty() {
    // There are two samples, of weights 1 and 1e-9.
    let share = 1e-9;
    let probabilities = [1.0 - share, share];
    let degenerate = weighted(vec![1.0 - 2.0 * share, share * share]);
    assert_eq!(
        degenerate.standard_error(&probabilities, &[0.0, 1.0]),
        f64::INFINITY
    );
    let error = degenerate.event_error(&probabilities, &[0.0, 1.0], columns);
    assert!(error > 0.2, "{error}");
    // There are three samples, one of which has a negligible weight.
    let few = weighted(vec![0.5, share * share]);
    assert!(few.event_error(&probabilities, &[0.0, 1.0], columns) > 0.2);
}

/// Tests every kind of estimate with values that some, all or no samples have, and with one sample that outweighs all others.
#[test]
fn errors_of_all_values_are_those_of_each() {
    let columns =
        || NumericColumns::new(["a", "b", "c", "d"].iter().map(|v| v as &dyn std::any::Any));
    let chains = [0, 1, 1, 0, 2, 0, 1, 1, 0, 0, 0, 2].into();
    let groups = |shares: [f64; 3]| {
        let group = |share: f64| vec![(0, share / 2.0), (1, share / 4.0), (3, share / 4.0)];
        let mut groups: Vec<_> = shares.into_iter().map(group).collect();
        groups[2][2].0 = 2;
        grouped(groups)
    };
    for (estimate, probabilities) in [
        (Estimate::Exact, [0.5, 0.25, 0.25, 0.0]),
        (Estimate::Approximate, [0.5, 0.25, 0.25, 0.0]),
        (weighted(vec![0.02, 0.03, 0.001, 0.0]), [0.6, 0.3, 0.1, 0.0]),
        (weighted(vec![0.2, 0.03, 0.1, 0.0]), [0.6, 0.3, 0.1, 0.0]),
        (weighted(vec![0.6, 0.1, 0.1, 0.0]), [0.6, 0.3, 0.1, 0.0]),
        (weighted(vec![0.05, 0.0, 0.0, 0.0]), [1.0, 0.0, 0.0, 0.0]),
        (
            Estimate::Chains {
                indices: chains,
                chains: 2,
            },
            [0.5, 1.0 / 3.0, 1.0 / 6.0, 0.0],
        ),
        (groups([0.25, 0.25, 0.5]), [0.5, 0.25, 0.125, 0.125]),
        (groups([0.95, 0.05, 0.0]), [0.5, 0.25, 0.0, 0.25]),
    ] {
        let errors = estimate.value_errors(&probabilities, columns);
        for (value, found) in errors.into_iter().enumerate() {
            let mut indicator = [0.0; 4];
            indicator[value] = 1.0;
            let expected = estimate.event_error(&probabilities, &indicator, columns);
            let is_same = (found - expected).abs() <= 1e-14 || found.is_nan() && expected.is_nan();
            assert!(is_same, "{estimate:?} {value}: {found} {expected}");
        }
    }
}

#[test]
fn many_samples_keep_the_error_of_their_spread() {
    // A rare value occurs in a hundred samples of small weight. The upper bound `unseen` excludes samples of larger weight.
    let p = 1e-6;
    let estimate = Estimate::Weighted {
        squares: vec![1e-3, p * p / 100.0],
        unseen: 3e-8,
    };
    let error = estimate.event_error(&[1.0 - p, p], &[0.0, 1.0], columns);
    assert!((error / (p / 10.0) - 1.0).abs() < 0.1, "{error}");
    // If samples of larger weight are possible, the error is the same as above, and `may_miss_heavier` returns the value.
    let estimate = weighted(vec![1e-3, p * p / 100.0]);
    let (probabilities, indicator) = ([1.0 - p, p], [0.0, 1.0]);
    let error = estimate.event_error(&probabilities, &indicator, columns);
    assert!((error / (p / 10.0) - 1.0).abs() < 0.1, "{error}");
    assert_eq!(estimate.may_miss_heavier(&probabilities, columns), [1]);
    // The error of a value without draws is the upper bound of the probability of unseen values.
    let error = estimate.event_error(&[1.0 - p, p], &[0.0, 0.0], columns);
    assert_eq!(error, 0.01);
    let many = Estimate::Weighted {
        squares: vec![1e-3, p * p / 100.0],
        unseen: 1e-5,
    };
    let error = many.event_error(&[1.0 - p, p], &[0.0, 0.0], columns);
    assert!((0.5e-3..2e-3).contains(&error), "{error}");
}

#[test]
fn a_chain_that_never_moved_leaves_a_large_error() {
    let indices = vec![0; 4000].into();
    let stuck = Estimate::Chains { indices, chains: 4 };
    let one = || NumericColumns::new([&true as &dyn std::any::Any].into_iter());
    let error = stuck.event_error(&[1.0], &[1.0], one);
    assert!((0.1..0.3).contains(&error), "{error}");
}

#[test]
fn an_expectation_allows_for_values_that_no_sample_has() {
    let estimate = weighted(vec![1e-4, 0.0]);
    // All samples have the value 0; the possible value that no sample has is 5.
    assert_eq!(estimate.standard_error(&[1.0, 0.0], &[0.0, 5.0]), 0.05);
    assert_eq!(estimate.standard_error(&[1.0, 0.0], &[3.0, 3.0]), 0.0);
    let unbounded = Estimate::Weighted {
        squares: vec![1e-4, 0.0],
        unseen: f64::INFINITY,
    };
    let error = |numbers| unbounded.standard_error(&[1.0, 0.0], numbers);
    assert_eq!(
        (error(&[0.0, 5.0]), error(&[2.0, 2.0])),
        (f64::INFINITY, 0.0)
    );
}

#[test]
fn rounding_is_no_error() {
    // The three groups agree, but the sum of ten times a tenth differs from one by rounding.
    let tenths: Vec<(u32, f64)> = (0..10).map(|_| (0, 0.1 / 3.0)).collect();
    let groups = grouped(vec![tenths.clone(), tenths.clone(), tenths]);
    let p: f64 = (0..30).map(|_| 0.1 / 3.0).sum();
    assert!(p != 1.0);
    assert_eq!(groups.standard_error(&[p], &[1.0]), 0.0);
    let one = || NumericColumns::new([&true as &dyn std::any::Any].into_iter());
    assert!(groups.event_error(&[p], &[1.0], one) > 0.1);
    assert!(groups.value_errors(&[p], one)[0] > 0.1);
}

#[test]
fn what_no_sample_shows_is_bounded_by_the_largest_weight() {
    let share = unseen_share(5000, Some(0.0), 0.01_f64.ln());
    assert!((share - 0.06).abs() < 1e-12, "{share}");
    assert_eq!(unseen_share(5000, None, 0.0), f64::INFINITY);
    assert_eq!(unseen_share(5000, Some(0.0), 1e-4_f64.ln()), f64::INFINITY);
}

#[test]
fn repetitions_are_told_from_values_that_stay() {
    let weighted = |squares: [f64; 2]| weighted(squares.to_vec());
    assert!(weighted([0.09, 0.49]).never_repeats(&[0.3, 0.7]));
    // The second value was drawn twice; the values therefore repeat.
    assert!(!weighted([0.09, 0.25]).never_repeats(&[0.3, 0.7]));
    let chained = |indices: [u32; 6], chains| {
        let indices = indices.into();
        Estimate::Chains { indices, chains }.never_repeats(&[0.0; 4])
    };
    assert!(chained([0, 0, 1, 2, 2, 3], 1) && chained([0, 0, 1, 2, 2, 3], 2));
    assert!(!chained([0, 1, 0, 2, 2, 2], 1) && !chained([0, 0, 1, 1, 2, 2], 2));
    let repeats = |second| {
        let groups = vec![vec![(0, 0.25), (1, 0.25)], vec![(second, 0.5)]];
        grouped(groups).never_repeats(&[0.0; 3])
    };
    assert!(repeats(2) && !repeats(1));
    assert!(!Estimate::Exact.never_repeats(&[1.0]));
}

#[test]
fn the_error_of_a_single_group_is_not_known() {
    let single = grouped(vec![vec![(0, 0.5), (1, 0.5)]]);
    assert_eq!(
        single.standard_error(&[0.5, 0.5], &[0.0, 1.0]),
        f64::INFINITY
    );
    assert!(single.event_error(&[0.5, 0.5], &[0.0, 1.0], columns) > 0.25);
}
