//! Writes draws as comma-separated values.

use std::io::{self, BufWriter, Write};

use figrs_infer::internals::{NumericColumns, NumericValue, numbers, text};
use figrs_infer::{Draws, TargetDraws};

use super::{check, names};

pub(super) fn write(draws: &Draws, writer: impl Write) -> io::Result<()> {
    check(draws)?;
    let mut out = BufWriter::new(writer);
    let cells: Vec<CsvCells> = draws.targets.iter().map(CsvCells::new).collect();
    let names = names(draws, &["chain", "draw", "log_weight"]);
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
    if draws.log_weights.is_some() {
        write!(out, ",log_weight")?;
    }
    write!(out, "\r\n")?;
    for at in 0..draws.chains * draws.length {
        write!(out, "{},{}", at / draws.length, at % draws.length)?;
        for (target, cells) in draws.targets.iter().zip(&cells) {
            write!(out, "{}", cells.rows[target.indices[at] as usize])?;
        }
        if let Some(logs) = &draws.log_weights {
            write!(out, ",{:?}", logs[at])?;
        }
        write!(out, "\r\n")?;
    }
    out.flush()
}

/// For each distinct value of a target, the cells of the table that represent this value.
struct CsvCells {
    /// Number of columns of the target, if its values are lists.
    components: Option<usize>,
    /// For each distinct value of the target, its cells in the CSV table, with a comma before each cell.
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

/// Returns the text of a CSV cell, in quotation marks if CSV requires them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into()
    }
}
