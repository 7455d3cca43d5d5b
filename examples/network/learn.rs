//! Learning of the tables of a network from data.

use std::io::{self, Write};

use figrs::models::network::{
    LearnedNetwork, LearningStart, Network, NetworkData, NetworkFormat, NetworkLearner,
    NetworkLearningError, NetworkTable, State,
};
use figrs::prelude::*;
use figrs::{Stopped, printable};
use figrs_command::{
    Failure, Progress, is_standard_input, note, read_network, read_standard_input, replace_text,
    stop,
};
use serde_json::{Map, Value as Json, json};

use super::question::limits;
use super::report::as_json;
use super::{Format, Options, Start};

/// Learns, writes the network, and prints what was learned.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let given = options.clone();
    let learned = stop::attempt(move || learned(&given))?;
    let learned = learned.ok_or_else(|| stop::nothing("a learned network"))??;
    if let Some(out) = &options.out {
        replace_text(out, &learned.network.to_text(NetworkFormat::of(out)?)?)?;
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    match options.format {
        Format::Text => text(&mut out, &learned)?,
        Format::Json => writeln!(out, "{}", json(&learned))?,
    }
    Ok(out.flush()?)
}

fn learned(options: &Options) -> Result<LearnedNetwork, Failure> {
    let network = read_network(&options.file)?;
    super::note_normalised(&network);
    let path = options.data.as_deref().unwrap_or(&options.file);
    let data = if is_standard_input(path) {
        network.data_from_csv(&read_standard_input()?)?
    } else {
        network.read_data(path)?
    };
    let progress = Progress::of("rounds", options.iterations);
    let algorithm = ExpectationMaximization::new(JunctionTree::new().options(limits(options)))
        .interrupt(stop::flag())
        .on_progress(move |run| progress.set(run.done));
    let algorithm = match (options.iterations, options.tolerance) {
        (Some(rounds), None) => algorithm.exact_rounds(rounds),
        (Some(rounds), Some(tolerance)) => algorithm.rounds(rounds).tolerance(tolerance),
        (None, Some(tolerance)) => algorithm.tolerance(tolerance),
        (None, None) => algorithm,
    };
    let learner = NetworkLearner::by(algorithm)
        .prior(options.prior.unwrap_or(0.0))
        .start(match options.start {
            Some(Start::Uniform) => LearningStart::Uniform,
            Some(Start::Random) => LearningStart::Random(options.seed.unwrap_or(0)),
            Some(Start::File) | None => LearningStart::Network,
        });
    learner
        .learn(&network, &data)
        .map_err(|error| failure(error, &data, path))
}

/// The failure of learning, with the line of a row that cannot be.
fn failure(error: NetworkLearningError, data: &NetworkData, path: &std::path::Path) -> Failure {
    match error {
        NetworkLearningError::Inference(figrs::Error::InvalidCase { row, .. }) => {
            let (path, line) = (path.display(), data.line(row));
            format!(
                "{path}:{line}: the network gives this row the probability 0; mend the row, or begin elsewhere with --start uniform"
            )
            .into()
        }
        NetworkLearningError::Inference(error) => error.into(),
        error => error.into(),
    }
}

fn json(learned: &LearnedNetwork) -> Json {
    let fit = &learned.fit;
    let log_likelihoods = fit.log_likelihoods().iter().map(|&x| as_json(x));
    let mut object = Map::new();
    object.insert("log_likelihood".into(), as_json(fit.log_likelihood()));
    object.insert("log_likelihoods".into(), log_likelihoods.collect());
    object.insert("score".into(), Json::Null);
    object.insert("iterations".into(), fit.rounds().into());
    if let Some(reason) = stop::reason().filter(|_| fit.ended() == Stopped::Interrupted) {
        object.insert("stopped".into(), reason.name().into());
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

/// The rows of a table: the states of the parents, and the probability of each state.
type Rows<'n> = Vec<(String, Vec<(&'n str, f64)>)>;

/// The name of the variable of a table, and its rows.
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

fn text(out: &mut impl Write, learned: &LearnedNetwork) -> io::Result<()> {
    for table in learned.network.tables() {
        let (child, rows) = rows(&learned.network, table);
        writeln!(out, "{}", printable(child))?;
        let width = rows
            .iter()
            .map(|(key, _)| key.chars().count())
            .max()
            .unwrap_or(0);
        for (key, row) in rows {
            let numbers: Vec<String> = row
                .iter()
                .map(|(state, p)| format!("{} {p:.6}", printable(state)))
                .collect();
            writeln!(out, "  {:width$}  {}", printable(&key), numbers.join("  "))?;
        }
    }
    let fit = &learned.fit;
    let first = fit.log_likelihoods().first().copied().unwrap_or(0.0);
    let rounds = match fit.rounds() {
        1 => "1 round".into(),
        rounds => format!("{rounds} rounds"),
    };
    if let Some(reason) = stop::reason().filter(|_| fit.ended() == Stopped::Interrupted) {
        note(format!(
            "note: {}; this is what there was by then",
            reason.told()
        ));
    }
    writeln!(
        out,
        "log-likelihood {:.6}, from {first:.6} in {rounds}{}",
        fit.log_likelihood(),
        match fit.ended() {
            Stopped::Finished => "; converged",
            _ => "",
        }
    )
}
