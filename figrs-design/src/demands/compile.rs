//! Compiles demands (requirements on a level) to automata for levels of a given size.

use std::ops::Range;

use ndarray::Array2;

use super::area::Area;
use super::automata::{
    Accompanied, Cells, ColumnsAmong, Mirrored, NumberInArea, NumberInEach, Occurrences,
    PatternTracker, Profile, Reader, Repeated, RisingProfile, Spaced,
};
use super::demand::Demand;
use super::mask::Mask;
use super::pattern::Pattern;
use crate::DemandError;
use crate::metrics::shape::is_support;
use figrs_models::mdmc::{TileClass, TileSet};

#[derive(Clone, Copy, Debug)]
pub(super) struct LevelFrame<'a> {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) tiles: &'a TileSet,
}

impl LevelFrame<'_> {
    fn within(&self, area: &Area) -> Result<(Range<usize>, Range<usize>), DemandError> {
        area.within((self.height, self.width))
    }

    /// Returns the automaton of `demand`, or `None` if a demand of this kind has no automaton.
    ///
    /// Returns an error if `demand` does not fit the size or the tiles of the level.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of demand")]
    pub(super) fn automaton(&self, demand: &Demand) -> Result<Option<Reader>, DemandError> {
        Ok(Some(match demand {
            Demand::Seen | Demand::Playable(_) => return Ok(None),
            Demand::Placed(mask) => {
                self.check_size(mask)?;
                return Ok(None);
            }
            Demand::Near { drawing, cost } => {
                self.check_size(drawing)?;
                check_weight(*cost)?;
                return Ok(None);
            }
            Demand::Preferred { demand, weight } => {
                check_weight(*weight)?;
                self.combined(demand)?
            }
            Demand::Any(demands) => {
                if demands.is_empty() {
                    return Err(DemandError::invalid(
                        "a choice among no demands cannot be met",
                        "give at least one",
                    ));
                }
                let readers = demands.iter().map(|demand| self.combined(demand));
                Reader::Any(readers.collect::<Result<_, _>>()?)
            }
            Demand::Not(demand) => Reader::Not(Box::new(self.combined(demand)?)),
            Demand::Pinned(mask) => {
                self.check_size(mask)?;
                let class = |(row, column)| {
                    let tile = mask.get(row, column);
                    tile.map_or_else(TileClass::any, TileClass::from)
                };
                let classes = Array2::from_shape_fn((mask.height(), mask.width()), class);
                Reader::leaf(Cells {
                    classes,
                    corner: (0, 0),
                })
            }
            Demand::Shaped {
                pattern,
                row,
                column,
            } => self.shaped(pattern, (*row, *column))?,
            &Demand::MaximumGap(most) => self.maximum_gap(most)?,
            &Demand::Count { tile, least, most } => {
                self.number(&tile.into(), &Area::all(), (least, most))?
            }
            Demand::Number {
                class,
                area,
                least,
                most,
            } => self.number(class, area, (*least, *most))?,
            Demand::InEach {
                class,
                area,
                columns: window,
                least,
                most,
            } => {
                check_range(*least, *most)?;
                let (rows, columns) = self.within(area)?;
                if *window == 0 || *window > columns.len() {
                    let most = columns.len();
                    return Err(DemandError::invalid(
                        format!("windows of {window} columns do not fit into {most}"),
                        format!("give a number from 1 to {most}"),
                    ));
                }
                Reader::leaf(NumberInEach {
                    class: class.clone(),
                    rows,
                    columns,
                    window: *window,
                    least: *least,
                    most: *most,
                })
            }
            Demand::Profile {
                class,
                area,
                sections,
            } => {
                sections
                    .iter()
                    .try_for_each(|&(least, most)| check_range(least, most))?;
                let area = self.sections(area, sections.len())?;
                Reader::leaf(Profile::new(class.clone(), area, sections.clone()))
            }
            Demand::Rising {
                class,
                area,
                sections,
            } => {
                let area = self.sections(area, *sections)?;
                Reader::leaf(RisingProfile::new(class.clone(), area, *sections))
            }
            Demand::Forbidden(mask) => {
                let pattern = Pattern::try_from(mask).map_err(|_| self.unfit(mask))?;
                let tracker = self.tracker(&pattern, &Area::all())?;
                Reader::leaf(Occurrences {
                    tracker,
                    least: 0,
                    most: Some(0),
                })
            }
            Demand::Occurs {
                pattern,
                area,
                least,
                most,
            } => {
                check_range(*least, most.unwrap_or(usize::MAX))?;
                Reader::leaf(Occurrences {
                    tracker: self.tracker(pattern, area)?,
                    least: *least,
                    most: *most,
                })
            }
            Demand::Accompanied {
                each,
                area,
                by,
                rows,
                columns,
            } => {
                if rows.is_empty() || columns.is_empty() {
                    return Err(DemandError::invalid(
                        "a range of rows or columns to look in is empty",
                        "give the smaller number first",
                    ));
                }
                Reader::leaf(Accompanied {
                    each: self.tracker(each, area)?,
                    by: self.tracker(by, &Area::all())?,
                    rows: rows.clone(),
                    columns: columns.clone(),
                    width: self.width,
                })
            }
            Demand::Spaced {
                from,
                to,
                area,
                least,
                most,
            } => {
                check_range(*least, most.unwrap_or(usize::MAX))?;
                Reader::leaf(Spaced {
                    from: self.tracker(from, area)?,
                    to: self.tracker(to, area)?,
                    least: *least,
                    most: *most,
                })
            }
            Demand::Mirrored { area, mirror, by } => {
                let (rows, columns) = self.within(area)?;
                Reader::leaf(Mirrored {
                    rows,
                    columns,
                    mirror: *mirror,
                    by: by.clone(),
                })
            }
            Demand::Repeated { area, period, by } => {
                let (rows, columns) = self.within(area)?;
                if *period == 0 || *period >= columns.len() {
                    let columns = columns.len();
                    return Err(DemandError::invalid(
                        format!("{columns} columns cannot be repeated with a period of {period}"),
                        format!("give a period of at least 1 that is less than {columns}"),
                    ));
                }
                Reader::leaf(Repeated {
                    rows,
                    columns,
                    period: *period,
                    by: by.clone(),
                })
            }
            Demand::ColumnsAmong { area, columns } => {
                let (rows, span) = self.within(area)?;
                let other = columns.iter().find(|column| column.len() != self.height);
                if columns.is_empty() || other.is_some() || rows.len() != self.height {
                    let tiles = other.map_or(rows.len(), Vec::len);
                    let height = self.height;
                    return Err(DemandError::invalid(
                        format!(
                            "columns of {tiles} tiles do not fit into a level of {height} rows"
                        ),
                        "give at least one column with a tile for each row of the level, and do not restrict the rows",
                    ));
                }
                Reader::leaf(ColumnsAmong::new(span, columns))
            }
        }))
    }

    /// Returns the automaton of a demand that is part of a combined demand (`any`, `not`).
    fn combined(&self, demand: &Demand) -> Result<Reader, DemandError> {
        let reader = match demand {
            // A soft demand has an automaton, but cannot be part of another demand, because it does not exclude levels.
            Demand::Preferred { .. } => None,
            demand => self.automaton(demand)?,
        };
        reader.ok_or_else(|| {
            DemandError::invalid(
                format!("\"{demand}\" cannot be chosen, negated or preferred"),
                "demand it by itself",
            )
        })
    }

    fn check_size(&self, mask: &Mask) -> Result<(), DemandError> {
        let expected = (self.height, self.width);
        let size = (mask.height(), mask.width());
        if size == expected {
            return Ok(());
        }
        Err(DemandError::invalid(
            format!(
                "the mask has {} rows of {} columns, but the level has {} rows of {} columns",
                size.0, size.1, expected.0, expected.1
            ),
            "give one character for each cell",
        ))
    }

    fn unfit(&self, mask: &Mask) -> DemandError {
        DemandError::pattern_size((mask.height(), mask.width()), (self.height, self.width))
    }

    fn tracker(&self, pattern: &Pattern, area: &Area) -> Result<PatternTracker, DemandError> {
        let (rows, columns) = self.within(area)?;
        if pattern.height() > rows.len() || pattern.width() > columns.len() {
            return Err(DemandError::pattern_size(
                (pattern.height(), pattern.width()),
                (rows.len(), columns.len()),
            ));
        }
        Ok(PatternTracker::new(pattern.clone(), &rows, &columns))
    }

    fn shaped(
        &self,
        pattern: &Pattern,
        (row, column): (usize, usize),
    ) -> Result<Reader, DemandError> {
        let (end, last) = (
            row.saturating_add(pattern.height()),
            column.saturating_add(pattern.width()),
        );
        if end > self.height || last > self.width {
            return Err(DemandError::pattern_size(
                (pattern.height(), pattern.width()),
                (
                    self.height.saturating_sub(row),
                    self.width.saturating_sub(column),
                ),
            ));
        }
        let form = |classes: &Array2<TileClass>| {
            Reader::leaf(Cells {
                classes: classes.clone(),
                corner: (row, column),
            })
        };
        Ok(match pattern.forms() {
            [one] => form(one),
            forms => Reader::Any(forms.iter().map(form).collect()),
        })
    }

    /// Returns the automaton of the demand that each window of `most` + 1 columns contains a column with ground on which a player can stand.
    fn maximum_gap(&self, most: usize) -> Result<Reader, DemandError> {
        let ground = TileClass::of(self.tiles.tiles().filter(|&tile| is_support(tile)));
        let bottom = Area::all().rows(self.height - 1..);
        if most >= self.width {
            // If gaps may be as wide as the level, every level meets the demand.
            return self.number(&ground, &bottom, (0, usize::MAX));
        }
        let (rows, columns) = self.within(&bottom)?;
        Ok(Reader::leaf(NumberInEach {
            class: ground,
            rows,
            columns,
            window: most + 1,
            least: 1,
            most: usize::MAX,
        }))
    }

    fn number(
        &self,
        class: &TileClass,
        area: &Area,
        (least, most): (usize, usize),
    ) -> Result<Reader, DemandError> {
        check_range(least, most)?;
        let (rows, columns) = self.within(area)?;
        Ok(Reader::leaf(NumberInArea {
            class: class.clone(),
            rows,
            columns,
            least,
            most,
        }))
    }

    fn sections(
        &self,
        area: &Area,
        sections: usize,
    ) -> Result<(Range<usize>, Range<usize>), DemandError> {
        let (rows, columns) = self.within(area)?;
        if sections == 0 || sections > columns.len() {
            let columns = columns.len();
            return Err(DemandError::invalid(
                format!("{columns} columns cannot be divided into {sections} sections"),
                format!("give a number from 1 to {columns}"),
            ));
        }
        Ok((rows, columns))
    }
}

fn check_range(least: usize, most: usize) -> Result<(), DemandError> {
    if least > most {
        return Err(DemandError::invalid(
            format!("no number is from {least} to {most}"),
            "give the smaller number first",
        ));
    }
    Ok(())
}

/// Largest weight of a soft demand on levels; larger weights would be lost in rounding.
const LARGEST_WEIGHT: f64 = 500.0;

fn check_weight(weight: f64) -> Result<(), DemandError> {
    if (0.0..=LARGEST_WEIGHT).contains(&weight) {
        return Ok(());
    }
    Err(DemandError::invalid(
        format!("{weight} cannot be the weight of a demand"),
        format!("give a number from 0 to {LARGEST_WEIGHT}"),
    ))
}
