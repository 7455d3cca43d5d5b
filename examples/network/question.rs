//! A question about a network, and the algorithm that answers it.

mod compiled;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use figrs::prelude::*;
use figrs::{
    AlgorithmAttempt, AlgorithmChoice, Answer, Bounds, Circuit, Compiled, CompiledForm,
    MarginalMap, MpeBranchAndBound, MpeSlices, Slices, Stopped, World, eliminate,
};
use figrs_command::{Bytes, Progress, stop};
use figrs_network::{Network, NetworkEvidence, State};

use super::computing_line::ComputingLine;
use super::findings::{Cost, Findings, Found};
use super::options::{Method, Options, Task, limits};

/// A question: the network, its model with evidence, the queried variables, and the options.
pub(crate) struct Question {
    pub(crate) network: Network,
    pub(crate) model: Model,
    pub(crate) evidence: NetworkEvidence,
    pub(crate) queried: Vec<usize>,
    pub(crate) options: Options,
    /// Samples drawn so far.
    pub(crate) samples: Mutex<Vec<Vec<State>>>,
    /// Bounds of the log-evidence that have been found so far.
    pub(crate) bounds: Arc<Mutex<Option<Bounds>>>,
    /// A sentence about each algorithm that was tried so far.
    pub(crate) attempts: Attempts,
}

type Attempts = Arc<Mutex<Vec<String>>>;

impl Question {
    pub(crate) fn answer(&self) -> Result<Findings, figrs::Error> {
        let is_portfolio = self.options.method() == Method::Exact;
        let _shown = (!is_portfolio).then(|| Progress::waiting("computing"));
        if self.options.task == Task::Map {
            return self.by(&self.marginal_map());
        }
        match self.options.method() {
            Method::Exact => self.by_portfolio(),
            _ if self.options.task == Task::Count => self.counted(),
            Method::JunctionTree => self.by_tree(),
            Method::VariableElimination => {
                self.by(&VariableElimination::new().limits(limits(&self.options)))
            }
            Method::Slices => self.by_slices(),
            Method::Circuit => self.by_circuit(),
            Method::BranchAndBound => self.by_search(),
            Method::MpeVariableElimination => {
                self.by(&MpeVariableElimination::new().limits(limits(&self.options)))
            }
            Method::Enumerate if self.options.task == Task::Mpe => self.timed(|| {
                Enumerate::new().most_probable_world(&self.model, self.network.elements())
            }),
            Method::Enumerate => self.by(&Enumerate::new()),
            Method::ImportanceSampling => {
                let samples = self.options.samples.unwrap_or(100_000);
                let seed = self.options.seed.unwrap_or(0);
                let progress = Progress::of("samples", Some(samples));
                let sampling = ImportanceSampling::new(samples)
                    .seed(seed)
                    .interrupt(stop::flag())
                    .on_progress(move |run| progress.set(run.done));
                self.by(&sampling)
            }
        }
    }

    fn marginal_map(&self) -> MarginalMap {
        let map = MarginalMap::new()
            .limits(limits(&self.options))
            .interrupt(stop::flag());
        if self.options.time.is_some() {
            map.search_work(f64::INFINITY)
        } else {
            map
        }
    }

    /// Returns the samples or the bounds that have been found so far, if there are any.
    pub(crate) fn so_far(&self) -> Option<Findings> {
        let bounds = *self.bounds.lock().unwrap_or_else(PoisonError::into_inner);
        if bounds.is_some() {
            return Some(Findings {
                algorithm: Some("WeightedMiniBuckets"),
                evidence_bounds: bounds,
                tried: self.tried(),
                stopped: stop::reason(),
                ..Findings::default()
            });
        }
        let samples = self.samples.lock();
        let samples = std::mem::take(&mut *samples.unwrap_or_else(PoisonError::into_inner));
        (!samples.is_empty()).then(|| Findings {
            samples: Some(samples),
            stopped: stop::reason(),
            ..Findings::default()
        })
    }

    /// Returns a sentence for each algorithm that was tried so far, in order; the sentence states if the answer of the algorithm was not read
    /// completely.
    pub(crate) fn tried(&self) -> Vec<String> {
        let attempts = self.attempts.lock();
        let attempts = attempts.unwrap_or_else(PoisonError::into_inner);
        // The time ended after an algorithm had answered and before all of the answer was read.
        let unread = |attempt: &String| match attempt.strip_suffix(" answered") {
            Some(algorithm) if stop::is_set() => {
                format!("{algorithm} answered, but too late to read the whole answer")
            }
            _ => attempt.clone(),
        };
        attempts.iter().map(unread).collect()
    }

    /// Returns the listener that notes each algorithm that a portfolio (such as `Exact`) tries; earlier notes are deleted.
    fn attempt_listener(&self) -> impl Fn(&AlgorithmAttempt) + Send + Sync + 'static {
        let attempts = Arc::clone(&self.attempts);
        (attempts.lock().unwrap_or_else(PoisonError::into_inner)).clear();
        move |attempt| {
            let attempts = attempts.lock();
            let mut attempts = attempts.unwrap_or_else(PoisonError::into_inner);
            attempts.push(attempt.to_string());
        }
    }

    /// The queried elements.
    fn asked(&self) -> impl Iterator<Item = &Element<State>> {
        let elements = self.network.elements();
        self.queried.iter().map(|&position| &elements[position])
    }

    /// Returns the elements that the task queries: none, the queried variables, or all variables.
    fn targets(&self) -> Vec<Element<State>> {
        match self.options.task {
            Task::Evidence
            | Task::Learn
            | Task::Convert
            | Task::Score
            | Task::Predict
            | Task::Decide => Vec::new(),
            Task::Marginals | Task::Map | Task::Cost => self.asked().cloned().collect(),
            Task::Mpe | Task::KBest | Task::Sample | Task::Count => {
                self.network.elements().to_vec()
            }
        }
    }

    fn seed(&self) -> u64 {
        self.options.seed.unwrap_or(0)
    }

    fn by_portfolio(&self) -> Result<Findings, figrs::Error> {
        let memory = self.options.memory;
        match self.options.task {
            Task::Mpe => {
                let line = ComputingLine::default();
                let mut exact = memory
                    .map_or_else(MpeExact::new, MpeExact::within)
                    .interrupt(stop::flag())
                    .on_bounds(line.bounds())
                    .on_progress(line.progress())
                    .on_attempt(self.attempt_listener());
                if self.options.time.is_some() {
                    exact = exact.work(f64::INFINITY);
                }
                self.by(&exact)
            }
            Task::KBest | Task::Sample => {
                let started = Instant::now();
                let compiled = self.exact().compile(&self.model, self.targets())?;
                let compile = started.elapsed();
                let mut findings = match &compiled.form {
                    CompiledForm::Tree(tree) => self.by_compiled_tree(tree, compile)?,
                    CompiledForm::Circuit(circuit) => self.by_compiled_circuit(circuit, compile)?,
                };
                findings.tried = tried(&compiled.choice);
                Ok(findings)
            }
            Task::Count => {
                let started = Instant::now();
                let (count, choice) = self.exact().count(&self.model, self.targets())?;
                Ok(Findings {
                    count: Some(count.to_string()),
                    algorithm: choice.attempts.last().map(|last| last.algorithm),
                    tried: tried(&choice),
                    query: Some(started.elapsed()),
                    ..Findings::default()
                })
            }
            _ => {
                let (so_far, line) = (Arc::clone(&self.bounds), ComputingLine::default());
                let shown = line.bounds();
                let exact = self.exact_with(&line).on_bounds(move |bounds| {
                    *so_far.lock().unwrap_or_else(PoisonError::into_inner) = Some(*bounds);
                    shown(bounds);
                });
                self.by(&exact)
            }
        }
    }

    fn exact(&self) -> Exact {
        self.exact_with(&ComputingLine::default())
    }

    /// Returns an exact portfolio whose progress is shown in a line.
    fn exact_with(&self, line: &ComputingLine) -> Exact {
        let memory = self.options.memory;
        let exact = memory.map_or_else(Exact::new, Exact::within);
        let exact = exact
            .interrupt(stop::flag())
            .on_progress(line.progress())
            .on_attempt(self.attempt_listener());
        if self.options.time.is_some() {
            exact.work(f64::INFINITY)
        } else {
            exact
        }
    }

    fn circuit(&self) -> Circuit {
        let progress = Progress::of("decisions", None);
        let circuit = Circuit::new()
            .limits(limits(&self.options))
            .interrupt(stop::flag())
            .on_progress(move |run| progress.set(run.done));
        match self.options.memory {
            Some(Bytes(bytes)) => circuit.cache_memory(bytes / 2),
            None => circuit,
        }
    }

    /// Counts the possible joint states of all variables.
    fn counted(&self) -> Result<Findings, figrs::Error> {
        let (started, limits) = (Instant::now(), limits(&self.options));
        let count = match self.options.method() {
            Method::VariableElimination => {
                let elimination = VariableElimination::new().limits(limits);
                let total =
                    elimination.total::<eliminate::Counting>(&self.model, self.targets())?;
                total.values[0].to_string()
            }
            Method::JunctionTree => {
                let tree = JunctionTree::new().limits(limits);
                let tree = tree.compile(&self.model, self.targets())?;
                tree.count()?.to_string()
            }
            _ => {
                let circuit = self.circuit();
                circuit.count(&self.model, self.targets())?.to_string()
            }
        };
        Ok(Findings {
            count: Some(count),
            algorithm: Some(match self.options.method() {
                Method::VariableElimination => "VariableElimination",
                Method::JunctionTree => "JunctionTree",
                _ => "Circuit",
            }),
            query: Some(started.elapsed()),
            ..Findings::default()
        })
    }

    fn by_search(&self) -> Result<Findings, figrs::Error> {
        let progress = Progress::of("steps", None);
        let mut search = MpeBranchAndBound::new()
            .work(u64::MAX)
            .interrupt(stop::flag())
            .on_progress(move |run| progress.set(run.done));
        if let Some(Bytes(bytes)) = self.options.memory {
            search = search.memory(bytes);
        }
        self.by(&search)
    }

    fn by_slices(&self) -> Result<Findings, figrs::Error> {
        let memory = self.options.memory;
        let slices = memory.map_or_else(Slices::new, Slices::within);
        if self.options.task == Task::Cost {
            let started = Instant::now();
            let slices = slices.interrupt(stop::flag());
            let cost = slices.cost(&self.model, self.targets())?;
            return Ok(Findings {
                stopped: stop::reason(),
                compile: Some(started.elapsed()),
                cost: Some(Cost {
                    slices: Some(cost.slices),
                    width: cost.slice.width,
                    operations: cost.slices as f64 * cost.slice.operations,
                    table_bytes: cost.slice.memory as u64,
                }),
                ..Findings::default()
            });
        }
        let progress = Progress::of("slices", None);
        if self.options.task == Task::Mpe {
            let slices = memory.map_or_else(MpeSlices::new, MpeSlices::within);
            let slices = slices.interrupt(stop::flag());
            return self.by(&slices.on_progress(move |run| progress.set(run.done)));
        }
        let slices = slices.interrupt(stop::flag());
        self.by(&slices.on_progress(move |run| progress.set(run.done)))
    }

    fn by(&self, algorithm: &dyn Algorithm) -> Result<Findings, figrs::Error> {
        self.timed(|| algorithm.run(&self.model, self.targets()))
    }

    fn timed(
        &self,
        ask: impl FnOnce() -> Result<Answer, figrs::Error>,
    ) -> Result<Findings, figrs::Error> {
        let started = Instant::now();
        let mut findings = Findings::default();
        self.read(&ask()?, &mut findings)?;
        findings.query = Some(started.elapsed());
        Ok(findings)
    }

    /// Reads the result of the task from the answer of an algorithm.
    fn read(&self, answer: &Answer, findings: &mut Findings) -> Result<(), figrs::Error> {
        findings.algorithm = Some(answer.algorithm());
        findings.tried = answer.choice().map(tried).unwrap_or_default();
        if matches!(self.options.task, Task::Mpe | Task::Map) {
            let states = self
                .asked()
                .map(|element| answer.most_likely_value(element));
            findings.mpe = Some(Found {
                log_probability: answer.log_probability()?,
                states: states.collect::<Result<_, _>>()?,
            });
            if !answer.is_proven()? {
                findings.mpe_bounds = Some([answer.log_probability()?, answer.upper_bound()?]);
                findings.stopped = stop::reason();
            }
            return Ok(());
        }
        if answer.log_evidence().is_err()
            && let Ok(bounds) = answer.log_evidence_bounds()
        {
            findings.evidence_bounds = Some(bounds);
            findings.stopped = stop::reason();
            return Ok(());
        }
        let sampling = answer.sampling();
        let is_cut = sampling.is_some_and(|sampling| sampling.stopped == Stopped::Interrupted);
        findings.stopped = stop::reason().filter(|_| is_cut);
        findings.log_evidence = Some(answer.log_evidence()?);
        if self.options.task == Task::Marginals {
            let marginals = self.asked().map(|element| answer.distribution(element));
            findings.marginals = Some(marginals.collect::<Result<_, _>>()?);
            if self.options.report.is_some() {
                findings.posteriors = answer.posteriors()?;
            }
        }
        Ok(())
    }

    fn found(&self, world: &World) -> Result<Found, figrs::Error> {
        Ok(Found {
            log_probability: world.log_probability(),
            states: world.values(self.asked())?,
        })
    }
}

/// Returns a sentence for each algorithm that was tried.
fn tried(choice: &AlgorithmChoice) -> Vec<String> {
    choice.attempts.iter().map(ToString::to_string).collect()
}
