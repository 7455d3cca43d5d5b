//! Finds exact decision rules for decisions that know everything that was known or chosen earlier. The random variables are eliminated in the reverse
//! of the order in which their values become known.

use figrs_factor::graph::VarId;

use super::problem::DecisionProblem;
use figrs_answer::error::Error;
use figrs_core::Limits;
use figrs_factor::eliminate::{DecisionRule, EliminationStage, UtilityGraph, best_rules};

/// Returns the best decision rules, in the order of the decisions. Each rule is a table over the variables on which the utilities of the decision's
/// options depend.
pub(super) fn rules(
    problem: &DecisionProblem,
    limits: &Limits,
) -> Result<Vec<DecisionRule>, Error> {
    let diagram = UtilityGraph {
        graph: &problem.graph,
        utilities: &problem.utilities,
    };
    let stages = stages(problem);
    let mut rules = best_rules(diagram, &stages, problem.tie, limits)?;
    rules.reverse();
    Ok(rules)
}

/// Returns the stages of the elimination: first the variables that no decision knows, then the last decision, then the variables that only the last
/// decision knows, then the decision before the last, and so on.
fn stages(problem: &DecisionProblem) -> Vec<EliminationStage> {
    let mut is_open = vec![true; problem.graph.cardinalities.len()];
    for decided in &problem.decisions {
        is_open[decided.decision.variable.index()] = false;
    }
    let mut stages = Vec::with_capacity(2 * problem.decisions.len() + 1);
    for decided in &problem.decisions {
        let mut known: Vec<VarId> = decided.known.iter().map(|known| known.variable).collect();
        known.retain(|v| std::mem::replace(&mut is_open[v.index()], false));
        stages.push(EliminationStage::Sum(known));
        stages.push(EliminationStage::Choose(decided.decision.variable));
    }
    let all = (0..problem.graph.cardinalities.len() as u32).map(VarId);
    let never = all.filter(|v| is_open[v.index()]).collect();
    stages.push(EliminationStage::Sum(never));
    stages.reverse();
    stages
}

/// Returns the variables of all decisions and all known random variables, in the order in which their values become known.
pub(super) fn known_order(problem: &DecisionProblem) -> Vec<VarId> {
    let mut order: Vec<VarId> = Vec::new();
    for decided in &problem.decisions {
        let known = decided.known.iter().map(|known| known.variable);
        for v in known.chain([decided.decision.variable]) {
            if !order.contains(&v) {
                order.push(v);
            }
        }
    }
    order
}
