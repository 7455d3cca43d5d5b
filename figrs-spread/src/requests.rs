//! Requests for parts of a run on the standard input, and answers with parts on the standard output.

use std::io::{self, BufRead, Write};

use super::error::SpreadError;

/// A request for a part of one of the program's runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The index of the run among the runs of the program.
    pub(crate) place: u32,
    pub(crate) part: u64,
    /// For a run that learns parameters, the bytes of the file that requests the expected counts of the present learning round; otherwise empty.
    pub(crate) round: Vec<u8>,
}

/// First byte of an answer that contains a part of a run. An answer that contains an error instead of a part begins with the byte `FAILED`.
const PART: u8 = 0;
const FAILED: u8 = 1;

impl Request {
    /// Reads the next request for a part; `None` at the end of the input.
    ///
    /// **Errors.** [`SpreadError::InvalidRequest`] if the line is not a request; [`SpreadError::File`] if the standard input cannot be read.
    pub(crate) fn read(input: &mut impl BufRead) -> Result<Option<Self>, SpreadError> {
        let mut line = String::new();
        let read = input.read_line(&mut line);
        if read.map_err(SpreadError::of_file("standard input"))? == 0 {
            return Ok(None);
        }
        let request = Self::parsed(&line).ok_or_else(|| SpreadError::InvalidRequest {
            line: line.trim().to_owned(),
        });
        request.map(Some)
    }

    fn parsed(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let request = Self {
            place: words.next()?.parse().ok()?,
            part: words.next()?.parse().ok()?,
            round: bytes(words.next().unwrap_or_default())?,
        };
        words.next().is_none().then_some(request)
    }
}

/// Parses hexadecimal digits as bytes.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
        _ => None,
    };
    pairs.map(byte).collect()
}

/// Writes the answer to a request for a part. The answer to a request has three fields: the length of the third field (eight bytes in little-endian
/// order); a byte that is 0 for a part and 1 for an error; the part, or the text of the error.
pub(crate) fn answer(part: Result<&[u8], &SpreadError>) -> Result<(), SpreadError> {
    // The output is locked only here, because the functions of the model may print from other threads.
    let mut output = io::stdout().lock();
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
