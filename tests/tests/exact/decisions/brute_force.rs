//! Solves decision problems by enumeration of joint values and of policies.

use std::collections::BTreeMap;

use super::random_diagram::{Diagram, Node, number};

/// A joint value of all variables of a diagram, with a weight that does not include probabilities of decisions.
pub(super) struct Joint {
    pub(super) values: Vec<usize>,
    pub(super) weight: f64,
    pub(super) utility: f64,
}

/// Returns all joint values that chance and evidence allow, for any choices of the decisions.
pub(super) fn joints(diagram: &Diagram) -> Vec<Joint> {
    let mut all = vec![(Vec::new(), 1.0)];
    for (place, node) in diagram.nodes.iter().enumerate() {
        let mut longer = Vec::new();
        for (values, weight) in all {
            for value in 0..diagram.cards[place] {
                let share = match node {
                    Node::Decision { .. } => 1.0,
                    Node::Chance { parents, rows } => {
                        let state = |i: usize| values[parents[i]];
                        rows[number(parents, &diagram.cards, state)][value]
                    }
                    Node::Branch { selector, branches } => {
                        let branch = branches[usize::from(values[*selector] != 0)];
                        f64::from(u8::from(values[branch] == value))
                    }
                };
                let is_observed = diagram
                    .evidence
                    .is_none_or(|(at, v)| at != place || v == value);
                if share > 0.0 && is_observed {
                    let mut values: Vec<usize> = values.clone();
                    values.push(value);
                    longer.push((values, weight * share));
                }
            }
        }
        all = longer;
    }
    let utility = |values: &[usize]| -> f64 {
        let parts = diagram.utilities.iter().map(|(parents, utilities)| {
            utilities[number(parents, &diagram.cards, |i| values[parents[i]])]
        });
        parts.sum()
    };
    let joint = |(values, weight): (Vec<usize>, f64)| Joint {
        utility: utility(&values),
        values,
        weight,
    };
    all.into_iter().map(joint).collect()
}

/// The variables that each decision knows, for the decisions in their order.
pub(super) type Information = Vec<(usize, Vec<usize>)>;

/// Returns the information that the diagram states for each decision.
pub(super) fn named(diagram: &Diagram) -> Information {
    let known = |place: usize| match &diagram.nodes[place] {
        Node::Decision { known } => known.clone(),
        _ => Vec::new(),
    };
    let decisions = diagram.decisions().into_iter();
    decisions.map(|place| (place, known(place))).collect()
}

/// Returns the information of each decision if nothing is forgotten: all that earlier decisions knew and chose is known later.
pub(super) fn remembered(named: &Information) -> Information {
    let mut all: Vec<usize> = Vec::new();
    let mut information = Vec::new();
    for (place, known) in named {
        all.extend(
            known
                .iter()
                .filter(|v| !all.contains(v))
                .collect::<Vec<_>>(),
        );
        information.push((*place, all.clone()));
        if !all.contains(place) {
            all.push(*place);
        }
    }
    information
}

/// The choices of one decision, by the values that it knows.
pub(super) type Choices = BTreeMap<Vec<usize>, usize>;

/// Returns the values of some variables in a joint value.
pub(super) fn seen(joint: &Joint, known: &[usize]) -> Vec<usize> {
    known.iter().map(|&place| joint.values[place]).collect()
}

/// Returns the probability of the evidence, as the total weight of the joint values for one fixed choice of each decision.
fn evidence(diagram: &Diagram, joints: &[Joint]) -> f64 {
    let decisions = diagram.decisions();
    let first = joints
        .iter()
        .filter(|j| decisions.iter().all(|&place| j.values[place] == 0));
    first.map(|j| j.weight).sum()
}

/// Returns the expected utility of some policies; the choice is the first option if a policy does not list it.
pub(super) fn value_of(
    diagram: &Diagram,
    joints: &[Joint],
    information: &Information,
    policies: &[Choices],
) -> f64 {
    let follows = |joint: &&Joint| {
        information
            .iter()
            .zip(policies)
            .all(|((place, known), policy)| {
                let choice = policy.get(&seen(joint, known)).copied();
                joint.values[*place] == choice.unwrap_or(0)
            })
    };
    let total: f64 = joints
        .iter()
        .filter(follows)
        .map(|j| j.weight * j.utility)
        .sum();
    total / evidence(diagram, joints)
}

/// Returns the largest expected utility of all policies, by trying one after the other; `None` if there are too many policies.
pub(super) fn best_of_all(
    diagram: &Diagram,
    joints: &[Joint],
    information: &Information,
    most: usize,
) -> Option<f64> {
    // There is one digit for each decision and each possible information of it.
    let mut digits: Vec<(usize, Vec<usize>, usize)> = Vec::new();
    for (number, (place, known)) in information.iter().enumerate() {
        let mut rows: Vec<Vec<usize>> = joints.iter().map(|j| seen(j, known)).collect();
        rows.sort();
        rows.dedup();
        digits.extend(
            rows.into_iter()
                .map(|row| (number, row, diagram.cards[*place])),
        );
    }
    let count = digits
        .iter()
        .try_fold(1usize, |n, (_, _, options)| n.checked_mul(*options));
    let count = count.filter(|&count| count <= most)?;
    let mut best = f64::NEG_INFINITY;
    for mut policy in 0..count {
        let mut policies = vec![Choices::new(); information.len()];
        for (number, row, options) in &digits {
            policies[*number].insert(row.clone(), policy % options);
            policy /= options;
        }
        best = best.max(value_of(diagram, joints, information, &policies));
    }
    Some(best)
}

/// Returns the largest expected utility if nothing is forgotten, by alternating expectations and maxima.
pub(super) fn best_by_turns(diagram: &Diagram, joints: &[Joint], information: &Information) -> f64 {
    let all: Vec<&Joint> = joints.iter().collect();
    turn(diagram, &all, information) / evidence(diagram, joints)
}

fn turn(diagram: &Diagram, joints: &[&Joint], information: &[(usize, Vec<usize>)]) -> f64 {
    let Some(((place, known), later)) = information.split_first() else {
        return joints.iter().map(|j| j.weight * j.utility).sum();
    };
    let mut groups: BTreeMap<Vec<usize>, Vec<&Joint>> = BTreeMap::new();
    for &joint in joints {
        groups.entry(seen(joint, known)).or_default().push(joint);
    }
    let best = groups.values().map(|group| {
        let options = (0..diagram.cards[*place]).map(|option| {
            let chosen = group.iter().filter(|j| j.values[*place] == option).copied();
            turn(diagram, &chosen.collect::<Vec<_>>(), later)
        });
        options.fold(f64::NEG_INFINITY, f64::max)
    });
    best.sum()
}
