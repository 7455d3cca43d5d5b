//! Data as columns of state indices (one column for each variable), in which each distinct row is stored once with its number of occurrences.

use rustc_hash::FxHashMap;

use super::super::data::MISSING;
use super::super::{Network, NetworkData};
use super::StructureLearningError;

/// The distinct complete rows of data, stored by column, with the number of occurrences of each row.
#[derive(Debug)]
pub(super) struct RowCounts {
    /// For each variable, the index of its state in each distinct row.
    pub(super) columns: Vec<Vec<u32>>,
    /// The number of states of each variable.
    pub(super) states: Vec<usize>,
    pub(super) numbers: Vec<u32>,
    pub(super) total: u64,
}

/// The distinct rows of data in which cells may be missing.
#[derive(Debug)]
pub(super) struct DataRows {
    pub(super) complete: RowCounts,
    /// The distinct rows with missing cells, in the order in which they first occur.
    pub(super) open: Vec<OpenRow>,
    pub(super) missing_cells: u64,
    /// Number of all rows of data, including repetitions.
    pub(super) total: u64,
    /// The first missing cell, given by the indices of its row and of its variable.
    first_missing: Option<(usize, usize)>,
    /// A variable whose state is missing in every row.
    unseen: Option<usize>,
}

/// A distinct row of data with missing cells.
#[derive(Debug)]
pub(super) struct OpenRow {
    /// The index of the state of each variable in the row, or [`MISSING`].
    pub(super) cells: Box<[u32]>,
    pub(super) number: u32,
    pub(super) line: usize,
}

impl DataRows {
    /// Collects the distinct rows of `data` about `network`, in the order in which they first occur.
    ///
    /// **Errors.** An error if the data was read for the variables of another network.
    pub(super) fn new(
        network: &Network,
        data: &NetworkData,
    ) -> Result<Self, StructureLearningError> {
        let variables = network.variables();
        let mut rows = Self {
            complete: RowCounts {
                columns: vec![Vec::new(); variables.len()],
                states: variables.iter().map(|v| v.states().len()).collect(),
                numbers: Vec::new(),
                total: 0,
            },
            open: Vec::new(),
            missing_cells: 0,
            total: data.len() as u64,
            first_missing: None,
            unseen: None,
        };
        let mut places: FxHashMap<Box<[u32]>, usize> = FxHashMap::default();
        let mut is_seen = vec![data.is_empty(); variables.len()];
        let mut cells: Vec<u32> = Vec::with_capacity(variables.len());
        for (number, row) in data.rows().enumerate() {
            cells.clear();
            for (i, state) in row.enumerate() {
                let variable = variables
                    .get(i)
                    .ok_or_else(StructureLearningError::other_data)?;
                let Some(state) = state else {
                    rows.missing_cells += 1;
                    rows.first_missing.get_or_insert((number, i));
                    cells.push(MISSING);
                    continue;
                };
                if variable.states().get(state.index()) != Some(state) {
                    return Err(StructureLearningError::other_data());
                }
                is_seen[i] = true;
                cells.push(state.index() as u32);
            }
            if cells.len() != variables.len() {
                return Err(StructureLearningError::other_data());
            }
            rows.add(&cells, data.line(number), &mut places);
        }
        rows.unseen = is_seen.iter().position(|seen| !seen);
        Ok(rows)
    }

    /// Adds a data row with `cells` from the line `line`; `places` contains the index of each distinct row among the complete rows or among the rows
    /// with missing cells.
    fn add(&mut self, cells: &[u32], line: usize, places: &mut FxHashMap<Box<[u32]>, usize>) {
        let is_open = cells.contains(&MISSING);
        let complete = &mut self.complete;
        complete.total += u64::from(!is_open);
        if let Some(&place) = places.get(cells) {
            let count = if is_open {
                &mut self.open[place].number
            } else {
                &mut complete.numbers[place]
            };
            *count += 1;
        } else if is_open {
            places.insert(cells.into(), self.open.len());
            self.open.push(OpenRow {
                cells: cells.into(),
                number: 1,
                line,
            });
        } else {
            places.insert(cells.into(), complete.numbers.len());
            complete.numbers.push(1);
            for (column, &cell) in complete.columns.iter_mut().zip(cells) {
                column.push(cell);
            }
        }
    }

    /// **Errors.** An error if a variable has a state in no row of the data.
    pub(super) fn check_columns(&self, network: &Network) -> Result<(), StructureLearningError> {
        self.unseen.map_or(Ok(()), |variable| {
            let variable = network.variables()[variable].name();
            Err(StructureLearningError::missing_column(variable))
        })
    }
}

impl RowCounts {
    /// Collects the distinct rows of `data`, complete data about `network`, in the order in which they first occur.
    ///
    /// **Errors.** An error if a cell is missing, or if the data was read for the variables of another network.
    pub(super) fn new(
        network: &Network,
        data: &NetworkData,
    ) -> Result<Self, StructureLearningError> {
        let rows = DataRows::new(network, data)?;
        let Some((row, variable)) = rows.first_missing else {
            return Ok(rows.complete);
        };
        let name = network.variables()[variable].name();
        let is_empty = |row| data.row(row).nth(variable).flatten().is_none();
        if (0..data.len()).all(is_empty) {
            return Err(StructureLearningError::missing_column(name));
        }
        Err(StructureLearningError::missing_cell(data.line(row), name))
    }

    pub(super) fn column(&self, variable: u32) -> &[u32] {
        &self.columns[variable as usize]
    }

    /// Returns the number of times that each distinct row occurs.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }
}
