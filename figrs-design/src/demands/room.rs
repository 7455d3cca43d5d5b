//! Computes upper bounds on the number of occurrences of a pattern in an area, by arithmetic on columns.

use std::ops::{Range, RangeInclusive};

use figrs_models::mdmc::{Tile, TileClass};
use ndarray::Array2;

use super::area::Area;
use super::demand::Demand;
use super::demanded_level::DemandedLevel;
use super::pattern::Pattern;
use super::proof::Conflict;

/// Maximum number of comparisons of cells to find which occurrences of a pattern can overlap; if more comparisons are needed, any two occurrences are
/// assumed to be able to overlap.
const COMPARED: usize = 10_000_000;

/// An area in which a demand requires a pattern, with the smallest number of occurrences that it requires.
struct NeededPlaces {
    pattern: Pattern,
    rows: Range<usize>,
    columns: Range<usize>,
    least: usize,
    /// Column at which a level with too few occurrences of the pattern certainly fails the demand, or a range that contains this column.
    fails: RangeInclusive<usize>,
}

impl NeededPlaces {
    fn new(demand: &Demand, size: (usize, usize)) -> Option<Self> {
        let places = |pattern: Pattern, area: &Area, least: usize| {
            let (rows, columns) = area.within(size).ok()?;
            Some(Self {
                fails: columns.start..=columns.end - 1,
                pattern,
                rows,
                columns,
                least,
            })
        };
        let of_class = |class: &TileClass, area: &Area, least: usize| {
            places(Pattern::cell(class.clone()).ok()?, area, least)
        };
        match demand {
            Demand::Occurs {
                pattern,
                area,
                least,
                ..
            } => places(pattern.clone(), area, *least).map(|needed| Self {
                // Occurrences are counted up to the end of the area, so levels with too few occurrences fail in the last column of the area.
                fails: *needed.fails.end()..=*needed.fails.end(),
                ..needed
            }),
            Demand::Count { tile, least, .. } => of_class(&(*tile).into(), &Area::all(), *least),
            Demand::Number {
                class, area, least, ..
            } => of_class(class, area, *least),
            Demand::InEach {
                class,
                area,
                columns,
                least,
                ..
            } => {
                let needed = of_class(class, area, *least)?;
                let end = needed.columns.start.checked_add(*columns)?;
                (*columns > 0 && end <= needed.columns.end).then(|| Self {
                    columns: needed.columns.start..end,
                    fails: needed.columns.start..=end - 1,
                    ..needed
                })
            }
            _ => None,
        }
    }

    /// Returns the largest number of occurrences of the pattern that fit into the area if occurrences in different columns begin at least `apart`
    /// columns from one another.
    fn fit(&self, apart: usize, possible: &[Vec<Tile>]) -> usize {
        let (wide, high) = (self.pattern.width(), self.pattern.height());
        if self.columns.len() < wide || self.rows.len() < high {
            return 0;
        }
        let columns = (self.columns.len() - wide) / apart.max(1) + 1;
        columns.saturating_mul(most_in_a_column(
            &self.pattern,
            &possible[self.rows.clone()],
        ))
    }

    /// True if a demand on the distance from the pattern `from` to the pattern `to` in `area` applies to all occurrences that another demand
    /// requires.
    fn are_spaced_by(&self, (from, to): (&Pattern, &Pattern), area: &Area) -> bool {
        let contains = |row, column| area.contains(row, column);
        let is_inside = contains(self.rows.start, self.columns.start)
            && contains(self.rows.end - 1, self.columns.end - 1);
        is_inside && is_part(&self.pattern, from) && is_part(&self.pattern, to)
    }
}

fn is_part(pattern: &Pattern, other: &Pattern) -> bool {
    let mut forms = pattern.forms().iter();
    forms.all(|form| other.forms().contains(form))
}

/// Returns an upper bound on the number of occurrences of `pattern` that begin in a single column, given the possible tiles of each row.
fn most_in_a_column(pattern: &Pattern, possible: &[Vec<Tile>]) -> usize {
    let (forms, high) = (pattern.forms(), pattern.height());
    let tops = possible.len() + 1 - high;
    let pairs = tops.saturating_mul(high * forms.len().saturating_pow(2));
    let is_compared = pairs.saturating_mul(forms[0].len()) <= COMPARED;
    // For each top row and form, the largest number of occurrences in a column whose lowest occurrence has this top row and form; 0 if the possible
    // tiles do not allow the form there.
    let mut numbers: Vec<Vec<usize>> = Vec::new();
    // The largest number of occurrences that end above a row.
    let mut above = 0;
    for top in 0..tops {
        above = top.checked_sub(high).map_or(0, |end| {
            let ended = numbers[end].iter().copied().max();
            above.max(ended.unwrap_or(0))
        });
        let ends = forms.iter().map(|form| {
            if !stand_together(form, None, &possible[top..]) {
                return 0;
            }
            let overlapping = (top.saturating_sub(high - 1)..top).flat_map(|other| {
                let numbers = &numbers[other];
                let fits = move |&number: &usize| {
                    let below = Some((form, top - other));
                    numbers[number] > 0
                        && (!is_compared
                            || stand_together(&forms[number], below, &possible[other..]))
                };
                (0..forms.len())
                    .filter(fits)
                    .map(move |number| numbers[number])
            });
            1 + overlapping.max().unwrap_or(0).max(above)
        });
        let ends = ends.collect();
        numbers.push(ends);
    }
    numbers.into_iter().flatten().max().unwrap_or(0)
}

/// True if the possible tiles of the rows allow two forms of the pattern at the same time in the same columns: `form` at the top, and another form
/// `below.1` rows lower.
fn stand_together(
    form: &Array2<TileClass>,
    below: Option<(&Array2<TileClass>, usize)>,
    possible: &[Vec<Tile>],
) -> bool {
    form.indexed_iter().all(|((row, column), class)| {
        let other = below.and_then(|(other, down)| other.get((row.checked_sub(down)?, column)));
        possible[row]
            .iter()
            .any(|&tile| class.contains(tile) && other.is_none_or(|other| other.contains(tile)))
    })
}

/// Returns demands that require more occurrences of a pattern than fit into an area; a distance that another demand requires between occurrences is
/// taken into account.
///
/// The levels of a model have only tiles that are possible in their rows, so a conflict that follows from the bound on occurrences holds for the
/// model.
pub(super) fn of_places(demanded: &DemandedLevel) -> Option<Conflict> {
    let size = (demanded.height(), demanded.width());
    let demands = || demanded.demands().enumerate();
    let needed = demands().filter_map(|(number, demand)| {
        let places = NeededPlaces::new(demand, size)?;
        (places.least > 0).then_some((number, places))
    });
    let needed: Vec<(usize, NeededPlaces)> = needed.collect();
    if needed.is_empty() {
        return None;
    }
    let possible = possible_tiles(demanded);
    let is_too_many = |places: &NeededPlaces, apart| places.least > places.fit(apart, &possible);
    let conflict = |demands: Vec<usize>, places: &NeededPlaces| Conflict {
        columns: places.fails.clone(),
        ..Conflict::at(0, demands)
    };
    needed.iter().find_map(|(number, places)| {
        if is_too_many(places, 1) {
            return Some(conflict(vec![*number], places));
        }
        let mut spaced = demands().filter_map(|(number, demand)| match demand {
            Demand::Spaced {
                from,
                to,
                area,
                least,
                ..
            } if places.are_spaced_by((from, to), area) => Some((number, *least)),
            _ => None,
        });
        let (other, _) = spaced.find(|&(_, apart)| is_too_many(places, apart))?;
        let demands = vec![other.min(*number), other.max(*number)];
        Some(conflict(demands, places))
    })
}

/// Returns the possible tiles of each row of a level, including tiles that demands place in the row.
fn possible_tiles(demanded: &DemandedLevel) -> Vec<Vec<Tile>> {
    let program = demanded.level_model().program();
    let mut possible: Vec<Vec<Tile>> = (0..demanded.height())
        .map(|row| program.possible(row))
        .collect();
    for demand in demanded.demands() {
        if let Demand::Placed(mask) = demand {
            for (row, _, tile) in mask.tiles() {
                if !possible[row].contains(&tile) {
                    possible[row].push(tile);
                }
            }
        }
    }
    possible
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> Pattern {
        let pattern = Pattern::drawn(text, |symbol| match symbol {
            '_' => Some(TileClass::any()),
            symbol => Tile::platformer(symbol).map(TileClass::from),
        });
        pattern.unwrap()
    }

    fn stacked(text: &str, rows: usize) -> usize {
        let tiles: Vec<Tile> = ['<', '>', '[', ']', 'X'].map(tile).to_vec();
        most_in_a_column(&drawn(text), &vec![tiles; rows])
    }

    fn tile(symbol: char) -> Tile {
        Tile::platformer(symbol).unwrap()
    }

    #[test]
    fn places_in_a_column_overlap_only_where_their_tiles_agree() {
        assert_eq!(stacked("<>\n[]", 7), 3);
        assert_eq!(stacked("X\nX", 7), 6);
        assert_eq!(stacked("E", 7), 0);
    }

    /// The test compares the upper bound on occurrences with the largest number found among all possible columns of two kinds of tiles.
    #[test]
    fn no_column_has_more_places_than_the_bound() {
        let kinds = [tile('X'), tile('<')];
        for text in ["X\n<", "X\nX", "X\n_\n<", "<\nX\n<"] {
            let pattern = drawn(text);
            let form = &pattern.forms()[0];
            for rows in pattern.height()..9 {
                let number = |column: u32| {
                    let tops = 0..=rows - pattern.height();
                    let stands = |top: &usize| {
                        let mut cells = form.indexed_iter();
                        cells.all(|((row, _), class)| {
                            class.contains(kinds[(column >> (top + row) & 1) as usize])
                        })
                    };
                    tops.filter(stands).count()
                };
                let most = (0..1 << rows).map(number).max().unwrap();
                let bound = most_in_a_column(&pattern, &vec![kinds.to_vec(); rows]);
                assert!(bound >= most, "{text} in {rows} rows: {bound} < {most}");
            }
        }
    }
}
