//! Reads records of comma-separated values, with the offsets of their fields in the text.

use csv::{Reader, ReaderBuilder, StringRecord};

use super::lexer::{LexerError, LexerResult};
use figrs_reading::{Mistake, MistakeKind};

/// The texts that mark missing values in files written by R, Weka, Python, databases and spreadsheets.
const MISSING: [&str; 15] = [
    "", "NA", "?", "nan", "NaN", "NAN", "-nan", "None", "NULL", "Null", "null", "N/A", "n/a",
    "#N/A", "<NA>",
];

/// True if the text `cell` marks a missing value, provided that `cell` is not the name of a state.
pub(super) fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell)
}

/// The records of a text whose values are separated by commas or, if the first line has no comma, by semicolons or tabs.
pub(super) struct CsvRecords<'t> {
    text: &'t str,
    separator: char,
    reader: Reader<&'t [u8]>,
}

impl<'t> CsvRecords<'t> {
    /// **Errors.** An error if the text of the records contains a control character, such as NUL.
    pub(super) fn new(text: &'t str) -> LexerResult<Self> {
        Self::separated_by(separator(text), text)
    }

    /// Creates the records of `text`, whose values are separated by the character `separator`.
    ///
    /// **Errors.** An error if the text of the records contains a control character, such as NUL.
    pub(super) fn separated_by(separator: char, text: &'t str) -> LexerResult<Self> {
        let is_of_text =
            |letter: char| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r');
        if let Some((at, letter)) = text.char_indices().find(|(_, letter)| !is_of_text(*letter)) {
            let problem =
                format!("the character {letter:?} cannot occur in comma-separated values");
            let mistake = Mistake::new(MistakeKind::Syntax, problem, "give a file of text");
            return Err(LexerError::new(at, mistake));
        }
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true);
        builder.delimiter(separator as u8);
        Ok(Self {
            text,
            separator,
            reader: builder.from_reader(text.as_bytes()),
        })
    }

    /// Reads the next record of comma-separated values into `record`; returns `false` at the end of the text.
    ///
    /// **Errors.** An error if a quotation mark in the record is not closed.
    pub(super) fn read(&mut self, record: &mut StringRecord) -> LexerResult<bool> {
        let is_read = self.reader.read_record(record).map_err(|error| {
            let at = error.position().map_or(0, |place| place.byte() as usize);
            let problem = format!("not comma-separated values: {error}");
            LexerError::new(at, Mistake::new(MistakeKind::Syntax, problem, ""))
        })?;
        if is_read && self.is_at_end() {
            let start = record.position().map_or(0, |place| place.byte() as usize);
            let last = Fields::new(&self.text[start..], self.separator).last();
            if let Some(field) = last.filter(|field| !field.is_closed) {
                let problem = "the quote that begins here does not end";
                let remedy = "add a `\"`, or write `\"\"` for a quote in a cell";
                let mistake = Mistake::new(MistakeKind::Syntax, problem, remedy);
                return Err(LexerError::new(start + field.start, mistake));
            }
        }
        Ok(is_read)
    }

    pub(super) fn separator(&self) -> char {
        self.separator
    }

    /// Returns the offset in the text at which the record that was read last ends.
    pub(super) fn end(&self) -> usize {
        self.reader.position().byte() as usize
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.end() == self.text.len()
    }

    pub(super) fn line(&self, record: &StringRecord) -> usize {
        // The reported position of a record is before any empty lines above the record, so these lines are counted too.
        let begin = record.position().map_or((0, 1), |p| (p.byte(), p.line()));
        let above = &self.text[begin.0 as usize..self.field_start(record, 0)];
        begin.1 as usize + above.matches('\n').count()
    }

    /// Returns the offset in the text at which the field with the index `field` of `record` begins.
    pub(super) fn field_start(&self, record: &StringRecord, field: usize) -> usize {
        let start = record.position().map_or(0, |place| place.byte() as usize);
        let rest = &self.text[start..];
        // Empty lines before the record are skipped.
        let start = start + rest.len() - rest.trim_start_matches(['\n', '\r']).len();
        let found = Fields::new(&self.text[start..], self.separator).nth(field);
        found.map_or(start, |field| start + field.start)
    }
}

/// Returns the character that separates the values of the first record: a comma or, if the record has no comma, a semicolon or tab.
fn separator(text: &str) -> char {
    let first = text.trim_start_matches(['\n', '\r']);
    let separates = |separator: &char| Fields::new(first, *separator).count() > 1;
    [',', ';', '\t'].into_iter().find(separates).unwrap_or(',')
}

/// Iterator over the fields (values) of the record at the beginning of a text.
struct Fields<'t> {
    text: &'t str,
    separator: char,
    /// Offset in the text of the next field; `None` after the last field.
    at: Option<usize>,
}

/// The place of a field (value) in the text of a record.
struct Field {
    start: usize,
    /// False if the field begins with a quotation mark but has no closing quotation mark.
    is_closed: bool,
}

impl<'t> Fields<'t> {
    fn new(text: &'t str, separator: char) -> Self {
        let at = Some(0);
        Self {
            text,
            separator,
            at,
        }
    }

    /// For a field that begins with a quotation mark at `start`, returns the offset after its closing quotation mark; `None` if the field has no
    /// closing mark.
    fn after_quotes(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while self.text[at..].starts_with('"') {
            // A doubled quotation mark represents one mark within the field, so the field continues.
            at = at + 1 + self.text[at + 1..].find('"')? + 1;
        }
        Some(at)
    }
}

impl Iterator for Fields<'_> {
    type Item = Field;

    fn next(&mut self) -> Option<Field> {
        let start = self.at.take()?;
        let Some(after) = self.after_quotes(start) else {
            let is_closed = false;
            return Some(Field { start, is_closed });
        };
        let rest = &self.text[after..];
        let end = rest.find([self.separator, '\n', '\r']);
        let end = end.filter(|&end| rest[end..].starts_with(self.separator));
        self.at = end.map(|end| after + end + 1);
        let is_closed = true;
        Some(Field { start, is_closed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_begin_after_separators_outside_of_quotes() {
        let starts = |text| {
            let fields = Fields::new(text, ',');
            fields.map(|field| field.start).collect::<Vec<_>>()
        };
        assert_eq!(starts("a,b\nc,d"), [0, 2]);
        assert_eq!(starts("\"a,\"\"\n\",b,"), [0, 8, 10]);
        assert_eq!(starts("5\" pipe,\"x\"y\",z"), [0, 8, 14]);
        let last = |text| Fields::new(text, ',').last().unwrap();
        assert!(last("a,\"b\"\"").start == 2 && !last("a,\"b\"\"").is_closed);
        assert!(last("a,5\" pipe").is_closed && last("").is_closed);
    }

    #[test]
    fn the_first_line_tells_the_separator() {
        for (text, expected) in [
            ("a,b;c\n", ','),
            ("\n\"a,b\";c", ';'),
            ("a\tb\nc,d", '\t'),
            ("a", ','),
            ("", ','),
        ] {
            assert_eq!(separator(text), expected, "{text:?}");
        }
    }
}
