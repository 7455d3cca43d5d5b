//! The common interface of all inference algorithms.

use std::fmt::Debug;

use figrs_core::{AnyElement, Counterfactual, Model, ParameterValues, Parents, TwinTargets};

use crate::answer::Answer;
use crate::error::{Error, guarded};
use crate::run::run_state::RunState;
use crate::run::running::Running;
use crate::run::watch::Watch;

/// An inference algorithm with its settings.
///
/// A new algorithm needs to implement only [`answer`](Self::answer); users call the algorithm through [`Run`].
pub trait Algorithm: Debug + Send + Sync {
    /// The name of the algorithm, for tables and messages.
    fn name(&self) -> &'static str;

    /// Computes the answer for `targets`, given the evidence of `model`.
    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error>;

    /// Creates the initial state of a run. After `begin` has created the state, [`Run::start`] does the work of the run in a thread.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if runs of the algorithm can only be started by [`Run::run`].
    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        let _ = (model, targets);
        Err(Error::NotInAnswer {
            algorithm: self.name(),
            asked: "results before its end",
            remedy: "use `run`, or start a sampler, SimulatedAnnealing, LazyVariableElimination or Exact",
        })
    }

    /// Returns the deadline, the interrupt and the progress listener in the settings of this algorithm, for an enclosing algorithm that runs this
    /// algorithm as one of its steps; the default is `None`.
    #[doc(hidden)]
    fn own_watch(&self) -> Option<&Watch> {
        None
    }

    /// True if the answers of this algorithm consist of the most probable world, as those of `MpeExact`; the default is false.
    fn finds_world(&self) -> bool {
        false
    }

    /// Returns a sampler whose estimates check the approximate answers of this algorithm, such as the sampler of `ExpectationPropagation`; the
    /// default is `None`.
    fn correction(&self) -> Option<Box<dyn Algorithm>> {
        None
    }
}

impl<T: Algorithm + ?Sized> Algorithm for Box<T> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        (**self).answer(model, targets)
    }

    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        (**self).begin(model, targets)
    }

    fn own_watch(&self) -> Option<&Watch> {
        (**self).own_watch()
    }

    fn finds_world(&self) -> bool {
        (**self).finds_world()
    }

    fn correction(&self) -> Option<Box<dyn Algorithm>> {
        (**self).correction()
    }
}

/// The methods that run an algorithm on a model. `Box<dyn Algorithm>` implements the trait `Run` too.
pub trait Run: Algorithm {
    /// Computes the answer about some targets: an element, or an array, a list or a tuple of elements.
    ///
    /// **Errors.** Any error of the algorithm, and [`Error::Panicked`] if the code of a value's type panics.
    fn run(&self, model: &Model, targets: impl Parents) -> Result<Answer, Error> {
        guarded(|| {
            let targets = targets.elements();
            let answer = self.answer(model, &targets)?;
            Ok(answer.with_model(model.clone(), targets))
        })
    }

    /// Starts a run in a thread of its own. At any time, the run can give its answer so far, be stopped, be resumed and be lengthened; see
    /// [`Running`].
    ///
    /// The samplers, [`SimulatedAnnealing`], [`LazyVariableElimination`], [`Exact`] and [`MpeExact`] can be started. If the settings are wrong
    /// or the algorithm cannot be started, the answer of the run is the error.
    ///
    /// [`SimulatedAnnealing`]: ../figrs_infer/struct.SimulatedAnnealing.html
    /// [`LazyVariableElimination`]: ../figrs_exact/struct.LazyVariableElimination.html
    /// [`Exact`]: ../figrs_exact/struct.Exact.html
    /// [`MpeExact`]: ../figrs_exact/struct.MpeExact.html
    ///
    /// ```
    /// # use figrs_core::{Flip, Model};
    /// # use figrs_infer::{ImportanceSampling, Run};
    /// let rain = Flip::new(0.2);
    /// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
    /// let model = Model::new().observe(&wet, true);
    /// let running = ImportanceSampling::anytime().start(&model, &rain);
    /// let first = loop {
    ///     match running.answer() {
    ///         Ok(answer) => break answer,
    ///         Err(_) => std::thread::yield_now(), // no world has been drawn yet
    ///     }
    /// };
    /// running.stop();
    /// let last = running.answer()?;
    /// assert!(last.sampling().unwrap().done >= first.sampling().unwrap().done);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    fn start(&self, model: &Model, targets: impl Parents) -> Running {
        let targets = targets.elements();
        let parameters = ParameterValues::of_model(model, &targets);
        Running::new(guarded(|| self.begin(model, &targets)), parameters)
    }

    /// Computes the answer to a counterfactual: the values that the targets would have had; see [`Counterfactual`]. To read the answer to a
    /// counterfactual, query it with the elements of the original model. The evidence of a counterfactual holds in the factual world.
    ///
    /// **Guarantee.** The answer has the guarantee that the algorithm gives for a model that contains both the factual and the counterfactual world.
    ///
    /// **Complexity.** The complexity is that of the algorithm for all elements on which the targets depend in the factual and in the counterfactual
    /// world. In the complexity of a counterfactual query, an element counts twice if it depends on an element that is set in the counterfactual
    /// world.
    ///
    /// **Errors.** Any error of the algorithm, and [`ModelError::Function`](figrs_core::ModelError::Function) if the answer needs more stored
    /// elements than the counterfactual's limit allows.
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

    /// Returns the natural logarithm of the probability of the evidence; `-inf` if an exact algorithm finds that the evidence is impossible.
    ///
    /// A sampler returns [`Error::NoSampleMetEvidence`] if none of its samples satisfies the evidence. An algorithm that searches for a single world
    /// returns [`Error::NotInAnswer`].
    fn log_evidence(&self, model: &Model) -> Result<f64, Error> {
        guarded(|| Ok(self.answer(model, &[])?.log_evidence()?.value))
    }

    /// Returns the probability of the evidence, as the exponential of [`log_evidence`](Self::log_evidence).
    fn probability_of_evidence(&self, model: &Model) -> Result<f64, Error> {
        Ok(self.log_evidence(model)?.exp())
    }
}

impl<A: Algorithm + ?Sized> Run for A {}

/// Builds a list of different algorithms, each of which can answer the same query.
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
