//! The algorithms that a portfolio has tried, with their results.

use std::fmt;

/// The algorithms that a portfolio tried for an answer, in the order of their attempts. The last algorithm of
/// the list found the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlgorithmChoice {
    /// The attempts, in the order in which they were made.
    pub attempts: Vec<AlgorithmAttempt>,
}

/// The attempt of a portfolio to compute the answer with one algorithm.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AlgorithmAttempt {
    /// The name of the algorithm.
    pub algorithm: &'static str,
    /// The predicted number of operations of the algorithm, if there was a prediction.
    pub operations: Option<f64>,
    /// The result of the attempt.
    pub outcome: AttemptOutcome,
}

impl AlgorithmAttempt {
    /// Creates an attempt of the algorithm `algorithm`, with its predicted number of operations and its result.
    #[doc(hidden)]
    #[must_use]
    pub fn new(algorithm: &'static str, operations: Option<f64>, outcome: AttemptOutcome) -> Self {
        Self {
            algorithm,
            operations,
            outcome,
        }
    }
}

/// The result of an attempt to compute the answer with one algorithm.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttemptOutcome {
    /// The algorithm found the answer.
    Answered,
    /// The algorithm found bounds, because no exact algorithm succeeded.
    Bounded,
    /// The algorithm was not run, or it failed; the text states the reason.
    Refused(String),
    /// The algorithm did not finish within its limit of work; the number counts decisions or steps of a search.
    OutOfWork(u64),
    /// The deadline passed, or the run was interrupted, before the algorithm ended.
    Stopped,
}

impl fmt::Display for AlgorithmAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.algorithm;
        if let Some(operations) = self.operations {
            write!(f, "{name} (about {operations:.1e} operations) ")?;
        } else {
            write!(f, "{name} ")?;
        }
        match &self.outcome {
            AttemptOutcome::Answered => write!(f, "answered"),
            AttemptOutcome::Bounded => write!(f, "gave bounds"),
            AttemptOutcome::Refused(reason) => write!(f, "was refused: {reason}"),
            AttemptOutcome::OutOfWork(work) => write!(f, "was not done after {work} steps"),
            AttemptOutcome::Stopped => write!(f, "was stopped"),
        }
    }
}

impl fmt::Display for AlgorithmChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, attempt) in self.attempts.iter().enumerate() {
            write!(f, "{}{attempt}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}
