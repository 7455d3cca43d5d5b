//! The queries that all compiled forms of a model answer: contraction trees, circuits, and the states of a frontier sweep.

use std::iter;

use figrs_core::{Element, Value, stream};
use num_bigint::BigUint;
use rand::Rng;

use figrs_answer::{Answer, Error, Marginal, World};

/// A model that was compiled once and answers many queries, also from several threads at the same time.
///
/// A compiled model returns [`Error::NotInAnswer`] for a query that it does not support.
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
    /// Observes an element whose evidence may change (a varying element). The observation by `set` replaces the evidence of earlier calls of `set`
    /// and `weigh` on this element. After an observation by `set`, evidence about the element that the model contained at compilation still applies.
    /// An observation of a value that the element cannot have is impossible evidence.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` was not declared varying; [`Error::NotInAnswer`] from a
    /// [`CompiledFrontier`](crate::CompiledFrontier).
    #[track_caller]
    fn set<T: Value>(&mut self, element: &Element<T>, value: T) -> Result<(), Error>;

    /// Returns the natural logarithm of the probability of the evidence; `-inf` if the evidence is impossible.
    fn log_evidence(&self) -> f64;

    /// Returns the distribution of `element`, a target or an element whose evidence may change.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is neither a target nor an element whose evidence may change; [`Error::ImpossibleEvidence`]
    /// if no world agrees with the evidence.
    fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error>;

    /// Returns the probability that `element`, a target or an element whose evidence may change, has the value `value`.
    ///
    /// **Errors.** The errors of [`distribution`](Self::distribution).
    fn probability<T: Value>(&self, element: &Element<T>, value: &T) -> Result<f64, Error> {
        Ok(self.distribution(element)?.probability(value))
    }

    /// Returns the distributions of all targets, and the probability of the evidence.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if the evidence is impossible and there are targets.
    fn answer(&self) -> Result<Answer, Error>;

    /// Returns the most probable world: values of the targets, the elements with evidence, and the elements on which these elements depend. A world
    /// of a [`CompiledFrontier`](crate::CompiledFrontier) consists only of the values of the targets; of equally probable worlds, the first in the
    /// order of values is returned.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`]; [`Error::NotInAnswer`] if the compiled model may have merged several worlds into one.
    fn most_probable(&self) -> Result<World, Error>;

    /// Returns the `count` most probable worlds, best first; if there are fewer worlds, all of them. All returned worlds are in memory at the same
    /// time.
    ///
    /// **Guarantee.** The result is exact; worlds of equal probability have a fixed order for each model.
    ///
    /// **Errors.** The errors of [`most_probable`](Self::most_probable); [`Error::NotInAnswer`] from a
    /// [`CompiledFrontier`](crate::CompiledFrontier).
    fn k_best(&self, count: usize) -> Result<Vec<World>, Error>;

    /// Draws one world from the exact posterior distribution.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if no world agrees with the evidence.
    fn sample(&self, rng: &mut impl Rng) -> Result<World, Error>;

    /// Returns an endless iterator of independent worlds, drawn from the exact posterior distribution. Iterators with the same seed draw the same
    /// worlds.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if no world agrees with the evidence.
    fn samples(&self, seed: u64) -> Result<impl Iterator<Item = World> + '_, Error> {
        let mut rng = stream(seed, 0);
        let first = self.sample(&mut rng)?;
        let others = iter::from_fn(move || self.sample(&mut rng).ok());
        Ok(iter::once(first).chain(others))
    }

    /// Returns the number of worlds that agree with the evidence.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the compiled model may have merged several worlds into one, so that they cannot be counted; an error if
    /// the counts exceed the memory limit.
    fn count(&self) -> Result<BigUint, Error>;
}
