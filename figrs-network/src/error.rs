//! Errors of reading, writing and learning networks.

use std::{io, path::PathBuf};

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use thiserror::Error;

use super::{NetworkFormat, Unknown};

/// An error of reading, writing or querying a network, with its location and a remedy.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum NetworkError {
    /// A file cannot be read.
    #[error("cannot read {path}: {cause}; check the path and its permissions")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {cause}; check the path and its permissions")]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// The extension of a file is not that of a known format.
    #[error("{path}: the extension of a file states its format; use {expected}")]
    Extension {
        /// Path of the file.
        path: PathBuf,
        /// Description of the known extensions.
        expected: &'static str,
    },
    /// The text of a file is invalid.
    #[error("{place}:{line}:{column}: {}", printable(&.problem.to_string()))]
    Text {
        /// The file, or a description of the text.
        place: String,
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The mistake in the text.
        problem: Box<TextProblem>,
    },
    /// A variable or a state is not in the network.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A Markov network cannot be written, because it has no conditional tables, which every file format except UAI
    /// needs.
    #[error("a Markov network cannot be written as {format}; write it as UAI")]
    NotBayesian {
        /// The format in which the network was to be written.
        format: NetworkFormat,
    },
    /// The requested format can be read but not written.
    #[error("{format} is read and not written; write the network as UAI")]
    NotWritten {
        /// The format in which the network was to be written.
        format: NetworkFormat,
    },
    /// A name contains a character that a format cannot represent.
    #[error("the name `{}` cannot be written as {format}, which has no way to write one of its characters; choose another format",
        printable(.name))]
    Inexpressible {
        /// The name of a network, a variable or a state.
        name: String,
        /// The format in which the network was to be written.
        format: NetworkFormat,
    },
}

/// Reason why the tables of a network cannot be learned.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum NetworkLearningError {
    /// A Markov network has no conditional tables.
    #[error("a Markov network has no conditional tables to learn; give a Bayesian network")]
    NotBayesian,
    /// The count that a prior adds is negative, larger than [`MOST_PRIOR`](super::NetworkLearner::MOST_PRIOR), or NaN.
    #[error("the prior adds {count} to each count; give a number from 0 to 1e15")]
    Prior {
        /// The invalid count.
        count: f64,
    },
    /// The inference algorithm for learning failed.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
}

/// A mistake in the text of a network or evidence file.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum TextProblem {
    /// The file is not text in UTF-8.
    #[error("not UTF-8; save the file as UTF-8")]
    NotUtf8,
    /// A character is not valid in the encoding that a file declares.
    #[error(
        "a character here is none of {encoding}, the encoding that the file declares; save it as UTF-8, and declare that"
    )]
    NotInEncoding {
        /// The declared encoding.
        encoding: String,
    },
    /// The text violates the syntax of its format at this position.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The element of syntax that is expected at this position.
        expected: &'static str,
        /// The text found at this position.
        found: String,
    },
    /// The document is not well-formed XML.
    #[error("not well-formed XML: {reason}")]
    Xml {
        /// Reason that the XML reader gives.
        reason: String,
    },
    /// An entity of a document is not one of the five that XML predefines.
    #[error(
        "the entity `&{entity};` is not one of XML itself, and others are not expanded; write its text in its place"
    )]
    Entity {
        /// The name of the entity.
        entity: String,
    },
    /// A document declares an encoding that is unknown, or that differs from its actual encoding.
    #[error(
        "declares the encoding `{encoding}`, in which it is not written or which is unknown; save it as UTF-8, and declare that"
    )]
    Encoding {
        /// The declared encoding.
        encoding: String,
    },
    /// A document declares a version of XML that does not exist.
    #[error("declares the version `{version}` of XML, and there are 1.0 and 1.1; declare 1.0")]
    XmlVersion {
        /// The declared version.
        version: String,
    },
    /// A node has a kind that neither networks nor influence diagrams support.
    #[error(
        "`{node}` is a node of the kind `{kind}`, which is not read; write it as a table of discrete states"
    )]
    NodeKind {
        /// Name of the node.
        node: String,
        /// Kind of the node as the format calls it.
        kind: String,
    },
    /// A formula that defines a table cannot be read.
    #[error("a formula that is not read: {reason}; write the table as `data`")]
    Formula {
        /// The part that cannot be read, with the reason.
        reason: String,
    },
    /// A network has nodes in several time slices, but the reader was given no number of slices to which it unrolls them.
    #[error(
        "a dynamic network{}; have the reader unroll it to a number of slices",
        slices.map_or_else(String::new, |slices| format!(" of {slices} slices"))
    )]
    Dynamic {
        /// The number of slices that the file states, if it states one.
        slices: Option<u32>,
    },
    /// A network has a node that only influence diagrams have.
    #[error(
        "`{node}` is a {kind} node, so that this is an influence diagram and no network of chances alone; read it as an influence diagram"
    )]
    InfluenceDiagram {
        /// Name of the node.
        node: String,
        /// Kind of the node: `decision` or `utility`.
        kind: &'static str,
    },
    /// A decision influences a variable that is known when the decision is made.
    #[error(
        "the decision `{decision}` influences `{observed}`, which it observes; take `{observed}` out of what is known then"
    )]
    InfluencesObserved {
        /// Name of the decision.
        decision: String,
        /// Name of the known variable.
        observed: String,
    },
    /// A utility is used as a parent, which only variables and decisions can be.
    #[error(
        "the utility `{utility}` is no variable that a table or a decision may depend on; take it from the parents"
    )]
    UtilityParent {
        /// Name of the utility.
        utility: String,
    },
    /// A number cannot be a utility.
    #[error(
        "the number {number:e} cannot be a utility; utilities are numbers from -1e300 to 1e300"
    )]
    Utility {
        /// The invalid number.
        number: f64,
    },
    /// The JSON text of evidence does not have the expected form.
    #[error(
        "not an object of variables and states, or of variables and objects of states and weights, in JSON: {reason}"
    )]
    Json {
        /// Reason that the JSON reader gives.
        reason: String,
    },
    /// A number cannot be a probability or a weight.
    #[error("the number {number} cannot be a weight; weights are finite and not negative")]
    Weight {
        /// The invalid number.
        number: f64,
    },
    /// The text names a variable or a state that is not declared.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A variable is declared twice.
    #[error("the variable `{variable}` is declared a second time; keep one of the declarations")]
    RepeatedVariable {
        /// Name of the variable.
        variable: String,
    },
    /// A variable lists the same state twice.
    #[error("`{variable}` has the state `{state}` a second time; name each state once")]
    RepeatedState {
        /// Name of the variable.
        variable: String,
        /// Name of the repeated state.
        state: String,
    },
    /// The number of states that a variable declares differs from the number of states that it lists.
    #[error(
        "`{variable}` declares {declared} states and lists {found}; make them agree, and quote states with blanks, commas or brackets"
    )]
    StateCount {
        /// Name of the variable.
        variable: String,
        /// The declared number of states.
        declared: usize,
        /// The number of states in the list.
        found: usize,
    },
    /// The name of a state contains blanks without quotes, although blanks separate states.
    #[error(
        "`{variable}` has a state `{state}` with blanks, which separate states; quote it: `\"{state}\"`, wherever it stands"
    )]
    UnquotedState {
        /// Name of the variable.
        variable: String,
        /// Name of the state.
        state: String,
    },
    /// A variable has no states.
    #[error("`{variable}` has no states; give it at least one")]
    NoStates {
        /// Name of the variable.
        variable: String,
    },
    /// A table lists the same variable twice.
    #[error("the table names `{variable}` a second time; name each variable once")]
    RepeatedInTable {
        /// Name of the variable.
        variable: String,
    },
    /// A variable has two conditional tables.
    #[error("`{variable}` has a second table; keep one of them")]
    SecondTable {
        /// Name of the variable.
        variable: String,
    },
    /// A variable has no conditional table.
    #[error("`{variable}` has no table; add its probabilities")]
    NoTable {
        /// Name of the variable.
        variable: String,
    },
    /// A table has two rows for the same states of the parents.
    #[error("the table of `{variable}` has the row {row} a second time; keep one of them")]
    RepeatedRow {
        /// Name of the variable.
        variable: String,
        /// The states of the parents in this row.
        row: String,
    },
    /// A table lacks the row for some states of the parents.
    #[error("the table of `{variable}` lacks the row {row}; add it, or a `default` row")]
    MissingRow {
        /// Name of the variable.
        variable: String,
        /// The states of the parents in this row.
        row: String,
    },
    /// The number of entries of a table differs from the number that its variables need.
    #[error("a table of {found} entries where its variables need {needed}; make them agree")]
    EntryCount {
        /// Number of entries in the file.
        found: usize,
        /// Number of entries that the variables need.
        needed: u128,
    },
    /// The sum of the probabilities in a row deviates from one.
    #[error(
        "the {} of `{variable}` sums to {}, which is more than rounding away from one; correct its numbers, or have the reader normalise rows",
        if row == "()" { "table".into() } else { format!("row {row}") },
        rounded(*.sum)
    )]
    RowSum {
        /// Name of the variable.
        variable: String,
        /// The states of the parents in this row.
        row: String,
        /// The sum of the row's probabilities.
        sum: f64,
    },
    /// A variable is among its own ancestors.
    #[error("`{variable}` is among its own ancestors; take one of the parents on the cycle away")]
    Cycle {
        /// Name of a variable on the cycle.
        variable: String,
    },
    /// A network, or one of its tables, exceeds a limit of the reader.
    #[error("{needed} {what}, which is more than a file of this size may declare ({limit})")]
    TooLarge {
        /// Kind of what is too numerous: `states`, `entries` or `variables`.
        what: &'static str,
        /// The number that the file needs.
        needed: u128,
        /// The maximum number that the reader allows.
        limit: usize,
    },
    /// A formula has a second header.
    #[error("a second line `p cnf`; keep one of them")]
    RepeatedHeader,
    /// A clause is not terminated.
    #[error("the clause that begins here does not end; add a 0 after its last literal")]
    OpenClause,
    /// The number of clauses of a formula differs from the number that its header declares.
    #[error("the header declares {declared} clauses and there are {found}; make them agree")]
    ClauseCount {
        /// The declared number of clauses.
        declared: usize,
        /// The number of clauses in the file.
        found: usize,
    },
    /// A literal refers to a variable that the header of a formula does not declare.
    #[error(
        "the literal {literal} is of none of the variables, which are numbered from 1 to {variables} by the header; correct one of them"
    )]
    LiteralRange {
        /// The literal as an integer, whose absolute value is the number of the variable.
        literal: i64,
        /// The declared number of variables.
        variables: usize,
    },
    /// The text gives a literal two weights.
    #[error("the literal {literal} has a weight a second time; keep one of them")]
    RepeatedWeight {
        /// The literal as an integer, whose absolute value is the number of the variable.
        literal: i64,
    },
    /// A formula requests the number of assignments of only some variables (projected counting), which is not supported.
    #[error(
        "asks for a projected count, of the assignments of some variables only, which is not done; take the line out to count those of all variables"
    )]
    Projected,
    /// An index exceeds the number of variables or states.
    #[error("there is no {what} {index}: they are numbered from 0 and there are {count}")]
    Index {
        /// Kind of the index: `variable` or `state`.
        what: &'static str,
        /// The index that is too large.
        index: usize,
        /// Number of variables or states, which the index must not reach.
        count: usize,
    },
    /// The evidence states two different observations of the same variable.
    #[error(
        "`{variable}` is observed a second time, with another state or other weights; keep one of them"
    )]
    Contradiction {
        /// Name of the variable.
        variable: String,
    },
    /// The evidence assigns a state a value that is not a valid weight.
    #[error(
        "`{variable}` has {found} for the state `{state}`; give each state a weight, a finite number that is not negative"
    )]
    StateWeight {
        /// Name of the variable.
        variable: String,
        /// Name of the state.
        state: String,
        /// The invalid value, as JSON text.
        found: String,
    },
    /// The evidence gives weights for some states of a variable, but not for all of them.
    #[error(
        "`{variable}` has no weight for the state `{state}`; give each state one, 0 where it is excluded"
    )]
    MissingWeight {
        /// Name of the variable.
        variable: String,
        /// Name of the first state without a weight.
        state: String,
    },
    /// The evidence gives all states of a variable the weight 0.
    #[error(
        "all states of `{variable}` have the weight 0, which excludes every world; give one of them more"
    )]
    ZeroWeights {
        /// Name of the variable.
        variable: String,
    },
    /// The data is not valid as comma-separated values.
    #[error("not comma-separated values: {reason}")]
    Csv {
        /// Reason that the CSV reader gives.
        reason: String,
    },
    /// A quotation mark in the data is not closed.
    #[error(
        "the quote that begins here does not end; add a `\"`, or write `\"\"` for a quote in a cell"
    )]
    OpenQuote,
    /// The data contains a character that text files do not have.
    #[error("the character {letter:?}, which no comma-separated values have; give a file of text")]
    NotPlainText {
        /// The invalid character.
        letter: char,
    },
    /// The data has only one column, but a network needs several variables.
    #[error(
        "the first line names one column alone; give at least two, separated by commas, semicolons or tabs"
    )]
    OneColumn,
    /// The data has no rows.
    #[error("there is no row below the names of the columns; add rows")]
    NoRows,
    /// A column of the data is empty: no row has a state in it.
    #[error("the column `{variable}` has no state in any row; fill it, or leave it out")]
    EmptyColumn {
        /// Name of the variable, which is the name of the column.
        variable: String,
    },
    /// The first line of the data names the same variable twice.
    #[error("the column `{variable}` stands a second time; keep one of them")]
    RepeatedColumn {
        /// Name of the variable, which is the name of the column.
        variable: String,
    },
    /// The number of cells in a row differs from the number of columns.
    #[error(
        "cells in this row: {found}, columns: {needed}; make them agree, and leave a missing cell empty"
    )]
    CellCount {
        /// Number of cells in the row.
        found: usize,
        /// Number of columns.
        needed: usize,
    },
    /// An evidence file contains several sets of evidence.
    #[error("{samples} sets of evidence; keep one of them in the file")]
    Samples {
        /// Number of sets of evidence.
        samples: usize,
    },
}

/// Formats a sum of probabilities without the digits that are affected by rounding.
fn rounded(sum: f64) -> String {
    let text = format!("{sum:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
