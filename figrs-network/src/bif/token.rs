//! Parses the tokens of BIF, a text format of Bayesian networks.
//!
//! Commas, vertical bars and comments are treated as space between tokens, as the BIF format specifies.

use winnow::Parser;
use winnow::ascii::till_line_ending;
use winnow::combinator::opt;
use winnow::stream::Stream;
use winnow::token::{any, take_till, take_until, take_while};

use super::super::lexer::{Input, LexerResult, expected, weight};
pub(super) use super::super::token::Dialect;
use super::super::token::{is_blank, quoted};

pub(super) struct Bif;

impl Dialect for Bif {
    #[inline]
    fn separates(c: char) -> bool {
        matches!(c, ' ' | '\n' | '\r' | '\t' | ',' | '|') || is_blank(c)
    }

    fn comment(input: &mut Input<'_>) -> LexerResult<bool> {
        comment(input)
    }

    fn bare<'t>(input: &mut Input<'t>) -> LexerResult<&'t str> {
        bare(input)
    }
}

fn comment(input: &mut Input<'_>) -> LexerResult<bool> {
    if input.starts_with("//") {
        till_line_ending.void().parse_next(input)?;
        return Ok(true);
    }
    if !input.starts_with("/*") {
        return Ok(false);
    }
    let whole = (take_until(2.., "*/"), "*/").void();
    match opt(whole).parse_next(input)? {
        Some(()) => Ok(true),
        None => Err(expected(input, "a comment that ends with `*/`")),
    }
}

pub(super) fn bare<'t>(input: &mut Input<'t>) -> LexerResult<&'t str> {
    let start = input.checkpoint();
    let mut length = 0;
    loop {
        length += take_while(0.., |c| is_bare(c) && c != '/')
            .parse_next(input)?
            .len();
        if !input.starts_with('/') || input.starts_with("//") || input.starts_with("/*") {
            break;
        }
        length += '/'.len_utf8();
        any.void().parse_next(input)?;
    }
    input.reset(&start);
    Ok(input.next_slice(length))
}

/// Bit set of the ASCII characters that a BIF name without quotes may contain.
const UNQUOTED_CHARACTERS: u128 = {
    let mut bits = 0;
    let mut c = b'!';
    while c <= b'~' {
        let other = matches!(
            c,
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b',' | b'|' | b'"'
        );
        if !other {
            bits |= 1 << c;
        }
        c += 1;
    }
    bits
};

/// True if a BIF name without quotes may contain the character `c`.
#[inline]
pub(super) fn is_bare(c: char) -> bool {
    if c.is_ascii() {
        UNQUOTED_CHARACTERS >> (c as u32) & 1 == 1
    } else {
        !is_blank(c)
    }
}

pub(super) fn number(input: &mut Input<'_>) -> LexerResult<f64> {
    let (at, digits) = Bif::word(input, "a number")?;
    weight(at, digits)
}

/// Skips a property in a BIF file, from the word after `property` to its semicolon.
pub(super) fn property(input: &mut Input<'_>) -> LexerResult<()> {
    loop {
        take_till(0.., [';', '"']).void().parse_next(input)?;
        if input.starts_with('"') {
            quoted(input)?;
        } else {
            return Bif::require(input, ';', "`;` at the end of the property");
        }
    }
}

/// Skips the text to the end of a BIF block, including the closing brace.
pub(super) fn rest_of_block(input: &mut Input<'_>) -> LexerResult<()> {
    loop {
        take_till(0.., ['"', '}', '/']).void().parse_next(input)?;
        if input.starts_with('"') {
            quoted(input)?;
        } else if !input.starts_with('/') {
            return Bif::require(input, '}', "`}` at the end of the block");
        } else if !comment(input)? {
            any.void().parse_next(input)?;
        }
    }
}
