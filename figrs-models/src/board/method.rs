//! Methods that draw boards, and the reasons for the choice of a method.

use std::fmt;

/// A method that draws boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The exact method explores the states of the board, which is read cell by cell. Boards of the exact method are independent and have exactly
    /// their probabilities.
    Exact,
    /// Rejection draws boards without some demands and keeps the boards that meet these demands. Boards of rejection are independent and have exactly
    /// their probabilities.
    Rejection,
    /// Particles read the board cell by cell. Boards drawn by particles are independent; their distribution tends to the exact one as the number of
    /// particles grows.
    Particles,
    /// Markov chains of whole boards, from the [cells and rules](super::RuledCells) of the generator. The distribution of the boards of Markov chains
    /// tends to the exact one as the chains run.
    Chain,
    /// The [generator's own sampler](super::OwnSampler), with its name.
    Own(&'static str),
}

impl Method {
    /// Returns the name of the method in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Rejection => "rejection",
            Self::Particles => "particles",
            Self::Chain => "chain",
            Self::Own(name) => name,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A method with the reason for its choice, written as a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodChoice {
    /// The method.
    pub method: Method,
    /// The reason for the choice.
    pub reason: Reason,
}

/// Reason why the sampler chose a method.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The caller allows no other method.
    Asked,
    /// The method draws boards of any size exactly without exploring states.
    Direct,
    /// The method that was tried before drew boards, but none of them met the demands.
    TooRare {
        /// Number of boards in a row that did not meet the demands.
        tried: u64,
    },
    /// The states of the exact method are known to fit into memory.
    Fits {
        /// Size of the states in bytes.
        bytes: u64,
    },
    /// The states of the exact method are predicted to fit into memory.
    PredictedToFit {
        /// Predicted size of the states in bytes.
        bytes: f64,
    },
    /// Independent cells often follow the rules, and the exact method is predicted to need many states.
    OftenMet,
    /// Few boards are wanted, and the method is predicted to draw them several times as quickly as the exact method.
    Quicker {
        /// Predicted size in bytes of the states of the exact method.
        predicted: f64,
    },
    /// The exact method and rejection ran in rounds of equal work, and this method finished first.
    FirstInTurn {
        /// Size in bytes of the states of the exact method in the last round.
        round: u64,
    },
    /// The states of the exact method do not fit into memory.
    TooLarge {
        /// Predicted size of the states in bytes, if it exceeds the limit.
        predicted: Option<f64>,
        /// The limit in bytes.
        limit: u64,
    },
    /// No probabilistic program can be built for boards of this size or with these demands.
    NoElements,
}

/// A predicted number of bytes, which may be infinite, as text.
pub(super) struct Predicted(pub(super) f64);

impl fmt::Display for Predicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Number of bytes that exceeds any memory; larger numbers have the same text.
        const MOST: f64 = 1e18;
        if self.0 < MOST {
            write!(f, "about {:.0}", self.0)
        } else {
            f.write_str("over 10^18")
        }
    }
}

impl fmt::Display for MethodChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.method)?;
        match self.reason {
            Reason::Asked => f.write_str("no other method is allowed"),
            Reason::Direct => f.write_str("it draws boards of any size exactly"),
            Reason::Fits { bytes } => write!(f, "its states take {bytes} bytes"),
            Reason::PredictedToFit { bytes } => {
                write!(
                    f,
                    "its states are predicted to take {} bytes",
                    Predicted(bytes)
                )
            }
            Reason::TooRare { tried } => {
                write!(
                    f,
                    "none of {tried} independent boards in a row met the demands"
                )
            }
            Reason::OftenMet => {
                f.write_str("boards that are drawn without the rules often follow them")
            }
            Reason::Quicker { predicted } => write!(
                f,
                "it draws a few boards sooner than the exact method, whose states are predicted to take {} bytes",
                Predicted(predicted)
            ),
            Reason::FirstInTurn { round } => write!(
                f,
                "it was the first to draw the boards, when all methods worked in turn, with up to {round} bytes of states in a round"
            ),
            Reason::TooLarge { predicted, limit } => {
                f.write_str("the states of the exact method take ")?;
                match predicted {
                    Some(bytes) => write!(f, "{}", Predicted(bytes))?,
                    None => f.write_str("too many")?,
                }
                write!(f, " bytes, but only {limit} bytes are allowed")
            }
            Reason::NoElements => {
                f.write_str("such boards cannot be expressed as a program of elements")
            }
        }
    }
}
