//! Writes networks in XDSL.

use std::fmt::Write as _;

use super::super::names::identifiers;
use super::super::{Network, NetworkError, NetworkFormat, State, Variable, markup};
use super::{NAME, PLACE, STATE};

/// Writes a Bayesian network as an XDSL document. Each number in the XDSL document has the fewest digits from which the same number is read back, and
/// nodes are written after their parents. Names that are not identifiers are stored in XDSL as properties.
pub(in super::super) fn write(network: &Network) -> Result<String, NetworkError> {
    let escaped = |name: &str| markup::escaped(name, NetworkFormat::Xdsl);
    let variables = network.variables();
    let names: Vec<&str> = variables.iter().map(Variable::name).collect();
    let ids = identifiers(&names);
    let mut table_of = vec![None; variables.len()];
    let mut parents: Vec<&[usize]> = vec![&[]; variables.len()];
    for table in network.tables() {
        if let Some((&child, own)) = table.variables().split_last() {
            table_of[child] = Some(table);
            parents[child] = own;
        }
    }
    let children = network.order.iter();
    let children = children.filter_map(|&table| network.tables[table].variables.last());
    let order: Vec<usize> = children.copied().collect();
    let is_sorted = order.is_sorted();
    let own = identifiers(&[network.name()]).concat();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<smile version=\"1.0\" id=\"{own}\">\n\t<nodes>\n"
    );
    // Writing to a string cannot fail.
    for &node in &order {
        let Some(table) = table_of[node] else {
            continue;
        };
        let _ = writeln!(text, "\t\t<cpt id=\"{}\">", ids[node]);
        let states: Vec<&str> = variables[node].states().iter().map(State::name).collect();
        let state_ids = identifiers(&states);
        for id in &state_ids {
            let _ = writeln!(text, "\t\t\t<state id=\"{id}\" />");
        }
        if !parents[node].is_empty() {
            let names: Vec<&str> = parents[node].iter().map(|&p| ids[p].as_str()).collect();
            let _ = writeln!(text, "\t\t\t<parents>{}</parents>", names.join(" "));
        }
        text.push_str("\t\t\t<probabilities>");
        for (i, number) in table.numbers().iter().enumerate() {
            let _ = write!(text, "{}{number:?}", if i > 0 { " " } else { "" });
        }
        text.push_str("</probabilities>\n");
        let name = variables[node].name();
        if ids[node] != name {
            property(&mut text, NAME, &escaped(name)?);
        }
        for (i, (id, state)) in state_ids.iter().zip(states).enumerate() {
            if id != state {
                property(&mut text, &format!("{STATE}{i}"), &escaped(state)?);
            }
        }
        if !is_sorted {
            property(&mut text, PLACE, &node.to_string());
        }
        text.push_str("\t\t</cpt>\n");
    }
    let name = escaped(network.name())?;
    let _ = writeln!(
        text,
        "\t</nodes>\n\t<extensions>\n\t\t<genie version=\"1.0\" app=\"figrs\" name=\"{name}\">"
    );
    for node in order {
        let (id, name) = (&ids[node], escaped(variables[node].name())?);
        let _ = writeln!(
            text,
            "\t\t\t<node id=\"{id}\">\n\t\t\t\t<name>{name}</name>\n\t\t\t</node>"
        );
    }
    text.push_str("\t\t</genie>\n\t</extensions>\n</smile>\n");
    Ok(text)
}

fn property(text: &mut String, id: &str, value: &str) {
    let _ = writeln!(text, "\t\t\t<property id=\"{id}\">{value}</property>");
}
