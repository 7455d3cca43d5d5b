//! A model compiled to a decision circuit that answers many queries.

use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{Element, Limits, Model, Value};
use num_bigint::BigUint;
use rand::Rng;

use super::circuit_encoding::CircuitEncoding;
use crate::compiled::Compiled;
use crate::compiled_problem::{CompiledProblem, varying_evidence};
use crate::question::Question;
use figrs_answer::{Answer, Error, Marginal, World, conflict};
use figrs_search::circuit::SearchControl;

/// A model compiled to a decision circuit.
///
/// Compilation to a circuit runs the search of [`Circuit`](crate::Circuit) once. After a model has been compiled to a circuit, parameters may change,
/// and so may the evidence on elements that were declared [`varying`](crate::Circuit::varying). A query of a compiled circuit for a sum, a maximum or
/// a count takes one pass over the circuit, from the leaves to the root. The marginals of all targets take a second pass over the circuit, from the
/// root to the leaves.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::{Circuit, Compiled};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let mut circuit = Circuit::new().varying(&wet).compile(&Model::new(), &rain)?;
/// for (seen, expected) in [(true, 0.18 / 0.26), (false, 0.02 / 0.74)] {
///     circuit.set(&wet, seen)?;
///     assert!((circuit.probability(&rain, &true)? - expected).abs() < 1e-12);
/// }
/// assert!(!circuit.most_probable()?.value(&rain)?);
/// assert_eq!(circuit.count()?.to_string(), "2");
/// # Ok::<(), figrs_answer::Error>(())
/// ```
///
/// Queries do not change the compiled circuit. Several threads may query the same compiled circuit at the same time. A clone of a compiled circuit
/// shares the circuit with the original, but has its own evidence.
#[derive(Clone, Debug)]
pub struct CompiledCircuit {
    problem: CompiledProblem,
    cache_bytes: u64,
    expansion: Arc<Expansion>,
    /// The compiled circuit; `None` if the evidence at compilation is impossible.
    encoding: Option<CircuitEncoding>,
}

/// The kind of queries for which a circuit is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CircuitPurpose {
    /// The circuit is only for sums over worlds: calls of recursive functions may share their distributions, and the search may leave variables
    /// undecided.
    Sums,
    /// The circuit is for sums and for queries about single worlds.
    Worlds,
    /// The circuit only counts worlds, and variables that other variables determine are removed.
    Count,
}

impl CompiledCircuit {
    pub(super) fn new(
        problem: CompiledProblem,
        question: &Question<'_>,
        purpose: CircuitPurpose,
        cache_bytes: u64,
        (limits, control): (&Limits, &SearchControl<'_>),
    ) -> Result<Self, Error> {
        let expansion = match purpose {
            CircuitPurpose::Sums => question.expand(limits)?,
            CircuitPurpose::Worlds | CircuitPurpose::Count => question.expand_for_worlds(limits)?,
        };
        let mut encoding = None;
        if expansion.impossible().is_none() {
            conflict::check_failures(&expansion, limits)?;
            let worlds = match purpose {
                CircuitPurpose::Sums => Encoding::for_sums(&expansion, expansion.targets())?,
                CircuitPurpose::Worlds | CircuitPurpose::Count => Encoding::for_worlds(&expansion)?,
            };
            let kept = match purpose {
                CircuitPurpose::Sums | CircuitPurpose::Worlds => expansion.targets(),
                CircuitPurpose::Count => &[],
            };
            let varying = problem.varying_positions(&expansion);
            encoding = Some(CircuitEncoding::new(
                &expansion,
                worlds,
                (kept, varying),
                cache_bytes,
                control,
            )?);
        }
        let mut this = Self {
            problem,
            cache_bytes,
            expansion,
            encoding,
        };
        this.state_all()?;
        Ok(this)
    }

    /// Updates the circuit to the current evidence on all elements whose evidence may change.
    fn state_all(&mut self) -> Result<(), Error> {
        if let Some(encoding) = &mut self.encoding {
            let all = self.problem.present_weights(&self.expansion)?;
            for (place, weights) in all.into_iter().enumerate() {
                if weights.is_some() {
                    encoding.state(place, weights);
                }
            }
        }
        Ok(())
    }

    /// Returns the number of nodes of the circuit (sums, products, values and weights); zero if the evidence at compilation is
    /// impossible.
    pub fn nodes(&self) -> usize {
        let circuit = self
            .encoding
            .as_ref()
            .and_then(|e| e.labelled.circuit.as_ref());
        circuit.map_or(0, |circuit| circuit.nodes.len())
    }

    /// Returns the memory that the circuit takes, in bytes.
    pub fn bytes(&self) -> u64 {
        let circuit = self
            .encoding
            .as_ref()
            .and_then(|e| e.labelled.circuit.as_ref());
        circuit.map_or(0, |circuit| circuit.bytes() as u64)
    }

    varying_evidence!();

    fn state(&mut self, place: usize, statement: Option<Model>) -> Result<(), Error> {
        let weights = (self.problem).weights(&self.expansion, place, statement.as_ref())?;
        if let Some(encoding) = &mut self.encoding {
            encoding.state(place, weights);
        }
        self.problem.statements[place] = statement;
        Ok(())
    }

    /// Reads the current values of all [`Param`](figrs_core::Param)s. The search is repeated only if the circuit is not valid for the current values
    /// of the parameters: if a weight that the circuit assumes to be zero is no longer zero, if equal weights have become different, or if a weight
    /// of one that the circuit omits has changed.
    ///
    /// **Errors.** The errors of [`Circuit::compile`](crate::Circuit::compile); after an error, the circuit is unchanged.
    pub fn refresh(&mut self) -> Result<(), Error> {
        let limits = &self.problem.limits;
        let roots = self.problem.roots();
        let expansion = Arc::new(Expansion::new(&self.problem.model, &roots, limits)?);
        if let Some(old) = &self.encoding
            && expansion.impossible().is_none()
        {
            conflict::check_failures(&expansion, limits)?;
            let worlds = Encoding::for_worlds(&expansion)?;
            let varying = self.problem.varying_positions(&expansion);
            if let Some(renewed) = old.renewed(&expansion, worlds, varying) {
                let mut changed = Self {
                    expansion,
                    encoding: Some(renewed),
                    ..self.clone()
                };
                changed.state_all()?;
                *self = changed;
                return Ok(());
            }
        }
        let control = SearchControl::within(limits);
        let (problem, roots) = (self.problem.clone(), self.problem.roots());
        let model = problem.model.clone();
        *self = Self::new(
            problem,
            &Question::new(&model, &roots),
            CircuitPurpose::Worlds,
            self.cache_bytes,
            (limits, &control),
        )?;
        Ok(())
    }

    /// Returns the compiled factor graph; `None` if the current evidence is impossible.
    fn possible(&self) -> Option<&CircuitEncoding> {
        let encoding = self.encoding.as_ref();
        encoding.filter(|encoding| encoding.log_total() > f64::NEG_INFINITY)
    }

    /// Returns the compiled factor graph, or an error if the current evidence is impossible.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`], with a conflict (statements of evidence that contradict each other).
    fn require_possible(&self) -> Result<&CircuitEncoding, Error> {
        self.possible().ok_or_else(|| self.problem.impossible())
    }

    /// Returns the same answer as [`answer`](Self::answer); `limits` limits the search for a conflict (statements of evidence that contradict each
    /// other) if the evidence is impossible.
    pub(super) fn answer_within(&self, limits: &Limits) -> Result<Answer, Error> {
        let mut marginals = Vec::new();
        if !self.problem.targets.is_empty() {
            let encoding = self.possible();
            let encoding = encoding.ok_or_else(|| self.problem.impossible_within(limits))?;
            marginals = encoding.marginals(self.problem.target_positions(&self.expansion));
        }
        let log_evidence = self.log_evidence();
        Ok((self.problem).answer(&self.expansion, log_evidence, marginals))
    }
}

impl Compiled for CompiledCircuit {
    #[track_caller]
    fn set<T: Value>(&mut self, element: &Element<T>, value: T) -> Result<(), Error> {
        let (place, statement) = self.problem.observation(element, value)?;
        self.state(place, Some(statement))
    }

    fn log_evidence(&self) -> f64 {
        let encoding = self.encoding.as_ref();
        encoding.map_or(f64::NEG_INFINITY, CircuitEncoding::log_total)
    }

    fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        (self.problem).distribution(&self.expansion, element, |position| {
            let mut marginals = self.require_possible()?.marginals(&[position]);
            Ok(marginals.pop().unwrap_or_default())
        })
    }

    fn answer(&self) -> Result<Answer, Error> {
        self.answer_within(&self.problem.limits)
    }

    fn most_probable(&self) -> Result<World, Error> {
        let best = self.k_best(1)?.pop();
        best.ok_or_else(|| self.problem.impossible())
    }

    fn k_best(&self, count: usize) -> Result<Vec<World>, Error> {
        let encoding = self.require_possible()?;
        self.problem.check_worlds(count, encoding.variables())?;
        Ok(encoding.k_best(count))
    }

    fn sample(&self, rng: &mut impl Rng) -> Result<World, Error> {
        let world = self
            .encoding
            .as_ref()
            .and_then(|encoding| encoding.sample(rng));
        world.ok_or_else(|| self.problem.impossible())
    }

    fn count(&self) -> Result<BigUint, Error> {
        let Some(encoding) = self.possible() else {
            return Ok(BigUint::ZERO);
        };
        let bytes = self.nodes() as f64 * encoding.largest_count_bytes();
        self.problem.limits.check_memory(bytes)?;
        Ok(encoding.count())
    }
}
