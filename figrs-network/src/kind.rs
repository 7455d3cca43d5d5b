//! Kinds of networks.

/// Kind of a network: Bayesian or Markov.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkKind {
    /// Each variable has a conditional table.
    Bayesian,
    /// The tables are factors; a world weighs as much as the product of them.
    Markov,
}
