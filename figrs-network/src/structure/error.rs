//! Errors of structure learning.

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use figrs_factor::eliminate::EliminationError;
use thiserror::Error;

use super::super::Unknown;

/// Reason why a structure cannot be scored or learned.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum StructureLearningError {
    /// The network is a Markov network, in which variables have no parents.
    #[error("a Markov network has no structure of parents and children; give a Bayesian network")]
    NotBayesian,
    /// A cell is missing in data that must be complete.
    #[error(
        "line {line} has no state of `{}` (its cell is empty, or a mark of missing values such as `NA`, `nan` or `None`), and a structure is scored on complete data only; fill the cell, leave the line out, \
         rename a state that is called so, or learn \
         from it: learning takes missing cells",
        printable(.variable)
    )]
    MissingCell {
        /// The line of the data, counted from 1.
        line: usize,
        /// Name of the variable, which is the name of the column.
        variable: String,
    },
    /// A variable has no state in any row of the data.
    #[error(
        "the data has no state of `{}`, and a structure is scored on complete data only; add the column, or leave the variable out of the network",
        printable(.variable)
    )]
    MissingColumn {
        /// Name of the variable.
        variable: String,
    },
    /// The data was read for a network with other variables or states.
    #[error(
        "the data is about other variables or states than the network; read it with this network"
    )]
    OtherData,
    /// The equivalent sample size of BDeu is not between 1e-100 and 1e100; with a smaller size, the prior count of a table cell could
    /// become zero.
    #[error(
        "the equivalent sample size {size:e} is none; give a positive number from 1e-100 to 1e100"
    )]
    EquivalentSampleSize {
        /// The invalid equivalent sample size.
        size: f64,
    },
    /// The prior count, which is added to all counts, is negative, larger than
    /// [`MOST_PRIOR`](super::super::NetworkLearner::MOST_PRIOR), or NaN.
    #[error("the prior count {count} is none; give a number from 0 to 1e15")]
    PriorCount {
        /// The invalid prior count.
        count: f64,
    },
    /// An arc or an order names a variable that the network does not have.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// An arc goes from a variable to itself.
    #[error("an arc from `{}` to itself is a cycle; name two variables", printable(.variable))]
    ArcToItself {
        /// Name of the variable.
        variable: String,
    },
    /// An arc is both required and forbidden.
    #[error(
        "the arc from `{}` to `{}` is both required and forbidden; keep one of the two",
        printable(.from),
        printable(.to)
    )]
    RequiredAndForbidden {
        /// Name of the parent of the arc.
        from: String,
        /// Name of the child of the arc.
        to: String,
    },
    /// Required arcs form a cycle.
    #[error("the required arcs form a cycle, {}; leave one of them out", printable(&.cycle.join(" -> ")))]
    RequiredCycle {
        /// Names of the variables on the cycle, where the first one is repeated at the end.
        cycle: Vec<String>,
    },
    /// A variable has more required parents than the maximum.
    #[error(
        "`{}` has {required} required parents, more than the {most} allowed; allow more parents, or require fewer",
        printable(.variable)
    )]
    TooManyRequired {
        /// Name of the variable.
        variable: String,
        /// Number of required parents.
        required: usize,
        /// The maximum number of parents.
        most: usize,
    },
    /// A required arc contradicts the order of variables for K2.
    #[error(
        "the required arc from `{}` to `{}` goes against the order of the variables; change the order",
        printable(.from),
        printable(.to)
    )]
    AgainstOrder {
        /// Name of the parent of the arc.
        from: String,
        /// Name of the child of the arc.
        to: String,
    },
    /// The order of variables for K2 contains a variable twice.
    #[error("the order names `{}` a second time; name each variable once", printable(.variable))]
    RepeatedInOrder {
        /// Name of the variable.
        variable: String,
    },
    /// The table of a variable with its required parents has too many entries.
    #[error(
        "the table of `{}` and its required parents would have {entries} entries, more than {limit}; require fewer arcs",
        printable(.variable)
    )]
    TableTooLarge {
        /// Name of the variable.
        variable: String,
        /// Number of entries of the table.
        entries: u128,
        /// Maximum number of entries.
        limit: usize,
    },
    /// The tables of a structure have too many entries in total.
    #[error(
        "the tables of the structure would have {entries} entries together, more than {limit}; allow fewer parents (`max_parents`), require fewer \
         arcs, or take a score with a penalty, such as BIC"
    )]
    TablesTooLarge {
        /// Total number of entries of all tables.
        entries: u128,
        /// Maximum number of entries.
        limit: usize,
    },
    /// The network has more variables than a search for a structure supports.
    #[error(
        "{count} variables, more than the {limit} that a search for arcs takes; leave some out"
    )]
    TooManyVariables {
        /// Number of variables.
        count: usize,
        /// Maximum number of variables.
        limit: usize,
    },
    /// There are too many expected counts: distinct rows with missing cells times pairs of variables.
    #[error(
        "{rows} different rows with missing cells and {families} pairs of variables are more expected counts than the limit of {limit}; leave out rows or \
         variables, or fill cells"
    )]
    TooManyExpectedCounts {
        /// Number of distinct rows with missing cells.
        rows: usize,
        /// Number of pairs of variables.
        families: u64,
        /// Maximum of the product of the two numbers.
        limit: u64,
    },
    /// The posterior of the missing cells of a row is too large to be computed.
    #[error(
        "line {line} has {cells} missing cells that depend on each other, and their joint posterior is too large to be computed; fill some of them, leave the \
         line out, or allow fewer parents (`max_parents`)"
    )]
    LargePosterior {
        /// The line of the data, counted from 1.
        line: usize,
        /// Number of missing cells of the line that depend on each other.
        cells: usize,
        /// The error of the elimination that would be too large.
        source: EliminationError,
    },
}
