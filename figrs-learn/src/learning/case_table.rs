//! A table of rows of data (cases); each cell of a row is an index into the distinct cells of its column.

use figrs_core::{AnyElement, Datum, Evidence, Model, SupportBuilder};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::case_rows::{CaseRow, CaseRows, MISSING};
use figrs_answer::error::Error;

/// The column of data for one random variable, with the distinct cells of the column.
#[derive(Debug)]
pub(super) struct CaseColumn {
    pub(super) element: AnyElement,
    /// For each distinct cell of the column, the evidence that the cell states.
    pub(super) cells: Vec<Cell>,
    /// The distinct values that the cells of the column state. For each distinct value, `cell_of_value` has the index of the cell that states the
    /// value.
    values: SupportBuilder,
    cell_of_value: Vec<u32>,
}

/// A cell of a data row: the evidence of the row about one random variable.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    /// The random variable has the contained value.
    Value(Datum),
    /// The evidence about the random variable consists of the contained conditions and weights.
    Statements(Vec<Evidence>),
}

impl Clone for CaseColumn {
    fn clone(&self) -> Self {
        Self {
            element: self.element.clone(),
            cells: self.cells.clone(),
            values: self.values_of_cells(),
            cell_of_value: self.cell_of_value.clone(),
        }
    }
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

    fn values_of_cells(&self) -> SupportBuilder {
        let mut values = self.element.no_values();
        for &cell in &self.cell_of_value {
            if let Cell::Value(value) = &self.cells[cell as usize] {
                values.insert(value.as_any());
            }
        }
        values
    }

    /// Returns the first value that a cell of the column states; `None` if no cell states a value.
    pub(super) fn any_value(&self) -> Option<Datum> {
        self.cells.iter().find_map(|cell| match cell {
            Cell::Value(value) => Some(value.clone()),
            Cell::Statements(_) => None,
        })
    }

    fn value(&mut self, value: Datum) -> u32 {
        let next = self.cell_of_value.len();
        let Some(place) = self.values.insert(value.as_any()) else {
            // A value of another type than the element's type gets a new cell, which cannot be looked up by value: no world has this value.
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

/// Returns a copy of `model` with the evidence of `row` added to the evidence of the model.
pub(super) fn with_row(model: &Model, columns: &[CaseColumn], row: CaseRow<'_>) -> Model {
    let mut model = model.clone();
    for (at, CaseColumn { element, cells, .. }) in columns.iter().enumerate() {
        model = match cells.get(row.cell(at) as usize) {
            None => model,
            Some(Cell::Value(value)) => model.observe_any(element, value.clone()),
            Some(Cell::Statements(statements)) => {
                let statements = statements.iter().cloned();
                statements.fold(model, |model, statement| {
                    model.with_evidence(element.clone(), statement)
                })
            }
        };
    }
    model
}

/// Rows of evidence with weights. Each row has evidence about the variables of some columns, and equal rows are stored once.
#[derive(Clone, Debug, Default)]
pub struct CaseTable {
    pub(super) columns: Vec<CaseColumn>,
    places: FxHashMap<figrs_core::ElementId, usize>,
    pub(super) rows: CaseRows,
}

impl CaseTable {
    pub(super) fn column(&mut self, element: &AnyElement) -> usize {
        let columns = &mut self.columns;
        *self.places.entry(element.id()).or_insert_with(|| {
            columns.push(CaseColumn::new(element.clone()));
            columns.len() - 1
        })
    }

    pub(super) fn elements(&self) -> Vec<AnyElement> {
        self.columns.iter().map(|c| c.element.clone()).collect()
    }

    /// Returns the table of data as bytes: the labels of the columns, and the rows of cells as text. The bytes of equal tables are equal in all
    /// processes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let columns = self.columns.iter();
        let columns =
            columns.map(|column| format!("{:?} {:?}", column.element.label(), column.cells));
        let mut bytes = columns.collect::<Vec<_>>().join(" ").into_bytes();
        for row in self.rows.iter() {
            bytes.extend(row.weight.to_bits().to_le_bytes());
            let cells = (0..self.columns.len()).map(|column| row.cell(column).to_le_bytes());
            bytes.extend(cells.flatten());
        }
        bytes
    }

    pub(super) fn next(&self) -> usize {
        self.rows.next()
    }

    /// Adds a row of values, each with the index of its column.
    pub(super) fn add(&mut self, weight: f64, values: impl Iterator<Item = (usize, Datum)>) {
        let mut row = vec![MISSING; self.columns.len()];
        for (column, value) in values {
            row[column] = self.columns[column].value(value);
        }
        self.rows.push(weight, row);
    }

    /// Adds a row with the evidence in `statements`, which may be about any random variables.
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
        self.rows.push(weight, row);
    }

    pub(super) fn columns_only(&self) -> Self {
        Self {
            columns: self.columns.clone(),
            places: self.places.clone(),
            rows: CaseRows::default(),
        }
    }

    /// Returns the number of distinct cells of each column.
    pub(super) fn lengths(&self) -> Vec<usize> {
        self.columns
            .iter()
            .map(|column| column.cells.len())
            .collect()
    }

    pub(super) fn truncate(&mut self, lengths: &[usize]) {
        for (column, &length) in self.columns.iter_mut().zip(lengths) {
            if column.cells.len() > length {
                column.cells.truncate(length);
                column
                    .cell_of_value
                    .retain(|&cell| (cell as usize) < length);
                column.values = column.values_of_cells();
            }
        }
    }

    /// Adds the rows of `other`, after a conversion of their cells to the cell indices of this table. New cells of `other` are added to the columns
    /// of this table.
    ///
    /// **Errors.** [`Error::CannotLearnFrom`] if an element of `other` has no column in this table.
    pub(super) fn translate(&mut self, other: &Self) -> Result<(), Error> {
        let mut cells: Vec<(usize, Vec<u32>)> = Vec::with_capacity(other.columns.len());
        for column in &other.columns {
            let id = column.element.id();
            let Some(&place) = self.places.get(&id) else {
                return Err(Error::CannotLearnFrom {
                    element: column.element.label(),
                    reason: "the first cases have no column for it; add an empty column to them",
                });
            };
            let own = &mut self.columns[place];
            let number = |cell: &Cell| match cell {
                Cell::Value(value) => own.value(value.clone()),
                statements @ Cell::Statements(_) => own.push(statements.clone()),
            };
            cells.push((place, column.cells.iter().map(number).collect()));
        }
        for row in other.rows.iter() {
            let mut translated = vec![MISSING; self.columns.len()];
            for (column, (place, cells)) in cells.iter().enumerate() {
                let cell = row.cell(column);
                translated[*place] = cells.get(cell as usize).copied().unwrap_or(MISSING);
            }
            self.rows.push_numbered(row.weight, translated, row.number);
        }
        Ok(())
    }

    /// Returns the values that the distinct cells of the column `column` state, beginning with the cell with the index `from`.
    ///
    /// **Errors.** [`Error::InvalidCase`] if a cell states a condition or a weight instead of a value.
    pub(super) fn observed_values(&self, column: usize, from: usize) -> Result<Vec<Datum>, Error> {
        let CaseColumn { element, cells, .. } = &self.columns[column];
        let value = |(cell, evidence): (usize, &Cell)| {
            match evidence {
            Cell::Value(value) => Ok(value.clone()),
            Cell::Statements(_) => Err(self.invalid(
                (column, cell),
                format!("{element:?} has a density, so conditions on it are not supported; give it a value, or leave it out"),
            )),
        }
        };
        cells.iter().enumerate().skip(from).map(value).collect()
    }

    /// Returns the error that a cell of a data column has the problem `problem`. The error names the first row of data with the given cell.
    pub(super) fn invalid(&self, (column, cell): (usize, usize), problem: String) -> Error {
        let mut rows = self.rows.iter();
        let first = rows.find(|row| row.cell(column) == cell as u32);
        Error::InvalidCase {
            row: first.map_or(0, |row| row.number),
            problem,
        }
    }
}
