//! Finds decision rules with limited memory by single policy updating. With limited memory, a decision knows only the random variables that the
//! decision itself lists.

use figrs_core::expand::Content;
use figrs_core::graph::{DependencyGraph, EvidenceRole};
use figrs_core::{AnyElement, Limits};

use super::problem::{DecisionProblem, DecisionQuestion, ProblemDecision};
use figrs_answer::error::Error;
use figrs_factor::eliminate::{DecisionRule, ExpectedUtilities};
use figrs_factor::graph::{Assignments, VarId};

/// Decision rules, one for each decision, such that no change of a single rule improves the expected utility.
pub(super) struct UpdatedRules {
    pub(super) rules: Vec<DecisionRule>,
    /// `true` if the graph of the model proves that no other rules have a larger expected utility.
    pub(super) is_proven: bool,
    /// Number of rounds. Number of rounds of updates: each round updates the rules of all decisions, and the last round changed no rule.
    pub(super) rounds: usize,
}

/// Maximum number of rounds in which the decision rules are updated. Without a maximum number of rounds, rounding errors could make the rounds of
/// updates continue forever.
const MOST_ROUNDS: usize = 1000;

/// Updates the decision rules one after another, until a round of updates changes no rule. Before the first update, decisions choose at random.
pub(super) fn rules(
    question: &DecisionQuestion,
    problem: &DecisionProblem,
    limits: &Limits,
) -> Result<UpdatedRules, Error> {
    let proven = solution_order(question, problem);
    let is_proven = proven.is_some();
    let count = problem.decisions.len();
    let order = proven.unwrap_or_else(|| (0..count).rev().collect());
    let mut rules: Vec<Option<DecisionRule>> = vec![None; count];
    let mut rounds = 0;
    let mut changed = true;
    while changed && rounds < MOST_ROUNDS {
        changed = false;
        rounds += 1;
        for &number in &order {
            let updated = update(problem, &rules, number, limits)?;
            changed |= rules[number].as_ref() != Some(&updated);
            rules[number] = Some(updated);
        }
        // In the proven order, the best rule of a decision does not depend on rules that are updated later. One round is therefore enough.
        changed &= !is_proven;
    }
    Ok(UpdatedRules {
        rules: rules.into_iter().flatten().collect(),
        is_proven,
        rounds,
    })
}

/// Returns the best rule of the decision with the index `number`, given the `rules` of the other decisions. If no rule is better, the function
/// returns the present rule of the decision.
fn update(
    problem: &DecisionProblem,
    rules: &[Option<DecisionRule>],
    number: usize,
    limits: &Limits,
) -> Result<DecisionRule, Error> {
    let decided = &problem.decisions[number];
    let decision = decided.decision.variable;
    let scope: Vec<VarId> = decided.known.iter().map(|known| known.variable).collect();
    let keep: Vec<VarId> = scope.iter().copied().chain([decision]).collect();
    let others = rules.iter().enumerate().filter(|(i, _)| *i != number);
    let others = others.filter_map(|(_, rule)| rule.as_ref());
    let found = problem.expectations(others, &keep, limits)?;
    let present = rules[number].as_ref();
    let options = decided.decision.support.len();
    let all = Assignments::rows(scope.iter().map(|&v| problem.graph.cardinality(v)));
    let mut rule = DecisionRule {
        decision,
        scope,
        rows: Vec::with_capacity(all.count() * all.variables()),
        choices: Vec::with_capacity(all.count()),
    };
    for row in 0..all.count() {
        let present = present.map(|rule| rule.choices[row]);
        rule.rows.extend(all.values(row));
        let choice = best(
            &found,
            row * options..(row + 1) * options,
            present,
            problem.tie,
        );
        rule.choices.push(choice);
    }
    Ok(rule)
}

/// Returns the best option of a decision for one combination of known values; if no option is better than the present option, returns the present
/// option.
fn best(
    found: &ExpectedUtilities,
    row: std::ops::Range<usize>,
    present: Option<u32>,
    tie: f64,
) -> u32 {
    let mean = |&option: &usize| found.means[row.start + option];
    let possible = (0..row.len()).filter(|option| found.weights[row.start + option] > 0.0);
    let most = possible.clone().map(|option| mean(&option));
    let most = most.fold(f64::NEG_INFINITY, f64::max);
    let mut as_good = possible.filter(|option| mean(option) >= most - tie);
    let first = as_good.clone().next();
    match present {
        Some(present) if first.is_none() => present,
        Some(present) if as_good.any(|option| option as u32 == present) => present,
        _ => first.unwrap_or_default() as u32,
    }
}

/// Returns an order of the decisions in which one update of each decision rule finds the best rules; `None` if the graph does not prove that such an
/// order exists. In the returned order, each decision is extremal: the utilities that it influences are independent of all later decisions in the
/// order. The order is `None` if there are `Score` elements, because decisions may determine whether a `Score` in a branch counts.
///
/// In the graph, each decision has edges from the random variables that are known when the decision is made.
///
/// **References.** Lauritzen and Nilsson (2001), "Representing and solving decision problems with limited information".
pub(super) fn solution_order(
    question: &DecisionQuestion,
    problem: &DecisionProblem,
) -> Option<Vec<usize>> {
    let mut elements = problem.expansion.elements().iter();
    if elements.any(|element| matches!(element.content, Content::Score(_))) {
        return None;
    }
    let decisions = &problem.decisions;
    let graph = DependencyGraph::of_expansion(&question.model, &problem.expansion);
    let graph = decisions.iter().fold(graph, |graph, decided| {
        graph.with_inputs(&decided.decision.element, &known(decided))
    });
    let mut left: Vec<usize> = (0..decisions.len()).rev().collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_extremal = |&number: &usize| {
            let others = left.iter().filter(|&&other| other != number);
            let others = others.map(|&other| &decisions[other]);
            is_extremal(&graph, &decisions[number], others, &question.utilities)
        };
        let place = left.iter().position(is_extremal)?;
        order.push(left.remove(place));
    }
    Some(order)
}

/// True if the utilities that the decision `decided` influences are independent of the decisions `others` and of the values known to these decisions,
/// given the option of `decided` and the values known to `decided`.
fn is_extremal<'d>(
    graph: &DependencyGraph,
    decided: &ProblemDecision,
    others: impl Iterator<Item = &'d ProblemDecision>,
    utilities: &[AnyElement],
) -> bool {
    let own = family(decided);
    let is_own = |element: &AnyElement| own.iter().any(|other| other.id() == element.id());
    let mut others: Vec<AnyElement> = others.flat_map(family).collect();
    others.retain(|element| !is_own(element));
    let separation = graph.separation(&others, &own, EvidenceRole::Given);
    let decision = std::slice::from_ref(&decided.decision.element);
    let is_influenced = |utility: &&AnyElement| graph.last_read(utility, decision).is_some();
    let mut influenced = utilities.iter().filter(is_influenced);
    !influenced.any(|utility| separation.reaches(utility))
}

fn known(decided: &ProblemDecision) -> Vec<AnyElement> {
    let known = decided.known.iter();
    known.map(|known| known.element.clone()).collect()
}

fn family(decided: &ProblemDecision) -> Vec<AnyElement> {
    let mut family = known(decided);
    family.push(decided.decision.element.clone());
    family
}
