//! A test case that consists of a model and a query, and the reading of answers to the query.

use std::fmt;

use figrs::prelude::*;
use figrs::{AnyElement, Bounds};

/// Kind of the number in an answer; the tolerance of an estimate depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The probability of an event.
    Probability,
    /// The expectation of a function.
    Expectation,
    /// A mean of weights, which estimates the probability of the evidence.
    Weight,
    /// The natural logarithm of a mean of weights.
    LogWeight,
}

/// An answer to a query: a number with its standard error and, for queries of the most probable world, the values of elements.
#[derive(Debug)]
pub struct Reading {
    /// The number that answers the query.
    pub number: f64,
    /// The standard error of the number; zero if the number is exact.
    pub standard_error: f64,
    /// The kind of the number.
    pub scale: Scale,
    /// The most probable values, each with the name that its element has in the table of test cases.
    pub values: Vec<(&'static str, String)>,
}

impl Reading {
    fn number(scale: Scale, number: f64, standard_error: f64) -> Self {
        Self {
            number,
            standard_error,
            scale,
            values: Vec::new(),
        }
    }
}

type Read<R> = Box<dyn Fn(&Answer) -> Result<R, Error>>;

/// The kind of answer from which a query is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The distributions of the targets.
    Marginals,
    /// The most probable world.
    World,
}

/// Size of the set of worlds of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worlds {
    /// At most some ten thousand worlds.
    Few,
    /// A finite number of worlds, but too many to enumerate.
    Many,
    /// Infinitely many worlds.
    Endless,
    /// Infinitely many worlds, because of elements whose values cannot be enumerated; only samplers can answer.
    Continuous,
}

/// A model with a query.
pub struct Asked {
    /// The model with its evidence.
    pub model: Model,
    /// Targets of a run of an algorithm.
    pub targets: Vec<AnyElement>,
    /// The kind of answer from which the query is read.
    pub form: Form,
    /// Number of samples that a sampler may draw.
    pub samples: u64,
    /// `true` if the query is the probability of the evidence.
    pub about_evidence: bool,
    read: Read<Reading>,
    /// Function that reads the query from an answer that has only bounds, if that is possible.
    bounds: Option<Read<Bounds>>,
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked")
            .field("model", &self.model)
            .field("targets", &self.targets)
            .finish_non_exhaustive()
    }
}

impl Asked {
    fn new<F>(model: Model, targets: Vec<AnyElement>, form: Form, read: F) -> Self
    where
        F: Fn(&Answer) -> Result<Reading, Error> + 'static,
    {
        Self {
            model,
            targets,
            form,
            samples: 100_000,
            about_evidence: false,
            read: Box::new(read),
            bounds: None,
        }
    }

    fn about_evidence(mut self) -> Self {
        self.about_evidence = true;
        self
    }

    fn bounds(mut self, read: impl Fn(&Answer) -> Result<Bounds, Error> + 'static) -> Self {
        self.bounds = Some(Box::new(read));
        self
    }

    /// Sets the number of samples, for models in which 100 000 samples take too long.
    #[must_use]
    pub fn samples(mut self, samples: u64) -> Self {
        self.samples = samples;
        self
    }

    /// Adds an element to the targets, so that the query is about the worlds of that element, including its Scores.
    #[must_use]
    pub fn with_target<T: Value>(mut self, element: &Element<T>) -> Self {
        self.targets.push(element.erased().clone());
        self
    }

    /// True if the query can be read from an answer that has only bounds.
    pub fn has_bounds(&self) -> bool {
        self.bounds.is_some()
    }

    /// Returns the bounds that an answer gives; `None` if the query cannot be read as bounds.
    pub fn read_bounds(&self, answer: &Answer) -> Option<Result<Bounds, Error>> {
        self.bounds.as_ref().map(|read| read(answer))
    }

    /// Reads the query from an answer.
    pub fn read(&self, answer: &Answer) -> Result<Reading, Error> {
        (self.read)(answer)
    }
}

/// Creates a test case that asks for the probability of one value of an element.
pub fn probability<T: Value>(model: Model, element: &Element<T>, value: T) -> Asked {
    let (element, targets) = (element.clone(), element.elements());
    let (own, wanted) = (element.clone(), value.clone());
    Asked::new(model, targets, Form::Marginals, move |answer| {
        Ok(Reading::number(
            Scale::Probability,
            answer.probability(&element, &value)?,
            answer.standard_error(&element, &value)?,
        ))
    })
    .bounds(move |answer| answer.bounds(&own, &wanted))
}

/// Creates a test case that asks for the expectation of a function of an element.
pub fn expectation<T: Value>(
    model: Model,
    element: &Element<T>,
    function: impl Fn(&T) -> f64 + 'static,
) -> Asked {
    let (element, targets) = (element.clone(), element.elements());
    Asked::new(model, targets, Form::Marginals, move |answer| {
        let distribution = answer.distribution(&element)?;
        Ok(Reading::number(
            Scale::Expectation,
            distribution.expectation(&function),
            distribution.standard_error_of(&function),
        ))
    })
}

/// Creates a test case that asks for the probability that the value of an element passes a test.
pub fn probability_that<T: Value>(
    model: Model,
    element: &Element<T>,
    test: fn(&T) -> bool,
) -> Asked {
    let (element, targets) = (element.clone(), element.elements());
    let own = element.clone();
    Asked::new(model, targets, Form::Marginals, move |answer| {
        let indicator = |v: &T| f64::from(u8::from(test(v)));
        let distribution = answer.distribution(&element)?;
        Ok(Reading::number(
            Scale::Probability,
            distribution.probability_that(test),
            distribution.standard_error_of(indicator),
        ))
    })
    .bounds(move |answer| answer.bounds_that(&own, test))
}

/// Creates a test case that asks for the logarithm of the probability of the evidence, for numbers that no `f64` holds.
pub fn log_evidence(model: Model) -> Asked {
    Asked::new(model, Vec::new(), Form::Marginals, |answer| {
        let log = answer.log_evidence()?;
        Ok(Reading::number(
            Scale::LogWeight,
            log.value,
            log.standard_error,
        ))
    })
    .about_evidence()
    .bounds(Answer::log_evidence_bounds)
}

/// Creates a test case that asks for the probability of the evidence.
pub fn probability_of_evidence(model: Model) -> Asked {
    Asked::new(model, Vec::new(), Form::Marginals, |answer| {
        let log = answer.log_evidence()?;
        let p = log.value.exp();
        Ok(Reading::number(Scale::Weight, p, p * log.standard_error))
    })
    .about_evidence()
    .bounds(|answer| {
        let Bounds { lower, upper } = answer.log_evidence_bounds()?;
        let (lower, upper) = (lower.exp(), upper.exp());
        Ok(Bounds { lower, upper })
    })
}

/// Creates a test case of marginal MAP: it asks for the most probable value of one element, such as a tuple, with all other elements summed out.
pub fn marginal_map<T: Value>(
    model: Model,
    element: &Element<T>,
    parts: fn(&T) -> Vec<(&'static str, String)>,
) -> Asked {
    let (element, targets) = (element.clone(), element.elements());
    Asked::new(model, targets, Form::Marginals, move |answer| {
        let best = answer.most_likely_value(&element)?;
        Ok(Reading {
            number: answer.probability(&element, &best)?,
            standard_error: answer.standard_error(&element, &best)?,
            scale: Scale::Probability,
            values: parts(&best),
        })
    })
}

/// An element whose value in the most probable world is asked for, with its name in the table of test cases.
#[must_use]
pub struct Asks {
    name: &'static str,
    element: AnyElement,
    read: Read<String>,
}

impl fmt::Debug for Asks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asks({})", self.name)
    }
}

/// Asks for the value of this element under this name.
pub fn asks<T: Value>(name: &'static str, element: &Element<T>) -> Asks {
    let own = element.clone();
    Asks {
        name,
        element: element.erased().clone(),
        read: Box::new(move |answer| Ok(format!("{:?}", answer.most_likely_value(&own)?))),
    }
}

/// Creates a test case that asks for the most probable world of these elements and the evidence, and for its probability.
pub fn most_probable_world(model: Model, roots: Vec<Asks>) -> Asked {
    let targets = roots.iter().map(|root| root.element.clone()).collect();
    Asked::new(model, targets, Form::World, move |answer| {
        let value = |root: &Asks| Ok((root.name, (root.read)(answer)?));
        Ok(Reading {
            number: answer.log_probability()?.exp(),
            standard_error: 0.0,
            scale: Scale::Probability,
            values: roots.iter().map(value).collect::<Result<_, Error>>()?,
        })
    })
}
