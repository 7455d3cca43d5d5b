//! Lexing shared by the readers of all text formats: input, errors, words and numbers.

use winnow::error::ParserError;
use winnow::stream::{LocatingSlice, Location};

use super::{NetworkError, TextProblem};
use figrs_reading::LineIndex;

pub(super) type Input<'t> = LocatingSlice<&'t str>;
pub(super) type LexerResult<T> = Result<T, LexerError>;

/// A syntax error, given by its problem and its offset in the text.
#[derive(Debug)]
pub(super) struct LexerError {
    offset: usize,
    /// The problem; `None` while the parser may still try an alternative syntax.
    problem: Option<Box<TextProblem>>,
}

impl LexerError {
    pub(super) fn new(offset: usize, problem: impl Into<TextProblem>) -> Self {
        Self {
            offset,
            problem: Some(Box::new(problem.into())),
        }
    }

    /// Returns the error to report, with line and column in `text`.
    pub(super) fn within(self, text: &str, place: &str) -> NetworkError {
        let (line, column) = LineIndex::new(text).at(self.offset);
        let problem = self.problem.unwrap_or_else(|| {
            Box::new(TextProblem::Expected {
                expected: "another token",
                found: found(&text[self.offset..]),
            })
        });
        NetworkError::Text {
            place: place.into(),
            line,
            column,
            problem,
        }
    }
}

impl<'t> ParserError<Input<'t>> for LexerError {
    type Inner = Self;

    fn from_input(input: &Input<'t>) -> Self {
        Self {
            offset: offset(input),
            problem: None,
        }
    }

    fn is_backtrack(&self) -> bool {
        self.problem.is_none()
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// Returns the offset in bytes of the input that is still unread.
pub(super) fn offset(input: &Input<'_>) -> usize {
    input.current_token_start()
}

/// Returns the error which states that the syntax requires `expected` at the present position.
pub(super) fn expected(input: &Input<'_>, expected: &'static str) -> LexerError {
    let found = found(input);
    LexerError::new(offset(input), TextProblem::Expected { expected, found })
}

/// Returns the error which states that the syntax requires `expected` instead of a word.
pub(super) fn unexpected(at: usize, word: &str, expected: &'static str) -> LexerError {
    let found = found(word);
    LexerError::new(at, TextProblem::Expected { expected, found })
}

/// Returns the first characters of a text, for error messages.
fn found(text: &str) -> String {
    const SHOWN: usize = 20;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        _ if text.is_empty() => "the end of the file".into(),
        _ if line.is_empty() => "the end of the line".into(),
        Some((end, _)) => format!("`{}...`", &line[..end]),
        None => format!("`{line}`"),
    }
}

/// Parses a weight, which is a finite number that is not negative.
pub(super) fn weight(at: usize, digits: &str) -> LexerResult<f64> {
    match digits.parse::<f64>() {
        // Adding zero turns -0.0 into 0.0.
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number + 0.0),
        Ok(number) => Err(LexerError::new(at, TextProblem::Weight { number })),
        Err(_) => Err(unexpected(at, digits, "a number")),
    }
}

/// Maximum magnitude of a utility, which ensures that the sum of several utilities is finite.
const MOST_UTILITY: f64 = 1e300;

/// Parses a utility, which is a finite number of limited magnitude.
pub(super) fn finite(at: usize, digits: &str) -> LexerResult<f64> {
    match digits.parse::<f64>() {
        Ok(number) if number.abs() <= MOST_UTILITY => Ok(number),
        Ok(number) => Err(LexerError::new(at, TextProblem::Utility { number })),
        Err(_) => Err(unexpected(at, digits, "a number")),
    }
}
