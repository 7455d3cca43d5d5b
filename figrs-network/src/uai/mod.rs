//! The format of the UAI inference competitions.

mod read;
mod token;
mod write;

pub(super) use read::read;
pub(super) use token::{count, end};
pub(super) use write::write;

#[cfg(test)]
mod tests;
