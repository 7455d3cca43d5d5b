//! Learning of a network from data: the probability tables and, on request, the structure.

use std::io::{self, Write};
use std::path::Path;

use figrs::prelude::*;
use figrs::{Stopped, printable};
use figrs_command::{Failure, Progress, note, replace_text, stop};
use figrs_learn::ExpectationMaximization;
use figrs_network::{
    LearningStart, MissingCellRounds, Network, NetworkData, NetworkFormat, NetworkLearner,
    NetworkLearningError, NetworkTable, State,
};
use serde_json::{Map, Value as Json, json};

use super::options::limits;
use super::picture::NetworkDrawing;
use super::report::counted;
use super::{Format, Options, Start, structure};
use figrs_command::as_json;

/// A learned network.
pub(crate) struct Learned {
    pub(crate) network: Network,
    /// The log-likelihood before the first round of expectation-maximisation and after each round.
    pub(crate) log_likelihoods: Vec<f64>,
    pub(crate) rounds: u64,
    pub(crate) ended: Stopped,
    /// The final log-likelihood of each start of learning.
    pub(crate) starts: Vec<f64>,
    /// The names of hidden variables with interchangeable states: several states had equal probabilities in the initial tables.
    pub(crate) alike: Vec<String>,
    /// The rows of probability tables that no case of the data determines: the index of the variable and the index of the row.
    pub(crate) unreached: Vec<(usize, usize)>,
    pub(crate) score: Option<f64>,
    /// The number of arcs that a search for the structure changed.
    pub(crate) changes: Option<u64>,
    /// The rounds of a structure search on data with missing values.
    pub(crate) missing: Option<MissingCellRounds>,
}

/// Learns a network, writes it, and prints the result.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let given = options.clone();
    let learned = stop::attempt(move || {
        let path = given.data.as_deref().unwrap_or(Path::new(""));
        if given.structures.searches(given.file.is_some()) {
            structure::learned(&given, path)
        } else {
            learned(&given, path)
        }
    })?;
    let learned = learned.ok_or_else(|| stop::nothing("a learned network"))??;
    note_learned(options, &learned);
    if let Some(out) = &options.out {
        replace_text(out, &learned.network.to_text(NetworkFormat::of(out)?)?)?;
    }
    let mut out = io::BufWriter::new(figrs_command::standard_output());
    match options.format {
        Format::Text => text(&mut out, &learned, &options.structures.score_name())?,
        Format::Json => writeln!(out, "{}", json(&learned))?,
        format => write!(
            out,
            "{}",
            NetworkDrawing::new(&learned.network).text(format)?
        )?,
    }
    Ok(out.flush()?)
}

/// Learns the probability tables of the network in --file, whose structure is given.
fn learned(options: &Options, path: &Path) -> Result<Learned, Failure> {
    let (network, data) = structure::read(options, path)?;
    let score = options.structures.score().map(|score| {
        let scored = score.of(&network, &data);
        scored.map_err(|error| structure::failure(error, path))
    });
    let score = score.transpose()?.map(|scored| scored.total);
    let progress = Progress::of("rounds", options.iterations);
    let algorithm = ExpectationMaximization::new(JunctionTree::new().limits(limits(options)))
        .interrupt(stop::flag())
        .on_progress(move |run| progress.set(run.done));
    let algorithm = match (options.iterations, options.tolerance) {
        (Some(rounds), None) => algorithm.exact_rounds(rounds),
        (Some(rounds), Some(tolerance)) => algorithm.rounds(rounds).tolerance(tolerance),
        (None, Some(tolerance)) => algorithm.tolerance(tolerance),
        (None, None) => algorithm,
    };
    let mut learner = NetworkLearner::by(algorithm).seed(options.seed.unwrap_or(0));
    if let Some(starts) = options.starts {
        learner = learner.starts(starts.into());
    }
    let learner = learner
        .prior(options.prior.unwrap_or(0.0))
        .start(match options.start {
            Some(Start::Uniform) => LearningStart::Uniform,
            Some(Start::Random) => LearningStart::Random(options.seed.unwrap_or(0)),
            Some(Start::File) | None => LearningStart::Network,
        });
    let learned = learner
        .learn(&network, &data)
        .map_err(|error| failure(error, &data, path))?;
    let fit = &learned.fit;
    Ok(Learned {
        log_likelihoods: fit.log_likelihoods().to_vec(),
        rounds: fit.rounds(),
        ended: fit.ended(),
        starts: fit.starts().to_vec(),
        alike: learned
            .alike
            .iter()
            .map(|&variable| network.variables()[variable].name().to_owned())
            .collect(),
        unreached: learned.unreached,
        network: learned.network,
        score,
        changes: None,
        missing: None,
    })
}

impl Learned {
    fn log_likelihood(&self) -> f64 {
        self.log_likelihoods.last().copied().unwrap_or(0.0)
    }
}

/// Prints notes about parameters that the data does not determine: states of hidden variables, and rows of probability tables without cases.
fn note_learned(options: &Options, learned: &Learned) {
    if !learned.alike.is_empty() {
        let names: Vec<String> = learned
            .alike
            .iter()
            .map(|name| format!("`{}`", printable(name)))
            .collect();
        let starts = counted(learned.starts.len(), "start");
        note(format!(
            "note: no case observes {}, and two states had equal numbers, which learning cannot separate; their first numbers were drawn at random, and \
             the tables are those of the best of {starts} (--starts gives more starts, --seed other numbers)",
            names.join(", ")
        ));
    }
    if !learned.unreached.is_empty() {
        let rows = rows_by_name(learned);
        let first = rows.first().map_or_else(String::new, |(child, key)| {
            format!("{} ({})", printable(child), printable(key))
        });
        let kept = match (options.prior, learned.changes) {
            (Some(prior), _) if prior > 0.0 => "have the numbers of the prior",
            (_, Some(_)) => "are not determined by the data",
            _ => "keep their starting numbers",
        };
        note(format!(
            "note: no case reaches {} of the tables, the first of which is {first}; such rows {kept}",
            counted(rows.len(), "row")
        ));
    }
}

/// Returns the rows of probability tables without cases in the data, each as the variable and the states of its parents.
fn rows_by_name(learned: &Learned) -> Vec<(&str, String)> {
    let network = &learned.network;
    let mut named = Vec::new();
    for table in network.tables() {
        let child = table.variables().last();
        let own = learned
            .unreached
            .iter()
            .filter(|(variable, _)| Some(variable) == child);
        let own: Vec<usize> = own.map(|&(_, row)| row).collect();
        if own.is_empty() {
            continue;
        }
        let (child, rows) = rows(network, table);
        named.extend(own.iter().map(|&row| (child, rows[row].0.clone())));
    }
    named
}

/// Converts an error of learning to a failure, with the line of a data row that is impossible.
fn failure(error: NetworkLearningError, data: &NetworkData, path: &Path) -> Failure {
    match error {
        NetworkLearningError::Inference(figrs::Error::InvalidCase { row, .. }) => {
            let (path, line) = (structure::shown(path), data.line(row));
            format!(
                "{path}:{line}: the network gives this row the probability 0; correct the row, or use --start uniform"
            )
            .into()
        }
        NetworkLearningError::Inference(error) => error.into(),
        error => error.into(),
    }
}

fn json(learned: &Learned) -> Json {
    let log_likelihoods = learned.log_likelihoods.iter().map(|&x| as_json(x));
    let mut object = Map::new();
    object.insert("log_likelihood".into(), as_json(learned.log_likelihood()));
    object.insert("log_likelihoods".into(), log_likelihoods.collect());
    let score = learned.score.map_or(Json::Null, as_json);
    object.insert("score".into(), score);
    object.insert("iterations".into(), learned.rounds.into());
    if let Some(missing) = &learned.missing {
        let scores: Vec<Json> = missing.scores.iter().map(|&x| as_json(x)).collect();
        let message = json!({"cells": missing.cells, "scores": scores, "optimum": "local"});
        object.insert("missing".into(), message);
    }
    if let Some(reason) = stop::reason().filter(|_| learned.ended == Stopped::Interrupted) {
        object.insert("stopped".into(), reason.name().into());
    }
    if learned.starts.len() > 1 {
        let starts = learned.starts.iter().map(|&x| as_json(x));
        object.insert("starts".into(), starts.collect());
    }
    if !learned.alike.is_empty() {
        object.insert("alike".into(), json!(learned.alike));
    }
    let mut unreached: Map<String, Json> = Map::new();
    for (child, key) in rows_by_name(learned) {
        let keys = unreached.entry(child).or_insert_with(|| json!([]));
        keys.as_array_mut()
            .into_iter()
            .for_each(|keys| keys.push(key.clone().into()));
    }
    if !unreached.is_empty() {
        object.insert("unreached".into(), Json::Object(unreached));
    }
    let tables = learned.network.tables().iter().map(|table| {
        let (child, rows) = rows(&learned.network, table);
        let rows = rows.into_iter().map(|(key, row)| {
            let states = row.into_iter().map(|(state, p)| (state.into(), as_json(p)));
            (key, Json::Object(states.collect()))
        });
        (child.into(), Json::Object(rows.collect()))
    });
    object.insert("tables".into(), Json::Object(tables.collect()));
    json!(object)
}

/// The rows of a probability table: the states of the parents, and the probability of each state of the variable.
type Rows<'n> = Vec<(String, Vec<(&'n str, f64)>)>;

/// Returns the name of the variable of a probability table, and the rows of the table.
fn rows<'n>(network: &'n Network, table: &NetworkTable) -> (&'n str, Rows<'n>) {
    let variables = network.variables();
    let Some((&child, parents)) = table.variables().split_last() else {
        return ("", Vec::new());
    };
    let states: Vec<&str> = variables[child].states().iter().map(State::name).collect();
    let rows = table.numbers().chunks(states.len()).enumerate();
    let rows = rows.map(|(number, row)| {
        // The last parent varies fastest.
        let mut rest = number;
        let mut key: Vec<String> = Vec::new();
        for &parent in parents.iter().rev() {
            let (name, states) = (variables[parent].name(), variables[parent].states());
            let state = states.get(rest % states.len()).map_or("", State::name);
            key.push(format!("{name}={state}"));
            rest /= states.len();
        }
        key.reverse();
        (
            key.join(","),
            states.iter().copied().zip(row.iter().copied()).collect(),
        )
    });
    (variables[child].name(), rows.collect())
}

fn text(out: &mut impl Write, learned: &Learned, score: &str) -> io::Result<()> {
    for table in learned.network.tables() {
        let (child, rows) = rows(&learned.network, table);
        writeln!(out, "{}", printable(child))?;
        let width = rows
            .iter()
            .map(|(key, _)| key.chars().count())
            .max()
            .unwrap_or(0);
        let own = table.variables().last().copied();
        for (number, (key, row)) in rows.into_iter().enumerate() {
            let numbers: Vec<String> = row
                .iter()
                .map(|(state, p)| format!("{} {p:.6}", printable(state)))
                .collect();
            let is_unreached = own.is_some_and(|own| learned.unreached.contains(&(own, number)));
            let message = if is_unreached { "  (no case)" } else { "" };
            writeln!(
                out,
                "  {:width$}  {}{message}",
                printable(&key),
                numbers.join("  ")
            )?;
        }
    }
    if let Some(reason) = stop::reason().filter(|_| learned.ended == Stopped::Interrupted) {
        note(format!(
            "note: {}; the result so far follows",
            reason.message()
        ));
    }
    if let Some(number) = learned.score {
        let of_expected = learned
            .missing
            .as_ref()
            .map_or("", |_| " of the expected counts");
        writeln!(out, "{score}{of_expected} {number:.6}")?;
    }
    if let Some(changes) = learned.changes {
        let parents = |table: &NetworkTable| table.variables().len() - 1;
        let arcs: usize = learned.network.tables().iter().map(parents).sum();
        writeln!(out, "arcs {arcs}")?;
        writeln!(out, "changes of arcs {changes}")?;
    }
    if let Some(MissingCellRounds { cells, scores, .. }) = &learned.missing {
        let reached = scores.last().copied().unwrap_or(0.0);
        let first = scores.first().copied().unwrap_or(0.0);
        writeln!(out, "missing cells {cells}")?;
        writeln!(out, "rounds of structural EM {}", learned.rounds)?;
        writeln!(
            out,
            "{score} of the other cells {reached:.6}, at the start {first:.6}"
        )?;
        writeln!(out, "optimum: local; it depends on the start")?;
    }
    if learned.changes.is_some() {
        return writeln!(out, "log-likelihood {:.6}", learned.log_likelihood());
    }
    let first = learned.log_likelihoods.first().copied().unwrap_or(0.0);
    writeln!(
        out,
        "log-likelihood {:.6}, at the start {first:.6}",
        learned.log_likelihood()
    )?;
    let converged = match learned.ended {
        Stopped::Finished => ", converged",
        _ => "",
    };
    writeln!(out, "rounds {}{converged}", learned.rounds)?;
    if learned.starts.len() > 1 {
        let (low, high) = learned
            .starts
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), &x| {
                (low.min(x), high.max(x))
            });
        let starts = learned.starts.len();
        writeln!(
            out,
            "starts {starts}, with log-likelihoods from {low:.6} to {high:.6}"
        )?;
    }
    Ok(())
}
