//! Simplification of the clauses by unit propagation, subsumption and self-subsuming resolution, before the search begins.

use figrs_factor::Until;

use super::literal::AtomLiteral;
use super::propagator::Truth;
use figrs_factor::eliminate::EliminationError;
use figrs_factor::eliminate::error::check_interrupt;

/// Maximum number of literals that all simplifications together examine.
const MAX_WORK: u64 = 200_000_000;
/// Maximum number of clauses of one atom that are compared with each other to find subsumed clauses.
const MAX_OCCURRENCES: usize = 2000;

/// A simplifier of clauses, which removes unit clauses, duplicates and subsumed clauses.
///
/// **Guarantee.** The simplified clauses have the same solutions as the given clauses.
///
/// **References.** Eén and Biere, *Effective preprocessing in SAT through variable and clause elimination*, SAT 2005.
#[derive(Debug)]
pub(super) struct ClauseSimplifier {
    /// The sorted literals of each clause; a removed clause has an empty list.
    clauses: Vec<Vec<AtomLiteral>>,
    signatures: Vec<u64>,
    /// For each literal, the indices of the clauses that contain it. Some of the clauses listed for a literal may have been removed, or may no longer
    /// contain the literal.
    occurrences: Vec<Vec<u32>>,
    truths: Vec<Truth>,
    units: Vec<AtomLiteral>,
    /// Clauses that have not yet been tested for subsuming other clauses.
    queue: Vec<u32>,
    work: u64,
    pub(super) is_contradictory: bool,
}

/// Relation of a first clause to a second clause.
enum Subsumption {
    Nothing,
    /// The second clause contains all literals of the first clause, so that the first clause subsumes the second.
    Whole,
    /// The second clause contains the negation of the given literal, and all other literals of the first clause (self-subsumption).
    Without(AtomLiteral),
}

impl ClauseSimplifier {
    pub(super) fn new(atoms: usize, clauses: Vec<Vec<AtomLiteral>>) -> Self {
        let mut this = Self {
            clauses: Vec::with_capacity(clauses.len()),
            signatures: Vec::with_capacity(clauses.len()),
            occurrences: vec![Vec::new(); 2 * atoms],
            truths: vec![Truth::Open; 2 * atoms],
            units: Vec::new(),
            queue: Vec::new(),
            work: 0,
            is_contradictory: false,
        };
        for clause in clauses {
            this.add(clause);
        }
        this
    }

    /// Adds `clause`, unless it is satisfied or contains both a literal and its negation.
    pub(super) fn add(&mut self, mut clause: Vec<AtomLiteral>) {
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).any(|pair| pair[0] == !pair[1])
            || clause.iter().any(|l| self.truths[l.index()] == Truth::True)
        {
            return;
        }
        clause.retain(|l| self.truths[l.index()] == Truth::Open);
        match *clause {
            [] => self.is_contradictory = true,
            [unit] => self.assign(unit),
            _ => {
                let id = self.clauses.len() as u32;
                for literal in &clause {
                    self.occurrences[literal.index()].push(id);
                }
                self.signatures.push(signature(&clause));
                self.clauses.push(clause);
                self.queue.push(id);
            }
        }
    }

    /// Makes `literal` true; if the literal is false already, records a contradiction.
    pub(super) fn assign(&mut self, literal: AtomLiteral) {
        match self.truths[literal.index()] {
            Truth::True => {}
            Truth::False => self.is_contradictory = true,
            Truth::Open => {
                self.truths[literal.index()] = Truth::True;
                self.truths[(!literal).index()] = Truth::False;
                self.units.push(literal);
            }
        }
    }

    pub(super) fn is_open(&self, atom: usize) -> bool {
        self.truths[2 * atom] == Truth::Open
    }

    pub(super) fn clauses_of(&self, literal: AtomLiteral) -> impl Iterator<Item = &[AtomLiteral]> {
        let ids = self.occurrences[literal.index()].iter();
        let clauses = ids.map(|&id| self.clauses[id as usize].as_slice());
        clauses.filter(move |clause| clause.binary_search(&literal).is_ok())
    }

    pub(super) fn remove_clauses_of(&mut self, atom: usize) {
        for value in [true, false] {
            let literal = AtomLiteral::new(atom as u32, value);
            for id in std::mem::take(&mut self.occurrences[literal.index()]) {
                if self.clauses[id as usize].binary_search(&literal).is_ok() {
                    self.clauses[id as usize].clear();
                }
            }
        }
    }

    /// Simplifies the clauses until nothing changes, or until the maximum number of literals has been examined.
    ///
    /// **Errors.** [`EliminationError::Interrupted`] if the deadline passes or an interrupt occurs.
    pub(super) fn simplify(&mut self, until: &Until) -> Result<(), EliminationError> {
        self.propagate();
        while let Some(id) = self.queue.pop() {
            check_interrupt(until)?;
            if self.work > MAX_WORK {
                self.queue.clear();
            } else {
                self.subsume_by(id);
                self.propagate();
            }
        }
        Ok(())
    }

    fn propagate(&mut self) {
        let mut next = 0;
        while let Some(&unit) = self.units.get(next) {
            next += 1;
            for id in std::mem::take(&mut self.occurrences[unit.index()]) {
                // The occurrence lists of a strengthened clause still contain the literal that was removed; membership is therefore tested.
                if self.clauses[id as usize].binary_search(&unit).is_ok() {
                    self.clauses[id as usize].clear();
                }
            }
            for id in std::mem::take(&mut self.occurrences[(!unit).index()]) {
                self.strengthen(id, !unit);
            }
        }
        self.units.clear();
    }

    fn strengthen(&mut self, id: u32, literal: AtomLiteral) {
        let clause = &mut self.clauses[id as usize];
        let Ok(place) = clause.binary_search(&literal) else {
            return;
        };
        clause.remove(place);
        self.signatures[id as usize] = signature(clause);
        if let [unit] = **clause {
            clause.clear();
            self.assign(unit);
        } else {
            self.queue.push(id);
        }
    }

    /// Removes the clauses that the clause `id` subsumes, and removes literals of other clauses by self-subsuming resolution with the clause `id`.
    fn subsume_by(&mut self, id: u32) {
        let clause = std::mem::take(&mut self.clauses[id as usize]);
        let count = |l: &AtomLiteral| {
            self.occurrences[l.index()].len() + self.occurrences[(!*l).index()].len()
        };
        let Some(&rarest) = clause.iter().min_by_key(|l| (count(l), **l)) else {
            return;
        };
        if count(&rarest) > MAX_OCCURRENCES {
            self.clauses[id as usize] = clause;
            return;
        }
        let mut weakened = Vec::new();
        for literal in [rarest, !rarest] {
            for i in 0..self.occurrences[literal.index()].len() {
                let other = self.occurrences[literal.index()][i];
                self.work += 1;
                if other == id || self.clauses[other as usize].len() < clause.len() {
                    continue;
                }
                if self.signatures[id as usize] & !self.signatures[other as usize] != 0 {
                    continue;
                }
                self.work += self.clauses[other as usize].len() as u64;
                match subsumption(&clause, &self.clauses[other as usize]) {
                    Subsumption::Nothing => {}
                    Subsumption::Whole => self.clauses[other as usize].clear(),
                    Subsumption::Without(literal) => weakened.push((other, !literal)),
                }
            }
        }
        self.clauses[id as usize] = clause;
        for (other, literal) in weakened {
            self.strengthen(other, literal);
        }
    }

    /// Returns the literals that are known to be true in all solutions.
    pub(super) fn units(&self) -> impl Iterator<Item = AtomLiteral> {
        let all = (0..self.truths.len()).filter(|&i| self.truths[i] == Truth::True);
        all.map(AtomLiteral::at)
    }

    /// Returns the remaining clauses, the unit clauses first.
    pub(super) fn into_clauses(self) -> Vec<Vec<AtomLiteral>> {
        let mut all: Vec<Vec<AtomLiteral>> = self.units().map(|unit| vec![unit]).collect();
        all.extend(self.clauses.into_iter().filter(|clause| !clause.is_empty()));
        all
    }

    /// Returns the remaining clauses, without unit clauses.
    pub(super) fn long_clauses(&self) -> impl Iterator<Item = &[AtomLiteral]> {
        self.clauses
            .iter()
            .map(Vec::as_slice)
            .filter(|clause| !clause.is_empty())
    }
}

/// Returns the set of a clause's atoms as a 64-bit mask, in which several atoms may have the same bit.
fn signature(clause: &[AtomLiteral]) -> u64 {
    clause.iter().fold(0, |bits, l| bits | 1 << (l.atom() % 64))
}

/// Returns the relation of `clause` to `other`, which is at least as long; the literals of the two clauses are sorted.
fn subsumption(clause: &[AtomLiteral], other: &[AtomLiteral]) -> Subsumption {
    let mut flipped = None;
    let mut rest = other.iter();
    for &literal in clause {
        let Some(&found) = rest.find(|l| l.atom() >= literal.atom()) else {
            return Subsumption::Nothing;
        };
        if found == literal {
            continue;
        }
        if found != !literal || flipped.is_some() {
            return Subsumption::Nothing;
        }
        flipped = Some(literal);
    }
    flipped.map_or(Subsumption::Whole, Subsumption::Without)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of assignments of `atoms` atoms that satisfy all clauses.
    fn solutions(atoms: u32, clauses: &[Vec<AtomLiteral>]) -> usize {
        let holds = |world: u32, l: &AtomLiteral| (world >> l.atom() & 1 == 1) == l.is_positive();
        let is_solution =
            |world: &u32| (clauses.iter()).all(|clause| clause.iter().any(|l| holds(*world, l)));
        (0..1u32 << atoms).filter(is_solution).count()
    }

    #[test]
    fn a_unit_leaves_clauses_that_lost_its_literal() {
        let clause = |literals: &[(u32, bool)]| {
            let literals = literals.iter();
            literals
                .map(|&(atom, value)| AtomLiteral::new(atom, value))
                .collect::<Vec<_>>()
        };
        let [a, b, c, d] = [0, 1, 2, 3];
        // The first two clauses imply `a`. Before this is found, the last two clauses become `b or c`, but are still listed as clauses of `a`.
        let clauses = vec![
            clause(&[(a, true), (d, true)]),
            clause(&[(a, true), (d, false)]),
            clause(&[(a, true), (b, true), (c, true)]),
            clause(&[(a, false), (b, true), (c, true)]),
        ];
        let mut simplifier = ClauseSimplifier::new(4, clauses.clone());
        simplifier.simplify(&Until::default()).expect("no limit");
        assert_eq!(solutions(4, &clauses), 6);
        assert_eq!(solutions(4, &simplifier.into_clauses()), 6);
    }
}
