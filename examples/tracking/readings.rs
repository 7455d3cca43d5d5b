//! Readings from a file or a stream.

use std::io::BufRead;

use figrs_command::{Failure, column_of_cell};
use figrs_reading::{FileError, Mistake};

/// A reading of all coordinates; a missing coordinate is `None`.
pub(crate) type Reading = Vec<Option<f64>>;

/// The lines of a file or a stream of readings.
pub(crate) struct Readings<R> {
    lines: R,
    place: String,
    /// Number of lines that were read.
    line: usize,
    /// Number of columns of the readings, known after the first line.
    columns: Option<usize>,
}

impl<R: BufRead> Readings<R> {
    pub(crate) fn new(lines: R, place: String) -> Self {
        Self {
            lines,
            place,
            line: 0,
            columns: None,
        }
    }

    /// Returns the next reading; `None` at the end of the file or stream. A first line with the names of columns is skipped.
    pub(crate) fn next(&mut self) -> Result<Option<Reading>, Failure> {
        loop {
            let mut text = String::new();
            let read = self.lines.read_line(&mut text);
            if read.map_err(|error| format!("cannot read {}: {error}", self.place))? == 0 {
                return Ok(None);
            }
            self.line += 1;
            let text = text.trim_end_matches(['\n', '\r']);
            let cells = self.cells(text)?;
            let is_name = |cell: &String| !cell.is_empty() && cell.parse::<f64>().is_err();
            if self.columns.is_none() && cells.iter().all(is_name) {
                self.columns = Some(cells.len());
                continue;
            }
            let columns = *self.columns.get_or_insert(cells.len());
            if cells.len() == 1 && cells[0].is_empty() {
                return Ok(Some(vec![None; columns]));
            }
            if cells.len() != columns {
                let problem = format!(
                    "the line has {} cells, but the first line has {columns}",
                    cells.len()
                );
                let remedy = "write a cell for each column; leave a missing reading empty";
                return Err(self.wrong(problem, remedy, 1).into());
            }
            let number = |(index, cell): (usize, &String)| {
                if cell.is_empty() {
                    return Ok(None);
                }
                let number = cell.parse().ok().filter(|x: &f64| x.is_finite());
                number.map(Some).ok_or_else(|| {
                    let problem = format!("`{cell}` is not a finite number");
                    let column = column_of_cell(text, index);
                    self.wrong(problem, "leave a missing reading empty", column)
                })
            };
            let cells = cells.iter().enumerate();
            let reading: Result<Reading, FileError> = cells.map(number).collect();
            return Ok(Some(reading?));
        }
    }

    /// Splits a line of readings into cells.
    fn cells(&self, line: &str) -> Result<Vec<String>, FileError> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .trim(csv::Trim::All)
            .from_reader(line.as_bytes());
        match reader.records().next() {
            Some(Ok(record)) => Ok(record.iter().map(str::to_owned).collect()),
            Some(Err(error)) => {
                Err(self.wrong(error.to_string(), "write numbers, separated by commas", 1))
            }
            None => Ok(vec![String::new()]),
        }
    }

    /// Returns the error for the cell in column `column` of the last line that was read.
    fn wrong(&self, problem: String, remedy: &str, column: usize) -> FileError {
        Mistake::value(problem, remedy).at(&self.place, (self.line, column))
    }
}
