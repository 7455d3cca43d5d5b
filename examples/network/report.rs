//! Answers as text and as JSON.

use std::io::{self, Write};

use figrs::{Bounds, Error, LogEvidence, Marginal, printable};
use figrs_command::{
    Failure, NoAnswer, as_json, each_state, inference, is_without_answer, probabilities,
    standard_errors,
};
use figrs_network::{NetworkKind, State, Variable};
use serde_json::{Map, Value as Json, json};

use super::findings::{Cost, Findings, Found};
use super::options::{Format, Method, Options, Task, named};
use super::question::Question;
use super::remedy;
use figrs::internals::six_decimals;

/// An answer to a question about a network, and the options that decide how the answer is printed.
pub(crate) struct Report<'a> {
    pub(crate) question: &'a Question,
    pub(crate) findings: &'a Findings,
    pub(crate) seconds: &'a [(&'static str, f64)],
}

impl Report<'_> {
    pub(crate) fn is_estimate(&self) -> bool {
        self.question.options.method() == Method::ImportanceSampling
    }

    /// True if the answer is exact: neither an estimate nor bounds.
    pub(crate) fn is_exact(&self) -> bool {
        let found = self.findings;
        !self.is_estimate() && found.mpe_bounds.is_none() && found.evidence_bounds.is_none()
    }

    /// The queried variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &Variable> + Clone {
        let variables = self.question.network.variables();
        let queried = self.question.queried.iter();
        queried.map(|&position| &variables[position])
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.variables().map(Variable::name)
    }

    fn assignment(&self, states: &[State]) -> Json {
        let pairs = self.names().zip(states);
        Json::Object(
            pairs
                .map(|(name, state)| (name.into(), state.name().into()))
                .collect(),
        )
    }

    fn world(&self, world: &Found) -> Json {
        json!({
            "log_probability": as_json(world.log_probability),
            "assignment": self.assignment(&world.states),
        })
    }

    pub(crate) fn json(&self) -> Json {
        let found = self.findings;
        let mut object = Map::new();
        let mut put = |name: &str, value: Json| object.insert(name.into(), value);
        if let Some(marginals) = &found.marginals {
            put(
                "marginals",
                each_state(self.variables(), marginals, probabilities),
            );
            if self.is_estimate() {
                put(
                    "standard_errors",
                    each_state(self.variables(), marginals, standard_errors),
                );
            }
        }
        if let Some(evidence) = found.log_evidence {
            put("log_evidence", as_json(evidence.value));
            if self.is_estimate() {
                put(
                    "log_evidence_standard_error",
                    as_json(evidence.standard_error),
                );
            }
        }
        if let Some(count) = &found.count {
            put("count", count.as_str().into());
        }
        if let Some(world) = &found.mpe {
            let task = named(&self.question.options.task);
            put(&task, self.world(world));
        }
        if let Some(Bounds { lower, upper }) = found.evidence_bounds {
            let bounds = [lower, upper].map(as_json);
            put("bounds", json!({"log_evidence": bounds}));
        }
        if let Some(bounds) = found.mpe_bounds {
            let task = named(&self.question.options.task);
            put("bounds", json!({task: bounds.map(as_json)}));
        }
        if let Some(worlds) = &found.worlds {
            put(
                "worlds",
                worlds.iter().map(|world| self.world(world)).collect(),
            );
        }
        let out = self.question.options.out.as_ref();
        if let (Some(samples), Some(out)) = (&found.samples, out) {
            put("file", out.display().to_string().into());
            put("rows", samples.len().into());
        } else if let Some(samples) = &found.samples {
            put(
                "samples",
                samples
                    .iter()
                    .map(|states| self.assignment(states))
                    .collect(),
            );
        }
        if let Some(algorithm) = found.algorithm {
            put("algorithm", algorithm.into());
            put("exact", self.is_exact().into());
        }
        if !found.tried.is_empty() {
            put("tried", json!(found.tried));
        }
        if let Some(cost) = &found.cost {
            let Cost {
                slices,
                width,
                operations,
                table_bytes,
            } = cost;
            let mut message =
                json!({"width": width, "operations": operations, "table_bytes": table_bytes});
            if let Some(slices) = slices {
                message["slices"] = json!(slices);
            }
            put("cost", message);
        }
        if let Some(reason) = found.stopped {
            put("stopped", reason.name().into());
        }
        let seconds = self
            .seconds
            .iter()
            .map(|&(name, time)| (name.into(), time.into()));
        put("seconds", Json::Object(seconds.collect()));
        Json::Object(object)
    }

    pub(crate) fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let found = self.findings;
        if let Some(marginals) = &found.marginals {
            bars(out, self.variables(), marginals, self.is_estimate())?;
        }
        if let Some(evidence) = found.log_evidence {
            writeln!(out, "log-evidence {}", self.log_evidence(evidence))?;
        }
        if let Some(Bounds { lower, upper }) = found.evidence_bounds {
            writeln!(
                out,
                "not known: the log-evidence is between {:.6} and {:.6}",
                six_decimals(lower),
                six_decimals(upper)
            )?;
        }
        if let Some(count) = &found.count {
            writeln!(out, "count {count}")?;
        }
        for world in found.mpe.iter().chain(found.worlds.iter().flatten()) {
            writeln!(
                out,
                "log-probability {:.6}",
                six_decimals(world.log_probability)
            )?;
            let width = widest(self.names());
            for (name, state) in self.names().zip(&world.states) {
                writeln!(out, "  {:width$}  {state}", printable(name))?;
            }
        }
        if let Some([_, high]) = found.mpe_bounds {
            let others = match self.question.options.task {
                Task::Map => "no other states of these variables have",
                _ => "no world has",
            };
            writeln!(
                out,
                "not proven: {others} a log-probability above {high:.6}"
            )?;
        }
        for states in found.samples.iter().flatten() {
            let pairs = self.names().zip(states);
            let pairs: Vec<String> = pairs
                .map(|(name, state)| format!("{}={state}", printable(name)))
                .collect();
            writeln!(out, "{}", pairs.join(" "))?;
        }
        if let Some(algorithm) = found.algorithm {
            let exact = if self.is_exact() {
                "exact"
            } else {
                "not exact"
            };
            writeln!(out, "algorithm: {algorithm}, {exact}")?;
        }
        if found.tried.len() > 1 {
            for attempt in &found.tried {
                writeln!(out, "  {attempt}")?;
            }
        }
        if let Some(cost) = &found.cost {
            let Cost {
                slices,
                width,
                operations,
                table_bytes,
            } = cost;
            let slices = slices.map_or_else(String::new, |slices| format!("slices {slices}, "));
            let more = if *table_bytes == u64::MAX {
                "more than "
            } else {
                ""
            };
            writeln!(
                out,
                "cost: {slices}width {width}, operations {operations:.0}, table bytes {more}{table_bytes}"
            )?;
        }
        let seconds = self.seconds.iter();
        let seconds: Vec<String> = seconds
            .map(|(name, time)| format!("{name} {time:.6}"))
            .collect();
        writeln!(out, "seconds: {}", seconds.join(", "))
    }

    /// Returns the log-evidence in digits, with its standard error if it is an estimate, and with its exponential if this is a probability.
    pub(crate) fn log_evidence(&self, evidence: LogEvidence) -> String {
        let mut error = String::new();
        if self.is_estimate() {
            error = format!(" ± {:.6}", evidence.standard_error);
        }
        // For a Markov network, and with weighted evidence, the exponential of the log-evidence is not a probability.
        let is_weighed = !self.question.evidence.likelihoods().is_empty();
        let mut probability = String::new();
        if self.question.network.kind() == NetworkKind::Bayesian && !is_weighed {
            probability = format!(" (probability {:.6e})", evidence.value.exp());
        }
        let value = six_decimals(evidence.value);
        format!("{value:.6}{error}{probability}")
    }
}

/// Writes the marginals of variables with a bar for each state, and with standard errors if they are estimates.
pub(crate) fn bars<'v>(
    out: &mut impl Write,
    variables: impl Iterator<Item = &'v Variable> + Clone,
    marginals: &[Marginal<State>],
    is_estimate: bool,
) -> io::Result<()> {
    const WIDTH: f64 = 40.0;
    let states = variables.clone().flat_map(|v| v.states().iter());
    let width = widest(states.map(State::name));
    for (variable, marginal) in variables.zip(marginals) {
        writeln!(out, "{}", printable(variable.name()))?;
        let states = variable.states().iter();
        let numbers = probabilities(variable, marginal)
            .into_iter()
            .zip(standard_errors(variable, marginal));
        for (state, (p, error)) in states.zip(numbers) {
            write!(out, "  {state:width$}  {p:8.6}")?;
            if is_estimate {
                write!(out, " ± {error:8.6}")?;
            }
            let bar = "█".repeat((p * WIDTH).round() as usize);
            writeln!(out, "{}{bar}", if bar.is_empty() { "" } else { " " })?;
        }
    }
    Ok(())
}

/// Returns the failure of a question that has no answer; the algorithms that were tried are printed as JSON, or are named in the text of the failure.
///
/// **Errors.** An error if the failure cannot be written.
pub(crate) fn without_answer(
    failure: Failure,
    tried: Vec<String>,
    options: &Options,
) -> io::Result<Failure> {
    if !is_without_answer(&*failure) {
        return Ok(failure);
    }
    let message = figrs_command::message(&failure, |error| remedy::of(error, options));
    if options.format == Format::Json {
        let mut object = json!({ "error": message });
        if !tried.is_empty() {
            object["tried"] = json!(tried);
        }
        writeln!(figrs_command::standard_output(), "{object}")?;
        return Ok(failure);
    }
    let is_impossible = matches!(inference(&*failure), Some(Error::ImpossibleEvidence { .. }));
    if is_impossible || tried.is_empty() {
        return Ok(failure);
    }
    // An algorithm may have been tried again, with the same result.
    let mut ends: Vec<String> = Vec::new();
    for attempt in tried {
        if !ends.contains(&attempt) {
            ends.push(attempt);
        }
    }
    Ok(NoAnswer(format!("{message}; tried: {}", ends.join("; "))).into())
}

/// Returns a number with the name of the things that it counts, such as `3 rows`; `name` is the singular of the name.
pub(crate) fn counted(number: usize, name: &str) -> String {
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

pub(crate) fn widest<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0)
}

/// Writes samples as comma-separated values, one sample on each line.
pub(crate) fn write_samples(
    file: &mut dyn Write,
    question: &Question,
    samples: &[Vec<State>],
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(file);
    let variables = question.network.variables();
    writer.write_record(question.queried.iter().map(|&v| variables[v].name()))?;
    for states in samples {
        writer.write_record(states.iter().map(State::name))?;
    }
    writer.flush()
}
