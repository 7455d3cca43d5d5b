//! Evaluates ground rules on the bits of a state.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use super::ground::{AtomNumbering, GroundLiteral, GroundRule, GroundRules, WORD};
use super::local::{NegativeCycle, negative_cycle};
use super::state::GameState;

/// Ground rules in topological order of their dependencies; the rules of a cycle are next to each other.
#[derive(Debug)]
pub(super) struct RuleMachine {
    atoms: usize,
    /// Number of machine words of a state.
    words: usize,
    heads: Vec<u32>,
    /// For each rule, the index of its first condition in the list of all conditions; the last entry is the length of that list.
    starts: Vec<u32>,
    conditions: Vec<GroundLiteral>,
    /// For each rule, the rank of its head's strongly connected component: a cycle of atoms, or a single atom.
    ranks: Vec<u32>,
    /// For each rule, `true` if its head depends on itself through a cycle of rules.
    cyclic: Vec<bool>,
}

/// The rules on which given atoms depend, in topological order.
#[derive(Debug)]
pub(super) struct Cone(Vec<u32>);

/// The rules on which the next state depends, in three groups: rules that depend on the state alone, rules that may depend on any action, and for
/// each action the rules that require this action.
#[derive(Debug)]
pub(super) struct TransitionRules {
    still: Cone,
    moving: Cone,
    by_action: FxHashMap<u32, Cone>,
}

impl Cone {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the rules that are in this cone (a set of rules closed under dependencies) or in `other`.
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut all = [&self.0[..], &other.0[..]].concat();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }
}

impl TransitionRules {
    /// Returns the rules of the transition that depend on the state alone, not on the action.
    pub(super) fn still(&self) -> &Cone {
        &self.still
    }

    /// Returns the number of rules that are evaluated to find the state after an action.
    pub(super) fn moving(&self, action: u32) -> usize {
        let own = self.by_action.get(&action);
        self.moving.len() + own.map_or(0, Cone::len)
    }
}

#[derive(Clone, Debug)]
pub(super) struct AtomSet(Vec<u64>);

impl AtomSet {
    #[inline]
    pub(super) fn has(&self, atom: u32) -> bool {
        self.0[atom as usize / WORD] >> (atom as usize % WORD) & 1 == 1
    }

    /// Returns the facts of the next state, as bits in `words` machine words.
    pub(super) fn next_facts(&self, words: usize) -> &[u64] {
        &self.0[words..2 * words]
    }

    #[inline]
    fn set(&mut self, atom: u32) {
        self.0[atom as usize / WORD] |= 1 << (atom as usize % WORD);
    }
}

impl RuleMachine {
    /// **Errors.** A [`NegativeCycle`] if an atom depends on its own negation through a cycle of rules.
    pub(super) fn new(
        numbering: &AtomNumbering,
        rules: GroundRules,
    ) -> Result<Self, NegativeCycle> {
        let mut graph = DiGraph::<(), ()>::new();
        for _ in 0..numbering.count {
            graph.add_node(());
        }
        for rule in rules.keys() {
            for condition in &rule.body {
                let from = NodeIndex::new(condition.atom() as usize);
                graph.add_edge(from, NodeIndex::new(rule.head as usize), ());
            }
        }
        let mut rank = vec![0; numbering.count];
        let mut on_cycle = vec![false; numbering.count];
        // `kosaraju_scc` returns the components in reverse topological order.
        for (number, component) in (0..).zip(kosaraju_scc(&graph).iter().rev()) {
            for atom in component {
                rank[atom.index()] = number;
                on_cycle[atom.index()] = component.len() > 1 || graph.contains_edge(*atom, *atom);
            }
        }
        if let Some(cycle) = negative_cycle(&graph, &rules, &rank) {
            return Err(cycle);
        }
        let mut rules: Vec<GroundRule> = rules.into_keys().collect();
        rules.sort_by_key(|rule| rank[rule.head as usize]);
        let mut starts = vec![0];
        let mut conditions = Vec::new();
        for rule in &rules {
            conditions.extend_from_slice(&rule.body);
            starts.push(conditions.len() as u32);
        }
        let heads: Vec<u32> = rules.iter().map(|rule| rule.head).collect();
        Ok(Self {
            atoms: numbering.count,
            words: numbering.words,
            ranks: heads.iter().map(|&head| rank[head as usize]).collect(),
            cyclic: heads.iter().map(|&head| on_cycle[head as usize]).collect(),
            heads,
            starts,
            conditions,
        })
    }

    pub(super) fn rules(&self) -> usize {
        self.heads.len()
    }

    fn conditions(&self, rule: u32) -> &[GroundLiteral] {
        let rule = rule as usize;
        &self.conditions[self.starts[rule] as usize..self.starts[rule + 1] as usize]
    }

    /// Returns the rules on which `atoms` depend.
    ///
    /// The rules are in topological order, except that the rules of a cycle are adjacent.
    pub(super) fn cone(&self, atoms: impl IntoIterator<Item = u32>) -> Cone {
        let mut needed = vec![false; self.atoms];
        for atom in atoms {
            needed[atom as usize] = true;
        }
        let mut cone = Vec::new();
        // Rules are examined from the last to the first; the rules of a cycle are examined repeatedly until no rule is
        // added.
        let all: Vec<u32> = (0..self.heads.len() as u32).collect();
        for group in all.chunk_by(|&a, &b| self.rank(a) == self.rank(b)).rev() {
            let mut taken = vec![false; group.len()];
            loop {
                let mut is_done = true;
                for (&rule, taken) in group.iter().zip(&mut taken) {
                    if *taken || !needed[self.heads[rule as usize] as usize] {
                        continue;
                    }
                    (*taken, is_done) = (true, false);
                    for condition in self.conditions(rule) {
                        needed[condition.atom() as usize] = true;
                    }
                }
                if is_done {
                    break;
                }
            }
            let taken = group.iter().zip(taken).filter(|(_, taken)| *taken);
            cone.extend(taken.map(|(&rule, _)| rule));
        }
        cone.sort_unstable();
        Cone(cone)
    }

    /// Returns the rules on which the next state depends; each atom in `actions` states that an action is taken.
    pub(super) fn steps(&self, actions: &[u32]) -> TransitionRules {
        let next = self.words * WORD;
        let all = self.cone((next..2 * next).map(|atom| atom as u32));
        let mut by_action: FxHashMap<u32, Cone> =
            actions.iter().map(|&a| (a, Cone(Vec::new()))).collect();
        let moves = self.depending(&all, |atom| by_action.contains_key(&atom));
        let (mut still, mut moving) = (Vec::new(), Vec::new());
        for rule in all.0 {
            let conditions = self.conditions(rule);
            if !conditions.iter().any(|c| moves[c.atom() as usize]) {
                still.push(rule);
                continue;
            }
            let mut of_rule = conditions.iter().filter(|c| c.holds());
            let action = of_rule.find(|c| by_action.contains_key(&c.atom()));
            let apart = action.filter(|_| !self.cyclic[rule as usize]);
            match apart.and_then(|c| by_action.get_mut(&c.atom())) {
                Some(cone) => cone.0.push(rule),
                None => moving.push(rule),
            }
        }
        TransitionRules {
            still: Cone(still),
            moving: Cone(moving),
            by_action,
        }
    }

    /// Returns true for each atom that `is_one` accepts, and for each atom that depends on an accepted atom by the rules of the set `cone`.
    pub(super) fn depending(&self, cone: &Cone, is_one: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut depends: Vec<bool> = (0..self.atoms as u32).map(is_one).collect();
        // One pass suffices for rules in topological order, but cycles need several passes.
        loop {
            let mut is_done = true;
            for &rule in &cone.0 {
                let head = self.heads[rule as usize] as usize;
                let mut conditions = self.conditions(rule).iter();
                if !depends[head] && conditions.any(|c| depends[c.atom() as usize]) {
                    depends[head] = true;
                    is_done &= !self.cyclic[rule as usize];
                }
            }
            if is_done {
                return depends;
            }
        }
    }

    /// Returns the rules of the set `cone`, each with its head, its conditions, and `true` if its head depends on itself.
    pub(super) fn rules_of<'m>(
        &'m self,
        cone: &'m Cone,
    ) -> impl Iterator<Item = (u32, &'m [GroundLiteral], bool)> {
        let each = cone.0.iter();
        each.map(|&rule| {
            let at = rule as usize;
            (self.heads[at], self.conditions(rule), self.cyclic[at])
        })
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn atoms(&self) -> usize {
        self.atoms
    }

    fn rank(&self, rule: u32) -> u32 {
        self.ranks[rule as usize]
    }

    fn start(&self, state: &GameState) -> AtomSet {
        let mut bits = vec![0; self.atoms.div_ceil(WORD)];
        bits[..state.0.len()].copy_from_slice(&state.0);
        AtomSet(bits)
    }

    /// Returns the atoms that hold in `state` according to the rules of the set `cone`.
    pub(super) fn run(&self, cone: &Cone, state: &GameState) -> AtomSet {
        let mut bits = self.start(state);
        self.apply(&cone.0, &[], &mut bits);
        bits
    }

    /// Returns the state after an action; the atom `action` states that the action is taken, and `held` contains the atoms derived by the rules that
    /// depend on the state alone.
    pub(super) fn next(
        &self,
        steps: &TransitionRules,
        held: &AtomSet,
        action: u32,
    ) -> impl ExactSizeIterator<Item = u64> + use<> {
        let mut bits = held.clone();
        bits.set(action);
        let own = steps.by_action.get(&action);
        let own = own.map_or(&[][..], |cone| &cone.0);
        self.apply(&steps.moving.0, own, &mut bits);
        bits.0.truncate(2 * self.words);
        bits.0.into_iter().skip(self.words)
    }

    /// Applies the rules of the lists `common` and `own` in topological order of their dependencies. The rules of a cycle (all in `common`) are
    /// applied until they derive no new atom.
    fn apply<'c>(&self, mut common: &'c [u32], mut own: &'c [u32], bits: &mut AtomSet) {
        loop {
            let own_first = match (common.first(), own.first()) {
                (None, None) => return,
                (Some(&a), Some(&b)) => self.rank(b) < self.rank(a),
                (first, _) => first.is_none(),
            };
            let list = if own_first { &mut own } else { &mut common };
            let first = list[0];
            if !self.cyclic[first as usize] {
                self.fire(first, bits);
                *list = &list[1..];
                continue;
            }
            let cycle = list.partition_point(|&rule| self.rank(rule) == self.rank(first));
            let (rules, rest) = list.split_at(cycle);
            // The operator `|` is used instead of `||` so that every rule is applied in every round.
            while rules
                .iter()
                .fold(false, |new, &rule| new | self.fire(rule, bits))
            {}
            *list = rest;
        }
    }

    /// Applies the rule of index `rule`; returns `true` if the rule derives its head for the first time.
    #[inline]
    fn fire(&self, rule: u32, bits: &mut AtomSet) -> bool {
        let head = self.heads[rule as usize];
        let met = |condition: &GroundLiteral| bits.has(condition.atom()) == condition.holds();
        let is_new = !bits.has(head) && self.conditions(rule).iter().all(met);
        if is_new {
            bits.set(head);
        }
        is_new
    }
}
