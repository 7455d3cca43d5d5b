//! Reads BIF.

use super::super::draft::NetworkDraft;
use super::super::lexer::{Input, LexerError, LexerResult, unexpected};
use super::super::{NetworkKind, TextProblem};
use super::block::{network, table, variable};
use super::table::Tables;
use super::token::{space, word};

/// The network of a text. Blocks may stand in any order.
pub(in super::super) fn read(text: &str) -> LexerResult<NetworkDraft> {
    let mut input = Input::new(text);
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, String::new());
    let mut names = Vec::new();
    let mut places = Vec::new();
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
            (at, "variable") => {
                names.push(variable(&mut input, &mut draft)?);
                places.push(at);
            }
            (_, "probability") => blocks.push(table(&mut input)?),
            (at, found) => {
                let what = "`network`, `variable` or `probability`";
                return Err(unexpected(at, found, what));
            }
        }
    }
    let mut has_table = vec![false; names.len()];
    let mut tables = Tables::new(&mut draft, &names);
    for block in &blocks {
        tables.read(block)?;
    }
    for (table, &place) in draft.tables.iter().zip(&draft.places) {
        let again = |&child: &usize| std::mem::replace(&mut has_table[child], true);
        if let Some(child) = table.variables.last().copied().filter(again) {
            let variable = draft.variables[child].name.clone();
            return Err(LexerError::new(
                place,
                TextProblem::SecondTable { variable },
            ));
        }
    }
    if let Some(child) = has_table.iter().position(|&has| !has) {
        let variable = draft.variables[child].name.clone();
        return Err(LexerError::new(
            places[child],
            TextProblem::NoTable { variable },
        ));
    }
    Ok(draft)
}
