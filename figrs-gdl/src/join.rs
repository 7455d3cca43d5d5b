//! Enumerates all values of a rule's variables for which the rule's conditions hold.

use std::collections::BTreeSet;
use std::ops::Range;

use super::syntax::{Atom, Literal, Rule, SymbolId};
use super::terms::{Bindings, TermInterner};
use super::tuples::{Candidates, Tuples};

/// The tuples of facts over which the conditions of a rule are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JoinedTuples {
    All,
    /// The condition whose index this variant contains is joined over the facts that the last round added, and the conditions before this condition
    /// over earlier facts (semi-naive evaluation).
    Recent(usize),
}

/// A condition of the join: a loop over tuples of facts, or a test.
#[derive(Debug)]
struct JoinCondition<'r> {
    literal: usize,
    candidates: Candidates<'r>,
    within: Range<usize>,
    position: usize,
    /// The variables of the rule that the condition has bound.
    trail: Vec<usize>,
}

/// A nested-loop join: enumerates the values of a rule's variables for which the rule's conditions hold.
///
/// The join tests a condition as soon as the variables of the condition are bound; among the other conditions, those with the fewest free variables
/// come first. The join ignores a negative condition on a relation that may still get facts.
#[derive(Debug)]
pub(super) struct NestedLoopJoin<'r> {
    rule: &'r Rule,
    tuples: &'r [Tuples],
    order: Vec<usize>,
    reading: JoinedTuples,
    levels: Vec<JoinCondition<'r>>,
    pub(super) bindings: Bindings,
    started: bool,
    /// Number of tuples that the join has examined.
    pub(super) work: u64,
    /// Maximum number of tuples to examine; above this number the join stops.
    budget: u64,
}

impl<'r> NestedLoopJoin<'r> {
    /// Creates the join of a rule; `is_open` must be true for relations that may still get facts. The join ignores negated conditions on relations
    /// for which `is_open` is true, that is, relations that may still get facts.
    pub(super) fn new(
        rule: &'r Rule,
        tuples: &'r [Tuples],
        reading: JoinedTuples,
        budget: u64,
        is_open: impl Fn(SymbolId) -> bool,
    ) -> Self {
        let seen =
            |literal: &Literal| !matches!(literal, Literal::Fails(atom) if is_open(atom.relation));
        Self {
            order: order(rule, reading, seen),
            rule,
            tuples,
            reading,
            levels: Vec::new(),
            bindings: vec![None; rule.variables.len()],
            started: false,
            work: 0,
            budget,
        }
    }

    /// Moves to the next values of the rule's variables; returns `false` if there are none.
    pub(super) fn advance(&mut self, terms: &TermInterner) -> bool {
        if !self.started {
            self.started = true;
        } else if !self.step(terms) {
            return false;
        }
        // The innermost loop has a tuple, so the loop of the next condition begins.
        while self.levels.len() < self.order.len() {
            let literal = self.order[self.levels.len()];
            let level = self.level(literal, terms);
            self.levels.push(level);
            if !self.step(terms) {
                return false;
            }
        }
        true
    }

    /// Advances the innermost loop of the join that has another tuple; returns false if no loop has another tuple.
    fn step(&mut self, terms: &TermInterner) -> bool {
        while let Some(level) = self.levels.last_mut() {
            for variable in level.trail.drain(..) {
                self.bindings[variable] = None;
            }
            let Literal::Holds(atom) = &self.rule.body[level.literal] else {
                let first = level.position == 0;
                level.position = 1;
                if first && self.passes(terms) {
                    return true;
                }
                self.levels.pop();
                continue;
            };
            let tuples = &self.tuples[atom.relation.0 as usize];
            let Some((row, next)) = level.candidates.next(level.position, &level.within) else {
                self.levels.pop();
                continue;
            };
            level.position = next;
            self.work += 1;
            if self.work > self.budget {
                return false;
            }
            let mut pairs = atom.arguments.iter().zip(tuples.row(row));
            let (bindings, trail) = (&mut self.bindings, &mut level.trail);
            if pairs.all(|(pattern, &term)| terms.matches(pattern, term, bindings, trail)) {
                return true;
            }
        }
        false
    }

    fn level(&self, literal: usize, terms: &TermInterner) -> JoinCondition<'r> {
        let (candidates, within) = match &self.rule.body[literal] {
            Literal::Holds(atom) => {
                let tuples = &self.tuples[atom.relation.0 as usize];
                let recent = &tuples.recent;
                let within = match self.reading {
                    JoinedTuples::Recent(place) if literal == place => recent.clone(),
                    JoinedTuples::Recent(place) if literal < place => 0..recent.start,
                    JoinedTuples::Recent(_) | JoinedTuples::All => 0..recent.end,
                };
                let candidates = tuples.candidates(&atom.arguments, terms, &self.bindings);
                (candidates, within)
            }
            Literal::Fails(_) | Literal::Compared { .. } => (Candidates::All, 0..0),
        };
        JoinCondition {
            literal,
            candidates,
            within,
            position: 0,
            trail: Vec::new(),
        }
    }

    /// True if the test of the innermost condition of the join succeeds.
    fn passes(&self, terms: &TermInterner) -> bool {
        let Some(level) = self.levels.last() else {
            return true;
        };
        match &self.rule.body[level.literal] {
            Literal::Compared {
                terms: pair, same, ..
            } => terms.same(&pair[0], &pair[1], &self.bindings) == *same,
            Literal::Fails(atom) | Literal::Holds(atom) => self.row(atom, terms).is_none(),
        }
    }

    /// Returns the index of the tuple of `atom` in its relation, if the relation contains the tuple.
    pub(super) fn row(&self, atom: &Atom, terms: &TermInterner) -> Option<usize> {
        self.row_in(atom.relation, atom, terms)
    }

    /// Returns the index of the tuple of `atom`'s arguments in `relation`, if `relation` contains this tuple.
    pub(super) fn row_in(
        &self,
        relation: SymbolId,
        atom: &Atom,
        terms: &TermInterner,
    ) -> Option<usize> {
        let row = atom.arguments.iter();
        let row = row.map(|pattern| terms.known(pattern, &self.bindings));
        let row = row.collect::<Option<Vec<_>>>()?;
        self.tuples[relation.0 as usize].number_of(&row)
    }
}

fn order(rule: &Rule, reading: JoinedTuples, seen: impl Fn(&Literal) -> bool) -> Vec<usize> {
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); rule.variables.len()];
    let mut free = vec![0; rule.body.len()];
    for (place, literal) in rule.body.iter().enumerate() {
        literal.each_variable(&mut |variable| {
            readers[variable].push(place);
            free[place] += 1;
        });
    }
    let cost = |place: usize, free: usize| match &rule.body[place] {
        Literal::Holds(_) if reading == JoinedTuples::Recent(place) => 0,
        Literal::Holds(_) => 2 + free,
        Literal::Fails(_) | Literal::Compared { .. } if free == 0 => 1,
        Literal::Fails(_) | Literal::Compared { .. } => usize::MAX,
    };
    let places = (0..rule.body.len()).filter(|&place| seen(&rule.body[place]));
    let mut open: BTreeSet<(usize, usize)> = places
        .map(|place| (cost(place, free[place]), place))
        .collect();
    let mut order = Vec::with_capacity(open.len());
    while let Some((_, place)) = open.pop_first() {
        order.push(place);
        rule.body[place].each_variable(&mut |variable| {
            for reader in std::mem::take(&mut readers[variable]) {
                let waits = open.remove(&(cost(reader, free[reader]), reader));
                free[reader] -= 1;
                if waits {
                    open.insert((cost(reader, free[reader]), reader));
                }
            }
        });
    }
    order
}
