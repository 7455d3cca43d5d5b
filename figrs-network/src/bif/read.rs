//! Reads networks in BIF.

use super::super::draft::NetworkDraft;
use super::super::lexer::{Input, LexerResult, unexpected};
use super::super::{NetworkKind, NetworkReader};
use super::block::{network, table, variable};
use super::notes::{BLOCKS, BlockKind, next_block};
use super::table::Tables;
use super::token::{Bif, Dialect};

/// Parses a BIF text to a [`NetworkDraft`], from which a Bayesian network is built. The blocks of a BIF text may come in any order.
pub(in super::super) fn read(text: &str, reader: &NetworkReader) -> LexerResult<NetworkDraft> {
    let mut input = Input::new(text);
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, String::new()).read_by(reader);
    let mut names = Vec::new();
    let mut blocks = Vec::new();
    let mut has_blocks = false;
    while let Some(kind) = next_block(&mut input)? {
        has_blocks = true;
        match kind {
            BlockKind::Network => network(&mut input)?.clone_into(&mut draft.name),
            BlockKind::Variable => names.push(variable(&mut input, &mut draft)?),
            BlockKind::Probability => blocks.push(table(&mut input)?),
        }
    }
    if !has_blocks {
        // A text without blocks is not a network: the error reports that its first word does not begin a block.
        let mut input = Input::new(text);
        let (at, found) = Bif::word(&mut input, BLOCKS)?;
        return Err(unexpected(at, found, BLOCKS));
    }
    let mut tables = Tables::new(&mut draft, &names);
    for block in &blocks {
        tables.read(block)?;
    }
    draft.check_definitions()?;
    Ok(draft)
}
