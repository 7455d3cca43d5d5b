//! The tokens of the UAI formats: words and numbers between white space.

use winnow::Parser;
use winnow::ascii::multispace0;
use winnow::token::take_till;

use super::super::lexer::{Input, LexerResult, expected, offset, unexpected};

/// The characters up to the next white space.
pub(super) fn word<'t>(input: &mut Input<'t>, what: &'static str) -> LexerResult<(usize, &'t str)> {
    multispace0.void().parse_next(input)?;
    let at = offset(input);
    let word: &str = take_till(0.., |c: char| c.is_ascii_whitespace()).parse_next(input)?;
    if word.is_empty() {
        return Err(expected(input, what));
    }
    Ok((at, word))
}

/// A number of things, or an index.
pub(in super::super) fn count(
    input: &mut Input<'_>,
    what: &'static str,
) -> LexerResult<(usize, usize)> {
    let (at, digits) = word(input, what)?;
    match digits.parse() {
        Ok(count) => Ok((at, count)),
        Err(_) => Err(unexpected(at, digits, what)),
    }
}

/// Checks that the text ends.
pub(in super::super) fn end(input: &mut Input<'_>, what: &'static str) -> LexerResult<()> {
    multispace0.void().parse_next(input)?;
    if input.is_empty() {
        Ok(())
    } else {
        Err(expected(input, what))
    }
}
