//! Learning of parameters against brute force, published numbers, and its guarantees.

mod published;
mod random_networks;
mod refusals;
