//! The XML format of `GeNIe` and SMILE.

mod additive;
mod noisy_max;
mod read;
mod resulting;
mod unroll;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// A property of a node: its name, where that is no identifier.
const NAME: &str = "figrs_name";

/// A property of a node, before the index of a state: its name, where that is no identifier.
const STATE: &str = "figrs_state_";

/// A property of a node: its place among the variables, where nodes stand in another order.
const PLACE: &str = "figrs_place";

#[cfg(test)]
mod tests;
