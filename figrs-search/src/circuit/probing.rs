//! Probing: unit propagation of each literal finds failed literals, common consequences and equivalences.

use figrs_factor::Until;

use super::literal::AtomLiteral;
use super::propagator::{AssignmentReason, ClausePropagator, Truth};
use figrs_factor::eliminate::EliminationError;
use figrs_factor::eliminate::error::check_interrupt;

/// Maximum number of assignments that all test propagations together make.
const MAX_WORK: usize = 5_000_000;

#[derive(Debug, Default)]
pub(super) struct Probes {
    /// Literals that probing has found to be true in all solutions.
    pub(super) units: Vec<AtomLiteral>,
    /// Pairs of literals that probing has found to be equivalent: they have the same truth value in all solutions.
    pub(super) equivalences: Vec<[AtomLiteral; 2]>,
    pub(super) is_contradictory: bool,
}

/// Propagates each literal of the atoms for which `is_probed` is true, one literal at a time. A literal is false in all solutions if its propagation
/// leads to a conflict. A literal is true in all solutions if an atom implies it and the negation of the atom implies it, too. Two literals are
/// equivalent if they imply each other.
///
/// **Errors.** [`EliminationError::Interrupted`] if the deadline passes or an interrupt occurs.
///
/// **References.** Le Berre, *Exploiting the real power of unit propagation lookahead*, 2001.
pub(super) fn probe(
    propagator: &mut ClausePropagator,
    is_probed: impl Fn(u32) -> bool,
    until: &Until,
) -> Result<Probes, EliminationError> {
    let mut probes = Probes::default();
    if !propagator.propagate() {
        probes.is_contradictory = true;
        return Ok(probes);
    }
    let mut follows = vec![false; 2 * propagator.atoms()];
    let mut work = 0;
    for atom in 0..propagator.atoms() as u32 {
        if !propagator.is_open(atom as usize) || !is_probed(atom) || work > MAX_WORK {
            continue;
        }
        check_interrupt(until)?;
        let yes = AtomLiteral::new(atom, true);
        let Some(first) = consequences(propagator, yes) else {
            if !assert(propagator, !yes) {
                probes.is_contradictory = true;
                return Ok(probes);
            }
            continue;
        };
        let Some(second) = consequences(propagator, !yes) else {
            if !assert(propagator, yes) {
                probes.is_contradictory = true;
                return Ok(probes);
            }
            continue;
        };
        work += first.len() + second.len();
        for literal in &first {
            follows[literal.index()] = true;
        }
        for &literal in &second {
            if follows[literal.index()] && propagator.truth(literal) == Truth::Open {
                if !assert(propagator, literal) {
                    probes.is_contradictory = true;
                    return Ok(probes);
                }
            } else if follows[(!literal).index()] && literal.atom() > atom as usize {
                probes.equivalences.push([yes, !literal]);
            }
        }
        for literal in &first {
            follows[literal.index()] = false;
        }
    }
    probes.units.clone_from(&propagator.trail);
    Ok(probes)
}

/// Returns the literals that unit propagation of `literal` makes true, including `literal`; `None` if the propagation violates a clause.
fn consequences(
    propagator: &mut ClausePropagator,
    literal: AtomLiteral,
) -> Option<Vec<AtomLiteral>> {
    let start = propagator.trail.len();
    propagator.assign(literal, AssignmentReason::None);
    let consistent = propagator.propagate();
    let found = propagator.trail[start..].to_vec();
    propagator.undo(start);
    consistent.then_some(found)
}

/// Makes `literal` true permanently; returns `false` if this violates a clause.
fn assert(propagator: &mut ClausePropagator, literal: AtomLiteral) -> bool {
    propagator.assign(literal, AssignmentReason::None);
    propagator.propagate()
}
