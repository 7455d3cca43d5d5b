//! Cache of recent frontiers, stored as sets of states (joint values), and of the transitions between these sets.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use super::coded_elements::CodedElements;
use super::dictionary::StateKey;
use super::explore::{ExplorationError, ExplorationLimits};
use super::plan::PlannedStep;
use super::states::StateSet;
use super::transitions::{TransitionLayer, transitions};

const MAX_CACHED_SETS: usize = 1 << 12;

/// Maximum number of cached sets of states that are compared with a new frontier; only sets that precede steps with the same signature (a key that
/// steps with equal transitions share) are candidates.
const CANDIDATES: usize = 1 << 6;

/// The signatures (keys that steps with equal transitions share) of a step of the sweep and of the next step, if there is a next step. Steps with
/// equal signatures have the same transitions from equal states.
pub(super) type SignaturePair = (StepSignature, Option<StepSignature>);

#[derive(Debug)]
pub(super) struct StepResult {
    pub(super) to: FrontierPrefix,
    /// The index of the stored list that already has transitions of the step of the sweep; `None` if there is no such list.
    pub(super) layer: Option<usize>,
    /// The transitions of the step that the list with the index `layer` lacks; all transitions of the step if there is no list.
    pub(super) further: Option<TransitionLayer>,
}

/// Cache of recent frontiers, as sets of states, and of the transitions between these sets. If a frontier contains all states of a cached set, the
/// set is extended, and only the new states are explored.
#[derive(Debug)]
pub(super) struct StateSetCache<const W: usize> {
    sets: FxHashMap<usize, CachedSet<W>>,
    next: usize,
    /// The cached sets of states, in the order of their last use.
    by_last_use: BTreeMap<u64, usize>,
    clock: u64,
    /// The size of the cached sets in bytes, and the maximum of this size.
    held: usize,
    most: usize,
    /// The cached sets of states (joint values) of frontiers. The key of a cached set of states consists of the hash of the set and of the signature
    /// that all steps from this set have.
    equal: FxHashMap<(StepSignature, (usize, u64)), usize>,
    /// For each signature of a step (a key that steps with equal transitions share), the latest cached sets of states from which steps with this
    /// signature start.
    starting: FxHashMap<StepSignature, VecDeque<usize>>,
}

#[derive(Debug)]
struct CachedSet<const W: usize> {
    states: StateSet<W>,
    /// The known transitions from the set of states, stored for each pair of a step's signature and the next step's signature.
    ways: FxHashMap<SignaturePair, SetTransition>,
    remembered: Option<CacheEntry>,
}

#[derive(Clone, Copy, Debug)]
struct CacheEntry {
    /// The signature (a key that steps with equal transitions share) of the steps that start from the set of states.
    shape: StepSignature,
    fingerprint: (usize, u64),
    /// Time of the last use of the set of states; the clock counts uses of the cache.
    last_use: u64,
    bytes: usize,
}

impl<const W: usize> CachedSet<W> {
    fn bytes(&self) -> usize {
        self.states.bytes() + self.ways.values().map(SetTransition::bytes).sum::<usize>()
    }
}

impl<const W: usize> StateSetCache<W> {
    pub(super) fn new(most: usize) -> Self {
        Self {
            sets: FxHashMap::default(),
            next: 0,
            by_last_use: BTreeMap::new(),
            clock: 0,
            held: 0,
            most,
            equal: FxHashMap::default(),
            starting: FxHashMap::default(),
        }
    }

    pub(super) fn restart(
        &mut self,
        states: Vec<StateKey<W>>,
        shape: Option<StepSignature>,
    ) -> FrontierPrefix {
        *self = Self {
            next: self.next,
            ..Self::new(self.most)
        };
        let states = StateSet::from_keys(states);
        FrontierPrefix {
            states: states.len(),
            set: self.add(states, shape),
        }
    }

    /// Stores `states` as a set of states that is not in the cache, so that later frontiers do not find it.
    pub(super) fn resume(&mut self, states: Vec<StateKey<W>>) -> FrontierPrefix {
        let states = StateSet::from_keys(states);
        FrontierPrefix {
            states: states.len(),
            set: self.add(states, None),
        }
    }

    /// Returns the approximate size in bytes of the cached states and of the states of a frontier.
    pub(super) fn bytes(&self, at: FrontierPrefix) -> u64 {
        let present = self.sets.get(&at.set).filter(|set| {
            let counted = set.remembered.as_ref().map_or(0, |known| known.bytes);
            counted == 0
        });
        (self.held + present.map_or(0, CachedSet::bytes)) as u64
    }

    pub(super) fn is_stored(&self, at: FrontierPrefix) -> bool {
        self.sets.contains_key(&at.set)
    }

    /// Removes the set of a frontier's states and returns these states, unless later frontiers may still find the set in the cache.
    pub(super) fn drop_unremembered(&mut self, at: FrontierPrefix) -> Option<Vec<StateKey<W>>> {
        if self.sets.get(&at.set)?.remembered.is_some() {
            return None;
        }
        let mut keys = self.sets.remove(&at.set)?.states.into_keys();
        keys.truncate(at.states);
        Some(keys)
    }

    pub(super) fn states(&self, at: FrontierPrefix) -> &[StateKey<W>] {
        let set = self.sets.get(&at.set);
        set.map_or(&[], |set| &set.states.keys()[..at.states])
    }

    fn add(&mut self, states: StateSet<W>, shape: Option<StepSignature>) -> usize {
        let number = self.next;
        self.next += 1;
        let shape = shape.filter(|shape| shape.is_shared);
        let print = states.print();
        let remembered = shape.map(|shape| CacheEntry {
            shape,
            fingerprint: print,
            last_use: self.clock,
            bytes: 0,
        });
        let set = CachedSet {
            states,
            ways: FxHashMap::default(),
            remembered,
        };
        self.sets.insert(number, set);
        if let Some(shape) = shape {
            self.by_last_use.insert(self.clock, number);
            self.clock += 1;
            self.equal.insert((shape, print), number);
            if self.starting.len() >= MAX_CACHED_SETS {
                self.starting.clear();
            }
            let candidates = self.starting.entry(shape).or_default();
            candidates.push_back(number);
            if candidates.len() > CANDIDATES {
                candidates.pop_front();
            }
        }
        number
    }

    /// Computes a step of the frontier sweep; returns `None` if the code of a value does not fit its bit field.
    pub(super) fn step(
        &mut self,
        rules: &mut CodedElements,
        (planned, passage): (&PlannedStep, SignaturePair),
        at: FrontierPrefix,
        spent: (u64, ExplorationLimits<'_>),
    ) -> Result<Option<StepResult>, ExplorationError> {
        if let Some((mut way, mut to)) = self.known(passage, at) {
            let (layer, mut further, mut is_known) = (Some(way.layer), None, true);
            if way.sources < at.states {
                // The states are copied, because the growing destination set may be the set from which the step starts.
                let from = self.states(at)[way.sources..].to_vec();
                let found = match self.sets.get_mut(&way.to) {
                    Some(to) => {
                        // The bytes in `transitions` already include the current bytes of the growing set.
                        let known = to.remembered.as_ref().map_or(0, |known| known.bytes);
                        let rest = (spent.0.saturating_sub(known as u64), spent.1);
                        transitions(rules, planned, &from, &mut to.states, rest)
                    }
                    None => Ok(None),
                };
                let found = match found {
                    Ok(Some(found)) => found,
                    Ok(None) => return Ok(None),
                    Err(halt) => {
                        // The known transitions are returned to the cache, because the step may be repeated after other caches have been dropped.
                        self.add_transition(passage, at, way);
                        return Err(halt);
                    }
                };
                is_known = way.extend(&found.targets, at.states);
                further = Some(found);
            }
            if let (true, Some(states)) = (is_known, way.end(at.states)) {
                to.states = states;
                self.add_transition(passage, at, way);
                return Ok(Some(StepResult { to, layer, further }));
            }
        }
        let mut into = StateSet::new();
        let found = transitions(rules, planned, self.states(at), &mut into, spent)?;
        let Some(mut layer) = found else {
            return Ok(None);
        };
        let states = into.len();
        let set = if let Some(set) = self.largest_subset(passage.1, &into)
            && let Some(grows) = self.sets.get_mut(&set)
        {
            let keys = into.keys().iter();
            let numbers: Vec<u32> = keys.map(|&key| grows.states.number(key)).collect();
            for target in &mut layer.targets {
                *target = numbers[*target as usize];
            }
            set
        } else {
            self.add(into, passage.1)
        };
        layer.shrink();
        Ok(Some(StepResult {
            to: FrontierPrefix { set, states },
            layer: None,
            further: Some(layer),
        }))
    }

    /// Takes the known transitions that start at the frontier `at` out of the cache, and returns these transitions and the frontier to which they
    /// lead.
    fn known(
        &mut self,
        passage: SignaturePair,
        at: FrontierPrefix,
    ) -> Option<(SetTransition, FrontierPrefix)> {
        let way = self.sets.get_mut(&at.set)?.ways.remove(&passage)?;
        let to = FrontierPrefix {
            set: way.to,
            states: self.sets.get(&way.to)?.states.len(),
        };
        Some((way, to))
    }

    fn add_transition(&mut self, passage: SignaturePair, from: FrontierPrefix, way: SetTransition) {
        if let Some(set) = self.sets.get_mut(&from.set) {
            set.ways.insert(passage, way);
        }
    }

    /// Searches the cached sets of states from which steps with the given signature start. Returns the cached set of states that equals `states`, or
    /// else the largest cached proper subset of `states`.
    fn largest_subset(&self, shape: Option<StepSignature>, states: &StateSet<W>) -> Option<usize> {
        let shape = shape.filter(|shape| shape.is_shared)?;
        let is_part = |set: &CachedSet<W>| set.states.keys().iter().all(|key| states.contains(key));
        let equal = self.equal.get(&(shape, states.print()));
        let equal = equal.filter(|set| {
            let set = self.sets.get(set);
            set.is_some_and(|set| set.states.len() == states.len() && is_part(set))
        });
        if equal.is_some() {
            return equal.copied();
        }
        let candidates = self.starting.get(&shape)?;
        let sized = candidates
            .iter()
            .filter_map(|set| Some((self.sets.get(set)?.states.len(), *set)));
        let mut sized: Vec<(usize, usize)> = sized.filter(|&(len, _)| len < states.len()).collect();
        sized.sort_unstable_by(|a, b| b.cmp(a));
        // Because of this limit, the search takes no longer than the exploration.
        let mut looks = 2 * states.len() + CANDIDATES;
        let is_part = |&(_, set): &(usize, usize)| {
            let mut keys = self.sets[&set].states.keys().iter();
            keys.all(|key| {
                looks = looks.saturating_sub(1);
                looks > 0 && states.contains(key)
            })
        };
        sized.into_iter().find(is_part).map(|(_, set)| set)
    }

    pub(super) fn cache_transition(
        &mut self,
        passage: SignaturePair,
        (from, to): (FrontierPrefix, FrontierPrefix),
        layer: usize,
    ) {
        if passage.0.is_shared {
            self.add_transition(passage, from, SetTransition::new(layer, from, to));
        }
    }

    /// Moves the sweep from one frontier to the next. If the cached sets of states are too many or too large, evicts the least recently used sets.
    /// Returns the states of the frontier `from` if they are not cached.
    pub(super) fn leave(
        &mut self,
        from: FrontierPrefix,
        to: FrontierPrefix,
    ) -> Option<Vec<StateKey<W>>> {
        let left = if from.set == to.set {
            None
        } else {
            self.drop_unremembered(from)
        };
        self.mark_used(from.set);
        self.mark_used(to.set);
        while self.held > self.most || self.by_last_use.len() > MAX_CACHED_SETS {
            let Some((_, oldest)) = self.by_last_use.pop_first() else {
                break;
            };
            if oldest == to.set {
                self.by_last_use.insert(self.clock, oldest);
                break;
            }
            self.evict(oldest);
        }
        left
    }

    /// Marks a cached set of states as the most recently used, and updates its recorded size and hash.
    fn mark_used(&mut self, number: usize) {
        let Some(set) = self.sets.get_mut(&number) else {
            return;
        };
        let (bytes, print) = (set.bytes(), set.states.print());
        let Some(remembered) = &mut set.remembered else {
            return;
        };
        self.held = self.held + bytes - remembered.bytes;
        self.by_last_use.remove(&remembered.last_use);
        if remembered.fingerprint != print {
            self.equal
                .remove(&(remembered.shape, remembered.fingerprint));
            self.equal.insert((remembered.shape, print), number);
        }
        *remembered = CacheEntry {
            last_use: self.clock,
            bytes,
            fingerprint: print,
            ..*remembered
        };
        self.by_last_use.insert(self.clock, number);
        self.clock += 1;
    }

    fn evict(&mut self, number: usize) {
        let gone = self.sets.remove(&number);
        if let Some(remembered) = gone.and_then(|set| set.remembered) {
            self.held -= remembered.bytes;
            let key = (remembered.shape, remembered.fingerprint);
            if self.equal.get(&key) == Some(&number) {
                self.equal.remove(&key);
            }
        }
    }
}

/// A frontier, as a prefix of a numbered set of states.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrontierPrefix {
    pub(super) set: usize,
    pub(super) states: usize,
}

#[derive(Debug)]
pub(super) struct SetTransition {
    pub(super) layer: usize,
    /// Number of states before the step of the sweep from which transitions have been explored.
    pub(super) sources: usize,
    pub(super) to: usize,
    /// For each state after the step, `true` if an explored transition leads to the state.
    is_reached: Vec<bool>,
    count: usize,
    /// Ascending pairs `(n, m)`: the transitions from the first `n` states before the step lead to the first `m` states after the step.
    ends: Vec<(usize, usize)>,
}

impl SetTransition {
    /// Creates the transitions of a step that leads to all states of the frontier `to`.
    pub(super) fn new(layer: usize, from: FrontierPrefix, to: FrontierPrefix) -> Self {
        Self {
            layer,
            sources: from.states,
            to: to.set,
            is_reached: vec![true; to.states],
            count: to.states,
            ends: vec![(from.states, to.states)],
        }
    }

    /// Adds transitions from further states before the step, up to `sources` such states in total. Returns `false` if the states to which the
    /// transitions lead are not a prefix of the numbered states after the step.
    pub(super) fn extend(&mut self, targets: &[u32], sources: usize) -> bool {
        for &target in targets {
            let target = target as usize;
            if target >= self.is_reached.len() {
                self.is_reached.resize(target + 1, false);
            }
            self.count += usize::from(!std::mem::replace(&mut self.is_reached[target], true));
        }
        self.sources = sources;
        self.ends.push((sources, self.count));
        self.count == self.is_reached.len()
    }

    /// Returns the number of states to which the first `sources` states lead; `None` if the number is unknown.
    pub(super) fn end(&self, sources: usize) -> Option<usize> {
        let known = |&(from, _): &(usize, usize)| from;
        let at = self.ends.binary_search_by_key(&sources, known).ok()?;
        Some(self.ends[at].1)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.is_reached.len() + size_of_val(&self.ends[..])
    }
}

const MAX_CACHED_SIGNATURES: usize = 1 << 12;

#[derive(Debug, PartialEq, Eq, Hash)]
struct StepContent {
    before: Vec<usize>,
    classes: Vec<usize>,
    reads: Vec<Vec<u32>>,
    after: Vec<u32>,
    reported: Vec<u32>,
}

/// The signature of a step of a sweep: two steps with equal signatures have the same transitions from equal states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct StepSignature {
    number: usize,
    /// `true` if another step of the sweep may have the same signature, and therefore the same transitions from equal states.
    pub(super) is_shared: bool,
}

#[derive(Debug, Default)]
pub(super) struct StepSignatures {
    known: FxHashMap<StepContent, usize>,
    next: usize,
}

impl StepSignatures {
    pub(super) fn of(&mut self, rules: &CodedElements, planned: &PlannedStep) -> StepSignature {
        let classes = planned.places.iter().map(|&p| rules.classes.of[p]);
        let classes: Vec<usize> = classes.collect();
        let is_shared = classes.iter().all(|&class| rules.classes.shared[class]);
        let new = self.next;
        let number = if is_shared {
            if self.known.len() >= MAX_CACHED_SIGNATURES {
                self.known.clear();
            }
            let content = StepContent {
                before: planned.before.iter().map(|&p| rules.types[p]).collect(),
                classes,
                reads: planned.reads.clone(),
                after: planned.after.clone(),
                reported: planned.reported.clone(),
            };
            *self.known.entry(content).or_insert(new)
        } else {
            new
        };
        self.next += usize::from(number == new);
        StepSignature { number, is_shared }
    }
}
