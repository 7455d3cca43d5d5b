//! Reads Bayesian networks and influence diagrams in BIFXML, an XML format.

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerResult, unexpected};
use super::super::xml::{XmlElement, XmlReader, XmlText};
use super::super::{NetworkKind, NetworkReader};

/// The contents of a `DEFINITION` element of BIFXML; in the table of a definition, the state of the defined variable varies fastest.
struct Definition<'t> {
    subject: (usize, String),
    given: Vec<(usize, String)>,
    table: XmlText<'t>,
}

/// Parses the network or influence diagram of a BIFXML document, whose variables and definitions may come in any order.
pub(in super::super) fn read(text: &str, reader: &NetworkReader) -> LexerResult<NetworkDraft> {
    let (mut xml, root) = XmlReader::open(text)?;
    if root.name() != "BIF" {
        return Err(root.unexpected("<BIF>"));
    }
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, String::new()).read_by(reader);
    let mut definitions = Vec::new();
    let mut has_network = false;
    while let Some(element) = xml.child()? {
        if element.name() != "NETWORK" || std::mem::replace(&mut has_network, true) {
            return Err(element.unexpected("one <NETWORK>"));
        }
        while let Some(element) = xml.child()? {
            match element.name() {
                "NAME" => draft.name = xml.content()?.name(),
                "PROPERTY" => xml.skip()?,
                "VARIABLE" => variable(&mut xml, &element, &mut draft)?,
                "DEFINITION" => definitions.push(definition(&mut xml, &element)?),
                _ => {
                    let what = "<NAME>, <VARIABLE>, <DEFINITION> or <PROPERTY>";
                    return Err(element.unexpected(what));
                }
            }
        }
    }
    if !has_network {
        return Err(root.unexpected("<NETWORK> in <BIF>"));
    }
    xml.end()?;
    for Definition {
        subject: (at, name),
        given,
        table,
    } in definitions
    {
        draft.define((at, &name), given, table.words())?;
    }
    draft.check_definitions()?;
    Ok(draft)
}

/// Parses the BIFXML element that declares a chance variable, a decision or a utility.
fn variable<'t>(
    xml: &mut XmlReader<'t>,
    element: &XmlElement<'t>,
    draft: &mut NetworkDraft,
) -> LexerResult<()> {
    let mut name = None;
    let mut states = Vec::new();
    while let Some(element) = xml.child()? {
        match element.name() {
            "NAME" if name.is_none() => name = Some((element.at, xml.content()?.name())),
            "OUTCOME" => states.push((element.at, xml.content()?.name())),
            "PROPERTY" => xml.skip()?,
            _ => return Err(element.unexpected("one <NAME>, <OUTCOME> or <PROPERTY>")),
        }
    }
    let Some((at, name)) = name else {
        return Err(element.unexpected("<NAME> in <VARIABLE>"));
    };
    let kind = element.attribute("TYPE")?.unwrap_or_default();
    match kind.to_ascii_lowercase().as_str() {
        "" | "nature" => draft.declare(at, &name, states).map(drop),
        "decision" => draft.declare_decision(at, &name, states),
        "utility" => draft.declare_utility(at, &name),
        _ => {
            let what = "the type `nature`, `decision` or `utility`";
            Err(unexpected(element.at, &kind, what))
        }
    }
}

/// Parses a BIFXML definition: the parents and the table of a variable.
fn definition<'t>(
    xml: &mut XmlReader<'t>,
    element: &XmlElement<'t>,
) -> LexerResult<Definition<'t>> {
    let (mut subject, mut given, mut table) = (None, Vec::new(), None);
    while let Some(element) = xml.child()? {
        match element.name() {
            "FOR" if subject.is_none() => subject = Some((element.at, xml.content()?.name())),
            "GIVEN" => given.push((element.at, xml.content()?.name())),
            "TABLE" if table.is_none() => table = Some(xml.content()?),
            "PROPERTY" => xml.skip()?,
            _ => {
                let what = "one <FOR>, <GIVEN>, one <TABLE> or <PROPERTY>";
                return Err(element.unexpected(what));
            }
        }
    }
    let Some(subject) = subject else {
        return Err(element.unexpected("<FOR> in <DEFINITION>"));
    };
    let table = table.unwrap_or_default();
    Ok(Definition {
        subject,
        given,
        table,
    })
}
