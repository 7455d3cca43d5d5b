//! Automata for demands on levels, combined by "or" and "not".

use std::ops::Range;
use std::sync::Arc;

use super::{Automaton, Verdict};
use figrs_models::mdmc::twist::DemandState;
use figrs_models::mdmc::{Level, Tile};

#[derive(Clone, Debug)]
pub(in crate::demands) enum Reader {
    Leaf(Arc<dyn Automaton>),
    /// The combined demand is met if at least one of the automata accepts the level.
    Any(Vec<Reader>),
    /// The combined demand is met if the automaton does not accept the level.
    Not(Box<Reader>),
}

impl Reader {
    pub(in crate::demands) fn leaf(automaton: impl Automaton + 'static) -> Self {
        Self::Leaf(Arc::new(automaton))
    }

    /// Returns the range of columns that the automaton reads; after the last column of this range, it is known whether the level meets the demand.
    pub(in crate::demands) fn span(&self) -> Range<usize> {
        match self {
            Self::Leaf(automaton) => automaton.span(),
            Self::Any(readers) => {
                let spans = || readers.iter().map(Self::span);
                let start = spans().map(|span| span.start).min().unwrap_or(0);
                start..spans().map(|span| span.end).max().unwrap_or(0)
            }
            Self::Not(reader) => reader.span(),
        }
    }

    pub(in crate::demands) fn start(&self) -> DemandState {
        match self {
            Self::Leaf(automaton) => DemandState::Open(automaton.start()),
            Self::Any(readers) => DemandState::Several(readers.iter().map(Self::start).collect()),
            Self::Not(reader) => reader.start(),
        }
    }

    /// Returns a list of numbers for a column; two columns have equal lists if the automaton treats them alike.
    pub(in crate::demands) fn phase(&self, column: usize) -> Vec<usize> {
        match self {
            Self::Leaf(automaton) => {
                let span = automaton.span();
                if column < span.start {
                    vec![0]
                } else if column >= span.end {
                    vec![1]
                } else {
                    let mut phase = automaton.phase(column);
                    phase.push(phase.len() + 2);
                    phase.rotate_right(1);
                    phase
                }
            }
            Self::Any(readers) => readers.iter().flat_map(|one| one.phase(column)).collect(),
            Self::Not(reader) => reader.phase(column),
        }
    }

    /// True if the tile in `row` and `column` may change the state of an automaton, or decide whether the level meets the demand.
    pub(in crate::demands) fn reads(&self, row: usize, column: usize) -> bool {
        match self {
            Self::Leaf(automaton) => {
                automaton.span().contains(&column) && automaton.reads(row, column)
            }
            Self::Any(readers) => readers.iter().any(|reader| reader.reads(row, column)),
            Self::Not(reader) => reader.reads(row, column),
        }
    }

    pub(in crate::demands) fn read(
        &self,
        cell: (usize, usize),
        state: &DemandState,
        tile: Tile,
    ) -> DemandState {
        self.changed(state, &|automaton, words| {
            let is_read = automaton.span().contains(&cell.1) && automaton.reads(cell.0, cell.1);
            match is_read && !automaton.read(cell, words, tile) {
                true => Verdict::Broken,
                false => Verdict::Open,
            }
        })
    }

    pub(in crate::demands) fn end(&self, column: usize, state: &DemandState) -> DemandState {
        self.changed(
            state,
            &|automaton, words| match automaton.span().contains(&column) {
                true => automaton.end(column, words),
                false => Verdict::Open,
            },
        )
    }

    /// Applies `change` to the state of an automaton whose demand is still open, and returns the new state; `change` also returns whether the demand
    /// is then met.
    fn changed(
        &self,
        state: &DemandState,
        change: &dyn Fn(&dyn Automaton, &mut Vec<u32>) -> Verdict,
    ) -> DemandState {
        match (self, state) {
            (Self::Leaf(automaton), DemandState::Open(words)) => {
                let mut words = words.clone();
                match change(&**automaton, &mut words) {
                    Verdict::Open => DemandState::Open(words),
                    Verdict::Met => DemandState::Met,
                    Verdict::Broken => DemandState::Broken,
                }
            }
            (Self::Any(readers), DemandState::Several(states)) => {
                let changed = |(reader, state): (&Self, _)| reader.changed(state, change);
                any(readers.iter().zip(states).map(changed))
            }
            (Self::Not(reader), state) if is_open(state) => not(reader.changed(state, change)),
            _ => state.clone(),
        }
    }

    pub(in crate::demands) fn accepts(&self, level: &Level) -> bool {
        let mut state = self.start();
        for column in self.span() {
            for row in (0..level.height()).rev() {
                if let Some(tile) = level.get(row, column) {
                    state = self.read((row, column), &state, tile);
                }
            }
            state = self.end(column, &state);
        }
        state == DemandState::Met
    }
}

fn is_open(state: &DemandState) -> bool {
    !matches!(state, DemandState::Met | DemandState::Broken)
}

fn any(states: impl Iterator<Item = DemandState>) -> DemandState {
    let states: Vec<DemandState> = states.collect();
    if states.contains(&DemandState::Met) {
        DemandState::Met
    } else if states.iter().all(|state| *state == DemandState::Broken) {
        DemandState::Broken
    } else {
        DemandState::Several(states)
    }
}

fn not(state: DemandState) -> DemandState {
    match state {
        DemandState::Met => DemandState::Broken,
        DemandState::Broken => DemandState::Met,
        open => open,
    }
}
