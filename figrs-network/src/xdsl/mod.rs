//! XDSL, the XML format of `GeNIe` and SMILE.

mod additive;
mod noisy_max;
mod read;
mod resulting;
mod unroll;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// Property of a node that holds its name, if the name is not an identifier.
const NAME: &str = "figrs_name";

/// Property of a node, followed by the index of a state, that holds the state's name if this is not an identifier.
const STATE: &str = "figrs_state_";

/// Property of a node that holds its position among the variables, if nodes are in another order.
const PLACE: &str = "figrs_place";

#[cfg(test)]
mod tests;
