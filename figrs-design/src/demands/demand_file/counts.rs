//! Reads the demands of a design file on the number of tiles in areas, windows and sections, and on shares of cells.

use figrs_reading::FileError;
use serde_json::Value;

use super::keys::Entry;
use super::numbers::{RANGE, numbers, shares};
use super::verbs::Designer;
use crate::DemandError;
use crate::demands::area::Area;
use crate::demands::demand::Demand;
use figrs_models::mdmc::TileClass;
use figrs_models::shares::whole_numbers;

impl Designer<'_> {
    pub(super) fn count(&self, entry: &Entry, value: &Value) -> Result<Demand, FileError> {
        let place = format!("{}, count", entry.place());
        let class = self.words.class(&place, value)?;
        let area = self.area(entry)?;
        let kinds = ["sections", "share", "number"];
        let kind = kinds.into_iter().find(|key| entry.has(key));
        let idle: &[&str] = match kind {
            Some("sections") => &["share", "number", "in_each"],
            Some("share") => &["number", "in_each", "rising"],
            _ => &["rising"],
        };
        if let (Some(kind), Some(key)) = (kind, idle.iter().find(|key| entry.has(key))) {
            return Err(entry.idle(key, kind));
        }
        if let Some(sections) = entry.get("sections") {
            return Self::sections(entry, sections, class, area);
        }
        if let Some((low, high)) = entry.read("share", "a share, as \"1%..5%\"", shares)? {
            let (rows, columns) = area.within(self.size).map_err(|error| entry.unfit(error))?;
            let cells = rows.len() * columns.len();
            let (least, most) = match whole_numbers(low, high, cells) {
                // A single share stands for the nearest whole number of tiles.
                (least, most) if least > most && low >= high => {
                    let nearest = (low * cells as f64).round() as usize;
                    (nearest, nearest)
                }
                (least, most) if least > most => {
                    return Err(entry.unfit(DemandError::invalid(
                        format!(
                            "no whole number of {cells} cells has a share from {low} to {high}"
                        ),
                        "widen the range, or give a single share",
                    )));
                }
                both => both,
            };
            return Ok(Demand::Number {
                class,
                area,
                least,
                most,
            });
        }
        if !entry.has("number") {
            return Err(entry.missing("count", "number, share or sections"));
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
    ) -> Result<Demand, FileError> {
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
        let sections = sections.collect::<Result<_, FileError>>()?;
        Ok(Demand::Profile {
            class,
            area,
            sections,
        })
    }
}
