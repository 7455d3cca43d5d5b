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

/// The reason why a collection or a process has no member with a given index.
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
        /// Name of the collection or the process.
        of: String,
        /// The index for which there is no member.
        index: String,
        /// Name of the type of the index.
        index_type: &'static str,
        /// The indices for which there are members.
        reason: String,
        /// A further remedy; empty if there is none.
        remedy: &'static str,
    },
    /// The index of a member is uncertain, and the member was not created before the run by its process, which cannot create it during the run
    /// because members depend on their neighbours.
    #[error(
        "the {of} has not created its member with the index {index} of type `{index_type}`, and cannot create it within a world, because each \
        member depends on members created before it; call `at` with this index before the run"
    )]
    NotMade {
        /// Name of the process.
        of: String,
        /// The index of the missing member.
        index: String,
        /// Name of the type of the index.
        index_type: &'static str,
    },
    /// A member depends on itself.
    #[error(
        "the member of the {of} with the index {index} of type `{index_type}` depends on itself through the members {path}; let each member \
        depend only on earlier ones, or ask for a member within a `flat_map` if only some worlds need it"
    )]
    Cycle {
        /// Name of the process.
        of: String,
        /// The index of the member that depends on itself.
        index: String,
        /// Name of the type of the index.
        index_type: &'static str,
        /// The indices of the members that depend on each other in a cycle.
        path: String,
    },
    /// More members wait for other members than the process allows.
    #[error(
        "the {of} needs more than {limit} other members for one member, and stopped at the index {index} of type `{index_type}`; give the process \
        a first member that depends on no other, or ask for other members within a `flat_map`"
    )]
    TooManyNeeded {
        /// Name of the process.
        of: String,
        /// The index of the member at which the limit is reached.
        index: String,
        /// Name of the type of the index.
        index_type: &'static str,
        /// The maximum number of members that wait for other members.
        limit: usize,
    },
    /// A member is chosen at random from a collection without members.
    #[error(
        "the {of} has no members in some worlds, so no member can be chosen; condition its `length` to be positive"
    )]
    Empty {
        /// Name of the collection.
        of: String,
    },
    /// The number of members of a collection is negative, or too large for a `usize`.
    #[error(
        "{length} of type `{length_type}` is neither a length nor an index of the {of}; both are numbers from 0 to {}: exclude this value by \
        evidence",
        usize::MAX
    )]
    Length {
        /// Name of the collection.
        of: String,
        /// The number of members.
        length: String,
        /// Name of the type of the number of members.
        length_type: &'static str,
    },
}
