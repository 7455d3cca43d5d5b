//! The identity of the run to which a part belongs: its settings and hashes of its data, by which parts of other runs are recognised.

use figrs_core::graph::ModelGraph;
use figrs_core::{AnyElement, Model};
use serde::{Deserialize, Serialize};

/// The identity of the run to which a part belongs: its settings and hashes of its data, by which parts of other runs are recognised. Parts of
/// different runs are never merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartIdentity {
    pub(crate) version: String,
    /// Name of the run, and its index among the runs of the program.
    pub(crate) run: String,
    pub(crate) place: u32,
    /// Number of parts of the run, and total number of its units of work.
    pub(crate) parts: u64,
    pub(crate) units: u64,
    /// The settings that determine the run's units of work, as text.
    pub(crate) settings: String,
    /// Hash of the model or the data of the run, by which the run is identified. The pilot hash is computed from the graph of the model and a few
    /// samples, from the cases of a learning run, or from the first item of a set of items.
    pub(crate) pilot: u64,
    /// The learning round, if the run learns parameters.
    pub(crate) round: Option<Round>,
}

/// A round of parameter learning: the number of the round, and a hash of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Round {
    pub(crate) number: u64,
    pub(crate) parameters: u64,
}

impl PartIdentity {
    /// Returns the first property in which the identities of two runs differ: the name of the property, and its two values.
    pub(crate) fn difference(&self, other: &Self) -> Option<[String; 3]> {
        let numbers = |name: &str, a: u64, b: u64| {
            (a != b).then(|| [name.to_owned(), a.to_string(), b.to_string()])
        };
        let texts = |name: &str, a: &str, b: &str| {
            (a != b).then(|| [name.to_owned(), a.to_owned(), b.to_owned()])
        };
        let version = texts("version of figrs", &self.version, &other.version);
        let place = (u64::from(self.place), u64::from(other.place));
        version
            .or_else(|| texts("run", &self.run, &other.run))
            .or_else(|| numbers("position among the runs", place.0, place.1))
            .or_else(|| numbers("number of parts", self.parts, other.parts))
            .or_else(|| setting(&self.settings, &other.settings))
            .or_else(|| numbers("number of units", self.units, other.units))
            .or_else(|| numbers("model (hash of its draws)", self.pilot, other.pilot))
            .or_else(|| {
                let (a, b) = self.round.zip(other.round)?;
                let round = numbers("round", a.number, b.number);
                round.or_else(|| numbers("round's parameters (hash)", a.parameters, b.parameters))
            })
    }
}

/// Returns the first setting that differs between the texts of two runs' settings.
fn setting(a: &str, b: &str) -> Option<[String; 3]> {
    if a == b {
        return None;
    }
    let (mut left, mut right) = (a.split(", "), b.split(", "));
    loop {
        match (left.next(), right.next()) {
            (Some(a), Some(b)) if a == b => {}
            (None, None) => return None,
            (a, b) => {
                return Some(["setting".into(), innermost(a), innermost(b)]);
            }
        }
    }
}

/// Returns the name and the value of the innermost field in a text of nested settings.
fn innermost(piece: Option<&str>) -> String {
    let field = piece.and_then(|piece| piece.rsplit("{ ").next());
    field
        .map_or("none", |field| field.trim_end_matches([' ', '}']))
        .to_owned()
}

/// Returns a hash of bytes that is the same on all machines.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let forward = crc32fast::hash(bytes);
    let mut reversed = bytes.to_vec();
    reversed.reverse();
    u64::from(forward) << 32 | u64::from(crc32fast::hash(&reversed))
}

/// Returns, as text, the elements of a model outside of the branches of `Chain` elements, and the dependencies between these elements.
pub(crate) fn graph_text(model: &Model, targets: &[AnyElement]) -> String {
    let graph = ModelGraph::new(model, targets);
    let nodes = graph.nodes().iter().map(|node| {
        let stated = (&node.evidence, &node.intervention, node.target);
        format!("{:?} {:?} {stated:?}", node.label, node.distribution)
    });
    let edges = graph.edges().iter();
    let edges = edges.map(|edge| format!("{} {}", edge.from, edge.to));
    nodes.chain(edges).collect()
}
