//! Reads XDSL.

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult};
use super::super::names::{FullNames, nearest};
use super::super::xml::{XmlElement, XmlReader, XmlText};
use super::super::{NetworkKind, NetworkReader, TextProblem};
use super::additive::{AdditiveUtility, add_weights};
use super::noisy_max::noisy_max;
use super::resulting::resulting;
use super::{NAME, PLACE, STATE};

/// A node with its offset, name and contents.
#[derive(Default)]
pub(super) struct XdslNode<'t> {
    pub(super) at: usize,
    kind: String,
    pub(super) name: String,
    states: Vec<(usize, String)>,
    pub(super) parents: XmlText<'t>,
    /// Probabilities, utilities, weights, parameters or resulting states.
    pub(super) words: XmlText<'t>,
    /// Of a noisy-MAX node: the states of each parent from the strongest on.
    pub(super) strengths: XmlText<'t>,
    /// Its place among the variables, where it stands at another one.
    place: Option<usize>,
}

/// The network or influence diagram of a document; nodes stand in any order.
pub(in super::super) fn read(text: &str, reader: &NetworkReader) -> LexerResult<NetworkDraft> {
    let (mut xml, root) = XmlReader::open(text)?;
    if root.name() != "smile" {
        return Err(root.unexpected("<smile>"));
    }
    let name = root.attribute("id")?.unwrap_or_default();
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, name).read_by(reader);
    let mut names = FullNames::default();
    let mut nodes = Vec::new();
    let mut has_nodes = false;
    while let Some(element) = xml.child()? {
        match element.name() {
            "nodes" if !has_nodes => {
                has_nodes = true;
                while let Some(element) = xml.child()? {
                    nodes.push(node(&mut xml, &element, &mut names)?);
                }
            }
            // Nodes of several time slices, which the tables alone do not tell.
            "nodes" | "dynamic" => return Err(element.unexpected("one <nodes>, of one time slice")),
            "extensions" => {
                let name = full_name(&mut xml, &draft.name)?;
                draft.name = name.unwrap_or(draft.name);
            }
            _ => xml.skip()?,
        }
    }
    if !has_nodes {
        return Err(root.unexpected("<nodes> in <smile>"));
    }
    xml.end()?;
    if nodes.iter().all(|node: &XdslNode<'_>| node.place.is_some()) {
        nodes.sort_by_key(|node| node.place);
    }
    let mut sums = Vec::new();
    for node in &mut nodes {
        let states = std::mem::take(&mut node.states);
        match node.kind.as_str() {
            "decision" => draft.declare_decision(node.at, &node.name, states)?,
            "utility" => draft.declare_utility(node.at, &node.name)?,
            "mau" => sums.push(AdditiveUtility::new(node, &names)?),
            _ => drop(draft.declare(node.at, &node.name, states)?),
        }
    }
    for node in &nodes {
        let subject = (node.at, node.name.as_str());
        let parents = node.parents.words().map(|parent| names.of(parent));
        match node.kind.as_str() {
            "mau" => {}
            "deterministic" => resulting(&mut draft, node, &names)?,
            "noisymax" => noisy_max(&mut draft, node, &names)?,
            _ => draft.define(subject, parents, node.words.words())?,
        }
    }
    draft.check_definitions()?;
    add_weights(&mut draft, &sums)?;
    Ok(draft)
}

/// The name of the network in the extensions, if its identifier is made of that.
fn full_name(xml: &mut XmlReader<'_>, identifier: &str) -> LexerResult<Option<String>> {
    let mut name = None;
    while let Some(element) = xml.child()? {
        if element.name() == "genie" {
            name = element.attribute("name")?;
        }
        xml.skip()?;
    }
    Ok(name.filter(|name| nearest(name) == identifier))
}

/// A node of a kind that is known.
fn node<'t>(
    xml: &mut XmlReader<'t>,
    element: &XmlElement<'t>,
    names: &mut FullNames,
) -> LexerResult<XdslNode<'t>> {
    let mut node = XdslNode {
        at: element.at,
        kind: element.name().to_owned(),
        name: element.required("id", "a node with an `id`")?,
        ..XdslNode::default()
    };
    let contents = match element.name() {
        "cpt" => "probabilities",
        "deterministic" => "resultingstates",
        "utility" => "utilities",
        "mau" => "weights",
        "noisymax" => "parameters",
        "decision" => "",
        _ => return Err(unread(&node, node.kind.clone())),
    };
    let mut name = None;
    while let Some(element) = xml.child()? {
        match element.name() {
            "state" => {
                let name = element.required("id", "a state with an `id`")?;
                node.states.push((element.at, name));
                xml.skip()?;
            }
            "parents" => node.parents = xml.content()?,
            "strengths" if contents == "parameters" => node.strengths = xml.content()?,
            name if name == contents => node.words = xml.content()?,
            "expression" | "expressions" | "definition" => {
                return Err(unread(&node, format!("{} with an expression", node.kind)));
            }
            "property" => {
                let key = element.attribute("id")?.unwrap_or_default();
                let value = xml.content()?;
                let state = key.strip_prefix(STATE).and_then(|index| index.parse().ok());
                let state: Option<&mut (usize, String)> =
                    state.and_then(|index: usize| node.states.get_mut(index));
                if let Some((_, state)) = state {
                    *state = value.name();
                } else if key == NAME {
                    name = Some(value.name());
                } else if key == PLACE {
                    node.place = value.name().parse().ok();
                }
            }
            _ => xml.skip()?,
        }
    }
    node.name = names.add(node.at, &node.name, name)?;
    Ok(node)
}

/// The error that a node cannot be read.
fn unread(node: &XdslNode<'_>, kind: String) -> LexerError {
    let node_name = node.name.clone();
    let problem = TextProblem::NodeKind {
        node: node_name,
        kind,
    };
    LexerError::new(node.at, problem)
}
