//! Tokens shared by the file formats that have names, quotation marks and brackets; each format defines its own separators.

use winnow::Parser;
use winnow::combinator::opt;
use winnow::stream::Stream;
use winnow::token::{any, take_till, take_while};

use super::lexer::{Input, LexerResult, expected, offset};

/// The rules by which the text of a file format is divided into tokens.
pub(super) trait Dialect {
    /// True if `c` separates tokens.
    fn separates(c: char) -> bool;

    /// Skips a comment; returns `false` if the next token is not a comment.
    fn comment(input: &mut Input<'_>) -> LexerResult<bool>;

    /// Reads the characters of a name without quotes; returns an empty text if there is no name.
    fn bare<'t>(input: &mut Input<'t>) -> LexerResult<&'t str>;

    /// Skips the separators of tokens.
    fn space(input: &mut Input<'_>) -> LexerResult<()> {
        loop {
            take_while(0.., Self::separates).void().parse_next(input)?;
            if !Self::comment(input)? {
                return Ok(());
            }
        }
    }

    /// Reads a name, with or without quotes.
    fn word<'t>(input: &mut Input<'t>, what: &'static str) -> LexerResult<(usize, &'t str)> {
        Self::space(input)?;
        let at = offset(input);
        if input.starts_with('"') {
            return Ok((at, quoted(input)?));
        }
        let bare = Self::bare(input)?;
        if bare.is_empty() {
            return Err(expected(input, what));
        }
        Ok((at, bare))
    }

    /// Reads the word at the beginning of the next block; `None` at the end of the text.
    fn next_word<'t>(
        input: &mut Input<'t>,
        what: &'static str,
    ) -> LexerResult<Option<(usize, &'t str)>> {
        Self::space(input)?;
        if input.is_empty() {
            return Ok(None);
        }
        Self::word(input, what).map(Some)
    }

    /// Reads the punctuation mark `mark` if it is the next token; otherwise reads nothing and returns `false`.
    fn mark(input: &mut Input<'_>, mark: char) -> LexerResult<bool> {
        Self::space(input)?;
        Ok(opt(mark).parse_next(input)?.is_some())
    }

    /// Reads the punctuation mark `it`; returns an error if the next token is something else.
    fn require(input: &mut Input<'_>, it: char, what: &'static str) -> LexerResult<()> {
        if Self::mark(input, it)? {
            Ok(())
        } else {
            Err(expected(input, what))
        }
    }
}

pub(super) fn quoted<'t>(input: &mut Input<'t>) -> LexerResult<&'t str> {
    let start = input.checkpoint();
    any.void().parse_next(input)?;
    let text = take_till(0.., ['"', '\n']).parse_next(input)?;
    if opt('"').parse_next(input)?.is_none() {
        input.reset(&start);
        return Err(expected(
            input,
            "a name that ends with `\"` on the same line",
        ));
    }
    Ok(text)
}

/// True if `c` is a rare kind of white space or the byte order mark that some editors write at the start of a
/// file.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
