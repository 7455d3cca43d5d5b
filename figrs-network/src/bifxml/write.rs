//! Writes Bayesian networks in BIFXML, an XML format.

use std::fmt::Write as _;

use super::super::{Network, NetworkError, NetworkFormat, markup};

/// Writes a Bayesian network as a BIFXML document; each number has as few digits as possible such that the same number is read back.
pub(in super::super) fn write(network: &Network) -> Result<String, NetworkError> {
    let escaped = |name: &str| markup::escaped(name, NetworkFormat::Bifxml);
    let variables = network.variables();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BIF VERSION=\"0.3\">\n<NETWORK>\n<NAME>{}</NAME>\n",
        escaped(network.name())?
    );
    // Writing to a string cannot fail.
    for variable in variables {
        let name = escaped(variable.name())?;
        let _ = writeln!(text, "<VARIABLE TYPE=\"nature\">\n\t<NAME>{name}</NAME>");
        for state in variable.states().iter() {
            let _ = writeln!(text, "\t<OUTCOME>{}</OUTCOME>", escaped(state.name())?);
        }
        text.push_str("</VARIABLE>\n");
    }
    for table in network.tables() {
        let Some((&child, parents)) = table.variables().split_last() else {
            continue;
        };
        let name = escaped(variables[child].name())?;
        let _ = writeln!(text, "<DEFINITION>\n\t<FOR>{name}</FOR>");
        for &parent in parents {
            let name = escaped(variables[parent].name())?;
            let _ = writeln!(text, "\t<GIVEN>{name}</GIVEN>");
        }
        text.push_str("\t<TABLE>\n");
        for row in table.numbers().chunks(variables[child].states().len()) {
            text.push('\t');
            for number in row {
                let _ = write!(text, " {number:?}");
            }
            text.push('\n');
        }
        text.push_str("\t</TABLE>\n</DEFINITION>\n");
    }
    text.push_str("</NETWORK>\n</BIF>\n");
    Ok(text)
}
