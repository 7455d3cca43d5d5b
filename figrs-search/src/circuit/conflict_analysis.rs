//! Conflict analysis: learns a clause from a conflict, and finds the decision that the conflict refutes.

use super::clause_database::{ClauseId, ClauseKind};
use super::literal::AtomLiteral;
use super::propagator::{AssignmentReason, ClausePropagator};

/// The result of a conflict: the whole problem has no solution, or the latest decision on which the conflict depends is refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refutation {
    /// The conflict depends on no decision; the problem has no solution.
    Problem,
    /// The search level of the refuted decision, and the reason why its negation holds.
    Decision(u32, AssignmentReason),
}

#[derive(Clone, Debug, Default)]
pub(super) struct ConflictAnalysis {
    seen: Vec<bool>,
    /// For each decision level, the number of its literals that the conflict analysis has visited.
    counts: Vec<u32>,
    /// All literals that the conflict analysis has visited; they are false in the current assignment.
    marked: Vec<AtomLiteral>,
    clause: Vec<AtomLiteral>,
    /// The learned clauses, recorded only if a test requests them.
    #[cfg(test)]
    pub(super) log: Option<Vec<Vec<AtomLiteral>>>,
}

impl ConflictAnalysis {
    pub(super) fn new(atoms: usize) -> Self {
        Self {
            seen: vec![false; atoms],
            ..Self::default()
        }
    }

    /// Resolves the violated clause with the reasons of its literals, until the result depends on one decision only. The analysis learns the clause
    /// at the first unique implication point. The last resolvent is the reason for negating the decision.
    ///
    /// **Guarantee.** The learned clause and the returned clause are implied by the clauses of the problem.
    ///
    /// **References.** Marques-Silva and Sakallah, *GRASP*, IEEE Transactions on Computers 48(5), 1999; Zhang, Madigan, Moskewicz
    /// and Malik, *Efficient conflict driven learning in a Boolean satisfiability solver*, ICCAD 2001.
    pub(super) fn resolve(&mut self, propagator: &mut ClausePropagator) -> Refutation {
        propagator.conflicts += 1;
        propagator.activity_step *= 1.0 / 0.95;
        self.counts.clear();
        self.counts.resize(propagator.level as usize + 1, 0);
        for i in 0..propagator.conflict.len() {
            self.mark(propagator, propagator.conflict[i]);
        }
        let mut learned = false;
        let mut outcome = Refutation::Problem;
        let mut at = propagator.trail.len();
        while at > 0 && !self.marked.is_empty() {
            at -= 1;
            let literal = propagator.trail[at];
            if !self.seen[literal.atom()] {
                continue;
            }
            let level = propagator.level_of(literal);
            let is_unique = self.counts[level as usize] == 1;
            if is_unique && !learned {
                learned = true;
                self.learn(propagator, literal);
            }
            let reason = propagator.reason_of(literal);
            if reason == AssignmentReason::None {
                outcome = Refutation::Decision(level, self.refute(propagator, literal));
                break;
            }
            self.seen[literal.atom()] = false;
            self.counts[level as usize] -= 1;
            self.mark_reason(propagator, literal, reason);
        }
        for literal in self.marked.drain(..) {
            self.seen[literal.atom()] = false;
        }
        outcome
    }

    fn mark(&mut self, propagator: &mut ClausePropagator, literal: AtomLiteral) {
        let level = propagator.level_of(literal);
        if level > 0 && !self.seen[literal.atom()] {
            self.seen[literal.atom()] = true;
            self.counts[level as usize] += 1;
            self.marked.push(literal);
            propagator.bump(literal);
        }
    }

    fn mark_reason(
        &mut self,
        propagator: &mut ClausePropagator,
        literal: AtomLiteral,
        reason: AssignmentReason,
    ) {
        match reason {
            AssignmentReason::None => {}
            AssignmentReason::Pair(other) => self.mark(propagator, other),
            AssignmentReason::Clause(id) => {
                let now = propagator.conflicts;
                propagator.clauses.touch(id, now);
                for i in 0..propagator.clauses.literals(id).len() {
                    let other = propagator.clauses.literals(id)[i];
                    if other != literal {
                        self.mark(propagator, other);
                    }
                }
            }
        }
    }

    /// Collects the clause of all literals that the conflict analysis has visited; the clause begins with the negation of `literal`.
    fn collect(&mut self, literal: AtomLiteral) {
        self.clause.clear();
        self.clause.push(!literal);
        for &other in &self.marked {
            if self.seen[other.atom()] && other.atom() != literal.atom() {
                self.clause.push(other);
            }
        }
        // A literal that was resolved may have been marked again; the duplicates are removed.
        self.clause[1..].sort_unstable();
        self.clause.dedup();
    }

    fn learn(&mut self, propagator: &mut ClausePropagator, literal: AtomLiteral) {
        self.collect(literal);
        let (seen, clause) = (&self.seen, &mut self.clause);
        let first = clause[0];
        clause.retain(|&other| other == first || !is_redundant(propagator, seen, other));
        // Backtracking makes this literal undecided before the other literals; it is therefore the second watched literal.
        let latest = (1..clause.len()).max_by_key(|&i| (propagator.level_of(clause[i]), i));
        if let Some(latest) = latest {
            clause.swap(1, latest);
        }
        let mut levels: Vec<u32> = clause.iter().map(|&l| propagator.level_of(l)).collect();
        levels.sort_unstable();
        levels.dedup();
        let block_distance = levels.len() as u32;
        propagator.add_clause(clause, ClauseKind::Learned, block_distance);
        #[cfg(test)]
        if let Some(log) = &mut self.log {
            log.push(self.clause.clone());
        }
    }

    /// Returns the reason for the negation of the refuted decision `literal`.
    fn refute(
        &mut self,
        propagator: &mut ClausePropagator,
        literal: AtomLiteral,
    ) -> AssignmentReason {
        self.collect(literal);
        #[cfg(test)]
        if let Some(log) = &mut self.log {
            log.push(self.clause.clone());
        }
        if let [_, other] = *self.clause {
            return AssignmentReason::Pair(other);
        }
        let now = propagator.conflicts;
        let id: ClauseId = (propagator.clauses).add(&self.clause, ClauseKind::Temporary, 0, now);
        AssignmentReason::Clause(id)
    }
}

/// True if the false literal `literal` is redundant in a learned clause: each other literal of the clause that made it false is in `seen`, or was
/// assigned at level zero.
fn is_redundant(propagator: &ClausePropagator, seen: &[bool], literal: AtomLiteral) -> bool {
    let is_covered = |other: AtomLiteral| propagator.level_of(other) == 0 || seen[other.atom()];
    match propagator.reason_of(literal) {
        AssignmentReason::None => false,
        AssignmentReason::Pair(other) => is_covered(other),
        AssignmentReason::Clause(id) => {
            let literals = propagator.clauses.literals(id);
            (literals.iter()).all(|&other| other.atom() == literal.atom() || is_covered(other))
        }
    }
}
