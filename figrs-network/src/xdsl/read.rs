//! Reads networks and influence diagrams in XDSL.

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult, unexpected};
use super::super::names::{FullNames, nearest};
use super::super::xml::{XmlElement, XmlReader, XmlText};
use super::super::{NetworkKind, NetworkReader, mistakes};
use super::additive::{AdditiveUtility, add_weights};
use super::noisy_max::{noisy_max, resulting};
use super::unroll::{Temporal, TimeKind, unrolled};
use super::{NAME, PLACE, STATE};
use figrs_reading::{Mistake, MistakeKind};

/// A node of the XDSL document, with its offset, name and contents.
#[derive(Default)]
pub(super) struct XdslNode<'t> {
    pub(super) at: usize,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) states: Vec<(usize, String)>,
    pub(super) parents: XmlText<'t>,
    /// The text with the numbers of the node (probabilities, utilities, weights or parameters), or with its resulting states.
    pub(super) words: XmlText<'t>,
    /// For a noisy-MAX node, the list of each parent's states from the strongest to the weakest.
    pub(super) strengths: XmlText<'t>,
    /// The index of the node's variable in the network, if it differs from the index of the node in the file.
    place: Option<usize>,
    /// The time slices of a dynamic Bayesian network in which the node occurs.
    pub(super) time: TimeKind,
}

pub(super) struct Definition<'n, 't> {
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) parents: Vec<(usize, String)>,
    /// The node of the document that declares the kind and the states of the variable.
    pub(super) declared: &'n XdslNode<'t>,
    /// The node of the document that contains the numbers of this definition's table.
    pub(super) node: &'n XdslNode<'t>,
    /// True if an earlier definition of a variable uses the same list of numbers in the text.
    pub(super) is_copy: bool,
}

/// Parses the network or influence diagram of an XDSL document, whose nodes may come in any order.
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
    let mut temporal = Temporal::default();
    let mut dynamic = None;
    while let Some(element) = xml.child()? {
        match element.name() {
            "nodes" if !has_nodes => {
                has_nodes = true;
                while let Some(element) = xml.child()? {
                    let (mut node, name) = node(&mut xml, &element)?;
                    node.name = names.add(node.at, &node.name, name)?;
                    nodes.push(node);
                }
            }
            "nodes" => return Err(element.unexpected("one <nodes>")),
            "dynamic" => {
                let slices = element.attribute("numslices")?;
                dynamic = Some((
                    element.at,
                    slices.and_then(|slices| slices.trim().parse().ok()),
                ));
                while let Some(element) = xml.child()? {
                    let order = element.required("order", "a definition with an `order`")?;
                    let order: usize = (order.parse().ok().filter(|&order| order > 0))
                        .ok_or_else(|| unexpected(element.at, &order, "an order from 1 on"))?;
                    let (node, _) = node(&mut xml, &element)?;
                    let (_, name) = names.of((node.at, &node.name));
                    let orders = temporal.entry(name.to_owned()).or_default();
                    orders.insert(order, node);
                }
            }
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
    let slices = match (dynamic, reader.slices) {
        (None, _) => 1,
        (Some(_), Some(slices)) => slices as usize,
        (Some((at, slices)), None) => {
            return Err(LexerError::new(at, no_slices(slices)));
        }
    };
    let definitions = unrolled(&nodes, &temporal, &names, slices)?;
    let mut sums = Vec::new();
    for definition in &definitions {
        let (at, node) = (definition.declared.at, definition.declared);
        let states = node.states.clone();
        match node.kind.as_str() {
            "decision" => draft.declare_decision(at, &definition.name, states)?,
            "utility" => draft.declare_utility(at, &definition.name)?,
            "mau" => sums.push(AdditiveUtility::new(node, &names)?),
            _ => drop(draft.declare(at, &definition.name, states)?),
        }
    }
    for definition in definitions {
        match definition.declared.kind.as_str() {
            "mau" => {}
            "deterministic" => resulting(&mut draft, &definition)?,
            "noisymax" => noisy_max(&mut draft, &definition)?,
            _ => {
                let Definition {
                    at, name, parents, ..
                } = &definition;
                if definition.is_copy {
                    let subject = [(*at, name.as_str())];
                    let all = parents.iter().map(|(at, parent)| (*at, parent.as_str()));
                    let scope = draft.scope(all.chain(subject))?;
                    draft.implied_entries(*at, &scope, 0)?;
                }
                let words = definition.node.words.words();
                draft.define(
                    (*at, name),
                    parents.iter().map(|(at, parent)| (*at, parent)),
                    words,
                )?;
            }
        }
    }
    draft.check_definitions()?;
    add_weights(&mut draft, &sums)?;
    Ok(draft)
}

/// Returns the full name of the network, which the document stores if the identifier of the network was made from this name.
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

/// Parses an XDSL node of a known kind. The function returns the parsed node, and its full name if the name differs from the identifier.
fn node<'t>(
    xml: &mut XmlReader<'t>,
    element: &XmlElement<'t>,
) -> LexerResult<(XdslNode<'t>, Option<String>)> {
    let time = element.attribute("dynamic")?;
    let mut node = XdslNode {
        at: element.at,
        time: match time.as_deref() {
            Some("plate") => TimeKind::Plate,
            Some("anchor") => TimeKind::Anchor,
            Some("terminal") => TimeKind::Terminal,
            _ => TimeKind::Contemporal,
        },
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
        _ => return Err(unread(&node, &node.kind)),
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
                return Err(unread(&node, &format!("{} with an expression", node.kind)));
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
    Ok((node, name))
}

fn unread(node: &XdslNode<'_>, kind: &str) -> LexerError {
    LexerError::new(node.at, mistakes::node_kind(&node.name, kind))
}

/// Returns the error that a network is dynamic, but the reader has no number of time slices for unrolling it.
pub(super) fn no_slices(slices: Option<u32>) -> Mistake {
    let own = slices.map_or_else(String::new, |slices| format!(" of {slices} slices"));
    let problem = format!("a dynamic network{own}");
    let remedy = "have the reader unroll it to a number of slices";
    Mistake::new(MistakeKind::Unsupported, problem, remedy).with_setting("slices")
}
