//! Proves by conditional independence that single policy updating finds the best plan. The graph of the proof has edges from known elements to
//! decisions.

use figrs_core::AnyElement;
use figrs_core::expand::Content;
use figrs_core::graph::{DependencyGraph, EvidenceRole};

use super::problem::{DecisionProblem, DecisionQuestion, ProblemDecision};

/// Returns an order of the decisions in which one update of each decision finds the best rules; `None` if the graph does not prove that such an order
/// exists. In this order, each decision is extremal: the utilities that it influences are independent of all later decisions in the order. The result
/// is `None` if there are Scores, because decisions may determine whether a Score in a branch counts.
///
/// In the graph, each decision reads the elements that are known when the decision is made.
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

/// True if the utilities that the decision `decided` influences are independent of the decisions `others` and of the elements known to `others`,
/// given `decided` and the elements known to `decided`.
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
