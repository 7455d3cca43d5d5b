//! Classes of cells: the properties of a cell's tile that matter to a movement (the rules of a player's moves).

use super::movement::{Goal, Harm, Movement, Start};
use figrs_models::mdmc::{Meaning, Tile};

/// Properties of a cell under the rules of a movement (a player's moves), as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CellClass(u16);

figrs_core::value!(CellClass);

impl CellClass {
    pub(super) const BLOCKED: Self = Self(1);
    /// The cell has a tile that a player cannot enter by a step down.
    pub(super) const TOP: Self = Self(1 << 1);
    pub(super) const CLIMB: Self = Self(1 << 2);
    pub(super) const DOOR: Self = Self(1 << 3);
    pub(super) const DIG: Self = Self(1 << 4);
    pub(super) const AIR_ONLY: Self = Self(1 << 5);
    pub(super) const HANG: Self = Self(1 << 6);
    pub(super) const SUPPORT: Self = Self(1 << 7);
    pub(super) const START: Self = Self(1 << 8);
    pub(super) const GOAL: Self = Self(1 << 9);
    /// Under strict rules only: an enemy or hazard keeps a player out of the cell, although the movement lets a player enter.
    pub(super) const HARM: Self = Self(1 << 10);
    /// Under strict rules only: an enemy or hazard keeps a player from standing on the cell, although the movement lets a player stand there.
    pub(super) const HARMFUL_SUPPORT: Self = Self(1 << 11);

    /// The properties that decide whether a player can stand upon a cell.
    pub(super) const SUPPORTS: Self = Self(Self::SUPPORT.0 | Self::HARMFUL_SUPPORT.0);

    /// Number of combinations of the properties that decide whether a player can enter a cell.
    pub(super) const ENTRIES: usize = 1 << 6;

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the properties that decide whether a player can enter the cell, encoded as a number below [`ENTRIES`](Self::ENTRIES).
    pub(super) fn entry(self) -> usize {
        usize::from(self.0) % Self::ENTRIES
    }

    pub(super) const fn of_entry(entry: usize) -> Self {
        Self(entry as u16)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn masked(self, by: Self) -> Self {
        Self(self.0 & by.0)
    }

    fn with(self, other: Self, is: bool) -> Self {
        if is { self.and(other) } else { self }
    }

    /// Returns the class of the tile `tile`; the class depends on the tile's meanings, and on the movement's list of solid characters if there is
    /// such a list. Under strict rules, enemies and hazards block the player.
    pub(super) fn of(movement: &Movement, is_strict: bool, tile: Tile) -> Self {
        let is = |meaning| tile.is(meaning);
        let any = |meanings: &[Meaning]| meanings.iter().any(|&meaning| tile.is(meaning));
        let solid = match &movement.solid {
            Some(solid) => tile.symbol().is_some_and(|symbol| solid.contains(symbol)),
            None => is(Meaning::Solid) || is(Meaning::Diggable),
        };
        let solid = solid && !any(&movement.open);
        let harm = if is(Meaning::Enemy) {
            movement.enemies
        } else if is(Meaning::Hazard) {
            movement.hazards
        } else {
            Harm::Ignored
        };
        let (climbs, hangs) = (
            movement.ladders && is(Meaning::Climb),
            movement.ladders && is(Meaning::Hang),
        );
        let supports = solid || is(Meaning::SolidTop) || climbs;
        let starts = matches!(&movement.start, Start::Tiles(tiles) if any(tiles));
        let own_blocked = solid || harm == Harm::Blocked;
        let is_harmful = is_strict && (is(Meaning::Enemy) || is(Meaning::Hazard));
        let supports = supports && harm == Harm::Ignored;
        let goal = match &movement.goal {
            Goal::Edge(_) => false,
            Goal::EdgeOr { or: tiles, .. } | Goal::Any(tiles) | Goal::All(tiles) => any(tiles),
        };
        Self::default()
            .with(Self::BLOCKED, own_blocked || is_harmful)
            .with(Self::TOP, is(Meaning::SolidTop) && !solid)
            .with(Self::CLIMB, climbs)
            .with(Self::HANG, hangs)
            .with(Self::DOOR, movement.doors > 0 && is(Meaning::Door))
            .with(Self::DIG, movement.dig && is(Meaning::Diggable))
            .with(Self::AIR_ONLY, harm == Harm::Jumped && !is_harmful)
            .with(Self::SUPPORT, supports && !is_harmful)
            .with(Self::START, starts)
            .with(Self::GOAL, goal && !own_blocked)
            .with(
                Self::HARM,
                is_harmful && !own_blocked && harm != Harm::Jumped,
            )
            .with(Self::HARMFUL_SUPPORT, supports && is_harmful)
    }
}

/// The test that a cell must pass so that a step of a player's move may lead into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Via {
    /// The player must be able to enter the cell through the air.
    Air,
    /// The player must be able to enter the cell on foot.
    Foot,
    /// The step may lead into any cell, without a test.
    Pass,
    /// The cell must be climbable.
    Climb,
    /// The cell must be solid from above; the player drops through the cell.
    Drop,
    Door,
    /// The cell must be diggable, and the player digs it away.
    Dig,
    /// Under strict rules, the cell is passed within one part of a move, and the player must be able to enter the cell.
    Side,
    /// Under strict rules, the cell lies between two doors, and must be blocked.
    Wall,
}

impl Via {
    /// True if the player only passes through the cell within one part of a move, so that the cell is not recorded as visited.
    pub(super) fn skips(self) -> bool {
        matches!(self, Self::Pass | Self::Side | Self::Wall)
    }

    /// True if a step of a move may enter a cell of the class `class`; the argument `down` is true if the step leads downwards.
    pub(super) fn admits(self, class: CellClass, down: bool) -> bool {
        let is = |property| class.has(property);
        let enters = !is(CellClass::BLOCKED);
        let above = !(down && is(CellClass::TOP));
        match self {
            Self::Air | Self::Side => enters && above,
            Self::Foot => enters && above && !is(CellClass::AIR_ONLY),
            Self::Pass => true,
            Self::Climb => enters && is(CellClass::CLIMB),
            Self::Drop => enters && is(CellClass::TOP),
            Self::Door => enters && is(CellClass::DOOR),
            Self::Dig => is(CellClass::DIG),
            Self::Wall => !enters,
        }
    }
}
