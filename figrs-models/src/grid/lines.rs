//! Constraints on the lines of a grid, which have an automaton for each row, or an automaton for each column.

use super::{Automaton, GridError, Position, Size};

/// A constraint on each row of a grid: each row has an automaton of its own, which reads only this row.
#[derive(Clone, Debug)]
pub struct Rows<A> {
    size: Size,
    rows: Vec<A>,
}

impl<A> Rows<A> {
    /// Creates the constraint on the rows from one automaton for each row, the top row first.
    ///
    /// **Errors.** [`GridError::Invalid`] if the number of automata differs from the number of rows.
    pub fn new(size: Size, rows: impl IntoIterator<Item = A>) -> Result<Self, GridError> {
        let rows = all(rows, "rows", size.rows())?;
        Ok(Self { size, rows })
    }
}

fn all<A>(
    lines: impl IntoIterator<Item = A>,
    what: &str,
    expected: usize,
) -> Result<Vec<A>, GridError> {
    let lines: Vec<A> = lines.into_iter().collect();
    GridError::same_length(what, expected, lines.len())?;
    Ok(lines)
}

impl<C, A: Automaton<C>> Automaton<C> for Rows<A> {
    type State = A::State;

    fn start(&self) -> A::State {
        self.rows[0].start()
    }

    fn step(&self, at: Position, state: &A::State, cell: &C) -> Option<A::State> {
        let row = &self.rows[at.row];
        let state = row.step(at, state, cell)?;
        if at.column + 1 < self.size.columns() {
            return Some(state);
        }
        let next = self.rows.get(at.row + 1).unwrap_or(row);
        row.accepts(&state).then(|| next.start())
    }

    fn accepts(&self, _: &A::State) -> bool {
        true
    }
}

/// A constraint on each column of a grid: each column has an automaton of its own, which reads only this column.
#[derive(Clone, Debug)]
pub struct Columns<A> {
    size: Size,
    columns: Vec<A>,
}

impl<A> Columns<A> {
    /// Creates the constraint on the columns from one automaton for each column, the leftmost column first.
    ///
    /// **Errors.** [`GridError::Invalid`] if the number of automata differs from the number of columns.
    pub fn new(size: Size, columns: impl IntoIterator<Item = A>) -> Result<Self, GridError> {
        let columns = all(columns, "columns", size.columns())?;
        Ok(Self { size, columns })
    }
}

impl<C, A: Automaton<C>> Automaton<C> for Columns<A> {
    type State = Vec<A::State>;

    fn start(&self) -> Vec<A::State> {
        self.columns.iter().map(Automaton::start).collect()
    }

    fn step(&self, at: Position, states: &Vec<A::State>, cell: &C) -> Option<Vec<A::State>> {
        let column = &self.columns[at.column];
        let state = column.step(at, &states[at.column], cell)?;
        let mut states = states.clone();
        states[at.column] = if at.row + 1 < self.size.rows() {
            state
        } else if column.accepts(&state) {
            // All completed columns have the same state, so that states differ only in columns that are not completed.
            column.start()
        } else {
            return None;
        };
        Some(states)
    }

    fn accepts(&self, _: &Vec<A::State>) -> bool {
        true
    }
}
