//! The frontiers met lately, and what leads from one to the next.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::codes::Key;
use super::explore::Allowance;
use super::halt::Halt;
use super::layer::Layer;
use super::plan::Planned;
use super::rules::Rules;
use super::shape::Shape;
use super::states::States;
use super::transitions::transitions;

/// How many sets of states are remembered, at most.
const REMEMBERED: usize = 1 << 12;

/// How many sets that steps of one shape start from are candidates to grow.
const CANDIDATES: usize = 1 << 6;

/// A frontier: the states of a set that were met first.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    set: usize,
    pub(super) states: usize,
}

/// The shapes of a step and of the next one, if there is one.
pub(super) type Shapes = (Shape, Option<Shape>);

/// Where a step leads.
#[derive(Debug)]
pub(super) struct Led {
    pub(super) to: At,
    /// The number of a layer that has transitions for this step already.
    pub(super) layer: Option<usize>,
    /// The transitions that this layer lacks, or all.
    pub(super) further: Option<Layer>,
}

/// Sets of states that grow: what steps of one shape start from is one set where each frontier has all states of those before it, so that
/// only the new ones are explored.
#[derive(Debug)]
pub(super) struct Frontiers<const W: usize> {
    sets: FxHashMap<usize, Set<W>>,
    next: usize,
    /// The remembered sets, the oldest first.
    lately: VecDeque<usize>,
    /// The bytes of remembered sets, and how many there may be.
    held: usize,
    most: usize,
    /// The remembered sets that steps of a shape start from.
    starting: FxHashMap<Shape, VecDeque<usize>>,
}

#[derive(Debug)]
struct Set<const W: usize> {
    states: States<W>,
    /// Where it leads by steps of some shapes.
    ways: FxHashMap<Shapes, Way>,
    is_remembered: bool,
    /// What of it is counted among the bytes held.
    counted: usize,
}

/// A way from one set to another.
#[derive(Debug)]
struct Way {
    layer: usize,
    /// For how many states of the one set it is known.
    sources: usize,
    to: usize,
    reached: Reached,
}

/// Which states of a set a way leads to.
#[derive(Debug)]
struct Reached {
    hit: Vec<bool>,
    count: usize,
    /// For some number of states to start from, how many it leads to; nothing if these are not the first ones of the set.
    ends: FxHashMap<usize, Option<usize>>,
}

impl Reached {
    fn extend(&mut self, targets: &[u32], sources: usize) {
        for &target in targets {
            let target = target as usize;
            if target >= self.hit.len() {
                self.hit.resize(target + 1, false);
            }
            self.count += usize::from(!std::mem::replace(&mut self.hit[target], true));
        }
        let end = (self.count == self.hit.len()).then_some(self.count);
        self.ends.insert(sources, end);
    }
}

impl<const W: usize> Frontiers<W> {
    /// With so many bytes for what is remembered.
    pub(super) fn new(most: usize) -> Self {
        Self {
            sets: FxHashMap::default(),
            next: 0,
            lately: VecDeque::new(),
            held: 0,
            most,
            starting: FxHashMap::default(),
        }
    }

    /// Forgets everything but some states, from which steps of a shape start.
    pub(super) fn restart(&mut self, states: Vec<Key<W>>, shape: Option<Shape>) -> At {
        *self = Self {
            next: self.next,
            ..Self::new(self.most)
        };
        let states = States::from_keys(states);
        At {
            states: states.len(),
            set: self.add(states, shape),
        }
    }

    pub(super) fn states(&self, at: At) -> &[Key<W>] {
        let set = self.sets.get(&at.set);
        set.map_or(&[], |set| &set.states.keys()[..at.states])
    }

    fn add(&mut self, states: States<W>, shape: Option<Shape>) -> usize {
        let number = self.next;
        self.next += 1;
        let shape = shape.filter(|shape| shape.is_shared);
        self.sets.insert(
            number,
            Set {
                states,
                ways: FxHashMap::default(),
                is_remembered: shape.is_some(),
                counted: 0,
            },
        );
        if let Some(shape) = shape {
            self.lately.push_back(number);
            if self.starting.len() >= REMEMBERED {
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

    /// Makes a step; `None` if a number does not fit its bits.
    pub(super) fn step(
        &mut self,
        rules: &mut Rules<'_>,
        (planned, shapes): (&Planned, Shapes),
        at: At,
        spent: (u64, Allowance<'_>),
    ) -> Result<Option<Led>, Halt> {
        if let Some(mut way) = self.way(shapes, at) {
            let mut further = None;
            if way.sources < at.states {
                // The set may be the one that grows.
                let from = self.states(at)[way.sources..].to_vec();
                let Some(to) = self.sets.get_mut(&way.to) else {
                    return Ok(None);
                };
                let found = transitions(rules, planned, &from, &mut to.states, spent)?;
                let Some(layer) = found else {
                    return Ok(None);
                };
                way.sources = at.states;
                way.reached.extend(&layer.targets, at.states);
                further = Some(layer);
            }
            if let Some(&Some(states)) = way.reached.ends.get(&at.states) {
                let (set, layer) = (way.to, Some(way.layer));
                self.keep(shapes, at, way);
                let to = At { set, states };
                return Ok(Some(Led { to, layer, further }));
            }
        }
        let mut into = States::new();
        let found = transitions(rules, planned, self.states(at), &mut into, spent)?;
        let Some(mut layer) = found else {
            return Ok(None);
        };
        let states = into.len();
        let set = if let Some(set) = self.grown(shapes.1, &into)
            && let Some(grows) = self.sets.get_mut(&set)
        {
            let keys = into.keys().iter();
            let numbers: Vec<u32> = keys.map(|&key| grows.states.number(key)).collect();
            for target in &mut layer.targets {
                *target = numbers[*target as usize];
            }
            set
        } else {
            self.add(into, shapes.1)
        };
        layer.shrink();
        Ok(Some(Led {
            to: At { set, states },
            layer: None,
            further: Some(layer),
        }))
    }

    /// The largest remembered set that steps of a shape start from which has no other states than these.
    fn grown(&self, shape: Option<Shape>, states: &States<W>) -> Option<usize> {
        let candidates = self.starting.get(&shape?)?;
        let sized = candidates
            .iter()
            .filter_map(|set| Some((self.sets.get(set)?.states.len(), *set)));
        let mut sized: Vec<(usize, usize)> =
            sized.filter(|&(len, _)| len <= states.len()).collect();
        sized.sort_unstable_by(|a, b| b.cmp(a));
        // So that looking costs no more than exploring.
        let mut looks = 2 * states.len();
        let is_part = |&(_, set): &(usize, usize)| {
            let mut keys = self.sets[&set].states.keys().iter();
            keys.all(|key| {
                looks = looks.saturating_sub(1);
                looks > 0 && states.contains(key)
            })
        };
        sized.into_iter().find(is_part).map(|(_, set)| set)
    }

    /// Takes out the way that steps of some shapes have from a frontier.
    fn way(&mut self, shapes: Shapes, at: At) -> Option<Way> {
        let way = self.sets.get_mut(&at.set)?.ways.remove(&shapes)?;
        self.sets.contains_key(&way.to).then_some(way)
    }

    fn keep(&mut self, shapes: Shapes, from: At, way: Way) {
        if let Some(set) = self.sets.get_mut(&from.set) {
            set.ways.insert(shapes, way);
        }
    }

    /// Remembers that a step leads from one frontier to another by all transitions of a layer.
    pub(super) fn remember(&mut self, shapes: Shapes, (from, to): (At, At), layer: usize) {
        if !shapes.0.is_shared {
            return;
        }
        let reached = Reached {
            hit: vec![true; to.states],
            count: to.states,
            ends: FxHashMap::from_iter([(from.states, Some(to.states))]),
        };
        let way = Way {
            layer,
            sources: from.states,
            to: to.set,
            reached,
        };
        self.keep(shapes, from, way);
    }

    /// Leaves a frontier for another: forgets the oldest sets where those remembered are too many or too large.
    pub(super) fn leave(&mut self, from: At, to: At) {
        if from.set != to.set && self.sets.get(&from.set).is_some_and(|s| !s.is_remembered) {
            self.sets.remove(&from.set);
        }
        if let Some(set) = self.sets.get_mut(&to.set)
            && set.is_remembered
        {
            let bytes = set.states.bytes();
            self.held += bytes - set.counted;
            set.counted = bytes;
        }
        while (self.held > self.most || self.lately.len() > REMEMBERED)
            && self.lately.front().is_some_and(|&oldest| oldest != to.set)
        {
            let oldest = self.lately.pop_front();
            let gone = oldest.and_then(|oldest| self.sets.remove(&oldest));
            self.held -= gone.map_or(0, |set| set.counted);
        }
    }
}
