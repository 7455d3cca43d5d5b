//! Predictions of a variable for each row of data.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Instant;

use figrs::prelude::*;
use figrs::{States, printable};
use figrs_command::{
    Failure, NoAnswer, Progress, as_json, in_file, is_standard_input, note, observations, queried,
    replace, stop,
};
use figrs_network::{
    CasePrediction, CasePredictor, Network, NetworkData, NetworkDataBlocks, State, Variable,
};
use serde_json::{Map, Value as Json, json};

use super::options::limits;
use super::report::{counted, widest};
use super::{Format, Options, reading, structure};
use figrs::internals::six_decimals;

/// Predicts the queried variable in each row of --data, writes the predictions and prints measures of their quality.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let given = options.clone();
    let network = stop::attempt(move || reading::chances(&given))?;
    let network = network.ok_or_else(|| stop::nothing("a network"))??;
    let [predicted] = queried(&network, &options.query)?[..] else {
        return Err(needs_query());
    };
    let blocks = blocks(options, &network)?;
    let (mut predictor, seconds) = compiled(options, &network, predicted, blocks.columns())?;
    let started = Instant::now();
    let mut summary = Summary::new(&network.variables()[predicted]);
    match &options.out {
        None => summary.read(blocks, predicted, &mut predictor, |_| Ok(()))?,
        Some(path) => replace(path, |file| {
            let cannot = |error: csv::Error| in_file(path, error.into());
            let mut rows = csv::Writer::from_writer(file);
            rows.write_record(summary.names()).map_err(cannot)?;
            let states = summary.variable.states();
            let write =
                |found: &CasePrediction| rows.write_record(cells(found, states)).map_err(cannot);
            summary.read(blocks, predicted, &mut predictor, write)?;
            if let Some(reason) = summary.stopped {
                let (message, done) = (reason.message(), counted(summary.rows, "row"));
                let out = path.display();
                let message =
                    format!("{message} after {done}; {out} is unchanged; allow more --time");
                return Err(NoAnswer(message).into());
            }
            rows.flush().map_err(|error| in_file(path, error))
        })?,
    }
    let seconds = [
        ("compile", seconds),
        ("query", started.elapsed().as_secs_f64()),
    ];
    summary.note();
    let mut out = io::BufWriter::new(figrs_command::standard_output());
    match options.format {
        Format::Json => writeln!(out, "{}", summary.json(options, &seconds))?,
        _ => summary.text(&mut out, &seconds)?,
    }
    Ok(out.flush()?)
}

/// Returns the failure that --query does not name exactly one variable.
pub(crate) fn needs_query() -> Failure {
    "--task predict needs --query VAR: the variable to predict".into()
}

/// Returns the data of --data in blocks of rows.
fn blocks<'n>(
    options: &Options,
    network: &'n Network,
) -> Result<NetworkDataBlocks<'n, Box<dyn Read>>, Failure> {
    let path = options.data.as_deref().unwrap_or(Path::new(""));
    let stream: Box<dyn Read> = if is_standard_input(path) {
        Box::new(io::stdin().lock())
    } else {
        let opened = File::open(path);
        Box::new(opened.map_err(|error| format!("cannot read {}: {error}", path.display()))?)
    };
    Ok(network.data_blocks(stream, &structure::shown(path))?)
}

/// Returns the compiled predictor, and the seconds that compilation took.
fn compiled(
    options: &Options,
    network: &Network,
    predicted: usize,
    columns: &[usize],
) -> Result<(CasePredictor, f64), Failure> {
    let texts = ("--observe", &options.observe[..]);
    let evidence = observations(network, options.evidence.as_deref(), texts)?;
    let stated: BTreeSet<usize> = evidence.variables().collect();
    if let Some(&both) = columns.iter().find(|column| stated.contains(column)) {
        let name = printable(network.variables()[both].name());
        return Err(format!(
            "`{name}` has a column in --data and evidence from --evidence or --observe; remove one of them"
        )
        .into());
    }
    let started = Instant::now();
    let (network, columns) = (network.clone(), columns.to_vec());
    let tree = JunctionTree::new()
        .limits(limits(options))
        .interrupt(stop::flag());
    let made = stop::attempt(move || {
        let _shown = Progress::waiting("compiling");
        CasePredictor::new(
            &network,
            &network.given(&evidence),
            predicted,
            &columns,
            &tree,
        )
    })?;
    let made = match made {
        Some(Err(figrs::Error::NothingDone { .. })) | None => None,
        Some(made) => Some(made?),
    };
    let predictor = made.ok_or_else(|| stop::nothing("a prediction"))?;
    Ok((predictor, started.elapsed().as_secs_f64()))
}

/// Returns the cells of a prediction: the most probable state, the probability of each state, and the log-likelihood.
fn cells(found: &CasePrediction, states: &States<State>) -> Vec<String> {
    let best = found.most_probable().and_then(|best| states.get(best));
    let mut cells = vec![best.map_or_else(String::new, |state| state.name().to_owned())];
    let probabilities = found.probabilities().iter().map(|p| format!("{p:?}"));
    cells.extend(probabilities);
    cells.resize(states.len() + 1, String::new());
    cells.push(format!("{:?}", found.log_likelihood()));
    cells
}

/// Totals over the predictions for all rows of the data.
struct Summary<'n> {
    variable: &'n Variable,
    rows: usize,
    /// For each state of the variable, the number of rows in which it is the most probable state.
    counts: Vec<usize>,
    /// The sum of the log-likelihoods of all rows whose probability is not zero.
    log_likelihood: f64,
    /// The number of rows with probability zero, and the line of the first such row.
    impossible: usize,
    first_impossible: usize,
    /// The number of predictions whose row contains the true state of the variable.
    scored: usize,
    right: usize,
    log_loss: f64,
    stopped: Option<stop::Reason>,
}

impl<'n> Summary<'n> {
    fn new(variable: &'n Variable) -> Self {
        Self {
            variable,
            rows: 0,
            counts: vec![0; variable.states().len()],
            log_likelihood: 0.0,
            impossible: 0,
            first_impossible: 0,
            scored: 0,
            right: 0,
            log_loss: 0.0,
            stopped: None,
        }
    }

    /// Returns the names of the columns of the file of predictions.
    fn names(&self) -> Vec<String> {
        let states = self.variable.states().iter();
        let mut names = vec!["predicted".to_owned()];
        names.extend(states.map(|state| format!("P({})", state.name())));
        names.push("log_likelihood".to_owned());
        names
    }

    /// Predicts the variable in all rows of the data, until the command is asked to stop.
    fn read<R: Read>(
        &mut self,
        blocks: NetworkDataBlocks<'_, R>,
        predicted: usize,
        predictor: &mut CasePredictor,
        mut write: impl FnMut(&CasePrediction) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let progress = Progress::of("rows", None);
        for block in blocks {
            let block = block?;
            for row in 0..block.len() {
                if stop::is_set() {
                    self.stopped = stop::reason();
                    return Ok(());
                }
                let found = match predictor.predict(block.row(row)) {
                    Err(_) if stop::is_set() => {
                        self.stopped = stop::reason();
                        return Ok(());
                    }
                    found => found?,
                };
                self.add(&found, &block, row, predicted);
                write(&found)?;
                progress.set(self.rows as u64);
            }
        }
        Ok(())
    }

    fn add(&mut self, found: &CasePrediction, data: &NetworkData, row: usize, predicted: usize) {
        self.rows += 1;
        let Some(best) = found.most_probable() else {
            if self.impossible == 0 {
                self.first_impossible = data.line(row);
            }
            self.impossible += 1;
            return;
        };
        self.counts[best] += 1;
        self.log_likelihood += found.log_likelihood();
        if let Some(state) = data.row(row).nth(predicted).flatten() {
            self.scored += 1;
            self.right += usize::from(state.index() == best);
            self.log_loss -= found.probabilities()[state.index()].ln();
        }
    }

    /// Prints notes if the work ended early or if some rows have probability zero.
    fn note(&self) {
        if let Some(reason) = self.stopped {
            let message = reason.message();
            note(format!(
                "note: {message}; the results are for the rows read so far"
            ));
        }
        if self.impossible > 0 {
            note(format!(
                "note: there is no prediction for {} with the probability 0, the first on line {}",
                counted(self.impossible, "row"),
                self.first_impossible
            ));
        }
    }

    fn accuracy(&self) -> f64 {
        self.right as f64 / self.scored as f64
    }

    fn mean_log_loss(&self) -> f64 {
        // Adding zero changes a mean of -0.0 to 0.0.
        self.log_loss / self.scored as f64 + 0.0
    }

    fn text(&self, out: &mut impl Write, seconds: &[(&str, f64)]) -> io::Result<()> {
        let states = self.variable.states();
        writeln!(out, "{}", printable(self.variable.name()))?;
        let width = widest(states.iter().map(State::name));
        for (state, count) in states.iter().zip(&self.counts) {
            writeln!(
                out,
                "  {state:width$}  predicted in {}",
                counted(*count, "row")
            )?;
        }
        writeln!(out, "possible rows {}", self.rows - self.impossible)?;
        let log_likelihood = six_decimals(self.log_likelihood);
        writeln!(
            out,
            "log-likelihood of the other columns {log_likelihood:.6}"
        )?;
        if self.scored > 0 {
            let (right, scored) = (self.right, counted(self.scored, "row"));
            writeln!(
                out,
                "accuracy {:.6}, right in {right} of {scored} with a state",
                self.accuracy()
            )?;
            writeln!(out, "log-loss {:.6}", self.mean_log_loss())?;
        }
        let seconds = seconds
            .iter()
            .map(|(name, time)| format!("{name} {time:.6}"));
        writeln!(out, "seconds: {}", seconds.collect::<Vec<_>>().join(", "))
    }

    fn json(&self, options: &Options, seconds: &[(&str, f64)]) -> Json {
        let names = self.variable.states().iter().map(State::name);
        let counts = names.zip(&self.counts);
        let counts: Map<String, Json> = counts
            .map(|(name, &count)| (name.into(), count.into()))
            .collect();
        let mut message = json!({
            "rows": self.rows,
            "impossible": self.impossible,
            "predicted": counts,
            "log_likelihood": as_json(self.log_likelihood),
            "scored": self.scored,
        });
        if self.scored > 0 {
            message["accuracy"] = as_json(self.accuracy());
            message["log_loss"] = as_json(self.mean_log_loss());
        }
        if let Some(out) = &options.out {
            message["file"] = out.display().to_string().into();
        }
        if let Some(reason) = self.stopped {
            message["stopped"] = reason.name().into();
        }
        let seconds = seconds
            .iter()
            .map(|&(name, time)| (name.into(), time.into()));
        message["seconds"] = Json::Object(seconds.collect());
        message
    }
}
