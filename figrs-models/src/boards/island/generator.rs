//! Islands as a generator of boards.

use super::{Island, IslandSampling, Terrain};
use crate::board::{BoardError, ChainBoards, Chains, Elements, Generator, OwnSampler};
use crate::grid::{Board, Size};

/// Without clues islands of any size are drawn by two to four [`IslandChain`](super::IslandChain)s.
impl Generator for Island {
    type Cell = Terrain;
    type Board = Board<Terrain>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<Elements<Terrain>, BoardError> {
        Ok(Island::elements(self)?)
    }

    fn board(&self, cells: Vec<Terrain>) -> Result<Board<Terrain>, BoardError> {
        Ok(Board::new(self.size(), cells)?)
    }

    /// Extrapolated from smaller islands.
    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        let land = self.land.as_ref().map_or(1.0, |_| rows * columns / 6.0);
        let bays = self
            .bays
            .as_ref()
            .map_or(1.0, |_| 0.5 * 1.62f64.powf(columns));
        Some(1.8 * rows * 3.03f64.powf(columns) * land * bays)
    }

    fn sampler(&self) -> Option<OwnSampler<'_, Board<Terrain>>> {
        self.clues.is_empty().then(|| OwnSampler::Chains {
            name: "chain",
            draw: Box::new(|chains| self.by_chains(chains)),
        })
    }
}

impl Island {
    /// Takes as many islands of each chain as make up the number, and enough for the diagnostics of convergence.
    fn by_chains(&self, asked: &Chains<'_>) -> Result<ChainBoards<Board<Terrain>>, BoardError> {
        const MIN_DIAGNOSTIC_DRAWS: usize = 25;
        // Two at least, which can disagree.
        let chains = asked.wanted().clamp(2, 4);
        let wanted = asked.wanted().div_ceil(chains);
        let draws = wanted.max(MIN_DIAGNOSTIC_DRAWS);
        let between = if wanted < MIN_DIAGNOSTIC_DRAWS { 2 } else { 10 };
        let sampling = IslandSampling::new(draws).chains(chains).between(between);
        let sampling = sampling.seed(asked.seed());
        let drawn = sampling.run_watched(self, |sweeps| asked.swept(sweeps))?;
        let draws = drawn.chains().iter().map(Vec::len).min().unwrap_or(0);
        let wanted = wanted.min(draws);
        // As far apart as there is room for, the chains in turn, and the last ones among them.
        let places = (1..=wanted).map(|number| number * draws / wanted - 1);
        let spread = places.flat_map(|place| {
            let chains = drawn.chains().iter();
            chains.filter_map(move |maps| maps.get(place))
        });
        Ok(ChainBoards {
            boards: spread.cloned().collect(),
            diagnostics: vec![
                ("r-hat", drawn.r_hat()),
                ("effective islands", drawn.effective_samples()),
                ("islands", (chains * draws) as f64),
            ],
        })
    }
}
