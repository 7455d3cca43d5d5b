//! Writes networks in NET.

use std::fmt::Write as _;

use super::super::names::identifiers;
use super::super::{Network, NetworkError, NetworkFormat, Variable};

/// Writes a Bayesian network as text in NET. Each number has the fewest digits from which the same number is read back, and parentheses enclose the
/// numbers for each state of each parent. Names that are not identifiers are stored as attributes.
pub(in super::super) fn write(network: &Network) -> Result<String, NetworkError> {
    let variables = network.variables();
    let names: Vec<&str> = variables.iter().map(Variable::name).collect();
    let ids = identifiers(&names);
    // Writing to a string cannot fail.
    let mut text = format!("net\n{{\n    name = {};\n}}\n", quoted(network.name())?);
    for (variable, id) in variables.iter().zip(&ids) {
        let _ = write!(text, "\nnode {id}\n{{\n    states = (");
        for state in variable.states().iter() {
            let _ = write!(text, " {}", quoted(state.name())?);
        }
        text.push_str(" );\n");
        if id != variable.name() {
            let name = quoted(variable.name())?;
            let _ = writeln!(text, "    label = {name};\n    figrs_name = {name};");
        }
        text.push_str("}\n");
    }
    for table in network.tables() {
        let Some((&child, parents)) = table.variables().split_last() else {
            continue;
        };
        let _ = write!(text, "\npotential ( {}", ids[child]);
        if !parents.is_empty() {
            let names: Vec<&str> = parents.iter().map(|&p| ids[p].as_str()).collect();
            let _ = write!(text, " | {}", names.join(" "));
        }
        text.push_str(" )\n{\n    data = ");
        // For each variable, the number of table entries for one of its states, and for all of its states.
        let mut sizes = vec![1];
        for &variable in table.variables().iter().rev() {
            sizes.push(sizes[sizes.len() - 1] * variables[variable].states().len());
        }
        for (i, number) in table.numbers().iter().enumerate() {
            let begun = sizes[1..].iter().filter(|&&size| i.is_multiple_of(size));
            text.push_str(&"(".repeat(begun.count()));
            let ended = sizes[1..]
                .iter()
                .filter(|&&size| (i + 1).is_multiple_of(size));
            let ended = ended.count();
            let _ = write!(text, " {number:?}");
            if ended > 0 {
                text.push(' ');
                text.push_str(&")".repeat(ended));
            }
            if ended > 0 && i + 1 < table.numbers().len() {
                text.push_str("\n           ");
            }
        }
        text.push_str(";\n}\n");
    }
    Ok(text)
}

/// Writes a text in quotes; returns an error if the text contains a quotation mark or a line end.
fn quoted(name: &str) -> Result<String, NetworkError> {
    if name.contains(['"', '\n']) {
        return Err(NetworkError::of_name(name, NetworkFormat::Net));
    }
    Ok(format!("\"{name}\""))
}
