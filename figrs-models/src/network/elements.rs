//! The elements of a network.

use figrs_core::factor::Weights;
use figrs_core::{Constant, Element, Model, States, Table};

use super::{NetworkTable, State, Variable};

/// The elements of a Bayesian network, parents first; or a variable that is its own ancestor.
pub(super) fn bayesian(
    variables: &[Variable],
    tables: &[NetworkTable],
) -> Result<Vec<Element<State>>, usize> {
    let mut table_of = vec![None; variables.len()];
    let mut children = vec![Vec::new(); variables.len()];
    let mut missing = vec![0; variables.len()];
    for table in tables {
        let Some((&child, parents)) = table.variables.split_last() else {
            continue;
        };
        table_of[child] = Some(table);
        missing[child] = parents.len();
        for &parent in parents {
            children[parent].push(child);
        }
    }
    let mut elements: Vec<Option<Element<State>>> = vec![None; variables.len()];
    let mut ready: Vec<usize> = (0..variables.len()).filter(|&v| missing[v] == 0).collect();
    while let Some(variable) = ready.pop() {
        let Some(table) = table_of[variable] else {
            continue;
        };
        let parents = table.variables[..table.variables.len() - 1].iter();
        let parents = parents.filter_map(|&p| Some((elements[p].as_ref()?, &variables[p].states)));
        let element = Table::new(parents, &variables[variable].states, table.weights.clone());
        elements[variable] = Some(element.named(&variables[variable].name));
        for &child in &children[variable] {
            missing[child] -= 1;
            if missing[child] == 0 {
                ready.push(child);
            }
        }
    }
    let unfinished = |&v: &usize| elements[v].is_none();
    if let Some(mut variable) = (0..variables.len()).find(unfinished) {
        // Something above it is on a cycle: as many steps up as there are variables end there.
        for _ in 0..variables.len() {
            let parents = table_of[variable].into_iter().flat_map(|t| &t.variables);
            let above = parents.copied().find(|&p| p != variable && unfinished(&p));
            variable = above.unwrap_or(variable);
        }
        return Err(variable);
    }
    Ok(elements.into_iter().flatten().collect())
}

/// The elements of a Markov network, and a model that holds its factors.
///
/// A variable is uniform, and a factor is a conditional table of two values, of which it is observed to hold. Weights are
/// divided by the largest of their factor, and probabilities by the number of states; the model weighs a constant by the
/// product of these divisors, so that the probability of its evidence is the sum over all assignments of the product of all
/// factors.
pub(super) fn markov(
    variables: &[Variable],
    tables: &[NetworkTable],
) -> (Vec<Element<State>>, Model) {
    let elements: Vec<Element<State>> = variables.iter().map(uniform).collect();
    let sizes = variables.iter().map(|v| v.states.len() as f64);
    let mut log_constant: f64 = sizes.map(f64::ln).sum();
    let mut model = Model::new();
    let holds = States::new([true, false]);
    for (i, table) in tables.iter().enumerate() {
        let largest = table.numbers().iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            let zero = Constant::new(()).named(format!("factor {i}, which is zero everywhere"));
            model = model.log_weigh(&zero, |()| f64::NEG_INFINITY);
            continue;
        }
        log_constant += largest.ln();
        if table.variables.is_empty() {
            continue;
        }
        let scope = table.variables.iter();
        let parents = scope.map(|&v| (&elements[v], &variables[v].states));
        let factor = Table::new(parents, &holds, scaled(table.numbers(), largest));
        model = model.observe(&factor.named(format!("factor {i}")), true);
    }
    let constant = Constant::new(()).named("constant of the Markov network");
    (elements, model.log_weigh(&constant, move |()| log_constant))
}

fn uniform(variable: &Variable) -> Element<State> {
    let none: [(&Element<State>, &States<State>); 0] = [];
    let weights = vec![1.0; variable.states.len()];
    Table::new(none, &variable.states, weights).named(&variable.name)
}

/// The probabilities that a factor holds and that it fails.
fn scaled(numbers: &[f64], largest: f64) -> Weights {
    let lost = |&w: &f64| w > 0.0 && w / largest < f64::MIN_POSITIVE;
    if numbers.iter().any(lost) {
        let logs = numbers.iter().map(|w| w.ln() - largest.ln());
        let pairs = logs.flat_map(|log| [log, (-log.exp()).ln_1p()]);
        return Weights::from_logs(pairs.collect());
    }
    let pairs = numbers
        .iter()
        .flat_map(|w| [w / largest, 1.0 - w / largest]);
    Weights::from_linear(pairs.collect())
}
