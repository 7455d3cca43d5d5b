//! Kinds of networks.

/// Kind of a network: Bayesian or Markov.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkKind {
    /// Each variable has a conditional table.
    Bayesian,
    /// The tables are factors; the weight of a world is the product of their entries.
    Markov,
}
