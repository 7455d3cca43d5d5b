//! Draws as comma-separated values.

use std::io::{self, BufWriter, Write};

use crate::answer::draws::{Draws, TargetDraws};
use crate::answer::numeric::{NumericColumns, NumericValue, numbers};

use super::text;

impl Draws {
    /// Writes a table of comma-separated values (RFC 4180, lines end with CR LF) with a line a draw.
    ///
    /// The columns are `chain` and `draw`, counted from zero; one for each target, under its name, or under what built it and
    /// where if it has none; and `log_weight` where draws are weighted. A list of numbers has a column for each,
    /// `name[0]`, `name[1]` and so on, if all have the same length. Floating-point numbers keep all their digits, strings are
    /// written as they are, and other values as `Debug` shows them. Names that occur again are numbered: `coin (2)`.
    ///
    /// **Errors.** Those of the writer; [`InvalidInput`](io::ErrorKind::InvalidInput) if the numbers of draws do not fit
    /// together.
    pub fn write_csv(&self, writer: impl Write) -> io::Result<()> {
        self.check()?;
        let mut out = BufWriter::new(writer);
        let cells: Vec<CsvCells> = self.targets.iter().map(CsvCells::new).collect();
        let names = self.names(&["chain", "draw", "log_weight"]);
        write!(out, "chain,draw")?;
        for (name, cells) in names.iter().zip(&cells) {
            match cells.components {
                None => write!(out, ",{}", quoted(name))?,
                Some(count) => {
                    for i in 0..count {
                        write!(out, ",{}", quoted(&format!("{name}[{i}]")))?;
                    }
                }
            }
        }
        if self.log_weights.is_some() {
            write!(out, ",log_weight")?;
        }
        write!(out, "\r\n")?;
        for at in 0..self.chains * self.length {
            write!(out, "{},{}", at / self.length, at % self.length)?;
            for (target, cells) in self.targets.iter().zip(&cells) {
                write!(out, "{}", cells.rows[target.indices[at] as usize])?;
            }
            if let Some(logs) = &self.log_weights {
                write!(out, ",{:?}", logs[at])?;
            }
            write!(out, "\r\n")?;
        }
        out.flush()
    }
}

/// Cells of the values of a target.
struct CsvCells {
    /// Number of columns of a list.
    components: Option<usize>,
    /// Every cell after a comma.
    rows: Vec<String>,
}

impl CsvCells {
    fn new(target: &TargetDraws) -> Self {
        let support = &target.support;
        let columns = NumericColumns::new((0..support.len()).map(|i| support.any(i)));
        let is_list = |i| matches!(numbers(support.any(i)), Some(NumericValue::List(_)));
        if !columns.is_empty() && is_list(0) {
            let row = |i: usize| {
                let numbers = columns.iter().map(|column| format!("{:?}", column[i]));
                format!(",{}", numbers.collect::<Vec<String>>().join(","))
            };
            return Self {
                components: Some(columns.iter().count()),
                rows: (0..support.len()).map(row).collect(),
            };
        }
        let row = |i| format!(",{}", quoted(&text(&support.datum(i))));
        Self {
            components: None,
            rows: (0..support.len()).map(row).collect(),
        }
    }
}

/// The cell with quotation marks around it if it needs them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into()
    }
}
