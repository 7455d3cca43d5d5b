//! Ranges on the command line: columns, numbers and shares of tiles, and sizes of rooms.

use std::ops::Range;

use figrs_models::mdmc::Rooms;

/// Parses a tile with a range of numbers such as `E=5..10`, or with one number such as `E=5`.
///
/// **Errors.** The text has another form, or the first number is larger than the second.
pub fn count(text: &str) -> Result<(char, Range<usize>), String> {
    let (tile, numbers) = range::<usize>(text)?;
    if numbers.start > numbers.end {
        return Err("write the smaller number first".into());
    }
    Ok((tile, numbers))
}

/// Parses a tile with the smallest and the largest share of all cells, such as `o=0.01..0.05`.
///
/// **Errors.** The text has another form, or a number is not between 0 and 1.
pub fn density(text: &str) -> Result<(char, Range<f64>), String> {
    let (tile, shares) = range::<f64>(text)?;
    if (0.0..=1.0).contains(&shares.start) && (shares.start..=1.0).contains(&shares.end) {
        Ok((tile, shares))
    } else {
        Err("write shares from 0 to 1, the smaller one first".into())
    }
}

/// Parses a range of columns such as `20..30`, whose last number is excluded.
///
/// **Errors.** The text has another form, or the range is empty.
pub fn columns(text: &str) -> Result<Range<usize>, String> {
    let (from, to) = text
        .split_once("..")
        .ok_or("write a range such as 20..30")?;
    let number = |text: &str| {
        text.parse()
            .map_err(|_| "write two whole numbers, such as 20..30")
    };
    let columns: Range<usize> = number(from)?..number(to)?;
    if columns.is_empty() {
        return Err("the second number must be larger than the first".into());
    }
    Ok(columns)
}

/// Parses the size of rooms, such as `16x11` for 16 rows and 11 columns, or the word `outside`.
///
/// **Errors.** The text has another form, or a room has no cells.
pub fn rooms(text: &str) -> Result<Rooms, String> {
    if text == "outside" {
        return Ok(Rooms::Apart);
    }
    let sides = text.split_once('x');
    let sides = sides.and_then(|(rows, columns)| {
        let (rows, columns) = (rows.parse().ok()?, columns.parse().ok()?);
        (rows > 0 && columns > 0).then_some(Rooms::Sized { rows, columns })
    });
    sides.ok_or_else(|| "write rows and columns, such as 16x11, or outside".to_owned())
}

fn range<T: std::str::FromStr>(text: &str) -> Result<(char, Range<T>), String> {
    let form = "write a tile and one or two numbers, such as E=5 or E=5..10";
    let (tile, numbers) = text.split_once('=').ok_or(form)?;
    let (from, to) = numbers.split_once("..").unwrap_or((numbers, numbers));
    let mut symbols = tile.chars();
    let (Some(symbol), None) = (symbols.next(), symbols.next()) else {
        return Err(form.into());
    };
    let number = |text: &str| {
        text.parse()
            .map_err(|_| format!("{text:?} is not a valid number; {form}"))
    };
    Ok((symbol, number(from)?..number(to)?))
}
