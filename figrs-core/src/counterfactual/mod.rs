//! Counterfactuals: worlds in which some elements have other values than in the factual world, with the same random choices.
//!
//! | file | content |
//! |---|---|
//! | `twin_world.rs` | the elements of the counterfactual world, built from the elements of the factual world |
//! | `twin_ops.rs` | the functions of the elements of the counterfactual world |
//! | `branch_memory.rs` | stored results of `Chain` elements, so that the factual and the counterfactual world get the same elements |

pub(crate) mod branch_memory;
mod twin_ops;
mod twin_world;

use std::fmt;
use std::sync::Arc;

use crate::element::Element;
use crate::element::node::AnyElement;
use crate::element::parents::Parents;
use crate::error::{Fault, ModelError};
use crate::model::Model;
use crate::value::Value;
use crate::value::datum::Datum;

use twin_world::TwinWorld;

/// A query about a counterfactual world, in which some elements have other values than in the factual world. Evidence holds in the factual world; the
/// changed values are set in the counterfactual world.
///
/// [`Model::had`] builds a counterfactual, and every algorithm answers it (`Run::run_counterfactual` of `figrs-answer`). The targets of a
/// counterfactual are elements of the model, but their values in the answer are the values in the counterfactual world.
///
/// **Semantics.** In the counterfactual world, an element set by `had` has the set value, independent of its parents. Evidence and
/// [`Score`](crate::Score)s hold in the factual world; interventions hold in both worlds. An element that depends on none of the set elements is the
/// same in the factual and in the counterfactual world. Deterministic functions are evaluated again in the counterfactual world. A chance is a random
/// choice: an atomic element, a row of a conditional table, or a member of a family of distributions for given values of its parameters. If the
/// factual and the counterfactual world evaluate a chance, the chance has the same value in both worlds. A chance that only one of the two worlds
/// evaluates is independent of the other world. In a `Chain` on `x`, the element `Flip::new(if x { 0.9 } else { 0.1 })` is a different chance for
/// each value of `x`. To use one random choice for both values of `x`, build a random number outside the `Chain`, and let both branches of the
/// `Chain` read this number.
///
/// **References.** Balke and Pearl, *Probabilistic evaluation of counterfactual queries*, AAAI 1994; Pearl, *Causality*, 2nd edition, 2009, section
/// 7.1.
///
/// ```
/// use figrs_core::{Flip, Model};
/// let thrown = Flip::new(0.5);
/// let aimed = Flip::new(0.9);
/// let broken = thrown.and(&aimed);
/// // It was thrown and broke. Would it be broken if it had not been thrown?
/// let had = Model::new().observe(&broken, true).had(&thrown, false);
/// # drop(had);
/// ```
#[derive(Clone)]
#[must_use]
pub struct Counterfactual {
    model: Model,
    world: Arc<TwinWorld>,
}

impl Model {
    /// Builds a counterfactual in which `element` has the value `value`; the evidence of this model holds in the factual world.
    ///
    /// See [`Counterfactual`].
    pub fn had<T: Value>(&self, element: &Element<T>, value: T) -> Counterfactual {
        let set = vec![(element.erased().clone(), Datum::new(value))];
        Counterfactual {
            world: TwinWorld::new(self, set, TwinWorld::MAX_ELEMENTS),
            model: self.clone(),
        }
    }
}

/// The targets of a counterfactual query, as elements that an algorithm can query.
#[derive(Clone, Debug)]
pub struct TwinTargets {
    /// For each target, its twin: the corresponding element in the counterfactual world.
    pub twins: Vec<AnyElement>,
    /// Elements of the factual world that the run must visit because they may reach `Score` elements.
    pub factual: Vec<AnyElement>,
}

impl Counterfactual {
    /// Sets `element` in the counterfactual world to `value`, which replaces a value that was set earlier.
    pub fn had<T: Value>(self, element: &Element<T>, value: T) -> Self {
        let mut set = self.world.set();
        set.retain(|(e, _)| e.id() != element.erased().id());
        set.push((element.erased().clone(), Datum::new(value)));
        let world = TwinWorld::new(&self.model, set, self.world.max_elements());
        world.keep_factual_of(&self.world);
        Self {
            world,
            model: self.model,
        }
    }

    /// Limits the number of stored elements that `Chain` elements created for the factual and the counterfactual world (default 2²⁰). Many elements
    /// must be stored if the parents of a `Chain` have very many values.
    pub fn max_elements(self, elements: usize) -> Self {
        let world = TwinWorld::new(&self.model, self.world.set(), elements);
        world.keep_factual_of(&self.world);
        Self {
            world,
            model: self.model,
        }
    }

    /// Returns an element that has the factual value of `element` also in the counterfactual world. A target can therefore combine the factual and
    /// the counterfactual values of elements.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model, tuple};
    /// # let (drug, well) = (Flip::new(0.5), Flip::new(0.5));
    /// let had = Model::new().had(&drug, false);
    /// // Well in the world that was, and in the world that would have been.
    /// let both = tuple((&had.was(&well), &well));
    /// # drop(both);
    /// ```
    #[track_caller]
    pub fn was<T: Value>(&self, element: &Element<T>) -> Element<T> {
        let factual = element.map(T::clone);
        self.world.keep_factual(factual.erased());
        factual
    }

    /// Returns the model of the factual world.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns elements that an algorithm can query with the [model](Self::model), while this counterfactual is alive.
    ///
    /// **Errors.** [`ModelError::Function`] if the query needs more stored elements than [allowed](Self::max_elements).
    pub fn targets(&self, targets: impl Parents) -> Result<TwinTargets, ModelError> {
        let targets = targets.elements();
        let evidence = self.model.evidence().iter().map(|(element, _)| element);
        for root in evidence.chain(&targets) {
            self.world.visit(root);
        }
        let twin = |target: &AnyElement| {
            self.world.check().map_err(|fault| target.fault(fault))?;
            let twin = TwinWorld::twin(&self.world, target);
            twin.map_err(|fault: Fault| target.fault(fault))
        };
        let twins: Vec<AnyElement> = targets.iter().map(twin).collect::<Result<_, _>>()?;
        let differs = |(target, twin): &(&AnyElement, &AnyElement)| target.id() != twin.id();
        let changed = targets.iter().zip(&twins).filter(differs);
        let factual = if self.world.may_reach_scores() {
            changed.map(|(target, _)| target.clone()).collect()
        } else {
            Vec::new()
        };
        Ok(TwinTargets { twins, factual })
    }
}

impl fmt::Debug for Counterfactual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counterfactual")
            .field("had", &self.world.set())
            .field("model", &self.model)
            .finish()
    }
}
