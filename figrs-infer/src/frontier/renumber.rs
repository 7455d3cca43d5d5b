//! States whose values are numbered anew, or take more bits.

use super::codes::Key;
use super::halt::Halt;
use super::plan::Planned;
use super::rules::Rules;
use super::transitions::{fields_after, fields_before, types_after};

/// Gives the numbers of values more bits, and writes the states before a step anew.
pub(super) fn widened<const W: usize>(
    rules: &mut Rules,
    planned: &Planned,
    states: &[Key<W>],
) -> Result<Vec<Key<W>>, Halt> {
    let before = fields_before::<W>(rules, planned)?;
    rules.codes.widen();
    let after = fields_before::<W>(rules, planned)?;
    let rewritten = |state: &Key<W>| {
        let mut key = Key::EMPTY;
        for (&old, &new) in before.iter().zip(&after) {
            key.put(new, state.get(old));
        }
        key
    };
    Ok(states.iter().map(rewritten).collect())
}

/// The states after a step with their values numbered anew, where hardly any of the values numbered so far is left.
pub(super) fn numbered_anew<const W: usize>(
    rules: &mut Rules,
    planned: &Planned,
    states: &[Key<W>],
) -> Result<Option<Vec<Key<W>>>, Halt> {
    const MANY: usize = 1 << 12;
    const LEFT: usize = 4;
    const GONE: u32 = u32::MAX;
    let types = types_after(rules, planned);
    let fields = fields_after::<W>(rules, planned)?;
    let mut numbered: Option<Vec<Key<W>>> = None;
    for of in 0..rules.codes.values.len() {
        let values = rules.codes.values[of].len();
        if !rules.is_passing(of) || values < MANY.max(LEFT * states.len()) {
            continue;
        }
        let on = || fields.iter().zip(&types).filter(|(_, other)| **other == of);
        let mut numbers = vec![GONE; values];
        let now = numbered.as_deref().unwrap_or(states);
        for (state, (&field, _)) in now.iter().flat_map(|s| on().map(move |f| (s, f))) {
            numbers[state.get(field) as usize] = 0;
        }
        let left: Vec<u32> = (0..)
            .zip(&numbers)
            .filter(|(_, n)| **n != GONE)
            .map(|(at, _)| at)
            .collect();
        if left.len() > values / 2 {
            continue;
        }
        for (&at, number) in left.iter().zip(0..) {
            numbers[at as usize] = number;
        }
        rules.codes.keep(of, &left);
        for state in numbered.get_or_insert_with(|| states.to_vec()) {
            for (&field, _) in on() {
                state.set(field, numbers[state.get(field) as usize]);
            }
        }
    }
    Ok(numbered)
}
