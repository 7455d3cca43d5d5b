//! Parses the tokens of NET.

use winnow::Parser;
use winnow::ascii::till_line_ending;
use winnow::token::{take_till, take_while};

use super::super::lexer::{Input, LexerResult, expected};
pub(super) use super::super::token::Dialect;
use super::super::token::is_blank;

/// The token rules of NET, where white space separates tokens and a comment begins with `%`.
pub(super) struct Net;

impl Dialect for Net {
    fn separates(c: char) -> bool {
        is_blank(c)
    }

    fn comment(input: &mut Input<'_>) -> LexerResult<bool> {
        let is_comment = input.starts_with('%');
        if is_comment {
            till_line_ending.void().parse_next(input)?;
        }
        Ok(is_comment)
    }

    fn bare<'t>(input: &mut Input<'t>) -> LexerResult<&'t str> {
        take_while(0.., is_bare).parse_next(input)
    }
}

fn is_bare(c: char) -> bool {
    let is_mark = matches!(c, '{' | '}' | '(' | ')' | ';' | '=' | '|' | '"' | '%' | ',');
    !is_mark && !is_blank(c)
}

/// Skips the value of an attribute, including its semicolon. A quoted text in the value of an attribute may have several lines.
pub(super) fn value(input: &mut Input<'_>) -> LexerResult<()> {
    loop {
        take_till(0.., [';', '"', '%']).void().parse_next(input)?;
        if input.starts_with('"') {
            let start = *input;
            ('"', take_till(0.., '"')).void().parse_next(input)?;
            if !Net::mark(input, '"')? {
                return Err(expected(&start, "a text that ends with `\"`"));
            }
        } else if !Net::comment(input)? {
            return Net::require(input, ';', "`;` at the end of the attribute");
        }
    }
}
