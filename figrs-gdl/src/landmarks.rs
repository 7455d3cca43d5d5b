//! Landmarks of a puzzle: literals that hold whenever the goal is met. The number of landmarks that do not hold in a state gives a lower bound of the
//! number of steps to the goal.
//!
//! If no action achieves two landmarks at once, each landmark that does not hold yet requires its own action. Bounds by landmarks are useful for
//! puzzles such as sudoku, where each condition of the goal is easy to meet, but all conditions together need many steps.
//!
//! Landmarks are described in Hoffmann, Porteous and Sebastia, "Ordered Landmarks in Planning", JAIR 22 (2004), and bounds by sets of achievers (the
//! actions that achieve a landmark) in Karpas and Domshlak, "Cost-Optimal Planning with Landmarks", IJCAI 2009.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ground::{GroundLiteral, WORD};
use super::ground_puzzle::GroundPuzzle;
use super::machine::RuleMachine;
use super::state::Action;

/// Maximum number of conditions examined to find the actions that achieve landmarks.
const MOST_WORK: u64 = 100_000_000;

/// Landmarks of which no action achieves two at once.
#[derive(Debug, Default)]
pub(super) struct Landmarks {
    all: Vec<Landmark>,
}

#[derive(Debug)]
struct Landmark {
    fact: usize,
    /// True if the landmark requires that the fact holds, false if the landmark requires that the fact does not hold.
    holds: bool,
    achievers: Vec<Action>,
}

impl Landmark {
    fn lacks(&self, state: &[u64]) -> bool {
        let holds = state[self.fact / WORD] >> (self.fact % WORD) & 1 == 1;
        holds != self.holds
    }
}

/// For each atom, the conditions of each rule that derives the atom.
type RulesByHead<'m> = FxHashMap<u32, Vec<&'m [GroundLiteral]>>;

impl Landmarks {
    /// Finds the landmarks of reaching a goal whose value is at least `value`.
    pub(super) fn new(puzzle: &GroundPuzzle, value: u8) -> Self {
        let machine = &puzzle.machine;
        let facts = machine.words() * WORD;
        let goals = puzzle.goals.iter().filter(|(of, _)| *of >= value);
        let goals: Vec<u32> = goals.map(|&(_, atom)| atom).collect();
        let next = (facts..2 * facts).map(|atom| atom as u32);
        let asked = next.chain(puzzle.terminal).chain(goals.iter().copied());
        let cone = machine.cone(asked);
        let mut rules = RulesByHead::default();
        let mut loops: FxHashSet<u32> = FxHashSet::default();
        for (head, body, is_cyclic) in machine.rules_of(&cone) {
            rules.entry(head).or_default().push(body);
            if is_cyclic {
                loops.insert(head);
            }
        }
        let needed = needed(literals_of_end(puzzle, &goals), &rules, facts);
        let mut work = 0;
        let mut found: Vec<((usize, bool), Vec<u32>)> = Vec::new();
        for (fact, holds) in needed {
            let achievers = achievers(
                machine,
                &rules,
                &loops,
                &puzzle.does,
                (fact, holds),
                &mut work,
            );
            if work > MOST_WORK {
                break;
            }
            found.push(((fact, holds), achievers));
        }
        found.sort_by_key(|(literal, achievers)| (achievers.len(), *literal));
        let mut used: FxHashSet<u32> = FxHashSet::default();
        let numbers: FxHashMap<u32, u32> = puzzle.does.iter().copied().zip(0..).collect();
        let mut all = Vec::new();
        for ((fact, holds), achievers) in found {
            if achievers.iter().all(|action| !used.contains(action)) {
                used.extend(&achievers);
                all.push(Landmark {
                    fact,
                    holds,
                    achievers: achievers.iter().map(|done| Action(numbers[done])).collect(),
                });
            }
        }
        Self { all }
    }

    /// Selects, among the landmarks that do not hold yet, the landmark that the fewest legal actions achieve, and adds these actions to `actions`.
    /// Returns `false` if all landmarks hold, or if no legal action achieves a landmark that does not hold.
    ///
    /// If each condition of the goal can be met by a single action, `fewest` is the rule of the fewest remaining values (Haralick and Elliott,
    /// "Increasing Tree Search Efficiency for Constraint Satisfaction Problems", 1980).
    pub(super) fn fewest(
        &self,
        state: &[u64],
        is_legal: impl Fn(Action) -> bool,
        actions: &mut Vec<Action>,
    ) -> bool {
        let mut fewest: Option<(usize, &Landmark)> = None;
        for landmark in self.all.iter().filter(|landmark| landmark.lacks(state)) {
            let legal = landmark
                .achievers
                .iter()
                .filter(|&&action| is_legal(action));
            match legal.count() {
                0 => return false,
                count if fewest.is_none_or(|(least, _)| count < least) => {
                    fewest = Some((count, landmark));
                }
                _ => {}
            }
        }
        let Some((_, landmark)) = fewest else {
            return false;
        };
        let achievers = landmark.achievers.iter().copied();
        actions.extend(achievers.filter(|&action| is_legal(action)));
        true
    }

    /// Returns the number of landmarks that do not hold in `state`, which is a lower bound of the number of steps to the goal.
    pub(super) fn lacking(&self, state: &[u64]) -> u32 {
        let lacking = self.all.iter().filter(|landmark| landmark.lacks(state));
        lacking.count() as u32
    }

    /// Returns the approximate cost of evaluating the landmarks in a state, counted as a number of rules.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

/// Returns the facts that have to hold, or must not hold, when the puzzle ends with a goal of at least the value `value`.
pub(super) fn facts_of_goal(puzzle: &GroundPuzzle, value: u8) -> Vec<(usize, bool)> {
    let machine = &puzzle.machine;
    let goals = puzzle.goals.iter().filter(|(of, _)| *of >= value);
    let goals: Vec<u32> = goals.map(|&(_, atom)| atom).collect();
    let cone = machine.cone(puzzle.terminal.into_iter().chain(goals.iter().copied()));
    let mut rules = RulesByHead::default();
    for (head, body, _) in machine.rules_of(&cone) {
        rules.entry(head).or_default().push(body);
    }
    needed(
        literals_of_end(puzzle, &goals),
        &rules,
        machine.words() * WORD,
    )
}

/// Returns the literals that hold when the puzzle ends with one of the goal atoms `goals`.
fn literals_of_end(puzzle: &GroundPuzzle, goals: &[u32]) -> Vec<(u32, bool)> {
    let one = match goals {
        [goal] => Some(*goal),
        _ => None,
    };
    let atoms = puzzle.terminal.into_iter().chain(one);
    atoms.map(|atom| (atom, true)).collect()
}

/// Returns the facts that must be true, and the facts that must be false, if all literals of `open` are true.
fn needed(mut open: Vec<(u32, bool)>, rules: &RulesByHead<'_>, facts: usize) -> Vec<(usize, bool)> {
    let mut seen: FxHashSet<(u32, bool)> = FxHashSet::default();
    let mut needed = Vec::new();
    while let Some((atom, holds)) = open.pop() {
        if !seen.insert((atom, holds)) {
            continue;
        }
        if (atom as usize) < facts {
            needed.push((atom as usize, holds));
            continue;
        }
        let bodies = rules.get(&atom).map_or(&[][..], Vec::as_slice);
        if !holds {
            // All rules of the atom must be blocked; a rule with a single condition is blocked only if that condition
            // fails.
            for body in bodies {
                if let [condition] = body {
                    open.push((condition.atom(), !condition.holds()));
                }
            }
        } else if let [body] = bodies {
            open.extend(body.iter().map(|c| (c.atom(), c.holds())));
        }
    }
    needed.sort_unstable();
    needed
}

/// Returns a superset of the actions that can make the literal `(fact, holds)` true.
fn achievers(
    machine: &RuleMachine,
    rules: &RulesByHead<'_>,
    loops: &FxHashSet<u32>,
    does: &[u32],
    (fact, holds): (usize, bool),
    work: &mut u64,
) -> Vec<u32> {
    let facts = machine.words() * WORD;
    let next = (facts + fact) as u32;
    // The heads of the rules that derive the fact in the next state; each head comes after the atoms of its conditions.
    let cone = machine.cone([next]);
    let mut heads: Vec<u32> = Vec::new();
    for (head, ..) in machine.rules_of(&cone) {
        if heads.last() != Some(&head) && !heads.contains(&head) {
            heads.push(head);
        }
        *work += heads.len() as u64;
        if *work > MOST_WORK {
            return Vec::new();
        }
    }
    let actions: FxHashSet<u32> = does.iter().copied().collect();
    let mut found = Vec::new();
    for &action in does {
        // For each atom of the cone: true if the atom may hold, and true if the atom may fail.
        let mut may: FxHashMap<u32, (bool, bool)> = FxHashMap::default();
        let of = |may: &FxHashMap<u32, (bool, bool)>, atom: u32| {
            if atom as usize == fact {
                (!holds, holds)
            } else if actions.contains(&atom) {
                (atom == action, atom != action)
            } else if (atom as usize) < facts {
                (true, true)
            } else {
                may.get(&atom).copied().unwrap_or((false, true))
            }
        };
        for &head in &heads {
            if loops.contains(&head) {
                may.insert(head, (true, true));
                continue;
            }
            let (mut can_hold, mut can_fail) = (false, true);
            for body in &rules[&head] {
                let (mut may_apply, mut may_be_blocked) = (true, false);
                for condition in *body {
                    let (holds, fails) = of(&may, condition.atom());
                    let (met, unmet) = if condition.holds() {
                        (holds, fails)
                    } else {
                        (fails, holds)
                    };
                    may_apply &= met;
                    may_be_blocked |= unmet;
                }
                *work += body.len() as u64 + 1;
                can_hold |= may_apply;
                can_fail &= may_be_blocked;
            }
            may.insert(head, (can_hold, can_fail));
        }
        let (can_hold, can_fail) = of(&may, next);
        let is_achieved = if holds { can_hold } else { can_fail };
        if is_achieved {
            found.push(action);
        }
        if *work > MOST_WORK {
            return Vec::new();
        }
    }
    found
}
