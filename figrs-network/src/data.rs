//! Tables of data about the variables of a network.

use std::path::Path;

use csv::StringRecord;
use figrs_core::States;

use super::csv_records::CsvRecords;
use super::data_columns::DataColumns;
use super::lexer::LexerResult;
use super::reader::read_text;
use super::{Network, NetworkError, State};

/// Rows of data about the variables of a [`Network`]; each row gives a state for each variable, or marks the state as
/// missing.
///
/// ```
/// # use figrs_network::Network;
/// # let network = Network::from_bif("network n { } variable rain { type discrete [ 2 ] { yes, no }; }
/// #     variable grass { type discrete [ 2 ] { wet, dry }; }
/// #     probability ( rain ) { table 0.2, 0.8; } probability ( grass ) { table 0.5, 0.5; }")?;
/// let data = network.data_from_csv("grass,rain\nwet,yes\n,no\n")?;
/// let row: Vec<String> = data.row(1).map(|state| format!("{state:?}")).collect();
/// assert_eq!((data.len(), row.join(" ")), (2, "Some(no) None".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NetworkData {
    pub(super) states: Vec<States<State>>,
    /// For each row of data, the index of the state of each variable; the rows are stored one after another.
    pub(super) cells: Vec<u32>,
    /// The line of each row in the data file; the first line has the number 1.
    pub(super) lines: Vec<usize>,
}

/// The number in `cells` that stands for a missing state.
pub(super) const MISSING: u32 = u32::MAX;

impl NetworkData {
    /// Returns the number of rows of the data.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// True if the data has no rows.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the states in the row of data `row`, one for each variable of the network, in the order of the variables.
    pub fn row(&self, row: usize) -> impl Iterator<Item = Option<&State>> {
        let width = self.states.len();
        let cells = self.cells[row * width..][..width].iter();
        let states = self.states.iter();
        cells
            .zip(states)
            .map(|(&cell, states)| states.get(cell as usize))
    }

    /// Returns the state of `variable` in the row of data `row`; `None` if the state is missing.
    pub(super) fn cell(&self, row: usize, variable: usize) -> Option<&State> {
        let cell = self.cells[row * self.states.len() + variable];
        self.states[variable].get(cell as usize)
    }

    /// Iterates over all rows.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = Option<&State>>> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// Returns the line of the row `row` in the data file; the first line has the number 1.
    pub fn line(&self, row: usize) -> usize {
        self.lines[row]
    }
}

impl Network {
    /// Reads a table of data from a file of comma-separated values. The first line of the data contains the names of variables, and each other line
    /// contains a state for each variable. The state in a cell of the data is missing if the cell is empty, or is a mark of missing values: `NA`,
    /// `?`, `nan`, `None`, `NULL`, `N/A`, `#N/A` or `<NA>`, unless a state has this name. If the first line of the data has no comma, the cells are
    /// separated by semicolons or tabs. If the name of a variable is not in the first line of the data, the state of the variable is missing in every
    /// row.
    ///
    /// **Errors.** [`NetworkError::File`] if the data file cannot be read. [`NetworkError::File`] with line and column if a variable or state in the
    /// data is not in the network, if the number of cells in a line differs from the first line, if a quotation mark is not closed, or if the text
    /// contains a control character, such as NUL.
    pub fn read_data(&self, path: impl AsRef<Path>) -> Result<NetworkData, NetworkError> {
        let path = path.as_ref();
        let text = read_text(path)?;
        self.data(&text)
            .map_err(|mistake| mistake.within(&text, &path.display().to_string()))
    }

    /// Reads a table of data from a text, in the same way as [`read_data`](Self::read_data) from a file.
    ///
    /// **Errors.** The errors of [`read_data`](Self::read_data) for mistakes in the text.
    pub fn data_from_csv(&self, text: &str) -> Result<NetworkData, NetworkError> {
        self.data(text)
            .map_err(|mistake| mistake.within(text, "CSV"))
    }

    pub(super) fn data(&self, text: &str) -> LexerResult<NetworkData> {
        let mut records = CsvRecords::new(text)?;
        let columns = DataColumns::read(self, &mut records)?;
        let (mut data, mut record) = (columns.data(), StringRecord::new());
        while records.read(&mut record)? {
            columns.add(&mut data, &records, &record)?;
        }
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_takes_four_bytes_whatever_the_name_of_its_state() -> Result<(), NetworkError> {
        let long = "x".repeat(40);
        let line = format!("{long},no,NA\n");
        let text = format!("a,b,c\n,yes,0\n{}", line.repeat(1000));
        let (_, data) = Network::from_data_csv(&text)?;
        assert_eq!(size_of_val(&data.cells[..]), 4 * 3 * 1001);
        let names = |row| data.row(row).map(|state| state.map(State::name));
        assert_eq!(names(0).collect::<Vec<_>>(), [None, Some("yes"), Some("0")]);
        let last = [Some(&long[..]), Some("no"), None];
        assert_eq!(names(1000).collect::<Vec<_>>(), last);
        assert_eq!((data.line(0), data.line(1000)), (2, 1002));
        Ok(())
    }
}
