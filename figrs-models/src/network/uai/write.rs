//! Writes UAI networks.

use std::fmt::Write as _;

use super::super::{Network, NetworkKind};

/// The text of a network: numbers in their shortest form that reads back the same.
pub(in super::super) fn write(network: &Network) -> String {
    let variables = network.variables();
    let kind = match network.kind() {
        NetworkKind::Bayesian => "BAYES",
        NetworkKind::Markov => "MARKOV",
    };
    // Writing to a string cannot fail.
    let mut text = format!("{kind}\n{}\n", variables.len());
    line(&mut text, variables.iter().map(|v| v.states().len()));
    let _ = writeln!(text, "{}", network.tables().len());
    for table in network.tables() {
        let scope = table.variables();
        line(&mut text, [scope.len()].iter().chain(scope).copied());
    }
    for table in network.tables() {
        let _ = write!(text, "\n{}\n", table.numbers().len());
        let columns = match (network.kind(), table.variables().last()) {
            (NetworkKind::Bayesian, Some(&child)) => variables[child].states().len(),
            _ => table.numbers().len(),
        };
        for row in table.numbers().chunks(columns.max(1)) {
            for number in row {
                let _ = write!(text, " {number:?}");
            }
            text.push('\n');
        }
    }
    text
}

fn line(text: &mut String, numbers: impl Iterator<Item = usize>) {
    for (i, number) in numbers.enumerate() {
        let _ = write!(text, "{}{number}", if i > 0 { " " } else { "" });
    }
    text.push('\n');
}
