//! Posteriors of networks with real variables.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use figrs::prelude::*;
use figrs::{Algorithm, AnyElement, Error, Marginal, NormalMixture, printable};
use figrs_command::{
    Failure, as_json, each_state, observations, probabilities, standard_output, stop,
};
use figrs_network::{MixedNetwork, NetworkEvidence, ObservedVariables, State, Variable};
use figrs_reals::{Collapse, in_closed_form};
use serde_json::{Map, Value as Json, json};

use super::option_uses::any_of;
use super::options::{Format, Method, Options, Task, limits, named};
use super::remedy;
use super::report::{bars, widest, without_answer};
use figrs::internals::six_decimals;

/// The probabilities for which an answer states the quantiles of a real variable.
const QUANTILES: [f64; 5] = [0.025, 0.25, 0.5, 0.75, 0.975];

/// A question about a network with real variables.
pub(crate) struct MixedQuestion {
    network: MixedNetwork,
    evidence: NetworkEvidence,
    /// The queried finite variables.
    finite: Vec<usize>,
    /// The queried real variables.
    reals: Vec<usize>,
    options: Options,
}

/// The answer to a question, with the times of compilation and query in seconds.
struct Posteriors {
    finite: Vec<Marginal<State>>,
    reals: Vec<RealPosterior>,
    log_evidence: f64,
    algorithm: &'static str,
    seconds: [(&'static str, f64); 2],
}

/// The distribution of a real variable in numbers.
struct RealPosterior {
    mean: f64,
    deviation: f64,
    /// The numbers that the variable does not exceed with the probabilities in [`QUANTILES`].
    quantiles: [f64; 5],
}

impl RealPosterior {
    fn new(mixture: &NormalMixture) -> Self {
        Self {
            mean: mixture.mean(),
            deviation: mixture.standard_deviation(),
            quantiles: QUANTILES.map(|p| mixture.quantile(p)),
        }
    }

    fn observed(value: f64) -> Self {
        Self {
            mean: value,
            deviation: 0.0,
            quantiles: [value; 5],
        }
    }
}

impl MixedQuestion {
    /// Returns the question with real variables that the options of the command describe.
    ///
    /// **Errors.** Evidence or a query names a variable that the network does not have.
    pub(crate) fn new(network: MixedNetwork, options: Options) -> Result<Self, Failure> {
        let texts = ("--observe", &options.observe[..]);
        let evidence = observations(&network, options.evidence.as_deref(), texts)?;
        let is_all = options.query.is_empty() || options.query == ["all"];
        let (mut finite, mut reals) = (Vec::new(), Vec::new());
        if options.task == Task::Marginals && is_all {
            finite.extend(0..network.finite().variables().len());
            reals.extend(0..network.reals().len());
        } else if options.task == Task::Marginals {
            for name in &options.query {
                if let Some(position) = network.real_position(name) {
                    reals.push(position);
                } else {
                    let position = ObservedVariables::position(&network, name);
                    let failure = |error| format!("--query {}: {error}", printable(name));
                    finite.push(position.map_err(failure)?);
                }
            }
        }
        for queried in [&mut finite, &mut reals] {
            queried.sort_unstable();
            queried.dedup();
        }
        Ok(Self {
            network,
            evidence,
            finite,
            reals,
            options,
        })
    }

    /// True if neither evidence nor queries name a real variable.
    pub(crate) fn is_finite(&self) -> bool {
        self.reals.is_empty() && self.evidence.real_observations().is_empty()
    }

    /// Returns the network of the finite variables alone.
    pub(crate) fn into_finite(self) -> figrs_network::Network {
        self.network.into_finite()
    }

    /// Computes the answer to the question, and prints the answer.
    pub(crate) fn run(self, parse: Duration) -> Result<(), Failure> {
        self.check()?;
        let question = Arc::new(self);
        let asked = Arc::clone(&question);
        let found = stop::attempt(move || asked.answer(parse))?;
        let found = found.ok_or_else(|| remedy::of_stop(&question.options))?;
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                let failure = without_answer(error.into(), Vec::new(), &question.options)?;
                return Err(failure);
            }
        };
        let mut out = io::BufWriter::new(standard_output());
        match question.options.format {
            Format::Json => writeln!(out, "{}", question.json(&found))?,
            _ => question.text(&found, &mut out)?,
        }
        Ok(out.flush()?)
    }

    /// Rejects options that have no meaning for real variables.
    fn check(&self) -> Result<(), Failure> {
        let method = self.options.method();
        let able = [
            Method::Exact,
            Method::JunctionTree,
            Method::VariableElimination,
        ];
        if !able.contains(&method) {
            let (method, able) = (named(&method), any_of(&able.each_ref().map(named)));
            return Err(format!(
                "--algorithm {method} does not support real variables; use {able}"
            )
            .into());
        }
        let given = [
            ("--report", self.options.report.is_some()),
            ("--repeat", self.options.repeat.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(format!(
                "{flag} does not support networks with real variables; leave it out, or query only discrete variables by --query"
            )
            .into()),
            None => Ok(()),
        }
    }

    fn answer(&self, parse: Duration) -> Result<Posteriors, Error> {
        let started = Instant::now();
        let (elements, reals) = (
            self.network.finite().elements(),
            self.network.real_elements(),
        );
        let finite: Vec<&Element<State>> = self.finite.iter().map(|&v| &elements[v]).collect();
        let reals: Vec<(Option<f64>, &Element<f64>)> = self
            .reals
            .iter()
            .map(|&v| (self.observed(v), &reals[v]))
            .collect();
        let unknown = reals.iter().filter(|(observed, _)| observed.is_none());
        let targets = finite.iter().map(|element| element.erased().clone());
        let targets = targets.chain(unknown.map(|(_, element)| element.erased().clone()));
        let targets: Vec<AnyElement> = targets.collect();
        let model = self.network.given(&self.evidence);
        let limits = limits(&self.options);
        let algorithm: Box<dyn Algorithm> = match self.options.method() {
            Method::JunctionTree => Box::new(JunctionTree::new().limits(limits.clone())),
            Method::VariableElimination => {
                Box::new(VariableElimination::new().limits(limits.clone()))
            }
            _ => {
                let memory = self.options.memory;
                let exact = memory.map_or_else(Exact::new, Exact::within);
                Box::new(exact.interrupt(stop::flag()))
            }
        };
        // With the feature `reals` of figrs, the algorithms would call `in_closed_form` themselves; but Cargo would set the feature for all examples.
        let answer = algorithm.answer(&model, &targets).or_else(|refused| {
            let within = (&limits, Collapse::Never);
            in_closed_form(algorithm.name(), (&model, &targets), within, refused)
        })?;
        let marginals = finite.iter().map(|element| answer.distribution(element));
        let posteriors = reals.iter().map(|&(observed, element)| match observed {
            Some(value) => Ok(RealPosterior::observed(value)),
            None => answer.mixture(element).map(RealPosterior::new),
        });
        Ok(Posteriors {
            finite: marginals.collect::<Result<_, _>>()?,
            reals: posteriors.collect::<Result<_, _>>()?,
            log_evidence: answer.log_evidence()?.value,
            algorithm: answer.algorithm(),
            seconds: [
                ("parse", parse.as_secs_f64()),
                ("query", started.elapsed().as_secs_f64()),
            ],
        })
    }

    /// The observed value of a real variable, if it is observed.
    fn observed(&self, real: usize) -> Option<f64> {
        let mut observed = self.evidence.real_observations().iter();
        Some(observed.find(|it| it.variable() == real)?.value())
    }

    fn finite_variables(&self) -> impl Iterator<Item = &Variable> + Clone {
        let variables = self.network.finite().variables();
        self.finite.iter().map(|&position| &variables[position])
    }

    fn real_names(&self) -> impl Iterator<Item = &str> {
        let reals = self.network.reals();
        self.reals.iter().map(|&position| reals[position].name())
    }

    fn json(&self, found: &Posteriors) -> Json {
        let mut object = Map::new();
        let mut put = |name: &str, value: Json| object.insert(name.into(), value);
        if self.options.task == Task::Marginals {
            let marginals = each_state(self.finite_variables(), &found.finite, probabilities);
            put("marginals", marginals);
            let real = |(name, real): (&str, &RealPosterior)| {
                let quantiles = QUANTILES.iter().zip(real.quantiles);
                let quantiles = quantiles.map(|(p, x)| (p.to_string(), as_json(x)));
                let real = json!({
                    "mean": as_json(real.mean),
                    "sd": as_json(real.deviation),
                    "quantiles": Json::Object(quantiles.collect()),
                });
                (name.to_owned(), real)
            };
            let reals = self.real_names().zip(&found.reals).map(real);
            put("reals", Json::Object(reals.collect()));
        }
        put("log_evidence", as_json(found.log_evidence));
        put("algorithm", found.algorithm.into());
        put("exact", true.into());
        let seconds = found.seconds.iter();
        let seconds = seconds.map(|&(name, time)| (name.to_owned(), time.into()));
        put("seconds", Json::Object(seconds.collect()));
        Json::Object(object)
    }

    fn text(&self, found: &Posteriors, out: &mut impl Write) -> io::Result<()> {
        bars(out, self.finite_variables(), &found.finite, false)?;
        let width = widest(self.real_names());
        for (name, real) in self.real_names().zip(&found.reals) {
            let [low, _, median, _, high] = real.quantiles;
            let name = printable(name).to_string();
            writeln!(
                out,
                "{name:width$}  mean {:.6}, sd {:.6}, median {median:.6}, 95 % between {low:.6} and {high:.6}",
                real.mean, real.deviation,
            )?;
        }
        writeln!(out, "log-evidence {:.6}", six_decimals(found.log_evidence))?;
        writeln!(out, "algorithm: {}, exact", found.algorithm)?;
        let seconds = found.seconds.iter();
        let seconds: Vec<String> = seconds
            .map(|(name, time)| format!("{name} {time:.6}"))
            .collect();
        writeln!(out, "seconds: {}", seconds.join(", "))
    }
}
