//! Finds the cells to which a demand (a requirement on a level) refers, for example to highlight these cells in an editor.

use ndarray::Array2;

use super::area::Area;
use super::demand::Demand;
use super::mask::Mask;

impl Demand {
    /// Returns the cells to which the demand refers in a level of the size `size`: the cells that a mask, a drawing or a path sets, or the cells of
    /// an area. The cells are in order of rows, in model coordinates. Returns no cells if the demand concerns the whole level or does not fit the
    /// size of the level.
    ///
    /// ```
    /// use figrs_models::mdmc::{TileClass, TileSet, Meaning};
    /// use figrs_design::{Area, Demand};
    ///
    /// let class = TileClass::meaning(TileSet::platformer(), Meaning::Enemy);
    /// let area = Area::all().rows(2..4).columns(..2);
    /// let demand = Demand::Number { class, area, least: 1, most: 2 };
    /// assert_eq!(demand.cells((14, 60)), [(2, 0), (2, 1), (3, 0), (3, 1)]);
    /// assert!(Demand::MaximumGap(3).cells((14, 60)).is_empty());
    /// ```
    pub fn cells(&self, size: (usize, usize)) -> Vec<(usize, usize)> {
        let mut marked = Array2::from_elem(size, false);
        self.mark(&mut marked);
        let cells = marked.indexed_iter().filter(|&(_, &is_marked)| is_marked);
        let cells: Vec<_> = cells.map(|(cell, _)| cell).collect();
        if cells.len() == marked.len() {
            Vec::new()
        } else {
            cells
        }
    }

    fn mark(&self, marked: &mut Array2<bool>) {
        match self {
            Self::Seen | Self::MaximumGap(_) | Self::Count { .. } | Self::Forbidden(_) => {}
            Self::Playable(route) => {
                let areas = route.areas().iter();
                areas.for_each(|area| mark_area(area, marked));
            }
            Self::Pinned(mask) | Self::Placed(mask) | Self::Near { drawing: mask, .. } => {
                mark_mask(mask, marked);
            }
            Self::Shaped {
                pattern,
                row,
                column,
            } => {
                for form in pattern.forms() {
                    let set = form.indexed_iter().filter(|(_, class)| !class.is_any());
                    for ((down, right), _) in set {
                        mark(
                            (row.saturating_add(down), column.saturating_add(right)),
                            marked,
                        );
                    }
                }
            }
            Self::Number { area, .. }
            | Self::InEach { area, .. }
            | Self::Profile { area, .. }
            | Self::Rising { area, .. }
            | Self::Occurs { area, .. }
            | Self::Accompanied { area, .. }
            | Self::Spaced { area, .. }
            | Self::Mirrored { area, .. }
            | Self::Repeated { area, .. }
            | Self::ColumnsAmong { area, .. } => mark_area(area, marked),
            Self::Any(demands) => demands.iter().for_each(|demand| demand.mark(marked)),
            Self::Not(demand) | Self::Preferred { demand, .. } => demand.mark(marked),
        }
    }
}

fn mark(cell: (usize, usize), marked: &mut Array2<bool>) {
    if let Some(is_marked) = marked.get_mut(cell) {
        *is_marked = true;
    }
}

fn mark_mask(mask: &Mask, marked: &mut Array2<bool>) {
    for (row, column, _) in mask.tiles() {
        mark((row, column), marked);
    }
}

fn mark_area(area: &Area, marked: &mut Array2<bool>) {
    let Ok((rows, columns)) = area.within(marked.dim()) else {
        return;
    };
    for row in rows {
        for column in columns.clone() {
            mark((row, column), marked);
        }
    }
}
