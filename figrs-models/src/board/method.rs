//! Methods that draw boards, and the reasons for their choice.

use std::fmt;

/// A method that draws boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Explores the states of the board read cell by cell: independent boards with exactly their probabilities.
    Exact,
    /// Draws boards without some demands and keeps those that meet them: exact as well.
    Rejection,
    /// Particles that read the board cell by cell: independent boards whose law tends to the exact one with more particles.
    Particles,
    /// Markov chains of whole boards, from the [cells and rules](super::RuledCells) of the generator: boards whose law tends to the exact one as the chains run on.
    Chain,
    /// The [generator's own sampler](super::OwnSampler) of this name.
    Own(&'static str),
}

impl Method {
    /// The name in lower case.
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

/// A method with the reason for its choice. As text, a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodChoice {
    /// The method.
    pub method: Method,
    /// The reason.
    pub reason: Reason,
}

/// Reason for the choice of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// No other method is allowed.
    Asked,
    /// The method draws boards of any size exactly, and needs no states.
    Direct,
    /// None of the boards of the previous method met the demands.
    TooRare {
        /// Number of boards in a row.
        tried: u64,
    },
    /// The states of the exact method fit into memory.
    Fits {
        /// Bytes that they take.
        bytes: u64,
    },
    /// The states of the exact method are predicted to fit into memory.
    PredictedToFit {
        /// Bytes that they are predicted to take.
        bytes: f64,
    },
    /// Boards without the rules often follow them, and the exact method is predicted to need many states.
    OftenMet,
    /// A few boards are asked for, which the method is predicted to draw several times as quickly as the exact one.
    Quicker {
        /// Predicted bytes of states of the exact method.
        predicted: f64,
    },
    /// Of the exact method and rejection, in rounds of equal work, this method had the boards first.
    FirstInTurn {
        /// Bytes of states of the exact method in the last round.
        round: u64,
    },
    /// The states of the exact method do not fit into memory.
    TooLarge {
        /// Predicted bytes of the states, if they exceed the limit.
        predicted: Option<f64>,
        /// The limit in bytes.
        limit: u64,
    },
    /// Boards of this size or with these demands have no element program.
    NoElements,
}

/// Text of a predicted number of bytes, which may be infinite.
pub(super) struct Predicted(pub(super) f64);

impl fmt::Display for Predicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Numbers from this one on, more than any memory has, are written alike.
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
            Reason::OftenMet => f.write_str("boards without the rules follow them often"),
            Reason::Quicker { predicted } => write!(
                f,
                "it draws a few boards sooner than the exact method, whose states are predicted to take {} bytes",
                Predicted(predicted)
            ),
            Reason::FirstInTurn { round } => write!(
                f,
                "it had the boards first, in rounds of equal work up to {round} bytes of states"
            ),
            Reason::TooLarge { predicted, limit } => {
                f.write_str("the states of the exact method take ")?;
                match predicted {
                    Some(bytes) => write!(f, "{}", Predicted(bytes))?,
                    None => f.write_str("more")?,
                }
                write!(f, " bytes, of which {limit} are allowed")
            }
            Reason::NoElements => f.write_str("such boards have no element program"),
        }
    }
}
