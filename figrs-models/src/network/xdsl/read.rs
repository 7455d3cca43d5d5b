//! Reads XDSL.

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult};
use super::super::xml::{XmlElement, XmlReader, XmlText};
use super::super::{NetworkKind, TextProblem};
use super::additive::{AdditiveUtility, add_weights};
use super::resulting::resulting;

/// A node with its offset, name and contents.
#[derive(Default)]
pub(super) struct XdslNode<'t> {
    pub(super) at: usize,
    kind: String,
    pub(super) name: String,
    states: Vec<(usize, String)>,
    pub(super) parents: XmlText<'t>,
    /// Probabilities, utilities, weights or resulting states.
    pub(super) words: XmlText<'t>,
}

/// The network or influence diagram of a document; nodes stand in any order.
pub(in super::super) fn read(text: &str) -> LexerResult<NetworkDraft> {
    let (mut xml, root) = XmlReader::open(text)?;
    if root.name() != "smile" {
        return Err(root.unexpected("<smile>"));
    }
    let name = root.attribute("id")?.unwrap_or_default();
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, name);
    let mut nodes = Vec::new();
    let mut has_nodes = false;
    while let Some(element) = xml.child()? {
        match element.name() {
            "nodes" if !has_nodes => {
                has_nodes = true;
                while let Some(element) = xml.child()? {
                    nodes.push(node(&mut xml, &element)?);
                }
            }
            // Nodes of several time slices, which the tables alone do not tell.
            "nodes" | "dynamic" => return Err(element.unexpected("one <nodes>, of one time slice")),
            _ => xml.skip()?,
        }
    }
    if !has_nodes {
        return Err(root.unexpected("<nodes> in <smile>"));
    }
    xml.end()?;
    let mut sums = Vec::new();
    for node in &mut nodes {
        let states = std::mem::take(&mut node.states);
        match node.kind.as_str() {
            "decision" => draft.declare_decision(node.at, &node.name, states)?,
            "utility" => draft.declare_utility(node.at, &node.name)?,
            "mau" => sums.push(AdditiveUtility::new(node)?),
            _ => drop(draft.declare(node.at, &node.name, states)?),
        }
    }
    for node in &nodes {
        let (subject, parents) = ((node.at, node.name.as_str()), node.parents.words());
        match node.kind.as_str() {
            "mau" => {}
            "deterministic" => resulting(&mut draft, node)?,
            _ => draft.define(subject, parents, node.words.words())?,
        }
    }
    draft.check_definitions()?;
    add_weights(&mut draft, &sums)?;
    Ok(draft)
}

/// A node of a kind that is known.
fn node<'t>(xml: &mut XmlReader<'t>, element: &XmlElement<'t>) -> LexerResult<XdslNode<'t>> {
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
        "decision" => "",
        _ => return Err(unread(&node, node.kind.clone())),
    };
    while let Some(element) = xml.child()? {
        match element.name() {
            "state" => {
                let name = element.required("id", "a state with an `id`")?;
                node.states.push((element.at, name));
                xml.skip()?;
            }
            "parents" => node.parents = xml.content()?,
            name if name == contents => node.words = xml.content()?,
            "expression" | "expressions" | "definition" => {
                return Err(unread(&node, format!("{} with an expression", node.kind)));
            }
            _ => xml.skip()?,
        }
    }
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
