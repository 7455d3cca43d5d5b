//! The problem of a compiled model: the model, its targets, its varying elements (elements whose evidence may change), and their current evidence.

use std::sync::Arc;

use figrs_core::expand::Expansion;
use figrs_core::{AnyElement, Element, Limits, Model, Value};
use figrs_factor::graph::Weights;

use figrs_answer::answer::AnsweredModel;
use figrs_answer::{Answer, Error, Estimate, LogEvidence, Marginal, TargetMarginal, conflict};

/// A model with targets and varying elements (elements whose evidence may change), and the current evidence on the varying elements.
#[derive(Clone, Debug)]
pub(crate) struct CompiledProblem {
    algorithm: &'static str,
    pub(crate) model: Model,
    pub(crate) targets: Vec<AnyElement>,
    pub(crate) varying: Vec<AnyElement>,
    /// For each element of `varying`, a model that contains the current evidence on this element; `None` for an element without evidence.
    pub(crate) statements: Vec<Option<Model>>,
    pub(crate) limits: Limits,
}

impl CompiledProblem {
    pub(crate) fn new(
        algorithm: &'static str,
        model: &Model,
        targets: Vec<AnyElement>,
        varying: Vec<AnyElement>,
        limits: Limits,
    ) -> Self {
        Self {
            algorithm,
            model: model.clone(),
            statements: vec![None; varying.len()],
            targets,
            varying,
            limits,
        }
    }

    /// Returns the elements from which an expansion of the model starts: the targets, followed by the elements whose evidence may change.
    pub(crate) fn roots(&self) -> Vec<AnyElement> {
        self.targets.iter().chain(&self.varying).cloned().collect()
    }

    pub(crate) fn varying_positions<'e>(&self, expansion: &'e Expansion) -> &'e [usize] {
        &expansion.targets()[self.targets.len()..]
    }

    pub(crate) fn varying_place<T: Value>(&self, element: &Element<T>) -> Result<usize, Error> {
        let id = element.erased().id();
        let place = self.varying.iter().position(|e| e.id() == id);
        place.ok_or_else(|| Error::not_varying(element.label(), self.algorithm))
    }

    /// Returns the index of an element whose evidence may change, and a statement of evidence that the element has the given value.
    #[track_caller]
    pub(crate) fn observation<T: Value>(
        &self,
        element: &Element<T>,
        value: T,
    ) -> Result<(usize, Model), Error> {
        let statement = Model::new().observe(element, value);
        Ok((self.varying_place(element)?, statement))
    }

    /// Returns the index of an element whose evidence may change, and a statement of evidence that weighs the element's values.
    #[track_caller]
    pub(crate) fn weighting<T: Value>(
        &self,
        element: &Element<T>,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Result<(usize, Model), Error> {
        let statement = Model::new().weigh(element, weight);
        Ok((self.varying_place(element)?, statement))
    }

    /// Returns, for each element whose evidence may change, the weights that its current evidence gives to its values; `None` for an element without
    /// evidence.
    pub(crate) fn present_weights(
        &self,
        expansion: &Expansion,
    ) -> Result<Vec<Option<Weights>>, Error> {
        let statements = self.statements.iter().enumerate();
        let weights = |(place, statement): (_, &Option<Model>)| {
            self.weights(expansion, place, statement.as_ref())
        };
        statements.map(weights).collect()
    }

    /// Returns the weights that a statement of evidence gives to the values of an element.
    pub(crate) fn weights(
        &self,
        expansion: &Expansion,
        place: usize,
        statement: Option<&Model>,
    ) -> Result<Option<Weights>, Error> {
        let position = expansion.targets().get(self.targets.len() + place);
        let (Some(statement), Some(&position)) = (statement, position) else {
            return Ok(None);
        };
        let support = &expansion.elements()[position].support;
        let mut logs = vec![0.0; support.len()];
        let mut linear = vec![1.0; support.len()];
        for (element, evidence) in statement.evidence() {
            for i in 0..support.len() {
                (linear[i], logs[i]) = evidence.weight(element, support.any(i))?;
            }
        }
        let is_plain = |(x, log): (&f64, &f64)| x.is_normal() || *log == f64::NEG_INFINITY;
        Ok(Some(if linear.iter().zip(&logs).all(is_plain) {
            Weights::from_linear(linear)
        } else {
            Weights::from_logs(logs)
        }))
    }

    pub(crate) fn target_positions<'e>(&self, expansion: &'e Expansion) -> &'e [usize] {
        &expansion.targets()[..self.targets.len()]
    }

    /// Returns the distribution of a target or a varying element (an element whose evidence may change); the closure `probabilities` computes the
    /// probabilities for the element with a given index.
    pub(crate) fn distribution<T: Value>(
        &self,
        expansion: &Expansion,
        element: &Element<T>,
        probabilities: impl FnOnce(usize) -> Result<Vec<f64>, Error>,
    ) -> Result<Marginal<T>, Error> {
        let position = self.root(expansion, element.erased())?;
        let probabilities = probabilities(position)?;
        let support = &expansion.elements()[position].support;
        let values = support.values::<T>().into_iter().flatten().cloned();
        Ok(Marginal::new(
            values.collect(),
            probabilities,
            Estimate::Exact,
        ))
    }

    /// Returns an error if the `count` best worlds of a model with `variables` variables would take more memory than the limit allows.
    pub(crate) fn check_worlds(&self, count: usize, variables: usize) -> Result<(), Error> {
        // The memory of a world contains its values (twice), its choices or ranks, and the alternatives that lead to other worlds.
        let bytes = count as f64 * (variables as f64 * 12.0 + 128.0);
        Ok(self.limits.check_memory(bytes)?)
    }

    /// Returns the index, in an expansion (the list of elements and their values), of a target or of an element whose evidence may change.
    pub(crate) fn root(&self, expansion: &Expansion, element: &AnyElement) -> Result<usize, Error> {
        let mut roots = self.targets.iter().chain(&self.varying);
        let place = roots.position(|e| e.id() == element.id());
        let position = place.and_then(|place| expansion.targets().get(place).copied());
        match (position, place) {
            (Some(position), _) => Ok(position),
            (None, Some(_)) => Err(self.impossible()),
            (None, None) => Err(Error::not_a_target(element.label())),
        }
    }

    /// Returns the model with the current evidence on its varying elements (elements whose evidence may change), and the list of its targets and
    /// varying elements.
    pub(crate) fn with_present_evidence(&self) -> (Model, Vec<AnyElement>) {
        let statements = self.statements.iter().flatten();
        let model = statements.fold(self.model.clone(), Model::with_evidence_of);
        (model, self.roots())
    }

    pub(crate) fn impossible(&self) -> Error {
        self.impossible_within(&self.limits)
    }

    /// Returns the error for impossible evidence; `limits` limits the search for statements of evidence that contradict each other.
    pub(crate) fn impossible_within(&self, limits: &Limits) -> Error {
        let (model, roots) = self.with_present_evidence();
        conflict::impossible(&model, &roots, limits)
    }

    /// Computes the answer: the probability of the evidence, and the probabilities of the values of each target.
    pub(crate) fn answer(
        &self,
        expansion: &Expansion,
        log_evidence: f64,
        marginals: Vec<Vec<f64>>,
    ) -> Answer {
        let targets = self.targets.iter().zip(expansion.targets());
        let marginals = targets
            .zip(marginals)
            .map(|((element, &position), probabilities)| TargetMarginal {
                element: element.clone(),
                support: expansion.elements()[position].support.clone(),
                probabilities,
                estimate: Estimate::Exact,
            });
        let evidence = LogEvidence::exact(log_evidence);
        let answer = Answer::marginals(self.algorithm, marginals.collect(), evidence);
        if log_evidence == f64::NEG_INFINITY {
            return answer;
        }
        let asked = Arc::new(self.with_present_evidence());
        let answered = AnsweredModel::new(asked.clone(), &self.limits, expansion, log_evidence);
        let answer = answer.with_answered(answered);
        answer.with_question(asked)
    }
}

/// Expands a model into lists of values without sharing the calls of recursive functions, because an expansion with shared calls does not represent
/// single worlds.
pub(crate) fn unfolded_expansion(
    expansion: &Arc<Expansion>,
    model: &Model,
    roots: &[AnyElement],
    limits: &Limits,
) -> Result<Arc<Expansion>, Error> {
    if expansion.shares_calls() {
        Ok(Arc::new(Expansion::new(model, roots, limits)?))
    } else {
        Ok(Arc::clone(expansion))
    }
}

/// Defines the methods of a compiled model that set, replace and withdraw evidence on varying elements (elements whose evidence may change), by calls
/// of the compiled model's method `state`.
macro_rules! varying_evidence {
    () => {
        /// Weighs the worlds by the value of an element whose evidence may change. The weights given to `weigh` replace evidence that
        /// [`set`](crate::Compiled::set) or `weigh` stated about the element before.
        ///
        /// **Errors.** [`Error::UnknownElement`] if `element` was not declared varying; [`Error::Model`] if a weight is negative or not
        /// finite.
        #[track_caller]
        pub fn weigh<T: Value>(
            &mut self,
            element: &Element<T>,
            weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
        ) -> Result<(), Error> {
            let (place, statement) = self.problem.weighting(element, weight)?;
            self.state(place, Some(statement))
        }

        /// Withdraws the evidence that [`set`](crate::Compiled::set) or `weigh` stated about `element`.
        ///
        /// **Errors.** [`Error::UnknownElement`] if `element` was not declared varying.
        pub fn clear<T: Value>(&mut self, element: &Element<T>) -> Result<(), Error> {
            let place = self.problem.varying_place(element)?;
            self.state(place, None)
        }
    };
}
pub(crate) use varying_evidence;
