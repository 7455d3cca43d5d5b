//! Proves that demands on tiles leave a game level without a path for the player, so that no playable level meets them.

use super::area::Area;
use super::demand::Demand;
use super::demanded_level::DemandedLevel;
use super::proof::Conflict;
use super::trial::{Core, Trial, minimal};
use crate::Route;
use crate::play::cell_class::CellClass;
use crate::play::search::dead_end;
use figrs_models::mdmc::Tile;

/// Returns demands that contradict each other: a route that no player can take, and demands on the tiles of single cells that block the route.
/// Returns `None` if no conflict is found or the work runs out. The function `spend(n)` uses up `n` steps of work, and returns false if fewer than
/// `n` steps are left.
pub(super) fn unplayable(
    demanded: &DemandedLevel,
    spend: &dyn Fn(u64) -> bool,
) -> Option<Conflict> {
    let numbered = || demanded.demands().enumerate();
    let limits: Vec<usize> = numbered()
        .filter(|(_, demand)| limits_cells(demand))
        .map(|(number, _)| number)
        .collect();
    numbered().find_map(|(number, demand)| {
        let route = demand.route()?;
        let mut column = dead_end_by(demanded, route, &limits, spend)?;
        let Core {
            members: mut named,
            is_minimal,
        } = minimal(&limits, |rest| {
            match dead_end_by(demanded, route, rest, spend) {
                Some(at) => {
                    column = at;
                    Trial::Impossible
                }
                None if !spend(0) => Trial::Unknown,
                None => Trial::Possible,
            }
        });
        named.push(number);
        named.sort_unstable();
        let column = demanded.width().min(column + 2) - 1;
        Some(Conflict {
            is_minimal,
            ..Conflict::at(column, named)
        })
    })
}

/// Returns the furthest column that a player can reach, if `demands` certainly leave the player no path to the goal; `None` if a path may exist or
/// the work runs out.
fn dead_end_by(
    demanded: &DemandedLevel,
    route: &Route,
    demands: &[usize],
    spend: &dyn Fn(u64) -> bool,
) -> Option<usize> {
    let program = demanded.level_model().program();
    let rows: Vec<Vec<Tile>> = (0..demanded.height())
        .map(|row| program.possible(row))
        .collect();
    let mut cells: Vec<Vec<CellClass>> = Vec::new();
    for column in 0..demanded.width() {
        if !spend(rows.len() as u64) {
            return None;
        }
        for (row, possible) in rows.iter().enumerate() {
            let allows = |tile: &&Tile| {
                let mut demands = demands.iter();
                demands.all(|&demand| allows(demanded.demand(demand), (row, column), **tile))
            };
            let mut masks = demands.iter().map(|&demand| demanded.demand(demand));
            let placed = masks.find_map(|demand| match demand {
                Demand::Placed(mask) => mask.get(row, column),
                _ => None,
            });
            let mut classes: Vec<CellClass> = if let Some(tile) = placed {
                vec![route.rules().class(tile)]
            } else {
                let allowed = possible.iter().filter(allows);
                allowed.map(|&tile| route.rules().class(tile)).collect()
            };
            classes.sort_unstable();
            classes.dedup();
            // If no tile is allowed in a cell, the demands conflict even without the route.
            if classes.is_empty() {
                return None;
            }
            cells.push(classes);
        }
    }
    dead_end(route, demanded.height(), &cells, spend)
}

/// True if the demand limits the tiles of single cells independently of all other cells and demands.
fn limits_cells(demand: &Demand) -> bool {
    match demand {
        Demand::Pinned(_)
        | Demand::Placed(_)
        | Demand::Number { most: 0, .. }
        | Demand::Count { most: 0, .. }
        | Demand::ColumnsAmong { .. } => true,
        Demand::Shaped { pattern, .. } => pattern.forms().len() == 1,
        Demand::Occurs {
            pattern,
            most: Some(0),
            ..
        } => pattern.height() == 1 && pattern.width() == 1,
        _ => false,
    }
}

/// True if `demand` permits the tile `tile` in the given cell; the demand must be one that [limits single cells](limits_cells).
fn allows(demand: &Demand, (row, column): (usize, usize), tile: Tile) -> bool {
    let is_in = |area: &Area| area.contains(row, column);
    match demand {
        Demand::Pinned(mask) => mask.get(row, column).is_none_or(|pinned| pinned == tile),
        Demand::Number { class, area, .. } => !(is_in(area) && class.contains(tile)),
        Demand::Count { tile: none, .. } => *none != tile,
        Demand::ColumnsAmong { area, columns } => {
            !is_in(area) || columns.iter().any(|one| one.get(row) == Some(&tile))
        }
        Demand::Shaped {
            pattern,
            row: top,
            column: left,
        } => {
            let cell = row.checked_sub(*top).zip(column.checked_sub(*left));
            let class = cell.and_then(|cell| pattern.forms()[0].get(cell));
            class.is_none_or(|class| class.contains(tile))
        }
        Demand::Occurs { pattern, area, .. } => {
            let mut forms = pattern.forms().iter();
            !(is_in(area) && forms.any(|form| form[(0, 0)].contains(tile)))
        }
        _ => true,
    }
}
