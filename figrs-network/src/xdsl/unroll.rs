//! Unrolls dynamic Bayesian networks of `GeNIe` to a given number of time slices.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::lexer::{LexerResult, unexpected};
use super::super::mistakes;
use super::super::names::FullNames;
use super::read::{Definition, XdslNode};

/// Maximum number of variables of an unrolled dynamic network.
const MOST_VARIABLES: usize = 1 << 20;

/// The times at which a node of a dynamic network occurs: once, or in each time slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TimeKind {
    /// The node occurs once and is common to all time slices.
    #[default]
    Contemporal,
    /// The node occurs once, before the first time slice.
    Anchor,
    /// The node occurs once in each time slice.
    Plate,
    /// The node occurs once, after the last time slice.
    Terminal,
}

/// For the name of each node in the repeated part (the plate) of a dynamic network, the definitions of the node by order. In a dynamic network, a
/// definition of order `k` applies to a repeated node from the time slice `k` on, until the next definition applies.
pub(super) type Temporal<'t> = FxHashMap<String, BTreeMap<usize, XdslNode<'t>>>;

/// Returns the definitions of the nodes of a dynamic network that is unrolled to `slices` time slices. A repeated node (a node of the plate) has a
/// definition in each time slice `t`, with the name of the node followed by `_t`.
///
/// In a dynamic network, a definition of order `k` depends on the node's parents in the same time slice, except anchors. A definition of order `k` of
/// a repeated node also depends on the nodes that the definitions of the orders `1..=k` list, each as many time slices earlier as its order. If the
/// table of a definition is too small for all parents, the definition depends only on the nodes that the definition itself lists.
///
/// **References.** `BayesFusion`, "SMILE Programmer's Manual" (dynamic Bayesian networks).
pub(super) fn unrolled<'n, 't>(
    nodes: &'n [XdslNode<'t>],
    temporal: &'n Temporal<'t>,
    names: &'n FullNames,
    slices: usize,
) -> LexerResult<Vec<Definition<'n, 't>>> {
    let plan = Unrolling {
        nodes: nodes
            .iter()
            .map(|node| (node.name.as_str(), node))
            .collect(),
        temporal,
        names,
        slices,
    };
    let plate = nodes.iter().filter(|node| node.time == TimeKind::Plate);
    let plate: Vec<&XdslNode<'t>> = plate.collect();
    let needed = plate.len() as u128 * slices as u128;
    let at = plate.first().map_or(0, |node| node.at);
    mistakes::check_size(at, "variables", needed, MOST_VARIABLES)?;
    let of =
        |kinds: &'static [TimeKind]| nodes.iter().filter(move |node| kinds.contains(&node.time));
    let mut definitions = Vec::new();
    for node in of(&[TimeKind::Contemporal, TimeKind::Anchor]) {
        definitions.push(plan.once(node));
    }
    if !plate.is_empty() {
        for slice in 0..slices {
            for node in &plate {
                definitions.push(plan.in_slice(node, slice)?);
            }
        }
    }
    for node in of(&[TimeKind::Terminal]) {
        definitions.push(plan.once(node));
    }
    Ok(definitions)
}

struct Unrolling<'n, 't> {
    nodes: FxHashMap<&'n str, &'n XdslNode<'t>>,
    temporal: &'n Temporal<'t>,
    names: &'n FullNames,
    slices: usize,
}

impl<'n, 't> Unrolling<'n, 't> {
    fn once(&self, node: &'n XdslNode<'t>) -> Definition<'n, 't> {
        let last = self.slices.saturating_sub(1);
        let parents = node.parents.words().map(|parent| {
            let (at, name) = self.names.of(parent);
            let is_last = node.time == TimeKind::Terminal;
            let slice = Some(last).filter(|_| is_last && self.is(name, TimeKind::Plate));
            (at, in_slice(name, slice))
        });
        Definition {
            at: node.at,
            name: node.name.clone(),
            parents: parents.collect(),
            declared: node,
            node,
            is_copy: false,
        }
    }

    fn parents<'s>(&'s self, node: &'s XdslNode<'t>) -> Vec<(usize, &'s str)> {
        node.parents
            .words()
            .map(|parent| self.names.of(parent))
            .collect()
    }

    fn is(&self, name: &str, kind: TimeKind) -> bool {
        self.nodes.get(name).is_some_and(|node| node.time == kind)
    }

    /// Returns the definition of the repeated node `declared` in the time slice `slice`.
    fn in_slice(
        &self,
        declared: &'n XdslNode<'t>,
        slice: usize,
    ) -> LexerResult<Definition<'n, 't>> {
        let orders = self.temporal.get(&declared.name);
        let mut orders_so_far = orders.into_iter().flat_map(|orders| orders.range(..=slice));
        let last = orders_so_far.next_back();
        let is_first = last.is_none();
        let mut own = self.parents(declared);
        let is_anchor = |(_, name): &&(usize, &str)| self.is(name, TimeKind::Anchor);
        if let Some(&(at, name)) = own.iter().find(is_anchor)
            && is_first
            && slice > 0
        {
            let expected = "a definition of order 1 of a node with an anchor among its parents";
            return Err(unexpected(at, name, expected));
        }
        own.retain(|parent| is_first || !is_anchor(&parent));
        let placed = |(at, name): (usize, &str)| {
            let slice = Some(slice).filter(|_| self.is(name, TimeKind::Plate));
            (at, in_slice(name, slice))
        };
        let within: Vec<(usize, String)> = own.iter().copied().map(placed).collect();
        let Some((&order, node)) = last else {
            return Ok(defined(declared, declared, slice, within));
        };
        let before =
            |order: usize, (at, name): (usize, &str)| (at, in_slice(name, Some(slice - order)));
        let mut all = within;
        let orders = orders.into_iter().flat_map(|orders| orders.range(..=order));
        for (&order, listed) in orders {
            let listed = self.parents(listed);
            let listed = listed.into_iter();
            let timed = listed.filter(|&(_, name)| self.is(name, TimeKind::Plate));
            all.extend(timed.map(|parent| before(order, parent)));
        }
        let listed = self.parents(node);
        let mut names = listed.iter();
        let is_of_plate = names.all(|(_, name)| self.is(name, TimeKind::Plate));
        if is_of_plate && self.fits(declared, node, &all) {
            return Ok(defined(declared, node, slice, all));
        }
        let alone = listed.into_iter().map(|(at, name)| {
            let is_within = name != declared.name && own.iter().any(|&(_, own)| own == name);
            if is_within || !self.is(name, TimeKind::Plate) {
                placed((at, name))
            } else {
                before(order, (at, name))
            }
        });
        let alone: Vec<(usize, String)> = alone.collect();
        let parents = if self.fits(declared, node, &alone) {
            alone
        } else {
            all
        };
        Ok(defined(declared, node, slice, parents))
    }

    /// True if the table of `node` has the number of entries that the parents `parents` require.
    fn fits(
        &self,
        declared: &XdslNode<'_>,
        node: &XdslNode<'_>,
        parents: &[(usize, String)],
    ) -> bool {
        let sizes = parents.iter().map(|(_, parent)| {
            let name = parent
                .rsplit_once('_')
                .map_or(parent.as_str(), |(name, _)| name);
            let known = self
                .nodes
                .get(parent.as_str())
                .or_else(|| self.nodes.get(name));
            known.map_or(0, |node| node.states.len())
        });
        let own = declared.states.len();
        let needed = match declared.kind.as_str() {
            "noisymax" => (sizes.sum::<usize>() + 1).saturating_mul(own),
            "deterministic" => sizes.fold(1, usize::saturating_mul),
            _ => sizes.fold(own, usize::saturating_mul),
        };
        node.words.words().take(needed.saturating_add(1)).count() == needed
    }
}

fn defined<'n, 't>(
    declared: &'n XdslNode<'t>,
    node: &'n XdslNode<'t>,
    slice: usize,
    parents: Vec<(usize, String)>,
) -> Definition<'n, 't> {
    Definition {
        at: node.at,
        name: in_slice(&declared.name, Some(slice)),
        parents,
        declared,
        node,
        is_copy: slice > 0,
    }
}

/// Returns the name in the time slice `slice` of the repeated node named `name`.
fn in_slice(name: &str, slice: Option<usize>) -> String {
    match slice {
        Some(slice) => format!("{name}_{slice}"),
        None => name.to_owned(),
    }
}
