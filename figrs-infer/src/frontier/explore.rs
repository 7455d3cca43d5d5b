//! The states that can be reached, frontier after frontier.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use figrs_core::Support;
use figrs_core::weights::Weights;
use rustc_hash::{FxHashMap, FxHasher};

use super::codes::{Field, Key};
use super::halt::Halt;
use super::layer::{Layer, Numbers};
use super::linear::Linear;
use super::plan::{Planned, plan};
use super::rules::Rules;
use super::weighing::Weighing;
use crate::error::Error;
use crate::watch::Watching;

/// How many frontiers and steps are remembered to be recognised, at most.
const REMEMBERED: usize = 256;

/// After how many states it is looked whether to stop.
const WATCHED: usize = 1 << 12;

/// The share of the memory that remembered frontiers may take.
const SHARE: u64 = 2;

/// A step of the exploration.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) layer: Arc<Layer>,
    /// The targets whose values its transitions report.
    pub(super) reports: Vec<usize>,
}

/// All that is known after an exploration.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) steps: Vec<Step>,
    pub(super) weights: Weights,
    /// The values of each type.
    pub(super) values: Vec<Support>,
    /// The type of each target's values.
    pub(super) types: Vec<usize>,
    /// Whether transitions stand for single worlds.
    pub(super) are_worlds: bool,
    /// How many steps are the same as earlier ones.
    pub(super) repeated: usize,
    /// The states of the largest frontier.
    pub(super) largest: usize,
    /// Bytes that the steps take.
    pub(super) bytes: u64,
}

/// What may be spent, and who watches.
#[derive(Clone, Copy)]
pub(super) struct Allowance<'a> {
    pub(super) memory: u64,
    pub(super) run: &'a Watching<'a>,
}

/// Explores all assignments that the elements of the model can have together.
pub(super) fn explore(linear: &Linear, allowance: Allowance<'_>) -> Result<Explored, Halt> {
    let mut rules = Rules::new(linear);
    let swept = sweep(&mut rules, Aim::Everything, allowance)?;
    let optional = linear
        .slots
        .iter()
        .any(|slot| slot.optional && slot.is_random());
    Ok(Explored {
        steps: swept.steps,
        are_worlds: !rules.merged && !optional,
        types: linear
            .targets
            .iter()
            .map(|&place| rules.types[place])
            .collect(),
        weights: rules.weighing.finish(),
        values: rules.codes.finish(),
        repeated: swept.repeated,
        largest: swept.largest,
        bytes: swept.bytes,
    })
}

/// What to explore for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// All steps, to be kept.
    Everything,
    /// The first step at which a target can be true; steps before it are not kept.
    FirstTrue,
}

/// What was met, frontier after frontier.
#[derive(Debug, Default)]
pub(super) struct Swept {
    steps: Vec<Step>,
    /// How many steps are the same as earlier ones.
    repeated: usize,
    /// The states of the largest frontier.
    pub(super) largest: usize,
    /// Bytes that the steps take, or would take if they were kept.
    pub(super) bytes: u64,
    /// The first target that can be true, if that is what was asked for.
    pub(super) first: Option<usize>,
    /// Whether some step was an earlier one, or left no state.
    pub(super) settled: bool,
}

/// Goes through the steps, with keys as narrow as can be.
pub(super) fn sweep(
    rules: &mut Rules<'_>,
    aim: Aim,
    allowance: Allowance<'_>,
) -> Result<Swept, Halt> {
    let plan = plan(rules.linear);
    let mut swept = sweep_in::<1>(rules, &plan, aim, allowance);
    let wider = [sweep_in::<2>, sweep_in::<4>, sweep_in::<16>, sweep_in::<64>];
    for sweep in wider {
        if !matches!(swept, Err(Halt::Wider)) {
            break;
        }
        swept = sweep(rules, &plan, aim, allowance);
    }
    swept
}

/// What decides a step, apart from the values of its frontier.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Shape {
    states: usize,
    before: Vec<usize>,
    classes: Vec<usize>,
    reads: Vec<Vec<u32>>,
    after: Vec<u32>,
    reported: Vec<u32>,
}

/// The frontiers met lately.
#[derive(Debug)]
struct Sets<const W: usize> {
    lately: VecDeque<(usize, u64, Arc<Vec<Key<W>>>)>,
    next: usize,
    /// States that are remembered, and how many may be.
    held: usize,
    most: usize,
}

impl<const W: usize> Sets<W> {
    fn clear(&mut self) {
        self.lately.clear();
        self.held = 0;
    }

    /// The set that has a number, if it is remembered.
    fn numbered(&self, number: usize) -> Option<Arc<Vec<Key<W>>>> {
        let found = self.lately.iter().find(|(other, ..)| *other == number);
        found.map(|(_, _, set)| Arc::clone(set))
    }

    /// The number of a set of states, that of an earlier one if it is the same.
    fn number(&mut self, states: Vec<Key<W>>) -> (usize, Arc<Vec<Key<W>>>) {
        let mut hasher = FxHasher::default();
        states.hash(&mut hasher);
        let print = hasher.finish();
        let same =
            |(_, other, set): &&(usize, u64, Arc<Vec<Key<W>>>)| *other == print && **set == states;
        if let Some((number, _, set)) = self.lately.iter().find(same) {
            return (*number, Arc::clone(set));
        }
        let set = Arc::new(states);
        self.next += 1;
        self.lately.push_back((self.next, print, Arc::clone(&set)));
        self.held += set.len();
        while self.lately.len() > REMEMBERED || self.held > self.most {
            let Some((_, _, oldest)) = self.lately.pop_front() else {
                break;
            };
            self.held -= oldest.len();
        }
        (self.next, set)
    }
}

fn sweep_in<const W: usize>(
    rules: &mut Rules<'_>,
    plan: &[Planned],
    aim: Aim,
    allowance: Allowance<'_>,
) -> Result<Swept, Halt> {
    let mut sets = Sets::<W> {
        lately: VecDeque::new(),
        next: 0,
        held: 0,
        most: (allowance.memory / SHARE) as usize / size_of::<Key<W>>(),
    };
    let mut known = FxHashMap::<Shape, (Arc<Layer>, usize)>::default();
    let (mut number, mut states) = sets.number(vec![Key::EMPTY]);
    let mut swept = Swept {
        largest: 1,
        ..Swept::default()
    };
    for planned in plan {
        if allowance.run.stopped().is_some() {
            return Err(allowance.run.nothing_done().into());
        }
        let classes: Vec<usize> = rules.classes.of[planned.places.clone()].to_vec();
        let is_shared = classes.iter().all(|&class| rules.classes.shared[class]);
        let types = |places: &[usize]| places.iter().map(|&p| rules.types[p]).collect();
        let shape = Shape {
            states: number,
            before: types(&planned.before),
            classes,
            reads: planned.reads.clone(),
            after: planned.after.clone(),
            reported: planned.reported.clone(),
        };
        let reports = planned.targets.clone();
        let same = known.get(&shape);
        let same = same.and_then(|(layer, next)| Some((layer, *next, sets.numbered(*next)?)));
        if let Some((layer, next, set)) = same {
            (number, states) = (next, set);
            let layer = Arc::clone(layer);
            swept.steps.push(Step { layer, reports });
            swept.repeated += 1;
            swept.settled = true;
            allowance.run.report(swept.steps.len() as u64);
            continue;
        }
        let (layer, found) = loop {
            let kept = match aim {
                Aim::Everything => swept.bytes,
                Aim::FirstTrue => 0,
            };
            if let Some(found) = transitions(rules, planned, &states, (kept, allowance))? {
                break found;
            }
            // Some numbers have become too large for their bits: the states are written anew.
            let before = rules.codes.fields(&shape.before, W).ok_or(Halt::Wider)?;
            rules.codes.widen();
            let after = rules.codes.fields(&shape.before, W).ok_or(Halt::Wider)?;
            states = Arc::new(
                states
                    .iter()
                    .map(|s| rewritten(s, &before, &after))
                    .collect(),
            );
            sets.clear();
            known.clear();
        };
        for place in planned.places.clone() {
            rules.forget(place);
        }
        swept.bytes += layer.bytes() as u64;
        swept.largest = swept.largest.max(layer.states);
        swept.settled |= layer.states == 0;
        let layer = match aim {
            Aim::Everything => Arc::new(layer),
            Aim::FirstTrue => {
                swept.first = rules.first_true(&layer, &reports);
                if swept.first.is_some() {
                    return Ok(swept);
                }
                Arc::default()
            }
        };
        (number, states) = if is_shared {
            sets.number(found)
        } else {
            sets.next += 1;
            (sets.next, Arc::new(found))
        };
        if is_shared {
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(shape, (Arc::clone(&layer), number));
        }
        if let Some(numbered) = numbered_anew(rules, planned, &states)? {
            states = Arc::new(numbered);
            sets.clear();
            known.clear();
        }
        swept.steps.push(Step { layer, reports });
        allowance.run.report(swept.steps.len() as u64);
    }
    Ok(swept)
}

/// The types of the values on the frontier after a step.
fn types_after(rules: &Rules<'_>, planned: &Planned) -> Vec<usize> {
    let after = planned.after.iter();
    after.map(|&r| rules.types[planned.place(r)]).collect()
}

/// The states with their values numbered anew, where hardly any of the values numbered so far is left.
fn numbered_anew<const W: usize>(
    rules: &mut Rules<'_>,
    planned: &Planned,
    states: &[Key<W>],
) -> Result<Option<Vec<Key<W>>>, Halt> {
    const MANY: usize = 1 << 12;
    const LEFT: usize = 4;
    const GONE: u32 = u32::MAX;
    let types = types_after(rules, planned);
    let fields = rules.codes.fields(&types, W).ok_or(Halt::Wider)?;
    let mut numbered: Option<Vec<Key<W>>> = None;
    for of in 0..rules.codes.values.len() {
        let values = rules.codes.values[of].len();
        if !rules.is_passing(of) || values < MANY.max(LEFT * states.len()) {
            continue;
        }
        let on = || fields.iter().zip(&types).filter(|(_, other)| **other == of);
        let states = numbered.get_or_insert_with(|| states.to_vec());
        let mut numbers = vec![GONE; values];
        for (state, (&field, _)) in states.iter().flat_map(|s| on().map(move |f| (s, f))) {
            numbers[state.get(field) as usize] = 0;
        }
        let left: Vec<u32> = (0..)
            .zip(&numbers)
            .filter(|(_, n)| **n != GONE)
            .map(|(at, _)| at)
            .collect();
        for (&at, number) in left.iter().zip(0..) {
            numbers[at as usize] = number;
        }
        rules.codes.keep(of, &left);
        for state in states {
            for (&field, _) in on() {
                state.set(field, numbers[state.get(field) as usize]);
            }
        }
    }
    Ok(numbered)
}

fn rewritten<const W: usize>(state: &Key<W>, before: &[Field], after: &[Field]) -> Key<W> {
    let mut key = Key::EMPTY;
    for (&old, &new) in before.iter().zip(after) {
        key.put(new, state.get(old));
    }
    key
}

/// A layer under construction.
#[derive(Debug)]
struct Growing<const W: usize> {
    index: FxHashMap<Key<W>, u32>,
    starts: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<u32>,
    reports: Vec<Vec<u32>>,
}

/// The transitions from some states, and the states that they lead to, in ascending order; `None` if a number does not fit its
/// bits.
fn transitions<const W: usize>(
    rules: &mut Rules<'_>,
    planned: &Planned,
    states: &[Key<W>],
    (spent, allowance): (u64, Allowance<'_>),
) -> Result<Option<(Layer, Vec<Key<W>>)>, Halt> {
    let types: Vec<usize> = planned.before.iter().map(|&p| rules.types[p]).collect();
    let before = rules.codes.fields(&types, W).ok_or(Halt::Wider)?;
    let types = types_after(rules, planned);
    let after = rules.codes.fields(&types, W).ok_or(Halt::Wider)?;
    let mut growing = Growing::<W> {
        index: FxHashMap::default(),
        starts: vec![0],
        targets: Vec::new(),
        weights: Vec::new(),
        reports: vec![Vec::new(); planned.reported.len()],
    };
    let first = planned.places.start;
    let is_random = rules.linear.slots[first].is_random();
    let base = planned.before.len();
    let mut registers = vec![0u32; base + planned.places.len()];
    let mut reads = Vec::new();
    // Bytes of a transition while the layer grows, a state of its own included.
    let each = 8 + 4 * planned.reported.len() + 2 * size_of::<(Key<W>, u32)>();
    for (done, state) in states.iter().enumerate() {
        if done % WATCHED == WATCHED - 1 && allowance.run.stopped().is_some() {
            return Err(allowance.run.nothing_done().into());
        }
        for (register, &field) in registers.iter_mut().zip(&before) {
            *register = state.get(field);
        }
        let row = if is_random {
            gather(&mut reads, &registers, &planned.reads[0]);
            rules.row(first, &reads)?
        } else {
            0..1
        };
        'outcomes: for position in row {
            let mut weight = Weighing::ONE;
            if is_random {
                (registers[base], weight) = rules.outcome(position);
            }
            for i in usize::from(is_random)..planned.places.len() {
                gather(&mut reads, &registers, &planned.reads[i]);
                let Some((code, factor)) = rules.value(first + i, &reads)? else {
                    continue 'outcomes;
                };
                registers[base + i] = code;
                weight = rules.weighing.product(weight, factor);
            }
            let mut key = Key::EMPTY;
            for (&register, &field) in planned.after.iter().zip(&after) {
                if !key.put(field, registers[register as usize]) {
                    return Ok(None);
                }
            }
            let next = growing.index.len() as u32;
            growing
                .targets
                .push(*growing.index.entry(key).or_insert(next));
            growing.weights.push(weight);
            for (codes, &register) in growing.reports.iter_mut().zip(&planned.reported) {
                codes.push(registers[register as usize]);
            }
        }
        growing.starts.push(growing.targets.len() as u32);
        let bytes = spent + (growing.targets.len() * each) as u64 + rules.bytes();
        if bytes > allowance.memory || growing.targets.len() > u32::MAX as usize / 2 {
            return Err(Halt::Error(Error::FrontierTooLarge {
                element: rules.linear.slots[first].element.label(),
                states: growing.index.len().max(states.len()),
                bytes,
                limit: allowance.memory,
            }));
        }
    }
    Ok(Some(growing.finish()))
}

#[inline]
fn gather(reads: &mut Vec<u32>, registers: &[u32], from: &[u32]) {
    reads.clear();
    reads.extend(from.iter().map(|&register| registers[register as usize]));
}

impl<const W: usize> Growing<W> {
    /// Sorts the states, so that equal sets of them are equal lists.
    fn finish(mut self) -> (Layer, Vec<Key<W>>) {
        let mut states: Vec<(Key<W>, u32)> = self.index.into_iter().collect();
        states.sort_unstable();
        let mut places = vec![0; states.len()];
        for ((_, number), place) in states.iter().zip(0..) {
            places[*number as usize] = place;
        }
        for target in &mut self.targets {
            *target = places[*target as usize];
        }
        self.targets.shrink_to_fit();
        self.weights.shrink_to_fit();
        let layer = Layer {
            starts: self.starts,
            targets: self.targets,
            weights: self.weights,
            reports: self.reports.into_iter().map(Numbers::new).collect(),
            states: states.len(),
        };
        (layer, states.into_iter().map(|(key, _)| key).collect())
    }
}
