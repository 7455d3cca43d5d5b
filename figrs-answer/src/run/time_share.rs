//! Division of the time of a run among several Markov chains that run one after another.

use std::cell::Cell;
use std::time::Duration;

use super::watch::RunMonitor;
use figrs_factor::Stopped;

/// Longest interval between two reports to a listener, unless a single step takes longer.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// The part of the time until the deadline that one Markov chain may use, if each thread runs several chains one after another.
///
/// If the time were not divided, the first chain would use all the time, and none would remain for the later chains.
#[derive(Debug)]
pub struct TimeShare<'a> {
    run: &'a RunMonitor<'a>,
    /// Time at which the time share of the chain ends, counted from the beginning of the run.
    ends: Option<Duration>,
    warm_up: Option<Duration>,
    last_report: Cell<Duration>,
}

impl<'a> TimeShare<'a> {
    /// Creates the time share of the chain with the index `chain` among `chains` chains on `threads` threads. The time share of a chain begins when
    /// this value is created.
    pub fn new(run: &'a RunMonitor<'a>, chain: u64, chains: usize, threads: usize) -> Self {
        let threads = threads.clamp(1, chains.max(1));
        let rounds = chains.div_ceil(threads).max(1);
        let now = run.elapsed();
        let ends = run.deadline().map(|deadline| {
            let round = (chain / threads as u64 + 1) as f64;
            deadline.mul_f64((round / rounds as f64).min(1.0)).max(now)
        });
        Self {
            run,
            ends,
            warm_up: ends.map(|ends| now + ends.saturating_sub(now) / 3),
            last_report: Cell::new(now),
        }
    }

    /// Creates the time share of a chain that can be continued later: all the time until the deadline. The burn-in of a chain that can be continued
    /// later is not shortened.
    pub fn undivided(run: &'a RunMonitor<'a>) -> Self {
        Self {
            run,
            ends: run.deadline(),
            warm_up: None,
            last_report: Cell::new(run.elapsed()),
        }
    }

    /// Returns the reason why the chain must end now; `None` if it need not end. Without a deadline, a call of `stopped` does not read the clock.
    #[inline]
    pub fn stopped(&self) -> Option<Stopped> {
        if self.run.is_interrupted() {
            return Some(Stopped::Interrupted);
        }
        let ends = self.ends?;
        (self.run.elapsed() >= ends).then_some(Stopped::Deadline)
    }

    /// True if a third of the chain's time share has passed. When a third of the chain's time share has passed, the burn-in must end, so that some
    /// draws of the chain are kept.
    #[inline]
    pub fn is_warm_up_over(&self) -> bool {
        self.warm_up.is_some_and(|warm| self.run.elapsed() >= warm)
    }

    /// True if a report to the listener is due, because the last report is longer ago than the interval between reports.
    #[inline]
    pub fn is_report_due(&self) -> bool {
        if !self.run.has_listener() {
            return false;
        }
        let now = self.run.elapsed();
        now.saturating_sub(self.last_report.get()) >= REPORT_INTERVAL && {
            self.last_report.set(now);
            true
        }
    }

    pub fn run(&self) -> &'a RunMonitor<'a> {
        self.run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::watch::Watch;

    #[test]
    fn chains_share_the_time_that_there_is() {
        let endless = Watch::default();
        assert_eq!(
            TimeShare::new(&endless.start("test", None), 0, 4, 2).ends,
            None
        );
        let mut watch = Watch::default();
        watch.set_deadline(Duration::from_secs(60));
        let run = watch.start("test", None);
        let seconds = |chain, chains, threads| {
            let ends = TimeShare::new(&run, chain, chains, threads).ends;
            ends.map_or(f64::NAN, |ends| ends.as_secs_f64())
        };
        assert_eq!(
            [0, 1, 2, 3].map(|chain| seconds(chain, 4, 1)),
            [15.0, 30.0, 45.0, 60.0]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|chain| seconds(chain, 4, 2)),
            [30.0, 30.0, 60.0, 60.0]
        );
        assert_eq!(
            [0, 1, 2].map(|chain| seconds(chain, 3, 2)),
            [30.0, 30.0, 60.0]
        );
        assert_eq!(seconds(1, 2, 8), 60.0);
        assert_eq!(TimeShare::new(&run, 0, 4, 2).stopped(), None);
    }
}
