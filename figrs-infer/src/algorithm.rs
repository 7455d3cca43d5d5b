//! The common interface of all inference algorithms.

use std::fmt::Debug;

use figrs_core::{AnyElement, Model, Parents};

use crate::answer::Answer;
use crate::error::Error;
use crate::run::guard::guarded;

/// An inference algorithm with its settings.
///
/// Implementing [`answer`](Self::answer) is all that a new algorithm needs; users call it through [`Run`].
pub trait Algorithm: Debug + Send + Sync {
    /// The name, for tables and messages.
    fn name(&self) -> &'static str;

    /// Answers about `targets` in the worlds of `model`.
    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error>;
}

impl<T: Algorithm + ?Sized> Algorithm for Box<T> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        (**self).answer(model, targets)
    }
}

/// Runs an algorithm on a model; works on `Box<dyn Algorithm>` as well.
pub trait Run: Algorithm {
    /// Answers about the targets: an element, an array, a list or a tuple of elements.
    ///
    /// **Errors.** Those of the algorithm; [`Error::Panicked`] if the code of a value's type panics.
    fn run(&self, model: &Model, targets: impl Parents) -> Result<Answer, Error> {
        guarded(|| self.answer(model, &targets.elements()))
    }

    /// The natural logarithm of the probability of the evidence; `-inf` if an exact algorithm finds it impossible.
    ///
    /// A sampler that met the evidence in no sample returns [`Error::NoSampleMetEvidence`]; an algorithm that looks for one
    /// world has no such probability.
    fn log_evidence(&self, model: &Model) -> Result<f64, Error> {
        guarded(|| Ok(self.answer(model, &[])?.log_evidence()?.value))
    }

    /// The probability of the evidence: the exponential of [`log_evidence`](Self::log_evidence).
    fn probability_of_evidence(&self, model: &Model) -> Result<f64, Error> {
        Ok(self.log_evidence(model)?.exp())
    }
}

impl<A: Algorithm + ?Sized> Run for A {}

/// A list of different algorithms, to put one query to all of them.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{Enumerate, Run, VariableElimination, algorithms};
/// let (model, coin) = (Model::new(), Flip::new(0.3));
/// for algorithm in algorithms![Enumerate::new(), VariableElimination::new()] {
///     println!("{}: {}", algorithm.name(), algorithm.run(&model, &coin)?.summary(&coin)?);
/// }
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[macro_export]
macro_rules! algorithms {
    ($($algorithm:expr),* $(,)?) => {
        [$(::std::boxed::Box::new($algorithm) as ::std::boxed::Box<dyn $crate::Algorithm>),*]
    };
}
