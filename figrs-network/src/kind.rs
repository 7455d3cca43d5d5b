//! Kinds of networks.

/// Kind of a network: Bayesian or Markov.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkKind {
    /// A Bayesian network: each variable has a conditional table.
    Bayesian,
    /// A Markov network: the tables are factors, and the weight of a world is the product of their entries.
    Markov,
}
