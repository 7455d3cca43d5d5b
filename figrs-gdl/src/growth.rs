//! Growth of a puzzle's number of states with the number of steps, in total and for each relation.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ground::WORD;
use super::{GameState, Puzzle};

/// Number of states of a puzzle that can be reached after some number of steps, and for each relation the number of different sets of facts of this
/// relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateGrowth {
    steps: usize,
    states: usize,
    relations: Vec<(String, usize)>,
}

impl StateGrowth {
    /// Returns the number of steps over which the growth was computed.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Returns the number of states that can be reached after the number of steps over which the growth was computed.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Returns for each relation of facts, such as `cell`, the number of different sets of its facts in the reachable states, in descending order.
    pub fn relations(&self) -> &[(String, usize)] {
        &self.relations
    }
}

/// Writes the growth as ``after 4 steps there are 1320 joint states, of 880 sets of facts `cell`, 4 of `held` ``.
impl std::fmt::Display for StateGrowth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let many = |count: usize| if count == 1 { "" } else { "s" };
        let (steps, states) = (self.steps, self.states);
        let (s, t) = (many(steps), many(states));
        let are = if states == 1 { "is" } else { "are" };
        write!(
            f,
            "after {steps} step{s} there {are} {states} joint state{t}"
        )?;
        for (place, (name, count)) in self.relations.iter().take(3).enumerate() {
            match place {
                0 => write!(f, ", of {count} set{} of facts `{name}`", many(*count))?,
                _ => write!(f, ", {count} of `{name}`")?,
            }
        }
        Ok(())
    }
}

impl Puzzle {
    /// Returns the growth of the number of states over as many steps as possible, provided that the total number of states over all steps is at most
    /// `most`.
    ///
    /// **Complexity.** Time and memory are linear in the total number of states times the number of legal actions.
    pub fn growth(&self, most: usize) -> StateGrowth {
        let mut layer = vec![self.start()];
        let (mut steps, mut met) = (0, 1);
        'steps: loop {
            let mut next: FxHashSet<GameState> = FxHashSet::default();
            for state in &layer {
                for action in self.legal(state) {
                    next.insert(self.next(state, action));
                    if met + next.len() > most {
                        break 'steps;
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            met += next.len();
            steps += 1;
            layer = next.into_iter().collect();
        }
        let masks = self.masks();
        let sets = masks.into_iter().map(|(name, mask)| {
            let parts = layer.iter().map(|state| {
                let words = state.0.iter().zip(&mask);
                words.map(|(word, mask)| word & mask).collect::<Vec<u64>>()
            });
            (name, parts.collect::<FxHashSet<_>>().len())
        });
        let mut relations: Vec<(String, usize)> = sets.collect();
        // The sort is stable, so that names with equal counts keep their order.
        relations.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        StateGrowth {
            steps,
            states: layer.len(),
            relations,
        }
    }

    /// Returns for each relation of facts a bit mask of the facts.
    fn masks(&self) -> Vec<(String, Vec<u64>)> {
        let words = self.rules.machine.words();
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        let mut masks: BTreeMap<usize, (String, Vec<u64>)> = BTreeMap::new();
        for (fact, text) in self.rules.facts.iter().enumerate() {
            let name = text.trim_start_matches('(');
            let name = name.split([' ', ')']).next().unwrap_or(name);
            let count = numbers.len();
            let number = *numbers.entry(name).or_insert(count);
            let (_, mask) = masks
                .entry(number)
                .or_insert_with(|| (name.to_owned(), vec![0; words]));
            mask[fact / WORD] |= 1 << (fact % WORD);
        }
        masks.into_values().collect()
    }
}
