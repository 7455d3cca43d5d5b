//! Parses the blocks of a BIF file (a Bayesian network as text), except for the contents of probability tables.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::super::draft::NetworkDraft;
use super::super::lexer::{Input, LexerError, LexerResult, offset, unexpected};
use super::super::{State, mistakes};
use super::token::{Bif, Dialect, property, rest_of_block};
use figrs_reading::{Mistake, MistakeKind};

/// The names of a network variable's states, in order.
pub(super) type StateNames<'t> = IndexSet<&'t str, FxBuildHasher>;

/// A probability block of a BIF file whose body has not been parsed yet.
pub(super) struct TableBlock<'t> {
    pub(super) child: (usize, &'t str),
    pub(super) parents: Vec<(usize, &'t str)>,
    /// The text of the BIF file from the beginning of the block's body on.
    pub(super) body: Input<'t>,
    pub(super) length: usize,
}

/// Parses the BIF block `network`, and returns the name of the network.
pub(super) fn network<'t>(input: &mut Input<'t>) -> LexerResult<&'t str> {
    let mut name = "";
    if !Bif::mark(input, '{')? {
        name = Bif::word(input, "the network's name")?.1;
        Bif::require(input, '{', "`{`")?;
    }
    while !Bif::mark(input, '}')? {
        match Bif::word(input, "`property` or `}`")? {
            (_, "property") => property(input)?,
            (at, found) => return Err(unexpected(at, found, "`property` or `}`")),
        }
    }
    Ok(name)
}

/// Parses the BIF block of a variable, with the states of the variable.
pub(super) fn variable<'t>(
    input: &mut Input<'t>,
    draft: &mut NetworkDraft,
) -> LexerResult<StateNames<'t>> {
    let (at, name) = Bif::word(input, "the variable's name")?;
    Bif::require(
        input,
        '{',
        "`{` after the variable's name, which stands in quotes if it has blanks or brackets",
    )?;
    let mut states = None;
    while !Bif::mark(input, '}')? {
        match Bif::word(input, "`type`, `property` or `}`")? {
            (_, "property") => property(input)?,
            (at, "type") if states.is_none() => states = Some(self::states(input, name, at)?),
            (at, found) => return Err(unexpected(at, found, "one `type`, `property` or `}`")),
        }
    }
    let Some(states) = states else {
        return Err(LexerError::new(at, mistakes::no_states(name)));
    };
    let names = states.iter().map(|&state| state.into()).collect();
    draft.add_variable(at, name, State::all(names))?;
    Ok(states)
}

/// Description of a state in a BIF list of states, for error messages.
const STATE: &str =
    "a state or `}`; a state with blanks, commas or brackets stands in quotes, as in `\"(17,30]\"`";

/// Returns the first state of `list` that contains blanks, if `list` consists of `declared` states separated by commas; otherwise `None`.
fn unquoted(list: &str, declared: usize) -> Option<String> {
    let (list, _) = list.rsplit_once('}')?;
    let states: Vec<&str> = list.split(',').map(str::trim).collect();
    let first = states
        .iter()
        .find(|state| state.contains(char::is_whitespace) && !state.contains('"'));
    first
        .filter(|_| states.len() == declared)
        .map(|&state| state.to_owned())
}

/// Parses the states of a BIF variable from the word after `type` on, as in `type discrete [ 2 ] { yes, no };`.
fn states<'t>(input: &mut Input<'t>, variable: &str, at: usize) -> LexerResult<StateNames<'t>> {
    let (kind, discrete) = Bif::word(input, "`discrete`")?;
    if discrete != "discrete" {
        return Err(unexpected(kind, discrete, "`discrete`"));
    }
    Bif::require(input, '[', "`[` and the number of states")?;
    let (place, digits) = Bif::word(input, "the number of states")?;
    let declared: usize = digits
        .parse()
        .map_err(|_| unexpected(place, digits, "the number of states"))?;
    Bif::require(input, ']', "`]`")?;
    Bif::require(input, '{', "`{` and the states")?;
    let mut names = StateNames::default();
    let listed = *input;
    while !Bif::mark(input, '}')? {
        let (at, name) = Bif::word(input, STATE)?;
        if !names.insert(name) {
            return Err(LexerError::new(
                at,
                mistakes::repeated_state(variable, name),
            ));
        }
    }
    Bif::require(input, ';', "`;` after the states")?;
    if names.is_empty() {
        return Err(LexerError::new(at, mistakes::no_states(variable)));
    }
    if names.len() != declared {
        let found = names.len();
        let unquoted = unquoted(&listed[..offset(input) - offset(&listed)], declared);
        let mistake = match unquoted {
            Some(state) => Mistake::new(
                MistakeKind::Syntax,
                format!("`{variable}` has a state `{state}` with blanks, which separate states"),
                format!("quote it: `\"{state}\"`, wherever it stands"),
            ),
            None => Mistake::new(
                MistakeKind::Count,
                format!("`{variable}` declares {declared} states, but lists {found}"),
                "make them agree, and quote states with blanks, commas or brackets",
            ),
        };
        return Err(LexerError::new(at, mistake));
    }
    Ok(names)
}

/// Parses the names of the variables in a BIF probability block, and skips the body of the block.
pub(super) fn table<'t>(input: &mut Input<'t>) -> LexerResult<TableBlock<'t>> {
    Bif::require(input, '(', "`(` and a variable")?;
    let child = Bif::word(input, "a variable")?;
    let mut parents = Vec::new();
    while !Bif::mark(input, ')')? {
        parents.push(Bif::word(input, "a variable or `)`")?);
    }
    Bif::require(input, '{', "`{`")?;
    let body = *input;
    rest_of_block(input)?;
    let length = offset(input) - offset(&body);
    Ok(TableBlock {
        child,
        parents,
        body,
        length,
    })
}
