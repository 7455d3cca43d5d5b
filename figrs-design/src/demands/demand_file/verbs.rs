//! Reads each demand of a design file by calling the function for the demand's kind.

use figrs_reading::{FileError, MistakeKind};
use serde_json::Value;

use super::keys::Entry;
use super::kinds::kind_of;
use super::legend::Words;
use super::numbers::{POSITIONS, RANGE, numbers, positions};
use crate::MovementRules;
use crate::demands::area::Area;
use crate::demands::demand::{Demand, Mirror};
use figrs_models::mdmc::{TileClass, Travel};

/// Reads the demands of a design file on upright levels or boards of one size.
#[derive(Clone, Copy)]
pub(super) struct Designer<'a> {
    pub(super) words: &'a Words<'a>,
    pub(super) travel: Travel,
    pub(super) rules: Option<&'a MovementRules>,
    pub(super) size: (usize, usize),
    pub(super) scope: Scope,
}

/// The kind of object to which the demands of the file apply: levels or boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Levels,
    Boards,
}

/// The kinds and keys of demands that apply to levels only, because they concern trained models, the ends of levels, or players.
const OF_LEVELS: [&str; 10] = [
    "playable",
    "pass",
    "seen",
    "max_gap",
    "start",
    "end",
    "place",
    "like",
    "lines_like",
    "prefer",
];

impl Designer<'_> {
    /// Reads the demand on upright levels that the file's entry `entry` states.
    pub(super) fn demanded(&self, entry: &Entry) -> Result<Demand, FileError> {
        let kind = kind_of(entry)?;
        let mut of_levels = OF_LEVELS.iter().copied();
        if self.scope == Scope::Boards
            && let Some(key) = of_levels.find(|&key| key == kind || entry.has(key))
        {
            return Err(entry.mistake(
                MistakeKind::Unsupported,
                format!("boards do not support {key}"),
                "use forbid, require, count, each, between, mirror, repeat, pin, path, any, not or if",
            ));
        }
        if matches!(kind, "playable" | "seen") {
            if !entry.flag(kind)? {
                let expected = "true, or leave the demand out";
                return Err(entry.wrong(kind, &entry.keys()[kind], expected));
            }
            return Ok(match kind {
                "seen" => Demand::Seen,
                _ => Demand::Playable(self.route(entry)?),
            });
        }
        let demand = self.demand(entry, kind)?;
        Ok(match entry.weight("prefer")? {
            Some(weight) => demand.preferred(weight),
            None => demand,
        })
    }

    fn demand(&self, entry: &Entry, kind: &'static str) -> Result<Demand, FileError> {
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
            "pass" => self.pass(entry, value),
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

    fn inner(&self, entry: &Entry, key: &str, value: &Value) -> Result<Demand, FileError> {
        self.demanded(&entry.inner(key, value)?)
    }

    pub(super) fn area(&self, entry: &Entry) -> Result<Area, FileError> {
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

    fn by(&self, entry: &Entry) -> Result<Option<TileClass>, FileError> {
        let place = format!("{}, by", entry.place());
        let by = entry.get("by");
        by.map(|class| self.words.class(&place, class)).transpose()
    }
}
