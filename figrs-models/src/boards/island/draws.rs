//! Islands from several Markov chains, with convergence diagnostics.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};

use figrs_core::stream;
use figrs_infer::diagnostics::{bulk_ess, r_hat};
use figrs_infer::in_order;

use super::chain::InitialIsland;
use super::{Island, Terrain};
use crate::grid::{Board, GridError};

/// Islands drawn by Markov chains, with diagnostics of convergence.
#[derive(Clone, Debug)]
pub struct IslandDraws {
    chains: Vec<Vec<Board<Terrain>>>,
}

/// Settings of sampling islands by Markov chains.
///
/// Several [`IslandChain`](super::IslandChain)s start in turn with as little and with as much land as allowed. Each warms up, and then
/// gives an island every few sweeps; if there is a bound on bays, an island that meets it.
///
/// **Guarantee.** In the long run all islands that meet the demands are equally likely: a chain that is looked at only when it is
/// at one of them is a chain of its own with that distribution. Draws of one chain are not independent.
///
/// **Complexity.** That of the sweeps.
///
/// **Errors.** Those of [`Island::chain`]; [`GridError::BaysNotMet`] after 100 000 islands without the number of bays.
///
/// ```
/// use figrs_models::grid::Size;
/// use figrs_models::island::{Island, IslandSampling};
///
/// let island = Island::new(Size::new(12, 12)?)?.land_share(0.3..=0.4)?;
/// let draws = IslandSampling::new(50).seed(3).run(&island)?;
/// println!("{}", draws.chains()[0][0]);
/// assert!(draws.r_hat() < 1.2);
/// # Ok::<(), figrs_models::grid::GridError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct IslandSampling {
    chains: usize,
    draws: usize,
    warm_up: Option<usize>,
    between: usize,
    seed: u64,
}

impl IslandSampling {
    /// Largest number of islands in a row without the number of bays asked for.
    const MAX_TRIES: u64 = 100_000;

    /// Settings for four chains of this many islands each.
    pub fn new(draws: usize) -> Self {
        Self {
            chains: 4,
            draws,
            warm_up: None,
            between: 10,
            seed: 0,
        }
    }

    /// Sets the number of chains.
    pub fn chains(self, chains: usize) -> Self {
        Self { chains, ..self }
    }

    /// Sets the number of sweeps of a chain before its first island, by default the number of rows and columns together:
    /// land grows and shrinks from its coast.
    pub fn warm_up(self, warm_up: usize) -> Self {
        let warm_up = Some(warm_up);
        Self { warm_up, ..self }
    }

    /// Sets the number of sweeps of a chain for each island, at least one; by default 10.
    pub fn between(self, between: usize) -> Self {
        let between = between.max(1);
        Self { between, ..self }
    }

    /// Sets the seed of the random numbers.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Draws islands, with up to 64 chains at a time.
    pub fn run(self, island: &Island) -> Result<IslandDraws, GridError> {
        self.run_watched(island, |_| true)
    }

    /// As [`run`](Self::run); after each sweep `watch` is given the number of sweeps of all chains, and ends the run with
    /// the islands so far when it returns false. Each chain then has as many as the one that has fewest.
    pub fn run_watched(
        self,
        island: &Island,
        watch: impl Fn(u64) -> bool + Sync,
    ) -> Result<IslandDraws, GridError> {
        const AT_A_TIME: usize = 64;
        let swept = AtomicU64::new(0);
        let goes_on = || watch(swept.fetch_add(1, Ordering::Relaxed) + 1);
        let goes_on = &goes_on;
        let mut chains = Vec::new();
        let ran = in_order(
            AT_A_TIME.min(self.chains),
            (0..self.chains as u64, 1),
            || Ok(()),
            |(), number| Ok(self.one(island, number, goes_on)),
            |chain| {
                let failed = chain.is_err();
                chains.push(chain);
                if failed {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        // Nothing else fails there.
        if let Err(panic) = ran {
            resume_unwind(Box::new(panic.to_string()));
        }
        let mut chains = chains.into_iter().collect::<Result<Vec<_>, _>>()?;
        let fewest = chains.iter().map(Vec::len).min().unwrap_or(0);
        for chain in &mut chains {
            chain.truncate(fewest);
        }
        Ok(IslandDraws { chains })
    }

    fn one(
        self,
        island: &Island,
        number: u64,
        goes_on: impl Fn() -> bool,
    ) -> Result<Vec<Board<Terrain>>, GridError> {
        let mut rng = stream(self.seed, number);
        let start = if number.is_multiple_of(2) {
            InitialIsland::Least
        } else {
            InitialIsland::Most
        };
        let mut chain = island.chain_from(start)?;
        let warm_up = self
            .warm_up
            .unwrap_or(island.size().rows() + island.size().columns());
        let (mut maps, mut tried) = (Vec::new(), 0);
        let mut sweeps = warm_up + self.between;
        while maps.len() < self.draws {
            for _ in 0..sweeps {
                chain.sweep(&mut rng);
                if !goes_on() {
                    return Ok(maps);
                }
            }
            sweeps = self.between;
            let map = chain.board();
            tried += 1;
            if island.allows_bays(&map) {
                maps.push(map);
                tried = 0;
            } else if tried == Self::MAX_TRIES {
                return Err(GridError::BaysNotMet { tried });
            }
        }
        Ok(maps)
    }
}

impl Island {
    fn allows_bays(&self, map: &Board<Terrain>) -> bool {
        let bays = || map.bays() as u32;
        self.bays
            .as_ref()
            .is_none_or(|range| range.contains(&bays()))
    }
}

impl IslandDraws {
    /// The islands of each chain, in the order they were drawn.
    pub fn chains(&self) -> &[Vec<Board<Terrain>>] {
        &self.chains
    }

    fn numbers(&self, number: impl Fn(&Board<Terrain>) -> usize) -> Vec<Vec<f64>> {
        let chains = self.chains.iter();
        chains
            .map(|maps| maps.iter().map(|map| number(map) as f64).collect())
            .collect()
    }

    /// The worse value of a diagnostic over the amount of land and the number of bays.
    fn worst(&self, measure: impl Fn(&[&[f64]]) -> f64, worse: fn(f64, f64) -> f64) -> f64 {
        let of = |number: fn(&Board<Terrain>) -> usize| {
            let numbers = self.numbers(number);
            let chains: Vec<&[f64]> = numbers.iter().map(Vec::as_slice).collect();
            measure(&chains)
        };
        worse(of(Board::land), of(Board::bays))
    }

    /// The R-hat of the amount of land or of the number of bays, whichever is larger: above 1.01 the chains disagree, and
    /// should run longer.
    pub fn r_hat(&self) -> f64 {
        self.worst(r_hat, f64::max)
    }

    /// Effective sample size of the amount of land or of the number of bays, whichever is smaller.
    pub fn effective_samples(&self) -> f64 {
        self.worst(bulk_ess, f64::min)
    }
}
