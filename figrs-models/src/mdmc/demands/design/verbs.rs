//! Kinds of demands, each with the keys that it takes.

use std::ops::RangeInclusive;

use ndarray::Array2;
use serde_json::Value;

use super::design_error::DesignError;
use super::keys::Entry;
use super::legend::Words;
use super::numbers::{numbers, positions, shares};
use crate::mdmc::demands::area::Area;
use crate::mdmc::demands::demand::{Demand, Mirror};
use crate::mdmc::demands::mask::Mask;
use crate::mdmc::demands::pattern::Pattern;
use crate::mdmc::{DemandError, Meaning, Tile, TileClass, Travel};
use crate::shares::whole_numbers;

/// The kinds, each with the other keys that it takes.
const KINDS: [(&str, &[&str]); 20] = [
    ("forbid", &["rows", "columns", "prefer"]),
    ("require", &["times", "rows", "columns", "prefer"]),
    (
        "count",
        &[
            "number", "share", "in_each", "sections", "rising", "rows", "columns", "prefer",
        ],
    ),
    (
        "each",
        &[
            "has", "right", "left", "above", "below", "anywhere", "rows", "columns", "prefer",
        ],
    ),
    ("between", &["distance", "rows", "columns", "prefer"]),
    ("mirror", &["by", "rows", "columns", "prefer"]),
    ("repeat", &["by", "rows", "columns", "prefer"]),
    ("pin", &["at", "prefer"]),
    ("place", &["at"]),
    ("start", &["prefer"]),
    ("end", &["prefer"]),
    ("path", &["through", "prefer"]),
    ("like", &["cost", "at"]),
    ("lines_like", &["rows", "columns", "prefer"]),
    ("max_gap", &["prefer"]),
    ("any", &["prefer"]),
    ("not", &["prefer"]),
    ("if", &["then", "prefer"]),
    ("playable", &[]),
    ("seen", &[]),
];

const RANGE: &str = "a number, or a range as \"2..5\" or \"2..\"";
const POSITIONS: &str = "a position, or a range as \"3..8\" (8 is not in it) or \"50%..\"";

/// Reads demands on upright levels of some size.
#[derive(Clone, Copy)]
pub(super) struct Designer<'a> {
    pub(super) words: &'a Words<'a>,
    pub(super) travel: Travel,
    /// Rows and columns.
    pub(super) size: (usize, usize),
}

impl Designer<'_> {
    /// The demands of an entry, in the frame of upright levels.
    pub(super) fn demands(&self, entry: &Entry) -> Result<Vec<Demand>, DesignError> {
        let kind = kind_of(entry)?;
        let switch = match kind {
            "playable" => Some(Demand::Playable),
            "seen" => Some(Demand::Seen),
            _ => None,
        };
        if let Some(demand) = switch {
            return Ok(entry.flag(kind)?.then_some(demand).into_iter().collect());
        }
        let demand = self.demand(entry, kind)?;
        Ok(vec![match entry.weight("prefer")? {
            Some(weight) => demand.preferred(weight),
            None => demand,
        }])
    }

    fn demand(&self, entry: &Entry, kind: &'static str) -> Result<Demand, DesignError> {
        let value = entry.need(kind, kind)?;
        match kind {
            "forbid" => {
                let pattern = self.words.pattern(entry, kind, value)?;
                Ok(Demand::forbidden(pattern, self.area(entry)?))
            }
            "require" => {
                let (least, most) = entry.read("times", RANGE, numbers)?.unwrap_or((1, None));
                Ok(Demand::Occurs {
                    pattern: self.words.pattern(entry, kind, value)?,
                    area: self.area(entry)?,
                    least,
                    most,
                })
            }
            "count" => self.count(entry, value),
            "each" => self.each(entry, value),
            "between" => {
                let Some([from, to]) = value.as_array().map(Vec::as_slice) else {
                    return Err(entry.wrong(kind, value, "two patterns, as [\"pipe\", \"pipe\"]"));
                };
                let (least, most) = numbers(entry.need(kind, "distance")?)
                    .ok_or_else(|| entry.wrong("distance", &entry.keys()["distance"], RANGE))?;
                Ok(Demand::Spaced {
                    from: self.words.pattern(entry, kind, from)?,
                    to: self.words.pattern(entry, kind, to)?,
                    area: self.area(entry)?,
                    least,
                    most,
                })
            }
            "mirror" => {
                let mirror = match value.as_str() {
                    Some("left-right") => Mirror::Columns,
                    Some("top-bottom") => Mirror::Rows,
                    _ => return Err(entry.wrong(kind, value, "\"left-right\" or \"top-bottom\"")),
                };
                Ok(Demand::Mirrored {
                    area: self.area(entry)?,
                    mirror,
                    by: self.by(entry)?,
                })
            }
            "repeat" => Ok(Demand::Repeated {
                area: self.area(entry)?,
                period: entry.whole(kind)?.unwrap_or(0),
                by: self.by(entry)?,
            }),
            "pin" => {
                let (row, column) = Self::at(entry)?;
                let pattern = self.words.pattern(entry, kind, value)?;
                Ok(Demand::Shaped {
                    pattern,
                    row,
                    column,
                })
            }
            "start" | "end" => {
                let pattern = self.words.pattern(entry, kind, value)?;
                let (row, column) = self.edge(entry, &pattern, kind == "end")?;
                Ok(Demand::Shaped {
                    pattern,
                    row,
                    column,
                })
            }
            "place" => Ok(Demand::Placed(self.drawing(entry, kind, value)?)),
            "like" => Ok(Demand::Near {
                drawing: self.drawing(entry, kind, value)?,
                cost: entry.weight("cost")?.unwrap_or(1.0),
            }),
            "path" => self.path(entry, value),
            "lines_like" => self.lines(entry, value),
            "max_gap" => Ok(Demand::MaximumGap(entry.whole(kind)?.unwrap_or(0))),
            "any" => {
                let list = value.as_array();
                let list = list.ok_or_else(|| entry.wrong(kind, value, "a list of demands"))?;
                let inner = list.iter().map(|one| self.inner(entry, kind, one));
                Ok(Demand::Any(inner.collect::<Result<_, _>>()?))
            }
            "not" => Ok(Demand::Not(Box::new(self.inner(entry, kind, value)?))),
            _ => {
                let then = entry.need("if", "then")?;
                Ok(self
                    .inner(entry, "if", value)?
                    .implies(self.inner(entry, "then", then)?))
            }
        }
    }

    /// A single demand within another.
    fn inner(&self, entry: &Entry, key: &str, value: &Value) -> Result<Demand, DesignError> {
        let inner = entry.inner(key, value)?;
        let mut demands = self.demands(&inner)?;
        let demand = demands.pop();
        demand.ok_or_else(|| entry.wrong(key, value, "a demand that is not false"))
    }

    fn count(&self, entry: &Entry, value: &Value) -> Result<Demand, DesignError> {
        let place = format!("{}, count", entry.place());
        let class = self.words.class(&place, value)?;
        let area = self.area(entry)?;
        if let Some(sections) = entry.get("sections") {
            return Self::sections(entry, sections, class, area);
        }
        if let Some((low, high)) = entry.read("share", "a share, as \"1%..5%\"", shares)? {
            let (rows, columns) = area.within(self.size).map_err(|error| entry.unfit(error))?;
            let (least, most) = whole_numbers(low, high, rows.len() * columns.len());
            return Ok(Demand::Number {
                class,
                area,
                least,
                most,
            });
        }
        if !entry.has("number") {
            return Err(DesignError::Missing {
                place: entry.place().to_owned(),
                kind: "count",
                key: "number, share or sections",
            });
        }
        let (least, most) = entry.read("number", RANGE, numbers)?.unwrap_or((0, None));
        let most = most.unwrap_or(usize::MAX);
        Ok(match entry.whole("in_each")? {
            Some(columns) => Demand::InEach {
                class,
                area,
                columns,
                least,
                most,
            },
            None => Demand::Number {
                class,
                area,
                least,
                most,
            },
        })
    }

    fn sections(
        entry: &Entry,
        value: &Value,
        class: TileClass,
        area: Area,
    ) -> Result<Demand, DesignError> {
        if entry.flag("rising")? {
            let sections = entry.whole("sections")?.unwrap_or(0);
            return Ok(Demand::Rising {
                class,
                area,
                sections,
            });
        }
        let expected =
            "a list of numbers, as [\"0..1\", 2, \"3..\"], or a number with rising = true";
        let list = value.as_array();
        let list = list.ok_or_else(|| entry.wrong("sections", value, expected))?;
        let sections = list.iter().map(|section| {
            let (least, most) =
                numbers(section).ok_or_else(|| entry.wrong("sections", section, RANGE))?;
            Ok((least, most.unwrap_or(usize::MAX)))
        });
        let sections = sections.collect::<Result<_, DesignError>>()?;
        Ok(Demand::Profile {
            class,
            area,
            sections,
        })
    }

    /// Distances are from edge to edge: 1 is directly beside.
    fn each(&self, entry: &Entry, value: &Value) -> Result<Demand, DesignError> {
        let each = self.words.pattern(entry, "each", value)?;
        let by = self
            .words
            .pattern(entry, "has", entry.need("each", "has")?)?;
        let anywhere = entry.flag("anywhere")?;
        let far = self.size.0.max(self.size.1) as isize;
        let side = |key: &str| -> Result<Option<(isize, isize)>, DesignError> {
            let range = entry.read(key, RANGE, numbers)?;
            Ok(range.map(|(least, most)| {
                let most = most.map_or(far, |most| most.min(far as usize) as isize);
                (least.min(far as usize + 1) as isize, most)
            }))
        };
        // Offsets of the first cell of the other, from those of edges.
        let along = |after: Option<(isize, isize)>, before, own: usize, other: usize| {
            let (own, other) = (own as isize, other as isize);
            match (after, before) {
                (Some((least, most)), None) => Some(own - 1 + least..=own - 1 + most),
                (None, Some((least, most))) => {
                    let (least, most): (isize, isize) = (least, most);
                    Some(1 - other - most..=1 - other - least)
                }
                _ => None,
            }
        };
        let overlap = |own: usize, other: usize| -> RangeInclusive<isize> {
            if anywhere {
                -far..=far
            } else {
                1 - other as isize..=own as isize - 1
            }
        };
        let (right, left) = (side("right")?, side("left")?);
        let (below, above) = (side("below")?, side("above")?);
        let two = |one, other| DesignError::TwoKinds {
            place: entry.place().to_owned(),
            one,
            other,
        };
        if right.is_some() && left.is_some() {
            return Err(two("right", "left"));
        }
        if below.is_some() && above.is_some() {
            return Err(two("below", "above"));
        }
        let columns = along(right, left, each.width(), by.width());
        let rows = along(below, above, each.height(), by.height());
        if columns.is_none() && rows.is_none() && !anywhere {
            return Err(DesignError::Missing {
                place: entry.place().to_owned(),
                kind: "each",
                key: "right, left, above, below or anywhere = true",
            });
        }
        Ok(Demand::Accompanied {
            rows: rows.unwrap_or_else(|| overlap(each.height(), by.height())),
            columns: columns.unwrap_or_else(|| overlap(each.width(), by.width())),
            area: self.area(entry)?,
            each,
            by,
        })
    }

    /// Straight lines from cell to cell are free.
    fn path(&self, entry: &Entry, value: &Value) -> Result<Demand, DesignError> {
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
            return Err(entry.unfit(DemandError::Cell { row, column }));
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

    /// The lines of a drawing across the level.
    fn lines(&self, entry: &Entry, value: &Value) -> Result<Demand, DesignError> {
        const TILES: &str =
            "a drawing of tiles as high as the level (as wide, if it is played upwards)";
        let drawn = value.as_str().map(|text| self.words.drawn(text));
        let drawn = drawn.ok_or_else(|| entry.wrong("lines_like", value, TILES))?;
        let drawn = drawn.map_err(|error| entry.unfit(error))?;
        let cells = self.travel.turned_cells(&drawn.forms()[0]);
        let tile = |class: &TileClass| self.single(class);
        let column = |column: ndarray::ArrayView1<'_, TileClass>| {
            column.iter().map(tile).collect::<Option<Vec<Tile>>>()
        };
        let columns = cells.columns().into_iter().map(column);
        let columns = columns.collect::<Option<Vec<Vec<Tile>>>>();
        // The area is that of whole lines, in the frame of models.
        let (rows, along) = self
            .area(entry)?
            .within(self.size)
            .map_err(|error| entry.unfit(error))?;
        let along = match self.travel {
            Travel::Right => along,
            Travel::Up => self.size.0 - rows.end..self.size.0 - rows.start,
        };
        Ok(Demand::ColumnsAmong {
            area: Area::all().columns(along),
            columns: columns.ok_or_else(|| entry.wrong("lines_like", value, TILES))?,
        })
    }

    /// The tile of a class that has one.
    fn single(&self, class: &TileClass) -> Option<Tile> {
        let mut tiles = self.words.tiles().tiles();
        tiles.find(|&tile| *class == TileClass::from(tile))
    }

    fn area(&self, entry: &Entry) -> Result<Area, DesignError> {
        let (height, width) = self.size;
        let rows = entry.read("rows", POSITIONS, |value| positions(value, height))?;
        let columns = entry.read("columns", POSITIONS, |value| positions(value, width))?;
        let mut area = Area::all();
        if let Some(rows) = rows {
            area = area.rows(rows);
        }
        if let Some(columns) = columns {
            area = area.columns(columns);
        }
        Ok(area)
    }

    fn by(&self, entry: &Entry) -> Result<Option<TileClass>, DesignError> {
        let place = format!("{}, by", entry.place());
        let by = entry.get("by");
        by.map(|class| self.words.class(&place, class)).transpose()
    }

    /// The cell at which a drawing begins.
    fn at(entry: &Entry) -> Result<(usize, usize), DesignError> {
        let at = entry.read(
            "at",
            "the row and column of its first cell, as [9, 0]",
            cell,
        )?;
        Ok(at.unwrap_or((0, 0)))
    }

    /// The cell at which a drawing at the start or end of a level begins.
    fn edge(
        &self,
        entry: &Entry,
        pattern: &Pattern,
        is_end: bool,
    ) -> Result<(usize, usize), DesignError> {
        let (rows, columns) = (
            self.size.0.checked_sub(pattern.height()),
            self.size.1.checked_sub(pattern.width()),
        );
        // Drawings lie on the bottom, and begin at the left.
        let (bottom, right) = rows.zip(columns).ok_or_else(|| {
            entry.unfit(DemandError::Pattern {
                size: (pattern.height(), pattern.width()),
                level: self.size,
            })
        })?;
        Ok(match (self.travel, is_end) {
            (Travel::Right | Travel::Up, false) => (bottom, 0),
            (Travel::Right, true) => (bottom, right),
            (Travel::Up, true) => (0, 0),
        })
    }

    /// A drawing of tiles as a mask of the level's size.
    fn drawing(&self, entry: &Entry, key: &str, value: &Value) -> Result<Mask, DesignError> {
        const TILES: &str = "a drawing of tiles, without letters of the [legend]";
        let pattern = self.words.pattern(entry, key, value)?;
        let (top, left) = Self::at(entry)?;
        let (height, width) = self.size;
        let mut mask = Mask::free(height, width);
        let [form] = pattern.forms() else {
            return Err(entry.wrong(key, value, TILES));
        };
        if top.saturating_add(form.nrows()) > height || left.saturating_add(form.ncols()) > width {
            return Err(entry.unfit(DemandError::Pattern {
                size: form.dim(),
                level: (height.saturating_sub(top), width.saturating_sub(left)),
            }));
        }
        for ((row, column), class) in form.indexed_iter() {
            if !class.is_any() {
                let tile = self.single(class);
                let tile = tile.ok_or_else(|| entry.wrong(key, value, TILES))?;
                mask.set(top + row, left + column, tile);
            }
        }
        Ok(mask)
    }
}

/// The row and column of a cell.
fn cell(value: &Value) -> Option<(usize, usize)> {
    let [row, column] = value.as_array()?.as_slice() else {
        return None;
    };
    Some((row.as_u64()? as usize, column.as_u64()? as usize))
}

/// The kind of a demand, which takes all its other keys.
fn kind_of(entry: &Entry) -> Result<&'static str, DesignError> {
    let place = || entry.place().to_owned();
    let mut kinds = KINDS.iter().filter(|(kind, _)| entry.has(kind));
    let Some(&(kind, takes)) = kinds.next() else {
        let keys: Vec<&str> = entry.keys().keys().map(String::as_str).collect();
        let names = KINDS.iter().map(|&(kind, _)| kind);
        return Err(DesignError::NoKind {
            place: place(),
            keys: if keys.is_empty() {
                "no keys".to_owned()
            } else {
                keys.join(", ")
            },
            kinds: names.collect::<Vec<_>>().join(", "),
        });
    };
    if let Some(&(other, _)) = kinds.next() {
        return Err(DesignError::TwoKinds {
            place: place(),
            one: kind,
            other,
        });
    }
    let stranger = entry
        .keys()
        .keys()
        .find(|key| *key != kind && !takes.contains(&key.as_str()));
    match stranger {
        None => Ok(kind),
        Some(key) => Err(DesignError::Key {
            place: place(),
            key: key.clone(),
            kind,
            known: if takes.is_empty() {
                "no other".to_owned()
            } else {
                takes.join(", ")
            },
        }),
    }
}
