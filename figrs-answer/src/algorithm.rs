//! The common interface of all inference algorithms.

use std::fmt::Debug;

use figrs_core::{AnyElement, Counterfactual, Model, Parents, TwinTargets};

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

/// Runs an algorithm on a model; also works on `Box<dyn Algorithm>`.
pub trait Run: Algorithm {
    /// Answers about the targets: an element, an array, a list or a tuple of elements.
    ///
    /// **Errors.** Those of the algorithm; [`Error::Panicked`] if the code of a value's type panics.
    fn run(&self, model: &Model, targets: impl Parents) -> Result<Answer, Error> {
        guarded(|| {
            let targets = targets.elements();
            let answer = self.answer(model, &targets)?;
            Ok(answer.with_model(model.clone(), targets))
        })
    }

    /// Answers about the targets as they would have been: see [`Counterfactual`]. The answer is read by the elements of the model; its evidence
    /// holds in the world that was.
    ///
    /// **Guarantee.** That of the algorithm, on a model of both worlds.
    ///
    /// **Complexity.** That of the algorithm on the elements that the targets reach in both worlds: elements that depend on the set elements occur twice.
    ///
    /// **Errors.** Those of the algorithm; [`ModelError::Function`](figrs_core::ModelError::Function) if more elements have to be remembered than are allowed.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model};
    /// # use figrs_infer::{Run, VariableElimination};
    /// // A court orders an execution; two soldiers shoot on the captain's signal, and the prisoner dies of any shot.
    /// let order = Flip::new(0.7);
    /// let signal = order.map(|&order| order);
    /// let shots = [0, 1].map(|_| signal.map(|&signal| signal));
    /// let death = shots[0].or(&shots[1]);
    /// // The prisoner is dead. Would he be if the first soldier had not shot?
    /// let had = Model::new().observe(&death, true).had(&shots[0], false);
    /// let answer = VariableElimination::new().run_counterfactual(&had, &death)?;
    /// assert_eq!(answer.probability(&death, &true)?, 1.0);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    fn run_counterfactual(
        &self,
        counterfactual: &Counterfactual,
        targets: impl Parents,
    ) -> Result<Answer, Error> {
        guarded(|| {
            let targets = targets.elements();
            let TwinTargets { twins, factual } = counterfactual.targets(&targets)?;
            let roots = [&twins[..], &factual].concat();
            let answer = self.answer(counterfactual.model(), &roots)?;
            Ok(answer.of_twins(counterfactual, &targets, &twins))
        })
    }

    /// The natural logarithm of the probability of the evidence; `-inf` if an exact algorithm finds it impossible.
    ///
    /// A sampler none of whose samples meets the evidence returns [`Error::NoSampleMetEvidence`]; an algorithm that looks for one
    /// world does not compute this probability.
    fn log_evidence(&self, model: &Model) -> Result<f64, Error> {
        guarded(|| Ok(self.answer(model, &[])?.log_evidence()?.value))
    }

    /// The probability of the evidence: the exponential of [`log_evidence`](Self::log_evidence).
    fn probability_of_evidence(&self, model: &Model) -> Result<f64, Error> {
        Ok(self.log_evidence(model)?.exp())
    }
}

impl<A: Algorithm + ?Sized> Run for A {}

/// A list of different algorithms, for the same query to all of them.
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
