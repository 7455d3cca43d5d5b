//! Reads data about the variables of a network block by block, in bounded memory.

use std::io::Read;

use csv::StringRecord;
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};

use super::csv_records::CsvRecords;
use super::data_columns::DataColumns;
use super::encoding::undecodable;
use super::lexer::{LexerError, LexerResult};
use super::{Network, NetworkData, NetworkError};
use figrs_reading::{FileError, Mistake};

/// Number of bytes that are read from a stream of data at a time.
const BLOCK: usize = 1 << 16;
/// Maximum number of bytes of a single row of data.
const MOST_ROW: usize = 64 << 20;

/// Iterator that reads rows of data about the variables of a network in blocks of rows; memory holds only one block at a time.
///
/// All blocks of rows together are the data that [`Network::read_data`] returns; the format of the data and the errors are the same too. The method
/// [`Network::data_blocks`] creates the iterator over blocks of data.
///
/// ```
/// # use figrs_network::Network;
/// # let network = Network::from_bif("network n { } variable rain { type discrete [ 2 ] { yes, no }; }
/// #     probability ( rain ) { table 0.2, 0.8; }")?;
/// let text = format!("rain\n{}", "yes\nno\n".repeat(100_000));
/// let mut rows = 0;
/// for block in network.data_blocks(text.as_bytes(), "days.csv")? {
///     rows += block?.len();
/// }
/// assert_eq!(rows, 200_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NetworkDataBlocks<'n, R> {
    source: Source<R>,
    columns: DataColumns<'n>,
    separator: char,
    /// The path of the file, or a description of the stream, for error messages.
    place: String,
    /// The decoded text of rows of data that have not been parsed yet.
    text: String,
    /// Number of lines of the stream that come before the text in `text`.
    lines_before: usize,
    /// True after the last block of rows has been returned, or after an error.
    is_over: bool,
}

/// A stream of bytes, with the decoder that converts the bytes to text.
#[derive(Debug)]
struct Source<R> {
    stream: R,
    bytes: Vec<u8>,
    /// The decoder of the stream; `None` before the first bytes are read, because their byte order mark determines the encoding.
    decoder: Option<EncodingDecoder>,
    is_at_end: bool,
}

/// Wraps a decoder of the crate `encoding_rs`, because this decoder does not implement `Debug`.
struct EncodingDecoder(Decoder);

impl std::fmt::Debug for EncodingDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.encoding().name())
    }
}

/// Failure to read a stream: an error of its reader, or bytes that are not valid in the stream's encoding.
enum SourceFailure {
    Read(std::io::Error),
    Encoding(Mistake),
}

impl<R: Read> Source<R> {
    /// Reads at least one block, and at least as many bytes as `text` already has; even a long row is therefore scanned only a few times.
    fn read_as_much(&mut self, text: &mut String) -> Result<(), SourceFailure> {
        let enough = 2 * text.len();
        loop {
            self.read(text)?;
            if self.is_at_end || text.len() >= enough {
                return Ok(());
            }
        }
    }

    /// Decodes the next block of bytes of the stream and appends the decoded text to `text`.
    fn read(&mut self, text: &mut String) -> Result<(), SourceFailure> {
        self.bytes.clear();
        let mut limited = (&mut self.stream).take(BLOCK as u64);
        let read = limited.read_to_end(&mut self.bytes);
        self.is_at_end = read.map_err(SourceFailure::Read)? < BLOCK;
        let EncodingDecoder(decoder) = self.decoder.get_or_insert_with(|| {
            let marked = Encoding::for_bom(&self.bytes);
            let encoding = marked.map_or(UTF_8, |(encoding, _)| encoding);
            EncodingDecoder(encoding.new_decoder_with_bom_removal())
        });
        let most = decoder.max_utf8_buffer_length_without_replacement(self.bytes.len());
        text.reserve(most.unwrap_or(3 * BLOCK));
        let (result, _) =
            decoder.decode_to_string_without_replacement(&self.bytes, text, self.is_at_end);
        match result {
            DecoderResult::InputEmpty => Ok(()),
            _ => Err(SourceFailure::Encoding(undecodable(decoder.encoding()))),
        }
    }
}

impl Network {
    /// Reads data as [`read_data`](Self::read_data) does, but block by block from a stream of any length; errors name `place` as the origin of the
    /// data.
    ///
    /// **Errors.** The errors of [`read_data`](Self::read_data); the method `data_blocks` returns errors in the first line of the data, and its
    /// iterator returns errors in later lines.
    pub fn data_blocks<R: Read>(
        &self,
        stream: R,
        place: &str,
    ) -> Result<NetworkDataBlocks<'_, R>, NetworkError> {
        let mut source = Source {
            stream,
            bytes: Vec::new(),
            decoder: None,
            is_at_end: false,
        };
        let mut text = String::new();
        loop {
            if let Err(failure) = source.read_as_much(&mut text) {
                return Err(failure.within(&text, place, 0));
            }
            let is_last = source.is_at_end || text.len() > MOST_ROW;
            let first = self.first_line(&text, is_last);
            let first = first.map_err(|mistake| mistake.within(&text, place))?;
            if let Some((columns, separator, end)) = first {
                let mut blocks = NetworkDataBlocks {
                    source,
                    columns,
                    separator,
                    place: place.to_owned(),
                    text,
                    lines_before: 0,
                    is_over: false,
                };
                blocks.pass_over(end);
                return Ok(blocks);
            }
        }
    }

    /// Returns the columns named in the first line of the data, the separator and the offset of the end of this line; `None` if the line may continue
    /// after `text`.
    fn first_line(
        &self,
        text: &str,
        is_last: bool,
    ) -> LexerResult<Option<(DataColumns<'_>, char, usize)>> {
        let mut records = CsvRecords::new(text)?;
        let columns = DataColumns::read(self, &mut records);
        if !is_last && records.is_at_end() {
            return Ok(None);
        }
        Ok(Some((columns?, records.separator(), records.end())))
    }
}

impl<R> NetworkDataBlocks<'_, R> {
    /// Returns the indices of the variables that the first line of the data names, in the order of that line.
    pub fn columns(&self) -> &[usize] {
        self.columns.positions()
    }

    /// Drops the part of the text before the offset `end`, and counts the lines of this part.
    fn pass_over(&mut self, end: usize) {
        self.lines_before += self.text[..end].matches('\n').count();
        self.text.drain(..end);
    }

    /// Parses the complete rows of data in the text, and also returns the offset at which the last complete row ends.
    fn rows(&self, is_last: bool) -> LexerResult<(NetworkData, usize)> {
        let mut records = CsvRecords::separated_by(self.separator, &self.text)?;
        let (mut data, mut record) = (self.columns.data(), StringRecord::new());
        let mut end = 0;
        loop {
            let read = records.read(&mut record);
            // The last row is not parsed yet, because the row may continue in the next block.
            if !is_last && records.is_at_end() || !read? {
                break;
            }
            self.columns.add(&mut data, &records, &record)?;
            end = records.end();
        }
        for line in &mut data.lines {
            *line += self.lines_before;
        }
        Ok((data, end))
    }
}

impl<R: Read> NetworkDataBlocks<'_, R> {
    fn block(&mut self) -> Result<Option<NetworkData>, NetworkError> {
        let place = |mistake: LexerError, own: &Self| {
            moved(mistake.within(&own.text, &own.place), own.lines_before)
        };
        loop {
            if !self.source.is_at_end && self.text.len() < BLOCK {
                let read = self.source.read(&mut self.text);
                read.map_err(|failure| failure.within(&self.text, &self.place, self.lines_before))?;
            }
            let is_last = self.source.is_at_end || self.text.len() > MOST_ROW;
            let (data, end) = self.rows(is_last).map_err(|mistake| place(mistake, self))?;
            let end = if self.source.is_at_end {
                self.text.len()
            } else {
                end
            };
            self.pass_over(end);
            if !data.is_empty() || self.source.is_at_end {
                self.is_over = self.source.is_at_end;
                return Ok(Some(data).filter(|data| !data.is_empty()));
            }
            // The next row is longer than the text, so more bytes are read.
            let read = self.source.read_as_much(&mut self.text);
            read.map_err(|failure| failure.within(&self.text, &self.place, self.lines_before))?;
        }
    }
}

impl<R: Read> Iterator for NetworkDataBlocks<'_, R> {
    type Item = Result<NetworkData, NetworkError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let block = self.block();
        self.is_over |= block.is_err();
        block.transpose()
    }
}

impl SourceFailure {
    /// Returns the error to report for a failure at the end of `text`; `lines_before` is the number of lines of the stream before `text`.
    fn within(self, text: &str, place: &str, lines_before: usize) -> NetworkError {
        match self {
            Self::Read(cause) => FileError::unreadable(place, &cause).into(),
            Self::Encoding(problem) => {
                let mistake = LexerError::new(text.len(), problem);
                moved(mistake.within(text, place), lines_before)
            }
        }
    }
}

/// Returns the error `error` with its line number increased by `lines`, the number of lines before the text.
fn moved(mut error: NetworkError, lines: usize) -> NetworkError {
    if let NetworkError::File(error) = &mut error
        && let Some((line, _)) = &mut error.position
    {
        *line += lines;
    }
    error
}

#[cfg(test)]
mod tests;
