//! A model with a query, and how the query is read from an answer.

use figrs::AnyElement;
use figrs::prelude::*;

/// What an answer says: a number with its standard error, and for "most likely" queries the values.
#[derive(Debug)]
pub(crate) struct Reading {
    pub number: f64,
    pub standard_error: f64,
    pub values: Vec<(&'static str, String)>,
}

impl Reading {
    fn number(number: f64, standard_error: f64) -> Self {
        Self {
            number,
            standard_error,
            values: Vec::new(),
        }
    }
}

type Read<R> = Box<dyn Fn(&Answer) -> Result<R, Error>>;

/// Which kind of answer a query is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Marginals,
    World,
}

pub(crate) struct Asked {
    pub model: Model,
    pub targets: Vec<AnyElement>,
    pub form: Form,
    pub samples: u64,
    read: Read<Reading>,
    /// How the query is read where only bounds are known, if that can be.
    bounds: Option<Read<Bounds>>,
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
            read: Box::new(read),
            bounds: None,
        }
    }

    fn bounds(mut self, read: impl Fn(&Answer) -> Result<Bounds, Error> + 'static) -> Self {
        self.bounds = Some(Box::new(read));
        self
    }

    /// For models so large that 100 000 samples take too long.
    pub(crate) fn samples(mut self, samples: u64) -> Self {
        self.samples = samples;
        self
    }

    /// Asks about this element too: its worlds, Scores included, are those of the query.
    pub(crate) fn with_target<T: Value>(mut self, element: &Element<T>) -> Self {
        self.targets.push(element.erased().clone());
        self
    }

    pub(crate) fn has_bounds(&self) -> bool {
        self.bounds.is_some()
    }

    pub(crate) fn read_bounds(&self, answer: &Answer) -> Option<Result<Bounds, Error>> {
        self.bounds.as_ref().map(|read| read(answer))
    }

    pub(crate) fn read(&self, answer: &Answer) -> Result<Reading, Error> {
        (self.read)(answer)
    }
}

/// The probability of one value.
pub(crate) fn probability<T: Value>(model: Model, element: &Element<T>, value: T) -> Asked {
    let (element, targets) = (element.clone(), element.elements());
    let (own, wanted) = (element.clone(), value.clone());
    Asked::new(model, targets, Form::Marginals, move |answer| {
        Ok(Reading::number(
            answer.probability(&element, &value)?,
            answer.standard_error(&element, &value)?,
        ))
    })
    .bounds(move |answer| answer.bounds(&own, &wanted))
}

/// The expectation of a function.
pub(crate) fn expectation<T: Value>(
    model: Model,
    element: &Element<T>,
    function: fn(&T) -> f64,
) -> Asked {
    let (element, targets) = (element.clone(), element.elements());
    Asked::new(model, targets, Form::Marginals, move |answer| {
        let distribution = answer.distribution(&element)?;
        Ok(Reading::number(
            distribution.expectation(function),
            distribution.standard_error_of(function),
        ))
    })
}

/// The probability that the value passes a test.
pub(crate) fn probability_that<T: Value>(
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
            distribution.probability_that(test),
            distribution.standard_error_of(indicator),
        ))
    })
    .bounds(move |answer| answer.bounds_that(&own, test))
}

/// The logarithm of the probability of the evidence: for numbers that no `f64` holds.
pub(crate) fn log_evidence(model: Model) -> Asked {
    Asked::new(model, Vec::new(), Form::Marginals, |answer| {
        let log = answer.log_evidence()?;
        Ok(Reading::number(log.value, log.standard_error))
    })
    .bounds(Answer::log_evidence_bounds)
}

/// The probability of the evidence.
pub(crate) fn probability_of_evidence(model: Model) -> Asked {
    Asked::new(model, Vec::new(), Form::Marginals, |answer| {
        let log = answer.log_evidence()?;
        let p = log.value.exp();
        Ok(Reading::number(p, p * log.standard_error))
    })
    .bounds(|answer| {
        let Bounds { lower, upper } = answer.log_evidence_bounds()?;
        let (lower, upper) = (lower.exp(), upper.exp());
        Ok(Bounds { lower, upper })
    })
}

/// Marginal MAP of the parts of one element, such as a tuple: its most likely value, everything else summed out.
pub(crate) fn marginal_map<T: Value>(
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
            values: parts(&best),
        })
    })
}

/// One element of a world that is asked for, with the name it has in the table.
pub(crate) struct Asks {
    name: &'static str,
    element: AnyElement,
    read: Read<String>,
}

pub(crate) fn asks<T: Value>(name: &'static str, element: &Element<T>) -> Asks {
    let own = element.clone();
    Asks {
        name,
        element: element.erased().clone(),
        read: Box::new(move |answer| Ok(format!("{:?}", answer.most_likely_value(&own)?))),
    }
}

/// The most probable world of these elements and the evidence, and its probability.
pub(crate) fn most_probable_world(model: Model, roots: Vec<Asks>) -> Asked {
    let targets = roots.iter().map(|root| root.element.clone()).collect();
    Asked::new(model, targets, Form::World, move |answer| {
        let value = |root: &Asks| Ok((root.name, (root.read)(answer)?));
        Ok(Reading {
            number: answer.log_probability()?.exp(),
            standard_error: 0.0,
            values: roots.iter().map(value).collect::<Result<_, Error>>()?,
        })
    })
}
