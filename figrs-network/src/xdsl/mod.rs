//! XDSL, the XML format of `GeNIe` and SMILE.

mod additive;
mod noisy_max;
mod read;
mod unroll;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// Property of a node that stores its name if the name is not an identifier.
const NAME: &str = "figrs_name";

/// Prefix of the property that stores the name of a state if the name is not an identifier; the index of the state follows.
const STATE: &str = "figrs_state_";

/// Property of a node that stores its index among the variables if the nodes of the file are in another order.
const PLACE: &str = "figrs_place";

#[cfg(test)]
mod tests;
