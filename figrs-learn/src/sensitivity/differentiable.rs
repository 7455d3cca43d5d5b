//! The model of an answer as a contraction tree for derivatives, which is compiled when the first derivative is requested.

use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, ElementId, Limits, Model, Param};
use figrs_factor::graph::Weights;
use rustc_hash::FxHashMap;

use super::outcomes::DifferentiableOutcomes;
use super::query::Query;
use figrs_answer::answer::AnsweredModel;
use figrs_answer::{Error, conflict, expand};
use figrs_exact::junction_tree::compiled_encoding::{CompiledEncoding, PreviousTree};
use figrs_factor::tree::{CountingTree, EntryDerivative};

/// Largest relative difference between two computed values of the log-evidence that counts as a rounding error.
const ROUNDING: f64 = 1e-8;

/// A contraction tree in which each table entry that is the probability of an outcome is linked to the outcome.
#[derive(Debug)]
pub(super) struct DifferentiableTree {
    expansion: Arc<Expansion>,
    encoding: CompiledEncoding,
    counting: CountingTree,
    names: FxHashMap<ElementId, AnyElement>,
    pub(super) outcomes: DifferentiableOutcomes,
}

impl DifferentiableTree {
    /// Returns the contraction tree of `model`, which is compiled at the first call.
    ///
    /// **Errors.** [`Error::ParameterChanged`] if a parameter has changed since the answer was computed; the errors of compiling the contraction
    /// tree.
    pub(super) fn of_answered(model: &AnsweredModel) -> Result<Arc<Self>, Error> {
        let changed = |parameter: &str| Error::ParameterChanged {
            parameter: parameter.to_string(),
        };
        if let Some(param) = model.parameters.changed() {
            return Err(changed(param.name()));
        }
        let known = model.compiled.get().cloned();
        if let Some(Ok(tree)) = known.map(Arc::downcast::<Self>) {
            return Ok(tree);
        }
        let mut tree = Self::new(&model.asked.0, &model.asked.1, &model.limits)?;
        tree.names.clone_from(&model.names);
        // Parameters that are read within shared calls are missing from the answer's list of parameters. A change of a parameter that is missing from
        // the list changes the log-evidence, which is therefore compared.
        let log_evidence = tree.encoding.log_total();
        if (log_evidence - model.log_evidence).abs() > ROUNDING * (1.0 + log_evidence.abs()) {
            return Err(changed("of a recursive function"));
        }
        let tree = Arc::new(tree);
        // Another thread may have stored the tree in the meantime; both trees are equal.
        let _ = model.compiled.set(tree.clone());
        Ok(tree)
    }
}

impl DifferentiableTree {
    fn new(model: &Model, roots: &[AnyElement], limits: &Limits) -> Result<Self, Error> {
        let mut expansion = expand(limits, model, roots)?;
        if expansion.shares_calls() {
            // The weights of a shared call are sums of products of parameters; the model is therefore expanded again without shared calls.
            expansion = Expansion::new(model, roots, limits)?;
        }
        if expansion.impossible().is_some() {
            return Err(conflict::impossible(model, roots, limits));
        }
        conflict::check_failures(&expansion, limits)?;
        let expansion = Arc::new(expansion);
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let encoding = CompiledEncoding::new(
            PreviousTree::None,
            &expansion,
            encoding,
            expansion.targets(),
            limits,
        )?;
        Ok(Self {
            counting: CountingTree::new(encoding.tree(), encoding.graph()),
            outcomes: DifferentiableOutcomes::new(&expansion),
            names: FxHashMap::default(),
            encoding,
            expansion,
        })
    }

    /// Returns the index, among the targets of the contraction tree, of the element of `query`, and the number that `query` assigns to each value of
    /// the element. Returns `None` if `query` asks for the log-evidence.
    fn numbers(&self, query: &Query) -> Result<Option<(usize, Vec<f64>)>, Error> {
        let Some(asked) = query.element() else {
            return Ok(None);
        };
        let element = self.names.get(&asked.id()).unwrap_or(asked);
        let elements = self.expansion.elements();
        let is_it = |&position: &usize| elements[position].element.id() == element.id();
        let place = self.expansion.targets().iter().position(is_it);
        let place = place.ok_or_else(|| Error::not_a_target(asked.label()))?;
        let support = &elements[self.expansion.targets()[place]].support;
        let numbers = query.numbers((0..support.len()).map(|i| support.any(i)))?;
        Ok(Some((place, numbers)))
    }

    fn expectation(&self, encoding: &CompiledEncoding, place: usize, numbers: &[f64]) -> f64 {
        let marginals = encoding.marginals(&[self.expansion.targets()[place]]);
        let terms = marginals.iter().flatten().zip(numbers);
        terms.fold(0.0, |sum, (p, x)| sum + p * x)
    }

    pub(super) fn value(&self, query: &Query) -> Result<f64, Error> {
        self.value_in(&self.encoding, query)
    }

    /// Returns the value of `query` for the value `value` of `parameter`; an error if the evidence would be impossible.
    pub(super) fn value_with(
        &self,
        query: &Query,
        parameter: &Param,
        value: f64,
    ) -> Result<f64, Error> {
        let logs = self.outcomes.log_weights(parameter, value)?;
        let encoding = self
            .encoding
            .with_log_weights(|origin| logs.get(&origin).copied());
        if encoding.log_total() == f64::NEG_INFINITY {
            return Err(Error::NoAnswerAt {
                parameter: parameter.name().to_string(),
                value,
                problem: "the evidence is impossible for this value".into(),
            });
        }
        self.value_in(&encoding, query)
    }

    fn value_in(&self, encoding: &CompiledEncoding, query: &Query) -> Result<f64, Error> {
        Ok(match self.numbers(query)? {
            Some((place, numbers)) => self.expectation(encoding, place, &numbers),
            None => encoding.log_total(),
        })
    }

    /// Returns the derivatives of `query` with respect to all factor entries that are probabilities of outcomes.
    ///
    /// Let `E` be the expectation of `f` given the evidence; the quotient rule gives `dE = d Σ (f(x) − E) P(x, evidence) / P(evidence)`, where `E` on
    /// the right-hand side is held constant. The sum of the positive terms and the sum of the negative terms are each a total weight of the
    /// contraction tree with other weights for the element of the query.
    pub(super) fn gradient(&self, query: &Query) -> Result<Gradient, Error> {
        let mut gradient = Gradient::new(self.outcomes.len());
        let Some((place, numbers)) = self.numbers(query)? else {
            gradient.add(1.0, &self.counting, &self.encoding);
            return Ok(gradient);
        };
        let mean = self.expectation(&self.encoding, place, &numbers);
        let log_total = self.encoding.log_total();
        let part = |weight: &dyn Fn(f64) -> f64| {
            let weights: Vec<f64> = numbers.iter().map(|&x| weight(x - mean)).collect();
            let mut part = self.encoding.clone();
            part.state(place, Some(Weights::from_linear(weights)));
            let share = (part.log_total() - log_total).exp();
            (part, share)
        };
        let (above, above_share) = part(&|x| x.max(0.0));
        let (below, below_share) = part(&|x| (-x).max(0.0));
        if above_share > 0.0 && below_share > 0.0 {
            gradient.add(above_share, &self.counting, &above);
            gradient.add(-below_share, &self.counting, &below);
            return Ok(gradient);
        }
        // Only one value of the function has positive probability, but another value may get a positive probability if parameters change slightly.
        // The numbers of the query are shifted by a constant, so that the numbers of all values are positive.
        let widest = numbers.iter().map(|x| (x - mean).abs());
        let widest = widest.fold(0.0, f64::max);
        if widest > 0.0 {
            let (shifted, _) = part(&|x| x + 2.0 * widest);
            gradient.add(2.0 * widest, &self.counting, &shifted);
            gradient.add(-2.0 * widest, &self.counting, &self.encoding);
        }
        Ok(gradient)
    }
}

/// The derivatives of a query with respect to the probabilities of outcomes, indexed by outcome.
#[derive(Debug)]
pub(super) struct Gradient {
    by_logarithm: Vec<f64>,
    at_zero: Vec<f64>,
}

impl Gradient {
    fn new(origins: usize) -> Self {
        Self {
            by_logarithm: vec![0.0; origins],
            at_zero: vec![0.0; origins],
        }
    }

    /// Adds to the gradient `factor` times the derivatives of the logarithm of a contraction tree's total weight.
    fn add(&mut self, factor: f64, counting: &CountingTree, encoding: &CompiledEncoding) {
        counting.derivatives(encoding.graph(), |origin, derivative| match derivative {
            EntryDerivative::ByLogarithm(slope) => {
                self.by_logarithm[origin as usize] += factor * slope;
            }
            EntryDerivative::AtZero(slope) => self.at_zero[origin as usize] += factor * slope,
        });
    }

    /// Returns the derivative of the query with respect to `parameter`, by the chain rule.
    ///
    /// **Errors.** [`Error::UnknownParameter`] if no probability in the model depends on `parameter`; [`Error::UnknownDependence`] if a derivative is
    /// not known.
    pub(super) fn along(
        &self,
        parameter: &Param,
        outcomes: &DifferentiableOutcomes,
    ) -> Result<f64, Error> {
        if !outcomes.depend_on(parameter) {
            return Err(Error::UnknownParameter {
                parameter: format!("{parameter:?}"),
            });
        }
        let weights = outcomes.derivatives(parameter)?;
        Ok(weights.iter().fold(0.0, |sum, weight| {
            let at = weight.origin as usize;
            // A weight is either zero or positive, and is the same at all entries with the same outcome. Therefore the derivative with respect to the
            // weight follows from only one of the lists `by_logarithm` and `at_zero`.
            let by_weight = if self.at_zero[at] == 0.0 {
                self.by_logarithm[at]
            } else {
                self.at_zero[at]
            };
            sum + by_weight * weight.slope
        }))
    }
}
