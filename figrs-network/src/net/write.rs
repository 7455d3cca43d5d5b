//! Writes networks in NET.

use std::fmt::Write as _;

use super::super::names::identifiers;
use super::super::{LinearNormal, Network, NetworkError, NetworkFormat, RealVariable, Variable};

/// Writes a Bayesian network and its real variables as text in NET. Each number in the text has the fewest digits from which the same number is read
/// back, and parentheses enclose the numbers for each state of each parent. Names that are not identifiers are stored in NET as attributes.
pub(in super::super) fn write(
    network: &Network,
    reals: &[RealVariable],
) -> Result<String, NetworkError> {
    let variables = network.variables();
    let names = variables.iter().map(Variable::name);
    let names: Vec<&str> = names.chain(reals.iter().map(RealVariable::name)).collect();
    let ids = identifiers(&names);
    let (ids, real_ids) = ids.split_at(variables.len());
    // Writing to a string cannot fail.
    let mut text = format!("net\n{{\n    name = {};\n}}\n", quoted(network.name())?);
    for (variable, id) in variables.iter().zip(ids) {
        let _ = write!(text, "\nnode {id}\n{{\n    states = (");
        for state in variable.states().iter() {
            let _ = write!(text, " {}", quoted(state.name())?);
        }
        text.push_str(" );\n");
        text.push_str(&full_name(variable.name(), id)?);
        text.push_str("}\n");
    }
    for (real, id) in reals.iter().zip(real_ids) {
        let name = full_name(&real.name, id)?;
        let _ = write!(text, "\ncontinuous node {id}\n{{\n{name}}}\n");
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
        let sizes = table.variables().iter();
        let sizes = sizes.map(|&variable| variables[variable].states().len());
        let sizes: Vec<usize> = sizes.collect();
        let numbers = table.numbers().iter().map(|number| format!("{number:?}"));
        text.push_str(&nested(&sizes, numbers));
        text.push_str(";\n}\n");
    }
    for (real, id) in reals.iter().zip(real_ids) {
        let finite = real.finite_parents().iter().map(|&p| ids[p].as_str());
        let parents = finite.chain(real.real_parents().iter().map(|&p| real_ids[p].as_str()));
        let parents: Vec<&str> = parents.collect();
        let _ = write!(text, "\npotential ( {id}");
        if !parents.is_empty() {
            let _ = write!(text, " | {}", parents.join(" "));
        }
        text.push_str(" )\n{\n    data = ");
        let parents = real.finite_parents().iter();
        let sizes = parents.map(|&parent| variables[parent].states().len());
        let mut sizes: Vec<usize> = sizes.collect();
        if sizes.is_empty() {
            // A node without finite parents has a list of one distribution.
            sizes.push(1);
        }
        let rows = real.rows().iter().map(|row| normal(row, real_ids));
        text.push_str(&nested(&sizes, rows));
        text.push_str(";\n}\n");
    }
    Ok(text)
}

/// Formats the entries of a table over variables with `sizes` states, with parentheses around the entries for each state of each variable except the
/// last variable. In the list of table entries, the last variable varies fastest.
fn nested(sizes: &[usize], entries: impl ExactSizeIterator<Item = String>) -> String {
    // For each variable, the number of table entries for one of its states, and for all of its states.
    let mut blocks = vec![1];
    for size in sizes.iter().rev() {
        blocks.push(blocks[blocks.len() - 1] * size);
    }
    let count = entries.len();
    let mut text = String::new();
    for (i, entry) in entries.enumerate() {
        let begun = blocks[1..].iter().filter(|&&size| i.is_multiple_of(size));
        text.push_str(&"(".repeat(begun.count()));
        let ended = blocks[1..]
            .iter()
            .filter(|&&size| (i + 1).is_multiple_of(size));
        let ended = ended.count();
        let _ = write!(text, " {entry}");
        if ended > 0 {
            text.push(' ');
            text.push_str(&")".repeat(ended));
        }
        if ended > 0 && i + 1 < count {
            text.push_str("\n           ");
        }
    }
    text
}

/// Returns the attributes that store the name of a node, if the name differs from the identifier `id`.
fn full_name(name: &str, id: &str) -> Result<String, NetworkError> {
    if id == name {
        return Ok(String::new());
    }
    let name = quoted(name)?;
    Ok(format!("    label = {name};\n    figrs_name = {name};\n"))
}

/// Formats the normal distribution `row`, given the identifiers of the real variables.
fn normal(row: &LinearNormal, ids: &[String]) -> String {
    let mut mean = format!("{:?}", row.constant);
    for &(variable, coefficient) in &row.terms {
        let sign = if coefficient < 0.0 { '-' } else { '+' };
        let _ = write!(mean, " {sign} {:?} * {}", coefficient.abs(), ids[variable]);
    }
    format!("normal ( {mean}, {:?} )", row.variance)
}

/// Returns `name` in quotes; an error if `name` contains a quotation mark or a line end.
fn quoted(name: &str) -> Result<String, NetworkError> {
    if name.contains(['"', '\n']) {
        return Err(NetworkError::of_name(name, NetworkFormat::Net));
    }
    Ok(format!("\"{name}\""))
}
