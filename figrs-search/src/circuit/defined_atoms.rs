//! Elimination of atoms (propositions) that other atoms define, which does not change the number of solutions.

use figrs_factor::Until;

use super::clause_simplifier::ClauseSimplifier;
use super::literal::AtomLiteral;
use figrs_factor::eliminate::EliminationError;
use figrs_factor::eliminate::error::check_interrupt;

/// Maximum number of clauses that contain an atom that is eliminated.
const MAX_CLAUSES: usize = 40;
/// Maximum number of literals of a clause that the elimination of an atom adds.
const MAX_LENGTH: usize = 24;
const MAX_PASSES: usize = 20;
/// Maximum number of partial assignments that a test tries to find out whether an atom is defined by other atoms.
const MAX_TRIES: usize = 64;

/// An eliminated atom, with the clauses that contained it as a positive literal.
///
/// The eliminated atom is true if and only if one of the clauses that contained it has no other true literal.
#[derive(Clone, Debug)]
pub(super) struct DefinedAtom {
    pub(super) atom: u32,
    pub(super) clauses: Vec<Vec<AtomLiteral>>,
}

/// Eliminates atoms that their clauses define as functions of other atoms, if the elimination does not increase the number of
/// clauses.
///
/// A set of clauses defines an atom if the clauses have no solution after the literals of the atom are removed. For each assignment of the other
/// atoms, some clause then determines the defined atom. Each solution of the remaining clauses therefore extends to exactly one solution of all
/// clauses. The elimination of a defined atom by resolution therefore sums over the two values of the atom.
///
/// **Guarantee.** The solutions of the remaining clauses correspond one to one to the solutions of the given clauses, restricted to
/// the remaining atoms.
///
/// **Errors.** [`EliminationError::Interrupted`] if the deadline passes or an interrupt occurs.
///
/// **References.** Lagniez, Lonca and Marquis, *Improving model counting by leveraging definability*, IJCAI 2016.
pub(super) fn eliminate_defined(
    simplifier: &mut ClauseSimplifier,
    is_candidate: &[bool],
    until: &Until,
) -> Result<Vec<DefinedAtom>, EliminationError> {
    let mut eliminated = Vec::new();
    let mut is_gone = vec![false; is_candidate.len()];
    for _ in 0..MAX_PASSES {
        let before = eliminated.len();
        let mut order: Vec<(usize, usize)> = (0..is_candidate.len())
            .filter(|&atom| is_candidate[atom] && !is_gone[atom] && simplifier.is_open(atom))
            .map(|atom| {
                let [yes, no] = [true, false].map(|value| {
                    let literal = AtomLiteral::new(atom as u32, value);
                    simplifier.clauses_of(literal).count()
                });
                (yes * no, atom)
            })
            .collect();
        order.sort_unstable();
        for (_, atom) in order {
            check_interrupt(until)?;
            if simplifier.is_contradictory {
                return Ok(eliminated);
            }
            if let Some(defined) = eliminate(simplifier, atom as u32) {
                is_gone[atom] = true;
                eliminated.push(defined);
            }
        }
        simplifier.simplify(until)?;
        if eliminated.len() == before {
            break;
        }
    }
    Ok(eliminated)
}

fn eliminate(simplifier: &mut ClauseSimplifier, atom: u32) -> Option<DefinedAtom> {
    if !simplifier.is_open(atom as usize) {
        return None;
    }
    let [yes, no] = [true, false].map(|value| AtomLiteral::new(atom, value));
    let collect = |literal| -> Vec<Vec<AtomLiteral>> {
        let clauses = simplifier.clauses_of(literal).take(MAX_CLAUSES + 1);
        clauses.map(<[AtomLiteral]>::to_vec).collect()
    };
    let (positive, negative) = (collect(yes), collect(no));
    let count = positive.len() + negative.len();
    if positive.is_empty() || negative.is_empty() || count > MAX_CLAUSES {
        return None;
    }
    let definition = AtomDefinition::of(&positive, &negative, [yes, no])?;
    let mut resolvents = Vec::new();
    for (i, first) in positive.iter().enumerate() {
        for (j, second) in negative.iter().enumerate() {
            // The resolvent of two clauses outside the definition is omitted, because it follows from their resolvents with clauses of the
            // definition.
            if !definition.has(i) && !definition.has(positive.len() + j) {
                continue;
            }
            let mut resolvent: Vec<AtomLiteral> = first.iter().chain(second).copied().collect();
            resolvent.retain(|&l| l.atom() != atom as usize);
            resolvent.sort_unstable();
            resolvent.dedup();
            if resolvent.windows(2).any(|pair| pair[0] == !pair[1]) {
                continue;
            }
            if resolvent.len() > MAX_LENGTH || resolvents.len() >= count {
                return None;
            }
            resolvents.push(resolvent);
        }
    }
    simplifier.remove_clauses_of(atom as usize);
    for clause in resolvents {
        simplifier.add(clause);
    }
    Some(DefinedAtom {
        atom,
        clauses: positive,
    })
}

struct AtomDefinition {
    members: u64,
}

impl AtomDefinition {
    fn has(&self, place: usize) -> bool {
        self.members >> place & 1 == 1
    }

    /// Returns a minimal subset of an atom's clauses that defines the atom as a function of other atoms; `None` if there is none.
    fn of(
        positive: &[Vec<AtomLiteral>],
        negative: &[Vec<AtomLiteral>],
        literals: [AtomLiteral; 2],
    ) -> Option<Self> {
        let all = || positive.iter().chain(negative);
        let mut atoms: Vec<usize> = all().flatten().map(|l| l.atom()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        if atoms.len() > 64 {
            return None;
        }
        let masks = |clause: &Vec<AtomLiteral>| {
            let mut masks = MaskedClause::default();
            for l in clause.iter().filter(|l| !literals.contains(l)) {
                let bit = atoms
                    .binary_search(&l.atom())
                    .map_or(0, |place| 1u64 << place);
                if l.is_positive() {
                    masks.positive |= bit;
                } else {
                    masks.negative |= bit;
                }
            }
            masks
        };
        let clauses: Vec<MaskedClause> = all().map(masks).collect();
        let mut members = (1u64 << clauses.len()) - 1;
        if !contradicts(&clauses, members) {
            return None;
        }
        for place in (0..clauses.len()).rev() {
            let fewer = members & !(1 << place);
            if contradicts(&clauses, fewer) {
                members = fewer;
            }
        }
        Some(Self { members })
    }
}

/// A clause over at most 64 atoms, as two bit masks for its positive and its negative literals.
#[derive(Clone, Copy, Debug, Default)]
struct MaskedClause {
    positive: u64,
    negative: u64,
}

/// True if a limited search finds that the clauses with the indices `members` have no solution.
fn contradicts(clauses: &[MaskedClause], members: u64) -> bool {
    let mut tries = 0;
    // Partial assignments that have not been tried; each is given by its true atoms and its false atoms.
    let mut left = vec![(0u64, 0u64)];
    while let Some((mut yes, mut no)) = left.pop() {
        tries += 1;
        if tries > MAX_TRIES {
            return false;
        }
        let mut open;
        loop {
            let (before, mut shortest) = ((yes, no), u32::MAX);
            let mut violated = false;
            open = None;
            for (place, clause) in clauses.iter().enumerate() {
                let is_satisfied = clause.positive & yes != 0 || clause.negative & no != 0;
                if members >> place & 1 == 0 || is_satisfied {
                    continue;
                }
                let free = (clause.positive & !no, clause.negative & !yes);
                let count = free.0.count_ones() + free.1.count_ones();
                match count {
                    0 => violated = true,
                    1 => (yes, no) = (yes | free.0, no | free.1),
                    _ if count < shortest => (shortest, open) = (count, Some(free)),
                    _ => {}
                }
            }
            if violated || yes & no != 0 {
                open = Some((0, 0));
                break;
            }
            if (yes, no) == before {
                break;
            }
        }
        match open {
            None => return false,
            Some((0, 0)) => {}
            Some((positive, negative)) => {
                let any = positive | negative;
                let bit = 1 << any.trailing_zeros();
                left.extend([(yes | bit, no), (yes, no | bit)]);
            }
        }
    }
    true
}
