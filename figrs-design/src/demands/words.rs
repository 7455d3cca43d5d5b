//! Describes demands (requirements on a level) in a few words, for messages.

use std::fmt;

use figrs_core::wording::Counted;

use super::area::Area;
use super::demand::{Demand, Mirror};
use super::mask::Mask;
use crate::{MovementRules, Route};

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seen => f.write_str("no unseen configuration"),
            Self::Pinned(mask) => tiles(f, "pinned", mask),
            Self::Placed(mask) => tiles(f, "placed", mask),
            Self::MaximumGap(most) => write!(f, "no ground gap over {most} columns"),
            Self::Count {
                tile,
                least,
                most: usize::MAX,
            } => write!(f, "{least} or more of {tile}"),
            Self::Count { tile, least, most } => write!(f, "{least} to {most} of {tile}"),
            Self::Forbidden(pattern) => {
                let (height, width) = (pattern.height(), pattern.width());
                write!(f, "a forbidden pattern of {height} by {width}")
            }
            Self::Playable(route) => way(f, route),
            Self::Shaped {
                pattern,
                row,
                column,
            } => {
                let (height, width) = (pattern.height(), pattern.width());
                write!(
                    f,
                    "{height} by {width} cells from row {}, column {}",
                    Counted(*row),
                    Counted(*column)
                )
            }
            Self::Number {
                class,
                area,
                least,
                most,
            } => {
                limits(f, *least, limit(*most))?;
                write!(f, " of {class}{}", Within(area))
            }
            Self::InEach {
                class,
                area,
                columns,
                least,
                most,
            } => {
                limits(f, *least, limit(*most))?;
                write!(f, " of {class} in each {columns} columns{}", Within(area))
            }
            Self::Profile {
                class,
                area,
                sections,
            } => {
                let sections = sections.len();
                write!(
                    f,
                    "a profile of {class} in {sections} sections{}",
                    Within(area)
                )
            }
            Self::Rising {
                class,
                area,
                sections,
            } => write!(
                f,
                "in each of {sections} sections, at least as many {class} as in the section before{}",
                Within(area)
            ),
            Self::Occurs {
                pattern,
                area,
                least,
                most,
            } => {
                limits(f, *least, *most)?;
                write!(f, " times {pattern}{}", Within(area))
            }
            Self::Accompanied { each, by, area, .. } => {
                write!(f, "each place of {each}{} with {by}", Within(area))
            }
            Self::Spaced {
                from,
                to,
                area,
                least,
                most,
            } => {
                limits(f, *least, *most)?;
                write!(f, " columns from {from} to {to}{}", Within(area))
            }
            Self::Mirrored { area, mirror, .. } => {
                let name = match mirror {
                    Mirror::Columns => "left and right",
                    Mirror::Rows => "top and bottom",
                };
                write!(f, "{name} alike{}", Within(area))
            }
            Self::Repeated { area, period, .. } => {
                write!(f, "repeated every {period} columns{}", Within(area))
            }
            Self::ColumnsAmong { area, columns } => {
                let number = columns.len();
                write!(f, "columns from a list of {number}{}", Within(area))
            }
            Self::Any(demands) => {
                f.write_str("one of (")?;
                for (place, demand) in demands.iter().enumerate() {
                    let comma = if place > 0 { "; " } else { "" };
                    write!(f, "{comma}{demand}")?;
                }
                f.write_str(")")
            }
            Self::Not(demand) => write!(f, "not ({demand})"),
            Self::Preferred { demand, weight } => write!(f, "preferably, by {weight}, ({demand})"),
            Self::Near { drawing, cost } => {
                let cells = drawing.tiles().count();
                write!(
                    f,
                    "near a drawing of {cells} tiles, with the cost {cost} for each difference"
                )
            }
        }
    }
}

fn way(f: &mut fmt::Formatter<'_>, route: &Route) -> fmt::Result {
    if route.rules() == MovementRules::platformer() {
        f.write_str("playable from left to right")?;
    } else {
        write!(f, "playable by {}", route.rules().movement())?;
    }
    for (place, area) in route.areas().iter().enumerate() {
        let then = if place == 0 { "through" } else { "then" };
        write!(f, ", {then} {area}")?;
    }
    Ok(())
}

struct Within<'a>(&'a Area);

impl fmt::Display for Within<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self.0 == Area::all() {
            return Ok(());
        }
        write!(f, " in {}", self.0)
    }
}

fn limit(most: usize) -> Option<usize> {
    Some(most).filter(|&most| most < usize::MAX)
}

fn limits(f: &mut fmt::Formatter<'_>, least: usize, most: Option<usize>) -> fmt::Result {
    match most {
        Some(most) if least == most => write!(f, "{least}"),
        Some(most) => write!(f, "{least} to {most}"),
        None => write!(f, "{least} or more"),
    }
}

fn tiles(f: &mut fmt::Formatter<'_>, how: &str, mask: &Mask) -> fmt::Result {
    let columns = || mask.tiles().map(|(_, column, _)| column);
    match (columns().min(), columns().max()) {
        (Some(first), Some(last)) => {
            let tiles = columns().count();
            let noun = if tiles == 1 { "tile" } else { "tiles" };
            write!(f, "{tiles} {how} {noun} in ")?;
            if first == last {
                write!(f, "column {}", Counted(first))
            } else {
                write!(f, "columns {} to {}", Counted(first), Counted(last))
            }
        }
        _ => write!(f, "no {how} tiles"),
    }
}
