//! Static checks of rules, and the order in which relations are evaluated. The checks test that variables are bound, and that no relation depends on
//! a relation that is evaluated later.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashSet;

use super::kif::{KifError, KifResult};
use super::syntax::{Literal, Rule, SymbolId, Symbols};
use figrs_reading::{Mistake, MistakeKind};

/// Name of the relation `does` (the move) in error messages; no relation is evaluated later than the relations that depend on the move.
const MOVE: &str = "the move (`does`)";

/// Dependencies between the relations that the rules define, as determined by the checks.
#[derive(Debug)]
pub(super) struct Relations {
    /// For each name, `true` if its relation depends on the state or the move.
    changes: Vec<bool>,
    /// For each name, the stratum of its relation: the step at which the relation is evaluated; no relation depends on a later stratum.
    strata: Vec<usize>,
    /// For each stratum of relations, `true` if a relation of the stratum depends on its own negation.
    negated: Vec<bool>,
    undefined: Vec<SymbolId>,
}

impl Relations {
    pub(super) fn new(rules: &[Rule], symbols: &Symbols) -> KifResult<Self> {
        for rule in rules {
            safe(rule)?;
        }
        let count = symbols.len();
        let (strata, negated) = strata(rules, count);
        let moving = reached(rules, count, &[SymbolId::DOES]);
        let asked = [
            SymbolId::NEXT,
            SymbolId::LEGAL,
            SymbolId::GOAL,
            SymbolId::TERMINAL,
        ];
        let state = [&asked[..], &[SymbolId::TRUE]].concat();
        let decided = reached(rules, count, &state);
        let changes = reached(rules, count, &[&state[..], &[SymbolId::DOES]].concat());
        for rule in rules {
            let early = |on: &'static str, known: &[bool]| match decisive(rule, known) {
                Some(at) => {
                    let relation = symbols.name(rule.head.relation);
                    let problem =
                        format!("`{relation}` depends on {on}, which is determined later");
                    let remedy = "remove the condition";
                    let mistake = Mistake::new(MistakeKind::Contradiction, problem, remedy);
                    Err(KifError::new(at, mistake))
                }
                None => Ok(()),
            };
            match rule.head.relation {
                SymbolId::ROLE | SymbolId::INIT => {
                    early(MOVE, &moving)?;
                    early(
                        "the state (`true`, `legal`, `goal` or `terminal`)",
                        &decided,
                    )?;
                }
                SymbolId::LEGAL | SymbolId::GOAL | SymbolId::TERMINAL => early(MOVE, &moving)?,
                _ => {}
            }
        }
        Ok(Self {
            changes,
            strata,
            negated,
            undefined: undefined(rules),
        })
    }

    /// True if `relation` depends on the state or the move, or is `next`, `legal`, `goal` or `terminal`.
    pub(super) fn changes(&self, relation: SymbolId) -> bool {
        self.changes[relation.0 as usize]
    }

    /// Returns the relations that occur in conditions but that no rule defines.
    pub(super) fn undefined(&self) -> &[SymbolId] {
        &self.undefined
    }

    pub(super) fn stratum(&self, relation: SymbolId) -> usize {
        self.strata[relation.0 as usize]
    }

    pub(super) fn is_negated(&self, stratum: usize) -> bool {
        self.negated[stratum]
    }
}

fn safe(rule: &Rule) -> KifResult<()> {
    let mut bound = vec![false; rule.variables.len()];
    for literal in &rule.body {
        if let Literal::Holds(atom) = literal {
            atom.each_variable(&mut |variable| bound[variable] = true);
        }
    }
    let mut free = None;
    let mut look = |at: usize, variable: usize| {
        if !bound[variable] {
            free.get_or_insert((at, variable));
        }
    };
    rule.head
        .each_variable(&mut |variable| look(rule.head.at, variable));
    for literal in &rule.body {
        let (Literal::Holds(atom) | Literal::Fails(atom)) = literal else {
            let Literal::Compared { at, .. } = literal else {
                continue;
            };
            literal.each_variable(&mut |variable| look(*at, variable));
            continue;
        };
        atom.each_variable(&mut |variable| look(atom.at, variable));
    }
    match free {
        Some((at, variable)) => {
            let variable = &rule.variables[variable];
            let problem =
                format!("the variable `{variable}` occurs in no positive condition of its rule");
            let mistake = Mistake::new(
                MistakeKind::Missing,
                problem,
                "add one that lists its values",
            );
            Err(KifError::new(at, mistake))
        }
        None => Ok(()),
    }
}

/// Returns for each condition of `rule` its relation, its offset in the text, and `true` if the condition is negated.
fn conditions(rule: &Rule) -> impl Iterator<Item = (SymbolId, usize, bool)> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Holds(atom) => Some((atom.relation, atom.at, false)),
        Literal::Fails(atom) => Some((atom.relation, atom.at, true)),
        Literal::Compared { .. } => None,
    })
}

fn undefined(rules: &[Rule]) -> Vec<SymbolId> {
    let heads: FxHashSet<SymbolId> = rules.iter().map(|rule| rule.head.relation).collect();
    let named = rules.iter().flat_map(conditions).map(|(name, ..)| name);
    let given = |name: &SymbolId| matches!(*name, SymbolId::TRUE | SymbolId::DOES);
    let undefined = named.filter(|name| !heads.contains(name) && !given(name));
    undefined.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the stratum of each name's relation. For each stratum, also returns true if a relation of the stratum depends on the negation of a
/// relation of the same stratum.
fn strata(rules: &[Rule], count: usize) -> (Vec<usize>, Vec<bool>) {
    let mut graph = DiGraph::<(), ()>::new();
    for _ in 0..count {
        graph.add_node(());
    }
    let node = |symbol: SymbolId| NodeIndex::new(symbol.0 as usize);
    for rule in rules {
        for (relation, ..) in conditions(rule) {
            graph.add_edge(node(relation), node(rule.head.relation), ());
        }
    }
    let mut strata = vec![0; count];
    // `kosaraju_scc` returns the components in reverse topological order.
    for (number, component) in kosaraju_scc(&graph).iter().rev().enumerate() {
        for relation in component {
            strata[relation.index()] = number;
        }
    }
    let mut negated = vec![false; count];
    for rule in rules {
        let stratum = strata[rule.head.relation.0 as usize];
        negated[stratum] |= conditions(rule)
            .any(|(relation, _, negated)| negated && strata[relation.0 as usize] == stratum);
    }
    (strata, negated)
}

/// Returns true for each name whose relation is among the relations `from`, or depends on a relation of `from`.
fn reached(rules: &[Rule], count: usize, from: &[SymbolId]) -> Vec<bool> {
    let mut reached = vec![false; count];
    let mut readers: Vec<Vec<SymbolId>> = vec![Vec::new(); count];
    for rule in rules {
        for (relation, ..) in conditions(rule) {
            readers[relation.0 as usize].push(rule.head.relation);
        }
    }
    let mut open = from.to_vec();
    while let Some(relation) = open.pop() {
        if !std::mem::replace(&mut reached[relation.0 as usize], true) {
            open.extend_from_slice(&readers[relation.0 as usize]);
        }
    }
    reached
}

/// Returns the offset in the text of the first condition of `rule` that uses a relation marked in `relations`.
fn decisive(rule: &Rule, relations: &[bool]) -> Option<usize> {
    let mut all = conditions(rule);
    let found = all.find(|(relation, ..)| relations[relation.0 as usize]);
    found.map(|(_, at, _)| at)
}
