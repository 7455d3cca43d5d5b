//! The NET language of HUGIN.

mod block;
mod formula;
mod generated;
mod normal;
mod read;
mod token;
mod write;

pub(super) use read::read;
pub(super) use write::write;

#[cfg(test)]
mod tests;
