//! Reads expressions of the Knowledge Interchange Format: words and lists in parentheses.

use winnow::Parser;
use winnow::combinator::opt;
use winnow::error::ContextError;
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{take_till, take_while};

use figrs_reading::{Mistake, MistakeKind};

/// Maximum nesting depth of parentheses and terms. The depth is limited because the code recurses over parentheses and terms.
pub(super) const MOST_NESTED: usize = 64;

/// Maximum number of words and lists in a text: each takes about a hundred bytes of memory, but only two or three bytes of text.
const MOST_EXPRESSIONS: usize = 2_000_000;

/// A syntax error, with its offset in bytes from the start of the text.
#[derive(Debug)]
pub(super) struct KifError {
    pub(super) at: usize,
    pub(super) mistake: Mistake,
}

impl KifError {
    pub(super) fn new(at: usize, mistake: Mistake) -> Self {
        Self { at, mistake }
    }
}

pub(super) type KifResult<T> = Result<T, KifError>;

/// An expression: a word or a list, with the offset of its first byte.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) at: usize,
    pub(super) form: ExpressionForm,
}

#[derive(Clone, Debug)]
pub(super) enum ExpressionForm {
    /// A word, converted to lower case.
    Word(String),
    List(Vec<Expression>),
}

impl Expression {
    pub(super) fn word(&self) -> Option<&str> {
        match &self.form {
            ExpressionForm::Word(word) => Some(word),
            ExpressionForm::List(_) => None,
        }
    }

    /// Splits a list into its first word and the other expressions; a single word is treated as a list of one.
    pub(super) fn parts(&self) -> KifResult<(&str, &[Self])> {
        match &self.form {
            ExpressionForm::Word(word) => Ok((word, &[])),
            ExpressionForm::List(items) => {
                let Some((first, rest)) = items.split_first() else {
                    return Err(syntax(
                        self.at,
                        "an empty list",
                        "write a relation or a function after the `(`",
                    ));
                };
                let name = first.word().ok_or_else(|| not_a_name(first.at, "a list"))?;
                Ok((name, rest))
            }
        }
    }
}

type KifInput<'t> = LocatingSlice<&'t str>;

/// A list whose closing parenthesis was not read yet: the offset of its first byte, and its expressions so far.
type OpenList = (usize, Vec<Expression>);

pub(super) fn read(text: &str) -> KifResult<Vec<Expression>> {
    let mut input = KifInput::new(text);
    let mut open: Vec<OpenList> = Vec::new();
    let mut all = Vec::new();
    let mut count = 0;
    loop {
        space(&mut input);
        let at = input.current_token_start();
        if count > MOST_EXPRESSIONS {
            let problem = format!("more than {MOST_EXPRESSIONS} words and lists");
            let remedy = "write rules with variables instead of these facts";
            let mistake = Mistake::new(MistakeKind::TooLarge, problem, remedy);
            return Err(KifError::new(at, mistake));
        }
        let done = match input.chars().next() {
            None => break,
            Some('(') => {
                input.next_token();
                if open.len() == MOST_NESTED {
                    let problem = format!("more than {MOST_NESTED} parentheses are open at once");
                    let remedy = "nest terms less deeply";
                    let mistake = Mistake::new(MistakeKind::TooLarge, problem, remedy);
                    return Err(KifError::new(at, mistake));
                }
                open.push((at, Vec::new()));
                continue;
            }
            Some(')') => {
                input.next_token();
                let Some((at, items)) = open.pop() else {
                    return Err(syntax(at, "this `)` closes nothing", "remove it"));
                };
                let form = ExpressionForm::List(items);
                Expression { at, form }
            }
            Some(_) => {
                let form = ExpressionForm::Word(word(&mut input).to_lowercase());
                Expression { at, form }
            }
        };
        count += 1;
        match open.last_mut() {
            Some((_, items)) => items.push(done),
            None => all.push(done),
        }
    }
    match open.pop() {
        Some((at, _)) => Err(syntax(at, "this `(` is never closed", "add `)`")),
        None => Ok(all),
    }
}

fn syntax(at: usize, problem: &str, remedy: &str) -> KifError {
    KifError::new(at, Mistake::new(MistakeKind::Syntax, problem, remedy))
}

/// Returns the error that the expression `found` is not a name, although the name of a relation or a function is expected.
pub(super) fn not_a_name(at: usize, found: &str) -> KifError {
    let problem = format!("expected the name of a relation or a function, found {found}");
    syntax(at, &problem, "write a word")
}

fn is_space(c: char) -> bool {
    // Skips the byte order mark that some editors write at the start of a file.
    c.is_whitespace() || c == '\u{feff}'
}

/// Skips white space and comments, if there are any.
fn space(input: &mut KifInput<'_>) {
    let mut blank = take_while::<_, _, ContextError>(0.., is_space).void();
    let mut comment = opt((';', take_till::<_, _, ContextError>(0.., '\n')).void());
    while blank.parse_next(input).is_ok() && matches!(comment.parse_next(input), Ok(Some(()))) {}
}

fn word<'t>(input: &mut KifInput<'t>) -> &'t str {
    let within = |c: char| !is_space(c) && !matches!(c, '(' | ')' | ';');
    let taken = take_while::<_, _, ContextError>(0.., within).parse_next(input);
    taken.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression test: a lone carriage return ended a comment, and empty words were read until memory was exhausted.
    #[test]
    fn comments_may_hold_carriage_returns() {
        let read = read("(a) ; b\r(c)\r\n(d) ;\r").unwrap();
        assert_eq!(read.len(), 2);
    }
}
