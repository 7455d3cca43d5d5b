//! Forward chaining, which derives all facts that follow from rules, round by round.

use std::collections::BTreeSet;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::check::Relations;
use super::join::{JoinedTuples, NestedLoopJoin};
use super::kif::MOST_NESTED;
use super::limits::{GroundingLimits, LimitExceeded};
use super::local::{GroundingError, add_locally};
use super::syntax::{Atom, Literal, Pattern, Rule, SymbolId};
use super::terms::{TermId, TermInterner, TooDeep};
use super::tuples::Tuples;

impl From<TooDeep> for LimitExceeded {
    fn from(_: TooDeep) -> Self {
        Self {
            what: "levels of nested terms",
            limit: MOST_NESTED,
            relation: None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Facts {
    pub(super) terms: TermInterner,
    /// The tuples of each relation, in the order of the indices of the relations' names.
    pub(super) tuples: Vec<Tuples>,
    pub(super) limits: GroundingLimits,
    count: usize,
    matches: u64,
}

impl Facts {
    /// Creates empty relations, one for each name.
    pub(super) fn new(names: usize, limits: GroundingLimits) -> Self {
        Self {
            terms: TermInterner::default(),
            tuples: (0..names).map(|_| Tuples::default()).collect(),
            limits,
            count: 0,
            matches: 0,
        }
    }

    pub(super) fn of(&self, relation: SymbolId) -> &Tuples {
        &self.tuples[relation.0 as usize]
    }

    /// Returns the number of tuples that may still be examined before the limit is reached.
    fn budget(&self) -> u64 {
        (self.limits.matches as u64).saturating_sub(self.matches)
    }

    fn spend(&mut self, work: u64) -> Result<(), LimitExceeded> {
        self.matches += work;
        self.limits.check_matches(self.matches)
    }

    /// Calls `visit` for all values of the variables of `rule` for which the conditions of `rule` can hold. Negative conditions are ignored if their
    /// relation depends on the state or the move, or may still get facts.
    pub(super) fn each_match(
        &mut self,
        rule: &Rule,
        is_open: &impl Fn(SymbolId) -> bool,
        mut visit: impl FnMut(&Self, &NestedLoopJoin<'_>) -> Result<(), LimitExceeded>,
    ) -> Result<(), LimitExceeded> {
        let mut join = NestedLoopJoin::new(
            rule,
            &self.tuples,
            JoinedTuples::All,
            self.budget(),
            is_open,
        );
        while join.advance(&self.terms) {
            visit(self, &join).map_err(|exceeded| exceeded.at(rule))?;
        }
        let work = join.work;
        self.spend(work).map_err(|exceeded| exceeded.at(rule))
    }

    /// Adds the facts that `rules` derive for relations that depend on neither state nor move, one stratum of relations after another. If a stratum
    /// (a group of relations evaluated together) contains negations of its own relations, the facts of the stratum are ordered one by one.
    pub(super) fn add_static(
        &mut self,
        rules: &[Rule],
        relations: &Relations,
    ) -> Result<(), GroundingError> {
        let is_static = |rule: &&Rule| !relations.changes(rule.head.relation);
        let mut rules: Vec<&Rule> = rules.iter().filter(is_static).collect();
        let stratum = |rule: &&Rule| relations.stratum(rule.head.relation);
        rules.sort_by_key(stratum);
        for group in rules.chunk_by(|a, b| stratum(a) == stratum(b)) {
            if relations.is_negated(stratum(&group[0])) {
                add_locally(self, group)?;
            } else {
                self.saturate(group, &|_| false)?;
            }
        }
        Ok(())
    }

    /// Adds a superset of the facts that hold in some reachable state: negative conditions on relations that depend on the state or the move are
    /// ignored.
    pub(super) fn add_possible(
        &mut self,
        rules: &[Rule],
        relations: &Relations,
    ) -> Result<(), LimitExceeded> {
        let mut carried = [
            carry(SymbolId::INIT, SymbolId::TRUE, 1),
            carry(SymbolId::NEXT, SymbolId::TRUE, 1),
            carry(SymbolId::LEGAL, SymbolId::DOES, 2),
        ];
        // This condition states that only players act.
        carried[2].body.push(Literal::Holds(Atom {
            at: 0,
            relation: SymbolId::ROLE,
            arguments: vec![Pattern::Variable(0)],
        }));
        let changing = rules.iter().filter(|r| relations.changes(r.head.relation));
        let all: Vec<&Rule> = changing.chain(&carried).collect();
        self.saturate(&all, &|relation| relations.changes(relation))
    }

    /// Applies `rules` until they derive no new fact. A round of semi-naive evaluation examines only combinations with facts that the last round
    /// added; long chains of rules therefore take little time.
    pub(super) fn saturate(
        &mut self,
        rules: &[&Rule],
        is_open: &impl Fn(SymbolId) -> bool,
    ) -> Result<(), LimitExceeded> {
        let mut readers: FxHashMap<SymbolId, Vec<(usize, usize)>> = FxHashMap::default();
        let mut grown: BTreeSet<SymbolId> = BTreeSet::new();
        for (number, rule) in rules.iter().enumerate() {
            for (place, literal) in rule.body.iter().enumerate() {
                if let Literal::Holds(atom) = literal {
                    readers
                        .entry(atom.relation)
                        .or_default()
                        .push((number, place));
                }
            }
            self.apply(rule, JoinedTuples::All, is_open)?;
            grown.insert(rule.head.relation);
        }
        while !grown.is_empty() {
            grown.retain(|relation| {
                let tuples = &mut self.tuples[relation.0 as usize];
                tuples.recent = tuples.recent.end..tuples.len();
                !tuples.recent.is_empty()
            });
            let conditions = grown.iter().filter_map(|relation| readers.get(relation));
            let mut conditions: Vec<(usize, usize)> = conditions.flatten().copied().collect();
            conditions.sort_unstable();
            for (number, place) in conditions {
                self.apply(rules[number], JoinedTuples::Recent(place), is_open)?;
                grown.insert(rules[number].head.relation);
            }
        }
        Ok(())
    }

    /// Adds the facts that the rule `rule` derives from the present facts.
    fn apply(
        &mut self,
        rule: &Rule,
        reading: JoinedTuples,
        is_open: &impl Fn(SymbolId) -> bool,
    ) -> Result<(), LimitExceeded> {
        let head = rule.head.relation.0 as usize;
        let mut found = IndexSet::<Box<[TermId]>, FxBuildHasher>::default();
        let mut join = NestedLoopJoin::new(rule, &self.tuples, reading, self.budget(), is_open);
        while join.advance(&self.terms) {
            let arguments = rule.head.arguments.iter();
            let row = arguments.map(|pattern| self.terms.filled(pattern, &join.bindings));
            let row = row.collect::<Result<Box<[_]>, _>>();
            let row = row.map_err(|deep| LimitExceeded::from(deep).at(rule))?;
            if self.tuples[head].number_of(&row).is_none() {
                found.insert(row);
                let checked = self.limits.check_facts(self.count + found.len());
                checked.map_err(|exceeded| exceeded.at(rule))?;
            }
        }
        let work = join.work;
        self.spend(work).map_err(|exceeded| exceeded.at(rule))?;
        self.count += found.len();
        for row in found {
            self.tuples[head].insert(row, &self.terms);
        }
        Ok(())
    }
}

/// Returns the rule by which each tuple of the relation `from` is also a tuple of the relation `to`.
fn carry(from: SymbolId, to: SymbolId, arity: usize) -> Rule {
    let atom = |relation| Atom {
        at: 0,
        relation,
        arguments: (0..arity).map(Pattern::Variable).collect(),
    };
    Rule {
        head: atom(to),
        body: vec![Literal::Holds(atom(from))],
        variables: vec![String::new(); arity].into(),
    }
}
