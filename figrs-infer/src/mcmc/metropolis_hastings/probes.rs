//! Probes: short chains that search for modes that the main chains have missed. A probe draws worlds from the prior, keeps the worlds that satisfy
//! the evidence, and runs a short chain from one of these worlds.

use figrs_core::{AnyColumn, AnyElement, Model, stream};
use figrs_lower::internals::Trace;
use serde::{Deserialize, Serialize};

use super::acceptance::AcceptanceTerms;
use super::settings::MetropolisSettings;
use super::sites::{MOST_SWEEPS, SiteRecord};
use super::starts::candidate;
use figrs_answer::{Error, RunMonitor, TimeShare};

/// Number of probes (short chains that look for other modes) of a run. If a third of the first worlds lead to a mode, all sixteen probes miss the
/// mode with probability .0015.
const PROBES: u64 = 16;
/// Maximum number of sweeps of the short chain of a probe. A probe discards the first half of the sweeps of its short chain.
const SWEEPS: u64 = 128;
/// Minimum number of sweeps of a probe's short chain; a shorter chain gives no information about other modes.
const LEAST_SWEEPS: u64 = 16;
/// The burn-in of a main chain divided by `PROBE_DIVISOR` is the length of a probe's short chain. All sixteen probes (short chains that search for
/// other modes) together make twice as many steps as the burn-in of one chain.
const PROBE_DIVISOR: u64 = 8;
/// Number of the first random number stream of the probes' chains; the streams of the main chains have smaller numbers.
const STREAMS: u64 = 1 << 40;
/// Number of the first random number stream of the probes' draws from the prior.
const PRIOR_STREAMS: u64 = 1 << 41;
/// Cost of a draw from the prior, counted as a number of steps for each random choice of the world. The draws of all probes together may cost as much
/// as twice the burn-in of one chain.
const SWEEPS_OF_PRIOR_DRAW: u64 = 2;
/// Maximum number of worlds that a probe draws from the prior. If a probe drew more worlds than this number, the record of its draws would drop some
/// of the worlds.
const MAX_PRIOR_DRAWS: usize = MOST_SWEEPS as usize - 1;
/// Maximum total number of random choices in all prior draws of a probe.
const MAX_PRIOR_NUMBERS: usize = 1 << 17;

/// Number of draws or steps of a probe between two checks of the clock.
const BLOCK: u64 = 16;

/// The worlds that a probe drew from the prior and that satisfy the evidence.
///
/// The values of the targets in the prior draws of a probe are stored elsewhere.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct PriorDraws {
    /// The random choices and the likelihood of each world; each world is recorded as one sweep.
    pub(super) worlds: SiteRecord,
    /// For each world, the number of density factors in its likelihood.
    pub(super) densities: Vec<usize>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ProbeRecord {
    pub(super) prior: PriorDraws,
    /// The values of the random choices in the worlds of the probe's short chain; `None` if the chain found no first world, was too short, or was
    /// stopped.
    pub(super) sites: Option<SiteRecord>,
}

/// Returns the number of probes (short chains that look for other modes) of a run with the burn-in `burn_in`.
///
/// The number of probes is zero if the burn-in is so short that a probe would not have time for one draw from the prior.
pub(super) fn probes(
    settings: &MetropolisSettings,
    burn_in: u64,
    model: &Model,
    targets: &[AnyElement],
) -> u64 {
    let most = burn_in / PROBE_DIVISOR;
    if most < SWEEPS_OF_PRIOR_DRAW {
        return 0;
    }
    let drawn = || -> Result<u64, Error> {
        let mut trace = Trace::new(model, targets, settings.drawing.limits.clone())?;
        trace.restart(&mut candidate(settings.drawing.seed, 0))?;
        Ok(trace.choices() as u64)
    };
    // If the model has an error, the chains fail, and no probes are needed.
    match drawn() {
        Ok(choices) if most >= SWEEPS_OF_PRIOR_DRAW * choices => PROBES,
        _ => 0,
    }
}

/// A probe draws worlds from the prior, then runs a short chain that starts from one of these worlds. Returns the record of the probe's prior draws
/// and of its chain, and the values of the targets in the prior draws.
pub(super) fn probe(
    (settings, burn_in): (&MetropolisSettings, u64),
    (model, targets): (&Model, &[AnyElement]),
    number: u64,
    run: &RunMonitor<'_>,
) -> (ProbeRecord, Vec<Box<dyn AnyColumn>>) {
    let mut record = ProbeRecord::default();
    let mut values: Vec<_> = targets.iter().map(AnyElement::no_column).collect();
    if run.stopped().is_some() {
        return (record, values);
    }
    let mut settings = settings.clone();
    settings.max_tries = (settings.max_tries / PROBES).max(1);
    let by = (number, burn_in / PROBE_DIVISOR);
    let drawn = draw_from_prior(&settings, (model, targets), by, run, &mut values);
    record.prior = drawn.unwrap_or_default();
    if record.prior.densities.is_empty() {
        values = targets.iter().map(AnyElement::no_column).collect();
    }
    let sites = run_short_chain(&settings, (model, targets), by, run);
    record.sites = sites.ok().flatten();
    (record, values)
}

/// Draws worlds from the prior until the draws cost as much as `most` steps of a Markov chain. For each drawn world that satisfies the evidence,
/// appends the values of the targets to `values`.
fn draw_from_prior(
    settings: &MetropolisSettings,
    (model, targets): (&Model, &[AnyElement]),
    (number, most): (u64, u64),
    run: &RunMonitor<'_>,
    values: &mut [Box<dyn AnyColumn>],
) -> Result<PriorDraws, Error> {
    let mut trace = Trace::new(model, targets, settings.drawing.limits.clone())?;
    let mut random = stream(settings.drawing.seed, PRIOR_STREAMS + number);
    let mut draws = PriorDraws::default();
    let mut left = most;
    let fits = |worlds: &SiteRecord| {
        let sweeps = worlds.sweeps as usize;
        sweeps < MAX_PRIOR_DRAWS && sweeps * worlds.choices < MAX_PRIOR_NUMBERS
    };
    while left > 0 && fits(&draws.worlds) && run.stopped().is_none() {
        let is_possible = trace.restart(&mut random)?;
        let choices = trace.choices() as u64;
        left = left.saturating_sub(SWEEPS_OF_PRIOR_DRAW.saturating_mul(choices.max(1)));
        if !is_possible {
            continue;
        }
        let drawn: Option<Vec<_>> = (0..targets.len()).map(|i| trace.target(i)).collect();
        let Some(drawn) = drawn else { continue };
        for (column, value) in values.iter_mut().zip(&drawn) {
            column.push(value.as_any());
        }
        draws.worlds.record_world(&trace);
        draws.densities.push(trace.densities());
    }
    Ok(draws)
}

fn run_short_chain(
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
