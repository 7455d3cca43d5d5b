//! Preprocessing of the clauses that represent a factor graph, which does not change the number of solutions.

use figrs_factor::{Limits, Until};

use super::clause_database::ClauseKind;
use super::clause_simplifier::ClauseSimplifier;
use super::defined_atoms::{DefinedAtom, eliminate_defined};
use super::literal::AtomLiteral;
use super::logical_form::LogicalForm;
use super::probing::probe;
use super::propagator::{AssignmentReason, ClausePropagator};
use figrs_factor::eliminate::EliminationError;

const MAX_ROUNDS: usize = 3;
/// Number of bytes of each literal in addition to its clause: its occurrences, and its copy for the test propagation of literals (probing).
const LITERAL_BYTES: usize = 20;
/// Number of bytes for each atom: its lists of occurrences, of two-literal clauses and of watches.
const ATOM_BYTES: usize = 250;

/// Simplifies the clauses that represent a factor graph, and eliminates atoms that other atoms define.
///
/// Preprocessing does not eliminate the atoms of variables that are marked in `is_kept`.
///
/// **Guarantee.** The solutions over the remaining atoms correspond one to one to the solutions of the given clauses, with the same weights. The
/// values of the eliminated atoms follow from the values of the remaining atoms; they are computed in the reverse order of elimination.
///
/// **Errors.** [`EliminationError::Interrupted`] at a deadline or an interrupt; [`EliminationError::TooMuchMemory`] if
/// the clauses exceed the memory.
pub(super) fn preprocess(
    form: &mut LogicalForm,
    is_kept: &[bool],
    limits: &Limits,
) -> Result<Vec<DefinedAtom>, EliminationError> {
    let (atoms, until) = (form.atoms.len(), &limits.until);
    let bytes = form.bytes() + form.clause_literals() * LITERAL_BYTES + atoms * ATOM_BYTES;
    limits.check_memory(bytes as f64)?;
    let mut is_candidate: Vec<bool> = (form.atoms.variables.iter())
        .map(|&v| form.atoms.cardinalities[v as usize] == 2 && !is_kept[v as usize])
        .collect();
    for &root in &form.roots {
        for &v in form.diagrams.support(root) {
            for atom in form.atoms.of(v) {
                is_candidate[atom as usize] = false;
            }
        }
    }
    let mut simplifier = ClauseSimplifier::new(atoms, std::mem::take(&mut form.clauses));
    simplifier.simplify(until)?;
    let mut defined = Vec::new();
    for _ in 0..MAX_ROUNDS {
        if simplifier.is_contradictory || !probe_clauses(form, &mut simplifier, until)? {
            form.is_empty = true;
            return Ok(defined);
        }
        simplifier.simplify(until)?;
        let found = eliminate_defined(&mut simplifier, &is_candidate, until)?;
        let is_settled = found.is_empty();
        for atom in &found {
            is_candidate[atom.atom as usize] = false;
        }
        defined.extend(found);
        if is_settled {
            break;
        }
    }
    form.is_empty |= simplifier.is_contradictory;
    form.clauses = simplifier.into_clauses();
    Ok(defined)
}

/// Adds the consequences that probing (test propagation of each literal) finds to `simplifier`; returns `false` if the clauses have no solution.
fn probe_clauses(
    form: &LogicalForm,
    simplifier: &mut ClauseSimplifier,
    until: &Until,
) -> Result<bool, EliminationError> {
    let mut propagator = ClausePropagator::new(form.atoms.exclusive());
    // A variable that shares no clause with another variable is not probed. Probing would find consequences only for the variable's own values, of
    // which there may be many.
    let mut is_joined = vec![false; form.atoms.cardinalities.len()];
    let mut excluded = Vec::new();
    for clause in simplifier.long_clauses() {
        propagator.add_clause(clause, ClauseKind::Given, 0);
        let variable = |l: &AtomLiteral| form.atoms.variable(*l);
        let first = clause.first().map(variable);
        if clause.iter().any(|l| Some(variable(l)) != first) {
            for literal in clause {
                is_joined[variable(literal) as usize] = true;
            }
        } else if let Some(v) = first
            && clause.iter().all(|l| l.is_positive())
        {
            // If the variable has one of the clause's values in all solutions, its other values are excluded.
            let atoms = form.atoms.of(v).map(|atom| AtomLiteral::new(atom, true));
            let others = atoms.filter(|atom| clause.binary_search(atom).is_err());
            excluded.extend(others.map(|atom| !atom));
        }
    }
    for literal in excluded {
        simplifier.assign(literal);
    }
    if simplifier.is_contradictory {
        return Ok(false);
    }
    for unit in simplifier.units() {
        propagator.assign(unit, AssignmentReason::None);
    }
    let is_probed = |atom: u32| is_joined[form.atoms.variables[atom as usize] as usize];
    let probes = probe(&mut propagator, is_probed, until)?;
    if probes.is_contradictory {
        return Ok(false);
    }
    probes
        .units
        .into_iter()
        .for_each(|unit| simplifier.assign(unit));
    for [a, b] in probes.equivalences {
        simplifier.add(vec![!a, b]);
        simplifier.add(vec![a, !b]);
    }
    Ok(!simplifier.is_contradictory)
}

/// Extends the truth values `is_true` of the remaining atoms by the values of the eliminated atoms.
pub(super) fn complete(defined: &[DefinedAtom], is_true: &mut [bool]) {
    for atom in defined.iter().rev() {
        let [yes, no] = [true, false].map(|value| AtomLiteral::new(atom.atom, value));
        let decides =
            |clause: &Vec<AtomLiteral>| (clause.iter()).all(|&l| l == yes || !is_true[l.index()]);
        let value = atom.clauses.iter().any(decides);
        is_true[yes.index()] = value;
        is_true[no.index()] = !value;
    }
}
