//! Runs the automata of demands as folds over the elements of a level.

use std::sync::{Arc, Mutex, PoisonError};

use figrs_core::{AnyElement, Constant, Element, Model, Parents};
use rustc_hash::FxHashMap;

use super::automata::Reader;
use super::statements::ColumnEvidence;
use figrs_models::mdmc::Tile;
use figrs_models::mdmc::sample::level_model::LevelColumns;
use figrs_models::mdmc::twist::DemandState;

type Step = Box<dyn Fn((&DemandState, &Tile)) -> DemandState + Send + Sync>;
type End = Box<dyn Fn(&DemandState) -> DemandState + Send + Sync>;

/// An automaton with step functions, which return its next state. Cells that the automaton treats alike share one step function, so that algorithms
/// compute each result of the function once.
#[derive(Debug)]
pub(super) struct Steps {
    reader: Reader,
    /// For each column of the level, the first column that the automaton treats in the same way.
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

/// The fold of a demand's automaton over the cells of a level, as evidence that the level meets the demand.
pub(super) struct FoldedDemand<'a> {
    steps: &'a Steps,
    /// Negative natural logarithm of the factor that multiplies the weight of a level that breaks the demand; `None` excludes such levels.
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
