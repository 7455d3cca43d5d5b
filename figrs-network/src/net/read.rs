//! Reads networks and influence diagrams in NET.

use super::super::draft::NetworkDraft;
use super::super::lexer::{Input, LexerError, LexerResult, unexpected};
use super::super::names::FullNames;
use rustc_hash::FxHashMap;

use super::super::{NetworkKind, NetworkReader, mistakes};
use super::block::{Attributes, Name, Potential, attributes, potential};
use super::generated::{self, StateValues};
use super::normal;
use super::token::{Dialect, Net};

const BLOCKS: &str = "`net`, `node`, `continuous node`, `decision`, `utility` or `potential`";

/// Parses the network or influence diagram of a text, whose nodes and potentials may come in any order.
pub(in super::super) fn read(text: &str, reader: &NetworkReader) -> LexerResult<NetworkDraft> {
    let mut input = Input::new(text);
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, String::new()).read_by(reader);
    let mut names = FullNames::default();
    let mut values = FxHashMap::default();
    let mut potentials = Vec::new();
    // An empty text is not a network, so a missing first word is an error.
    let mut next = Some(Net::word(&mut input, BLOCKS)?);
    while let Some(first) = next {
        match first {
            (_, "net") => {
                let name = attributes(&mut input)?.name;
                name.unwrap_or_default().clone_into(&mut draft.name);
            }
            (_, "potential") => potentials.push(potential(&mut input)?),
            kind => node(&mut input, kind, &mut draft, (&mut names, &mut values))?,
        }
        next = Net::next_word(&mut input, BLOCKS)?;
    }
    for potential in &potentials {
        define(&mut draft, (&names, &values), potential)?;
    }
    draft.check_definitions()?;
    Ok(draft)
}

/// Parses the block of a chance variable, decision or utility, after its first word.
fn node<'t>(
    input: &mut Input<'t>,
    first: Name<'t>,
    draft: &mut NetworkDraft,
    (names, values): (&mut FullNames, &mut FxHashMap<String, StateValues>),
) -> LexerResult<()> {
    let is_known = |word: &str| {
        let known = ["discrete", "node", "decision", "utility"];
        let unread = ["class", "continuous", "function"];
        known.contains(&word) || unread.contains(&word)
    };
    let mut kinds: Vec<&str> = Vec::new();
    let (mut at, mut name) = first;
    while is_known(name) {
        kinds.push(name);
        // The name of a node may also be the word for a kind of node: the last word before the opening brace is the name.
        (at, name) = Net::word(input, "a name")?;
        if mark_ahead(input)? {
            break;
        }
    }
    if kinds.is_empty() {
        return Err(unexpected(at, name, BLOCKS));
    }
    let kind = kinds.join(" ");
    let discrete = kind.strip_prefix("discrete ").unwrap_or(&kind);
    if !["node", "continuous node", "decision", "utility"].contains(&discrete) {
        return Err(LexerError::new(at, mistakes::node_kind(name, &kind)));
    }
    let attributes = attributes(input)?;
    let own = StateValues::new(&attributes);
    let Attributes {
        full_name, states, ..
    } = attributes;
    let name = names.add(at, name, full_name.map(str::to_owned))?;
    values.insert(name.clone(), own);
    match discrete {
        "node" => draft.declare(at, &name, states).map(drop),
        "continuous node" => draft.declare_real(at, &name),
        "decision" => draft.declare_decision(at, &name, states),
        _ => draft.declare_utility(at, &name),
    }
}

/// True if the next token is the brace that opens the attributes of a block.
fn mark_ahead(input: &Input<'_>) -> LexerResult<bool> {
    Net::mark(&mut input.clone(), '{')
}

/// Defines a node by its potential: a table of numbers, or formulas for the numbers.
fn define(
    draft: &mut NetworkDraft,
    (names, values): (&FullNames, &FxHashMap<String, StateValues>),
    potential: &Potential<'_>,
) -> LexerResult<()> {
    let (at, name) = names.of(potential.subject);
    if draft.is_real(name) {
        return normal::define(draft, names, potential);
    }
    if let Some(normals) = &potential.normals {
        return Err(LexerError::new(
            normals.text().1,
            mistakes::normal_data(name),
        ));
    }
    let Some(data) = &potential.data else {
        if let Some(model) = &potential.model {
            return generated::define(draft, (names, values), (potential, model));
        }
        let parents = potential.parents.iter().map(|&parent| names.of(parent));
        return draft.define((at, name), parents, std::iter::empty());
    };
    let parents = potential.parents.iter().map(|&parent| names.of(parent));
    draft.define((at, name), parents.clone(), data.words())?;
    // An innermost list has one number for each state of the node itself; for a utility, one number for each state of the last parent.
    let last = potential.parents.last().filter(|_| draft.is_utility(name));
    let (_, last) = names.of(*last.unwrap_or(&potential.subject));
    let needed = draft
        .index
        .get(last)
        .map(|&v| draft.variables[v].states().len());
    match (data.columns, needed) {
        (Some((at, found)), Some(needed)) => mistakes::check_entries(at, found, needed as u128),
        _ => Ok(()),
    }
}
