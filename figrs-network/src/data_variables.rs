//! Creates a network without arcs from the variables and states that occur in a table of data.

use std::collections::BTreeSet;
use std::path::Path;

use csv::StringRecord;
use figrs_core::factor::Weights;
use rustc_hash::FxHashSet;

use super::csv_records::{CsvRecords, is_missing};
use super::draft::NetworkDraft;
use super::lexer::{LexerError, LexerResult, unexpected};
use super::reader::read_text;
use super::{Network, NetworkData, NetworkError, NetworkKind, NetworkTable, State};
use figrs_reading::{Mistake, MistakeKind};

impl Network {
    /// Reads data for which no network exists yet, and creates a network without arcs. Each column of the data becomes a variable of a network
    /// without arcs. The distinct cell values of a column become the states of its variable. In the created network, all states of a variable are
    /// equally likely. States of a variable that are all numbers are sorted in ascending order, other states alphabetically (by code points). A state
    /// is missing in the data if its cell is empty or has one of the marks that [`read_data`](Self::read_data) lists.
    ///
    /// **Errors.** The errors of [`read_data`](Self::read_data); an error if the data has no rows, has only one column, or has a column without a
    /// name or without a state.
    pub fn from_data(path: impl AsRef<Path>) -> Result<(Self, NetworkData), NetworkError> {
        let path = path.as_ref();
        let text = read_text(path)?;
        of_data(&text).map_err(|mistake| mistake.within(&text, &path.display().to_string()))
    }

    /// Reads data from a text and creates a network, in the same way as [`from_data`](Self::from_data) from a file.
    ///
    /// ```
    /// # use figrs_network::Network;
    /// let (network, data) = Network::from_data_csv("size,rain\n10,yes\n9,no\n,yes\n")?;
    /// let sizes: Vec<&str> = network.variables()[0].states().iter().map(|state| state.name()).collect();
    /// assert_eq!((sizes, data.len()), (vec!["9", "10"], 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// **Errors.** The errors of [`from_data`](Self::from_data) for mistakes in the text.
    pub fn from_data_csv(text: &str) -> Result<(Self, NetworkData), NetworkError> {
        of_data(text).map_err(|mistake| mistake.within(text, "CSV"))
    }
}

fn of_data(text: &str) -> LexerResult<(Network, NetworkData)> {
    let mut draft = NetworkDraft::new(NetworkKind::Bayesian, String::new());
    for (position, (name, states)) in columns(text)?.into_iter().enumerate() {
        draft.tables.push(NetworkTable {
            variables: vec![position],
            weights: Weights::from_linear(vec![1.0 / states.len() as f64; states.len()]),
        });
        draft.places.push(0);
        draft.add_variable(0, &name, State::all(states))?;
    }
    let network = draft.network(text)?;
    let data = network.data(text)?;
    Ok((network, data))
}

/// Returns the names of the columns of the data, each with its states in order; repeated columns are omitted, because the later reading of the data
/// reports them as errors.
fn columns(text: &str) -> LexerResult<Vec<(String, Vec<String>)>> {
    let mut records = CsvRecords::new(text)?;
    let mut header = StringRecord::new();
    if !records.read(&mut header)? {
        return Err(unexpected(
            0,
            "",
            "a first line with the names of variables",
        ));
    }
    let mut states: Vec<BTreeSet<String>> = vec![BTreeSet::new(); header.len()];
    if header.len() < 2 {
        let mistake = missing(
            "the first line names only one column",
            "give at least two, separated by commas, semicolons or tabs",
        );
        return Err(LexerError::new(records.field_start(&header, 0), mistake));
    }
    let mut record = StringRecord::new();
    let mut is_empty = true;
    while records.read(&mut record)? {
        is_empty = false;
        for (cell, states) in record.iter().zip(&mut states) {
            if !is_missing(cell) && !states.contains(cell) {
                states.insert(cell.to_owned());
            }
        }
    }
    if is_empty {
        let mistake = missing("there is no row below the names of the columns", "add rows");
        return Err(LexerError::new(text.len(), mistake));
    }
    let mut columns = Vec::with_capacity(header.len());
    let mut known: FxHashSet<&str> = FxHashSet::default();
    for (i, (name, states)) in header.iter().zip(states).enumerate() {
        let at = || records.field_start(&header, i);
        if name.is_empty() {
            return Err(unexpected(at(), &text[at()..], "the name of a variable"));
        }
        if !known.insert(name) {
            continue;
        }
        if states.is_empty() {
            let problem = format!("the column `{name}` has no state in any row");
            return Err(LexerError::new(
                at(),
                missing(problem, "fill it, or leave it out"),
            ));
        }
        columns.push((name.to_owned(), in_order(states)));
    }
    Ok(columns)
}

fn missing(problem: impl Into<String>, remedy: &str) -> Mistake {
    Mistake::new(MistakeKind::Missing, problem, remedy)
}

/// Returns the states of a variable in ascending numeric order if all of them are numbers, and otherwise in the given order.
fn in_order(states: BTreeSet<String>) -> Vec<String> {
    let number = |state: &String| state.parse().ok().filter(|x: &f64| !x.is_nan());
    let numbers: Option<Vec<f64>> = states.iter().map(number).collect();
    let Some(numbers) = numbers else {
        return states.into_iter().collect();
    };
    let mut numbered: Vec<(f64, String)> = numbers.into_iter().zip(states).collect();
    // The sort is stable, so that different notations of the same number stay in alphabetical order.
    numbered.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    numbered.into_iter().map(|(_, state)| state).collect()
}
