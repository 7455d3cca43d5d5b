//! Turns demands on upright levels to model coordinates (in which levels where the player climbs lie on their side), and demands on boards to the
//! order in which automata read boards.

use std::ops::{Range, RangeInclusive};

use ndarray::Array2;

use super::area::Area;
use super::demand::{Demand, Mirror};
use super::pattern::Pattern;
use crate::DemandError;
use figrs_models::mdmc::Travel;

impl Demand {
    /// Returns the demand in model coordinates, in which a level where the player climbs lies on its side. The demand `self` applies to upright
    /// levels of the size `size` (numbers of rows and columns).
    ///
    /// Demands on windows, sections, periods and distances count along the direction of travel: if the player climbs, they count rows from the
    /// bottom.
    ///
    /// **Errors.** [`DemandError`] if an area of the demand does not lie in the level.
    pub fn turned(&self, travel: Travel, size: (usize, usize)) -> Result<Self, DemandError> {
        match travel {
            Travel::Right => Ok(self.clone()),
            Travel::Up => Turn::ToTheRight { size }.turned(self),
        }
    }

    /// Converts a demand on boards of `size` rows and columns to one on the same boards turned onto their left side. The columns of a turned board,
    /// from the left and each from the bottom up, are the rows of the upright board, from the top and each from the left. In demands on boards,
    /// windows, sections, periods and distances count rows of the upright board, from the top.
    ///
    /// **Errors.** [`DemandError`] if an area of the demand does not lie in the board.
    pub(super) fn in_scan_order(&self, size: (usize, usize)) -> Result<Self, DemandError> {
        Turn::ToTheLeft { size }.turned(self)
    }
}

/// A quarter turn of a level or of a board, given the size of the level or board.
enum Turn {
    ToTheRight { size: (usize, usize) },
    ToTheLeft { size: (usize, usize) },
}

fn turned_left<T: Clone>(cells: &Array2<T>) -> Array2<T> {
    let (rows, columns) = cells.dim();
    Array2::from_shape_fn((columns, rows), |(row, column)| {
        cells[(column, columns - 1 - row)].clone()
    })
}

fn reversed(lines: &Range<usize>, size: usize) -> Range<usize> {
    size - lines.end..size - lines.start
}

impl Turn {
    fn size(&self) -> (usize, usize) {
        let (Self::ToTheRight { size } | Self::ToTheLeft { size }) = self;
        *size
    }

    fn lines(&self, rows: Range<usize>, columns: Range<usize>) -> (Range<usize>, Range<usize>) {
        match self {
            Self::ToTheRight { size } => (columns, reversed(&rows, size.0)),
            Self::ToTheLeft { size } => (reversed(&columns, size.1), rows),
        }
    }

    fn area(&self, area: &Area) -> Result<Area, DemandError> {
        let (rows, columns) = area.within(self.size())?;
        let (rows, columns) = self.lines(rows, columns);
        Ok(Area::all().rows(rows).columns(columns))
    }

    fn cells<T: Clone>(&self, cells: &Array2<T>) -> Array2<T> {
        match self {
            Self::ToTheRight { .. } => Travel::Up.turned_cells(cells),
            Self::ToTheLeft { .. } => turned_left(cells),
        }
    }

    fn pattern(&self, pattern: &Pattern) -> Pattern {
        pattern.with_forms(|cells| self.cells(cells))
    }

    fn turned(&self, demand: &Demand) -> Result<Demand, DemandError> {
        let mut turned = demand.clone();
        match &mut turned {
            Demand::Seen
            | Demand::MaximumGap(_)
            | Demand::Count { .. }
            | Demand::ColumnsAmong { .. } => {}
            Demand::Pinned(mask) | Demand::Placed(mask) | Demand::Forbidden(mask) => {
                *mask = mask.with_cells(|cells| self.cells(cells));
            }
            Demand::Playable(route) => {
                let areas = route.areas().iter().map(|area| self.area(area));
                *route = route.through(areas.collect::<Result<Vec<_>, _>>()?);
            }
            Demand::Near { drawing, .. } => {
                *drawing = drawing.with_cells(|cells| self.cells(cells));
            }
            Demand::Shaped {
                pattern,
                row,
                column,
            } => {
                let (height, width) = self.size();
                let rows = *row..row.saturating_add(pattern.height());
                let columns = *column..column.saturating_add(pattern.width());
                if rows.end > height || columns.end > width {
                    return Err(DemandError::pattern_size(
                        (pattern.height(), pattern.width()),
                        (height.saturating_sub(*row), width.saturating_sub(*column)),
                    ));
                }
                let (rows, columns) = self.lines(rows, columns);
                (*row, *column) = (rows.start, columns.start);
                *pattern = self.pattern(pattern);
            }
            Demand::Number { area, .. }
            | Demand::InEach { area, .. }
            | Demand::Profile { area, .. }
            | Demand::Rising { area, .. }
            | Demand::Repeated { area, .. } => *area = self.area(area)?,
            Demand::Occurs { pattern, area, .. } => {
                *area = self.area(area)?;
                *pattern = self.pattern(pattern);
            }
            Demand::Accompanied {
                each,
                area,
                by,
                rows,
                columns,
            } => {
                *area = self.area(area)?;
                // If a turn reverses the order of lines, the distance between the first lines of two patterns becomes the distance between their last
                // lines.
                let from_the_end = |one: usize, other: usize, lines: &RangeInclusive<isize>| {
                    let over = one as isize - other as isize;
                    over.saturating_sub(*lines.end())..=over.saturating_sub(*lines.start())
                };
                (*rows, *columns) = match self {
                    Self::ToTheRight { .. } => {
                        let along = from_the_end(each.height(), by.height(), rows);
                        (columns.clone(), along)
                    }
                    Self::ToTheLeft { .. } => {
                        let across = from_the_end(each.width(), by.width(), columns);
                        (across, rows.clone())
                    }
                };
                (*each, *by) = (self.pattern(each), self.pattern(by));
            }
            Demand::Spaced { from, to, area, .. } => {
                *area = self.area(area)?;
                (*from, *to) = (self.pattern(from), self.pattern(to));
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
