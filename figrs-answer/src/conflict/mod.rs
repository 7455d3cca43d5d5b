//! Tests of a model for inconsistency: minimal conflicts of evidence, and functions that fail in some world.

pub mod minimal_conflict;
mod possibility;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, DescribedStatement, Limits, Model};

use crate::error::Error;
use crate::expansion::expand;
use figrs_factor::algebra::Boolean;
use figrs_factor::eliminate::eliminate;
use minimal_conflict::{Core, Trial, minimal_conflict};
use possibility::PossibilityTrials;

/// Returns the error for evidence that is known to be impossible. The error contains a conflict: statements of evidence that exclude each
/// other. The conflict is minimal if its minimality can be proven within a limit of work.
///
/// A statement is removed from the conflict if the remaining statements still cannot all be true. The search first tries to remove all statements
/// that only weigh worlds (soft evidence), because few of them exclude a world; it then tries halves of the statements, quarters, and so on
/// (`minimal_conflict`). When the limit on the total work of the trial runs (tests of subsets of the evidence) or the deadline is reached, the
/// conflict consists of the statements that remain.
///
/// `Score` elements are part of the model itself, not statements of evidence, and are therefore not removed from a conflict. If the remaining
/// evidence is impossible only together with `Score` elements (weight factors of the model), the error names the `Score` elements too.
pub fn impossible(model: &Model, targets: &[AnyElement], limits: &Limits) -> Error {
    let mut trials = PossibilityTrials::new(model, targets, limits);
    let Core {
        members: kept,
        is_minimal,
    } = reduced(model, targets, &mut trials);
    let pieces = kept.iter().map(|&piece| model.describe(piece));
    let mut conflict: Vec<DescribedStatement> = pieces.collect();
    let kept_only = model.filtered(|piece| kept.binary_search(&piece).is_ok());
    if trials.is_possible(&kept_only, &[]) != Trial::Impossible {
        conflict.extend(scores(&kept_only, targets, limits));
    }
    Error::ImpossibleEvidence {
        conflict,
        is_minimal,
    }
}

/// Reduces the conflict that consists of all statements to a smaller conflict. Returns the indices of the statements of the smaller conflict in
/// ascending order.
fn reduced(model: &Model, targets: &[AnyElement], trials: &mut PossibilityTrials<'_>) -> Core {
    let mut trial = |rest: &[usize]| {
        let rest_only = model.filtered(|piece| rest.binary_search(&piece).is_ok());
        (!trials.is_over()).then(|| trials.is_possible(&rest_only, targets))
    };
    let mut pieces: Vec<usize> = (0..model.evidence().len()).collect();
    let is_soft = |piece: &usize| model.evidence()[*piece].1.is_soft();
    let hard: Vec<usize> = pieces.iter().copied().filter(|p| !is_soft(p)).collect();
    if hard.len() < pieces.len() && trial(&hard) == Some(Trial::Impossible) {
        pieces = hard;
    }
    let half = pieces.len().div_ceil(2);
    minimal_conflict(pieces, half, trial)
}

/// Returns the descriptions of some `Score` elements (weight factors) on which the evidence and the targets depend.
fn scores(model: &Model, targets: &[AnyElement], limits: &Limits) -> Vec<DescribedStatement> {
    const NAMED: usize = 8;
    let Ok(expansion) = expand(limits, model, targets) else {
        return Vec::new();
    };
    let elements = expansion.elements().iter().map(|e| &e.element);
    let scores = elements.filter_map(|element| match element.kind() {
        Kind::Score(_, evidence) => Some(DescribedStatement {
            element: element.label(),
            text: format!("{evidence:?}"),
        }),
        _ => None,
    });
    let mut named: Vec<DescribedStatement> = scores.collect();
    named.dedup();
    named.truncate(NAMED);
    named
}

fn some_world(encoding: &Encoding, limits: &Limits) -> Result<bool, Error> {
    let outcome = eliminate::<Boolean>(encoding.graph(), &[], limits)?;
    Ok(outcome.values.first().copied().unwrap_or(false))
}

/// Returns an error if a function of the model fails in some world; a failure for values that occur in no world is ignored.
pub fn check_failures(expansion: &Expansion, limits: &Limits) -> Result<(), Error> {
    let fails = |position| some_world(&Encoding::for_failures(expansion, position)?, limits);
    if expansion.failures().next().is_none() || !fails(None)? {
        return Ok(());
    }
    for (position, failures) in expansion.failures() {
        if fails(Some(position))? {
            return Err(failures.error.clone().into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use figrs_core::{Element, Flip, Until, fold};
    use figrs_search::circuit::{SearchControl, log_sum};

    use super::*;

    /// Returns a model of coins with `clauses` pseudo-random clauses of three coins each.
    fn formula(coins: usize, clauses: usize) -> (Model, Vec<Element<bool>>) {
        let coins: Vec<Element<bool>> = (0..coins).map(|_| Flip::new(0.5)).collect();
        let mut state = 7_u64;
        let mut draw = |n: usize| {
            state = (state.wrapping_mul(6_364_136_223_846_793_005))
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut model = Model::new();
        for _ in 0..clauses {
            let literals: Vec<Element<bool>> = (0..3)
                .map(|_| {
                    let coin = &coins[draw(coins.len())];
                    if draw(2) == 0 {
                        coin.not()
                    } else {
                        coin.clone()
                    }
                })
                .collect();
            let holds = fold(&literals, false, |&any, &literal| any || literal);
            model = model.observe(&holds, true);
        }
        (model, coins)
    }

    #[test]
    fn a_conflict_of_a_wide_formula_ends_with_its_work() {
        // An elimination of half of the clauses would take at least 2^30 operations.
        let (model, coins) = formula(60, 420);
        let model = model.weigh(&coins[0], |_| 2.0);
        let limits = Limits::default();
        let mut trials = PossibilityTrials::new(&model, &[], &limits);
        let Core {
            members: kept,
            is_minimal,
        } = reduced(&model, &[], &mut trials);
        assert!(kept.len() <= 420 && (is_minimal || trials.is_over()));
        let kept_only = model.filtered(|piece| kept.binary_search(&piece).is_ok());
        let expansion = expand(&limits, &kept_only, &[]).unwrap();
        let encoding = Encoding::for_upper_sums(&expansion, &[]).unwrap();
        let control = SearchControl::within(&limits);
        let found = log_sum(encoding.graph(), 1 << 28, &control).unwrap();
        assert_eq!(found, f64::NEG_INFINITY);
        // A statement that only weighs worlds and excludes none belongs to no conflict.
        assert!(!kept.contains(&420));
    }

    #[test]
    fn a_small_conflict_is_found_within_a_wide_formula() {
        let (mut model, coins) = formula(60, 200);
        let [a, b] = [Flip::new(0.5), Flip::new(0.5)];
        model = model.observe(&a.or(&b), true);
        for other in [&a, &b] {
            // This statement of evidence shares the first coin with the clauses.
            model = model.observe(&other.or(&coins[0]), true);
            model = model.observe(&other.and(&coins[1].or(&coins[2])), false);
        }
        model = model.observe(&coins[1], true);
        let error = impossible(&model, &[], &Limits::default());
        let Error::ImpossibleEvidence {
            conflict,
            is_minimal,
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!((conflict.len(), *is_minimal), (4, true), "{error}");
    }

    #[test]
    fn a_conflict_that_is_interrupted_has_all_statements() {
        let coin = Flip::new(0.5);
        let other = Flip::new(0.5);
        let model = Model::new().observe(&coin, true).observe(&coin, false);
        let model = model.observe(&other, true);
        for is_interrupted in [false, true] {
            let until = Until {
                interrupt: Some(Arc::new(AtomicBool::new(is_interrupted))),
                ..Until::default()
            };
            let error = impossible(&model, &[], &Limits::default().until(&until));
            let message = error.to_string();
            let Error::ImpossibleEvidence {
                conflict,
                is_minimal,
            } = error
            else {
                panic!("{message}");
            };
            let expected = if is_interrupted { 3 } else { 2 };
            assert_eq!((conflict.len(), is_minimal), (expected, !is_interrupted));
            let remedy = if is_interrupted {
                "remove some of them"
            } else {
                "remove one of them"
            };
            assert!(message.ends_with(remedy), "{message}");
        }
    }
}
