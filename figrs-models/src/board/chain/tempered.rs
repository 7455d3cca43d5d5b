//! Replica exchange: Markov chains of boards with decreasing penalties for broken rules, which exchange their boards.

use figrs_core::{Stream, Value, stream};
use rand::RngExt;

use super::RuledCells;
use super::kernel::BoardKernel;
use super::ruled_cells::Joined;

/// A group of Markov chains of boards: the first chain has an infinite penalty for broken rules, and each further chain a smaller penalty than the
/// one before. After each sweep, neighbouring Markov chains exchange their boards with a probability that leaves the product of their distributions
/// stationary.
///
/// **Guarantee.** Once the first Markov chain of the group has a board that follows all rules, its stationary distribution is that of the boards that
/// follow all rules. If the group has several Markov chains and no rule forbids a board, the first chain reaches all boards that follow the rules.
///
/// **References.** C. J. Geyer, "Markov chain Monte Carlo maximum likelihood", Computing Science and Statistics 23 (1991).
pub(super) struct TemperedChain<C> {
    chains: Vec<BoardKernel<C>>,
    rng: Stream,
    /// Number of changes of cells that the Markov chains have proposed, as a measure of work.
    pub(super) work: u64,
    sweeps: u64,
}

/// Number of Markov chains in a group for replica exchange, not counting the first.
const RUNGS: usize = 5;
/// Ratio of the penalties for broken rules of neighbouring Markov chains in a group. At the largest finite penalty, a violation of one multiplies the
/// weight of a board by `1 / (e * cells)`; few boards of the Markov chain with this penalty therefore break rules.
const FALL: f64 = 0.7;

impl<C: Value> TemperedChain<C> {
    /// Creates the group of Markov chains with the index `number`, which determines the group's random numbers and start board; `None` if the start
    /// board has impossible values or a rule forbids it.
    pub(super) fn new(
        make: &dyn Fn() -> Option<RuledCells<C>>,
        seed: u64,
        number: u64,
    ) -> Option<Self> {
        let mut rng = stream(seed, number);
        let ruled = make()?;
        let starts = &ruled.starts;
        let start: Vec<C> = if starts.is_empty() {
            let draw = |at| {
                let choice = ruled.choice(at);
                let most = choice
                    .logs
                    .iter()
                    .copied()
                    .fold(f64::NEG_INFINITY, f64::max);
                // Rejection sampling: accepts a uniformly drawn value with a probability equal to the ratio of its weight to the largest weight.
                loop {
                    let value = rng.random_range(0..choice.values.len());
                    if rng.random::<f64>() < (choice.logs[value] - most).exp() {
                        break choice.values[value].clone();
                    }
                }
            };
            (0..ruled.size.cells()).map(draw).collect()
        } else {
            starts[number as usize % starts.len()].clone()
        };
        let cells = start.len() as f64;
        let first = BoardKernel::new(ruled, start.clone(), f64::INFINITY)?;
        let mut chains = vec![first];
        if chains[0].ruled.joined != Joined::Fully || chains[0].violation != 0 {
            let rungs = match chains[0].ruled.joined {
                Joined::Mostly => RUNGS - 1..RUNGS,
                Joined::Unknown | Joined::Fully => 0..RUNGS,
            };
            for rung in rungs {
                let penalty = (cells.ln() + 1.0) * FALL.powi(rung as i32);
                chains.push(BoardKernel::new(make()?, start.clone(), penalty)?);
            }
        }
        Some(Self {
            chains,
            rng,
            work: 0,
            sweeps: 0,
        })
    }

    pub(super) fn is_found(&self) -> bool {
        self.violation() == 0
    }

    pub(super) fn violation(&self) -> u32 {
        self.chains[0].violation
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.chains[0].free.is_empty()
    }

    pub(super) fn cells(&self) -> &[C] {
        &self.chains[0].cells
    }

    /// Returns numbers that describe the board of the group's first Markov chain, each measured by a rule, such as the length of a path.
    pub(super) fn measures(&self) -> impl Iterator<Item = f64> + '_ {
        let rules = self.chains[0].ruled.rules.iter();
        rules.filter_map(|rule| rule.measure())
    }

    /// Makes one sweep of each Markov chain and exchanges boards between the chains, until `goes_on` returns false.
    pub(super) fn sweep(&mut self, goes_on: &dyn Fn() -> bool) {
        for chain in &mut self.chains {
            self.work += chain.sweep(&mut self.rng, goes_on);
        }
        self.sweeps += 1;
        let first = (self.sweeps % 2) as usize;
        for lower in (first..self.chains.len().saturating_sub(1)).step_by(2) {
            let (one, two) = (&self.chains[lower], &self.chains[lower + 1]);
            let more = f64::from(two.violation) - f64::from(one.violation);
            let log = match one.penalty {
                // The first chain never accepts a board with a larger violation.
                f64::INFINITY if more > 0.0 => f64::NEG_INFINITY,
                f64::INFINITY => 0.0,
                penalty => (two.penalty - penalty) * more,
            };
            if self.rng.random::<f64>() < log.exp() {
                self.chains.swap(lower, lower + 1);
                let penalty = self.chains[lower].penalty;
                self.chains[lower].penalty = self.chains[lower + 1].penalty;
                self.chains[lower + 1].penalty = penalty;
            }
        }
        if self.chains[0].ruled.joined == Joined::Fully && self.is_found() {
            self.chains.truncate(1);
        }
    }
}
