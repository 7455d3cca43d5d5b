//! Short chains from other draws of the prior, which look for modes that the chains have missed.

use std::ops::ControlFlow;

use figrs_core::{AnyElement, Model};

use super::acceptance::AcceptanceTerms;
use super::settings::MetropolisSettings;
use super::sites::SiteRecord;
use crate::error::Error;
use crate::run::time_share::TimeShare;
use crate::run::watch::RunMonitor;
use crate::run::work_queue::in_order;

/// Number of probes: a mode that one start in three falls into is missed by all with a probability of .0015.
const PROBES: u64 = 16;
/// Maximum number of sweeps of a probe, the first half of which are dropped.
const SWEEPS: u64 = 128;
/// Least number of sweeps of a probe to be informative.
const LEAST_SWEEPS: u64 = 16;
/// Fraction of the burn-in that a probe may take, as a divisor: all of them take twice as much as the burn-in of one chain.
const PART: u64 = 8;
/// Offset of their streams of random numbers, apart from those of chains.
const STREAMS: u64 = 1 << 40;

/// Number of steps between two checks of the clock.
const BLOCK: u64 = 16;

/// The choices of the worlds in which probes rest; those that found no first world, or that were stopped, are left out.
///
/// There are none where a burn-in of this length leaves them too few steps for worlds with so many choices.
pub(super) fn run_probes(
    (settings, burn_in, choices): (&MetropolisSettings, u64, usize),
    model: &Model,
    targets: &[AnyElement],
    run: &RunMonitor<'_>,
) -> Result<Vec<SiteRecord>, Error> {
    let most = burn_in / PART;
    if most < LEAST_SWEEPS * choices.max(1) as u64 || run.stopped().is_some() {
        return Ok(Vec::new());
    }
    let mut settings = settings.clone();
    settings.max_tries = (settings.max_tries / PROBES).max(1);
    let mut records = Vec::new();
    in_order(
        settings.drawing.threads(),
        (0..PROBES, 1),
        || Ok(()),
        |(), number| {
            Ok(run_probe(&settings, (model, targets), (number, most), run)
                .ok()
                .flatten())
        },
        |record| {
            records.extend(record);
            ControlFlow::Continue(())
        },
    )?;
    Ok(records)
}

/// One probe of so many steps at most.
fn run_probe(
    settings: &MetropolisSettings,
    (model, targets): (&Model, &[AnyElement]),
    (number, most): (u64, u64),
    run: &RunMonitor<'_>,
) -> Result<Option<SiteRecord>, Error> {
    let turn = TimeShare::new(run, 0, 1, 1);
    let (mut trace, mut kernel, mut random) =
        settings.start(model, targets, (STREAMS + number, None), &turn)?;
    let choices = trace.choices().max(1) as u64;
    let steps = most.min(choices.saturating_mul(SWEEPS));
    if steps < choices.saturating_mul(LEAST_SWEEPS) {
        return Ok(None);
    }
    kernel.adapt(true);
    let mut record = SiteRecord::default();
    for step in 0..steps {
        if step.is_multiple_of(BLOCK) && run.stopped().is_some() {
            return Ok(None);
        }
        kernel.step(&mut trace, &mut random, AcceptanceTerms::log_acceptance)?;
        if step >= steps / 2 {
            record.record_step(&trace);
        }
    }
    Ok(Some(record))
}
