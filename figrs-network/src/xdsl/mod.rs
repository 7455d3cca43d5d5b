//! Reads and writes XDSL, the XML format of the programs `GeNIe` and SMILE.

mod additive;
mod noisy_max;
mod read;
mod unroll;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// XDSL property that stores the name of a node if the name is not an identifier.
const NAME: &str = "figrs_name";

/// Prefix of the XDSL property that stores the name of a state if the name is not an identifier; the index of the state follows the prefix.
const STATE: &str = "figrs_state_";

/// XDSL property that stores the index of a node among the variables if the nodes of the file are in another order.
const PLACE: &str = "figrs_place";

#[cfg(test)]
mod tests;
