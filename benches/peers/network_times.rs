//! Times figrs on one Bayesian network and prints times and answers as one JSON object; `peers.py` calls it.
//!
//! `network_times FILE [--evidence FILE] [--seconds S] [--uai FILE]`

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use figrs::network::{Network, Observation, State, Variable};
use figrs::{Compiled, CompiledTree, Element, JunctionTree, Model};
use figrs_benches::Clock;
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Number of worlds from which new evidence is taken; the seed that draws them is below.
const WORLDS: usize = 64;
const SEED: u64 = 1;
/// Number of variables that get new evidence if none is given.
const OBSERVED: usize = 5;

struct Arguments {
    network: PathBuf,
    evidence: Option<PathBuf>,
    uai: Option<PathBuf>,
    /// Time, in seconds, for which each query is repeated.
    seconds: f64,
}

impl Arguments {
    fn parse() -> Result<Self> {
        let mut words = std::env::args().skip(1);
        let mut arguments = Self {
            network: words.next().ok_or("which network?")?.into(),
            evidence: None,
            uai: None,
            seconds: 1.0,
        };
        while let Some(option) = words.next() {
            let value = words.next().ok_or_else(|| format!("{option} of what?"))?;
            match option.as_str() {
                "--evidence" => arguments.evidence = Some(value.into()),
                "--uai" => arguments.uai = Some(value.into()),
                "--seconds" => arguments.seconds = value.parse()?,
                _ => return Err(format!("no option {option}").into()),
            }
        }
        Ok(arguments)
    }
}

/// The probabilities of all states of all variables, in the order of the file.
type Marginals = Vec<Vec<f64>>;

fn read_all(tree: &mut CompiledTree, network: &Network) -> Result<Marginals> {
    let answer = tree.answer()?;
    let variables = network.variables().iter().zip(network.elements());
    let read = variables.map(|(variable, element)| {
        let mut probabilities = vec![0.0; variable.states().len()];
        for (state, probability) in &answer.distribution(element)? {
            probabilities[state.index()] = probability;
        }
        Ok(probabilities)
    });
    read.collect()
}

/// Reads the observations of a file such as `{"evidence": {"3": 0}}`, which gives indices of variables and of their states.
fn read_evidence(network: &Network, path: &PathBuf) -> Result<Vec<Observation>> {
    let file: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    let pairs = file["evidence"].as_object().ok_or("no \"evidence\"")?;
    let mut words = vec![pairs.len().to_string()];
    for (variable, state) in pairs {
        words.extend([variable.clone(), state.to_string()]);
    }
    Ok(network.evidence_from_uai(&words.join(" "))?)
}

/// Returns states of some variables that can be observed together. The states that are given come first, if any; then come states of drawn worlds
/// that differ from the earlier ones in as many variables as possible.
fn new_evidence(
    network: &Network,
    observed: &[&Element<State>],
    given: Option<Vec<State>>,
) -> Result<Vec<Vec<State>>> {
    let tree = one_thread().compile(&network.model(), network.elements())?;
    let mut drawn = Vec::with_capacity(WORLDS);
    for world in tree.samples(SEED)?.take(WORLDS) {
        drawn.push(world.values(observed.iter().copied())?);
    }
    let mut chosen: Vec<Vec<State>> = given.into_iter().collect();
    while chosen.len() < 3 {
        let least = |states: &Vec<State>| chosen.iter().map(|old| changes(old, states)).min();
        let best = drawn.iter().max_by_key(|states| least(states));
        chosen.push(best.ok_or("no world can be drawn")?.clone());
    }
    Ok(chosen)
}

fn changes(old: &[State], new: &[State]) -> usize {
    old.iter().zip(new).filter(|(old, new)| old != new).count()
}

fn set_all(tree: &mut CompiledTree, observed: &[&Element<State>], states: &[State]) -> Result<()> {
    for (element, state) in observed.iter().zip(states) {
        tree.set(element, state.clone())?;
    }
    Ok(())
}

/// Measures a compiled tree that gets new evidence: the time of the first answer, and of later answers.
fn warm(
    clock: &Clock,
    seconds: f64,
    network: &Network,
    observations: &[Observation],
) -> Result<Value> {
    let elements = network.elements();
    let given = !observations.is_empty();
    let variables: Vec<usize> = if given {
        observations.iter().map(Observation::variable).collect()
    } else {
        let count = OBSERVED.min(elements.len());
        (0..count)
            .map(|i| (2 * i + 1) * elements.len() / (2 * count))
            .collect()
    };
    let observed: Vec<&Element<State>> = variables.iter().map(|&v| &elements[v]).collect();
    let given = given.then(|| observations.iter().map(|o| o.state().clone()).collect());
    let sets = new_evidence(network, &observed, given)?;

    let varying: Vec<Element<State>> = observed.iter().map(|&e| e.clone()).collect();
    let (first, mut tree) = clock.repeat(seconds, || {
        let tree = one_thread().varying(&varying);
        let mut tree = tree.compile(&network.model(), elements)?;
        set_all(&mut tree, &observed, &sets[0])?;
        read_all(&mut tree, network)?;
        Ok(tree)
    })?;
    let mut next = 0;
    let (times, _) = clock.repeat(seconds, || {
        next = (next + 1) % sets.len();
        set_all(&mut tree, &observed, &sets[next])?;
        read_all(&mut tree, network)
    })?;
    set_all(&mut tree, &observed, &sets[1])?;
    let indices = |states: &Vec<State>| states.iter().map(State::index).collect::<Vec<_>>();
    Ok(json!({
        "first": first,
        "times": times,
        "variables": variables,
        "sets": sets.iter().map(indices).collect::<Vec<_>>(),
        "changed": changes(&sets[0], &sets[1]),
        "marginals": read_all(&mut tree, network)?,
    }))
}

/// Measures marginals, the probability of the evidence and the most probable world, each with a newly compiled tree.
fn cold(clock: &Clock, seconds: f64, network: &Network, model: &Model) -> Result<Value> {
    let elements = network.elements();
    // The tree is returned with its answer, so that it is freed while the clock is not read.
    let (times, (tree, marginals)) = clock.repeat(seconds, || {
        let mut tree = one_thread().compile(model, elements)?;
        let marginals = read_all(&mut tree, network)?;
        Ok((tree, marginals))
    })?;
    let (evidence, (_, log_evidence)) = clock.repeat(seconds, || {
        let tree = one_thread().compile(model, ())?;
        let log_evidence = tree.log_evidence();
        Ok((tree, log_evidence))
    })?;
    let (mpe, (_, states)) = clock.repeat(seconds, || {
        let tree = one_thread().compile(model, elements)?;
        let states = tree.most_probable()?.values(elements)?;
        Ok((tree, states))
    })?;
    let states: Vec<usize> = states.iter().map(State::index).collect();
    Ok(json!({
        "cost": tree.cost().operations,
        "marginals": { "times": times, "answer": marginals },
        "evidence": { "times": evidence, "answer": log_evidence },
        "mpe": { "times": mpe, "answer": states },
    }))
}

fn main() -> Result<()> {
    let arguments = Arguments::parse()?;
    let clock = Clock::new();
    let seconds = arguments.seconds;
    let read = || Ok(Network::read(&arguments.network)?);
    let (times, network) = clock.repeat(seconds, read)?;
    let observations = match &arguments.evidence {
        Some(path) => read_evidence(&network, path)?,
        None => Vec::new(),
    };
    let mut report = cold(&clock, seconds, &network, &network.observing(&observations))?;
    report["clock"] = clock.name().into();
    report["read"] = json!({ "times": times });
    report["warm"] = warm(&clock, seconds, &network, &observations)?;
    let pair = |o: &Observation| (o.variable().to_string(), json!(o.state().index()));
    report["observed"] = Value::Object(observations.iter().map(pair).collect());
    let variable = |v: &Variable| {
        let names: Vec<&str> = v.states().iter().map(State::name).collect();
        json!({ "name": v.name(), "states": names })
    };
    report["variables"] = network.variables().iter().map(variable).collect();
    if let Some(path) = &arguments.uai {
        fs::write(path, network.to_uai())?;
    }
    println!("{report}");
    Ok(())
}

/// Returns a junction tree that uses one thread, because the clock measures only one thread.
fn one_thread() -> JunctionTree {
    JunctionTree::new().threads(std::num::NonZero::<usize>::MIN)
}
