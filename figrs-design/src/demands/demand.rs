//! Demands on levels: conditions that every drawn level meets.

use std::ops::RangeInclusive;

use super::area::Area;
use super::mask::Mask;
use super::pattern::Pattern;
use crate::Route;
use figrs_models::mdmc::{Tile, TileClass};
use figrs_models::shares::whole_numbers;

/// A demand on a level. Demands on a level are evidence: levels are drawn given all demands.
///
/// Rows count from 0 at the top and columns from 0 at the left, in model coordinates: a level in which the player climbs lies on its side, and
/// [`turned`](Self::turned) turns a demand in the same way. [`DemandFile`](crate::DemandFile) reads demands from text.
///
/// All variants except `Seen`, `Placed`, `Playable`, `Preferred` and `Near` have finite automata that read a level column by column;
/// [`Any`](Self::Any) and [`Not`](Self::Not) combine these variants.
///
/// ```
/// use std::sync::Arc;
/// use figrs_infer::ItemSampler;
/// use figrs_models::board::{ConditionalSampler, Method};
/// use figrs_models::mdmc::{ColumnNGrams, Corpus, Tile, TileClass};
/// use figrs_design::{Area, Demand, Pattern, DemandedLevel};
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
/// let demanded = DemandedLevel::new(&ngrams, &demands)?;
/// let exact = ConditionalSampler::new().among([Method::Exact]);
/// assert!(exact.exact(&demanded)?.log_probability() < 0.0);
/// assert_eq!(exact.numbered(&demanded)?.items(1, 0..2)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Demand {
    /// The demand requires that every local configuration of tiles occurs in training: for a Markov chain, each cell together with its neighbours;
    /// for n-grams, the full history of each column; for a Markov random field, each pair of neighbours.
    Seen,
    /// Each cell for which the mask gives a tile has this tile, as evidence. If the trained model never draws the tiles of the mask, the demand
    /// excludes all levels.
    Pinned(Mask),
    /// Each cell for which the mask gives a tile gets this tile by intervention, whatever the trained model would draw. Cells that the model draws
    /// before a placed tile do not depend on this tile; configurations that contain placed tiles need not occur in training.
    Placed(Mask),
    /// The demand limits the number of adjacent columns that have no ground in the bottom row on which a player can stand. The demand on gaps in the
    /// ground applies to levels that are played to the right.
    MaximumGap(usize),
    /// The level has from `least` to `most` tiles of one kind.
    Count {
        /// The kind of tile.
        tile: Tile,
        /// Smallest allowed number of tiles of the kind or class.
        least: usize,
        /// Largest allowed number of tiles of the kind or class.
        most: usize,
    },
    /// A pattern occurs nowhere in the level: at no position do the tiles match all tiles that the mask sets.
    Forbidden(Mask),
    /// A player can get from a start to the goal by a movement (the rules of a player's moves), through the areas of the [`Route`]. The movement
    /// rules must be compiled for the tiles and the direction of travel of the level's model.
    Playable(Route),
    /// The tiles of a rectangle match one of the alternative forms of a pattern, for example a path without obstacles or a given start of a level.
    Shaped {
        /// The pattern that the tiles of the rectangle must match.
        pattern: Pattern,
        /// Row of the rectangle's first cell.
        row: usize,
        /// Column of the rectangle's first cell.
        column: usize,
    },
    /// An area of the level has from `least` to `most` tiles of a class.
    Number {
        /// Class of the tiles that are counted.
        class: TileClass,
        /// Area in which the tiles are counted.
        area: Area,
        /// Smallest allowed number of tiles of the kind or class.
        least: usize,
        /// Largest allowed number of tiles of the kind or class.
        most: usize,
    },
    /// Each window of `columns` adjacent columns in an area of the level has from `least` to `most` tiles of a class. A demand on the number of tiles
    /// in each window of columns gives a level rhythm.
    InEach {
        /// Class of the tiles that are counted.
        class: TileClass,
        /// Area of the level in which the window moves.
        area: Area,
        /// Number of columns of a window.
        columns: usize,
        /// Smallest allowed number of tiles in a window.
        least: usize,
        /// Largest allowed number of tiles in a window of columns.
        most: usize,
    },
    /// The columns of an area are divided into sections of nearly equal width; each section has its own range of allowed numbers of tiles of a class.
    Profile {
        /// Class of the tiles that are counted.
        class: TileClass,
        /// Area that is divided into sections.
        area: Area,
        /// Smallest and largest allowed number of tiles of the class in each section.
        sections: Vec<(usize, usize)>,
    },
    /// The columns of an area are divided into sections of nearly equal width, and no section has fewer tiles of a class than the section before it.
    /// For dangerous tiles, the difficulty of the level then never falls from section to section.
    Rising {
        /// Class of the tiles that are counted.
        class: TileClass,
        /// Area that is divided into sections.
        area: Area,
        /// Number of sections.
        sections: usize,
    },
    /// A pattern occurs `least` to `most` times inside an area of the level.
    Occurs {
        /// The pattern whose occurrences are counted.
        pattern: Pattern,
        /// Area of the level in which each occurrence of the pattern must lie.
        area: Area,
        /// Smallest allowed number of occurrences of the pattern.
        least: usize,
        /// Largest allowed number of occurrences of the pattern; `None` means no limit.
        most: Option<usize>,
    },
    /// For each occurrence of the pattern `each` in an area, the pattern `by` occurs near it: the first cell of `by` is `rows` further down and
    /// `columns` further to the right than that of `each`; negative numbers mean up and left.
    Accompanied {
        /// The pattern that needs the pattern `by` near each of its occurrences.
        each: Pattern,
        /// Area in which occurrences of the pattern `each` need the pattern `by` near them.
        area: Area,
        /// The pattern that must occur near the occurrences of `each`, anywhere in the level.
        by: Pattern,
        /// Allowed shifts in rows, downwards, from the first cell of `each` to the first cell of `by`.
        rows: RangeInclusive<isize>,
        /// Allowed shifts in columns, to the right, from the first cell of `each` to the first cell of `by`.
        columns: RangeInclusive<isize>,
    },
    /// After each occurrence of the pattern `from` in an area, the next occurrence of the pattern `to` in the area, if there is one, begins `least`
    /// to `most` columns further to the right.
    Spaced {
        /// The pattern from which the distance is measured.
        from: Pattern,
        /// The pattern to which the distance is measured.
        to: Pattern,
        /// Area of the level in which both patterns are sought.
        area: Area,
        /// Smallest allowed distance in columns from the first column of the pattern `from` to the first column of the pattern `to`.
        least: usize,
        /// Largest allowed distance in columns from the first column of the pattern `from` to the first column of the pattern `to`; `None` means no
        /// limit.
        most: Option<usize>,
    },
    /// An area of the level equals its mirror image.
    Mirrored {
        /// Area that is symmetric.
        area: Area,
        /// The axis of the mirror image: columns or rows are reversed.
        mirror: Mirror,
        /// If a class is given, two tiles count as equal if both belong to this class or both do not.
        by: Option<TileClass>,
    },
    /// An area of the level repeats every `period` columns.
    Repeated {
        /// Area that repeats.
        area: Area,
        /// Number of columns after which the area repeats.
        period: usize,
        /// If a class is given, two tiles count as equal if both belong to this class or both do not.
        by: Option<TileClass>,
    },
    /// Each column of an area of the level, which must have all rows, is one of the given columns.
    ColumnsAmong {
        /// The area of the level, which must have all rows.
        area: Area,
        /// The allowed columns, each given by its tiles from the top.
        columns: Vec<Vec<Tile>>,
    },
    /// The level meets at least one of the given demands.
    Any(Vec<Demand>),
    /// The level does not meet the given demand.
    Not(Box<Demand>),
    /// Soft demand: the weight of a level that does not meet the demand is multiplied by exp(-`weight`).
    Preferred {
        /// The demand that a level should meet, although it need not.
        demand: Box<Demand>,
        /// The negative natural logarithm of the factor for levels that do not meet the soft demand.
        weight: f64,
    },
    /// Soft demand to resemble a drawing: each cell that differs from the drawing multiplies the weight of a level by exp(-`cost`), for the repair
    /// and completion of levels.
    Near {
        /// The drawing to which the level is compared; free cells of the drawing are not compared.
        drawing: Mask,
        /// The negative natural logarithm of the factor for each cell that differs from the drawing.
        cost: f64,
    },
}

/// Axis of a mirror image: the order of the columns or of the rows is reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// The order of columns is reversed: left and right change sides.
    Columns,
    /// The order of rows is reversed: top and bottom change sides.
    Rows,
}

impl Demand {
    /// Demands that the share of `tile` among the `cells` cells of a level is from `low` to `high`.
    pub fn density(tile: Tile, low: f64, high: f64, cells: usize) -> Self {
        let (least, most) = whole_numbers(low, high, cells);
        Self::Count { tile, least, most }
    }

    /// Demands that a player can get from the left side to the right side by the published rules of [`Playability`](crate::Playability).
    pub fn playable() -> Self {
        Self::Playable(Route::default())
    }

    /// Demands that `pattern` occurs in `area` at least once.
    pub fn required(pattern: Pattern, area: Area) -> Self {
        Self::Occurs {
            pattern,
            area,
            least: 1,
            most: None,
        }
    }

    /// Demands that `pattern` occurs nowhere in `area`.
    pub fn forbidden(pattern: Pattern, area: Area) -> Self {
        Self::Occurs {
            pattern,
            area,
            least: 0,
            most: Some(0),
        }
    }

    /// Makes the demand `other` conditional: a level that meets `self` must also meet `other`.
    #[must_use]
    pub fn implies(self, other: Self) -> Self {
        Self::Any(vec![Self::Not(Box::new(self)), other])
    }

    /// Makes the demand soft: the weight of a level that does not meet the demand is multiplied by exp(-`weight`).
    #[must_use]
    pub fn preferred(self, weight: f64) -> Self {
        Self::Preferred {
            demand: Box::new(self),
            weight,
        }
    }

    /// True if the demand, or a part of a combined demand, limits gaps in the ground.
    pub(super) fn has_gap(&self) -> bool {
        match self {
            Self::MaximumGap(_) => true,
            Self::Any(demands) => demands.iter().any(Self::has_gap),
            Self::Not(demand) | Self::Preferred { demand, .. } => demand.has_gap(),
            _ => false,
        }
    }

    /// Returns the route that a player must be able to take according to the demand; `None` for demands without a route.
    pub fn route(&self) -> Option<&Route> {
        match self {
            Self::Playable(route) => Some(route),
            _ => None,
        }
    }
}
