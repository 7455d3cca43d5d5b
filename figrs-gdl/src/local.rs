//! Local stratification, which orders the evaluation of negated facts one by one if whole relations cannot be ordered.
//!
//! Ground rules are *locally stratified* if no atom depends on its own negation. Locally stratified rules have one perfect model, which is computed
//! for one component of the dependency graph after another.

use std::collections::VecDeque;

use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use figrs_reading::{Mistake, MistakeKind};

use super::ground::{AtomNumbering, GroundRules, ground};
use super::kif::KifError;
use super::limits::LimitExceeded;
use super::machine::RuleMachine;
use super::saturate::Facts;
use super::state::GameState;
use super::syntax::{Literal, Rule, SymbolId, Symbols};

/// Maximum number of rules that an error about a cycle of rules lists.
const MOST_SHOWN: usize = 6;

/// A cycle of dependencies between ground atoms that contains a negation: each atom depends on the next one, and the last atom on the first.
#[derive(Debug)]
pub(super) struct NegativeCycle {
    /// The atoms of the cycle; the first atom depends on the negation of the second.
    atoms: Vec<u32>,
    /// For each atom of the cycle, `true` if the atom depends on the negation of the next atom.
    negated: Vec<bool>,
    /// Index of the rule by which the first atom of the cycle depends on the second atom.
    source: u32,
}

/// A cycle that contains a negation, with the offset of the negation in the text.
#[derive(Debug)]
pub(super) struct LocatedCycle {
    cycle: NegativeCycle,
    numbering: AtomNumbering,
    at: usize,
}

#[derive(Debug)]
pub(super) enum GroundingError {
    TooLarge(LimitExceeded),
    /// Error: some facts that depend on neither state nor move depend on their own negation.
    Cycle(LocatedCycle),
}

impl From<LimitExceeded> for GroundingError {
    fn from(exceeded: LimitExceeded) -> Self {
        Self::TooLarge(exceeded)
    }
}

impl NegativeCycle {
    /// Finds the offset, in the text of `rules`, of the negation that the cycle of dependencies contains.
    pub(super) fn within(
        self,
        rules: &[&Rule],
        numbering: AtomNumbering,
        facts: &Facts,
    ) -> LocatedCycle {
        let source = rules[self.source as usize];
        let second = self.atoms[1 % self.atoms.len()];
        let negation = numbering.relation(second, facts).and_then(|(relation, _)| {
            source.body.iter().find_map(|literal| match literal {
                Literal::Fails(atom) if atom.relation == relation => Some(atom.at),
                _ => None,
            })
        });
        LocatedCycle {
            at: negation.unwrap_or(source.head.at),
            cycle: self,
            numbering,
        }
    }
}

impl LocatedCycle {
    /// Returns the error that reports the cycle of dependencies at its offset in the text.
    pub(super) fn message(&self, facts: &Facts, symbols: &Symbols) -> KifError {
        let NegativeCycle { atoms, negated, .. } = &self.cycle;
        let text = |atom: u32| self.numbering.text(atom, facts, symbols);
        let nexts = atoms.iter().cycle().skip(1);
        let links = atoms.iter().zip(nexts).zip(negated);
        let link = |((&head, &condition), &negated): ((&u32, &u32), &bool)| {
            let not = if negated { "not " } else { "" };
            format!("{} if {not}{}", text(head), text(condition))
        };
        let mut cycle: Vec<String> = links.take(MOST_SHOWN).map(link).collect();
        if atoms.len() > MOST_SHOWN {
            cycle.push(format!("and {} more", atoms.len() - MOST_SHOWN));
        }
        let problem = format!(
            "`{}` depends on its own negation through this condition ({})",
            text(atoms[0]),
            cycle.join(", ")
        );
        let remedy = "break the cycle of rules";
        KifError::new(
            self.at,
            Mistake::new(MistakeKind::Contradiction, problem, remedy),
        )
    }
}

/// Returns a cycle of atoms that contains a negation; `None` if there is none. The argument `graph` has an edge from each condition to its head;
/// `rank` has the index of each atom's strongly connected component.
pub(super) fn negative_cycle(
    graph: &DiGraph<(), ()>,
    rules: &GroundRules,
    rank: &[u32],
) -> Option<NegativeCycle> {
    let within = |a: u32, b: u32| rank[a as usize] == rank[b as usize];
    let (head, condition, source) = rules.iter().find_map(|(rule, &source)| {
        let mut conditions = rule.body.iter();
        let found = conditions.find(|c| !c.holds() && within(c.atom(), rule.head));
        found.map(|condition| (rule.head, condition.atom(), source))
    })?;
    // The shortest path from the head to the condition; each atom of the path is a condition of the next atom.
    let mut before: FxHashMap<u32, u32> = FxHashMap::default();
    let mut open = VecDeque::from([head]);
    while let Some(atom) = open.pop_front().filter(|&atom| atom != condition) {
        for next in graph.neighbors(NodeIndex::new(atom as usize)) {
            let next = next.index() as u32;
            if within(next, head) && next != head && !before.contains_key(&next) {
                before.insert(next, atom);
                open.push_back(next);
            }
        }
    }
    let mut atoms = vec![head];
    let mut at = condition;
    while at != head {
        atoms.push(at);
        at = before[&at];
    }
    let positive: FxHashSet<(u32, u32)> = rules
        .keys()
        .filter(|rule| within(rule.head, head))
        .flat_map(|rule| {
            let positive = rule.body.iter().filter(|c| c.holds());
            positive.map(|c| (rule.head, c.atom()))
        })
        .collect();
    let nexts = atoms.iter().cycle().skip(1);
    let links = atoms.iter().zip(nexts).enumerate();
    let negated =
        links.map(|(place, (&head, &next))| place == 0 || !positive.contains(&(head, next)));
    Some(NegativeCycle {
        negated: negated.collect(),
        atoms,
        source,
    })
}

/// Adds the facts of relations that depend on their own negation, but on neither state nor move, in the order of dependencies between facts.
pub(super) fn add_locally(facts: &mut Facts, rules: &[&Rule]) -> Result<(), GroundingError> {
    let heads: FxHashSet<SymbolId> = rules.iter().map(|rule| rule.head.relation).collect();
    let is_open = |relation| heads.contains(&relation);
    facts.saturate(rules, &is_open)?;
    let (numbering, ground_rules) = ground(rules, &is_open, facts)?;
    let machine = match RuleMachine::new(&numbering, ground_rules) {
        Ok(machine) => machine,
        Err(cycle) => {
            let cycle = cycle.within(rules, numbering, facts);
            return Err(GroundingError::Cycle(cycle));
        }
    };
    let all: Vec<u32> = (0..numbering.count as u32).collect();
    let held = machine.run(&machine.cone(all), &GameState([].into()));
    for relation in heads {
        let tuples = &mut facts.tuples[relation.0 as usize];
        tuples.retain(&facts.terms, |tuple| {
            held.has(numbering.atom(relation, tuple))
        });
    }
    Ok(())
}
