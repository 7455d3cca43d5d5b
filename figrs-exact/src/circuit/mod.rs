//! Exact marginals, counts and worlds by exhaustive search with component caching.

mod circuit_encoding;
mod compiled_circuit;

use figrs_core::expand::Encoding;
use figrs_core::{AnyElement, Limits, Model, Parents};
use num_bigint::BigUint;

use crate::compiled::Compiled;
use crate::compiled_problem::CompiledProblem;
use crate::question::Question;
use compiled_circuit::CircuitPurpose;
pub use compiled_circuit::CompiledCircuit;
use figrs_answer::{Algorithm, Answer, Error, RunMonitor, Watch, conflict, guarded, setters};
use figrs_search::circuit::{SearchControl, log_sum};

const CACHE_BYTES: u64 = 1 << 30;

/// Exact answers by exhaustive search with unit propagation, clause learning, component decomposition and component caching.
///
/// The exhaustive search is fast for models with many zeros, even if they are too wide for variable elimination. A model with many zeros is like a
/// set of clauses, in which unit propagation derives further values from each decision. Zeros of all factors become clauses over values of variables.
/// The non-zero weights of factors are stored in decision diagrams, which share equal subdiagrams. Atoms (statements that a variable has a value)
/// that other atoms define are eliminated before the search. The next decision variable is chosen by its depth in a tree decomposition, the number of
/// clauses that contain it, and its activity in recent conflicts of the search. The sum over a component is cached; the key of the cache entry is a
/// hash of the component's undecided variables, clauses and residual tables. [`compile`](Self::compile) records the search as a decision circuit: see
/// [`CompiledCircuit`].
///
/// **Guarantee.** The result is exact up to rounding, without underflow, unless two of the `n` components that the search finds have the same hash of
/// 128 bits. The probability that the search finds two different components with equal hashes of 128 bits is about `n^2 / 2^129`. The result is
/// deterministic.
///
/// **Complexity.** The time of the exhaustive search is exponential in the number of variables in the worst case. A search whose decisions follow
/// only the tree decomposition takes a time exponential in the treewidth times the logarithm of the number of variables, or in the treewidth alone if
/// the cache holds all components. The time bound for searches that follow a tree decomposition does not hold for the search of figrs, because the
/// activity in conflicts takes precedence over the tree decomposition. Many zeros in the factors shorten the search greatly. Variable elimination is
/// faster than a circuit if the tables of the elimination fit in memory, above all for sums of variables with many values.
///
/// **Errors.** The errors of [`VariableElimination`](crate::VariableElimination), except that no model is too wide. A [`deadline`](Self::deadline) or
/// an interrupt ends the search with [`Error::NothingDone`]. The search ends with an [`EliminationError`](figrs_factor::eliminate::EliminationError)
/// if clauses, residual tables, cache and circuit exceed the [memory](figrs_factor::Limits::memory), or if the circuit, with two numbers per node for
/// queries, exceeds the memory. The search also ends with an `EliminationError` if clauses and weights contain more numbers than
/// [`table_entries`](figrs_factor::Limits::table_entries) permits (functions of thousands of states need variable elimination instead). (If functions
/// of the model fail for some values, a variable elimination decides whether a world contains these values; this elimination may exceed the limits
/// and be refused.)
///
/// **References.** Bacchus, Dalmao and Pitassi (2003), "Algorithms and complexity results for #SAT and Bayesian inference"; Sang, Bacchus,
/// Beame, Kautz and Pitassi (2004), "Combining component caching and clause learning for effective model counting"; Sang, Beame
/// and Kautz (2005), "Heuristics for fast exact model counting"; Darwiche (2002), "A logical approach to factoring belief networks";
/// Dechter and Mateescu (2007), "AND/OR search spaces for graphical models"; Korhonen and Järvisalo (2021), "Integrating tree
/// decompositions into decision heuristics of propositional model counters".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::Circuit;
/// # use figrs_answer::Run;
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = Circuit::new().run(&model, &rain)?;
/// assert!((answer.probability(&rain, &true)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Circuit {
    limits: Limits,
    varying: Vec<AnyElement>,
    cache_bytes: u64,
    decisions: u64,
    watch: Watch,
}

impl Default for Circuit {
    /// Returns the default settings, with a cache of 1 GiB.
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            varying: Vec::new(),
            cache_bytes: CACHE_BYTES,
            decisions: u64::MAX,
            watch: Watch::default(),
        }
    }
}

impl Circuit {
    /// Creates a circuit compiler with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    setters!(limits: limits);

    setters!(watch: watch);
    setters!(part_of: watch);

    /// Sets the maximum number of bytes of the cache of components. If a limit of [memory](figrs_factor::Limits::memory) is set, the cache takes at
    /// most half of this memory. When the cache is full, its least recently used half is dropped. A smaller cache does not change the answer, but the
    /// search takes longer.
    pub fn cache_memory(mut self, bytes: u64) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// Sets the number of decisions of the search after which the search ends with `EliminationError::TooManyOperations`.
    pub(crate) fn decisions(mut self, decisions: u64) -> Self {
        self.decisions = decisions;
        self
    }

    /// Declares further elements of the model as varying, which means that their evidence may change after compilation. Evidence on all other
    /// elements is fixed at compilation and makes the circuit smaller.
    pub fn varying(mut self, elements: impl Parents) -> Self {
        self.varying.extend(elements.elements());
        self
    }

    /// Compiles a model, for queries about the distributions of `targets` and of the varying elements (elements whose evidence may change), and about
    /// whole worlds.
    ///
    /// If a target or a varying element depends on a [`Score`](figrs_core::Score), the `Score` multiplies the weights of worlds.
    ///
    /// **Errors.** The errors of [`Circuit`], except that impossible evidence is not an error at compilation.
    pub fn compile(&self, model: &Model, targets: impl Parents) -> Result<CompiledCircuit, Error> {
        let watching = self.watch.start(self.name(), None);
        let targets = targets.elements();
        self.compiled(model, targets, CircuitPurpose::Worlds, &watching)
    }

    /// Returns the number of worlds with a positive weight. A counted world consists of values of the targets, of the elements with evidence, and of
    /// the elements on which these elements depend.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model, fold};
    /// # use figrs_exact::Circuit;
    /// let coins: Vec<_> = (0..100).map(|_| Flip::new(0.5)).collect();
    /// let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin));
    /// let model = Model::new().observe(&heads, 2);
    /// assert_eq!(Circuit::new().count(&model, &coins)?.to_string(), "4950");
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    ///
    /// **Errors.** The errors of [`Circuit`], except that for impossible evidence the result is zero.
    pub fn count(&self, model: &Model, targets: impl Parents) -> Result<BigUint, Error> {
        let targets = targets.elements();
        let watching = self.watch.start(self.name(), None);
        self.compiled(model, targets, CircuitPurpose::Count, &watching)?
            .count()
    }

    /// Counts the worlds of a question (a model with targets), and may reuse the expansion (the lists of possible values) that another algorithm made
    /// of the model.
    pub(crate) fn count_of(&self, question: &Question<'_>) -> Result<BigUint, Error> {
        let watching = self.watch.start(self.name(), None);
        let (model, targets) = (question.model, question.targets.to_vec());
        let limits = self.limits.clone();
        let problem = CompiledProblem::new(self.name(), model, targets, Vec::new(), limits);
        self.compiled_for(problem, question, CircuitPurpose::Count, &watching)?
            .count()
    }

    fn compiled(
        &self,
        model: &Model,
        targets: Vec<AnyElement>,
        purpose: CircuitPurpose,
        watching: &RunMonitor<'_>,
    ) -> Result<CompiledCircuit, Error> {
        let varying = self.varying.clone();
        let problem =
            CompiledProblem::new(self.name(), model, targets, varying, self.limits.clone());
        let roots = problem.roots();
        self.compiled_for(problem, &Question::new(model, &roots), purpose, watching)
    }

    /// Compiles a circuit for queries of one kind about the targets of a model and about the elements whose evidence may change.
    fn compiled_for(
        &self,
        problem: CompiledProblem,
        question: &Question<'_>,
        purpose: CircuitPurpose,
        watching: &RunMonitor<'_>,
    ) -> Result<CompiledCircuit, Error> {
        let limits = self.limits.until(watching.until());
        let compiled = guarded(|| {
            let report = |done| watching.report(done);
            let control = SearchControl {
                limits: &limits,
                decisions: self.decisions,
                report: &report,
            };
            let bytes = self.cache_bytes;
            CompiledCircuit::new(problem, question, purpose, bytes, (&limits, &control))
        });
        compiled.map_err(|error| watching.error_of(error))
    }

    /// Computes the natural logarithm of the probability of the evidence, by a search that stores no circuit.
    fn log_evidence(&self, question: &Question<'_>) -> Result<Answer, Error> {
        let watching = self.watch.start(self.name(), None);
        let limits = self.limits.until(watching.until());
        let search = || {
            let expansion = question.expand(&limits)?;
            let mut log_evidence = f64::NEG_INFINITY;
            if expansion.impossible().is_none() {
                conflict::check_failures(&expansion, &limits)?;
                let encoding = Encoding::for_sums(&expansion, &[])?;
                let control = SearchControl {
                    limits: &limits,
                    decisions: self.decisions,
                    report: &|done| watching.report(done),
                };
                log_evidence = log_sum(encoding.graph(), self.cache_bytes, &control)?;
            }
            let problem = CompiledProblem::new(
                self.name(),
                question.model,
                Vec::new(),
                Vec::new(),
                self.limits.clone(),
            );
            Ok(problem.answer(&expansion, log_evidence, Vec::new()))
        };
        search().map_err(|error| watching.error_of(error))
    }
}

impl Algorithm for Circuit {
    fn name(&self) -> &'static str {
        "Circuit"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        if targets.is_empty() {
            return self.log_evidence(&Question::new(model, targets));
        }
        let watching = self.watch.start(self.name(), None);
        self.compiled(model, targets.to_vec(), CircuitPurpose::Sums, &watching)?
            .answer_within(&self.limits.until(watching.until()))
    }
}

impl Circuit {
    /// Answers a question (a model with targets) whose evidence does not change, and may reuse the expansion (the lists of possible values) that
    /// another algorithm made of the model.
    pub(crate) fn answer_to(&self, question: &Question<'_>) -> Result<Answer, Error> {
        if question.targets.is_empty() {
            return self.log_evidence(question);
        }
        let watching = self.watch.start(self.name(), None);
        let (targets, limits) = (question.targets.to_vec(), self.limits.clone());
        let problem =
            CompiledProblem::new(self.name(), question.model, targets, Vec::new(), limits);
        self.compiled_for(problem, question, CircuitPurpose::Sums, &watching)?
            .answer_within(&self.limits.until(watching.until()))
    }
}
