//! One chain, from its first world to its last draw.

use std::sync::atomic::{AtomicU64, Ordering};

use figrs_core::lower::Trace;
use figrs_core::{AnyElement, SupportBuilder};

use super::kernel::{Dice, Kernel, Terms};
use super::sites::SiteRecord;
use crate::error::Error;
use crate::watch::{Stopped, Watching};

/// Steps between two looks at the clock.
const BLOCK: u64 = 256;

/// How many steps there are to be.
pub(super) struct Length {
    /// Draws of each chain.
    pub(super) draws: u64,
    pub(super) burn_in: u64,
    pub(super) thin: u64,
    /// Steps of all chains.
    pub(super) total: u64,
}

/// Draws worlds from the prior until one has a positive weight.
pub(super) fn first_world(
    trace: &mut Trace,
    dice: &mut impl Dice,
    max_tries: u64,
    run: &Watching<'_>,
) -> Result<(), Error> {
    let none = |tried| Error::NoSampleMetEvidence {
        algorithm: run.algorithm(),
        tried,
        remedy: "a chain begins in a world drawn from the prior: observe elements instead of conditions on them, draw more \
                 (`max_tries`), or for a finite model use Gibbs or MpeVariableElimination",
    };
    for tried in 0..max_tries {
        if run.stopped().is_some() {
            return Err(run.nothing_done());
        }
        if trace.restart(dice)? {
            return Ok(());
        }
        // Nothing to choose: another try would give the same world.
        if trace.choices() == 0 {
            return Err(none(tried + 1));
        }
    }
    Err(none(max_tries))
}

/// The values of a target in the draws of one chain.
pub(super) struct TargetValues {
    pub(super) values: SupportBuilder,
    pub(super) indices: Vec<u32>,
}

/// What a chain did.
pub(super) struct Finished {
    pub(super) targets: Vec<TargetValues>,
    /// The choices of the worlds after burn-in.
    pub(super) sites: SiteRecord,
    /// Draws kept.
    pub(super) draws: u64,
    /// Steps made, and how many of them were accepted, after burn-in.
    pub(super) steps: u64,
    pub(super) accepted: u64,
    pub(super) stopped: Stopped,
    /// How many likelihoods of the last world are densities.
    pub(super) densities: usize,
}

pub(super) struct Chain {
    trace: Trace,
    kernel: Kernel,
    finished: Finished,
}

impl Chain {
    /// A chain in the world that the trace holds.
    pub(super) fn new(trace: Trace, kernel: Kernel, targets: &[AnyElement]) -> Self {
        let targets = targets.iter().map(|target| TargetValues {
            values: target.no_values(),
            indices: Vec::new(),
        });
        Self {
            kernel,
            finished: Finished {
                targets: targets.collect(),
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

    /// Makes all steps, or as many as there is time for.
    pub(super) fn run(
        &mut self,
        length: &Length,
        dice: &mut impl Dice,
        run: &Watching<'_>,
        done: &AtomicU64,
    ) -> Result<(), Error> {
        self.kernel.adapt(true);
        let total = length.burn_in + length.draws * length.thin;
        let mut due = length.thin;
        for step in 0..total {
            if step.is_multiple_of(BLOCK) {
                if let Some(why) = run.stopped() {
                    self.finished.stopped = why;
                    break;
                }
                run.report(done.fetch_add(BLOCK.min(total - step), Ordering::Relaxed));
            }
            if step == length.burn_in {
                self.kernel.adapt(false);
            }
            let made = self
                .kernel
                .step(&mut self.trace, dice, Terms::log_acceptance)?;
            if step >= length.burn_in {
                self.finished.steps += 1;
                self.finished.accepted += u64::from(made.accepted);
                self.finished.sites.see(&self.trace);
                due -= 1;
                if due == 0 {
                    due = length.thin;
                    self.keep();
                }
            }
        }
        Ok(())
    }

    /// Keeps the world as a draw.
    fn keep(&mut self) {
        let finished = &mut self.finished;
        if self.trace.densities() != finished.densities {
            // The worlds so far are infinitely less likely than this one.
            finished.densities = self.trace.densities();
            finished.draws = 0;
            finished.sites.clear();
            for target in &mut finished.targets {
                target.indices.clear();
            }
        }
        finished.draws += 1;
        for (position, target) in finished.targets.iter_mut().enumerate() {
            let value = self.trace.target(position);
            let index = value.and_then(|value| target.values.insert(value.as_any()));
            target.indices.extend(index.map(|index| index as u32));
        }
    }

    pub(super) fn finish(self) -> Finished {
        self.finished
    }
}
