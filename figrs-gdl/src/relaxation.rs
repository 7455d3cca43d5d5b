//! Delete relaxation of ground rules: for each literal the number of steps after which it may hold, and a relaxed plan.
//!
//! In the *relaxation*, all actions are taken at once, and a literal that has held at some step may hold at every later step. The level of a literal
//! is a lower bound of the number of steps after which the literal holds in any plan; the level of the goal is a lower bound of the length of plans.
//! The *relaxed plan* consists of the actions that some derivation of the goal in the relaxation uses; the number of these actions is an estimate,
//! not a bound, of the length of plans.
//!
//! The relaxation takes account of negated conditions: an atom may be false from the level on at which all rules that derive the atom may be blocked.
//! An atom that depends on itself may be false at every level of the relaxation, because its rules may block each other.
//!
//! Delete relaxation is described in Hoffmann and Nebel, "The FF Planning System", JAIR 14 (2001), section 4, and levels of literals in Bonet and
//! Geffner, "Planning as Heuristic Search", Artificial Intelligence 129 (2001).

use rustc_hash::{FxHashMap, FxHashSet};

use super::ground::{GroundLiteral, WORD};
use super::ground_puzzle::GroundPuzzle;
use super::state::Action;

/// The number stored for a literal that the relaxation has not reached, or for a rule that is not blocked.
const NONE: u32 = u32::MAX;

/// A sequence of lists of indices, stored in one vector.
#[derive(Debug)]
struct NumberLists {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl NumberLists {
    /// Groups the second numbers of the pairs `pairs` by the first numbers, which must be less than `count`.
    fn new(count: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; count + 1];
        for (of, _) in pairs.clone() {
            starts[of + 1] += 1;
        }
        for of in 0..count {
            starts[of + 1] += starts[of];
        }
        let mut places = starts.clone();
        let mut all = vec![0; starts[count] as usize];
        for (of, number) in pairs {
            all[places[of] as usize] = number;
            places[of] += 1;
        }
        Self { starts, all }
    }

    #[inline]
    fn of(&self, number: usize) -> std::ops::Range<usize> {
        self.starts[number] as usize..self.starts[number + 1] as usize
    }
}

/// Scratch values that each evaluation of the delete relaxation initialises and changes.
#[derive(Clone, Debug)]
struct Counters {
    /// For each rule, the number of its conditions that the relaxation has not reached yet.
    missing: Vec<u32>,
    /// For each atom, the number of its rules whose conditions cannot fail yet in the relaxation.
    unblocked: Vec<u32>,
    /// For each rule, the literal that blocks the rule in the relaxation, because this literal contradicts a condition of the rule.
    blocked_by: Vec<u32>,
    /// For each literal, its level: the number of steps after which the literal may hold in the relaxation.
    level: Vec<u32>,
    /// For each literal, the rule by which the relaxation reached it.
    support: Vec<u32>,
}

/// The relaxation of a puzzle's rules, with scratch memory for its evaluation.
#[derive(Debug)]
pub(super) struct Relaxation {
    /// Number of facts of a state, rounded up to whole machine words.
    facts: usize,
    heads: Vec<u32>,
    bodies: NumberLists,
    /// For each literal, the rules whose conditions contain the literal.
    needing: NumberLists,
    of_head: NumberLists,
    /// For each atom which states that an action is legal, the atom which states that the action is taken.
    done_by_legal: FxHashMap<u32, u32>,
    action_by_done: FxHashMap<u32, u32>,
    legal_by_action: Vec<u32>,
    /// An additional atom that holds if the puzzle ends with its goal met.
    goal: u32,
    /// For each fact, true if no action changes the fact in the relaxation.
    is_fixed: Vec<bool>,
    /// For each atom, true if the goal may depend on the atom.
    is_relevant: Vec<bool>,
    /// Literals that hold in every state of the relaxation, without any action.
    given: Vec<u32>,
    fresh: Counters,
    now: Counters,
    queue: Vec<u32>,
    later: Vec<u32>,
    stack: Vec<(u32, u32)>,
    /// The actions of a relaxed plan, each with the step at which the action is taken.
    done: FxHashSet<(u32, u32)>,
    marked: Vec<u32>,
    evaluations: u32,
    /// Number of conditions of rules that the evaluations of the relaxation have examined.
    pub(super) work: u64,
}

fn literal(atom: u32, holds: bool) -> u32 {
    GroundLiteral::new(atom, holds).number() as u32
}

impl Relaxation {
    /// Creates the relaxation of `puzzle` for a goal of at least the value `value`; facts for which `is_fixed` returns `true` never change in the
    /// relaxation.
    pub(super) fn new(puzzle: &GroundPuzzle, value: u8, is_fixed: impl Fn(usize) -> bool) -> Self {
        let machine = &puzzle.machine;
        let facts = machine.words() * WORD;
        let goal = machine.atoms() as u32;
        let goals = puzzle.goals.iter().filter(|(of, _)| *of >= value);
        let goals: Vec<u32> = goals.map(|&(_, atom)| atom).collect();
        let next = (facts..2 * facts).map(|atom| atom as u32);
        let asked = next.chain(puzzle.legal.iter().copied());
        let asked = asked.chain(puzzle.terminal).chain(goals.iter().copied());
        let cone = machine.cone(asked);
        let mut rules: Vec<(u32, Vec<GroundLiteral>, bool)> = machine
            .rules_of(&cone)
            .map(|(head, body, is_cyclic)| (head, body.to_vec(), is_cyclic))
            .collect();
        for &met in &goals {
            let ended = puzzle.terminal.iter().chain([&met]);
            let body = ended.map(|&atom| GroundLiteral::new(atom, true));
            rules.push((goal, body.collect(), false));
        }
        let atoms = goal as usize + 1;
        let relevant = relevant(puzzle, &rules, goal, facts);
        rules.retain(|(head, ..)| relevant[*head as usize]);

        let numbered = || (0..).zip(&rules);
        let bodies = numbered().flat_map(|(rule, (_, body, _))| {
            let each = body.iter().map(|c| c.number() as u32);
            each.map(move |condition| (rule as usize, condition))
        });
        let bodies = NumberLists::new(rules.len(), bodies);
        let needing = numbered().flat_map(|(rule, (_, body, _))| {
            let each = body.iter();
            each.map(move |condition| (condition.number(), rule))
        });
        let needing = NumberLists::new(2 * atoms, needing);
        let heads = numbered().map(|(rule, (head, ..))| (*head as usize, rule));
        let of_head = NumberLists::new(atoms, heads);
        let mut is_optional = vec![false; atoms];
        for (head, _, is_cyclic) in &rules {
            is_optional[*head as usize] |= is_cyclic;
        }
        let mut given = Vec::new();
        for (atom, &is_relevant) in (0..).zip(&relevant) {
            let at = atom as usize;
            let may_fail = of_head.of(at).is_empty() || is_optional[at];
            if is_relevant && at >= facts && may_fail {
                given.push(literal(atom, false));
            }
        }
        for (head, body, _) in &rules {
            if body.is_empty() {
                given.push(literal(*head, true));
            }
        }
        let fresh = Counters {
            missing: rules.iter().map(|(_, body, _)| body.len() as u32).collect(),
            unblocked: (0..atoms)
                .map(|atom| of_head.of(atom).len() as u32)
                .collect(),
            blocked_by: vec![NONE; rules.len()],
            level: vec![NONE; 2 * atoms],
            support: vec![NONE; 2 * atoms],
        };
        let pairs = || {
            puzzle
                .legal
                .iter()
                .copied()
                .zip(puzzle.does.iter().copied())
        };
        Self {
            facts,
            heads: rules.iter().map(|(head, ..)| *head).collect(),
            bodies,
            needing,
            of_head,
            done_by_legal: pairs().collect(),
            action_by_done: (0..)
                .zip(&puzzle.does)
                .map(|(a, &done)| (done, a))
                .collect(),
            legal_by_action: puzzle.legal.clone(),
            goal,
            is_fixed: (0..facts).map(is_fixed).collect(),
            is_relevant: relevant,
            given,
            now: fresh.clone(),
            fresh,
            queue: Vec::new(),
            later: Vec::new(),
            stack: Vec::new(),
            done: FxHashSet::default(),
            marked: vec![0; 2 * atoms],
            evaluations: 0,
            work: 0,
        }
    }

    /// Returns the level of the goal from `state`; `None` if the relaxation never reaches the goal.
    pub(super) fn level(&mut self, state: &[u64]) -> Option<u32> {
        let (now, fresh) = (&mut self.now, &self.fresh);
        now.missing.copy_from_slice(&fresh.missing);
        now.unblocked.copy_from_slice(&fresh.unblocked);
        now.blocked_by.copy_from_slice(&fresh.blocked_by);
        now.level.copy_from_slice(&fresh.level);
        self.work += (now.missing.len() + now.level.len()) as u64 / 8;
        self.queue.clear();
        self.later.clear();
        for place in 0..self.given.len() {
            self.reach(self.given[place], 0, NONE);
        }
        for fact in (0..self.facts).filter(|&fact| self.is_relevant[fact]) {
            let holds = state[fact / WORD] >> (fact % WORD) & 1 == 1;
            let at = literal(fact as u32, holds) as usize;
            self.now.level[at] = 0;
            self.queue.push(at as u32);
        }
        let goal = literal(self.goal, true);
        for level in 0.. {
            let mut done = 0;
            while let Some(&at) = self.queue.get(done) {
                done += 1;
                self.spread(at, level);
                if self.now.level[goal as usize] != NONE {
                    return Some(level);
                }
            }
            self.queue.clear();
            let mut later = std::mem::take(&mut self.later);
            for at in later.drain(..) {
                self.reach(at, level + 1, NONE);
            }
            self.later = later;
            if self.queue.is_empty() {
                break;
            }
        }
        None
    }

    #[inline]
    fn reach(&mut self, at: u32, level: u32, support: u32) {
        let place = at as usize;
        if self.now.level[place] == NONE {
            self.now.level[place] = level;
            self.now.support[place] = support;
            self.queue.push(at);
        }
    }

    /// Applies, in the relaxation, the consequences of the literal of index `at`, which may hold after `level` steps.
    fn spread(&mut self, at: u32, level: u32) {
        let (atom, holds) = (at >> 1, at & 1 == 0);
        let needing = self.needing.of(at as usize);
        let blocking = self.needing.of((at ^ 1) as usize);
        self.work += (needing.len() + blocking.len() + 1) as u64;
        for place in needing {
            let rule = self.needing.all[place];
            let missing = &mut self.now.missing[rule as usize];
            *missing -= 1;
            if *missing == 0 {
                self.reach(literal(self.heads[rule as usize], true), level, rule);
            }
        }
        for place in blocking {
            let rule = self.needing.all[place] as usize;
            if self.now.blocked_by[rule] == NONE {
                self.now.blocked_by[rule] = at;
                let head = self.heads[rule];
                let unblocked = &mut self.now.unblocked[head as usize];
                *unblocked -= 1;
                if *unblocked == 0 {
                    self.reach(literal(head, false), level, NONE);
                }
            }
        }
        let place = atom as usize;
        if place >= self.facts && place < 2 * self.facts {
            let fact = place - self.facts;
            if !self.is_fixed[fact] && self.is_relevant[fact] {
                self.later.push(literal(fact as u32, holds));
            }
        } else if holds && let Some(&done) = self.done_by_legal.get(&atom) {
            self.reach(literal(done, true), level, NONE);
        }
    }

    /// Computes a relaxed plan from the state for which the level of the goal was computed last. Returns the number of pairs of an action and a step
    /// in the relaxed plan, and the number of facts that the plan changes. The actions in the first step of the relaxed plan are appended to `first`.
    ///
    /// An action whose effects depend on the state may occur at several steps of a relaxed plan: in a tile puzzle, the same move occurs once for each
    /// tile that passes through a cell.
    pub(super) fn plan(&mut self, first: &mut Vec<Action>) -> (u32, u32) {
        self.evaluations += 1;
        self.done.clear();
        let mut changes = 0;
        let mut open = std::mem::take(&mut self.stack);
        open.clear();
        open.push((literal(self.goal, true), 0));
        // The stack contains literals, each with the step at which the literal must hold.
        while let Some((at, step)) = open.pop() {
            let (atom, holds) = (at >> 1, at & 1 == 0);
            let place = atom as usize;
            if let Some(&action) = self.action_by_done.get(&atom) {
                if holds && self.done.insert((action, step)) {
                    if step == 0 {
                        first.push(Action(action));
                    }
                    open.push((literal(self.legal_by_action[action as usize], true), step));
                }
                continue;
            }
            let mark = &mut self.marked[at as usize];
            if std::mem::replace(mark, self.evaluations) == self.evaluations {
                continue;
            }
            let level = self.now.level[at as usize];
            if place < self.facts {
                if level > 0 {
                    changes += 1;
                    open.push((literal((place + self.facts) as u32, holds), level - 1));
                }
            } else if holds {
                let support = self.now.support[at as usize];
                if support != NONE {
                    let body = self.bodies.of(support as usize);
                    open.extend(self.bodies.all[body].iter().map(|&each| (each, step)));
                }
            } else {
                for rule in self.of_head.of(place) {
                    let blocked = self.now.blocked_by[self.of_head.all[rule] as usize];
                    // A rule that belongs to a cycle may have no blocking condition.
                    if blocked != NONE && self.now.level[blocked as usize] <= level {
                        open.push((blocked, step));
                    }
                }
            }
            self.work += 1;
        }
        self.stack = open;
        (self.done.len() as u32, changes)
    }
}

/// Returns true for each atom on which the goal may depend.
fn relevant(
    puzzle: &GroundPuzzle,
    rules: &[(u32, Vec<GroundLiteral>, bool)],
    goal: u32,
    facts: usize,
) -> Vec<bool> {
    let atoms = goal as usize + 1;
    let heads = (0..)
        .zip(rules)
        .map(|(rule, (head, ..))| (*head as usize, rule));
    let of_head = NumberLists::new(atoms, heads);
    let done = puzzle.does.iter().copied();
    let legal: FxHashMap<u32, u32> = done.zip(puzzle.legal.iter().copied()).collect();
    let mut relevant = vec![false; atoms];
    let mut open = vec![goal];
    while let Some(atom) = open.pop() {
        let place = atom as usize;
        if std::mem::replace(&mut relevant[place], true) {
            continue;
        }
        if place < facts {
            open.push((place + facts) as u32);
        }
        open.extend(legal.get(&atom));
        for rule in of_head.of(place) {
            let (_, body, _) = &rules[of_head.all[rule] as usize];
            open.extend(body.iter().map(|condition| condition.atom()));
        }
    }
    relevant
}
