//! Input, errors, words and numbers that the readers of all text formats share.

use winnow::error::ParserError;
use winnow::stream::{LocatingSlice, Location};

use super::NetworkError;
use super::mistakes;
use figrs_reading::{LineIndex, Mistake, MistakeKind};

pub(super) type Input<'t> = LocatingSlice<&'t str>;
pub(super) type LexerResult<T> = Result<T, LexerError>;

/// An error in a text, with its offset in the text.
#[derive(Debug)]
pub(super) struct LexerError {
    offset: usize,
    /// The problem found in the text, and its remedy; `None` while the parser may still try an alternative syntax.
    mistake: Option<Box<Mistake>>,
}

impl LexerError {
    pub(super) fn new(offset: usize, mistake: impl Into<Mistake>) -> Self {
        let mistake = Some(Box::new(mistake.into()));
        Self { offset, mistake }
    }

    pub(super) fn with_remedy(mut self, remedy: &str) -> Self {
        if let Some(mistake) = &mut self.mistake {
            remedy.clone_into(&mut mistake.remedy);
        }
        self
    }

    /// Returns the error to report, with its line and column in `text` and with `place` as the
    /// origin of the text.
    pub(super) fn within(self, text: &str, place: &str) -> NetworkError {
        let mistake = self.mistake.map_or_else(
            || not_expected(&text[self.offset..], "another token"),
            |mistake| *mistake,
        );
        let position = LineIndex::new(text).at(self.offset);
        mistake.at(place, position).into()
    }
}

impl<'t> ParserError<Input<'t>> for LexerError {
    type Inner = Self;

    fn from_input(input: &Input<'t>) -> Self {
        Self {
            offset: offset(input),
            mistake: None,
        }
    }

    fn is_backtrack(&self) -> bool {
        self.mistake.is_none()
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// Returns the offset in bytes of the unread input.
pub(super) fn offset(input: &Input<'_>) -> usize {
    input.current_token_start()
}

/// Returns an error which says that the syntax of the file requires `expected` at the present offset in the text.
pub(super) fn expected(input: &Input<'_>, expected: &'static str) -> LexerError {
    LexerError::new(offset(input), not_expected(input, expected))
}

/// Returns an error which says that the syntax of the file requires `expected` instead of `word`.
pub(super) fn unexpected(at: usize, word: &str, expected: &'static str) -> LexerError {
    LexerError::new(at, not_expected(word, expected))
}

fn not_expected(text: &str, expected: &str) -> Mistake {
    let problem = format!("expected {expected}, found {}", found(text));
    Mistake::new(MistakeKind::Syntax, problem, "")
}

/// Returns the first characters of `text`, for error messages.
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

/// Parses the weight `digits`, a finite number that is not negative.
pub(super) fn weight(at: usize, digits: &str) -> LexerResult<f64> {
    match digits.parse::<f64>() {
        // Adding zero turns -0.0 into 0.0.
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number + 0.0),
        Ok(number) => Err(LexerError::new(at, mistakes::weight(number))),
        Err(_) => Err(unexpected(at, digits, "a number")),
    }
}

/// Maximum magnitude of a utility. The limit on the magnitude of a utility ensures that the sum of several utilities is finite.
const MOST_UTILITY: f64 = 1e300;

/// Parses the utility `digits`, a finite number of limited magnitude.
pub(super) fn finite(at: usize, digits: &str) -> LexerResult<f64> {
    match digits.parse::<f64>() {
        Ok(number) if number.abs() <= MOST_UTILITY => Ok(number),
        Ok(number) => Err(LexerError::new(at, mistakes::utility(number))),
        Err(_) => Err(unexpected(at, digits, "a number")),
    }
}
