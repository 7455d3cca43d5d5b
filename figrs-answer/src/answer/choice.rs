//! The algorithms that a portfolio (such as `Exact`) has tried, with their results.

use std::fmt;

/// The algorithms that a portfolio (such as `Exact`) tried for an answer, in the order of their attempts. The last algorithm in the list of attempts
/// found the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlgorithmChoice {
    /// The attempts, in the order in which they were made.
    pub attempts: Vec<AlgorithmAttempt>,
    /// The sub-models that a `Strategy` solved separately; for other algorithms, the list is empty.
    pub submodels: Vec<SubmodelSolution>,
}

impl AlgorithmChoice {
    /// Adds an attempt of an algorithm whose number of operations was not predicted.
    #[doc(hidden)]
    pub fn record(&mut self, algorithm: &'static str, outcome: AttemptOutcome) {
        let attempt = AlgorithmAttempt::new(algorithm, None, outcome);
        self.attempts.push(attempt);
    }
}

/// A sub-model that a `Strategy` solved separately: the algorithms that solved it, and the quality of the distribution of its root (the element that
/// the rest of the model reads). In a search for the most probable world, a sub-model has a most probable world for each joint value of its interface
/// (its root and the elements that it reads), instead of a distribution.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SubmodelSolution {
    /// The name or the source line of the sub-model's root: the element that the rest of the model reads.
    pub root: String,
    /// Number of joint values of the root and of the elements that the sub-model reads.
    pub interface: usize,
    /// Number of joint values of the elements that the sub-model reads. The sub-model was solved once for each joint value of the elements that it
    /// reads.
    pub rows: usize,
    /// The algorithms that solved the sub-model. A sub-model may be solved by several algorithms, because it is solved for each joint value of the
    /// elements that it reads.
    pub algorithms: Vec<&'static str>,
    /// The worst quality of the root's distribution, over all joint values of the elements that the sub-model reads.
    pub quality: SubmodelQuality,
    /// The sub-models within this sub-model that were solved separately.
    pub submodels: Vec<SubmodelSolution>,
}

/// The quality of the distribution of the root of a sub-model, or of the most probable worlds of a sub-model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubmodelQuality {
    /// The distribution is exact up to rounding or, in a search for the most probable world, the worlds are proven to be the most probable.
    Exact,
    /// The distribution is known by bounds or, in a search for the most probable world, the probability of all worlds has an upper bound.
    Bounds,
    /// The distribution is an estimate or an approximation with an unknown error or, in a search for the most probable world, more probable worlds
    /// may exist.
    Approximate,
}

impl SubmodelSolution {
    #[doc(hidden)]
    #[must_use]
    pub fn new(root: String, interface: usize, rows: usize) -> Self {
        Self {
            root,
            interface,
            rows,
            algorithms: Vec::new(),
            quality: SubmodelQuality::Exact,
            submodels: Vec::new(),
        }
    }
}

/// The attempt of a portfolio (such as `Exact`) to compute the answer with one algorithm.
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
    /// The algorithm found only bounds, and no exact algorithm of the portfolio succeeded.
    Bounded,
    /// The algorithm was not run, or it failed; the text states the reason.
    Refused(String),
    /// The algorithm did not finish within its limit of work; the number is the number of decisions or steps of its search.
    OutOfWork(u64),
    /// The deadline passed, or the run was interrupted, before the algorithm ended.
    Stopped,
}

impl fmt::Display for SubmodelSolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quality = match self.quality {
            SubmodelQuality::Exact => "exact",
            SubmodelQuality::Bounds => "bounds",
            SubmodelQuality::Approximate => "approximate",
        };
        let algorithms = self.algorithms.join(", ");
        let (root, rows) = (&self.root, self.rows);
        write!(
            f,
            "sub-model {root} by {algorithms} ({rows} rows, {quality})"
        )?;
        for inner in &self.submodels {
            write!(f, ", which contains {inner}")?;
        }
        Ok(())
    }
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
            AttemptOutcome::OutOfWork(work) => write!(f, "was not finished after {work} steps"),
            AttemptOutcome::Stopped => write!(f, "was stopped"),
        }
    }
}

impl fmt::Display for AlgorithmChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, attempt) in self.attempts.iter().enumerate() {
            write!(f, "{}{attempt}", if i == 0 { "" } else { "; " })?;
        }
        for submodel in &self.submodels {
            write!(f, "; {submodel}")?;
        }
        Ok(())
    }
}
