//! A compiled form that a portfolio has chosen.

use figrs_core::{Element, Value};
use num_bigint::BigUint;
use rand::Rng;

use super::attempts::{Attempts, DECISION};
use super::choice::AlgorithmChoice;
use super::{CHEAP, CHEAPEST};
use crate::algorithm::Algorithm;
use crate::answer::marginal::Marginal;
use crate::answer::world::World;
use crate::error::Error;
use crate::exact::circuit::CompiledCircuit;
use crate::exact::compiled::Compiled;
use crate::exact::junction_tree::JunctionTree;
use crate::exact::tree::compiled_tree::CompiledTree;

/// A model compiled by [`Exact`](super::Exact).
#[derive(Clone, Debug)]
pub struct CompiledExact {
    /// The compiled form.
    pub form: CompiledForm,
    /// The algorithms that were tried.
    pub choice: AlgorithmChoice,
}

/// A junction tree or a circuit.
#[derive(Clone, Debug)]
pub enum CompiledForm {
    /// A junction tree.
    Tree(Box<CompiledTree>),
    /// A circuit.
    Circuit(Box<CompiledCircuit>),
}

/// Compiles to a tree if that is cheap, else by the one of tree and circuit that is done first.
pub(super) fn compile(mut attempts: Attempts<'_>) -> Result<CompiledExact, Error> {
    let work = attempts.settings.work;
    let mut found = tree(&mut attempts, CHEAPEST.min(work))?;
    if found.is_none() && attempts.is_logical() {
        let decisions = attempts.first_decisions();
        found = circuit(&mut attempts, decisions)?;
    }
    if found.is_none() && attempts.refused_operations() <= CHEAP {
        found = tree(&mut attempts, CHEAP.min(work))?;
    }
    let whole = attempts.refused_operations();
    if found.is_none() {
        found = circuit(&mut attempts, whole.min(work) / DECISION)?;
    }
    if found.is_none() && whole.is_finite() && whole <= work {
        found = tree(&mut attempts, work)?;
    }
    match found {
        Some(form) => Ok(CompiledExact {
            form,
            choice: attempts.choice,
        }),
        None => Err(attempts.into_error()),
    }
}

/// A tree of at most so many predicted operations.
fn tree(attempts: &mut Attempts<'_>, operations: f64) -> Result<Option<CompiledForm>, Error> {
    let options = attempts.settings.elimination(operations, attempts.run);
    let budget = attempts.settings.budget;
    let mut tree = JunctionTree::new().budget(budget).options(options);
    if let Some(threads) = attempts.settings.threads {
        tree = tree.threads(threads);
    }
    let (model, targets) = (attempts.model, attempts.targets);
    let compiled =
        attempts.try_once(tree.name(), None, || tree.compile(model, targets.to_vec()))?;
    let limits = attempts.settings.limits_afterwards();
    Ok(compiled.map(|tree| CompiledForm::Tree(Box::new(tree.limited_to(limits)))))
}

/// The circuit of a search of at most so many decisions.
fn circuit(attempts: &mut Attempts<'_>, decisions: f64) -> Result<Option<CompiledForm>, Error> {
    let (model, targets) = (attempts.model, attempts.targets);
    let compiled = attempts.try_search(decisions, |circuit| {
        circuit.compile(model, targets.to_vec())
    })?;
    Ok(compiled.map(|circuit| CompiledForm::Circuit(Box::new(circuit))))
}

/// The same question to either form.
macro_rules! ask {
    ($self:expr, $form:ident => $question:expr) => {
        match $self.form {
            CompiledForm::Tree(ref $form) => $question,
            CompiledForm::Circuit(ref $form) => $question,
        }
    };
}

impl Compiled for CompiledExact {
    #[track_caller]
    fn set<T: Value>(&mut self, element: &Element<T>, value: T) -> Result<(), Error> {
        match &mut self.form {
            CompiledForm::Tree(tree) => tree.set(element, value),
            CompiledForm::Circuit(circuit) => circuit.set(element, value),
        }
    }

    fn log_evidence(&self) -> f64 {
        ask!(self, form => form.log_evidence())
    }

    fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        ask!(self, form => form.distribution(element))
    }

    fn most_probable(&self) -> Result<World, Error> {
        ask!(self, form => form.most_probable())
    }

    fn k_best(&self, count: usize) -> Result<Vec<World>, Error> {
        ask!(self, form => form.k_best(count))
    }

    fn sample(&self, rng: &mut impl Rng) -> Result<World, Error> {
        ask!(self, form => form.sample(rng))
    }

    fn count(&self) -> Result<BigUint, Error> {
        ask!(self, form => form.count())
    }
}
