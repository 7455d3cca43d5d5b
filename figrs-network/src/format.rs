//! Formats of network files.

use std::fmt;

/// A format of network files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NetworkFormat {
    /// The Interchange Format for Bayesian Networks.
    Bif,
    /// Its successor in XML, version 0.3.
    Bifxml,
    /// A formula in DIMACS CNF, perhaps with weights of literals, as model counters take it; read only.
    Cnf,
    /// The NET language of HUGIN.
    Net,
    /// The format of the UAI inference competitions, which has no names.
    Uai,
    /// The XML format of `GeNIe` and SMILE.
    Xdsl,
}

impl fmt::Display for NetworkFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bif => "BIF",
            Self::Bifxml => "BIFXML",
            Self::Cnf => "CNF",
            Self::Net => "NET",
            Self::Uai => "UAI",
            Self::Xdsl => "XDSL",
        })
    }
}
