//! Unit propagation over long clauses, two-literal clauses, and groups of atoms that exclude each other.

use super::clause_database::{ClauseDatabase, ClauseId, ClauseKind};
use super::literal::AtomLiteral;

/// Number of bytes that an atom and its two literals use in unit propagation, including the headers of their lists.
const ATOM_BYTES: usize = 160;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Open,
    True,
    False,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AssignmentReason {
    /// The literal was decided by the search, or is true in all solutions.
    None,
    /// The literal is true because all other literals of this clause are false.
    Clause(ClauseId),
    /// The literal is true because the other literal of a two-literal clause is false.
    Pair(AtomLiteral),
}

/// An entry of a literal's watch list: a watched clause, and another literal of the clause. If the stored other literal is true, the watched clause
/// need not be read.
#[derive(Clone, Copy, Debug)]
struct ClauseWatch {
    clause: ClauseId,
    blocker: AtomLiteral,
}

/// The partial assignment of a search, with all its consequences by unit propagation.
///
/// **References.** Moskewicz, Madigan, Zhao, Zhang and Malik, *Chaff: engineering an efficient SAT solver*, DAC 2001.
#[derive(Clone, Debug)]
pub(super) struct ClausePropagator {
    truths: Vec<Truth>,
    levels: Vec<u32>,
    reasons: Vec<AssignmentReason>,
    pub(super) trail: Vec<AtomLiteral>,
    head: usize,
    /// For each literal, the other literals of the two-literal clauses that contain it.
    pairs: Vec<Vec<AtomLiteral>>,
    watches: Vec<Vec<ClauseWatch>>,
    pub(super) clauses: ClauseDatabase,
    /// For each atom, the range of atoms that exclude each other: all atoms "variable = value" of the same variable.
    exclusive: Vec<(u32, u32)>,
    /// Learned literals that are true in all solutions.
    facts: Vec<AtomLiteral>,
    is_fact: Vec<bool>,
    learned_pairs: usize,
    /// The literals of the violated clause, if a clause is violated.
    pub(super) conflict: Vec<AtomLiteral>,
    /// The search level of newly made assignments.
    pub(super) level: u32,
    pub(super) conflicts: u64,
    pub(super) activity: Vec<f64>,
    pub(super) activity_step: f64,
}

impl ClausePropagator {
    /// Creates an empty assignment; `exclusive` has the range of mutually exclusive atoms for each atom.
    pub(super) fn new(exclusive: Vec<(u32, u32)>) -> Self {
        let atoms = exclusive.len();
        Self {
            truths: vec![Truth::Open; 2 * atoms],
            levels: vec![0; atoms],
            reasons: vec![AssignmentReason::None; atoms],
            trail: Vec::with_capacity(atoms),
            head: 0,
            pairs: vec![Vec::new(); 2 * atoms],
            watches: vec![Vec::new(); 2 * atoms],
            clauses: ClauseDatabase::default(),
            exclusive,
            facts: Vec::new(),
            is_fact: vec![false; 2 * atoms],
            learned_pairs: 0,
            conflict: Vec::new(),
            level: 0,
            conflicts: 0,
            activity: vec![0.0; 2 * atoms],
            activity_step: 1.0,
        }
    }

    pub(super) fn atoms(&self) -> usize {
        self.levels.len()
    }

    #[inline]
    pub(super) fn truth(&self, literal: AtomLiteral) -> Truth {
        self.truths[literal.index()]
    }

    #[inline]
    pub(super) fn is_open(&self, atom: usize) -> bool {
        self.truths[2 * atom] == Truth::Open
    }

    pub(super) fn level_of(&self, literal: AtomLiteral) -> u32 {
        self.levels[literal.atom()]
    }

    pub(super) fn reason_of(&self, literal: AtomLiteral) -> AssignmentReason {
        self.reasons[literal.atom()]
    }

    /// Adds the clause `literals` to the clauses of the propagation. The first two literals of a long clause become its watched literals. A learned
    /// clause of one literal is stored as a fact. A given clause of one literal is not stored; the caller must assign the literal.
    pub(super) fn add_clause(
        &mut self,
        literals: &[AtomLiteral],
        kind: ClauseKind,
        block_distance: u32,
    ) -> Option<ClauseId> {
        match *literals {
            [fact] if kind == ClauseKind::Learned => {
                if !std::mem::replace(&mut self.is_fact[fact.index()], true) {
                    self.facts.push(fact);
                }
                None
            }
            [] | [_] => None,
            [a, b] => {
                self.learned_pairs += usize::from(kind == ClauseKind::Learned);
                self.pairs[a.index()].push(b);
                self.pairs[b.index()].push(a);
                None
            }
            [a, b, ..] => {
                let id = self
                    .clauses
                    .add(literals, kind, block_distance, self.conflicts);
                self.watch(a, id, b);
                self.watch(b, id, a);
                Some(id)
            }
        }
    }

    fn watch(&mut self, literal: AtomLiteral, clause: ClauseId, blocker: AtomLiteral) {
        self.watches[literal.index()].push(ClauseWatch { clause, blocker });
    }

    #[inline]
    pub(super) fn assign(&mut self, literal: AtomLiteral, reason: AssignmentReason) {
        self.truths[literal.index()] = Truth::True;
        self.truths[(!literal).index()] = Truth::False;
        self.levels[literal.atom()] = self.level;
        self.reasons[literal.atom()] = reason;
        self.trail.push(literal);
    }

    /// Undoes all assignments from the index `from` of the trail (the list of assignments) on.
    pub(super) fn undo(&mut self, from: usize) {
        for literal in self.trail.drain(from..) {
            self.truths[literal.index()] = Truth::Open;
            self.truths[(!literal).index()] = Truth::Open;
        }
        self.head = self.head.min(from);
    }

    /// Assigns the undecided facts (learned literals) at level zero, because they depend on no decision. Returns `false` if a fact (learned literal)
    /// is false; `conflict` then contains this fact.
    ///
    /// The search assigns facts (learned literals) after each decision, because it ignores facts when it divides the atoms into components.
    pub(super) fn assign_facts(&mut self) -> bool {
        for i in 0..self.facts.len() {
            let fact = self.facts[i];
            match self.truths[fact.index()] {
                Truth::True => {}
                Truth::Open => {
                    self.assign(fact, AssignmentReason::None);
                    self.levels[fact.atom()] = 0;
                }
                Truth::False => {
                    self.conflict.clear();
                    self.conflict.push(fact);
                    return false;
                }
            }
        }
        true
    }

    /// Assigns all literals that follow by unit propagation. Returns `false` if the propagation violates a clause; `conflict` then contains the
    /// literals of this clause.
    pub(super) fn propagate(&mut self) -> bool {
        while let Some(&literal) = self.trail.get(self.head) {
            self.head += 1;
            let consistent = self.propagate_pairs(!literal)
                && self.propagate_exclusion(literal)
                && self.propagate_clauses(!literal);
            if !consistent {
                self.head = self.trail.len();
                return false;
            }
        }
        true
    }

    fn propagate_pairs(&mut self, lost: AtomLiteral) -> bool {
        for i in 0..self.pairs[lost.index()].len() {
            let other = self.pairs[lost.index()][i];
            match self.truths[other.index()] {
                Truth::True => {}
                Truth::Open => self.assign(other, AssignmentReason::Pair(lost)),
                Truth::False => return self.violated([other, lost]),
            }
        }
        true
    }

    fn propagate_exclusion(&mut self, literal: AtomLiteral) -> bool {
        let (from, to) = self.exclusive[literal.atom()];
        if !literal.is_positive() || to - from < 2 {
            return true;
        }
        for atom in (from..to).filter(|&atom| atom as usize != literal.atom()) {
            let excluded = AtomLiteral::new(atom, false);
            match self.truths[excluded.index()] {
                Truth::True => {}
                Truth::Open => self.assign(excluded, AssignmentReason::Pair(!literal)),
                Truth::False => return self.violated([excluded, !literal]),
            }
        }
        true
    }

    fn violated(&mut self, pair: [AtomLiteral; 2]) -> bool {
        self.conflict.clear();
        self.conflict.extend(pair);
        false
    }

    fn propagate_clauses(&mut self, lost: AtomLiteral) -> bool {
        let mut list = std::mem::take(&mut self.watches[lost.index()]);
        let (mut kept, mut next) = (0, 0);
        let mut consistent = true;
        while let Some(&watch) = list.get(next) {
            next += 1;
            if self.truths[watch.blocker.index()] == Truth::True {
                list[kept] = watch;
                kept += 1;
                continue;
            }
            let literals = self.clauses.literals_mut(watch.clause);
            if literals[0] == lost {
                literals.swap(0, 1);
            }
            let first = literals[0];
            let moved = ClauseWatch {
                clause: watch.clause,
                blocker: first,
            };
            if self.truths[first.index()] == Truth::True {
                list[kept] = moved;
                kept += 1;
                continue;
            }
            let is_free = |l: &AtomLiteral| self.truths[l.index()] != Truth::False;
            if let Some(place) = literals[2..].iter().position(is_free) {
                literals.swap(1, place + 2);
                self.watches[literals[1].index()].push(moved);
                continue;
            }
            list[kept] = moved;
            kept += 1;
            if self.truths[first.index()] == Truth::False {
                self.conflict.clear();
                self.conflict.extend_from_slice(literals);
                consistent = false;
                break;
            }
            self.assign(first, AssignmentReason::Clause(watch.clause));
        }
        list.copy_within(next.., kept);
        list.truncate(kept + list.len() - next);
        self.watches[lost.index()] = list;
        consistent
    }

    /// Forgets the clause of `reason` if it was stored only as the reason of one assignment.
    pub(super) fn forget_reason(&mut self, reason: AssignmentReason) {
        if let AssignmentReason::Clause(id) = reason
            && self.clauses.kind(id) == ClauseKind::Temporary
        {
            self.clauses.forget(id);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.atoms() * ATOM_BYTES
            + self.learned_pairs * 2 * 2 * size_of::<AtomLiteral>()
            + self.clauses.bytes()
    }

    /// Forgets half of the learned clauses, except clauses that are the reason of an assignment.
    pub(super) fn forget_learned(&mut self) {
        let mut locked = vec![false; self.clauses.len()];
        for literal in &self.trail {
            if let AssignmentReason::Clause(id) = self.reasons[literal.atom()] {
                locked[id as usize] = true;
            }
        }
        self.clauses.forget_half(|id| locked[id as usize]);
        // A new clause may take the index of a forgotten clause; all watches of forgotten clauses are therefore removed.
        let clauses = &self.clauses;
        for list in &mut self.watches {
            list.retain(|watch| clauses.kind(watch.clause) != ClauseKind::Forgotten);
        }
    }

    /// Raises the activity of `literal`, which makes later decisions on its atom more likely.
    pub(super) fn bump(&mut self, literal: AtomLiteral) {
        self.activity[literal.index()] += self.activity_step;
        if self.activity[literal.index()] > 1e100 {
            self.activity
                .iter_mut()
                .for_each(|activity| *activity *= 1e-100);
            self.activity_step *= 1e-100;
        }
    }
}
