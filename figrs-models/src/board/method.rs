//! Methods that draw random boards, and the reasons for the choice of a method.

use std::fmt;

/// A method that draws random boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The exact method reads the board cell by cell and explores the states that can follow each cell. Boards drawn by the exact method are
    /// independent and have exactly their probabilities.
    Exact,
    /// Rejection draws boards without regard to some demands, and keeps the boards that meet these demands. Boards drawn by rejection are independent
    /// and have exactly their probabilities.
    Rejection,
    /// Particle filters read the board cell by cell. Boards drawn by particles are independent; their distribution tends to the exact one as the
    /// number of particles grows.
    Particles,
    /// Markov chains of whole boards, which use the [cells and rules](super::RuledCells) of the board generator. The distribution of the boards that
    /// Markov chains draw tends to the exact one as the chains run.
    Chain,
    /// The [board generator's own sampler](super::OwnSampler), with the name of its method.
    Own(&'static str),
}

impl Method {
    /// Returns the name of the method of drawing boards, in lower case.
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

/// A method of drawing boards with the reason for its choice, written as a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodChoice {
    /// The method.
    pub method: Method,
    /// The reason for the choice of the method.
    pub reason: Reason,
}

/// Reason why the sampler chose a method of drawing boards.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The caller allows no other method of drawing boards.
    Asked,
    /// The method draws boards of any size exactly without exploring states.
    Direct,
    /// The method that was tried before did draw boards, but none of them met the demands.
    TooRare {
        /// Number of boards in a row that did not meet the demands.
        tried: u64,
    },
    /// The states of the exact method are known to fit into memory.
    Fits {
        /// Size in bytes of the states of the exact method.
        bytes: u64,
    },
    /// The states of the exact method are predicted to fit into memory.
    PredictedToFit {
        /// Predicted size in bytes of the states of the exact method.
        bytes: f64,
    },
    /// Independent cells often follow the rules, and the exact method is predicted to need many states.
    OftenMet,
    /// Few boards are to be drawn, and the method is predicted to draw them several times as quickly as the exact method.
    Quicker {
        /// Predicted size in bytes of the states of the exact method.
        predicted: f64,
    },
    /// The exact method and rejection ran in rounds of equal work, and the chosen method finished first.
    FirstInTurn {
        /// Size in bytes of the states of the exact method in the last round.
        round: u64,
    },
    /// The states of the exact method do not fit into memory.
    TooLarge {
        /// Predicted size in bytes of the states of the exact method, if it exceeds the limit.
        predicted: Option<f64>,
        /// The limit in bytes.
        limit: u64,
    },
    /// No probabilistic program can be built for boards of the wanted size or with the wanted demands.
    NoElements,
}

/// A predicted number of bytes, which may be infinite, as text.
pub(super) struct Predicted(pub(super) f64);

impl fmt::Display for Predicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Number of bytes that exceeds any memory; all larger numbers are written as the same text.
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
