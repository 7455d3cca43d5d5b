//! Loopy belief propagation: factors and variables exchange messages until the messages converge.
//!
//! | file | content |
//! |---|---|
//! | `network` | the factors, laid out for messages |
//! | `messages` | the messages, their convergence, and beliefs |
//! | `origin_counts` | expected counts of outcomes that parameters decide |
//! | `mpe` | a world of high probability by max-product messages |

mod messages;
mod mpe;
mod network;
mod origin_counts;

use figrs_core::expand::Encoding;
use figrs_core::{AnyElement, Limits, Model};
use figrs_factor::graph::FactorGraph;

pub use figrs_answer::answer::estimate::Estimate;
use figrs_answer::{
    Algorithm, Answer, Error, LogEvidence, RunMonitor, RunStatistics, TargetMarginal, Watch,
    conflict, expand,
};
use figrs_factor::Stopped;
use figrs_factor::consistency::reduce;
use messages::{ConvergenceCriteria, ConvergenceResult, Messages, SumMessages};
pub use mpe::MpeBeliefPropagation;
use network::{FactorEntries, MessageGraph};

/// Approximate marginals, computed from messages between the factors and the variables of a model of any treewidth.
///
/// Before messages are sent, the values of variables that zeros of factors exclude are removed. Each iteration of belief propagation sends messages
/// through the factors in a fixed order, and then in reverse order. Belief propagation ends when an iteration changes no message by more than a
/// tolerance. Belief propagation stores messages as logarithms, which do not underflow.
///
/// **Guarantee.** If the factor graph has no loops and the messages have converged, marginals and log-evidence are exact up to rounding, and the
/// answer states that they are exact. If the graph has loops or the messages have not converged, the marginals and the log-evidence are
/// approximations without bounds ([`Quality::Approximate`](figrs_answer::Quality::Approximate)). If the messages of belief propagation converge, the
/// marginals are the beliefs of a fixed point of the message updates. The log-evidence from loopy belief propagation is the negative Bethe free
/// energy, and its standard error is NaN. A value to which the answer of belief propagation gives the probability zero is impossible.
/// [`RunStatistics::stopped`](figrs_answer::RunStatistics::stopped) is `Finished` if and only if the messages converged.
/// [`RunStatistics::residual`](figrs_answer::RunStatistics::residual) is the largest change of a message in the last iteration.
///
/// If `ExpectationMaximization` uses belief propagation, it computes the expected counts of outcomes from the beliefs of factors. In
/// `ExpectationMaximization`, the log-likelihood is the sum of the negative Bethe free energies of the data rows; the log-likelihood is unknown if
/// the messages of a data row have not converged. Expected counts and log-likelihood are exact if the factor graph of every data row has no loops
/// after the values of the row have been substituted. If some factor graph has loops, nothing is guaranteed, and a round of expectation maximization
/// may lower the likelihood. In expectation maximization, the maximum number of iterations and the maximum work of belief propagation apply to each
/// data row separately.
///
/// **Complexity.** An iteration reads each non-zero entry of each factor twice for each variable of the factor.
///
/// **Errors.** [`Error::MessagesTooLarge`] if one iteration exceeds the limit of work; [`Error::ImpossibleEvidence`] if messages exclude all values
/// of a variable (if the graph has loops, impossible evidence may remain undetected); an error if listing the possible values of the model's
/// variables exceeds a limit. If the messages of belief propagation do not converge, the answer contains no log-evidence.
///
/// **References.** Pearl (1988), *Probabilistic Reasoning in Intelligent Systems*, chapter 4; Kschischang, Frey and
/// Loeliger (2001), "Factor graphs and the sum-product algorithm"; Yedidia, Freeman and Weiss (2005), "Constructing
/// free-energy approximations and generalized belief propagation algorithms".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::BeliefPropagation;
/// # use figrs_answer::Run;
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = BeliefPropagation::new().run(&model, &rain)?;
/// assert!((answer.probability(&rain, &true)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct BeliefPropagation {
    settings: MessageSettings,
    watch: Watch,
}

#[derive(Clone, Debug)]
struct MessageSettings {
    until: ConvergenceCriteria,
    limits: Limits,
}

impl Default for MessageSettings {
    fn default() -> Self {
        Self {
            until: ConvergenceCriteria {
                iterations: 1000,
                work: 4_000_000_000,
                tolerance: 1e-9,
                damping: 0.0,
            },
            limits: Limits::default(),
        }
    }
}

impl MessageSettings {
    fn check(&self, algorithm: &'static str) -> Result<(), Error> {
        let invalid = |setting, value: String, remedy| {
            Err(Error::invalid_setting(algorithm, setting, value, remedy))
        };
        let ConvergenceCriteria {
            iterations,
            tolerance,
            damping,
            ..
        } = self.until;
        if iterations == 0 {
            return invalid("iterations", "0".into(), "allow at least one");
        }
        if tolerance.is_nan() || tolerance < 0.0 {
            return invalid(
                "tolerance",
                tolerance.to_string(),
                "it must not be negative",
            );
        }
        if !(0.0..1.0).contains(&damping) {
            return invalid(
                "damping",
                damping.to_string(),
                "it must be at least zero and below one",
            );
        }
        Ok(())
    }

    /// Builds the message graph of a factor graph; returns an error if one iteration exceeds the limit of work.
    fn network(&self, algorithm: &'static str, graph: &FactorGraph) -> Result<MessageGraph, Error> {
        let entries = |factor: &figrs_factor::graph::Factor| {
            factor.entries() as u64 * factor.variables.len() as u64
        };
        let stored: u64 = graph.factors.iter().map(entries).sum();
        let too_large = |needed: u64| Error::MessagesTooLarge {
            algorithm,
            needed,
            limit: self.until.work,
        };
        // Zeros of dense tables are not stored in the message graph, but finding them reads every entry.
        if stored > self.until.work {
            return Err(too_large(stored));
        }
        let factors = graph.factors.iter();
        let entries: usize = factors.map(figrs_factor::graph::Factor::entries).sum();
        let bytes = 4.0 * stored as f64 + 16.0 * entries as f64;
        self.limits.check_memory(bytes)?;
        let network = MessageGraph::new(graph);
        let needed = 2 * network.tables.iter().map(FactorEntries::work).sum::<u64>();
        if needed > self.until.work {
            return Err(too_large(needed));
        }
        Ok(network)
    }

    fn report(&self, settling: ConvergenceResult, watching: &RunMonitor<'_>) -> RunStatistics {
        let mut sampling =
            RunStatistics::new(settling.stopped, settling.iterations, watching.elapsed());
        sampling.asked = Some(self.until.iterations);
        sampling.residual = Some(settling.residual);
        sampling
    }
}

/// Defines the constructors, the setters and the method `answer` of an algorithm. The algorithm must have the fields `settings` and `watch`, and a
/// method `propagate` that computes the answer.
macro_rules! settled {
    ($algorithm:ident, $kind:literal, $finds_world:literal) => {
impl Default for $algorithm {
    fn default() -> Self {
        Self::new()
    }
}

impl Algorithm for $algorithm {
    fn name(&self) -> &'static str {
        stringify!($algorithm)
    }

    fn finds_world(&self) -> bool {
        $finds_world
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.settings.check(self.name())?;
        let iterations = self.settings.until.iterations;
        let watching = self.watch.start(self.name(), Some(iterations));
        let answer = self.propagate(model, targets, &watching);
        answer.map_err(|error| watching.error_of(error))
    }
}

impl $algorithm {
    #[doc = concat!("Creates ", $kind, " with the default tolerance and limits, without damping.")]
    pub fn new() -> Self {
        Self {
            settings: MessageSettings::default(),
            watch: Watch::default(),
        }
    }

        figrs_answer::setters!(watch: watch);
        figrs_answer::setters!(expansion: settings.limits);
        figrs_factor::field_setters! {
            /// Sets the maximum number of iterations (default 1000). In each iteration, each factor sends messages twice: in the order of
            /// the factors and in reverse order.
            iterations: u64 => settings.until.iterations;
            /// Sets the maximum work for all messages (default four billion). The work is the number of factor entries that are read, where each
            /// entry counts once for each variable of its factor.
            work: u64 => settings.until.work;
            /// Sets the tolerance for changes of messages (default `1e-9`). The messages, each divided by its largest entry, have converged if no
            /// entry changes by more than the tolerance.
            tolerance: f64 => settings.until.tolerance;
            /// Sets the damping (default zero): the weight of the old message when the logarithms of the old and the new message are
            /// averaged. If messages oscillate, a damping of one half may make them converge. The damping does not change the fixed
            /// points of the messages.
            damping: f64 => settings.until.damping;
        }
}
    };
}
use settled;

settled!(BeliefPropagation, "belief propagation", false);

impl BeliefPropagation {
    fn propagate(
        &self,
        model: &Model,
        targets: &[AnyElement],
        watching: &RunMonitor<'_>,
    ) -> Result<Answer, Error> {
        let MessageSettings { until, limits } = &self.settings;
        let limits = &limits.until(watching.until());
        let impossible = || match targets {
            [] => Ok(Answer::marginals(
                self.name(),
                Vec::new(),
                LogEvidence::exact(f64::NEG_INFINITY),
            )),
            _ => Err(conflict::impossible(model, targets, limits)),
        };
        let expansion = expand(limits, model, targets)?;
        if expansion.impossible().is_some() {
            return impossible();
        }
        conflict::check_failures(&expansion, limits)?;
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let Some(reduced) = reduce(encoding.graph()) else {
            return impossible();
        };
        let network = self.settings.network(self.name(), &reduced.graph)?;
        let restriction = &reduced.restriction;
        let mut messages = Messages::new(&network);
        let settling = messages.pass_until_convergence::<SumMessages>(*until, watching);
        if settling.impossible {
            return impossible();
        }
        if settling.iterations == 0 {
            return Err(Error::NothingDone {
                algorithm: self.name(),
            });
        }
        let settled = settling.stopped == Stopped::Finished;
        let is_exact = network.is_forest && settled;
        let evidence = settled.then(|| LogEvidence {
            value: messages.log_total(),
            standard_error: if is_exact { 0.0 } else { f64::NAN },
        });
        let marginal = |(element, &position): (&AnyElement, &usize)| {
            let support = &expansion.elements()[position].support;
            let probabilities = match encoding.variable(position) {
                None => vec![0.0; support.len()],
                Some(v) => {
                    let shares = match restriction.open.binary_search(&v) {
                        Ok(open) => messages.marginal(open),
                        Err(_) => vec![1.0],
                    };
                    restriction.shares_of_all(v, support.len(), shares)
                }
            };
            TargetMarginal {
                element: element.clone(),
                support: support.clone(),
                probabilities,
                estimate: if is_exact {
                    Estimate::Exact
                } else {
                    Estimate::Approximate
                },
            }
        };
        let marginals = targets.iter().zip(expansion.targets()).map(marginal);
        let answer = Answer::marginals(self.name(), marginals.collect(), evidence);
        Ok(answer.with_sampling(self.settings.report(settling, watching)))
    }
}
