//! Turns each demand (a requirement on a level) into evidence on the columns of a level, one column after another.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use super::automata::Reader;
use super::demand::Demand;
use super::mask::Mask;
use super::pattern::Pattern;
use crate::play::cell_class::CellClass;
use crate::{MovementRules, Reach, Route};
use figrs_core::{AnyElement, Apply, Constant, Element, Model, Parents, Value};
use figrs_models::mdmc::sample::level_model::LevelColumns;
use figrs_models::mdmc::twist::DemandState;
use figrs_models::mdmc::{Tile, TileClass};

/// Evidence that is added to the model of a level column by column, from the left.
pub(super) trait ColumnEvidence {
    fn on(&mut self, columns: &LevelColumns, column: usize, model: Model) -> Model;

    /// Returns the state of the evidence after the latest column; the evidence about the later columns of the level depends on the columns so far
    /// only through this state.
    fn state(&self) -> Option<AnyElement> {
        None
    }

    /// Prepares to continue the evidence in another part of a long level; there, the state of the evidence is an input.
    fn resume(&mut self) {}
}

impl<F: FnMut(&LevelColumns, usize, Model) -> Model> ColumnEvidence for F {
    fn on(&mut self, columns: &LevelColumns, column: usize, model: Model) -> Model {
        self(columns, column, model)
    }
}

#[derive(Clone, Debug)]
pub(super) struct StatedDemand {
    pub(super) demand: Demand,
    pub(super) steps: Option<Arc<Steps>>,
}

/// Returns the evidence for the demand `stated`; `all` contains all demands on the level.
pub(super) fn statement<'a>(
    stated: &'a StatedDemand,
    (all, crossed): (&'a [StatedDemand], &Arc<ReachabilityMemo>),
    size: (usize, usize),
) -> Option<Box<dyn ColumnEvidence + 'a>> {
    Some(match (&stated.demand, &stated.steps) {
        (Demand::Seen, _) => seen(all),
        // Placed tiles are interventions, not evidence.
        (Demand::Placed(_), _) => return None,
        (Demand::Pinned(mask), _) => pinned(mask),
        (
            Demand::Shaped {
                pattern,
                row,
                column,
            },
            _,
        ) if pattern.forms().len() == 1 => shaped(pattern, (*row, *column)),
        (Demand::Near { drawing, cost }, _) => near(drawing, *cost),
        (Demand::Preferred { weight, .. }, Some(steps)) => {
            Box::new(FoldedDemand::new(steps, Some(*weight)))
        }
        (_, Some(steps)) => Box::new(FoldedDemand::new(steps, None)),
        (demand, None) => Box::new(FoldedReach::new(demand.route()?, size, crossed)),
    })
}

fn seen(all: &[StatedDemand]) -> Box<dyn ColumnEvidence + '_> {
    let placed = |&(row, column): &(usize, usize)| {
        all.iter().any(|stated| match &stated.demand {
            Demand::Placed(mask) => mask.get(row, column).is_some(),
            _ => false,
        })
    };
    Box::new(move |columns: &LevelColumns, column: usize, model: Model| {
        let seen = columns.seen(column).iter();
        let seen = seen.filter(|statement| !statement.cells.iter().any(placed));
        seen.fold(model, |model, statement| {
            model.observe_any(&statement.element, statement.value.clone())
        })
    })
}

fn pinned(mask: &Mask) -> Box<dyn ColumnEvidence + '_> {
    Box::new(move |columns: &LevelColumns, column: usize, model: Model| {
        let rows = (0..mask.height()).rev();
        rows.fold(model, |model, row| match mask.get(row, column) {
            Some(tile) => model.observe(columns.tile(row, column), tile),
            None => model,
        })
    })
}

fn shaped(pattern: &Pattern, (top, left): (usize, usize)) -> Box<dyn ColumnEvidence + '_> {
    let cells = &pattern.forms()[0];
    let mut tests = FxHashMap::default();
    Box::new(move |columns: &LevelColumns, column: usize, model: Model| {
        let Some(inside) = column.checked_sub(left).filter(|&at| at < cells.ncols()) else {
            return model;
        };
        let column_of = cells.column(inside);
        let cells = column_of.iter().enumerate().rev();
        let cells = cells.filter(|(_, class)| !class.is_any());
        cells.fold(model, |model, (row, class)| {
            let test = tests.entry(class.clone()).or_insert_with(|| belongs(class));
            model.condition_shared(columns.tile(top + row, column), test)
        })
    })
}

fn belongs(class: &TileClass) -> Arc<impl Fn(&Tile) -> bool + Send + Sync + use<>> {
    let class = class.clone();
    Arc::new(move |&tile: &Tile| class.contains(tile))
}

/// Returns the evidence that multiplies the weight of a level by exp(-`cost`) for each cell in which the level differs from `drawing`.
fn near(drawing: &Mask, cost: f64) -> Box<dyn ColumnEvidence + '_> {
    let mut factors = FxHashMap::default();
    Box::new(move |columns: &LevelColumns, column: usize, model: Model| {
        let rows = (0..drawing.height()).rev();
        rows.fold(model, |model, row| {
            let Some(drawn) = drawing.get(row, column) else {
                return model;
            };
            let factor = factors
                .entry(drawn)
                .or_insert_with(|| likeness(drawn, cost));
            let factor = Parents::map_shared(columns.tile(row, column), factor);
            model.weigh(&factor, |factor| *factor)
        })
    })
}

/// Returns a function that computes the factor of a tile: 1 for the tile `drawn`, and exp(-`cost`) for all other tiles.
fn likeness(drawn: Tile, cost: f64) -> Arc<impl Fn(&Tile) -> f64 + Send + Sync + use<>> {
    let factor = (-cost).exp();
    Arc::new(move |&tile: &Tile| if tile == drawn { 1.0 } else { factor })
}

type ReachStep = Box<dyn Fn((&Option<Reach>, &Vec<CellClass>)) -> Option<Reach> + Send + Sync>;

/// Evidence that the level is playable: a running state over the columns holds the positions at which the player can cross into the next column.
struct FoldedReach {
    size: (usize, usize),
    rules: MovementRules,
    step: Arc<ReachStep>,
    start: Option<Reach>,
    reach: Element<Option<Reach>>,
}

impl FoldedReach {
    fn new(route: &Route, size: (usize, usize), crossed: &Arc<ReachabilityMemo>) -> Self {
        let crossed = Arc::clone(crossed);
        let step: ReachStep =
            Box::new(move |(reach, column)| crossed.after(reach.as_ref()?, column));
        let start = Some(Reach::along(size.0, route));
        Self {
            size,
            rules: route.rules().clone(),
            step: Arc::new(step),
            reach: Constant::new(start.clone()),
            start,
        }
    }
}

impl ColumnEvidence for FoldedReach {
    fn on(&mut self, columns: &LevelColumns, column: usize, model: Model) -> Model {
        let (height, width) = self.size;
        let tiles: Vec<Element<Tile>> = (0..height)
            .map(|row| columns.tile(row, column).clone())
            .collect();
        let rules = self.rules.clone();
        let classes = Apply::new(&tiles, move |tiles| {
            tiles.into_iter().map(|&tile| rules.class(tile)).collect()
        });
        self.reach = (&self.reach, &classes).map_shared(&self.step);
        if column + 1 == width {
            let wins = |reach: &Option<Reach>| reach.as_ref().is_some_and(Reach::playable);
            model.condition(&self.reach, wins)
        } else {
            model.condition(&self.reach, Option::is_some)
        }
    }

    fn state(&self) -> Option<AnyElement> {
        Some(self.reach.erased().clone())
    }

    fn resume(&mut self) {
        self.reach = Constant::new(self.start.clone());
    }
}

/// A cache of [`Reach`] states (the positions that a player can reach) after each column of a level. The key of the cache consists of the state
/// before the column, and the class of each cell in the column. The cache of states saves time because the same columns recur often.
#[derive(Debug, Default)]
pub(super) struct ReachabilityMemo {
    known: Mutex<CrossingMemo>,
}

#[derive(Debug, Default)]
struct CrossingMemo {
    after: FxHashMap<(Reach, Vec<CellClass>), Option<Reach>>,
    /// The distinct states among the results of the cache; equal states are stored once.
    states: FxHashSet<Reach>,
    bytes: usize,
}

impl ReachabilityMemo {
    const MAX_BYTES: usize = 64 << 20;

    /// Returns the player's reachable positions after the column `column`; `None` if the level is not playable, whatever columns follow.
    pub(super) fn after(&self, reach: &Reach, column: &[CellClass]) -> Option<Reach> {
        let key = (reach.clone(), column.to_vec());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = known().after.get(&key) {
            return next.clone();
        }
        let mut next = reach.clone();
        next.push_classes(column);
        let mut known = known();
        if known.bytes > Self::MAX_BYTES {
            *known = CrossingMemo::default();
        }
        let next = next.alive().then(|| known.held(next));
        // The cache already stores the state before the column as the result of another column, so the heap memory of this state is not counted
        // again.
        known.bytes += 2 * size_of_val(&key) + size_of_val(column);
        known.after.insert(key, next.clone());
        next
    }
}

impl CrossingMemo {
    fn held(&mut self, state: Reach) -> Reach {
        if let Some(held) = self.states.get(&state) {
            return held.clone();
        }
        self.bytes += 2 * size_of_val(&state) + state.heap_bytes();
        self.states.insert(state.clone());
        state
    }
}

type Step = Box<dyn Fn((&DemandState, &Tile)) -> DemandState + Send + Sync>;
type End = Box<dyn Fn(&DemandState) -> DemandState + Send + Sync>;

/// An automaton for a demand, with step functions that return its next state. Cells that the automaton treats alike share one step function, so that
/// algorithms compute each result of the function only once.
#[derive(Debug)]
pub(super) struct Steps {
    reader: Reader,
    /// For each column of the level, the index of the first column that the automaton treats in the same way.
    alike: Vec<usize>,
    functions: Mutex<Functions>,
}

#[derive(Default)]
struct Functions {
    steps: FxHashMap<(usize, usize), Arc<Step>>,
    ends: FxHashMap<usize, Arc<End>>,
}

impl std::fmt::Debug for Functions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Functions").finish_non_exhaustive()
    }
}

impl Steps {
    pub(super) fn new(reader: Reader, width: usize) -> Self {
        let mut first: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        let alike = (0..width).map(|column| *first.entry(reader.phase(column)).or_insert(column));
        Self {
            alike: alike.collect(),
            reader,
            functions: Mutex::default(),
        }
    }

    pub(super) fn reader(&self) -> &Reader {
        &self.reader
    }

    fn step(&self, (row, column): (usize, usize)) -> Arc<Step> {
        let cell = (row, self.alike[column]);
        let mut functions = self
            .functions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let step = functions.steps.entry(cell).or_insert_with(|| {
            let reader = self.reader.clone();
            Arc::new(Box::new(move |(state, &tile): (&DemandState, &Tile)| {
                reader.read(cell, state, tile)
            }))
        });
        Arc::clone(step)
    }

    fn end(&self, column: usize) -> Arc<End> {
        let column = self.alike[column];
        let mut functions = self
            .functions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let end = functions.ends.entry(column).or_insert_with(|| {
            let reader = self.reader.clone();
            Arc::new(Box::new(move |state: &DemandState| {
                reader.end(column, state)
            }))
        });
        Arc::clone(end)
    }
}

/// The running state of a demand's automaton over the cells of a level, as evidence that the level meets the demand.
pub(super) struct FoldedDemand<'a> {
    steps: &'a Steps,
    /// Negative natural logarithm of the factor that multiplies the weight of a level that breaks the demand; `None` means that such levels are
    /// excluded.
    weight: Option<f64>,
    state: Element<DemandState>,
}

impl<'a> FoldedDemand<'a> {
    pub(super) fn new(steps: &'a Steps, weight: Option<f64>) -> Self {
        Self {
            steps,
            weight,
            state: Constant::new(steps.reader.start()),
        }
    }
}

impl ColumnEvidence for FoldedDemand<'_> {
    fn on(&mut self, columns: &LevelColumns, column: usize, model: Model) -> Model {
        let span = self.steps.reader.span();
        if !span.contains(&column) {
            return model;
        }
        for row in (0..columns.height()).rev() {
            if self.steps.reader.reads(row, column) {
                let step = self.steps.step((row, column));
                self.state = (&self.state, columns.tile(row, column)).map_shared(&step);
            }
        }
        self.state = Parents::map_shared(&self.state, &self.steps.end(column));
        match self.weight {
            None => model.condition(&self.state, |state| *state != DemandState::Broken),
            Some(weight) if column + 1 == span.end => {
                let factor = (-weight).exp();
                let factor = self.state.map(move |state| match state {
                    DemandState::Met => 1.0,
                    _ => factor,
                });
                model.weigh(&factor, |factor| *factor)
            }
            Some(_) => model,
        }
    }

    fn state(&self) -> Option<AnyElement> {
        Some(self.state.erased().clone())
    }

    fn resume(&mut self) {
        self.state = Constant::new(self.steps.reader.start());
    }
}
