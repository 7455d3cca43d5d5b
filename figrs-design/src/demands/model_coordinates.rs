//! Turns demands on upright levels to model coordinates, in which levels that are played upwards lie on their side.

use std::ops::Range;

use super::area::Area;
use super::demand::{Demand, Mirror};
use super::pattern::Pattern;
use crate::DemandError;
use figrs_models::mdmc::Travel;

impl Demand {
    /// Returns the demand in model coordinates: levels that are played upwards lie on their side there. This demand is about upright levels of `size` rows and
    /// columns.
    ///
    /// Counts along a level follow the direction of travel: windows, sections, periods and distances of levels that are played upwards are in rows, from
    /// the bottom.
    ///
    /// **Errors.** [`DemandError`] if an area does not lie in the level.
    pub fn turned(&self, travel: Travel, size: (usize, usize)) -> Result<Self, DemandError> {
        match travel {
            Travel::Right => Ok(self.clone()),
            Travel::Up => Upright { size }.turned(self),
        }
    }
}

/// Size of upright levels that are played upwards.
struct Upright {
    size: (usize, usize),
}

impl Upright {
    fn rows_along(&self, rows: Range<usize>) -> Range<usize> {
        self.size.0 - rows.end..self.size.0 - rows.start
    }

    fn area(&self, area: &Area) -> Result<Area, DemandError> {
        let (rows, columns) = area.within(self.size)?;
        Ok(Area::all().rows(columns).columns(self.rows_along(rows)))
    }

    fn pattern(pattern: &Pattern) -> Pattern {
        pattern.with_forms(|cells| Travel::Up.turned_cells(cells))
    }

    fn turned(&self, demand: &Demand) -> Result<Demand, DemandError> {
        let mut turned = demand.clone();
        match &mut turned {
            Demand::Seen
            | Demand::MaximumGap(_)
            | Demand::Count { .. }
            | Demand::ColumnsAmong { .. } => {}
            Demand::Pinned(mask) | Demand::Placed(mask) | Demand::Forbidden(mask) => {
                *mask = mask.turned(Travel::Up);
            }
            Demand::Playable(route) => {
                let areas = route.areas().iter().map(|area| self.area(area));
                *route = route.through(areas.collect::<Result<Vec<_>, _>>()?);
            }
            Demand::Near { drawing, .. } => *drawing = drawing.turned(Travel::Up),
            Demand::Shaped {
                pattern,
                row,
                column,
            } => {
                let end = row.saturating_add(pattern.height());
                let Some(first) = self.size.0.checked_sub(end) else {
                    return Err(DemandError::Pattern {
                        size: (pattern.height(), pattern.width()),
                        level: (self.size.0.saturating_sub(*row), self.size.1),
                    });
                };
                (*row, *column) = (*column, first);
                *pattern = Self::pattern(pattern);
            }
            Demand::Number { area, .. }
            | Demand::InEach { area, .. }
            | Demand::Profile { area, .. }
            | Demand::Rising { area, .. }
            | Demand::Repeated { area, .. } => *area = self.area(area)?,
            Demand::Occurs { pattern, area, .. } => {
                *area = self.area(area)?;
                *pattern = Self::pattern(pattern);
            }
            Demand::Accompanied {
                each,
                area,
                by,
                rows,
                columns,
            } => {
                *area = self.area(area)?;
                // Measured from the last row of one pattern to that of the other, upwards.
                let taller = each.height() as isize - by.height() as isize;
                let along =
                    taller.saturating_sub(*rows.end())..=taller.saturating_sub(*rows.start());
                *rows = columns.clone();
                *columns = along;
                (*each, *by) = (Self::pattern(each), Self::pattern(by));
            }
            Demand::Spaced { from, to, area, .. } => {
                *area = self.area(area)?;
                (*from, *to) = (Self::pattern(from), Self::pattern(to));
            }
            Demand::Mirrored { area, mirror, .. } => {
                *area = self.area(area)?;
                *mirror = match mirror {
                    Mirror::Columns => Mirror::Rows,
                    Mirror::Rows => Mirror::Columns,
                };
            }
            Demand::Any(demands) => {
                for demand in demands {
                    *demand = self.turned(demand)?;
                }
            }
            Demand::Not(demand) | Demand::Preferred { demand, .. } => {
                **demand = self.turned(demand)?;
            }
        }
        Ok(turned)
    }
}
