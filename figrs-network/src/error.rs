//! Errors of network files.

use std::{io, path::PathBuf};

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use thiserror::Error;

use super::{NetworkFormat, Unknown};

/// An error when a network is read, written or queried, with its place and its remedy.
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
        /// The known extensions.
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
    /// A Markov network has no conditional tables, which every file format except UAI needs.
    #[error("a Markov network cannot be written as {format}; write it as UAI")]
    NotBayesian {
        /// The format to write.
        format: NetworkFormat,
    },
    /// A format can be read but not written.
    #[error("{format} is read and not written; write the network as UAI")]
    NotWritten {
        /// The format to write.
        format: NetworkFormat,
    },
    /// A name has a character that a format cannot hold.
    #[error("the name `{}` cannot be written as {format}, which has no way to write one of its characters; choose another format",
        printable(.name))]
    Inexpressible {
        /// The name of a network, a variable or a state.
        name: String,
        /// The format to write.
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
    /// A prior is negative, larger than [`MOST_PRIOR`](super::NetworkLearner::MOST_PRIOR), or NaN.
    #[error("the prior adds {count} to each count; give a number from 0 to 1e15")]
    Prior {
        /// The invalid count.
        count: f64,
    },
    /// Learning has no result.
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
    /// The text violates the syntax: something else is expected at this place.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The expected element of syntax.
        expected: &'static str,
        /// The text at this place.
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
    /// A node is of a kind that neither networks nor influence diagrams can have.
    #[error(
        "`{node}` is a node of the kind `{kind}`, which is not read; write it as a table of discrete states"
    )]
    NodeKind {
        /// Name of the node.
        node: String,
        /// Kind of the node in the words of the format.
        kind: String,
    },
    /// A formula of a table cannot be read.
    #[error("a formula that is not read: {reason}; write the table as `data`")]
    Formula {
        /// The part that cannot be read, and the reason.
        reason: String,
    },
    /// A network has nodes in several slices of time.
    #[error(
        "a dynamic network{}; have the reader unroll it to a number of slices",
        slices.map_or_else(String::new, |slices| format!(" of {slices} slices"))
    )]
    Dynamic {
        /// The number of slices that the file gives.
        slices: Option<u32>,
    },
    /// A network has a node that only influence diagrams have.
    #[error(
        "`{node}` is a {kind} node, so that this is an influence diagram and no network of chances alone; read it as an influence diagram"
    )]
    InfluenceDiagram {
        /// Name of the node.
        node: String,
        /// `decision` or `utility`.
        kind: &'static str,
    },
    /// A decision influences a variable whose value is known when it is made.
    #[error(
        "the decision `{decision}` influences `{observed}`, which it observes; take `{observed}` out of what is known then"
    )]
    InfluencesObserved {
        /// Name of the decision.
        decision: String,
        /// Name of the known variable.
        observed: String,
    },
    /// A utility is a parent of another node, which only variables and decisions can be.
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
    /// Evidence is not JSON of the expected form.
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
    /// A variable or a state is not declared.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A variable is declared twice.
    #[error("the variable `{variable}` is declared a second time; keep one of the declarations")]
    RepeatedVariable {
        /// The variable.
        variable: String,
    },
    /// A variable has a state twice.
    #[error("`{variable}` has the state `{state}` a second time; name each state once")]
    RepeatedState {
        /// The variable.
        variable: String,
        /// The state.
        state: String,
    },
    /// The number of states that a variable declares differs from the number that it lists.
    #[error(
        "`{variable}` declares {declared} states and lists {found}; make them agree, and quote states with blanks, commas or brackets"
    )]
    StateCount {
        /// The variable.
        variable: String,
        /// The declared number of states.
        declared: usize,
        /// The number of listed states.
        found: usize,
    },
    /// A state contains blanks, which separate states.
    #[error(
        "`{variable}` has a state `{state}` with blanks, which separate states; quote it: `\"{state}\"`, wherever it stands"
    )]
    UnquotedState {
        /// The variable.
        variable: String,
        /// The state.
        state: String,
    },
    /// A variable has no states.
    #[error("`{variable}` has no states; give it at least one")]
    NoStates {
        /// The variable.
        variable: String,
    },
    /// A table lists a variable twice.
    #[error("the table names `{variable}` a second time; name each variable once")]
    RepeatedInTable {
        /// The variable.
        variable: String,
    },
    /// A variable has two conditional tables.
    #[error("`{variable}` has a second table; keep one of them")]
    SecondTable {
        /// The variable.
        variable: String,
    },
    /// A variable has no conditional table.
    #[error("`{variable}` has no table; add its probabilities")]
    NoTable {
        /// The variable.
        variable: String,
    },
    /// A table has two rows for the same states of the parents.
    #[error("the table of `{variable}` has the row {row} a second time; keep one of them")]
    RepeatedRow {
        /// The variable.
        variable: String,
        /// The states of the parents.
        row: String,
    },
    /// A table lacks a row.
    #[error("the table of `{variable}` lacks the row {row}; add it, or a `default` row")]
    MissingRow {
        /// The variable.
        variable: String,
        /// The states of the parents.
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
    /// The probabilities of a row do not sum to one.
    #[error(
        "the {} of `{variable}` sums to {}, which is more than rounding away from one; correct its numbers, or have the reader normalise rows",
        if row == "()" { "table".into() } else { format!("row {row}") },
        rounded(*.sum)
    )]
    RowSum {
        /// The variable.
        variable: String,
        /// The states of the parents.
        row: String,
        /// The sum of the row.
        sum: f64,
    },
    /// A variable is among its own ancestors.
    #[error("`{variable}` is among its own ancestors; take one of the parents on the cycle away")]
    Cycle {
        /// A variable on the cycle.
        variable: String,
    },
    /// A network, or one of its tables, exceeds a limit of the reader.
    #[error("{needed} {what}, which is more than a file of this size may declare ({limit})")]
    TooLarge {
        /// `states`, `entries` or `variables`.
        what: &'static str,
        /// The number in the file.
        needed: u128,
        /// The maximum number.
        limit: usize,
    },
    /// A formula has a second header.
    #[error("a second line `p cnf`; keep one of them")]
    RepeatedHeader,
    /// A clause has no end.
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
        /// The literal.
        literal: i64,
        /// The declared number of variables.
        variables: usize,
    },
    /// A literal has two weights.
    #[error("the literal {literal} has a weight a second time; keep one of them")]
    RepeatedWeight {
        /// The literal.
        literal: i64,
    },
    /// A formula requires the number of assignments of only some variables (projected counting), which is not supported.
    #[error(
        "asks for a projected count, of the assignments of some variables only, which is not done; take the line out to count those of all variables"
    )]
    Projected,
    /// An index is too large.
    #[error("there is no {what} {index}: they are numbered from 0 and there are {count}")]
    Index {
        /// `variable` or `state`, to which the index refers.
        what: &'static str,
        /// The index.
        index: usize,
        /// Number of variables or states.
        count: usize,
    },
    /// Evidence observes a variable twice, with different states or different weights.
    #[error(
        "`{variable}` is observed a second time, with another state or other weights; keep one of them"
    )]
    Contradiction {
        /// The variable.
        variable: String,
    },
    /// Evidence gives a state a value that is not a weight.
    #[error(
        "`{variable}` has {found} for the state `{state}`; give each state a weight, a finite number that is not negative"
    )]
    StateWeight {
        /// The variable.
        variable: String,
        /// The state.
        state: String,
        /// The value, in JSON.
        found: String,
    },
    /// Evidence has weights for some states of a variable, but not for all.
    #[error(
        "`{variable}` has no weight for the state `{state}`; give each state one, 0 where it is excluded"
    )]
    MissingWeight {
        /// The variable.
        variable: String,
        /// The first state without a weight.
        state: String,
    },
    /// Evidence gives all states of a variable the weight 0.
    #[error(
        "all states of `{variable}` have the weight 0, which excludes every world; give one of them more"
    )]
    ZeroWeights {
        /// The variable.
        variable: String,
    },
    /// The data is not valid as comma-separated values.
    #[error("not comma-separated values: {reason}")]
    Csv {
        /// Reason that the CSV reader gives.
        reason: String,
    },
    /// A quote in the data is not closed.
    #[error(
        "the quote that begins here does not end; add a `\"`, or write `\"\"` for a quote in a cell"
    )]
    OpenQuote,
    /// The data has a character that text files do not contain.
    #[error("the character {letter:?}, which no comma-separated values have; give a file of text")]
    NotPlainText {
        /// The character.
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
    /// A column of the data has no state in any row.
    #[error("the column `{variable}` has no state in any row; fill it, or leave it out")]
    EmptyColumn {
        /// The variable.
        variable: String,
    },
    /// The first line of the data has a variable twice.
    #[error("the column `{variable}` stands a second time; keep one of them")]
    RepeatedColumn {
        /// The variable.
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
    /// An evidence file holds several sets of evidence.
    #[error("{samples} sets of evidence; keep one of them in the file")]
    Samples {
        /// Number of sets of evidence.
        samples: usize,
    },
}

/// Writes a sum of probabilities without the rounding of its last digits.
fn rounded(sum: f64) -> String {
    let text = format!("{sum:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
