//! Errors about the members of collections and processes.

use std::fmt;
use std::panic::Location;

use figrs_derive::ErrorDebug;
use thiserror::Error;

/// The collection or the process that an error is about: its kind, and the source line that built it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) kind: &'static str,
    pub(super) location: &'static Location<'static>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind, self.location)
    }
}

/// The reason why a collection or a process has no member with an index.
///
/// The field `of` names the collection or the process, with the source line that built it.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum MemberError {
    /// No member has the index: it is outside the domain of a process, or not below the length of a collection.
    #[error(
        "the {of} has no member with the index {index} of type `{index_type}`{reason}; ask for another index, or exclude this one by \
         evidence{remedy}"
    )]
    NoMember {
        /// The collection or the process.
        of: String,
        /// The index.
        index: String,
        /// The type of the index.
        index_type: &'static str,
        /// The indices that exist.
        reason: String,
        /// A further remedy, or nothing.
        remedy: &'static str,
    },
    /// A process of members between neighbours has not yet made the member that an uncertain index asks for.
    #[error(
        "the {of} has not made its member with the index {index} of type `{index_type}`, and makes no members within a world, because each \
         depends on those made before; call `at` with this index before the run"
    )]
    NotMade {
        /// The process.
        of: String,
        /// The index.
        index: String,
        /// The type of the index.
        index_type: &'static str,
    },
    /// A member is made from itself.
    #[error(
        "the {of} makes its member with the index {index} of type `{index_type}` from itself, by the members {path}; make each member from earlier \
         ones, or ask for a member within a `flat_map` if only some worlds need it"
    )]
    Cycle {
        /// The process.
        of: String,
        /// The index of the member that is needed before it is made.
        index: String,
        /// The type of the index.
        index_type: &'static str,
        /// The members of the cycle.
        path: String,
    },
    /// A member is made from more members than a process makes at once.
    #[error(
        "the {of} needs over {limit} other members for one member, and stops at the index {index} of type `{index_type}`; give the process a \
         first member that is made from no other, or ask for other members within a `flat_map`"
    )]
    TooManyNeeded {
        /// The process.
        of: String,
        /// The index at which the process stops.
        index: String,
        /// The type of the index.
        index_type: &'static str,
        /// The maximum number of members that wait for other members.
        limit: usize,
    },
    /// A collection without members has no member to choose.
    #[error(
        "the {of} has no members in some worlds, so that none can be chosen; condition its `length` to be positive"
    )]
    Empty {
        /// The collection.
        of: String,
    },
    /// The number of members of a collection is negative, or too large for a `usize`.
    #[error(
        "the {of} cannot have {length} members of type `{length_type}`; its length is a number from 0 to {}: exclude this length by evidence",
        usize::MAX
    )]
    Length {
        /// The collection.
        of: String,
        /// The number of members.
        length: String,
        /// The type of the number of members.
        length_type: &'static str,
    },
}
