//! Complete data as columns of small integers: each different row once, with the number of its occurrences.

use rustc_hash::FxHashMap;

use super::super::{Network, NetworkData};
use super::StructureLearningError;

/// The different rows of complete data, by column, and the number of occurrences of each.
#[derive(Debug)]
pub(super) struct RowCounts {
    /// The state of each row, by variable.
    columns: Vec<Vec<u32>>,
    /// The number of states of each variable.
    states: Vec<usize>,
    numbers: Vec<u32>,
    total: u64,
}

impl RowCounts {
    /// The rows of data about a network, in the order in which they first occur.
    ///
    /// **Errors.** The first missing cell; data about other variables.
    pub(super) fn new(
        network: &Network,
        data: &NetworkData,
    ) -> Result<Self, StructureLearningError> {
        let variables = network.variables();
        let mut places: FxHashMap<Box<[u32]>, usize> = FxHashMap::default();
        let mut columns = vec![Vec::new(); variables.len()];
        let mut numbers: Vec<u32> = Vec::new();
        let mut cells: Vec<u32> = Vec::with_capacity(variables.len());
        for (number, row) in data.rows().enumerate() {
            cells.clear();
            for (i, state) in row.enumerate() {
                let variable = variables.get(i).ok_or(StructureLearningError::OtherData)?;
                let Some(state) = state else {
                    return Err(missing(network, data, number, i));
                };
                if variable.states().get(state.index()) != Some(state) {
                    return Err(StructureLearningError::OtherData);
                }
                cells.push(state.index() as u32);
            }
            if cells.len() != variables.len() {
                return Err(StructureLearningError::OtherData);
            }
            if let Some(&place) = places.get(&cells[..]) {
                numbers[place] += 1;
                continue;
            }
            places.insert(cells.clone().into(), numbers.len());
            numbers.push(1);
            for (column, &cell) in columns.iter_mut().zip(&cells) {
                column.push(cell);
            }
        }
        Ok(Self {
            columns,
            states: variables.iter().map(|v| v.states().len()).collect(),
            numbers,
            total: data.len() as u64,
        })
    }

    /// Number of variables.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Number of different rows.
    pub(super) fn distinct(&self) -> usize {
        self.numbers.len()
    }

    /// Number of all rows.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The states of a variable in the different rows.
    pub(super) fn column(&self, variable: u32) -> &[u32] {
        &self.columns[variable as usize]
    }

    /// Number of states of a variable.
    pub(super) fn states(&self, variable: u32) -> usize {
        self.states[variable as usize]
    }

    /// The number of occurrences of each different row.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }
}

/// The error of a missing cell.
fn missing(
    network: &Network,
    data: &NetworkData,
    row: usize,
    variable: usize,
) -> StructureLearningError {
    let name = network.variables()[variable].name().to_owned();
    let is_empty = |row| data.row(row).nth(variable).flatten().is_none();
    if (0..data.len()).all(is_empty) {
        return StructureLearningError::MissingColumn { variable: name };
    }
    StructureLearningError::MissingCell {
        line: data.line(row),
        variable: name,
    }
}
