//! Demands on levels in a request, and the cells of demands that contradict each other.

use std::collections::BTreeMap;

use figrs_command::Flag;
use figrs_command::level_demands::{add_demands, known_tile};
use figrs_command::level_model::TrainedModel;
use figrs_core::wording::Counted;
use figrs_design::{Demand, DemandFile, DemandedLevelError, Mask, Route};
use figrs_models::mdmc::{LevelModel, TileSet, Travel};
use serde_json::{Value as Json, json};

use super::movement;
use super::request::LevelRequest;
use super::training::Trained;
use crate::problem::{Problem, text_of, wrong};

/// Maximum number of pinned tiles for which each tile is a demand of its own, so that an error can list contradictory tiles; more tiles are grouped
/// by column.
const SINGLE_PINS: usize = 64;

/// Demands on levels of one size.
#[derive(Debug)]
pub(crate) struct Demands {
    /// All demands, in the form that the samplers of levels take.
    pub(crate) all: Vec<Demand>,
    /// All demands in words; pinned tiles are combined in one text.
    pub(crate) message: Vec<String>,
    travel: Travel,
    /// Numbers of rows and columns of a level in the orientation of the model.
    size: (usize, usize),
}

/// The tiles in a field of a request (row, column and character of each), and the function that turns a mask of these tiles into a demand.
struct Painted<'r> {
    field: &'r str,
    tiles: &'r [(usize, usize, char)],
    demand: fn(Mask) -> Demand,
}

impl Demands {
    /// Returns the demands of a request on levels of a model.
    ///
    /// **Errors.** A cell is outside the level, a tile is unknown, a range is invalid, or a file of demands is invalid.
    pub(crate) fn of(
        request: &LevelRequest,
        trained: &Trained,
        model: &LevelModel,
    ) -> Result<Self, Problem> {
        let (set, travel) = (model.tile_set(), model.travel());
        let size = (model.height(), model.width());
        let mut demands = Self {
            all: Vec::new(),
            message: Vec::new(),
            travel,
            size,
        };
        if !request.demands.allow_unseen {
            demands.whole(Demand::Seen);
        }
        demands.tiles(
            Painted {
                field: "pin",
                tiles: &request.texts.pin,
                demand: Demand::Pinned,
            },
            set,
        )?;
        demands.tiles(
            Painted {
                field: "place",
                tiles: &request.texts.place,
                demand: Demand::Placed,
            },
            set,
        )?;
        // Checked after errors in the request itself. Other models, and cells beside placed ones, may have tiles that no row shows.
        let question = &request.question;
        let is_by_row = matches!(
            question.trained(),
            TrainedModel::Chain | TrainedModel::NGrams
        ) && question.row_splits.is_none()
            && question.smoothing.is_none_or(|smoothing| smoothing == 0.0);
        if is_by_row && !request.demands.allow_unseen && request.texts.place.is_empty() {
            demands.check_rows(&request.texts.pin, trained, set)?;
        }
        for (demand, _) in request.demands.in_numbers(model)? {
            demands.whole(demand);
        }
        for pattern in &request.texts.forbid {
            let mask = Mask::from_text("forbid", &pattern.join("\n"), set).map_err(wrong)?;
            demands.whole(Demand::Forbidden(mask.turned(travel)));
        }
        let files = files(request.texts.demands.as_ref())?;
        let is_played = files.iter().any(|(_, design)| design.needs_movement());
        let rules = (request.demands.playable || is_played)
            .then(|| movement::rules(request, trained))
            .transpose()?;
        let demanded = rules.iter().filter(|_| request.demands.playable);
        let routes = demanded.map(|rules| (Route::from(rules), "playable".to_owned()));
        let routes = routes.collect();
        let (mut further, scope) = (Vec::new(), (model, &trained.corpus));
        add_demands(&mut further, &files, scope, rules.as_ref(), routes)?;
        for demand in further {
            demands.whole(demand);
        }
        Ok(demands)
    }

    fn whole(&mut self, demand: Demand) {
        self.message.push(demand.to_string());
        self.all.push(demand);
    }

    /// Returns an error for tiles that no training level has in the same row (or column, if the player climbs), because the trained probability table
    /// of that row never draws these tiles. The check of the tiles draws no levels.
    fn check_rows(
        &self,
        given: &[(usize, usize, char)],
        trained: &Trained,
        set: &TileSet,
    ) -> Result<(), Problem> {
        let across = self.size.0;
        let what = match self.travel {
            Travel::Right => "row",
            Travel::Up => "column",
        };
        let mut never = Vec::new();
        for &(row, column, symbol) in given {
            let tile = known_tile(&"pin", symbol, set)?;
            // Columns as they are played are rows in the form of the chain.
            let drawn = match self.travel {
                Travel::Right => row,
                Travel::Up => column,
            };
            // Cells outside the level were refused before.
            let is_seen = drawn >= across
                || trained.corpus.levels().iter().any(|level| {
                    drawn >= level.height()
                        || level.as_array().row(drawn).iter().any(|&one| one == tile)
                });
            if !is_seen {
                never.push((row, column, symbol, drawn));
            }
        }
        let Some(&(_, _, symbol, place)) = never.first() else {
            return Ok(());
        };
        let cells: Vec<_> = never
            .iter()
            .map(|(row, column, ..)| (row, column))
            .collect();
        Err(Problem::without_answer(format!(
            "no training level has the tile {symbol} in {what} {}, so the model never draws it there; leave out {}, or use `place`",
            Counted(place),
            Flag("pin")
        ))
        .with("cells", json!(cells))
        .with("proven", true.into()))
    }

    /// Adds demands that cells have given tiles: one demand for each cell, or one for each column if there are many cells.
    fn tiles(
        &mut self,
        Painted {
            field,
            tiles: given,
            demand,
        }: Painted<'_>,
        set: &TileSet,
    ) -> Result<(), Problem> {
        let (travel, (height, width)) = (self.travel, self.size);
        let (rows, columns) = match travel {
            Travel::Right => (height, width),
            Travel::Up => (width, height),
        };
        if given.is_empty() {
            return Ok(());
        }
        let mut together = Mask::free(height, width);
        let mut groups = BTreeMap::<(usize, usize), Mask>::new();
        for &(row, column, symbol) in given {
            if row >= rows || column >= columns {
                return Err(Problem::wrong(format!(
                    "{field}: row {}, column {} is outside of the level, which has {rows} rows and {columns} columns",
                    Counted(row),
                    Counted(column)
                ))
                .with("cells", json!([[row, column]])));
            }
            let tile = known_tile(&field, symbol, set)?;
            // The cell in the form of the chain, which is turned by 90 degrees if the player climbs in the levels.
            let (row, column) = match travel {
                Travel::Right => (row, column),
                Travel::Up => (column, width - 1 - row),
            };
            let upright = travel.upright_cell(width, (row, column));
            if together.get(row, column).is_some_and(|other| other != tile) {
                return Err(Problem::wrong(format!(
                    "{field}: row {}, column {}: two tiles for one cell",
                    Counted(upright.0),
                    Counted(upright.1)
                ))
                .with("cells", json!([upright])));
            }
            together.set(row, column, tile);
            let key = if given.len() <= SINGLE_PINS {
                (column, row)
            } else {
                (column, 0)
            };
            let mask = groups.entry(key);
            let mask = mask.or_insert_with(|| Mask::free(height, width));
            mask.set(row, column, tile);
        }
        self.message.push(demand(together).to_string());
        self.all.extend(groups.into_values().map(demand));
        Ok(())
    }

    /// Returns the answer for demands that contradict each other: the demands, the column up to which no level meets them, the cells of the demands,
    /// and whether one of the demands is a path of a player.
    pub(crate) fn problem(&self, error: DemandedLevelError) -> Problem {
        let DemandedLevelError::Contradictory {
            demands,
            places,
            columns,
            proven,
            ..
        } = &error
        else {
            return Problem::of(&error.into());
        };
        let more = [
            ("demands", json!(demands)),
            ("column", json!(columns.end())),
            ("proven", json!(proven)),
            ("cells", json!(self.cells(places, *columns.end()))),
            (
                "playable",
                json!(self.at(places).any(|demand| demand.route().is_some())),
            ),
        ];
        let problem = Problem::of(&error.into());
        let with = |problem: Problem, (name, value)| problem.with(name, value);
        more.into_iter().fold(problem, with)
    }

    /// Returns the paths of a player that the request demands.
    pub(crate) fn routes(&self) -> impl Iterator<Item = &Route> {
        self.all.iter().filter_map(Demand::route)
    }

    /// Returns the demands with the given indices.
    fn at(&self, places: &[usize]) -> impl Iterator<Item = &Demand> {
        places.iter().filter_map(|&place| self.all.get(place))
    }

    /// Returns the cells that some demands concern, in a level's upright form; if all of the demands concern the whole level, returns the cells of a
    /// column.
    fn cells(&self, places: &[usize], column: usize) -> Vec<(usize, usize)> {
        let cells = self.at(places).flat_map(|demand| demand.cells(self.size));
        let mut cells: Vec<_> = cells.collect();
        if cells.is_empty() {
            cells.extend((0..self.size.0).map(|row| (row, column)));
        }
        let upright = |cell| self.travel.upright_cell(self.size.1, cell);
        let mut cells: Vec<_> = cells.into_iter().map(upright).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

/// Returns the files of demands in a request, each with its name in messages. A file is a text in TOML or JSON, or a JSON object; a request may
/// contain a list of files.
fn files(given: Option<&Json>) -> Result<Vec<(String, DemandFile)>, Problem> {
    let files = match given {
        None => return Ok(Vec::new()),
        Some(Json::Array(files)) => &files[..],
        Some(file) => std::slice::from_ref(file),
    };
    let read = |(number, file)| {
        let text = text_of(file);
        let is_json = text.trim_start().starts_with('{');
        let design = if is_json {
            DemandFile::from_json(&text)
        } else {
            DemandFile::from_toml(&text)
        };
        let place = match files {
            [_] => "demands".to_owned(),
            _ => format!("demands {}", number + 1),
        };
        let design = design.map_err(|mut error| {
            error.place.clone_from(&place);
            Problem::wrong(error.to_string())
        })?;
        Ok((place, design))
    };
    files.iter().enumerate().map(read).collect()
}
