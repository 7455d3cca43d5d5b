//! The columns of data about a network: the variables that the first line names, and the states in the cells of each column.

use csv::StringRecord;
use rustc_hash::FxHashMap;

use super::csv_records::{CsvRecords, is_missing};
use super::data::MISSING;
use super::lexer::{LexerError, LexerResult};
use super::mistakes;
use super::variable::{position_of, unknown_state};
use super::{Network, NetworkData, Variable};
use figrs_reading::{Mistake, MistakeKind};

/// The columns of a table of data about a network. A column relates its name in the first line to a variable of the network, and the texts in its
/// cells to states of this variable.
#[derive(Debug)]
pub(super) struct DataColumns<'n> {
    variables: &'n [Variable],
    /// For each column of the data, the index of its variable in the network.
    positions: Vec<usize>,
    /// For each column of the data, a map from the names of its variable's states to the indices of the states. A hash map is used because it is fast
    /// for columns with thousands of states.
    states: Vec<FxHashMap<&'n str, u32>>,
}

impl<'n> DataColumns<'n> {
    /// Reads the names of the columns from the first record; if the text has no record, the result has no columns.
    ///
    /// **Errors.** An error if a name in the record is not the name of a variable of the network, or if a name is repeated.
    pub(super) fn read(network: &'n Network, records: &mut CsvRecords<'_>) -> LexerResult<Self> {
        let variables = &network.variables;
        let (mut header, mut positions) = (StringRecord::new(), Vec::new());
        if records.read(&mut header)? {
            for (i, name) in header.iter().enumerate() {
                let at = || records.field_start(&header, i);
                let position = position_of(&network.index, variables, name);
                let position = position.map_err(|unknown| LexerError::new(at(), unknown))?;
                if positions.contains(&position) {
                    let mistake = mistakes::repeated(format_args!("the column `{name}` occurs"));
                    return Err(LexerError::new(at(), mistake));
                }
                positions.push(position);
            }
        }
        let states = positions.iter().map(|&column| {
            let states = variables[column].states.iter().zip(0..);
            states.map(|(state, at)| (state.name(), at)).collect()
        });
        Ok(Self {
            variables,
            states: states.collect(),
            positions,
        })
    }

    pub(super) fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// Creates an empty table of data about the network.
    pub(super) fn data(&self) -> NetworkData {
        NetworkData {
            states: self.variables.iter().map(|v| v.states.clone()).collect(),
            ..NetworkData::default()
        }
    }

    /// Adds the row of data that `record` contains to the table `data`.
    ///
    /// **Errors.** An error if the number of cells in the record differs from the number of columns, or if a cell contains a state that the variable
    /// does not have.
    pub(super) fn add(
        &self,
        data: &mut NetworkData,
        records: &CsvRecords<'_>,
        record: &StringRecord,
    ) -> LexerResult<()> {
        if record.len() != self.positions.len() {
            let (found, needed) = (record.len(), self.positions.len());
            let problem = format!("cells in this row: {found}, columns: {needed}");
            let remedy = "make them agree, and leave a missing cell empty";
            let mistake = Mistake::new(MistakeKind::Count, problem, remedy);
            return Err(LexerError::new(records.field_start(record, 0), mistake));
        }
        let first = data.cells.len();
        data.cells.resize(first + self.variables.len(), MISSING);
        for (i, (cell, &column)) in record.iter().zip(&self.positions).enumerate() {
            match self.states[i].get(cell) {
                Some(&state) => data.cells[first + column] = state,
                None if is_missing(cell) => {}
                None => {
                    let problem = unknown_state(&self.variables[column], cell);
                    return Err(LexerError::new(records.field_start(record, i), problem));
                }
            }
        }
        data.lines.push(records.line(record));
        Ok(())
    }
}
