//! Movements: the rules of a player's moves, given as data.

use std::fmt;

use super::{JUMP_ARCS, MovementError};
use figrs_models::mdmc::{Meaning, TileSet, Travel};

/// The cells that a move passes, each given relative to the move's first cell: as a number of columns to the right and a number of rows down.
pub(super) type CellOffsets = Vec<(i8, i8)>;

/// The rules by which a player moves through a game level, with the start and the goal.
///
/// A `Movement` is [built in](Self::named) or comes from a file ([`from_toml`](Self::from_toml), [`from_json`](Self::from_json)). Given a set of
/// tiles and a direction of travel, a movement is compiled to [`MovementRules`](super::MovementRules), by which levels are searched and drawn.
///
/// # Rules
///
/// In the rules of movement, a player occupies one cell.
///
/// - **Tiles.** A player cannot enter solid or diggable tiles but can stand on them; a player can enter tiles that are solid from above, though not
///   downwards, and can stand on them. The key `open` of a movement lists meanings of tiles that a player can enter although they are solid; `solid`
///   lists the characters of solid tiles and replaces the meanings of the tile set.
/// - **On foot.** A player can stand upon solid, diggable and solid-from-above tiles; in a movement without `gravity`, a player can stand in every
///   cell. A standing player can take one of the movement's `steps` or start one of its `jumps`. A player's jump passes cells one after another, and
///   the player can leave the jump in each of these cells. For each of a player's moves, the mirror image with left and right exchanged is also
///   allowed.
/// - **In the air.** In a cell in which nothing supports the player, the player falls by one of the movement's `falls`, each of which tests only its
///   last cell.
/// - **Ladders.** A player holds on to climbable tiles, climbs up and down on them, and can stand upon them. A player can hold on to a rope, and can
///   let go of the rope. If the key `drop` of a movement is true, a player drops through tiles that are solid from above.
/// - **Digging.** In a movement with `dig`, a player digs away a diggable tile diagonally below the player's cell, and falls through the hole, one
///   row of tiles at a time.
/// - **Doors.** Two doors lead to each other in a straight line through a wall; the key `doors` of a movement is the largest number of wall cells
///   between them.
/// - **Edges.** The key `bottom` of a movement states whether a player in the bottom row is lost (cannot move any more) or stands on a floor. In
///   levels that are played to the right, a jump arc that rises above the top of the level continues in the top row. If the key `wrap` of a movement
///   is true, the left and right sides of a level are joined.
/// - **Enemies and hazards** have one of three effects: they are ignored; they block the player (who can neither enter them nor stand upon them); or
///   they are jumped (a player can enter them only in the air).
#[derive(Clone, Debug, PartialEq, Eq)]
// Each Boolean field is a separate switch, as in movement files.
#[allow(clippy::struct_excessive_bools)]
pub struct Movement {
    pub(super) name: String,
    pub(super) gravity: bool,
    pub(super) steps: CellOffsets,
    pub(super) falls: CellOffsets,
    pub(super) jumps: Vec<CellOffsets>,
    pub(super) ladders: bool,
    pub(super) drop: bool,
    pub(super) dig: bool,
    pub(super) doors: u8,
    pub(super) wrap: bool,
    pub(super) bottom: Bottom,
    /// Characters of solid tiles, which replace the meanings of the tile set.
    pub(super) solid: Option<String>,
    pub(super) open: Vec<Meaning>,
    pub(super) enemies: Harm,
    pub(super) hazards: Harm,
    pub(super) start: Start,
    pub(super) goal: Goal,
}

/// The edge below the bottom row of a game level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bottom {
    Lost,
    /// The edge is a floor, upon which a player can stand.
    Floor,
}

/// Effect of tiles that hurt a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Harm {
    Ignored,
    Blocked,
    /// A player can enter a harmful tile in the air, but not on foot.
    Jumped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

/// The place in a level where a player starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The start is the cell in the given row and column, if a player can enter this cell; if the level has fewer rows or columns, the last row or
    /// column takes the place of the given one.
    Cell(usize, usize),
    /// The start is any cell where a player can stand in the first column (first row, if the player climbs) that has such cells.
    Ground,
    /// The start is any cell at the given side that a player can enter.
    Edge(Side),
    /// The start is the first tile, in the order of travel, with one of the listed meanings.
    Tiles(Vec<Meaning>),
}

/// The cells of a level that a player must reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The goal is any cell at one side of the level.
    Edge(Side),
    /// The goal is any cell on the side `edge`, or a tile with one of the meanings `or` in the last `within` columns (rows, if the player climbs).
    EdgeOr {
        edge: Side,
        or: Vec<Meaning>,
        within: u8,
    },
    /// The goal is any tile that has one of the listed meanings and that a player can enter.
    Any(Vec<Meaning>),
    /// The goal is every tile that has one of the listed meanings and that a player can enter.
    All(Vec<Meaning>),
}

impl Side {
    pub(super) const ALL: [(&'static str, Self); 4] = [
        ("left", Self::Left),
        ("right", Self::Right),
        ("top", Self::Top),
        ("bottom", Self::Bottom),
    ];

    pub(super) fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|&&(_, side)| side == self);
        named.map_or("", |&(name, _)| name)
    }
}

const CLIMBING_ARCS: [&[(i8, i8)]; 3] = [
    &[(0, -1), (0, -2), (0, -3), (0, -4)],
    &[(0, -1), (0, -2), (1, -3), (1, -4), (2, -4), (3, -4)],
    &[
        (1, -1),
        (1, -2),
        (2, -3),
        (2, -4),
        (3, -4),
        (4, -3),
        (5, -2),
    ],
];

impl Movement {
    /// Names of the built-in movements.
    pub const NAMES: [&'static str; 5] = ["platformer", "climb", "ladders", "maze", "rooms"];

    /// Returns the built-in movement with the name `name`:
    ///
    /// | name | for | start | goal |
    /// |---|---|---|---|
    /// | `platformer` | the [published rules](super::Playability) of Super Mario levels | row 2, column 2 | right edge |
    /// | `climb` | levels in which the player climbs, with joined sides, as in Kid Icarus | lowest ground | top edge, or a door or exit in the 16 rows below |
    /// | `ladders` | ladders, ropes and falls straight down, as Lode Runner without its digging | start tile | every collectable |
    /// | `maze` | four ways, without gravity | start tile | an exit |
    /// | `rooms` | four ways, through walls between doors, hazards blocked, as the Legend of Zelda | first door | every door |
    ///
    /// **Errors.** [`MovementError::Invalid`] if no movement with this name is built in.
    pub fn named(name: &str) -> Result<Self, MovementError> {
        let platformer = Self {
            name: name.to_owned(),
            ..Self::platformer()
        };
        let maze = Self {
            gravity: false,
            steps: vec![(1, 0), (0, 1), (0, -1)],
            falls: Vec::new(),
            jumps: Vec::new(),
            ladders: false,
            bottom: Bottom::Floor,
            start: Start::Tiles(vec![Meaning::Start]),
            goal: Goal::Any(vec![Meaning::Exit]),
            ..platformer.clone()
        };
        match name {
            "platformer" => Ok(platformer),
            "climb" => Ok(Self {
                falls: vec![(0, 1), (1, 1)],
                jumps: CLIMBING_ARCS.map(<[_]>::to_vec).into(),
                drop: true,
                wrap: true,
                open: vec![Meaning::Door],
                start: Start::Ground,
                goal: Goal::EdgeOr {
                    edge: Side::Top,
                    or: vec![Meaning::Door, Meaning::Exit],
                    within: 16,
                },
                ..platformer
            }),
            "ladders" => Ok(Self {
                falls: vec![(0, 1)],
                jumps: Vec::new(),
                bottom: Bottom::Floor,
                start: Start::Tiles(vec![Meaning::Start]),
                goal: Goal::All(vec![Meaning::Collectable]),
                ..platformer
            }),
            "maze" => Ok(maze),
            "rooms" => Ok(Self {
                doors: 2,
                open: vec![Meaning::Door],
                hazards: Harm::Blocked,
                start: Start::Tiles(vec![Meaning::Door]),
                goal: Goal::All(vec![Meaning::Door]),
                ..maze
            }),
            _ => Err(MovementError::invalid(
                format!("no movement is called {name:?}"),
                format!("use {} or a file", Self::NAMES.join(", ")),
            )),
        }
    }

    /// Returns the start cell of the movement if this cell lies outside levels of the given size. Returns `None` for the published movement rules,
    /// which allow a start cell outside the level.
    pub(crate) fn start_outside(&self, (height, width): (usize, usize)) -> Option<(usize, usize)> {
        match self.start {
            Start::Cell(row, column) if self.start != Self::platformer().start => {
                (row >= height || column >= width).then_some((row, column))
            }
            _ => None,
        }
    }

    /// Returns the published rules of movement for platformers.
    pub(super) fn platformer() -> Self {
        Self {
            name: "platformer".to_owned(),
            gravity: true,
            steps: vec![(1, 0)],
            falls: vec![(0, 1), (1, 1), (1, 2)],
            jumps: JUMP_ARCS.map(<[_]>::to_vec).into(),
            ladders: true,
            drop: false,
            dig: false,
            doors: 0,
            wrap: false,
            bottom: Bottom::Lost,
            solid: None,
            open: Vec::new(),
            enemies: Harm::Ignored,
            hazards: Harm::Ignored,
            start: Start::Cell(2, 2),
            goal: Goal::Edge(Side::Right),
        }
    }

    /// Returns the movement that a set of tiles suggests: `ladders` if the set has tiles to climb, a start and tiles to collect; `climb` if the
    /// player climbs in the levels and the set has tiles that are solid from above; `platformer` if the levels are played to the right and the set
    /// has [platformer tiles](TileSet::is_platformer).
    ///
    /// **Errors.** [`MovementError::Tiles`] if the tiles have no meanings; [`MovementError::Invalid`] if the tiles have meanings but suggest no
    /// movement.
    pub fn suggested(tiles: &TileSet, travel: Travel) -> Result<Self, MovementError> {
        let has = |meaning| tiles.tiles().any(|tile| tile.is(meaning));
        let name = if tiles.is_platformer() && travel == Travel::Right {
            "platformer"
        } else if has(Meaning::Climb) && has(Meaning::Start) && has(Meaning::Collectable) {
            "ladders"
        } else if travel == Travel::Up && has(Meaning::SolidTop) {
            "climb"
        } else if let Some(error) = MovementError::of_unknown("a movement", tiles) {
            return Err(error);
        } else {
            return Err(MovementError::invalid(
                "these tiles suggest no movement",
                format!("name one of {} or a file", Self::NAMES.join(", ")),
            ));
        };
        Self::named(name)
    }

    /// Returns the name of the movement.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Describes in one clause what is guaranteed for a level that is playable by the movement `self`.
    ///
    /// ```
    /// use figrs_design::Movement;
    ///
    /// let promise = Movement::named("ladders")?.promise();
    /// assert_eq!(promise, "connected: each collectable tile can be reached from the first start tile; digging is not modelled");
    /// # Ok::<(), figrs_design::MovementError>(())
    /// ```
    pub fn promise(&self) -> String {
        let named = |meanings: &[Meaning]| {
            let names: Vec<&str> = meanings.iter().map(|meaning| meaning.name()).collect();
            names.join(" or ")
        };
        let start = match &self.start {
            Start::Cell(row, column) => format!("row {row}, column {column}"),
            Start::Ground => "the first ground".to_owned(),
            Start::Edge(side) => format!("the {} edge", side.name()),
            Start::Tiles(meanings) => format!("the first {} tile", named(meanings)),
        };
        let mut promise = match &self.goal {
            Goal::Edge(side) => format!("a path from {start} to the {} edge", side.name()),
            Goal::EdgeOr { edge, or, within } => format!(
                "a path from {start} to the {} edge, or to a tile of {} within {within} of it",
                edge.name(),
                named(or)
            ),
            Goal::Any(meanings) => format!("a path from {start} to a tile of {}", named(meanings)),
            Goal::All(meanings) => format!(
                "connected: each {} tile can be reached from {start}",
                named(meanings)
            ),
        };
        if matches!(&self.goal, Goal::All(all) if all.contains(&Meaning::Collectable)) && !self.dig
        {
            promise.push_str("; digging is not modelled");
        }
        promise
    }
}

/// Writes the name of the movement and the guarantee for a level that is playable by it.
impl fmt::Display for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.promise())
    }
}
