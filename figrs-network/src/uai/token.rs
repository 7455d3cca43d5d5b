//! The tokens of the UAI formats: words and numbers, separated by white space and comments.

use winnow::Parser;
use winnow::ascii::multispace0;
use winnow::token::take_till;

use super::super::lexer::{Input, LexerResult, expected, offset, unexpected};

/// Skips white space and comments. A comment in a UAI text is a line that begins with the word `c`.
fn space(input: &mut Input<'_>) -> LexerResult<()> {
    let mut begins_line = offset(input) == 0;
    loop {
        let blank: &str = multispace0.parse_next(input)?;
        begins_line |= blank.contains(['\n', '\r']);
        let mut rest = input.chars();
        let is_comment = begins_line
            && rest.next() == Some('c')
            && rest.next().is_none_or(|next| next.is_ascii_whitespace());
        if !is_comment {
            return Ok(());
        }
        take_till(0.., ['\n', '\r']).void().parse_next(input)?;
    }
}

/// Reads the characters up to the next white space.
pub(super) fn word<'t>(input: &mut Input<'t>, what: &'static str) -> LexerResult<(usize, &'t str)> {
    space(input)?;
    let at = offset(input);
    let word: &str = take_till(0.., |c: char| c.is_ascii_whitespace()).parse_next(input)?;
    if word.is_empty() {
        return Err(expected(input, what));
    }
    Ok((at, word))
}

/// Reads a non-negative integer: a count or an index.
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

/// Returns an error unless the text ends at the present offset.
pub(in super::super) fn end(input: &mut Input<'_>, what: &'static str) -> LexerResult<()> {
    space(input)?;
    if input.is_empty() {
        Ok(())
    } else {
        Err(expected(input, what))
    }
}
