//! One Markov chain of the Metropolis-Hastings sampler, from its first world to its last draw.

use std::sync::atomic::{AtomicU64, Ordering};

use figrs_core::{AnyElement, SupportBuilder};
use figrs_lower::internals::Trace;
use serde::{Deserialize, Serialize};

use super::decisions::StepDecisions;
use super::kernel::Kernel;
use super::sites::SiteRecord;
use super::tempering::TemperatureLadder;
use crate::sampling::world_sums::MOST_COPIED;
use figrs_answer::{Error, TimeShare};
use figrs_factor::{Stopped, Until};

/// Maximum number of steps of the Markov chain between two progress reports.
const BLOCK: u64 = 256;
/// Maximum number of random variables in a world, up to which a chain is stored in the answer so that it can be continued.
const MOST_NODES: usize = 1 << 15;

#[derive(Clone, Copy, Debug)]
pub(super) struct ChainLength {
    pub(super) draws: u64,
    pub(super) burn_in: u64,
    pub(super) thin: u64,
    /// Total number of steps that all Markov chains make.
    pub(super) total: u64,
}

/// Returns the first world drawn from the prior that has a positive weight.
pub(super) fn first_world(
    trace: &mut Trace,
    decisions: &mut impl StepDecisions,
    max_tries: u64,
    turn: &TimeShare<'_>,
) -> Result<(), Error> {
    let none = |tried| Error::NoSampleMetEvidence {
        algorithm: turn.run().algorithm(),
        tried,
        remedy: "a chain begins in a world drawn from the prior: observe elements instead of stating conditions on them, add noise to an \
                 observed number that a function computes, draw more (`max_tries`), or for a finite model use Gibbs or \
                 MpeVariableElimination",
    };
    for tried in 0..max_tries {
        if turn.stopped().is_some() {
            return Err(turn.run().nothing_done());
        }
        let is_possible = trace.restart(decisions);
        let is_possible = is_possible.map_err(|error| turn.run().error_of(error.into()))?;
        if is_possible {
            return Ok(());
        }
        // In a model without random choices, each draw from the prior is the same world.
        if trace.choices() == 0 {
            return Err(none(tried + 1));
        }
    }
    Err(none(max_tries))
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ChainRecord {
    /// For each target (queried variable), the index of its value in each draw of the chain.
    pub(super) indices: Vec<Vec<u32>>,
    /// The values of the random choices in the worlds of the chain after burn-in.
    pub(super) sites: SiteRecord,
    pub(super) draws: u64,
    /// Number of steps after burn-in; `accepted` is the number of accepted steps among these steps.
    pub(super) steps: u64,
    pub(super) accepted: u64,
    pub(super) stopped: Stopped,
    /// Number of density factors in the likelihood of the world of the last draw.
    pub(super) densities: usize,
}

pub(super) struct MetropolisChain {
    trace: Trace,
    kernel: Kernel,
    ladder: TemperatureLadder,
    /// For each target (queried variable), the distinct values that the chain drew.
    values: Vec<SupportBuilder>,
    /// Number of steps that the chain has made so far, including burn-in.
    step: u64,
    /// Number of steps of the chain until the next draw is retained.
    due: u64,
    is_warm: bool,
    /// True if the chain can be continued; false after an interrupt in the middle of a step.
    is_whole: bool,
    finished: ChainRecord,
}

impl MetropolisChain {
    pub(super) fn new(
        trace: Trace,
        kernel: Kernel,
        ladder: TemperatureLadder,
        targets: &[AnyElement],
    ) -> Self {
        Self {
            kernel,
            ladder,
            values: targets.iter().map(AnyElement::no_values).collect(),
            step: 0,
            due: 0,
            is_warm: false,
            is_whole: true,
            finished: ChainRecord {
                indices: vec![Vec::new(); targets.len()],
                sites: SiteRecord::default(),
                draws: 0,
                steps: 0,
                accepted: 0,
                stopped: Stopped::Finished,
                densities: trace.densities(),
            },
            trace,
        }
    }

    /// Makes the steps of the chain up to step `goal`, or as many steps as the time allows. The burn-in of a chain takes at most a third of the time,
    /// if the time is limited. Returns `true` if the chain has made all its steps.
    pub(super) fn run(
        &mut self,
        (length, goal): (&ChainLength, u64),
        decisions: &mut impl StepDecisions,
        turn: &TimeShare<'_>,
        done: &AtomicU64,
    ) -> Result<bool, Error> {
        if self.step == 0 {
            self.kernel.adapt(true);
            self.ladder.adapt(true);
            self.due = length.thin;
        }
        self.finished.stopped = Stopped::Finished;
        let total = length.burn_in + length.draws * length.thin;
        let mut message = self.step;
        while self.step < total.min(goal) {
            if let Some(why) = turn.stopped() {
                self.finished.stopped = why;
                return Ok(false);
            }
            if self.step.is_multiple_of(BLOCK) || turn.is_report_due() {
                let new = self.step - std::mem::replace(&mut message, self.step);
                turn.run()
                    .report(done.fetch_add(new, Ordering::Relaxed) + new);
            }
            if !self.is_warm && (self.step == length.burn_in || turn.is_warm_up_over()) {
                self.is_warm = true;
                self.kernel.adapt(false);
                self.ladder.adapt(false);
            }
            let made = self
                .ladder
                .step(&mut self.trace, &mut self.kernel, decisions);
            let made = match made {
                Err(error) if error.is_stopped() => {
                    self.finished.stopped = turn.run().stopped().unwrap_or(Stopped::Deadline);
                    self.is_whole = false;
                    return Ok(false);
                }
                made => made?,
            };
            self.step += 1;
            if self.is_warm {
                self.finished.steps += 1;
                self.finished.accepted += u64::from(made.accepted);
                self.finished.sites.record_step(&self.trace);
                self.due -= 1;
                if self.due == 0 {
                    self.due = length.thin;
                    self.record_draw();
                }
            }
        }
        Ok(self.step == total)
    }

    pub(super) fn record(&self) -> (&[SupportBuilder], &ChainRecord) {
        (&self.values, &self.finished)
    }

    pub(super) fn steps(&self) -> u64 {
        self.step
    }

    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// True if the chain takes so little memory that an answer may store it.
    pub(super) fn is_small(&self) -> bool {
        let indices: usize = self.finished.indices.iter().map(Vec::len).sum();
        indices <= MOST_COPIED && self.trace.nodes() <= MOST_NODES && self.ladder.is_empty()
    }

    pub(super) fn set_until(&mut self, until: &Until) {
        self.trace.set_until(until);
        self.ladder.set_until(until);
    }

    fn record_draw(&mut self) {
        let finished = &mut self.finished;
        if self.trace.densities() != finished.densities {
            // The likelihoods of the earlier draws have more density factors; the earlier draws are therefore infinitely less likely than this world.
            finished.densities = self.trace.densities();
            finished.draws = 0;
            finished.sites.clear();
            finished.indices.iter_mut().for_each(Vec::clear);
        }
        finished.draws += 1;
        let targets = self.values.iter_mut().zip(&mut finished.indices);
        for (position, (values, indices)) in targets.enumerate() {
            let value = self.trace.target(position);
            let index = value.and_then(|value| values.insert(value.as_any()));
            indices.extend(index.map(|index| index as u32));
        }
    }
}
