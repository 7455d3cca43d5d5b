//! Reads those demands of a design file that require a second pattern beside each occurrence of a pattern.

use std::ops::RangeInclusive;

use figrs_reading::FileError;
use serde_json::Value;

use super::keys::Entry;
use super::numbers::{RANGE, numbers};
use super::verbs::Designer;
use crate::demands::demand::Demand;

impl Designer<'_> {
    /// Reads the demand (a requirement on a level) that each occurrence of a pattern has an occurrence of another pattern beside it. A design file
    /// counts distances between the edges of patterns: 1 means directly beside each other.
    pub(super) fn each(&self, entry: &Entry, value: &Value) -> Result<Demand, FileError> {
        let each = self.words.pattern(entry, "each", value)?;
        let by = self
            .words
            .pattern(entry, "has", entry.need("each", "has")?)?;
        let anywhere = entry.flag("anywhere")?;
        let far = self.size.0.max(self.size.1) as isize;
        let side = |key: &str| -> Result<Option<(isize, isize)>, FileError> {
            let range = entry.read(key, RANGE, numbers)?;
            Ok(range.map(|(least, most)| {
                let most = most.map_or(far, |most| most.min(far as usize) as isize);
                (least.min(far as usize + 1) as isize, most)
            }))
        };
        // Converts distances between edges to shifts between the first cells of two patterns.
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
        if right.is_some() && left.is_some() {
            return Err(entry.two_kinds("right", "left"));
        }
        if below.is_some() && above.is_some() {
            return Err(entry.two_kinds("below", "above"));
        }
        let columns = along(right, left, each.width(), by.width());
        let rows = along(below, above, each.height(), by.height());
        if columns.is_none() && rows.is_none() && !anywhere {
            return Err(entry.missing("each", "right, left, above, below or anywhere = true"));
        }
        Ok(Demand::Accompanied {
            rows: rows.unwrap_or_else(|| overlap(each.height(), by.height())),
            columns: columns.unwrap_or_else(|| overlap(each.width(), by.width())),
            area: self.area(entry)?,
            each,
            by,
        })
    }
}
