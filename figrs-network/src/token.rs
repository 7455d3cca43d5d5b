//! Tokens shared by the formats that have names, quotation marks and brackets; each format defines its separators.

use winnow::Parser;
use winnow::combinator::opt;
use winnow::stream::Stream;
use winnow::token::{any, take_till, take_while};

use super::lexer::{Input, LexerResult, expected, offset};

/// The token rules of a format.
pub(super) trait Dialect {
    /// True if `c` separates tokens.
    fn separates(c: char) -> bool;

    /// Skips a comment; returns `false` if the next token is not a comment.
    fn comment(input: &mut Input<'_>) -> LexerResult<bool>;

    /// Reads the characters of a name without quotes; returns an empty text if there is no name.
    fn bare<'t>(input: &mut Input<'t>) -> LexerResult<&'t str>;
}

/// Skips the separators of tokens.
pub(super) fn space<D: Dialect>(input: &mut Input<'_>) -> LexerResult<()> {
    loop {
        take_while(0.., D::separates).void().parse_next(input)?;
        if !D::comment(input)? {
            return Ok(());
        }
    }
}

/// Reads a name, with or without quotes.
pub(super) fn word<'t, D: Dialect>(
    input: &mut Input<'t>,
    what: &'static str,
) -> LexerResult<(usize, &'t str)> {
    space::<D>(input)?;
    let at = offset(input);
    if input.starts_with('"') {
        return Ok((at, quoted(input)?));
    }
    let bare = D::bare(input)?;
    if bare.is_empty() {
        return Err(expected(input, what));
    }
    Ok((at, bare))
}

/// Reads the word at the beginning of the next block; `None` at the end of the text.
pub(super) fn next_word<'t, D: Dialect>(
    input: &mut Input<'t>,
    what: &'static str,
) -> LexerResult<Option<(usize, &'t str)>> {
    space::<D>(input)?;
    if input.is_empty() {
        return Ok(None);
    }
    word::<D>(input, what).map(Some)
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

/// Reads the punctuation mark `mark` if it is the next token; returns `false` otherwise.
pub(super) fn mark<D: Dialect>(input: &mut Input<'_>, mark: char) -> LexerResult<bool> {
    space::<D>(input)?;
    Ok(opt(mark).parse_next(input)?.is_some())
}

/// Reads the punctuation mark `it`; returns an error if the next token is another one.
pub(super) fn require<D: Dialect>(
    input: &mut Input<'_>,
    it: char,
    what: &'static str,
) -> LexerResult<()> {
    if mark::<D>(input, it)? {
        Ok(())
    } else {
        Err(expected(input, what))
    }
}

/// True if `c` is a rare kind of white space or the byte order mark that some editors write at the start of a
/// file.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
