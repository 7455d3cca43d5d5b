//! Creates the tables of deterministic nodes.

use rustc_hash::FxHashMap;

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult};
use super::super::variable::unknown_state;
use super::super::{State, mistakes};
use super::read::Definition;

/// Defines a deterministic node by its state for each combination of its parents' states, where the last parent varies
/// fastest.
pub(super) fn resulting(
    draft: &mut NetworkDraft,
    definition: &Definition<'_, '_>,
) -> LexerResult<()> {
    let (at, node) = (definition.at, definition.node);
    let parents = definition
        .parents
        .iter()
        .map(|(at, name)| (*at, name.as_str()));
    let scope = draft.scope(parents.chain([(at, definition.name.as_str())]))?;
    let Some((&variable, parents)) = scope.split_last() else {
        return Ok(());
    };
    let (needed, found) = (draft.entries(parents), node.words.words().count());
    mistakes::check_entries(at, found, needed)?;
    let entries = draft.implied_entries(at, &scope, if definition.is_copy { 0 } else { found })?;
    let own = &draft.variables[variable];
    let names = own.states.iter().map(State::name).zip(0..);
    let columns: FxHashMap<&str, usize> = names.collect();
    let mut numbers = vec![0.0; entries];
    for ((at, state), row) in node.words.words().zip(numbers.chunks_mut(columns.len())) {
        let Some(&column) = columns.get(state) else {
            return Err(LexerError::new(at, unknown_state(own, state)));
        };
        row[column] = 1.0;
    }
    draft.push_table(at, scope, numbers);
    Ok(())
}
