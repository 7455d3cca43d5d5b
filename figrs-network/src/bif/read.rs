//! Reads BIF.

use super::super::NetworkKind;
use super::super::draft::NetworkDraft;
use super::super::lexer::{Input, LexerResult, unexpected};
use super::block::{network, table, variable};
use super::table::Tables;
use super::token::{next_word, word};

/// Words that begin a block.
const BLOCKS: &str = "`network`, `variable` or `probability`";

/// The network of a text. Blocks may stand in any order.
pub(in super::super) fn read(text: &str) -> LexerResult<NetworkDraft> {
    let mut input = Input::new(text);
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, String::new());
    let mut names = Vec::new();
    let mut blocks = Vec::new();
    // An empty text is no network: its first word is missing.
    let mut next = Some(word(&mut input, BLOCKS)?);
    while let Some(first) = next {
        match first {
            (_, "network") => network(&mut input)?.clone_into(&mut draft.name),
            (_, "variable") => names.push(variable(&mut input, &mut draft)?),
            (_, "probability") => blocks.push(table(&mut input)?),
            (at, found) => return Err(unexpected(at, found, BLOCKS)),
        }
        next = next_word(&mut input, BLOCKS)?;
    }
    let mut tables = Tables::new(&mut draft, &names);
    for block in &blocks {
        tables.read(block)?;
    }
    draft.check_definitions()?;
    Ok(draft)
}
