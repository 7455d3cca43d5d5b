//! Reads BIF.

use super::super::NetworkKind;
use super::super::draft::NetworkDraft;
use super::super::lexer::{Input, LexerResult, unexpected};
use super::block::{network, table, variable};
use super::table::Tables;
use super::token::{space, word};

/// The network of a text. Blocks may stand in any order.
pub(in super::super) fn read(text: &str) -> LexerResult<NetworkDraft> {
    let mut input = Input::new(text);
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, String::new());
    let mut names = Vec::new();
    let mut blocks = Vec::new();
    let mut is_first = true;
    loop {
        space(&mut input)?;
        // An empty text is no network: its first word is missing.
        if input.is_empty() && !is_first {
            break;
        }
        is_first = false;
        match word(&mut input, "`network`, `variable` or `probability`")? {
            (_, "network") => network(&mut input)?.clone_into(&mut draft.name),
            (_, "variable") => names.push(variable(&mut input, &mut draft)?),
            (_, "probability") => blocks.push(table(&mut input)?),
            (at, found) => {
                let what = "`network`, `variable` or `probability`";
                return Err(unexpected(at, found, what));
            }
        }
    }
    let mut tables = Tables::new(&mut draft, &names);
    for block in &blocks {
        tables.read(block)?;
    }
    draft.check_definitions()?;
    Ok(draft)
}
