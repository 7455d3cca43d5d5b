//! Automata that read the cells of a grid one after another, and combinations of automata.

use std::marker::PhantomData;

use figrs_core::Value;

use super::{Position, Size};

/// A constraint on the cells of a grid, as an automaton that reads one cell after another in scan order (row by row).
///
/// Exact inference costs less if the automaton has fewer states. States of the automaton that accept the same values of the remaining cells should be
/// equal, so that exact inference costs less.
pub trait Automaton<C>: Send + Sync + 'static {
    /// A summary of the cells read so far, which suffices to decide which values of the remaining cells are accepted.
    type State: Value;

    /// Returns the state of the automaton before the first cell.
    fn start(&self) -> Self::State;

    /// Returns the automaton's state after one more cell; `None` if no values of the remaining cells can be accepted.
    fn step(&self, at: Position, state: &Self::State, cell: &C) -> Option<Self::State>;

    /// True if the constraint on the cells holds when `state` is the automaton's state after the last cell.
    fn accepts(&self, state: &Self::State) -> bool;

    /// Returns the maximum number of columns of a grid that the automaton can read: [`Size::AUTOMATON_COLUMNS`], or [`Size::AUTOMATON_ROWS`] if the
    /// size of states does not grow with the columns.
    fn most_columns(&self) -> usize {
        Size::AUTOMATON_COLUMNS
    }

    /// Returns the conjunction of two constraints on the same cells.
    fn and<B: Automaton<C>>(self, other: B) -> ProductAutomaton<Self, B>
    where
        Self: Sized,
    {
        ProductAutomaton {
            first: self,
            second: other,
        }
    }

    /// Returns a constraint on cells of another type: the automaton reads the values that the function `read` computes from these cells.
    fn reading<D, F>(self, read: F) -> MappedAutomaton<Self, F, C>
    where
        Self: Sized,
        F: Fn(Position, &D) -> C + Send + Sync + 'static,
    {
        MappedAutomaton {
            automaton: self,
            read,
            seen: PhantomData,
        }
    }
}

/// An automaton made of two automata that read the same cells and must both accept; see [`Automaton::and`].
#[derive(Clone, Debug)]
pub struct ProductAutomaton<A, B> {
    first: A,
    second: B,
}

impl<C, A: Automaton<C>, B: Automaton<C>> Automaton<C> for ProductAutomaton<A, B> {
    type State = (A::State, B::State);

    fn start(&self) -> Self::State {
        (self.first.start(), self.second.start())
    }

    fn step(&self, at: Position, state: &Self::State, cell: &C) -> Option<Self::State> {
        let first = self.first.step(at, &state.0, cell)?;
        let second = self.second.step(at, &state.1, cell)?;
        Some((first, second))
    }

    fn accepts(&self, state: &Self::State) -> bool {
        self.first.accepts(&state.0) && self.second.accepts(&state.1)
    }

    fn most_columns(&self) -> usize {
        self.first.most_columns().min(self.second.most_columns())
    }
}

/// An automaton that reads the results of a function of the cells; see [`Automaton::reading`].
#[derive(Clone, Debug)]
pub struct MappedAutomaton<A, F, C> {
    automaton: A,
    read: F,
    seen: PhantomData<fn() -> C>,
}

impl<C, D, A, F> Automaton<D> for MappedAutomaton<A, F, C>
where
    C: 'static,
    A: Automaton<C>,
    F: Fn(Position, &D) -> C + Send + Sync + 'static,
{
    type State = A::State;

    fn start(&self) -> Self::State {
        self.automaton.start()
    }

    fn step(&self, at: Position, state: &Self::State, cell: &D) -> Option<Self::State> {
        self.automaton.step(at, state, &(self.read)(at, cell))
    }

    fn accepts(&self, state: &Self::State) -> bool {
        self.automaton.accepts(state)
    }

    fn most_columns(&self) -> usize {
        self.automaton.most_columns()
    }
}

/// An optional automaton: `Some` constrains the cells, and `None` accepts all cells.
impl<C, A: Automaton<C>> Automaton<C> for Option<A> {
    type State = Option<A::State>;

    fn start(&self) -> Self::State {
        self.as_ref().map(Automaton::start)
    }

    fn step(&self, at: Position, state: &Self::State, cell: &C) -> Option<Self::State> {
        match (self, state) {
            (Some(automaton), Some(state)) => Some(Some(automaton.step(at, state, cell)?)),
            _ => Some(None),
        }
    }

    fn accepts(&self, state: &Self::State) -> bool {
        match (self, state) {
            (Some(automaton), Some(state)) => automaton.accepts(state),
            _ => true,
        }
    }

    fn most_columns(&self) -> usize {
        let columns = self.as_ref().map(Automaton::most_columns);
        columns.unwrap_or(Size::AUTOMATON_ROWS)
    }
}
