//! Reads demands on paths through a level: a path without obstacles, or a player's path through areas.

use figrs_reading::FileError;
use ndarray::Array2;
use serde_json::Value;

use super::keys::Entry;
use super::verbs::Designer;
use crate::demands::area::Area;
use crate::demands::demand::Demand;
use crate::demands::pattern::Pattern;
use crate::{DemandError, Movement, MovementError, MovementRules, Route};
use figrs_models::mdmc::{Meaning, TileClass};

impl Designer<'_> {
    /// Reads the demand that straight lines from cell to cell have no obstacles.
    pub(super) fn path(&self, entry: &Entry, value: &Value) -> Result<Demand, FileError> {
        const CELLS: &str = "a list of cells, as [[9, 0], [9, 20]], each beside or above the one before in a straight line";
        let wrong = || entry.wrong("path", value, CELLS);
        let cells = value.as_array().ok_or_else(wrong)?.iter().map(cell);
        let cells: Vec<(usize, usize)> = cells.collect::<Option<_>>().ok_or_else(wrong)?;
        let Some(&first) = cells.first() else {
            return Err(wrong());
        };
        let is_outside =
            |&&(row, column): &&(usize, usize)| row >= self.size.0 || column >= self.size.1;
        if let Some(&(row, column)) = cells.iter().find(is_outside) {
            return Err(entry.unfit(DemandError::outside(row, column)));
        }
        let place = format!("{}, through", entry.place());
        let free = match entry.get("through") {
            Some(class) => self.words.class(&place, class)?,
            None => TileClass::meaning(self.words.tiles(), Meaning::Solid).complement(),
        };
        let (top, left) = (
            cells.iter().map(|cell| cell.0).min().unwrap_or(0),
            cells.iter().map(|cell| cell.1).min().unwrap_or(0),
        );
        let (bottom, right) = (
            cells.iter().map(|cell| cell.0).max().unwrap_or(0),
            cells.iter().map(|cell| cell.1).max().unwrap_or(0),
        );
        let size = (bottom + 1 - top, right + 1 - left);
        let mut classes = Array2::from_elem(size, TileClass::any());
        for pair in [&[first], &*cells].concat().windows(2) {
            let ((row, column), (to, on)) = (pair[0], pair[1]);
            if row != to && column != on {
                return Err(wrong());
            }
            for row in row.min(to)..=row.max(to) {
                for column in column.min(on)..=column.max(on) {
                    classes[(row - top, column - left)] = free.clone();
                }
            }
        }
        let pattern = Pattern::new(classes).map_err(|error| entry.unfit(error))?;
        Ok(Demand::Shaped {
            pattern,
            row: top,
            column: left,
        })
    }

    /// Reads the demand that a player can pass given areas of the level in a given order.
    pub(super) fn pass(&self, entry: &Entry, value: &Value) -> Result<Demand, FileError> {
        const AREAS: &str =
            "a list of cells or areas, as [[9, 20], { rows = \"2..5\", columns = \"30..34\" }]";
        let list = value.as_array().filter(|list| !list.is_empty());
        let list = list.ok_or_else(|| entry.wrong("pass", value, AREAS))?;
        let area = |value: &Value| {
            if let Some((row, column)) = cell(value) {
                return Ok(Area::cell(row, column));
            }
            if !value.is_object() {
                return Err(entry.wrong("pass", value, AREAS));
            }
            let inner = entry.inner("pass", value)?;
            inner.check_keys("an area of pass", &["rows", "columns"])?;
            self.area(&inner)
        };
        let areas = list.iter().map(area).collect::<Result<Vec<Area>, _>>()?;
        let route = self.route(entry)?.through(areas);
        if route.areas().len() > Route::MOST_AREAS {
            return Err(entry.unfit(DemandError::too_many_areas(&route)));
        }
        for area in route.areas() {
            area.within(self.size).map_err(|error| entry.unfit(error))?;
        }
        Ok(Demand::Playable(route))
    }

    /// Returns a route through no areas; any path from the start to the goal by the movement (the rules of a player's moves) follows this route.
    pub(super) fn route(&self, entry: &Entry) -> Result<Route, FileError> {
        let suggested = || -> Result<MovementRules, MovementError> {
            let tiles = self.words.tiles();
            Movement::suggested(tiles, self.travel)?.rules(tiles, self.travel)
        };
        let rules = self.rules.cloned().map_or_else(suggested, Ok);
        let rules = rules.map_err(|error| error.into_mistake().of(entry.place()))?;
        Ok(Route::under(&rules))
    }
}

pub(super) fn cell(value: &Value) -> Option<(usize, usize)> {
    let [row, column] = value.as_array()?.as_slice() else {
        return None;
    };
    Some((row.as_u64()? as usize, column.as_u64()? as usize))
}
