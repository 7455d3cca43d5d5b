//! A model with a query, and the reading of an answer to it.

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
    /// A mean of weights: the probability of evidence.
    Weight,
    /// The natural logarithm of a mean of weights.
    LogWeight,
}

/// An answer to a query: a number with its standard error, and for "most likely" queries the values.
#[derive(Debug)]
pub struct Reading {
    /// The number.
    pub number: f64,
    /// Its standard error; zero where exact.
    pub standard_error: f64,
    /// Kind of the number.
    pub scale: Scale,
    /// The most likely values, by the names they have in the table.
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

/// Kind of answer that a query is read from.
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
    /// At most some ten thousand.
    Few,
    /// Finite, but too many to enumerate.
    Many,
    /// Infinite.
    Endless,
    /// Infinite, and none of the elements that make them so can be enumerated: for samplers only.
    Continuous,
}

/// A model with a query.
pub struct Asked {
    /// The model.
    pub model: Model,
    /// Targets of a run.
    pub targets: Vec<AnyElement>,
    /// Kind of answer that is read.
    pub form: Form,
    /// Number of samples that a sampler may draw.
    pub samples: u64,
    /// `true` if the query is the probability of the evidence.
    pub about_evidence: bool,
    read: Read<Reading>,
    /// Reads the query from an answer that has only bounds, if that is possible.
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

    /// Sets the number of samples, for models so large that 100 000 take too long.
    #[must_use]
    pub fn samples(mut self, samples: u64) -> Self {
        self.samples = samples;
        self
    }

    /// Adds an element to the targets, so that its worlds, Scores included, are those of the query.
    #[must_use]
    pub fn with_target<T: Value>(mut self, element: &Element<T>) -> Self {
        self.targets.push(element.erased().clone());
        self
    }

    /// True if the query can be read from an answer that has only bounds.
    pub fn has_bounds(&self) -> bool {
        self.bounds.is_some()
    }

    /// The bounds that an answer gives, if bounds can be read.
    pub fn read_bounds(&self, answer: &Answer) -> Option<Result<Bounds, Error>> {
        self.bounds.as_ref().map(|read| read(answer))
    }

    /// Reads the query from an answer.
    pub fn read(&self, answer: &Answer) -> Result<Reading, Error> {
        (self.read)(answer)
    }
}

/// The probability of one value.
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

/// The expectation of a function.
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

/// The probability that the value passes a test.
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

/// The logarithm of the probability of the evidence: for numbers that no `f64` holds.
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

/// The probability of the evidence.
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

/// Marginal MAP of the parts of one element, such as a tuple: its most likely value, everything else summed out.
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

/// One element of a world that is asked for, with the name it has in the table.
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

/// Asks about this element by this name.
pub fn asks<T: Value>(name: &'static str, element: &Element<T>) -> Asks {
    let own = element.clone();
    Asks {
        name,
        element: element.erased().clone(),
        read: Box::new(move |answer| Ok(format!("{:?}", answer.most_likely_value(&own)?))),
    }
}

/// The most probable world of these elements and the evidence, and its probability.
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
