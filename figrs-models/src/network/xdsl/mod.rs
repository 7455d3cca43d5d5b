//! The XML format of `GeNIe` and SMILE.

mod additive;
mod read;
mod resulting;

pub(super) use read::read;
