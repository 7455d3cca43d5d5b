//! Expected counts of the outcomes whose probabilities are parameters, from the beliefs of factors.

use figrs_factor::graph::{FactorGraph, Weights, for_each_entry};

use super::BeliefPropagation;
use super::messages::{Messages, SumMessages};
use figrs_answer::run::mergeable_sampler::settings_text;
use figrs_answer::{Error, RunMonitor, Watch};
use figrs_factor::Stopped;
use figrs_factor::consistency::reduce;
use figrs_factor::eliminate::EliminationError;

impl BeliefPropagation {
    /// Checks the settings.
    #[doc(hidden)]
    pub fn check_settings(&self) -> Result<(), Error> {
        self.settings.check("BeliefPropagation")
    }

    /// Returns, as text, the settings of belief propagation on which the messages depend.
    #[doc(hidden)]
    pub fn settings(&self) -> String {
        settings_text!(self, settings.limits.threads, watch)
    }

    /// The deadline, interrupt and progress listener of belief propagation.
    #[doc(hidden)]
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Returns the limits that apply when the possible values of the model's variables are listed.
    pub fn limits(&self) -> &figrs_core::Limits {
        &self.settings.limits
    }

    /// For each factor entry whose weight is a parameter, calls `count` with the index of the outcome that has this parameter as its probability, and
    /// with the belief of the entry. Returns the negative Bethe free energy, or `None` if the messages have not converged. If the messages exclude
    /// every value of a variable, returns minus infinity without calling `count`.
    ///
    /// **Errors.** [`Error::MessagesTooLarge`] if an iteration exceeds the limit of work, [`EliminationError::TooMuchMemory`] if the messages exceed the limit
    /// of memory, and [`EliminationError::Interrupted`] at a deadline or an interrupt.
    #[doc(hidden)]
    pub fn origin_counts(
        &self,
        graph: &FactorGraph,
        watching: &RunMonitor<'_>,
        mut count: impl FnMut(u32, f64),
    ) -> Result<Option<f64>, Error> {
        let Some(reduced) = reduce(graph) else {
            return Ok(Some(f64::NEG_INFINITY));
        };
        let graph = &reduced.graph;
        let network = self.settings.network("BeliefPropagation", graph)?;
        let mut messages = Messages::new(&network);
        let until = self.settings.until;
        let settling = messages.pass_until_convergence::<SumMessages>(until, watching);
        match settling.stopped {
            Stopped::Deadline | Stopped::Interrupted => {
                return Err(EliminationError::Interrupted.into());
            }
            _ if settling.impossible => return Ok(Some(f64::NEG_INFINITY)),
            Stopped::Finished | Stopped::Budget => {}
        }
        messages.recompute_beliefs();
        for (at, factor) in graph.factors.iter().enumerate() {
            let Some(origins) = factor.table.origins() else {
                continue;
            };
            let mut beliefs = messages.factor_belief(at).into_iter();
            for_each_entry(graph, factor, |entry, _| {
                if let (belief, true) = (beliefs.next(), origins[entry] != Weights::NO_ORIGIN) {
                    count(origins[entry], belief.unwrap_or(0.0));
                }
            });
        }
        let settled = settling.stopped == Stopped::Finished;
        Ok(settled.then(|| messages.log_total()))
    }
}
