//! Rules without variables.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::check::Relations;
use super::join::NestedLoopJoin;
use super::limits::LimitExceeded;
use super::saturate::Facts;
use super::syntax::{Atom, Literal, Rule, SymbolId};

/// Bits in a word.
pub(super) const WORD: usize = u64::BITS as usize;

/// Numbering of ground atoms: for each relation that changes, the index of its first atom.
///
/// Facts of the state come first, then those of the next state in the same order; each of the two parts begins at a word.
#[derive(Debug)]
pub(super) struct AtomNumbering {
    starts: Vec<usize>,
    /// Number of words of a state.
    pub(super) words: usize,
    /// Number of atoms.
    pub(super) count: usize,
}

impl AtomNumbering {
    fn new(facts: &Facts, relations: &Relations) -> Self {
        let words = facts.of(SymbolId::TRUE).len().div_ceil(WORD);
        let mut count = 2 * words * WORD;
        let start = |(name, tuples): (usize, &super::tuples::Tuples)| {
            let relation = SymbolId(name as u32);
            match relation {
                SymbolId::TRUE => 0,
                SymbolId::NEXT => words * WORD,
                _ if relations.changes(relation) => {
                    count += tuples.len();
                    count - tuples.len()
                }
                _ => usize::MAX,
            }
        };
        let starts = facts.tuples.iter().enumerate().map(start).collect();
        Self {
            starts,
            words,
            count,
        }
    }

    /// Number of a relation's atom with this tuple; a fact of the next state has the tuple of the present one.
    pub(super) fn atom(&self, relation: SymbolId, tuple: usize) -> u32 {
        (self.starts[relation.0 as usize] + tuple) as u32
    }
}

/// A condition: an atom that holds, or one that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct GroundLiteral(u32);

impl GroundLiteral {
    fn new(atom: u32, holds: bool) -> Self {
        Self(atom << 1 | u32::from(!holds))
    }

    #[inline]
    pub(super) fn atom(self) -> u32 {
        self.0 >> 1
    }

    /// True if the atom has to hold, false if it has to fail.
    #[inline]
    pub(super) fn holds(self) -> bool {
        self.0 & 1 == 0
    }
}

/// A rule without variables: the atom holds if all conditions do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct GroundRule {
    pub(super) head: u32,
    pub(super) body: Box<[GroundLiteral]>,
}

/// The rules for all values of their variables, each once, and the numbers of their atoms.
pub(super) fn ground(
    rules: &[Rule],
    relations: &Relations,
    facts: &mut Facts,
) -> Result<(AtomNumbering, Vec<GroundRule>), LimitExceeded> {
    let numbering = AtomNumbering::new(facts, relations);
    let mut found = IndexSet::<GroundRule, FxBuildHasher>::default();
    for rule in rules.iter().filter(|r| relations.changes(r.head.relation)) {
        facts.each_match(rule, relations, |facts, join| {
            if let Some(rule) = instance(rule, relations, &numbering, facts, join) {
                found.insert(rule);
            }
            facts.limits.check_rules(found.len())
        })?;
    }
    Ok((numbering, found.into_iter().collect()))
}

/// The rule for the present values of its variables; `None` if its conditions exclude each other.
fn instance(
    rule: &Rule,
    relations: &Relations,
    numbering: &AtomNumbering,
    facts: &Facts,
    join: &NestedLoopJoin<'_>,
) -> Option<GroundRule> {
    let number = |atom: &Atom| {
        let tuple = join.row(atom, &facts.terms)?;
        Some(numbering.atom(atom.relation, tuple))
    };
    let head = match rule.head.relation {
        // A fact of the next state is one of the present state too, and has its number.
        SymbolId::NEXT => {
            let fact = join.row_in(SymbolId::TRUE, &rule.head, &facts.terms)?;
            numbering.atom(SymbolId::NEXT, fact)
        }
        _ => number(&rule.head)?,
    };
    let mut body = Vec::new();
    for literal in &rule.body {
        let (atom, holds) = match literal {
            Literal::Holds(atom) => (atom, true),
            Literal::Fails(atom) => (atom, false),
            Literal::Compared { .. } => continue,
        };
        if !relations.changes(atom.relation) {
            continue;
        }
        match number(atom) {
            Some(atom) => body.push(GroundLiteral::new(atom, holds)),
            // It can never hold.
            None if holds => return None,
            None => {}
        }
    }
    body.sort_unstable();
    body.dedup();
    let clash = |pair: &[GroundLiteral]| pair[0].atom() == pair[1].atom();
    let never = body.windows(2).any(clash);
    (!never).then(|| GroundRule {
        head,
        body: body.into(),
    })
}
