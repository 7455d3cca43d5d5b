//! Formats of network files, such as BIF and XDSL.

use std::fmt;

/// A format in which a network or influence diagram can be stored in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NetworkFormat {
    /// BIF, the Interchange Format for Bayesian Networks.
    Bif,
    /// BIFXML version 0.3, the XML format that succeeded BIF.
    Bifxml,
    /// DIMACS CNF, the format of formulas for model counters, optionally with weights of literals; figrs reads this format but does not write it.
    Cnf,
    /// The NET language of the program HUGIN.
    Net,
    /// The format of the UAI inference competitions, in which variables have no names.
    Uai,
    /// XDSL, the XML format of the programs `GeNIe` and SMILE.
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
