//! Generates the tables of NET nodes from formulas.

use figrs_factor::graph::Assignments;
use rustc_hash::FxHashMap;

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult};
use super::super::names::FullNames;
use super::super::{State, mistakes};
use super::block::{Attributes, Model, Potential};
use super::formula::{Formula, Value, formulas, unread};

/// The values that represent the states of a node in formulas.
pub(super) enum StateValues {
    /// Boolean values of the states: the first state is false, and the second is true.
    Boolean,
    /// Numbers as values: one number for each state of the node.
    Numbers(Vec<f64>),
    /// The bounds of the intervals that the states of a node represent; there is one bound more than there are states.
    Intervals(Vec<f64>),
    /// Formulas use the names of the states as values.
    Labels,
}

impl StateValues {
    /// Reads the values of the states from the attributes of a node; without attributes, the values are the labels of the states.
    pub(super) fn new(attributes: &Attributes<'_>) -> Self {
        let values = || attributes.values.iter().map(|&(_, value)| number(value));
        let names = || attributes.states.iter().map(|(_, name)| number(name));
        match attributes.subtype {
            Some("boolean") => Some(Self::Boolean),
            Some("number") if attributes.values.is_empty() => {
                names().collect::<Option<_>>().map(Self::Numbers)
            }
            Some("number") => values().collect::<Option<_>>().map(Self::Numbers),
            Some("interval") => values().collect::<Option<_>>().map(Self::Intervals),
            _ => None,
        }
        .unwrap_or(Self::Labels)
    }

    /// Returns the value of the state with the index `state` and the name `name`; `None` if the value is an interval.
    fn of(&self, state: usize, name: &str) -> Option<Value> {
        match self {
            Self::Boolean => Some(Value::Truth(state == 1)),
            Self::Numbers(numbers) => numbers.get(state).copied().map(Value::Number),
            Self::Intervals(_) => None,
            Self::Labels => Some(Value::Label(name.to_owned())),
        }
    }

    /// Returns the index of the state that has the value `value`, or whose interval contains `value`.
    fn state(&self, value: &Value, names: &[&str]) -> Option<usize> {
        match (self, value) {
            (Self::Boolean, Value::Truth(truth)) => Some(usize::from(*truth)),
            (Self::Numbers(numbers), Value::Number(x)) => numbers.iter().position(|y| x == y),
            (Self::Intervals(bounds), Value::Number(x)) => {
                let mut pairs = bounds.windows(2);
                let within = pairs.position(|pair| pair[0] <= *x && *x < pair[1]);
                let last = bounds.len().checked_sub(2);
                within.or_else(|| last.filter(|_| bounds.last() == Some(x)))
            }
            (Self::Labels, Value::Label(label)) => names.iter().position(|name| name == label),
            _ => None,
        }
    }
}

/// Parses the number `word`, which may be infinite.
fn number(word: &str) -> Option<f64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let number = match digits {
        "infinity" => f64::INFINITY,
        _ => digits.parse().ok()?,
    };
    // The subtraction turns -0.0 into 0.0, so that both zeros are the same value.
    Some(if digits.len() < word.len() {
        0.0 - number
    } else {
        number + 0.0
    })
}

/// Defines the conditional table of a node by the formulas of its potential. A node has one formula for each joint state of the nodes that
/// `model_nodes` lists; the last of these nodes varies fastest.
pub(super) fn define(
    draft: &mut NetworkDraft,
    (names, values): (&FullNames, &FxHashMap<String, StateValues>),
    (potential, model): (&Potential<'_>, &Model<'_>),
) -> LexerResult<()> {
    let (text, at) = model.text();
    let all = formulas(text, at)?;
    let (place, name) = names.of(potential.subject);
    let parents = potential.parents.iter().map(|&parent| names.of(parent));
    let parents = draft.scope(parents)?;
    let nodes = potential.nodes.iter().map(|&node| names.of(node));
    let nodes = draft.scope(nodes)?;
    let position = |node: &usize| parents.iter().position(|parent| parent == node);
    let Some(nodes) = nodes.iter().map(position).collect::<Option<Vec<usize>>>() else {
        return Err(unread(at, "a model node is not a parent"));
    };
    let sizes = parents.iter().map(|&p| draft.variables[p].states.len());
    let sizes: Vec<usize> = sizes.collect();
    let counts = nodes.iter().map(|&node| sizes[node] as u128);
    let needed = counts.fold(1_u128, u128::saturating_mul);
    mistakes::check_entries(at, all.len(), needed)?;
    let child = draft
        .index
        .get(name)
        .copied()
        .filter(|_| !draft.is_utility(name));
    if child.is_some_and(|child| draft.is_decision(child)) {
        return Err(unread(at, "a decision has no formula; leave it out"));
    }
    if child.is_some_and(|child| parents.contains(&child)) {
        return Err(LexerError::new(place, mistakes::repeated_in_table(name)));
    }
    let scope: Vec<usize> = parents.iter().copied().chain(child).collect();
    let entries = draft.implied_entries(place, &scope, 0)?;
    let columns = child.map_or(1, |child| draft.variables[child].states.len());
    let combinations = Assignments::rows(sizes.iter().copied());
    let mut numbers = vec![0.0; entries];
    let identifiers: Vec<&str> = potential.parents.iter().map(|&(_, name)| name).collect();
    for row in 0..entries / columns {
        let states: Vec<usize> = combinations
            .values(row)
            .map(|state| state as usize)
            .collect();
        let formula = nodes
            .iter()
            .fold(0, |number, &node| number * sizes[node] + states[node]);
        let formula: &Formula = &all[formula];
        let value = formula.value(&|identifier| {
            let parent = identifiers.iter().position(|&own| own == identifier)?;
            let variable = &draft.variables[parents[parent]];
            let state = variable.states.get(states[parent]).map_or("", State::name);
            values.get(variable.name())?.of(states[parent], state)
        })?;
        let at = formula.at().unwrap_or(at);
        let row = &mut numbers[row * columns..][..columns];
        match (&value, child) {
            (Value::Number(number), None) => row[0] = *number,
            (_, None) => return Err(unread(at, "a utility is a number")),
            (Value::Distribution(shares), _) if shares.len() == columns => {
                if let Some(share) = shares.iter().find(|&&share| share < 0.0) {
                    return Err(LexerError::new(at, mistakes::weight(*share)));
                }
                row.copy_from_slice(shares);
            }
            (value, Some(child)) => {
                let states = draft.variables[child].states.iter().map(State::name);
                let states: Vec<&str> = states.collect();
                let state = values.get(name).and_then(|own| own.state(value, &states));
                let state = state.filter(|&state| state < columns).ok_or_else(|| {
                    let message = match value {
                        Value::Truth(truth) => truth.to_string(),
                        Value::Number(number) => number.to_string(),
                        Value::Label(label) => format!("\"{label}\""),
                        Value::Distribution(_) => "a distribution over other states".to_owned(),
                    };
                    unread(
                        at,
                        format!("its value {message} belongs to no state of `{name}`"),
                    )
                })?;
                row[state] = 1.0;
            }
        }
    }
    if child.is_none() {
        let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
        let parents = potential.parents.iter().map(|&parent| names.of(parent));
        return draft.define(
            (place, name),
            parents,
            words.iter().map(|word| (at, word.as_str())),
        );
    }
    for (row, numbers) in numbers.chunks_mut(columns).enumerate() {
        draft.check_row(&scope, row, numbers, at)?;
    }
    draft.push_table(place, scope, numbers);
    Ok(())
}
