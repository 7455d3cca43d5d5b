//! Tests of sequences that are filtered part by part.

use std::hash::{Hash, Hasher};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use figrs_core::{Constant, Element, Flip, Model, Select, Value};
use figrs_infer::{
    Error, JunctionTree, Run, Sequence, SequencePart, SequentialMonteCarlo, Trajectories,
};

/// A walk among a few places, observed with noise.
struct Walk {
    /// The observations, step by step.
    seen: Vec<bool>,
    /// Number of steps in each part.
    each: usize,
    /// Mistake in the values that are handed to the next part besides the place.
    mistake: Option<Mistake>,
}

#[derive(Clone, Copy)]
enum Mistake {
    Missing,
    Type,
}

fn step(place: &Element<u8>) -> Element<u8> {
    place.flat_map(|&at| {
        let down = if at > 0 { 0.3 } else { 0.0 };
        let up = if at < 4 { 0.4 } else { 0.0 };
        Select::new([(down, at.max(1) - 1), (1.0 - down - up, at), (up, at + 1)])
    })
}

fn seen(place: &Element<u8>) -> Element<bool> {
    place.flat_map(|&at| Flip::new(0.1 + 0.2 * f64::from(at)))
}

impl Walk {
    fn new(each: usize) -> Self {
        let seen = (0..24).map(|at| at % 7 < 3).collect();
        Self {
            seen,
            each,
            mistake: None,
        }
    }

    fn whole(&self) -> (Model, Vec<Element<u8>>) {
        let (mut place, mut model, mut places) = (Constant::new(2), Model::new(), Vec::new());
        for &truth in &self.seen {
            place = step(&place);
            model = model.observe(&seen(&place), truth);
            places.push(place.clone());
        }
        (model, places)
    }
}

impl Sequence for Walk {
    type Value = u8;

    fn parts(&self) -> usize {
        self.seen.len().div_ceil(self.each)
    }

    fn part(&self, number: usize) -> SequencePart<u8> {
        let start = Constant::new(2);
        let (mut place, mut model, mut places) = (start.clone(), Model::new(), Vec::new());
        for &truth in self.seen.chunks(self.each).nth(number).unwrap() {
            place = step(&place);
            model = model.observe(&seen(&place), truth);
            places.push(place.clone());
        }
        let part = SequencePart::new(model).inputs(&start).trajectory(places);
        match self.mistake {
            None => part.outputs(&place),
            Some(Mistake::Missing) => part,
            Some(Mistake::Type) => part.outputs(place.map(|&at| i64::from(at))),
        }
    }
}

fn filter(particles: usize) -> SequentialMonteCarlo {
    SequentialMonteCarlo::new(particles).seed(3)
}

fn share_at(found: &Trajectories<u8>, step: usize, place: u8) -> f64 {
    let weights = found.answer.draws().unwrap().log_weights.clone().unwrap();
    let largest = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut all, mut there) = (0.0, 0.0);
    for (walk, log) in found.values.iter().zip(weights) {
        let weight = (log - largest).exp();
        all += weight;
        there += if walk[step] == place { weight } else { 0.0 };
    }
    there / all
}

#[test]
fn parts_give_what_the_whole_gives() {
    const POPULATIONS: u64 = 600;
    for each in [1, 5, 24] {
        let walk = Walk::new(each);
        let (model, places) = walk.whole();
        let exact = JunctionTree::new().run(&model, &places).unwrap();
        let found = filter(60).populations(POPULATIONS).follow(&walk).unwrap();
        let evidence = found.answer.log_evidence().unwrap();
        let far = (evidence.value - exact.log_evidence().unwrap().value) / evidence.standard_error;
        // There are three such comparisons, with a tolerance of five standard errors.
        assert!(far.abs() < 5.0, "{each}: {evidence:?}");
        assert_eq!(found.values.len(), POPULATIONS as usize);
        for at in [0, 4, 5, 12, 23] {
            let (p, q) = (
                exact.probability(&places[at], &2).unwrap(),
                share_at(&found, at, 2),
            );
            // Trajectories have nearly equal weights; there are fifteen comparisons, with a tolerance of five standard errors.
            let error = (p * (1.0 - p) / POPULATIONS as f64).sqrt();
            assert!((p - q).abs() < 5.5 * error, "{each}, {at}: {p} {q}");
        }
    }
}

#[test]
fn threads_do_not_change_what_is_drawn() {
    let draw = |threads: usize| {
        let filter = filter(40).populations(60).side_by_side(4);
        let filter = filter.threads(NonZero::new(threads).unwrap());
        filter.follow(&Walk::new(5)).unwrap()
    };
    let one = draw(1);
    for threads in [2, 3] {
        let other = draw(threads);
        assert_eq!(one.values, other.values);
        let evidence = |found: &Trajectories<u8>| found.answer.log_evidence().unwrap().value;
        assert_eq!(evidence(&one).to_bits(), evidence(&other).to_bits());
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    for (mistake, message) in [
        (Mistake::Missing, "0 elements"),
        (Mistake::Type, "another type"),
    ] {
        let walk = Walk {
            mistake: Some(mistake),
            ..Walk::new(5)
        };
        let error = filter(10).follow(&walk).unwrap_err();
        assert!(matches!(error, Error::InvalidSetting { .. }));
        assert!(error.to_string().contains(message), "{error}");
    }
}

static ALIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// A value that counts how many values of its type exist.
#[derive(Debug)]
struct Counted(u32);

impl Counted {
    fn new(value: u32) -> Self {
        let alive = ALIVE.fetch_add(1, Ordering::Relaxed) + 1;
        MOST.fetch_max(alive, Ordering::Relaxed);
        Self(value)
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new(self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Value for Counted {
    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn feed<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }

    fn heap_bytes(&self) -> usize {
        10_000
    }
}

/// Sums that differ from particle to particle.
struct Sums {
    parts: usize,
}

impl Sequence for Sums {
    type Value = bool;

    fn parts(&self) -> usize {
        self.parts
    }

    fn part(&self, _: usize) -> SequencePart<bool> {
        let start = Constant::new(Counted::new(0));
        let (mut sum, mut model) = (start.clone(), Model::new());
        let mut coins = Vec::new();
        for _ in 0..10 {
            let coin = Flip::new(0.5);
            sum = figrs_core::Apply::new((&sum, &coin), |(sum, coin)| {
                Counted::new((sum.0 * 2 + u32::from(*coin)) % 1_000_003)
            });
            model = model.weigh(&sum, |sum| if sum.0 % 3 == 0 { 0.5 } else { 1.0 });
            coins.push(coin);
        }
        SequencePart::new(model)
            .inputs(&start)
            .outputs(&sum)
            .trajectory(coins)
    }
}

/// The values of a long sequence are not all in memory at once: 600 steps of 200 particles.
#[test]
fn memory_does_not_grow_with_the_length() {
    let most = |parts: usize| {
        MOST.store(ALIVE.load(Ordering::Relaxed), Ordering::Relaxed);
        let filter = filter(200).populations(1).threads(NonZero::<usize>::MIN);
        let found = filter.follow(&Sums { parts }).unwrap();
        assert_eq!(found.values[0].len(), 10 * parts);
        MOST.load(Ordering::Relaxed)
    };
    let (short, long) = (most(4), most(60));
    assert!(long < 2 * short, "{short} values, then {long}");
    assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
}
