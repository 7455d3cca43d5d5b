//! Compiles a movement (the rules of a player's moves) for a set of tiles and a direction of travel.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use super::arrivals::{Arrival, ArrivalTable};
use super::cell_class::{CellClass, Via};
use super::frame::{FrameGoal, FrameStart, refused};
use super::movement::{Bottom, Goal, Movement, Start};
use super::movement_error::MovementError;
use super::moves::MoveBuilder;
use super::stages::{FREE, MoveAutomaton, Stage, StagedStep};
use figrs_models::mdmc::{Meaning, Tile, TileSet, Travel};

/// A [`Movement`] (the rules of a player's moves) compiled for a set of tiles and a direction of travel. The moves are compiled to an automaton with
/// steps of at most one column; [`Playability`](super::Playability) and [`Reach`](super::Reach) both use this automaton.
///
/// Cloning `MovementRules` is cheap.
#[derive(Clone)]
pub struct MovementRules(Arc<CompiledRules>);

pub(super) struct CompiledRules {
    movement: Movement,
    travel: Travel,
    is_strict: bool,
    tiles: Vec<Tile>,
    /// The class of a cell for each set of meanings that its tile can have.
    classes: Vec<CellClass>,
    /// All properties of cells that at least one tile of the set has.
    used: CellClass,
    pub(super) start: FrameStart,
    pub(super) goal: FrameGoal,
    /// The possible steps of a player who is between two moves, for each situation.
    free: [Vec<StagedStep>; Situation::COUNT],
    /// The possible steps of a player within a move, for each stage (progress) of the move.
    stages: Vec<Vec<StagedStep>>,
    pub(super) arrivals: Vec<Arrival>,
    /// Indices of those arrivals (ways to enter a column) that enter from the right.
    pub(super) backward: Vec<u16>,
    /// The possible arrivals (ways to enter a cell), as bits in machine words, for each combination of properties that decide whether a player can
    /// enter a cell.
    enter: Vec<u64>,
    /// For each arrival (way to enter a cell), the arrivals that are possible in every cell where this arrival is possible, as bits in machine words.
    implied: Vec<u64>,
    pub(super) falls_straight: bool,
    pub(super) jump_height: usize,
}

/// The situation of a player between two moves: the properties of the player's cell that decide which steps the player can take from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Situation(u8);

impl Situation {
    pub(super) const COUNT: usize = 32;
    pub(super) const STANDING: u8 = 1;
    pub(super) const CLIMB: u8 = 2;
    pub(super) const HANG: u8 = 4;
    pub(super) const DOOR: u8 = 8;
    /// Under strict rules only: an enemy or hazard keeps the player from standing on the cell below, although the movement lets a player stand there.
    pub(super) const HARM_BELOW: u8 = 16;

    pub(super) fn number(self) -> u8 {
        self.0
    }

    pub(super) fn from_number(number: u8) -> Self {
        Self(number)
    }

    pub(super) fn stands(self) -> bool {
        self.0 & Self::STANDING > 0
    }

    /// True if a player can stand in the cell by the rules of the movement, whether or not strict rules forbid it.
    pub(super) fn stands_by_movement(self) -> bool {
        self.0 & (Self::STANDING | Self::HARM_BELOW) > 0
    }
}

impl Movement {
    /// Compiles the movement (the rules of a player's moves) for a set of tiles and a direction of travel.
    ///
    /// **Errors.** [`MovementError::Tiles`] if the tiles have no meanings, or if no tile can be the start or the goal; [`MovementError::Invalid`] if
    /// the start or the goal depends on columns that are drawn after it, or if the moves have too many stages.
    pub fn rules(&self, tiles: &TileSet, travel: Travel) -> Result<MovementRules, MovementError> {
        if self.solid.is_none()
            && let Some(error) = MovementError::of_unknown(&self.name, tiles)
        {
            return Err(error);
        }
        let places: [(&str, &[Meaning]); 2] = [
            (
                "start",
                match &self.start {
                    Start::Tiles(tiles) => tiles,
                    _ => &[],
                },
            ),
            (
                "goal",
                match &self.goal {
                    Goal::Any(tiles) | Goal::All(tiles) => tiles,
                    _ => &[],
                },
            ),
        ];
        for place in places {
            if !place.1.is_empty()
                && let Some(error) = MovementError::of_missing(self, place, tiles)
            {
                return Err(error);
            }
        }
        let tiles = tiles.tiles().collect();
        let compiled = CompiledRules::new(self, tiles, travel, false)?;
        Ok(MovementRules(Arc::new(compiled)))
    }
}

impl MovementRules {
    /// Returns the [published rules](super::Playability) of movement for platformers.
    pub fn platformer() -> &'static Self {
        static RULES: LazyLock<MovementRules> = LazyLock::new(|| {
            let rules = Movement::platformer().rules(TileSet::platformer(), Travel::Right);
            rules.expect("the tiles of platformers have meanings")
        });
        &RULES
    }

    /// Returns the strict form of the movement rules:
    ///
    /// - Under strict rules, a player can neither enter nor stand on enemies and hazards, whatever the movement says. Under strict rules, above an
    ///   enemy or hazard that would otherwise support the player, only a jump arc can continue.
    /// - Under strict rules, a player passes from a cell to an adjacent cell through their common side. Under strict rules, each part of a move, such
    ///   as a step of an arc or a fall, must be possible as a sequence of steps through adjacent free cells, each of which leads towards the end of
    ///   that part. Under strict rules, no player passes between two solid tiles that touch at a corner, nor through a blocked cell that the movement
    ///   does not test.
    /// - Under strict rules, the cell where the player starts must be free, and all cells between two doors must be blocked.
    ///
    /// A level that is playable by the strict rules is also playable by the original rules.
    ///
    /// **Errors.** [`MovementError::Invalid`] if the moves under strict rules have too many stages.
    ///
    /// ```
    /// use figrs_models::mdmc::Level;
    /// use figrs_design::{MovementRules, Playability};
    ///
    /// // The way down leads between two tiles that touch at a corner.
    /// let level: Level = "---SSS\n---SSS\n---SSS\n---S--\nXXX---\n---XXX".parse()?;
    /// let rules = MovementRules::platformer();
    /// assert!(Playability::under(&level, rules).playable());
    /// assert!(!Playability::under(&level, &rules.strict()?).playable());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn strict(&self) -> Result<Self, MovementError> {
        let (movement, tiles) = (&self.0.movement, self.0.tiles.clone());
        let compiled = CompiledRules::new(movement, tiles, self.0.travel, true)?;
        Ok(Self(Arc::new(compiled)))
    }

    /// Returns the movement from which the rules were compiled.
    pub fn movement(&self) -> &Movement {
        &self.0.movement
    }

    /// Returns the direction in which the levels for these rules are played.
    pub fn travel(&self) -> Travel {
        self.0.travel
    }

    pub(crate) fn class(&self, tile: Tile) -> CellClass {
        self.0.class(tile)
    }

    /// True if the movement rules are for levels with the tiles `tiles` and the direction of travel `travel`.
    pub(crate) fn fits(&self, tiles: &TileSet, travel: Travel) -> bool {
        let is_known = |tile: Tile| {
            let class = CellClass::of(self.movement(), self.0.is_strict, tile);
            class == self.class(tile) && (!tile.is_unknown() || self.movement().solid.is_some())
        };
        travel == self.travel() && tiles.tiles().all(is_known)
    }

    pub(super) fn compiled(&self) -> &CompiledRules {
        &self.0
    }
}

/// Two sets of movement rules are equal if their movements, tiles and directions of travel are equal, and if they are both strict or both not strict.
impl PartialEq for MovementRules {
    fn eq(&self, other: &Self) -> bool {
        let (own, other) = (&self.0, &other.0);
        let same = || {
            (own.travel, own.used, &own.classes) == (other.travel, other.used, &other.classes)
                && own.is_strict == other.is_strict
                && own.movement == other.movement
        };
        Arc::ptr_eq(own, other) || same()
    }
}

impl Eq for MovementRules {}

impl Hash for MovementRules {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.stages.len().hash(state);
    }
}

impl fmt::Debug for MovementRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MovementRules")
            .field("movement", self.movement())
            .field("travel", &self.travel())
            .finish_non_exhaustive()
    }
}

impl CompiledRules {
    fn new(
        movement: &Movement,
        tiles: Vec<Tile>,
        travel: Travel,
        is_strict: bool,
    ) -> Result<Self, MovementError> {
        let (start, goal) = (
            FrameStart::of(movement, travel)?,
            FrameGoal::of(movement, travel)?,
        );
        if movement.wrap && travel == Travel::Right {
            return Err(refused(
                movement,
                "wrap",
                travel,
                "leave out `wrap`, which joins the left and the right edge, or use it for levels that are played up",
            ));
        }
        let classes = tiles
            .iter()
            .map(|&tile| CellClass::of(movement, is_strict, tile));
        let used = classes.fold(CellClass::BLOCKED.and(CellClass::SUPPORT), CellClass::and);
        let mut moves = MoveBuilder {
            travel,
            is_strict,
            used,
            automaton: MoveAutomaton::new(is_strict.then_some(travel)),
        };
        let free = moves.free(movement);
        if !moves.automaton.complete() {
            return Err(MovementError::invalid(
                format!(
                    "{}: the moves have {} stages, more than the maximum of {}",
                    movement.name,
                    moves.automaton.len(),
                    MoveAutomaton::MOST
                ),
                "use fewer or shorter jumps",
            ));
        }
        let mut arrivals = ArrivalTable::default();
        let free = free.map(|steps| arrivals.staged(&steps));
        let stages = moves.automaton.steps().iter();
        let stages = stages.map(|steps| arrivals.staged(steps)).collect();
        let ArrivalTable { arrivals, backward } = arrivals;
        let words = arrivals.len().div_ceil(64).max(1);
        let bits = |is: &dyn Fn(&Arrival) -> bool| {
            let mut bits = vec![0_u64; words];
            for (number, _) in arrivals.iter().enumerate().filter(|(_, a)| is(a)) {
                bits[number / 64] |= 1 << (number % 64);
            }
            bits
        };
        let entries = (0..CellClass::ENTRIES).map(CellClass::of_entry);
        let enter = entries.flat_map(|class| bits(&|a| a.via.admits(class, a.down)));
        let implied = arrivals
            .iter()
            .flat_map(|strong| bits(&|weak| strong.implies(*weak)));
        let rises = movement.jumps.iter().flatten().map(|&(_, dy)| -dy);
        Ok(Self {
            travel,
            is_strict,
            tiles,
            classes: meaning_classes(movement, is_strict, used),
            used,
            start,
            goal,
            free,
            stages,
            backward: backward.into_iter().collect(),
            enter: enter.collect(),
            implied: implied.collect(),
            falls_straight: movement.gravity
                && travel == Travel::Right
                && movement.falls.contains(&(0, 1)),
            jump_height: rises.max().unwrap_or(0).max(0).unsigned_abs().into(),
            arrivals,
            movement: movement.clone(),
        })
    }

    fn class(&self, tile: Tile) -> CellClass {
        if self.movement.solid.is_some() {
            return CellClass::of(&self.movement, self.is_strict, tile).masked(self.used);
        }
        self.classes[usize::from(tile.meaning_bits())]
    }

    pub(super) fn travel(&self) -> Travel {
        self.travel
    }

    pub(super) fn is_upward(&self) -> bool {
        self.travel == Travel::Up
    }

    /// True if a player can cross gaps and walls by jumps from left to right.
    pub(super) fn is_jumped_along(&self) -> bool {
        self.movement.gravity && !self.is_upward()
    }

    pub(super) fn wraps(&self) -> bool {
        self.movement.wrap
    }

    pub(super) fn loses_at_bottom(&self) -> bool {
        self.movement.gravity && self.movement.bottom == Bottom::Lost
    }

    pub(super) fn has_floor(&self) -> bool {
        self.movement.bottom == Bottom::Floor
    }

    pub(super) fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Returns the situation of a player between moves in a cell of the class `class`; `below` is the class of the cell below, or `None` in the
    /// bottom row.
    pub(super) fn situation(&self, class: CellClass, below: Option<CellClass>) -> Situation {
        let bit = |property, bit| if class.has(property) { bit } else { 0 };
        let own = bit(CellClass::CLIMB, Situation::CLIMB)
            | bit(CellClass::HANG, Situation::HANG)
            | bit(CellClass::DOOR, Situation::DOOR);
        let holds = own & (Situation::CLIMB | Situation::HANG) > 0;
        let rests = below.map_or(self.has_floor(), |below| below.has(CellClass::SUPPORT));
        let harm = below.is_some_and(|below| below.has(CellClass::HARMFUL_SUPPORT));
        Situation(if rests || holds || !self.movement.gravity {
            own | Situation::STANDING
        } else if harm {
            own | Situation::HARM_BELOW
        } else {
            own
        })
    }

    pub(super) fn steps(&self, situation: Situation, stage: Stage) -> &[StagedStep] {
        match stage {
            FREE => &self.free[usize::from(situation.0)],
            stage => &self.stages[usize::from(stage)],
        }
    }

    /// Returns the number of machine words in a bit set of the stages of moves.
    pub(super) fn stage_words(&self) -> usize {
        self.stages.len().div_ceil(64)
    }

    /// Returns the number of machine words in a bit set of arrivals (ways to enter a cell).
    pub(super) fn arrival_words(&self) -> usize {
        self.arrivals.len().div_ceil(64).max(1)
    }

    /// Returns the bit set of the arrivals (ways to enter a cell from an adjacent column) that are possible in a cell of the class `class`.
    pub(super) fn entering(&self, class: CellClass) -> &[u64] {
        let words = self.arrival_words();
        &self.enter[class.entry() * words..][..words]
    }

    /// Returns the bit set of the arrivals (ways to enter a cell) that are possible in every cell where `arrival` is possible.
    pub(super) fn implied(&self, arrival: u16) -> &[u64] {
        let words = self.arrival_words();
        &self.implied[usize::from(arrival) * words..][..words]
    }

    pub(super) fn enters(class: CellClass) -> bool {
        Via::Foot.admits(class, false)
    }
}

fn meaning_classes(movement: &Movement, is_strict: bool, used: CellClass) -> Vec<CellClass> {
    let sets = 0..Meaning::SETS;
    let class = |bits| CellClass::of(movement, is_strict, Tile::of_meaning_bits(bits as u16));
    sets.map(|bits| class(bits).masked(used)).collect()
}
