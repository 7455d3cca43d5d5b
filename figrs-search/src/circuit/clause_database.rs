//! Given and learned clauses of at least three literals.

use super::literal::AtomLiteral;

/// Maximum literal block distance (number of distinct decision levels of its literals) with which a learned clause is never forgotten.
const ALWAYS_KEPT_DISTANCE: u32 = 3;

/// Number of bytes of a clause's entry in a watch list, including unused capacity of the list.
const WATCH_BYTES: usize = 16;

/// Index of a clause in the clause database.
pub(super) type ClauseId = u32;

/// Kind of a clause, which determines whether and when the clause may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClauseKind {
    /// A clause of the problem, which is never deleted.
    Given,
    /// A learned clause, which the clauses of the problem imply; the clause is watched for unit propagation and may be forgotten.
    Learned,
    /// A clause that is stored only as the reason of one assignment, and is not watched for unit propagation.
    Temporary,
    /// An unused entry of the database, whose clause was forgotten.
    Forgotten,
}

#[derive(Clone, Debug)]
struct ClauseHeader {
    start: u32,
    len: u32,
    kind: ClauseKind,
    /// The literal block distance (number of decision levels) at the time when the clause was learned.
    block_distance: u32,
    /// The number of conflicts so far at the time when the clause last took part in a conflict.
    used: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ClauseDatabase {
    headers: Vec<ClauseHeader>,
    literals: Vec<AtomLiteral>,
    free: Vec<ClauseId>,
    /// Number of literals of forgotten clauses that are still in the array.
    waste: usize,
    pub(super) learned: usize,
}

impl ClauseDatabase {
    pub(super) fn add(
        &mut self,
        literals: &[AtomLiteral],
        kind: ClauseKind,
        block_distance: u32,
        now: u64,
    ) -> ClauseId {
        let header = ClauseHeader {
            start: self.literals.len() as u32,
            len: literals.len() as u32,
            kind,
            block_distance,
            used: now,
        };
        self.literals.extend_from_slice(literals);
        self.learned += usize::from(kind == ClauseKind::Learned);
        if let Some(id) = self.free.pop() {
            self.headers[id as usize] = header;
            return id;
        }
        self.headers.push(header);
        (self.headers.len() - 1) as ClauseId
    }

    /// Returns the number of entries for clauses in the database, including the entries of forgotten clauses.
    pub(super) fn len(&self) -> usize {
        self.headers.len()
    }

    pub(super) fn kind(&self, id: ClauseId) -> ClauseKind {
        self.headers[id as usize].kind
    }

    #[inline]
    pub(super) fn literals(&self, id: ClauseId) -> &[AtomLiteral] {
        let header = &self.headers[id as usize];
        &self.literals[header.start as usize..][..header.len as usize]
    }

    #[inline]
    pub(super) fn literals_mut(&mut self, id: ClauseId) -> &mut [AtomLiteral] {
        let header = &self.headers[id as usize];
        &mut self.literals[header.start as usize..][..header.len as usize]
    }

    /// Records that the clause `id` took part in the conflict number `now`.
    pub(super) fn touch(&mut self, id: ClauseId, now: u64) {
        self.headers[id as usize].used = now;
    }

    pub(super) fn forget(&mut self, id: ClauseId) {
        let header = &mut self.headers[id as usize];
        self.learned -= usize::from(header.kind == ClauseKind::Learned);
        self.waste += header.len as usize;
        header.kind = ClauseKind::Forgotten;
        header.len = 0;
        self.free.push(id);
    }

    /// Forgets the least recently used half of the learned clauses with a large literal block distance (many decision levels), except clauses for
    /// which `is_locked` returns true.
    pub(super) fn forget_half(&mut self, is_locked: impl Fn(ClauseId) -> bool) {
        let is_candidate = |id: &ClauseId| {
            let header = &self.headers[*id as usize];
            header.kind == ClauseKind::Learned
                && header.block_distance > ALWAYS_KEPT_DISTANCE
                && !is_locked(*id)
        };
        let mut candidates: Vec<ClauseId> = (0..self.headers.len() as u32)
            .filter(is_candidate)
            .collect();
        candidates.sort_by_key(|&id| (self.headers[id as usize].used, id));
        let half = candidates.len() / 2;
        for &id in &candidates[..half] {
            self.forget(id);
        }
    }

    /// Removes the literals of forgotten clauses from the array, if these literals outnumber all others and the entries for clauses.
    pub(super) fn compact(&mut self) {
        if self.waste <= self.headers.len().max(self.literals.len() / 2) {
            return;
        }
        let mut literals = Vec::with_capacity(self.literals.len() - self.waste);
        for header in &mut self.headers {
            let start = literals.len() as u32;
            literals
                .extend_from_slice(&self.literals[header.start as usize..][..header.len as usize]);
            header.start = start;
        }
        self.literals = literals;
        self.waste = 0;
    }

    /// Returns the approximate size of the clause database in bytes, including the watch lists.
    pub(super) fn bytes(&self) -> usize {
        let clauses = self.headers.len() - self.free.len();
        self.literals.capacity() * size_of::<AtomLiteral>()
            + self.headers.capacity() * (size_of::<ClauseHeader>() + size_of::<ClauseId>())
            + clauses * 2 * WATCH_BYTES
    }

    /// Returns the length of the array of literals in the database, which is limited because the indices of literals have 32 bits.
    pub(super) fn positions(&self) -> usize {
        self.literals.len()
    }

    #[cfg(test)]
    pub(super) fn count(&self, kind: ClauseKind) -> usize {
        self.headers
            .iter()
            .filter(|header| header.kind == kind)
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_forgotten_clauses_are_given_back() {
        let clause = |from: u32| {
            (from..from + 10)
                .map(|atom| AtomLiteral::new(atom, true))
                .collect::<Vec<_>>()
        };
        let mut database = ClauseDatabase::default();
        let kept: Vec<ClauseId> = (0..50)
            .map(|from| database.add(&clause(from), ClauseKind::Given, 0, 0))
            .collect();
        for round in 0..10_000 {
            let id = database.add(&clause(round), ClauseKind::Temporary, 0, 0);
            assert_eq!(database.literals(id), clause(round));
            database.forget(id);
            database.compact();
            assert!(database.positions() <= 50 * 10 * 2 + 10);
        }
        for (id, from) in kept.into_iter().zip(0..) {
            assert_eq!(database.literals(id), clause(from));
        }
        assert_eq!(database.count(ClauseKind::Temporary), 0);
    }
}
