//! The algorithms that a portfolio has tried, with their results.

use std::fmt;

/// The algorithms that were tried for an answer, in the order of the attempts: the last algorithm found the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlgorithmChoice {
    /// The attempts.
    pub attempts: Vec<AlgorithmAttempt>,
}

/// An algorithm that was tried.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AlgorithmAttempt {
    /// The algorithm.
    pub algorithm: &'static str,
    /// The predicted number of operations, if it is known.
    pub operations: Option<f64>,
    /// The result.
    pub outcome: AttemptOutcome,
}

impl AlgorithmAttempt {
    /// An attempt.
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

/// Result of an attempt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttemptOutcome {
    /// The algorithm found the answer.
    Answered,
    /// The algorithm found bounds, as no exact algorithm succeeded.
    Bounded,
    /// The algorithm was not run, or failed, for this reason.
    Refused(String),
    /// The algorithm was not finished after its budget of work: decisions or steps of a search.
    OutOfWork(u64),
    /// The deadline passed, or the run was interrupted.
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
