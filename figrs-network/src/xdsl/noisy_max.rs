//! Computes the tables of noisy-MAX nodes and of deterministic nodes.

use rustc_hash::FxHashMap;

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult, unexpected, weight};
use super::super::variable::unknown_state;
use super::super::{State, mistakes};
use super::read::Definition;
use figrs_factor::graph::Assignments;

/// Defines the conditional table of a noisy-MAX node. The states of a noisy-MAX node are ordered from the strongest to the weakest. Each parent and
/// the leak independently produce a state; the state of the node is the strongest of all produced states.
///
/// The parameters of a noisy-MAX node have a row for each state of each parent, from the strongest to the weakest state, and a row for the leak. The
/// weakest state of a noisy-MAX node's parent always produces the weakest state of the node. For a noisy-MAX node, let `P(Y >= k)` be the probability
/// of the state `k` or a weaker one. For a noisy-MAX node, `P(Y >= k)` is the product of the values of `P(Y >= k)` for the parents' states and the
/// leak.
///
/// **References.** F. J. Díez, "Parameter adjustment in Bayes networks: the generalized noisy OR-gate", UAI 1993. The noisy-MAX nodes of XDSL are
/// described in `BayesFusion`, "SMILE Programmer's Manual".
pub(super) fn noisy_max(
    draft: &mut NetworkDraft,
    definition: &Definition<'_, '_>,
) -> LexerResult<()> {
    let (at, node) = (definition.at, definition.node);
    let scope = scope(draft, definition)?;
    let Some((&child, parents)) = scope.split_last() else {
        return Ok(());
    };
    let size = |variable: &usize| draft.variables[*variable].states.len();
    let (columns, sizes) = (size(&child), parents.iter().map(size).collect::<Vec<_>>());
    let rows: usize = sizes.iter().sum::<usize>() + 1;
    let mut numbers = Vec::new();
    let mut starts = Vec::new();
    for (at, word) in node.words.words() {
        starts.push(at);
        numbers.push(weight(at, word)?);
    }
    let needed = rows as u128 * columns as u128;
    mistakes::check_entries(definition.at, numbers.len(), needed)?;
    for (row, start) in numbers.chunks_mut(columns).zip(starts.chunks(columns)) {
        draft.check_row(&scope, 0, row, start[0])?;
    }
    let strengths = node.strengths.words().count();
    if strengths != 0 {
        mistakes::check_entries(definition.at, strengths, rows as u128 - 1)?;
    }
    // For each state of each parent, the index of its row; the list of strengths contains the states from the strongest
    // to the weakest.
    let mut row_of: Vec<Vec<usize>> = Vec::new();
    let mut given = node.strengths.words().peekable();
    let mut first = 0;
    for &size in &sizes {
        let mut own = vec![usize::MAX; size];
        for strength in 0..size {
            let state = match given.next() {
                Some((at, word)) => {
                    let state = word.parse().ok().filter(|&state: &usize| state < size);
                    let is_new = |state: &usize| own[*state] == usize::MAX;
                    let expected = "the states of the parent by their positions from 0, each once";
                    let state = state.filter(is_new);
                    state.ok_or_else(|| unexpected(at, word, expected))?
                }
                // If there are no strengths, the states of the parent are ordered from the strongest to the weakest.
                None => strength,
            };
            own[state] = first + strength;
        }
        let weakest = first + size - 1;
        if numbers[weakest * columns + columns - 1] < 1.0 {
            let expected = "1, since the weakest state of a parent produces the weakest state";
            let last = weakest * columns + columns - 1;
            return Err(unexpected(
                starts[last],
                &numbers[last].to_string(),
                expected,
            ));
        }
        row_of.push(own);
        first += size;
    }
    let entries = draft.implied_entries(
        at,
        &scope,
        if definition.is_copy { 0 } else { numbers.len() },
    )?;
    // Each row of parameters is replaced by the probabilities of each state or a weaker one.
    let mut weaker = numbers;
    for row in weaker.chunks_mut(columns) {
        for state in (1..columns).rev() {
            row[state - 1] += row[state];
        }
        row[0] = 1.0;
    }
    let mut table = Vec::with_capacity(entries);
    let combinations = Assignments::rows(sizes.iter().copied());
    for row in 0..entries / columns {
        let leak = &weaker[(rows - 1) * columns..];
        let mut product = leak.to_vec();
        for (own, state) in row_of.iter().zip(combinations.values(row)) {
            let of_state = &weaker[own[state as usize] * columns..][..columns];
            for (number, factor) in product.iter_mut().zip(of_state) {
                *number *= factor;
            }
        }
        let next = product.iter().skip(1).copied().chain([0.0]);
        table.extend(
            product
                .iter()
                .zip(next)
                .map(|(own, next)| (own - next).max(0.0)),
        );
    }
    draft.push_table(at, scope, table);
    Ok(())
}

/// Returns the indices of the variables of a node's parents and of the node itself.
fn scope(draft: &mut NetworkDraft, definition: &Definition<'_, '_>) -> LexerResult<Vec<usize>> {
    let own = (definition.at, definition.name.as_str());
    let parents = definition.parents.iter();
    let parents = parents.map(|(at, name)| (*at, name.as_str()));
    draft.scope(parents.chain([own]))
}

/// Defines a deterministic node, given its state for each joint state of its parents, where the last parent varies fastest.
pub(super) fn resulting(
    draft: &mut NetworkDraft,
    definition: &Definition<'_, '_>,
) -> LexerResult<()> {
    let (at, node) = (definition.at, definition.node);
    let scope = scope(draft, definition)?;
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
