//! The clock of a puzzle: facts whose values at each step are known in advance, namely constants and counters of steps.
//!
//! A counter of steps multiplies the number of states by the number of the counter's values, although the counter often determines only the last step
//! of the puzzle. States are stored without counters of steps up to the step from which on a counter affects legal moves, goals or the end of the
//! puzzle.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ground::WORD;
use super::machine::{Cone, RuleMachine};
use super::state::GameState;

/// Maximum number of machine words for the clock facts of all steps together (32 MB).
const MOST_WORDS: usize = 1 << 22;

/// The clock: facts that depend neither on actions nor on facts outside the clock. Before the step `limit`, the facts of the clock affect no legal
/// move, no goal and not the end of the puzzle.
#[derive(Debug)]
pub(super) struct Clock {
    /// The facts of the clock (constants and counters of steps), as a bit set.
    mask: Box<[u64]>,
    /// The clock facts that hold at each step, up to the step `limit`, or up to the step after which the clock facts repeat.
    course: Vec<Box<[u64]>>,
    /// The step to which the cycle of clock facts returns: after the last step in `course`, the facts of this step follow again.
    repeated: usize,
    /// The step at which the clock alone ends the puzzle; `None` if the clock never ends the puzzle.
    limit: Option<usize>,
}

/// The atoms whose values are needed to play from a state: legal moves, goals, the end of the puzzle, and the facts of the next state.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedAtoms<'a> {
    /// The atoms for legal moves, goals and the end of the puzzle.
    pub(super) of_state: &'a [u32],
    pub(super) does: &'a [u32],
    pub(super) terminal: Option<u32>,
    pub(super) start: &'a GameState,
}

impl Clock {
    /// Returns the clock of a puzzle; `None` if all facts of the puzzle must be stored in states.
    pub(super) fn new(machine: &RuleMachine, asked: AskedAtoms<'_>) -> Option<Self> {
        let words = machine.words();
        let next = |fact: usize| (words * WORD + fact) as u32;
        let all = machine.cone(
            (0..words * WORD)
                .map(next)
                .chain(asked.of_state.iter().copied()),
        );
        let does: FxHashSet<u32> = asked.does.iter().copied().collect();
        let (mask, impure) = independent(machine, &all, &does)?;
        let is_clock = |fact: usize| mask[fact / WORD] >> (fact % WORD) & 1 == 1;
        // The atoms that are derived from the clock alone, and that are needed to play or are conditions of other rules.
        let mut read: FxHashSet<u32> = FxHashSet::default();
        let mut endings: Vec<Vec<(u32, bool)>> = Vec::new();
        for (head, conditions, _) in machine.rules_of(&all) {
            let is_pure = |atom: u32| !impure[atom as usize];
            if is_pure(head) {
                continue;
            }
            read.extend(conditions.iter().map(|c| c.atom()).filter(|&a| is_pure(a)));
            if Some(head) == asked.terminal && conditions.iter().all(|c| is_pure(c.atom())) {
                endings.push(conditions.iter().map(|c| (c.atom(), c.holds())).collect());
            }
        }
        let of_state = asked.of_state.iter().copied();
        read.extend(of_state.filter(|&atom| !impure[atom as usize]));
        endings.extend(
            asked
                .terminal
                .filter(|atom| read.contains(atom))
                .map(|atom| vec![(atom, true)]),
        );
        let mut read: Vec<u32> = read.into_iter().collect();
        read.sort_unstable();
        let own = (0..words * WORD).filter(|&fact| is_clock(fact)).map(next);
        let cone = machine.cone(own.chain(read.iter().copied()));
        let masked = |bits: &[u64]| -> Box<[u64]> {
            bits.iter()
                .zip(&mask)
                .map(|(bits, mask)| bits & mask)
                .collect()
        };
        let mut course = vec![masked(&asked.start.0)];
        let mut known: FxHashMap<Box<[u64]>, usize> = FxHashMap::default();
        let mut first: Option<Vec<bool>> = None;
        let (mut limit, mut repeated) = (None, 0);
        let mut makes_a_difference = false;
        while let Some(now) = course.last().cloned() {
            let step = course.len() - 1;
            if let Some(&earlier) = known.get(&now) {
                course.pop();
                repeated = earlier;
                break;
            }
            if course.len() * words > MOST_WORDS {
                return None;
            }
            known.insert(now.clone(), step);
            let bits = machine.run(&cone, &GameState(now.into()));
            let holds = |ending: &Vec<(u32, bool)>| {
                ending.iter().all(|&(atom, holds)| bits.has(atom) == holds)
            };
            if !makes_a_difference && endings.iter().any(holds) {
                limit = Some(step);
                break;
            }
            let values: Vec<bool> = read.iter().map(|&atom| bits.has(atom)).collect();
            makes_a_difference |= first.get_or_insert_with(|| values.clone()) != &values;
            course.push(masked(bits.next_facts(words)));
        }
        if limit == Some(0) {
            return None;
        }
        if !makes_a_difference {
            return Some(Self {
                mask,
                course,
                repeated,
                limit,
            });
        }
        // Clock facts that never change need not be stored at any step.
        let mut constant = mask;
        for state in &course {
            for ((kept, &now), &first) in constant.iter_mut().zip(state).zip(&course[0]) {
                *kept &= !(now ^ first);
            }
        }
        let start: Box<[u64]> = course[0]
            .iter()
            .zip(&constant)
            .map(|(a, b)| a & b)
            .collect();
        start.iter().any(|&word| word != 0).then(|| Self {
            mask: constant,
            course: vec![start],
            repeated: 0,
            limit: None,
        })
    }

    pub(super) fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// True if the states of all steps before `step` can be stored without the facts of the clock (constants and counters of steps).
    pub(super) fn is_idle_before(&self, step: usize) -> bool {
        self.limit.is_none_or(|limit| step <= limit)
    }

    pub(super) fn without(&self, state: &GameState) -> GameState {
        let words = state.0.iter().zip(&self.mask);
        GameState(words.map(|(word, mask)| word & !mask).collect())
    }

    /// Adds the clock facts of `step` to `state`, which was stored without clock facts; if the clock has a limit, `step` must be at most this limit.
    pub(super) fn at(&self, state: &GameState, step: usize) -> GameState {
        let period = self.course.len() - self.repeated;
        let step = match step.checked_sub(self.course.len()) {
            Some(more) => self.repeated + more % period,
            None => step,
        };
        let now = &self.course[step];
        let words = state.0.iter().zip(now);
        GameState(words.map(|(word, clock)| word | clock).collect())
    }

    /// Returns a bit mask of all facts outside the clock.
    pub(super) fn others(&self) -> impl Iterator<Item = u64> {
        self.mask.iter().map(|mask| !mask)
    }

    /// True if the fact of index `fact` belongs to the clock.
    pub(super) fn has(&self, fact: usize) -> bool {
        self.mask[fact / WORD] >> (fact % WORD) & 1 == 1
    }
}

/// Returns the largest set of facts that depend neither on actions nor on facts outside the set. For each atom, also returns true if the atom depends
/// on an action or on a fact outside the set. Returns `None` if every fact depends on actions.
fn independent(
    machine: &RuleMachine,
    all: &Cone,
    does: &FxHashSet<u32>,
) -> Option<(Box<[u64]>, Vec<bool>)> {
    let facts = machine.words() * WORD;
    let mut mask: Box<[u64]> = vec![u64::MAX; machine.words()].into();
    loop {
        let impure = machine.depending(all, |atom| {
            let fact = atom as usize;
            does.contains(&atom) || fact < facts && mask[fact / WORD] >> (fact % WORD) & 1 == 0
        });
        let mut is_done = true;
        for fact in 0..facts {
            let bit = 1 << (fact % WORD);
            if impure[facts + fact] && mask[fact / WORD] & bit != 0 {
                mask[fact / WORD] &= !bit;
                is_done = false;
            }
        }
        if mask.iter().all(|&word| word == 0) {
            return None;
        }
        if is_done {
            return Some((mask, impure));
        }
    }
}
