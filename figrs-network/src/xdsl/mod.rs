//! The XML format of `GeNIe` and SMILE.

mod additive;
mod noisy_max;
mod read;
mod resulting;
mod unroll;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// A property of a node: its name, if this is not an identifier.
const NAME: &str = "figrs_name";

/// A property of a node, before the index of a state: the name of the state, if this is not an identifier.
const STATE: &str = "figrs_state_";

/// A property of a node: its place among the variables, if nodes are in another order.
const PLACE: &str = "figrs_place";

#[cfg(test)]
mod tests;
