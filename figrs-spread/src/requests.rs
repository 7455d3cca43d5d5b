//! Requests for parts on the standard input, and the parts on the standard output.

use std::io::{self, BufRead, Write};

use super::error::SpreadError;

/// A request for a part of one of the program's runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The place of the run among those of the program.
    pub(crate) place: u32,
    pub(crate) part: u64,
}

/// Answer to a request: a byte that says whether it is a part or an error.
const PART: u8 = 0;
const FAILED: u8 = 1;

impl Request {
    /// The next request; `None` at the end of the input.
    ///
    /// **Errors.** [`SpreadError::InvalidRequest`], [`SpreadError::File`].
    pub(crate) fn read(input: &mut impl BufRead) -> Result<Option<Self>, SpreadError> {
        let mut line = String::new();
        let read = input.read_line(&mut line);
        if read.map_err(SpreadError::of_file("standard input"))? == 0 {
            return Ok(None);
        }
        let numbers = line.trim().split_once(' ');
        let request = numbers.and_then(|(place, part)| {
            Some(Self {
                place: place.parse().ok()?,
                part: part.parse().ok()?,
            })
        });
        let line = line.trim().to_owned();
        request
            .ok_or(SpreadError::InvalidRequest { line })
            .map(Some)
    }
}

/// Writes the answer to a request: its length in eight bytes, least first, a byte that is 0 for a part and 1 for an error, and the part or
/// the text of the error.
pub(crate) fn answer(
    output: &mut impl Write,
    part: Result<&[u8], &SpreadError>,
) -> Result<(), SpreadError> {
    let text = part.map_err(ToString::to_string);
    let (kind, bytes) = match &text {
        Ok(part) => (PART, *part),
        Err(error) => (FAILED, error.as_bytes()),
    };
    let mut write = || -> io::Result<()> {
        output.write_all(&(bytes.len() as u64).to_le_bytes())?;
        output.write_all(&[kind])?;
        output.write_all(bytes)?;
        output.flush()
    };
    write().map_err(SpreadError::of_file("standard output"))
}
