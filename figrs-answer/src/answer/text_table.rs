//! Text tables whose columns have fixed widths and are two spaces apart.

use std::fmt;

/// Alignment of the columns of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableAlignment {
    /// All columns are aligned to the left.
    Left,
    /// The first column is aligned to the left, and all other columns are aligned to the right.
    NumbersRight,
}

/// Writes a table as text. All rows of the table must have the same number of cells; the first row is the header.
pub fn write_table(
    f: &mut fmt::Formatter<'_>,
    lines: &[Vec<String>],
    alignment: TableAlignment,
) -> fmt::Result {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let gap = if column > 0 { "  " } else { "" };
            match alignment {
                TableAlignment::NumbersRight if column > 0 => write!(f, "{gap}{cell:>width$}")?,
                TableAlignment::Left if column + 1 == columns => write!(f, "{gap}{cell}")?,
                _ => write!(f, "{gap}{cell:width$}")?,
            }
        }
        writeln!(f)?;
    }
    Ok(())
}
