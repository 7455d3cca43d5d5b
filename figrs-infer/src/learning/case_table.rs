//! Rows of evidence, dictionary-encoded by column.

use figrs_core::{AnyElement, Datum, Evidence, Model, SupportBuilder};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::error::Error;

/// A missing cell.
pub(super) const MISSING: u32 = u32::MAX;

/// The cell of a column in a row, whose last missing cells are left out.
pub(super) fn cell(row: &[u32], column: usize) -> u32 {
    row.get(column).copied().unwrap_or(MISSING)
}

/// The different cells of one element.
#[derive(Debug)]
pub(super) struct CaseColumn {
    pub(super) element: AnyElement,
    /// The evidence of each cell.
    pub(super) cells: Vec<Cell>,
    /// The values among the cells, and for each its cell.
    values: SupportBuilder,
    cell_of_value: Vec<u32>,
}

/// Evidence on one element in a row.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    /// It has this value.
    Value(Datum),
    /// Conditions and weights.
    Statements(Vec<Evidence>),
}

impl CaseColumn {
    fn new(element: AnyElement) -> Self {
        Self {
            values: element.no_values(),
            element,
            cells: Vec::new(),
            cell_of_value: Vec::new(),
        }
    }

    /// A value of one of its cells.
    pub(super) fn any_value(&self) -> Option<Datum> {
        self.cells.iter().find_map(|cell| match cell {
            Cell::Value(value) => Some(value.clone()),
            Cell::Statements(_) => None,
        })
    }

    fn value(&mut self, value: Datum) -> u32 {
        let next = self.cell_of_value.len();
        let Some(place) = self.values.insert(value.as_any()) else {
            // A value of another type than the element's: no world has it.
            return self.push(Cell::Value(value));
        };
        if place == next {
            let cell = self.push(Cell::Value(value));
            self.cell_of_value.push(cell);
        }
        self.cell_of_value[place]
    }

    fn push(&mut self, cell: Cell) -> u32 {
        self.cells.push(cell);
        (self.cells.len() - 1) as u32
    }
}

/// Rows of evidence on the elements of some columns, with weights; equal rows are one.
#[derive(Debug, Default)]
pub struct CaseTable {
    pub(super) columns: Vec<CaseColumn>,
    places: FxHashMap<figrs_core::ElementId, usize>,
    /// For each distinct row its weight and the number of the first row that is like it.
    rows: IndexMap<Box<[u32]>, (f64, usize), FxBuildHasher>,
    /// Number of rows added.
    added: usize,
}

impl CaseTable {
    /// The column of an element, added if it is new.
    pub(super) fn column(&mut self, element: &AnyElement) -> usize {
        let columns = &mut self.columns;
        *self.places.entry(element.id()).or_insert_with(|| {
            columns.push(CaseColumn::new(element.clone()));
            columns.len() - 1
        })
    }

    /// The number of the next row.
    pub(super) fn next(&self) -> usize {
        self.added
    }

    /// Adds a row of values of some columns.
    pub(super) fn add(&mut self, weight: f64, values: impl Iterator<Item = (usize, Datum)>) {
        let mut row = vec![MISSING; self.columns.len()];
        for (column, value) in values {
            row[column] = self.columns[column].value(value);
        }
        self.push(weight, row);
    }

    /// Adds a row of statements on any elements.
    pub(super) fn add_statements(&mut self, weight: f64, statements: &Model) {
        let mut by_column: IndexMap<usize, Vec<Evidence>> = IndexMap::new();
        for (element, evidence) in statements.evidence() {
            let column = self.column(element);
            by_column.entry(column).or_default().push(evidence.clone());
        }
        let mut row = vec![MISSING; self.columns.len()];
        for (column, statements) in by_column {
            let cells = &mut self.columns[column];
            row[column] = match &statements[..] {
                [only] if only.observed().is_some() => {
                    let value = only.observed().cloned();
                    value.map_or(MISSING, |value| cells.value(value))
                }
                _ => cells.push(Cell::Statements(statements)),
            };
        }
        self.push(weight, row);
    }

    fn push(&mut self, weight: f64, mut row: Vec<u32>) {
        // Columns may be added later: missing cells at the end are not stored.
        while row.last() == Some(&MISSING) {
            row.pop();
        }
        let first = self.added;
        let entry = self.rows.entry(row.into()).or_insert((0.0, first));
        entry.0 += weight;
        self.added += 1;
    }

    /// The values of all cells of a column, none of which may hold other evidence.
    ///
    /// **Errors.** [`Error::InvalidCase`].
    pub(super) fn observed_values(&self, column: usize) -> Result<Vec<Datum>, Error> {
        let CaseColumn { element, cells, .. } = &self.columns[column];
        let value = |(cell, evidence): (usize, &Cell)| match evidence {
            Cell::Value(value) => Ok(value.clone()),
            Cell::Statements(_) => Err(self.invalid(
                (column, cell),
                format!("{element:?} has a density; give it a value, or leave it out"),
            )),
        };
        cells.iter().enumerate().map(value).collect()
    }

    /// The error of the first row that has a cell.
    pub(super) fn invalid(&self, (column, cell): (usize, usize), problem: String) -> Error {
        let has_it = |row: &&[u32]| row.get(column) == Some(&(cell as u32));
        let rows = self.rows.iter();
        let numbers = rows.filter_map(|(row, (_, number))| has_it(&&**row).then_some(*number));
        let row = numbers.min().unwrap_or(0);
        Error::InvalidCase { row, problem }
    }

    /// Number of distinct rows.
    pub(super) fn distinct(&self) -> usize {
        self.rows.len()
    }

    /// A distinct row: its cells (missing ones at its end left out), its weight, and the number of the first row that is like it.
    pub(super) fn row(&self, at: usize) -> (&[u32], f64, usize) {
        match self.rows.get_index(at) {
            Some((row, &(weight, number))) => (row, weight, number),
            None => (&[], 0.0, 0),
        }
    }
}
