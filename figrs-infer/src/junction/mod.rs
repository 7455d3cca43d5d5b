//! Contraction trees: every marginal, the most probable worlds and exact samples from one compiled elimination.
//!
//! | file | what it holds |
//! |---|---|
//! | `tensor`, `leaf`, `tree` | the tree: tensors in one layout, and the steps that contract them two by two |
//! | `assemble`, `pairs` | from a plan to a tree; which entries of tables with many zeros meet |
//! | `nest`, `kernel` | the inner loops |
//! | `beliefs` | the numbers: messages up and derivatives down |

mod assemble;
mod beliefs;
mod kernel;
mod leaf;
mod nest;
mod pairs;
mod tensor;
#[cfg(test)]
mod tests;
mod trace;
mod tree;

pub(crate) use beliefs::Beliefs;
pub(crate) use tree::Tree;
