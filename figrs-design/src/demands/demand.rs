//! Demands on levels.

use std::ops::RangeInclusive;

use super::area::Area;
use super::mask::Mask;
use super::pattern::Pattern;
use crate::Route;
use figrs_models::mdmc::{Tile, TileClass};
use figrs_models::shares::whole_numbers;

/// A demand on a level. Demands are evidence: levels are drawn given all of them.
///
/// Rows count from the top and columns from the left, from 0, in the frame of the model: levels that are played upwards lie on their side there, and
/// [`turned`](Self::turned) turns a demand with them. [`DesignFile`](crate::DesignFile) reads demands from text.
///
/// All but `Seen`, `Placed`, `Playable` and the soft ones, `Preferred` and `Near`, are finite automata that read a level column by column; they can be
/// combined by [`Any`](Self::Any) and [`Not`](Self::Not).
///
/// ```
/// use std::sync::Arc;
/// use figrs_infer::Frontier;
/// use figrs_models::mdmc::{ColumnNGrams, Corpus, Tile, TileClass};
/// use figrs_design::{Area, Demand, ExactSampler, LevelSampler, Pattern, SteeredLevel};
///
/// let tile = |symbol| Tile::platformer(symbol).unwrap();
/// let enemy = TileClass::from(tile('E'));
/// let pipe = Pattern::drawn("<>", |symbol| Tile::platformer(symbol).map(TileClass::from))?;
/// let demands = [
///     // Difficulty that rises, with rests.
///     Demand::Rising { class: enemy.clone(), area: Area::all(), sections: 3 },
///     Demand::InEach { class: enemy, area: Area::all(), columns: 12, least: 0, most: 2 },
///     // A pipe in the first half, none in the second.
///     Demand::required(pipe.clone(), Area::all().columns(..30)),
///     Demand::forbidden(pipe, Area::all().columns(30..)),
/// ];
/// let ngrams = Arc::new(ColumnNGrams::train(&Corpus::shipped(), 2)?).program(60)?;
/// let exact = ExactSampler::new(SteeredLevel::new(&ngrams, &demands)?, &Frontier::new())?;
/// assert!(exact.log_probability() < 0.0);
/// assert_eq!(exact.levels(1, 0..2)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Demand {
    /// Everything is drawn as training showed it: no cell of a chain has a configuration that training never showed, n-grams leave no column
    /// out, and a field has no pair of neighbours that training never showed.
    Seen,
    /// The cells that are set in a mask of the level's size have their tiles, as evidence: levels are those of the trained
    /// model with these tiles, and there are none where it never draws them.
    Pinned(Mask),
    /// The cells that are set in a mask of the level's size are given their tiles by intervention, whatever the trained
    /// model would do there: the tiles before them are drawn as if nothing were known of them, and configurations with one
    /// of them need not have been seen.
    Placed(Mask),
    /// In the bottom row, at most this many adjacent columns have no ground that can be stood upon; for levels that are played to the right.
    MaximumGap(usize),
    /// There are from `least` to `most` tiles of a kind.
    Count {
        /// The kind of tile.
        tile: Tile,
        /// At least this many.
        least: usize,
        /// At most this many.
        most: usize,
    },
    /// A pattern occurs nowhere: there is no place where all its set tiles match.
    Forbidden(Mask),
    /// A player gets from a start to the goal, by the rules of a movement and through the areas of a [`Route`]. The rules are for the set
    /// of tiles and the direction of travel of the level's model.
    Playable(Route),
    /// The tiles of a rectangle belong to the classes of one of the forms of a pattern: a path that is kept free, a piece at the start.
    Shaped {
        /// The classes.
        pattern: Pattern,
        /// Row of its first cell.
        row: usize,
        /// Column of its first cell.
        column: usize,
    },
    /// There are from `least` to `most` tiles of a class in an area.
    Number {
        /// The class of tiles.
        class: TileClass,
        /// The area.
        area: Area,
        /// At least this many.
        least: usize,
        /// At most this many.
        most: usize,
    },
    /// Each window of `columns` adjacent columns in an area has from `least` to `most` tiles of a class: rhythm.
    InEach {
        /// The class of tiles.
        class: TileClass,
        /// The area.
        area: Area,
        /// Columns of a window.
        columns: usize,
        /// At least this many.
        least: usize,
        /// At most this many.
        most: usize,
    },
    /// The columns of an area are divided into sections of nearly equal width, and each section has its own range of numbers of tiles of a class.
    Profile {
        /// The class of tiles.
        class: TileClass,
        /// The area.
        area: Area,
        /// The least and the largest number of each section.
        sections: Vec<(usize, usize)>,
    },
    /// The columns of an area are divided into sections of nearly equal width, and no section has fewer tiles of a class than the one
    /// before: difficulty that rises.
    Rising {
        /// The class of tiles.
        class: TileClass,
        /// The area.
        area: Area,
        /// Number of sections.
        sections: usize,
    },
    /// A pattern occurs at from `least` to `most` places that lie in an area.
    Occurs {
        /// The pattern.
        pattern: Pattern,
        /// The area.
        area: Area,
        /// At least this many places.
        least: usize,
        /// At most this many, if there is a limit.
        most: Option<usize>,
    },
    /// For each place of a pattern in an area there is a place of another whose first cell is `rows` further down and `columns` further to the
    /// right; negative numbers are further up and to the left.
    Accompanied {
        /// The pattern whose places each need the other.
        each: Pattern,
        /// The area of these places.
        area: Area,
        /// The other pattern, which may stand anywhere in the level.
        by: Pattern,
        /// Rows further down.
        rows: RangeInclusive<isize>,
        /// Columns to the right.
        columns: RangeInclusive<isize>,
    },
    /// From each place of a pattern in an area, the next place of another pattern in the area, if there is one, begins from `least` to `most` columns
    /// further to the right.
    Spaced {
        /// The pattern from which the distance is taken.
        from: Pattern,
        /// The pattern up to which it is taken.
        to: Pattern,
        /// The area.
        area: Area,
        /// The least number of columns from the first column of one to that of the other.
        least: usize,
        /// The largest such number, if there is a limit.
        most: Option<usize>,
    },
    /// An area equals its mirror image.
    Mirrored {
        /// The area.
        area: Area,
        /// The sides that are exchanged.
        mirror: Mirror,
        /// Only whether tiles belong to this class is compared.
        by: Option<TileClass>,
    },
    /// An area repeats every `period` columns.
    Repeated {
        /// The area.
        area: Area,
        /// Columns after which it repeats.
        period: usize,
        /// Only whether tiles belong to this class is compared.
        by: Option<TileClass>,
    },
    /// Each column of an area of whole columns is one of the given columns.
    ColumnsAmong {
        /// The area, which has all rows.
        area: Area,
        /// The columns, each from the top.
        columns: Vec<Vec<Tile>>,
    },
    /// At least one of some demands is met.
    Any(Vec<Demand>),
    /// A demand is not met.
    Not(Box<Demand>),
    /// Soft: a level in which a demand is not met is less probable by the factor exp(-`weight`).
    Preferred {
        /// The demand.
        demand: Box<Demand>,
        /// Natural logarithm of the factor.
        weight: f64,
    },
    /// Soft: a level is less probable by the factor exp(-`cost`) for each cell that differs from a drawing of the level's size: repair and in-fill.
    Near {
        /// The drawing; cells that are free are not compared.
        drawing: Mask,
        /// Natural logarithm of the factor.
        cost: f64,
    },
}

/// Sides of a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// The order of columns is reversed: left and right change sides.
    Columns,
    /// The order of rows is reversed: top and bottom change sides.
    Rows,
}

impl Demand {
    /// From `low` to `high` of all cells, as shares, are tiles of a kind, for levels of `cells` cells.
    pub fn density(tile: Tile, low: f64, high: f64, cells: usize) -> Self {
        let (least, most) = whole_numbers(low, high, cells);
        Self::Count { tile, least, most }
    }

    /// A player can get from the left to the right, under the published rules of [`Playability`](crate::Playability).
    pub fn playable() -> Self {
        Self::Playable(Route::default())
    }

    /// A pattern occurs in an area at least once.
    pub fn required(pattern: Pattern, area: Area) -> Self {
        Self::Occurs {
            pattern,
            area,
            least: 1,
            most: None,
        }
    }

    /// A pattern occurs nowhere in an area.
    pub fn forbidden(pattern: Pattern, area: Area) -> Self {
        Self::Occurs {
            pattern,
            area,
            least: 0,
            most: Some(0),
        }
    }

    /// Another demand is met if this one is.
    #[must_use]
    pub fn implies(self, other: Self) -> Self {
        Self::Any(vec![Self::Not(Box::new(self)), other])
    }

    /// As a soft demand: where it is not met, a level is less probable by the factor exp(-`weight`).
    #[must_use]
    pub fn preferred(self, weight: f64) -> Self {
        Self::Preferred {
            demand: Box::new(self),
            weight,
        }
    }

    /// True for a limit of gaps in the ground, and for a demand that contains one.
    pub(super) fn has_gap(&self) -> bool {
        match self {
            Self::MaximumGap(_) => true,
            Self::Any(demands) => demands.iter().any(Self::has_gap),
            Self::Not(demand) | Self::Preferred { demand, .. } => demand.has_gap(),
            _ => false,
        }
    }

    /// The way that a player must have, if the demand is for playable levels.
    pub fn route(&self) -> Option<&Route> {
        match self {
            Self::Playable(route) => Some(route),
            _ => None,
        }
    }
}
