//! Formats of network files.

use std::fmt;

/// A format of network files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NetworkFormat {
    /// The Interchange Format for Bayesian Networks.
    Bif,
    /// BIFXML, the XML successor of BIF in version 0.3.
    Bifxml,
    /// A formula in DIMACS CNF as model counters read it, optionally with weights of literals; this format can be read but not written.
    Cnf,
    /// The NET language of HUGIN.
    Net,
    /// The format of the UAI inference competitions; in this format, variables have no names.
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
