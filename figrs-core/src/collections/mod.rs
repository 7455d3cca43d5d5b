//! Collections of elements: lists whose length may be uncertain, and unbounded families of elements with an index.

mod elements;
mod error;
mod making;
mod parts;
mod process;
mod scan;
mod summary;

pub use elements::{Elements, Natural};
pub use error::MemberError;
pub use process::{Neighbour, Process};

#[cfg(test)]
mod tests;
