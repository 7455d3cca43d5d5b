//! Answers to requests for networks, which are compiled once and then queried with different evidence.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use figrs_command::{as_json, each_state, probabilities, standard_errors};
use figrs_core::{Bytes, Element};
use figrs_infer::Compiled as _;
use figrs_infer::{
    Algorithm, Answer, CompiledTree, Error, Exact, ImportanceSampling, JunctionTree, Limits, Run,
};
use figrs_network::{Network, NetworkError, NetworkKind, Observation, State, Variable};
use figrs_reading::FileError;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::folder::Folder;
use crate::memory_pool::MemoryPool;
use crate::problem::{Problem, request, wrong};
use crate::recent::Recent;

/// A request for the posterior distributions of all variables of a network.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct NetworkRequest {
    /// The path of a network file inside the folder of the server.
    file: Option<String>,
    /// A network given as text, instead of a file.
    text: Option<String>,
    /// The state of each observed variable.
    observe: Map<String, Json>,
    /// Memory limit in MiB.
    memory: u64,
    /// Number of worlds to draw if exact inference does not fit into memory.
    samples: u64,
    seed: u64,
    /// True if the answer to the request also lists variables, states and parents.
    describe: bool,
}

impl Default for NetworkRequest {
    fn default() -> Self {
        Self {
            file: None,
            text: None,
            observe: Map::new(),
            memory: 1024,
            samples: 100_000,
            seed: 0,
            describe: false,
        }
    }
}

/// Maximum memory that a request may ask for, in MiB.
const MOST_MEMORY: u64 = 8192;
/// Maximum number of worlds to draw.
const MOST_SAMPLES: u64 = 10_000_000;
/// The server keeps the contraction tree of a network only if the predicted number of operations is at most this number, which takes about ten
/// seconds.
const MOST_OPERATIONS: f64 = 1e10;
/// Time for exact algorithms without a kept contraction tree; after this time the answer comes from samples.
const PATIENCE: Duration = Duration::from_secs(5);

/// Networks of earlier requests.
#[derive(Debug)]
pub(crate) struct Networks(Recent<String, Compiled>);

/// A network, and its contraction tree if the tree fits into memory.
#[derive(Debug)]
struct Compiled {
    network: Network,
    tree: Option<CompiledTree>,
    parse: Duration,
    compile: Duration,
}

/// The answer of an algorithm, and the name of the algorithm.
struct Found {
    answer: Answer,
    algorithm: &'static str,
    is_estimate: bool,
}

impl Networks {
    pub(crate) fn new() -> Self {
        Self(Recent::of(2))
    }

    /// Returns the JSON that `network --task marginals --format json` prints for the request; the work stops when a flag is set.
    ///
    /// **Errors.** The request or the network is wrong, or observations contradict each other.
    pub(crate) fn answer(
        &self,
        body: &[u8],
        folder: Option<&Folder>,
        pool: &MemoryPool,
        ended: &Arc<AtomicBool>,
    ) -> Result<Json, Problem> {
        let request: NetworkRequest = request(body)?;
        for (name, number, most) in [
            ("memory", request.memory, MOST_MEMORY),
            ("samples", request.samples, MOST_SAMPLES),
        ] {
            if !(1..=most).contains(&number) {
                let message = format!("{name} {number}: write 1 to {most}");
                return Err(Problem::wrong(message));
            }
        }
        let _share = pool.take(request.memory, ended)?;
        let compiled = self.compiled(&request, folder, ended)?;
        let network = &compiled.network;
        let observed = observations(network, &request.observe)?;
        let started = Instant::now();
        let found = compiled
            .found(&request, &observed, ended)
            .map_err(|error| impossible(network, error))?;
        let mut object = Map::new();
        if request.describe {
            object.insert("network".to_owned(), described(network));
        }
        let answer = &found.answer;
        let marginals = network
            .elements()
            .iter()
            .map(|element| answer.distribution(element));
        let marginals = marginals.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let all = || network.variables().iter();
        object.insert(
            "marginals".to_owned(),
            each_state(all(), &marginals, probabilities),
        );
        if found.is_estimate {
            let errors = each_state(all(), &marginals, standard_errors);
            object.insert("standard_errors".to_owned(), errors);
        }
        if let Ok(evidence) = answer.log_evidence() {
            object.insert("log_evidence".to_owned(), as_json(evidence.value));
            if found.is_estimate {
                let error = as_json(evidence.standard_error);
                object.insert("log_evidence_standard_error".to_owned(), error);
            }
        }
        object.insert("algorithm".to_owned(), found.algorithm.into());
        object.insert("exact".to_owned(), (!found.is_estimate).into());
        if let Some(tree) = &compiled.tree {
            let cost = tree.cost();
            let message = json!({"width": cost.width, "operations": cost.operations, "table_bytes": tree.table_bytes()});
            object.insert("cost".to_owned(), message);
        }
        let seconds = json!({
            "parse": compiled.parse.as_secs_f64(),
            "compile": compiled.compile.as_secs_f64(),
            "query": started.elapsed().as_secs_f64(),
        });
        object.insert("seconds".to_owned(), seconds);
        Ok(Json::Object(object))
    }

    fn compiled(
        &self,
        request: &NetworkRequest,
        folder: Option<&Folder>,
        ended: &Arc<AtomicBool>,
    ) -> Result<Arc<Compiled>, Problem> {
        match (&request.file, &request.text) {
            (Some(name), None) => {
                let folder = folder.ok_or_else(|| {
                    Problem::missing(format!("file {name:?}: start the program with --folder"))
                })?;
                let path = folder.file(name)?;
                // A file that has changed is read again.
                let changed =
                    std::fs::metadata(&path).and_then(|file| Ok((file.len(), file.modified()?)));
                let key = format!("{name:?} {changed:?} {}", request.memory);
                self.0.get(key, || {
                    compile(
                        || {
                            Network::read(&path).map_err(|error| match error {
                                // The error names the file as the request does.
                                NetworkError::File(error) => wrong(FileError {
                                    place: name.clone(),
                                    ..error
                                }),
                                error => wrong(error),
                            })
                        },
                        request.memory,
                        ended,
                    )
                })
            }
            (None, Some(text)) => {
                let key = format!("{} {text}", request.memory);
                self.0.get(key, || {
                    compile(
                        || Network::from_text(text, "text").map_err(wrong),
                        request.memory,
                        ended,
                    )
                })
            }
            _ => Err(Problem::wrong(
                "give either file (the name of a network file) or text (the network itself)"
                    .to_owned(),
            )),
        }
    }
}

/// Reads and compiles a network, without a contraction tree if the tree would take too much memory or time.
///
/// **Errors.** The network is wrong, or the flag that stops the work is set.
fn compile(
    read: impl FnOnce() -> Result<Network, Problem>,
    memory: u64,
    ended: &Arc<AtomicBool>,
) -> Result<Compiled, Problem> {
    let started = Instant::now();
    let network = read()?;
    let parse = started.elapsed();
    let bytes = memory << 20;
    let limits = Limits::default()
        .memory(bytes)
        .table_entries(usize::try_from(bytes / 8).unwrap_or(usize::MAX))
        .work(MOST_OPERATIONS);
    let tree = JunctionTree::new()
        .limits(limits)
        .interrupt(Arc::clone(ended))
        .varying(network.elements())
        .compile(&network.model(), network.elements());
    let tree = match tree {
        Ok(tree) => Some(tree),
        Err(Error::NothingDone { .. }) => return Err(Problem::superseded()),
        Err(Error::Elimination(_) | Error::Model(_)) => None,
        Err(error) => return Err(wrong(error)),
    };
    let compile = started.elapsed().saturating_sub(parse);
    Ok(Compiled {
        network,
        tree,
        parse,
        compile,
    })
}

impl Compiled {
    fn found(
        &self,
        request: &NetworkRequest,
        observed: &[Observation],
        ended: &Arc<AtomicBool>,
    ) -> Result<Found, Error> {
        let (network, elements) = (&self.network, self.network.elements());
        if let Some(tree) = &self.tree {
            // The copy shares the tree, but has its own evidence and interrupt.
            let mut tree = tree.clone().interrupt(Arc::clone(ended));
            for observation in observed {
                let element = &elements[observation.variable()];
                tree.set(element, observation.state().clone())?;
            }
            return Ok(Found {
                answer: tree.answer()?,
                algorithm: JunctionTree::new().name(),
                is_estimate: false,
            });
        }
        let model = network.observing(observed);
        let exact = Exact::within(Bytes(request.memory << 20))
            .deadline(PATIENCE)
            .interrupt(Arc::clone(ended));
        match exact.run(&model, elements) {
            Ok(answer) if elements.iter().all(|one| answer.distribution(one).is_ok()) => {
                let algorithm = answer.algorithm();
                return Ok(Found {
                    answer,
                    algorithm,
                    is_estimate: false,
                });
            }
            Err(error @ Error::ImpossibleEvidence { .. }) => return Err(error),
            _ => {}
        }
        let sampling = ImportanceSampling::new(request.samples)
            .seed(request.seed)
            .interrupt(Arc::clone(ended));
        Ok(Found {
            answer: sampling.run(&model, elements)?,
            algorithm: sampling.name(),
            is_estimate: true,
        })
    }
}

/// Returns the observations that a request contains.
fn observations(
    network: &Network,
    observe: &Map<String, Json>,
) -> Result<Vec<Observation>, Problem> {
    let observations = observe.iter().map(|(variable, state)| {
        let message = |message: String| Problem::wrong(format!("observe: {message}"));
        let state = state
            .as_str()
            .ok_or_else(|| message(format!("{variable:?}: write the name of a state")))?;
        network
            .observation(variable, state)
            .map_err(|error| message(error.to_string()))
    });
    observations.collect()
}

/// Returns the answer for observations that contradict each other, with the variables of these observations.
fn impossible(network: &Network, error: Error) -> Problem {
    let Error::ImpossibleEvidence { conflict, .. } = &error else {
        return wrong(error);
    };
    let is_observed = |(_, element): &(&Variable, &Element<State>)| {
        let label = element.erased().label();
        conflict.iter().any(|statement| statement.element == label)
    };
    let variables = network.variables().iter().zip(network.elements());
    let variables = variables.filter(is_observed).map(|(variable, _)| variable);
    let variables: Vec<&str> = variables.map(Variable::name).collect();
    let variables = json!(variables);
    wrong(error)
        .with("variables", variables)
        .with("proven", true.into())
}

/// Returns the variables of a network, their states and their parents as JSON.
fn described(network: &Network) -> Json {
    let mut parents: Vec<Vec<&str>> = vec![Vec::new(); network.variables().len()];
    let variables = network.variables();
    for table in network.tables() {
        // A table of a Markov network has no child: its last variable is drawn below the others.
        if let Some((&child, others)) = table.variables().split_last() {
            parents[child].extend(others.iter().map(|&other| variables[other].name()));
        }
    }
    let nodes = variables.iter().zip(parents).map(|(variable, parents)| {
        let states: Vec<&str> = variable.states().iter().map(State::name).collect();
        json!({"name": variable.name(), "states": states, "parents": parents})
    });
    let kind = match network.kind() {
        NetworkKind::Bayesian => "bayesian",
        NetworkKind::Markov => "markov",
    };
    json!({"name": network.name(), "kind": kind, "nodes": nodes.collect::<Json>()})
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn a_network_whose_compilation_was_ended_is_compiled_again() {
        let coin = "network n { } variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 0.25, 0.75; }";
        let body = json!({ "text": coin }).to_string();
        let (networks, ended) = (Networks::new(), Arc::new(AtomicBool::new(true)));
        let pool = MemoryPool::new(4096);
        let ask = || networks.answer(body.as_bytes(), None, &pool, &ended);
        assert_eq!(ask().unwrap_err().status, Problem::superseded().status);
        ended.store(false, Ordering::Release);
        assert_eq!(ask().unwrap()["marginals"]["a"]["x"], 0.25);
        // Queries of the kept tree end by the flag of each request, not by that of the first.
        ended.store(true, Ordering::Release);
        assert!(ask().is_err());
        let another = Arc::new(AtomicBool::new(false));
        let answer = networks.answer(body.as_bytes(), None, &pool, &another);
        let answer = answer.unwrap();
        assert_eq!(
            (&answer["exact"], &answer["algorithm"]),
            (&json!(true), &json!("JunctionTree"))
        );
    }
}
