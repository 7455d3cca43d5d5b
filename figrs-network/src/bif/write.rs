//! Writes networks in BIF.

use std::fmt::Write as _;

use figrs_factor::graph::Assignments;

use super::super::{Network, NetworkError, NetworkFormat, NetworkTable, State, Variable};
use super::token::is_bare;

/// Writes a Bayesian network as BIF text; each number has as few digits as possible such that the same number is read back.
pub(in super::super) fn write(network: &Network) -> Result<String, NetworkError> {
    let states = network.variables().iter().flat_map(|v| v.states().iter());
    let names = network.variables().iter().map(Variable::name);
    let mut names = names.chain(states.map(State::name)).chain([network.name()]);
    if let Some(name) = names.find(|name| name.contains(['"', '\n'])) {
        return Err(NetworkError::of_name(name, NetworkFormat::Bif));
    }
    let mut text = String::from("network ");
    if !network.name().is_empty() {
        name(&mut text, network.name());
        text.push(' ');
    }
    text.push_str("{\n}\n");
    for variable in network.variables() {
        text.push_str("variable ");
        name(&mut text, variable.name());
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            " {{\n  type discrete [ {} ] {{ ",
            variable.states().len()
        );
        list(&mut text, variable.states().iter().map(State::name));
        text.push_str(" };\n}\n");
    }
    for table in network.tables() {
        block(&mut text, network, table);
    }
    Ok(text)
}

fn block(text: &mut String, network: &Network, table: &NetworkTable) {
    let Some((&child, parents)) = table.variables().split_last() else {
        return;
    };
    let variables = network.variables();
    text.push_str("probability ( ");
    name(text, variables[child].name());
    if !parents.is_empty() {
        text.push_str(" | ");
        list(text, parents.iter().map(|&p| variables[p].name()));
    }
    text.push_str(" ) {\n");
    let combinations = Assignments::rows(parents.iter().map(|&p| variables[p].states().len()));
    let rows = table.numbers().chunks(variables[child].states().len());
    for (number, row) in rows.enumerate() {
        if parents.is_empty() {
            text.push_str("  table ");
        } else {
            text.push_str("  (");
            let states = parents.iter().zip(combinations.values(number));
            let states = states.filter_map(|(&p, x)| variables[p].states().get(x as usize));
            list(text, states.map(State::name));
            text.push_str(") ");
        }
        for (i, number) in row.iter().enumerate() {
            let _ = write!(text, "{}{number:?}", if i > 0 { ", " } else { "" });
        }
        text.push_str(";\n");
    }
    text.push_str("}\n");
}

fn list<'n>(text: &mut String, names: impl Iterator<Item = &'n str>) {
    for (i, it) in names.enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        name(text, it);
    }
}

/// Appends the name `name` to the BIF text `text`. A name is written in quotes if a reader of the BIF text could otherwise take it for another token.
fn name(text: &mut String, name: &str) {
    let comment = name.contains("//") || name.contains("/*");
    if !name.is_empty() && name.chars().all(is_bare) && !comment {
        text.push_str(name);
    } else {
        let _ = write!(text, "\"{name}\"");
    }
}
