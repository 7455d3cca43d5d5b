//! Ground rules: the instances of rules in which variables are replaced by values.

use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::FxBuildHasher;

use super::join::NestedLoopJoin;
use super::limits::LimitExceeded;
use super::saturate::Facts;
use super::syntax::{Atom, Literal, Rule, SymbolId, Symbols};

pub(super) const WORD: usize = u64::BITS as usize;

/// A numbering of the ground atoms (atoms without variables): for each relation that depends on the state or the move, the index of its first atom.
///
/// In the numbering, the facts of the present state come first, then the facts of the next state in the same order; each of the two groups begins at
/// a new machine word.
#[derive(Clone, Debug)]
pub(super) struct AtomNumbering {
    starts: Vec<usize>,
    /// Number of machine words of a state.
    pub(super) words: usize,
    pub(super) count: usize,
}

impl AtomNumbering {
    fn new(facts: &Facts, is_open: &impl Fn(SymbolId) -> bool) -> Self {
        let words = facts.of(SymbolId::TRUE).len().div_ceil(WORD);
        let mut count = 2 * words * WORD;
        let start = |(name, tuples): (usize, &super::tuples::Tuples)| {
            let relation = SymbolId(name as u32);
            match relation {
                SymbolId::TRUE => 0,
                SymbolId::NEXT => words * WORD,
                _ if is_open(relation) => {
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

    /// Returns the index of the atom that states `relation` of the tuple with the index `tuple`. A fact has the same tuple index in the present and
    /// in the next state.
    pub(super) fn atom(&self, relation: SymbolId, tuple: usize) -> u32 {
        (self.starts[relation.0 as usize] + tuple) as u32
    }

    /// Returns the relation of `atom`, and the index of its tuple.
    pub(super) fn relation(&self, atom: u32, facts: &Facts) -> Option<(SymbolId, usize)> {
        let starts = self.starts.iter().enumerate();
        let mut numbered = starts.filter(|(_, start)| **start != usize::MAX);
        numbered.find_map(|(name, &start)| {
            let relation = SymbolId(name as u32);
            let tuple = (atom as usize).checked_sub(start)?;
            (tuple < facts.of(of_tuples(relation)).len()).then_some((relation, tuple))
        })
    }

    pub(super) fn text(&self, atom: u32, facts: &Facts, symbols: &Symbols) -> String {
        let Some((relation, tuple)) = self.relation(atom, facts) else {
            return String::new();
        };
        let row = facts.of(of_tuples(relation)).row(tuple).iter();
        let name = symbols.name(relation);
        let arguments = row.map(|&term| facts.terms.text(term, symbols));
        let arguments: Vec<String> = arguments.collect();
        if arguments.is_empty() {
            return name.into();
        }
        format!("({name} {})", arguments.join(" "))
    }
}

/// Returns the relation under which the tuples of `relation` are stored: the tuples of `next` are stored with the facts of the present state.
fn of_tuples(relation: SymbolId) -> SymbolId {
    match relation {
        SymbolId::NEXT => SymbolId::TRUE,
        _ => relation,
    }
}

/// A condition of a ground rule: an atom holds, or it does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct GroundLiteral(u32);

impl GroundLiteral {
    pub(super) fn new(atom: u32, holds: bool) -> Self {
        Self(atom << 1 | u32::from(!holds))
    }

    /// Returns the index of the literal `self`; the two literals of an atom have adjacent indices.
    #[inline]
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(super) fn atom(self) -> u32 {
        self.0 >> 1
    }

    #[inline]
    pub(super) fn holds(self) -> bool {
        self.0 & 1 == 0
    }
}

/// A rule without variables: the head atom holds if all conditions hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct GroundRule {
    pub(super) head: u32,
    pub(super) body: Box<[GroundLiteral]>,
}

/// Ground rules; each ground rule has the index of a rule of which it is an instance.
pub(super) type GroundRules = IndexMap<GroundRule, u32, FxBuildHasher>;

/// Instantiates the rules for all values of their variables, without repetition, and numbers their atoms. The facts of relations that depend on
/// neither state nor move must be complete before the rules are instantiated.
pub(super) fn ground(
    rules: &[&Rule],
    is_open: &impl Fn(SymbolId) -> bool,
    facts: &mut Facts,
) -> Result<(AtomNumbering, GroundRules), LimitExceeded> {
    let numbering = AtomNumbering::new(facts, is_open);
    let mut found = GroundRules::default();
    for (source, rule) in (0..).zip(rules) {
        facts.each_match(rule, is_open, |facts, join| {
            if let Some(rule) = instance(rule, is_open, &numbering, facts, join)
                && let Entry::Vacant(place) = found.entry(rule)
            {
                place.insert(source);
            }
            facts.limits.check_rules(found.len())
        })?;
    }
    Ok((numbering, found))
}

/// Returns the instance of `rule` for the values that its variables have now; `None` if the conditions of the instance contradict each other.
fn instance(
    rule: &Rule,
    is_open: &impl Fn(SymbolId) -> bool,
    numbering: &AtomNumbering,
    facts: &Facts,
    join: &NestedLoopJoin<'_>,
) -> Option<GroundRule> {
    let number = |atom: &Atom| {
        let tuple = join.row(atom, &facts.terms)?;
        Some(numbering.atom(atom.relation, tuple))
    };
    let head = match rule.head.relation {
        // The tuple of a fact of the next state is stored with the facts of the present state.
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
        if !is_open(atom.relation) {
            continue;
        }
        match number(atom) {
            Some(atom) => body.push(GroundLiteral::new(atom, holds)),
            // A condition that can never hold excludes the instance.
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
