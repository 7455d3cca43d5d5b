//! Max-product belief propagation, which searches for a world (an assignment of values to all elements) of high probability.

use figrs_core::{AnyElement, Model};

use super::messages::{MaxMessages, Messages};
use super::{MessageSettings, settled};
use crate::question::Question;
use figrs_answer::{Algorithm, Answer, Error, RunMonitor, Watch};
use figrs_factor::Stopped;
use figrs_factor::bounds::Improvement;
use figrs_factor::consistency::reduce;
use figrs_factor::eliminate::log_weight;

/// A world with high probability, found by max-product belief propagation, for models of any treewidth.
///
/// After the messages have converged, or after the maximum number of iterations, the algorithm assigns values to the variables, one variable after
/// another. Each variable gets the most probable value according to the max-product messages, given the values assigned before.
///
/// **Guarantee.** The returned world (an assignment of values to all elements) has a positive probability, which the algorithm recomputes from the
/// factors. If the factor graph has no loops and the messages have converged, the world is the most probable world, and the answer is proven
/// ([`Answer::is_proven`]). If the answer is not proven, no upper bound of the probability of other worlds is known ([`Answer::upper_bound`] is
/// infinite). The result is deterministic.
///
/// **Complexity.** The complexity is that of [`BeliefPropagation`](crate::BeliefPropagation).
///
/// **Errors.** [`Error::NoWorldDecoded`] if the messages lead to an assignment of weight zero; other errors as
/// [`BeliefPropagation`](crate::BeliefPropagation).
///
/// **References.** Pearl (1988), *Probabilistic Reasoning in Intelligent Systems*, chapter 5; Weiss and Freeman (2001), "On the
/// optimality of solutions of the max-product belief-propagation algorithm in arbitrary graphs".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::MpeBeliefPropagation;
/// # use figrs_answer::Run;
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let world = MpeBeliefPropagation::new().run(&model, &rain)?;
/// assert!(world.most_likely_value(&rain)? && world.is_proven()?);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MpeBeliefPropagation {
    settings: MessageSettings,
    watch: Watch,
}

settled!(MpeBeliefPropagation, "max-product belief propagation", true);

impl MpeBeliefPropagation {
    fn propagate(
        &self,
        model: &Model,
        targets: &[AnyElement],
        watching: &RunMonitor<'_>,
    ) -> Result<Answer, Error> {
        let MessageSettings { until, limits } = &self.settings;
        let limits = &limits.until(watching.until());
        let question = Question::new(model, targets);
        let impossible = || question.impossible(limits);
        let worlds = question.world_graph(limits)?;
        let Some(reduced) = reduce(worlds.graph()) else {
            return Err(impossible());
        };
        let network = self.settings.network(self.name(), &reduced.graph)?;
        let mut messages = Messages::new(&network);
        let settling = messages.pass_until_convergence::<MaxMessages>(*until, watching);
        if settling.impossible {
            return Err(impossible());
        }
        if settling.iterations == 0 {
            return Err(Error::NothingDone {
                algorithm: self.name(),
            });
        }
        let world = reduced.restriction.world(&messages.decode());
        let log_probability = log_weight(worlds.graph(), &world);
        if log_probability == f64::NEG_INFINITY {
            return Err(Error::NoWorldDecoded {
                iterations: settling.iterations,
                residual: settling.residual,
            });
        }
        let is_best = network.is_forest && settling.stopped == Stopped::Finished;
        let unproven = Improvement {
            work: settling.iterations,
            log_probability,
            upper_bound: f64::INFINITY,
        };
        let steps = if is_best { Vec::new() } else { vec![unproven] };
        let answer = worlds.answer(self.name(), &world, steps);
        Ok(answer.with_sampling(self.settings.report(settling, watching)))
    }
}
