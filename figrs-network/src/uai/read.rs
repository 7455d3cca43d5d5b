//! Reads networks in the UAI format.

use figrs_core::States;
use rustc_hash::FxHashMap;

use super::super::draft::NetworkDraft;
use super::super::lexer::{Input, LexerError, LexerResult, unexpected, weight};
use super::super::{NetworkKind, NetworkReader, NetworkTable, State, mistakes};
use super::token::{count, end, word};

/// Maximum total number of states of all variables that a small UAI file may declare.
const STATES: usize = 1 << 16;

/// Parses a UAI text to a [`NetworkDraft`].
pub(in super::super) fn read(text: &str, reader: &NetworkReader) -> LexerResult<NetworkDraft> {
    let mut input = Input::new(text);
    let (at, name) = word(&mut input, "`BAYES` or `MARKOV`")?;
    let kind = match name.to_ascii_uppercase().as_str() {
        "BAYES" => NetworkKind::Bayesian,
        "MARKOV" => NetworkKind::Markov,
        _ => return Err(unexpected(at, name, "`BAYES` or `MARKOV`")),
    };
    let mut draft = NetworkDraft::new(kind, String::new()).read_by(reader);
    variables(&mut input, &mut draft)?;
    let scopes = scopes(&mut input, &mut draft)?;
    for variables in scopes {
        let weights = table(&mut input, &mut draft, &variables)?.into();
        draft.tables.push(NetworkTable { variables, weights });
    }
    end(&mut input, "the end of the file after the last table")?;
    Ok(draft)
}

/// Parses the variables of a UAI text, whose names are their indices; variables with the same number of states share the list of states.
fn variables(input: &mut Input<'_>, draft: &mut NetworkDraft) -> LexerResult<()> {
    let limit = input.len().max(STATES);
    let (_, variables) = count(input, "the number of variables")?;
    let mut shared: FxHashMap<usize, States<State>> = FxHashMap::default();
    let mut total = 0usize;
    for index in 0..variables {
        let (at, states) = count(input, "the number of states of each variable")?;
        total = total.saturating_add(states);
        mistakes::check_size(at, "states", total as u128, limit)?;
        let named = || State::all((0..states).map(|state| state.to_string()).collect());
        let states = shared.entry(states).or_insert_with(named).clone();
        draft.add_variable(at, &index.to_string(), states)?;
    }
    Ok(())
}

/// Parses the list of variables that belongs to each table of a UAI text. In a Bayesian network the last variable of a table is the child, and each
/// variable is the child of one table.
fn scopes(input: &mut Input<'_>, draft: &mut NetworkDraft) -> LexerResult<Vec<Vec<usize>>> {
    let (at_count, tables) = count(input, "the number of tables")?;
    let variables = draft.variables.len();
    let mut scopes = Vec::new();
    let mut has_table = vec![false; variables];
    // For each variable, the number of the table in which the variable was the last variable, counted from 1.
    let mut stood = vec![0; variables];
    for table in 1..=tables {
        let (at, size) = count(input, "the number of variables of each table")?;
        let mut scope = Vec::new();
        let mut last = at;
        for _ in 0..size {
            let (at, index) = count(input, "the variables of each table")?;
            if index >= variables {
                let mistake = mistakes::index("variable", index, variables);
                return Err(LexerError::new(at, mistake));
            }
            if std::mem::replace(&mut stood[index], table) == table {
                let mistake = mistakes::repeated_in_table(&index.to_string());
                return Err(LexerError::new(at, mistake));
            }
            scope.push(index);
            last = at;
        }
        if draft.kind == NetworkKind::Bayesian {
            let Some(&child) = scope.last() else {
                return Err(unexpected(at, "0", "at least one variable, the child"));
            };
            if std::mem::replace(&mut has_table[child], true) {
                let mistake = mistakes::repeated_table(&child.to_string());
                return Err(LexerError::new(last, mistake));
            }
        }
        scopes.push(scope);
        draft.places.push(last);
    }
    let missing = has_table.iter().position(|&has| !has);
    match (draft.kind, missing) {
        (NetworkKind::Bayesian, Some(variable)) => {
            let mistake = mistakes::no_table(&variable.to_string());
            Err(LexerError::new(at_count, mistake))
        }
        _ => Ok(scopes),
    }
}

fn table(
    input: &mut Input<'_>,
    draft: &mut NetworkDraft,
    variables: &[usize],
) -> LexerResult<Vec<f64>> {
    let needed = draft.entries(variables);
    let (at, found) = count(input, "the number of entries of each table")?;
    mistakes::check_entries(at, found, needed)?;
    // A number takes at least two characters, so a small text reserves little memory whatever the file declares.
    let mut numbers = Vec::with_capacity(found.min(input.len() / 2 + 1));
    let bayesian = draft.kind == NetworkKind::Bayesian;
    let child = variables.last().filter(|_| bayesian);
    let columns = child.map_or(1, |&child| draft.variables[child].states.len());
    let mut start = 0;
    for i in 0..found {
        let (at, digits) = word(input, "a number for each entry of the table")?;
        numbers.push(weight(at, digits)?);
        if i % columns == 0 {
            start = at;
        }
        if bayesian && (i + 1) % columns == 0 {
            let row = numbers.len() - columns;
            draft.check_row(variables, i / columns, &mut numbers[row..], start)?;
        }
    }
    Ok(numbers)
}
