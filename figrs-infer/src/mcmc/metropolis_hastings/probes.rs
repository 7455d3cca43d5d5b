//! Short chains from other draws of the prior, which look for modes that the main chains have missed.

use figrs_core::{AnyElement, Model};
use figrs_lower::internals::Trace;

use super::acceptance::AcceptanceTerms;
use super::settings::MetropolisSettings;
use super::sites::SiteRecord;
use super::starts::candidate;
use figrs_answer::error::Error;
use figrs_answer::run::time_share::TimeShare;
use figrs_answer::run::watch::RunMonitor;

/// Number of probes: all of them miss a mode that attracts one start in three with a probability of .0015.
const PROBES: u64 = 16;
/// Maximum number of sweeps of a probe, the first half of which are dropped.
const SWEEPS: u64 = 128;
/// Least number of sweeps for a probe to be informative.
const LEAST_SWEEPS: u64 = 16;
/// Divisor of the burn-in that gives the length of a probe: all probes take twice as many steps as the burn-in of one chain.
const PROBE_DIVISOR: u64 = 8;
/// Offset of the probes' streams of random numbers, apart from those of chains.
const STREAMS: u64 = 1 << 40;

/// Number of steps between two checks of the clock.
const BLOCK: u64 = 16;

/// The number of probes of a run.
///
/// Zero if a burn-in of this length leaves too few steps for a world with as many choices as one drawn from the prior.
pub(super) fn probes(
    settings: &MetropolisSettings,
    burn_in: u64,
    model: &Model,
    targets: &[AnyElement],
) -> u64 {
    let most = burn_in / PROBE_DIVISOR;
    if most < LEAST_SWEEPS {
        return 0;
    }
    let drawn = || -> Result<u64, Error> {
        let mut trace = Trace::new(model, targets, settings.drawing.limit.clone())?;
        trace.restart(&mut candidate(settings.drawing.seed, 0))?;
        Ok(trace.choices() as u64)
    };
    // If the model has an error, there are no chains either.
    match drawn() {
        Ok(choices) if most >= LEAST_SWEEPS * choices => PROBES,
        _ => 0,
    }
}

/// The choices of the worlds in which a probe stayed; `None` if it found no first world, or was stopped.
pub(super) fn probe(
    (settings, burn_in): (&MetropolisSettings, u64),
    (model, targets): (&Model, &[AnyElement]),
    number: u64,
    run: &RunMonitor<'_>,
) -> Option<SiteRecord> {
    if run.stopped().is_some() {
        return None;
    }
    let mut settings = settings.clone();
    settings.max_tries = (settings.max_tries / PROBES).max(1);
    run_probe(
        &settings,
        (model, targets),
        (number, burn_in / PROBE_DIVISOR),
        run,
    )
    .ok()
    .flatten()
}

/// Runs one probe of at most `most` steps.
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
