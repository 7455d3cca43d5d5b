//! The compiled form of a model that `Exact` chooses: a junction tree or a circuit.

use std::rc::Rc;

use figrs_core::{Element, Value};
use num_bigint::BigUint;
use rand::Rng;

use super::attempts::Attempts;
use super::ladder::Ladder;
use crate::circuit::{Circuit, CompiledCircuit};
use crate::compiled::Compiled;
use crate::junction_tree::compiled_tree::CompiledTree;
use figrs_answer::{Algorithm, AlgorithmChoice, Answer, Error, Marginal, World};

/// A model compiled by [`Exact`](super::Exact).
#[derive(Clone, Debug)]
pub struct CompiledExact {
    /// The compiled form.
    pub form: CompiledForm,
    /// The algorithms that the portfolio tried in order to compile the model.
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

/// Compiles a model to a junction tree if the tree is predicted to take little work; otherwise tries a tree and a circuit in the order of their
/// predicted work.
pub(super) fn compile(attempts: Attempts<'_>) -> Result<CompiledExact, Error> {
    let mut ladder = CompilationLadder(attempts);
    let form = match ladder.at_little_cost()? {
        None => ladder.by_predicted_work()?,
        found => found,
    };
    match form {
        Some(form) => Ok(CompiledExact {
            form,
            choice: ladder.0.choice,
        }),
        None => Err(ladder.0.into_error()),
    }
}

struct CompilationLadder<'a>(Attempts<'a>);

impl<'a> Ladder<'a> for CompilationLadder<'a> {
    type Found = CompiledForm;

    fn attempts(&mut self) -> &mut Attempts<'a> {
        &mut self.0
    }

    fn eliminate(&mut self, operations: f64) -> Result<Option<CompiledForm>, Error> {
        let question = Rc::clone(&self.0.question);
        let tree = self.0.junction_tree(operations);
        let compile = || tree.compile_question(&question);
        let compiled = self.0.try_once(tree.name(), None, compile)?;
        let limits = self.0.settings.limits_afterwards();
        Ok(compiled.map(|tree| CompiledForm::Tree(Box::new(tree.limited_to(limits)))))
    }

    fn search(&mut self, decisions: f64) -> Result<Option<CompiledForm>, Error> {
        let (model, targets) = (self.0.question.model, self.0.question.targets);
        let compile = |circuit: Circuit| circuit.compile(model, targets.to_vec());
        let compiled = self.0.try_search(decisions, compile)?;
        Ok(compiled.map(|circuit| CompiledForm::Circuit(Box::new(circuit))))
    }
}

/// Calls a method of the compiled form, which is a junction tree or a circuit.
macro_rules! ask {
    ($form:ident: $place:expr => $question:expr) => {
        match $place {
            CompiledForm::Tree($form) => $question,
            CompiledForm::Circuit($form) => $question,
        }
    };
}

impl Compiled for CompiledExact {
    #[track_caller]
    fn set<T: Value>(&mut self, element: &Element<T>, value: T) -> Result<(), Error> {
        ask!(form: &mut self.form => form.set(element, value))
    }

    fn log_evidence(&self) -> f64 {
        ask!(form: &self.form => form.log_evidence())
    }

    fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        ask!(form: &self.form => form.distribution(element))
    }

    fn answer(&self) -> Result<Answer, Error> {
        ask!(form: &self.form => form.answer())
    }

    fn most_probable(&self) -> Result<World, Error> {
        ask!(form: &self.form => form.most_probable())
    }

    fn k_best(&self, count: usize) -> Result<Vec<World>, Error> {
        ask!(form: &self.form => form.k_best(count))
    }

    fn sample(&self, rng: &mut impl Rng) -> Result<World, Error> {
        ask!(form: &self.form => form.sample(rng))
    }

    fn count(&self) -> Result<BigUint, Error> {
        ask!(form: &self.form => form.count())
    }
}
