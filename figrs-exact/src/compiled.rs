//! The common interface of the compiled forms of a model: contraction trees, circuits and frontiers.

use figrs_core::{Element, Value};
use num_bigint::BigUint;
use rand::Rng;

use super::circuit::CompiledCircuit;
use super::frontier::CompiledFrontier;
use super::junction_tree::compiled_tree::CompiledTree;
use figrs_answer::answer::marginal::Marginal;
use figrs_answer::answer::world::World;
use figrs_answer::error::Error;

/// A model that was compiled once and answers many queries, also from several threads at the same time.
///
/// A compiled form returns [`Error::NotInAnswer`] if it does not support a query.
///
/// ```
/// # use figrs_core::{Flip, Model, fold};
/// # use figrs_exact::{Compiled, Frontier, JunctionTree};
/// # use figrs_answer::Error;
/// fn worlds(compiled: &impl Compiled) -> Result<String, Error> {
///     Ok(compiled.count()?.to_string())
/// }
/// let coins: Vec<_> = (0..6).map(|_| Flip::new(0.5)).collect();
/// let sum = fold(&coins, 0u32, |sum, &coin| sum + u32::from(coin));
/// let model = Model::new().observe(&sum, 2);
/// let tree = JunctionTree::new().compile(&model, &coins)?;
/// let frontier = Frontier::new().compile(&model, &coins)?;
/// assert_eq!([worlds(&tree)?, worlds(&frontier)?], ["15", "15"]);
/// assert!(frontier.k_best(2).is_err() && tree.k_best(2)?.len() == 2);
/// # Ok::<(), Error>(())
/// ```
pub trait Compiled: Clone + Send + Sync {
    /// Observes a varying element. The observation replaces the evidence of earlier calls of `set` and `weigh` on this element.
    ///
    /// **Errors.** [`Error::NotVarying`] if `element` was not declared varying; [`Error::NotInAnswer`] from a
    /// [`CompiledFrontier`].
    #[track_caller]
    fn set<T: Value>(&mut self, element: &Element<T>, value: T) -> Result<(), Error>;

    /// Returns the natural logarithm of the probability of the evidence; `-inf` if the evidence is impossible.
    fn log_evidence(&self) -> f64;

    /// Returns the distribution of the target `element`.
    ///
    /// **Errors.** [`Error::NotATarget`] for other elements; [`Error::ImpossibleEvidence`] if no world agrees with the
    /// evidence.
    fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error>;

    /// Returns the most probable world that agrees with the evidence.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`]; [`Error::NotInAnswer`] if the compiled form does not represent single worlds.
    fn most_probable(&self) -> Result<World, Error>;

    /// Returns the `count` most probable worlds, best first; if there are fewer worlds, all of them.
    ///
    /// **Errors.** The errors of [`most_probable`](Self::most_probable); [`Error::NotInAnswer`] from a [`CompiledFrontier`].
    fn k_best(&self, count: usize) -> Result<Vec<World>, Error>;

    /// Draws one world from the exact posterior distribution.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if no world agrees with the evidence.
    fn sample(&self, rng: &mut impl Rng) -> Result<World, Error>;

    /// Returns the number of worlds that agree with the evidence.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the compiled form does not represent single worlds; an error of the memory limit
    /// if the counts exceed it.
    fn count(&self) -> Result<BigUint, Error>;
}

/// Implements the methods of [`Compiled`] that all compiled forms have.
macro_rules! methods_of_all_forms {
    () => {
        fn log_evidence(&self) -> f64 {
            self.log_evidence()
        }

        fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
            self.distribution(element)
        }

        fn most_probable(&self) -> Result<World, Error> {
            self.most_probable()
        }

        fn sample(&self, rng: &mut impl Rng) -> Result<World, Error> {
            self.sample(rng)
        }

        fn count(&self) -> Result<BigUint, Error> {
            self.count()
        }
    };
}

/// Implements [`Compiled`] for a form whose evidence may change.
macro_rules! compiled_form {
    ($form:ty) => {
        impl Compiled for $form {
            #[track_caller]
            fn set<T: Value>(&mut self, element: &Element<T>, value: T) -> Result<(), Error> {
                self.set(element, value)
            }

            fn k_best(&self, count: usize) -> Result<Vec<World>, Error> {
                self.k_best(count)
            }

            methods_of_all_forms!();
        }
    };
}
compiled_form!(CompiledTree);
compiled_form!(CompiledCircuit);

impl Compiled for CompiledFrontier {
    /// Always returns an error, because the states of a compiled frontier depend on the evidence.
    fn set<T: Value>(&mut self, _: &Element<T>, _: T) -> Result<(), Error> {
        Err(unsupported(
            "evidence that may change",
            "state it in the model, or use JunctionTree::compile",
        ))
    }

    /// Returns an error for a `count` above one.
    fn k_best(&self, count: usize) -> Result<Vec<World>, Error> {
        match count {
            0 => Ok(Vec::new()),
            1 => Ok(vec![self.most_probable()?]),
            _ => Err(unsupported(
                "worlds after the most probable one",
                "use JunctionTree::compile",
            )),
        }
    }

    methods_of_all_forms!();
}

fn unsupported(asked: &'static str, remedy: &'static str) -> Error {
    Error::NotInAnswer {
        algorithm: "Frontier",
        asked,
        remedy,
    }
}
