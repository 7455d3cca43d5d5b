//! The K2 search, which is given an order of the variables, and chooses the parents of a variable from the variables before it.

use super::super::Network;
use super::StructureLearningError;
use super::arc_rules::{ArcRules, position};
use super::climber::resolution;
use super::dag::ArcChange;
use super::family_scores::FamilyScores;
use super::hill_climbing::{FoundStructure, SearchObserver};

/// Returns the indices of all variables in the order for K2: first the variables listed by name, then all other variables in the order of the
/// network.
///
/// **Errors.** An error if the name of a variable is unknown or repeated, or if a required arc contradicts the order of the variables.
pub(super) fn order(
    network: &Network,
    names: &[String],
    rules: &ArcRules,
) -> Result<Vec<u32>, StructureLearningError> {
    let variables = network.variables();
    let mut place: Vec<Option<usize>> = vec![None; variables.len()];
    let mut order = Vec::with_capacity(variables.len());
    for name in names {
        let position = position(network, name)?;
        if place[position as usize].replace(order.len()).is_some() {
            let problem = format!("the order names `{name}` a second time");
            let remedy = "name each variable once";
            return Err(StructureLearningError::rules(&["order"], &problem, remedy));
        }
        order.push(position);
    }
    for position in 0..variables.len() as u32 {
        if place[position as usize].is_none() {
            place[position as usize] = Some(order.len());
            order.push(position);
        }
    }
    for (child, parents) in rules.least().all_parents().iter().enumerate() {
        if let Some(&parent) = parents.iter().find(|&&p| place[p as usize] > place[child]) {
            let problem = format!(
                "the required arc from `{}` to `{}` goes against the order of the variables",
                variables[parent as usize].name(),
                variables[child].name()
            );
            let settings = &["require", "order"];
            return Err(StructureLearningError::rules(
                settings,
                &problem,
                "change the order",
            ));
        }
    }
    Ok(order)
}

/// Adds parents to each variable, one variable after another in the order `order`. The next parent of a variable is the earlier variable that raises
/// the variable's score most (the first one among equals). The search for parents of a variable ends if no earlier variable raises the score.
pub(super) fn search(
    families: &mut FamilyScores<'_>,
    rules: &ArcRules,
    order: &[u32],
    observer: &SearchObserver<'_>,
) -> FoundStructure {
    let mut dag = rules.least().clone();
    let mut steps = 0;
    let resolution = resolution(families.rows().total());
    for (place, &child) in order.iter().enumerate() {
        loop {
            let own = families.family(child, dag.parents(child));
            let may_add =
                |&parent: &u32| !dag.has(parent, child) && rules.allows_parent(&dag, parent, child);
            let candidates: Vec<u32> = order[..place].iter().copied().filter(may_add).collect();
            let parents = dag.parents(child);
            let toggled = families.toggled(child, parents, &candidates, observer.is_interrupted);
            let Some(scores) = toggled else {
                return FoundStructure {
                    dag,
                    steps,
                    is_interrupted: true,
                };
            };
            let mut best: Option<(u32, f64)> = None;
            for (&candidate, &score) in candidates.iter().zip(&scores) {
                let least = best.map_or(own, |(_, score)| score);
                if score > least + resolution {
                    best = Some((candidate, score));
                }
            }
            let Some((parent, _)) = best else { break };
            dag.change(ArcChange::Add(parent, child));
            steps += 1;
            (observer.report)(steps);
        }
    }
    FoundStructure {
        dag,
        steps,
        is_interrupted: false,
    }
}
