//! Conversion of frontier states to new codes of values or wider bit fields.

use super::coded_elements::CodedElements;
use super::dictionary::{BitField, StateKey};
use super::explore::ExplorationError;
use super::plan::PlannedStep;
use super::transitions::{fields_after, fields_before, types_after};

/// Widens the bit fields of codes, and converts the states of the frontier before the planned step of the sweep to the wider bit fields.
pub(super) fn widen_codes<const W: usize>(
    rules: &mut CodedElements,
    planned: &PlannedStep,
    states: &[StateKey<W>],
) -> Result<Vec<StateKey<W>>, ExplorationError> {
    let before = fields_before::<W>(rules, planned)?;
    rules.codes.widen();
    let after = fields_before::<W>(rules, planned)?;
    let rewritten = |state: &StateKey<W>| {
        let mut key = StateKey::EMPTY;
        for (&old, &new) in before.iter().zip(&after) {
            key.write(new, state.get(old));
        }
        key
    };
    Ok(states.iter().map(rewritten).collect())
}

/// Gives new codes to the values in the states of the frontier after a step, if the states contain only a small fraction of the found values. Returns
/// the converted states of the frontier, or `None` if no codes have changed.
pub(super) fn renumbered_states<const W: usize>(
    rules: &mut CodedElements,
    planned: &PlannedStep,
    states: &[StateKey<W>],
) -> Result<Option<Vec<StateKey<W>>>, ExplorationError> {
    const MANY: usize = 1 << 12;
    const LEFT: usize = 4;
    let types = types_after(rules, planned);
    let fields = fields_after::<W>(rules, planned)?;
    let mut numbered: Option<Vec<StateKey<W>>> = None;
    for of in 0..rules.codes.values.len() {
        let values = rules.codes.values[of].len();
        if !rules.is_renumberable(of) || values < MANY.max(LEFT * states.len()) {
            continue;
        }
        let now = numbered.as_deref().unwrap_or(states);
        let left = used_values(rules, of, (&types, &fields), now);
        if left.len() <= values / 2 {
            let states = numbered.get_or_insert_with(|| states.to_vec());
            retain_values(rules, of, (&types, &fields), (&left, states));
        }
    }
    Ok(numbered)
}

/// Gives new codes to the values in the states of the frontier before a step, unless transitions contain the old codes. Returns the states of the
/// frontier with the new codes of values. The caller must clear all memo tables before the call.
pub(super) fn values_left<const W: usize>(
    rules: &mut CodedElements,
    planned: &PlannedStep,
    states: &[StateKey<W>],
) -> Result<Vec<StateKey<W>>, ExplorationError> {
    let types: Vec<usize> = planned.before.iter().map(|&p| rules.types[p]).collect();
    let fields = fields_before::<W>(rules, planned)?;
    let mut states = states.to_vec();
    for of in 0..rules.codes.values.len() {
        if !rules.is_reported(of) {
            let left = used_values(rules, of, (&types, &fields), &states);
            retain_values(rules, of, (&types, &fields), (&left, &mut states));
        }
    }
    Ok(states)
}

/// Returns the ascending codes of the values of type `of` that occur in the states of a frontier, `states`.
fn used_values<const W: usize>(
    rules: &CodedElements,
    of: usize,
    (types, fields): (&[usize], &[BitField]),
    states: &[StateKey<W>],
) -> Vec<u32> {
    let mut is_left = vec![false; rules.codes.values[of].len()];
    for (&field, _) in fields.iter().zip(types).filter(|(_, t)| **t == of) {
        for state in states {
            is_left[state.get(field) as usize] = true;
        }
    }
    let numbers = (0..).zip(is_left).filter(|(_, is_left)| *is_left);
    numbers.map(|(number, _)| number).collect()
}

/// Keeps only the values `left` of type `of`, which include all values in the states, and writes their new codes into the states.
fn retain_values<const W: usize>(
    rules: &mut CodedElements,
    of: usize,
    (types, fields): (&[usize], &[BitField]),
    (left, states): (&[u32], &mut [StateKey<W>]),
) {
    let mut numbers = vec![0; rules.codes.values[of].len()];
    for (&at, number) in left.iter().zip(0..) {
        numbers[at as usize] = number;
    }
    rules.codes.retain_values(of, left);
    for (&field, _) in fields.iter().zip(types).filter(|(_, t)| **t == of) {
        for state in &mut *states {
            state.set(field, numbers[state.get(field) as usize]);
        }
    }
}
