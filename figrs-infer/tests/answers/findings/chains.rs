//! Tests of findings about chains of draws.

use super::*;

#[test]
fn good_chains_have_no_findings() {
    let answer = chained(&number(), &uniform(8000, 1), 4);
    let diagnosis = answer.diagnose();
    assert!(diagnosis.is_clean(), "{diagnosis}");
    assert!(
        diagnosis
            .to_string()
            .starts_with("nothing found: chains agree")
    );
    let coins: Vec<bool> = uniform(8000, 2).into_iter().map(|x| x < 0.3).collect();
    let diagnosis = chained(&Flip::new(0.3), &coins, 4).diagnose();
    assert!(diagnosis.is_clean(), "{diagnosis}");
}

#[test]
fn chains_in_different_places_disagree() {
    let mut draws = uniform(8000, 3);
    for x in &mut draws[..2000] {
        *x += 0.5;
    }
    let text = found(
        &chained(&number(), &draws, 4),
        |finding| matches!(finding, Finding::ChainsDisagree { r_hat, threshold, quantity } if r_hat > threshold && quantity.part == Part::Whole),
    );
    assert!(
        text.contains("`x`") && text.contains("R-hat") && text.contains("1.01"),
        "{text}"
    );
    // The chains disagree only in the second component of the values.
    let pairs: Vec<Vec<f64>> = draws
        .iter()
        .zip(uniform(8000, 4))
        .map(|(&a, b)| vec![b, a])
        .collect();
    let answer = chained(&Constant::new(vec![0.0]).named("w"), &pairs, 4);
    let text = found(
        &answer,
        |finding| matches!(finding, Finding::ChainsDisagree { quantity, .. } if quantity.part == Part::Component(1)),
    );
    assert!(text.contains("component 1"), "{text}");
    // The values are words, and the chains disagree in the frequencies of two of them.
    let words: Vec<&'static str> = (0..8000)
        .map(|i| {
            if i % 3 == 0 {
                "a"
            } else if i < 4000 {
                "b"
            } else {
                "c"
            }
        })
        .collect();
    let text = found(
        &chained(&Uniform::new(["a", "b", "c"]), &words, 4),
        |finding| matches!(finding, Finding::ChainsDisagree { .. }),
    );
    assert!(
        text.contains("= \"b\"") || text.contains("= \"c\""),
        "{text}"
    );
}

#[test]
fn few_effective_samples_are_counted() {
    // Every draw is repeated a hundred times.
    let sticky: Vec<f64> = uniform(160, 5).into_iter().flat_map(|x| [x; 100]).collect();
    let answer = chained(&number(), &sticky, 4);
    for measure in [Measure::Bulk, Measure::Tail] {
        let text = found(&answer, |finding| {
            matches!(finding, Finding::FewEffectiveSamples { measure: m, effective_samples, threshold, .. }
                if *m == measure && *effective_samples < 300.0 && *threshold == 400.0)
        });
        assert!(text.contains("draw more"), "{text}");
    }
    let eight = chained(&number(), &uniform(480, 6), 8);
    found(
        &eight,
        |finding| matches!(finding, Finding::FewEffectiveSamples { threshold, .. } if *threshold == 800.0),
    );
    // The chains are too short for an effective sample size to be estimated.
    found(
        &chained(&number(), &uniform(6, 7), 2),
        |finding| matches!(finding, Finding::FewEffectiveSamples { effective_samples, .. } if *effective_samples == 2.0),
    );
}

#[test]
fn a_value_that_never_changed_and_a_single_chain_are_named() {
    let answer = chained(&Flip::new(0.5).named("stuck"), &[true; 500], 1);
    let text = found(&answer, |finding| {
        matches!(finding, Finding::NeverChanged { draws: 500, .. })
    });
    assert!(
        text.contains("`stuck`") && text.contains("all 500 draws are true"),
        "{text}"
    );
    found(&answer, |finding| *finding == Finding::SingleChain);
    assert_eq!(answer.diagnose().findings().len(), 2);
}

#[test]
fn low_acceptance_is_found() {
    let mut run = finished();
    run.acceptance = Some(0.001);
    let text = found(&approximate(run), |finding| {
        matches!(finding, Finding::LowAcceptance { .. })
    });
    assert!(
        text.contains("0.10 %") && text.contains("below 1 %"),
        "{text}"
    );
}
