//! The elements (random variables of figrs) that represent a network.

use figrs_core::factor::Weights;
use figrs_core::{Constant, Element, Model, States, Table};
use rustc_hash::FxHashMap;

use super::clause::ChainVariable;
use super::{NetworkClause, NetworkTable, State, Variable};

/// Creates the elements (random variables of figrs) of a Bayesian network. In the list `order`, the tables of parents come before the tables of
/// children; the function `element` creates the element of a table from the elements of the parents.
pub(super) fn bayesian(
    variables: &[Variable],
    tables: &[NetworkTable],
    order: &[usize],
    element: impl Fn(usize, &Variable, Vec<(&Element<State>, &States<State>)>) -> Element<State>,
) -> Vec<Element<State>> {
    let mut elements: Vec<Option<Element<State>>> = vec![None; variables.len()];
    for &table in order {
        let Some((&child, parents)) = tables[table].variables.split_last() else {
            continue;
        };
        let parents = parents.iter();
        let parents = parents.filter_map(|&p| Some((elements[p].as_ref()?, &variables[p].states)));
        let made = element(table, &variables[child], parents.collect());
        elements[child] = Some(made.named(&variables[child].name));
    }
    elements.into_iter().flatten().collect()
}

pub(super) fn of_tables(
    variables: &[Variable],
    tables: &[NetworkTable],
    order: &[usize],
) -> Vec<Element<State>> {
    bayesian(variables, tables, order, |table, child, parents| {
        Table::new(parents, &child.states, tables[table].weights.clone())
    })
}

/// Creates the elements (random variables of figrs) of a Markov network, and a model in which its factors are evidence.
///
/// Each variable of the Markov network is uniformly distributed, and each factor is the conditional table of a two-valued element that is observed to
/// hold. Each weight of a factor is divided by the factor's largest weight, so that the quotient is a probability; the uniform distribution of a
/// variable divides by the number of its states. The model multiplies the weight of each world by these divisors: the largest weights of all factors
/// and the numbers of states. In the returned model, the probability of the evidence is the sum over all assignments of the product of all factors.
pub(super) fn markov(
    variables: &[Variable],
    tables: &[NetworkTable],
    clauses: &[NetworkClause],
) -> (Vec<Element<State>>, Model) {
    let elements: Vec<Element<State>> = variables.iter().map(uniform).collect();
    let sizes = variables.iter().map(|v| v.states.len() as f64);
    let mut log_constant: f64 = sizes.map(f64::ln).sum();
    let mut model = of_clauses(variables, &elements, clauses);
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

/// Returns a model with the evidence that all clauses of `clauses` hold.
fn of_clauses(
    variables: &[Variable],
    elements: &[Element<State>],
    clauses: &[NetworkClause],
) -> Model {
    let mut model = Model::new();
    let values = State::all(vec!["false".into(), "true".into()]);
    let truth = values.get(1).cloned();
    let mut shared: FxHashMap<(usize, usize), Weights> = FxHashMap::default();
    for clause in clauses {
        let mut chain: Vec<Element<State>> = Vec::new();
        let mut tables = clause.chain().peekable();
        while let Some(table) = tables.next() {
            let parents = table.parents.iter().map(|&parent| match parent {
                ChainVariable::Own(variable) => (&elements[variable], &variables[variable].states),
                ChainVariable::Holds(before) => (&chain[before], &values),
            });
            let weights = shared
                .entry((table.parents.len(), table.failing))
                .or_insert_with(|| Weights::from_linear(table.numbers()));
            let link = Table::new(parents, &values, weights.clone());
            let name = match tables.peek() {
                Some(_) => format!("part {} of {}", chain.len() + 1, clause.name()),
                None => clause.name(),
            };
            chain.push(link.named(name));
        }
        model = if let (Some(last), Some(truth)) = (chain.pop(), &truth) {
            model.observe(&last, truth.clone())
        } else {
            let never = Constant::new(()).named(format!("{}, which is empty", clause.name()));
            model.log_weigh(&never, |()| f64::NEG_INFINITY)
        };
    }
    model
}

fn uniform(variable: &Variable) -> Element<State> {
    let none: [(&Element<State>, &States<State>); 0] = [];
    let weights = vec![1.0; variable.states.len()];
    Table::new(none, &variable.states, weights).named(&variable.name)
}

/// Divides each number of a factor by its largest number `largest`; the quotient is the probability that the factor holds. Returns, for each number
/// of the factor, the probabilities that the factor holds and that it fails.
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
