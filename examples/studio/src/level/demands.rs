//! Demands of a request, and the cells of those that exclude each other.

use std::collections::BTreeMap;

use figrs_models::mdmc::{Demand, MarkovChain, Mask, Route, SteeringError, Tile, TileSet, Travel};
use serde_json::json;

use super::request::LevelRequest;
use super::training::Trained;
use crate::problem::{Problem, wrong};

/// Most pinned tiles of which each is a demand of its own, so that those that exclude each other can be told; more are told column by column.
const SINGLE_PINS: usize = 64;

/// Demands on levels, of which some are on single cells.
#[derive(Debug)]
pub(crate) struct Demands {
    /// All demands, as they are drawn from.
    pub(crate) all: Vec<Demand>,
    /// For each demand its cells, none where it is on the whole level.
    cells: Vec<Vec<(usize, usize)>>,
    /// All demands in words, pinned tiles together.
    pub(crate) told: Vec<String>,
}

/// Tiles of a field of a request, by row, column and character, and the demand that a mask of them is.
struct Painted<'r> {
    field: &'r str,
    tiles: &'r [(usize, usize, char)],
    demand: fn(Mask) -> Demand,
}

impl Demands {
    /// The demands of a request on levels of a chain.
    ///
    /// **Errors.** Cells outside the level, unknown tiles, ranges that are none.
    pub(crate) fn of(request: &LevelRequest, trained: &Trained) -> Result<Self, Problem> {
        let chain = &*trained.chain;
        let (set, travel) = (chain.tile_set(), chain.travel());
        let size = (chain.height(), request.length(travel));
        let mut demands = Self {
            all: Vec::new(),
            cells: Vec::new(),
            told: Vec::new(),
        };
        if !request.allow_unseen {
            demands.whole(Demand::Seen);
        }
        demands.tiles(
            Painted {
                field: "pin",
                tiles: &request.pin,
                demand: Demand::Pinned,
            },
            chain,
            size,
        )?;
        demands.tiles(
            Painted {
                field: "place",
                tiles: &request.place,
                demand: Demand::Placed,
            },
            chain,
            size,
        )?;
        if let Some(most) = request.max_gap {
            demands.whole(Demand::MaximumGap(most));
        }
        for (&symbol, &(least, most)) in &request.count {
            let tile = tile("count", symbol, set)?;
            demands.whole(Demand::Count { tile, least, most });
        }
        for (&symbol, &(low, high)) in &request.density {
            let tile = tile("density", symbol, set)?;
            if !((0.0..=1.0).contains(&low) && (low..=1.0).contains(&high)) {
                return Err(Problem::wrong(format!(
                    "density {symbol}: write two shares from 0 to 1, the smaller first"
                )));
            }
            demands.whole(Demand::density(tile, low, high, size.0 * size.1));
        }
        for pattern in &request.forbid {
            let mask = Mask::from_text("forbid", &pattern.join("\n"), set).map_err(wrong)?;
            demands.whole(Demand::Forbidden(mask.turned(travel)));
        }
        if request.playable {
            let rules = trained.rules()?;
            demands.whole(Demand::Playable(Route::under(&rules)));
        }
        Ok(demands)
    }

    fn whole(&mut self, demand: Demand) {
        self.told.push(demand.to_string());
        self.all.push(demand);
        self.cells.push(Vec::new());
    }

    /// Demands on single cells, each its own or those of a column together.
    fn tiles(
        &mut self,
        Painted {
            field,
            tiles: given,
            demand,
        }: Painted<'_>,
        chain: &MarkovChain,
        (height, width): (usize, usize),
    ) -> Result<(), Problem> {
        let travel = chain.travel();
        let (rows, columns) = match travel {
            Travel::Right => (height, width),
            Travel::Up => (width, height),
        };
        if given.is_empty() {
            return Ok(());
        }
        let mut together = Mask::free(height, width);
        let mut groups = BTreeMap::<(usize, usize), (Mask, Vec<(usize, usize)>)>::new();
        for &(row, column, symbol) in given {
            if row >= rows || column >= columns {
                return Err(Problem::wrong(format!(
                    "{field} [{row}, {column}]: the level has rows 0 to {} and columns 0 to {}",
                    rows - 1,
                    columns - 1
                ))
                .with("cells", json!([[row, column]])));
            }
            let tile = tile(field, symbol, chain.tile_set())?;
            // As the chain draws it, turned by a quarter where levels are played upwards.
            let (row, column) = match travel {
                Travel::Right => (row, column),
                Travel::Up => (column, width - 1 - row),
            };
            let upright = travel.upright_cell(width, (row, column));
            if together.get(row, column).is_some_and(|other| other != tile) {
                return Err(Problem::wrong(format!(
                    "{field} [{}, {}]: two tiles for one cell",
                    upright.0, upright.1
                ))
                .with("cells", json!([upright])));
            }
            together.set(row, column, tile);
            let key = if given.len() <= SINGLE_PINS {
                (column, row)
            } else {
                (column, 0)
            };
            let free = || (Mask::free(height, width), Vec::new());
            let (mask, cells) = groups.entry(key).or_insert_with(free);
            mask.set(row, column, tile);
            cells.push(upright);
        }
        self.told.push(demand(together).to_string());
        for (mask, cells) in groups.into_values() {
            self.all.push(demand(mask));
            self.cells.push(cells);
        }
        Ok(())
    }

    /// The answer where demands exclude each other: the demands, the column where the last levels fail, and the cells of pinned tiles among them.
    pub(crate) fn problem(&self, error: SteeringError) -> Problem {
        let SteeringError::Contradictory {
            demands,
            column,
            proven,
            ..
        } = &error
        else {
            return Problem::of(&error.into());
        };
        let named = self.all.iter().zip(&self.cells);
        let named = named.filter(|(demand, _)| demands.contains(&demand.to_string()));
        let cells: Vec<_> = named.flat_map(|(_, cells)| cells).collect();
        let more = [
            ("demands", json!(demands)),
            ("column", json!(column)),
            ("proven", json!(proven)),
            ("cells", json!(cells)),
        ];
        let problem = Problem::of(&error.into());
        let with = |problem: Problem, (name, value)| problem.with(name, value);
        more.into_iter().fold(problem, with)
    }
}

fn tile(field: &str, symbol: char, set: &TileSet) -> Result<Tile, Problem> {
    set.tile(symbol).ok_or_else(|| {
        let known = set.symbols();
        Problem::wrong(format!(
            "{field}: unknown tile {symbol:?}; use one of {known}"
        ))
    })
}
