//! Questions about a model, together with the right answers.

use std::fmt;

use figrs::prelude::*;
use figrs::{AnyElement, Bounds};

use crate::asked::{self, Asked, Reading, Worlds};

/// One number that is queried.
#[derive(Debug)]
pub struct Quantity {
    /// The name of the number in the reference; `[3]` at the end is a position in a list.
    pub name: String,
    /// The right number.
    pub exact: f64,
    asked: Asked,
}

impl Quantity {
    /// True if the number is the probability of the evidence.
    pub fn is_about_evidence(&self) -> bool {
        self.asked.about_evidence
    }

    /// Reads the number from an answer.
    ///
    /// # Errors
    ///
    /// Returns an error if the answer does not contain the number.
    pub fn read(&self, answer: &Answer) -> Result<Reading, Error> {
        self.asked.read(answer)
    }

    /// Reads the bounds from an answer that consists of bounds, if bounds can be read.
    pub fn read_bounds(&self, answer: &Answer) -> Option<Result<Bounds, Error>> {
        self.asked.read_bounds(answer)
    }
}

type Check = Box<dyn Fn(&Answer) -> Result<bool, Error>>;

/// The most probable world of a model.
pub struct Best {
    /// Elements that the world assigns.
    pub roots: Vec<AnyElement>,
    /// The natural logarithm of the joint probability of the world and the evidence.
    pub log_probability: f64,
    is_right: Check,
}

impl Best {
    /// True if the values in an answer are right.
    ///
    /// # Errors
    ///
    /// Returns an error if the answer is no world of the roots.
    pub fn is_right(&self, answer: &Answer) -> Result<bool, Error> {
        (self.is_right)(answer)
    }
}

impl fmt::Debug for Best {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Best")
            .field("log_probability", &self.log_probability)
            .finish_non_exhaustive()
    }
}

/// A model with evidence, and all queries of one run.
#[derive(Debug)]
#[must_use]
pub struct Question {
    /// The name of the question.
    pub name: &'static str,
    /// The name of the model in the reference.
    pub reference: &'static str,
    /// The model with its evidence.
    pub model: Model,
    /// Targets of a run of an algorithm.
    pub targets: Vec<AnyElement>,
    /// The numbers that are queried.
    pub quantities: Vec<Quantity>,
    /// The most probable world, if it is known.
    pub best: Option<Best>,
    /// The states of a process in the order of time, if the model is a process.
    pub sequence: Vec<AnyElement>,
    /// Size of the set of worlds of the model.
    pub worlds: Worlds,
    /// Number of samples that a sampler may draw.
    pub samples: u64,
}

impl Question {
    /// Creates a question without queries.
    pub fn new(reference: &'static str, model: Model) -> Self {
        Self {
            name: reference,
            reference,
            model,
            targets: Vec::new(),
            quantities: Vec::new(),
            best: None,
            sequence: Vec::new(),
            worlds: Worlds::Few,
            samples: 40_000,
        }
    }

    /// Sets a separate name, for one of several questions about the same reference model.
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Sets the size of the set of worlds, if there are more than a few.
    pub fn worlds(mut self, worlds: Worlds) -> Self {
        self.worlds = worlds;
        self
    }

    /// Sets the number of samples, instead of 40 000: fewer for large models, or more for rare evidence.
    pub fn samples(mut self, samples: u64) -> Self {
        self.samples = samples;
        self
    }

    /// Sets the states of a process in the order of time.
    pub fn sequence<T: Value>(mut self, states: &[Element<T>]) -> Self {
        self.sequence = states.elements();
        self
    }

    /// Asks for the probability of the evidence.
    pub fn evidence(self, name: &str, exact: f64) -> Self {
        let asked = asked::probability_of_evidence(self.model.clone());
        self.asks(name, exact, asked)
    }

    /// Asks for the natural logarithm of the probability of the evidence.
    pub fn log_evidence(self, name: &str, exact: f64) -> Self {
        let asked = asked::log_evidence(self.model.clone());
        self.asks(name, exact, asked)
    }

    /// Asks for the probability of a value.
    pub fn probability<T: Value>(
        self,
        name: &str,
        element: &Element<T>,
        value: T,
        exact: f64,
    ) -> Self {
        let asked = asked::probability(self.model.clone(), element, value);
        self.asks(name, exact, asked)
    }

    /// Asks for the probabilities of the values 0, 1, 2 and so on.
    pub fn probabilities(mut self, name: &str, element: &Element<usize>, exact: &[f64]) -> Self {
        for (value, &p) in exact.iter().enumerate() {
            self = self.probability(&format!("{name}[{value}]"), element, value, p);
        }
        self
    }

    /// Asks for the probability that a value passes a test.
    pub fn probability_that<T: Value>(
        self,
        name: &str,
        element: &Element<T>,
        test: fn(&T) -> bool,
        exact: f64,
    ) -> Self {
        let asked = asked::probability_that(self.model.clone(), element, test);
        self.asks(name, exact, asked)
    }

    /// Asks for the expectation of a function.
    pub fn expectation<T: Value>(
        self,
        name: &str,
        element: &Element<T>,
        function: impl Fn(&T) -> f64 + 'static,
        exact: f64,
    ) -> Self {
        let asked = asked::expectation(self.model.clone(), element, function);
        self.asks(name, exact, asked)
    }

    /// Asks for the most probable world of these elements, given the logarithm of its probability and a check of its values.
    pub fn most_probable(
        mut self,
        roots: impl Parents,
        log_probability: f64,
        is_right: impl Fn(&Answer) -> Result<bool, Error> + 'static,
    ) -> Self {
        self.best = Some(Best {
            roots: roots.elements(),
            log_probability,
            is_right: Box::new(is_right),
        });
        self
    }

    fn asks(mut self, name: &str, exact: f64, asked: Asked) -> Self {
        for target in &asked.targets {
            if self.targets.iter().all(|known| known.id() != target.id()) {
                self.targets.push(target.clone());
            }
        }
        self.quantities.push(Quantity {
            name: name.into(),
            exact,
            asked,
        });
        self
    }
}
