//! Kinds of networks.

/// Kind of a graphical model in a network file: Bayesian or Markov.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkKind {
    /// A Bayesian network, in which each variable has a conditional table.
    Bayesian,
    /// A Markov network, in which the tables are factors; the weight of an assignment is the product of their entries.
    Markov,
}
