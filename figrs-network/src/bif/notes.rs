//! Skips the text between the blocks of a BIF file, because the format ignores this text.

use figrs_core::internals::edit_distance;
use winnow::Parser;
use winnow::token::any;

use super::super::lexer::{Input, LexerResult, expected, offset, unexpected};
use super::token::{Bif, Dialect, bare};

pub(super) const BLOCKS: &str = "`network`, `variable` or `probability`";

/// Kind of a BIF block, which is given by its first word.
#[derive(Clone, Copy)]
pub(super) enum BlockKind {
    Network,
    Variable,
    Probability,
}

impl BlockKind {
    const ALL: [(&str, Self); 3] = [
        ("network", Self::Network),
        ("variable", Self::Variable),
        ("probability", Self::Probability),
    ];

    /// True if the text after the first word has the form of a BIF block of this kind: a name or a list of variables, and an opening brace.
    fn goes_on(self, input: &Input<'_>) -> bool {
        let mut input = *input;
        let begins = |input: &mut Input<'_>, it| Bif::mark(input, it).unwrap_or(false);
        match self {
            Self::Network if begins(&mut input, '{') => true,
            Self::Network | Self::Variable => {
                Bif::word(&mut input, "a name").is_ok() && begins(&mut input, '{')
            }
            Self::Probability => begins(&mut input, '('),
        }
    }
}

/// Skips text up to the next block of a BIF file, and skips the first word of this block; returns `None` at the end of the text.
///
/// **Errors.** An error if the text seems to be a BIF block with a mistake: a misspelt first word, a first word on a line that opens a brace or is
/// the last line, or a closing brace without an opening one.
pub(super) fn next_block(input: &mut Input<'_>) -> LexerResult<Option<BlockKind>> {
    let mut is_line_start = true;
    let mut depth = 0usize;
    loop {
        let before = *input;
        Bif::space(input)?;
        if input.is_empty() {
            return Ok(None);
        }
        let skipped = &before[..offset(input) - offset(&before)];
        is_line_start |= skipped.contains('\n');
        let at = offset(input);
        let start = *input;
        let found = bare(input)?;
        for (first, kind) in BlockKind::ALL {
            if found == first {
                let line = input.lines().next().unwrap_or_default();
                let is_last = input.trim().is_empty();
                if kind.goes_on(input) || is_line_start && (is_last || line.contains('{')) {
                    return Ok(Some(kind));
                }
            } else if edit_distance(found, first) <= 2 && kind.goes_on(input) {
                return Err(unexpected(at, found, BLOCKS));
            }
        }
        if found.is_empty() {
            match any.parse_next(input)? {
                '{' => depth += 1,
                '}' if depth == 0 => return Err(expected(&start, BLOCKS)),
                '}' => depth -= 1,
                _ => {}
            }
        }
        is_line_start = false;
    }
}
