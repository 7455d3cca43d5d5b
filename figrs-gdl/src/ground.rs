//! Rules without variables.

use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::FxBuildHasher;

use super::join::NestedLoopJoin;
use super::limits::LimitExceeded;
use super::saturate::Facts;
use super::syntax::{Atom, Literal, Rule, SymbolId, Symbols};

/// Bits in a word.
pub(super) const WORD: usize = u64::BITS as usize;

/// Numbering of ground atoms: for each relation that is open, the index of its first atom.
///
/// Facts of the state come first, then those of the next state in the same order; each of the two parts begins at a word.
#[derive(Clone, Debug)]
pub(super) struct AtomNumbering {
    starts: Vec<usize>,
    /// Number of words of a state.
    pub(super) words: usize,
    /// Number of atoms.
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

    /// Number of a relation's atom with this tuple; a fact of the next state has the tuple of the present one.
    pub(super) fn atom(&self, relation: SymbolId, tuple: usize) -> u32 {
        (self.starts[relation.0 as usize] + tuple) as u32
    }

    /// The relation of an atom, and the index of its tuple.
    pub(super) fn relation(&self, atom: u32, facts: &Facts) -> Option<(SymbolId, usize)> {
        let starts = self.starts.iter().enumerate();
        let mut numbered = starts.filter(|(_, start)| **start != usize::MAX);
        numbered.find_map(|(name, &start)| {
            let relation = SymbolId(name as u32);
            let tuple = (atom as usize).checked_sub(start)?;
            (tuple < facts.of(of_tuples(relation)).len()).then_some((relation, tuple))
        })
    }

    /// An atom as it is written.
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

/// The relation that has the tuples of another's atoms: facts of the next state are numbered as those of the present one.
fn of_tuples(relation: SymbolId) -> SymbolId {
    match relation {
        SymbolId::NEXT => SymbolId::TRUE,
        _ => relation,
    }
}

/// A condition: an atom that holds, or one that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct GroundLiteral(u32);

impl GroundLiteral {
    pub(super) fn new(atom: u32, holds: bool) -> Self {
        Self(atom << 1 | u32::from(!holds))
    }

    /// Number of the literal; the two literals of an atom have neighbouring numbers.
    #[inline]
    pub(super) fn number(self) -> usize {
        self.0 as usize
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

/// Rules without variables, each with the number of a rule that it is an instance of.
pub(super) type GroundRules = IndexMap<GroundRule, u32, FxBuildHasher>;

/// The rules for all values of their variables, each once, and the numbers of their atoms. Relations that are not open are final.
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

/// The rule for the present values of its variables; `None` if its conditions exclude each other.
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
        if !is_open(atom.relation) {
            continue;
        }
        match number(atom) {
            Some(atom) => body.push(GroundLiteral::new(atom, holds)),
            // The condition can never hold.
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
