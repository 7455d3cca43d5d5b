//! Rules of a movement, made ready for a set of tiles and a direction of travel.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use super::super::{Meaning, Tile, TileSet, Travel};
use super::cell_class::{CellClass, Via};
use super::movement::{Bottom, Goal, Movement, Side, Start};
use super::movement_error::MovementError;
use super::stages::{
    FREE, MoveAutomaton, MoveStep, PlayedStep, Stage, StagedStep, Steps, in_frame,
};

/// A [`Movement`] made ready for a set of tiles and a direction of travel: moves as an automaton with steps of one column, which the search of
/// a level and the fold over its columns share.
///
/// It is cheap to clone.
#[derive(Clone)]
pub struct MovementRules(Arc<CompiledRules>);

/// The place where a player starts, in the frame of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameStart {
    Cell { row: usize, column: usize },
    Ground,
    FirstColumn,
    LastColumn,
    FirstRow,
    LastRow,
    FirstTile,
}

/// The cells to be reached, in the frame of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameGoal {
    LastColumn,
    /// The last column, or a goal tile in as many columns before the end.
    LastColumnOr {
        within: u8,
    },
    FirstColumn,
    FirstRow,
    LastRow,
    AnyTile,
    AllTiles,
}

/// An arrival in another column: the stage there and the test of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Arrival {
    pub(super) then: Stage,
    pub(super) lands: bool,
    via: Via,
    down: bool,
}

pub(super) struct CompiledRules {
    movement: Movement,
    travel: Travel,
    /// For each set of meanings the class.
    classes: Vec<CellClass>,
    /// Properties that tiles of the set have.
    used: CellClass,
    pub(super) start: FrameStart,
    pub(super) goal: FrameGoal,
    /// Steps of a free player, by situation.
    free: [Vec<StagedStep>; Situation::COUNT],
    /// Steps of a player in a stage.
    stages: Vec<Vec<StagedStep>>,
    pub(super) arrivals: Vec<Arrival>,
    /// Arrivals of steps to the column before.
    pub(super) backward: Vec<u16>,
    /// For each class that can be entered, the arrivals possible there, as words of bits.
    enter: Vec<u64>,
    /// For each arrival itself and those that are possible wherever it is, as words of bits.
    implied: Vec<u64>,
    /// Falling by one row is among the falls.
    pub(super) falls_straight: bool,
    /// The highest that a jump rises.
    pub(super) jump_height: usize,
}

/// All that decides which steps are open to a free player in a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation(u8);

impl Situation {
    const COUNT: usize = 16;
    const STANDING: u8 = 1;
    const CLIMB: u8 = 2;
    const HANG: u8 = 4;
    const DOOR: u8 = 8;

    pub(super) fn stands(self) -> bool {
        self.0 & Self::STANDING > 0
    }
}

impl Movement {
    /// The rules for a set of tiles and a direction of travel.
    ///
    /// **Errors.** [`MovementError::Unknown`] for tiles without meanings, [`MovementError::NoTile`] if no tile of the set is one to start at or
    /// to reach, [`MovementError::Travel`] for places that are not known until a level is whole, and [`MovementError::Stages`].
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
        Ok(MovementRules(Arc::new(CompiledRules::new(
            self, tiles, travel,
        )?)))
    }
}

impl MovementRules {
    /// The [published rules](super::Playability) for platformers.
    pub fn platformer() -> &'static Self {
        static RULES: LazyLock<MovementRules> = LazyLock::new(|| {
            let rules = Movement::platformer().rules(TileSet::platformer(), Travel::Right);
            rules.expect("the tiles of platformers have meanings")
        });
        &RULES
    }

    /// The movement.
    pub fn movement(&self) -> &Movement {
        &self.0.movement
    }

    /// The direction in which levels are played.
    pub fn travel(&self) -> Travel {
        self.0.travel
    }

    pub(in crate::mdmc) fn class(&self, tile: Tile) -> CellClass {
        self.0.class(tile)
    }

    /// True if the rules are for levels of a set of tiles with a direction of travel.
    pub(in crate::mdmc) fn fits(&self, tiles: &TileSet, travel: Travel) -> bool {
        let is_known = |tile: Tile| {
            let class = CellClass::of(self.movement(), tile);
            class == self.class(tile) && (!tile.is_unknown() || self.movement().solid.is_some())
        };
        travel == self.travel() && tiles.tiles().all(is_known)
    }

    pub(super) fn compiled(&self) -> &CompiledRules {
        &self.0
    }
}

/// Rules are equal if they are the same for the same tiles.
impl PartialEq for MovementRules {
    fn eq(&self, other: &Self) -> bool {
        let (own, other) = (&self.0, &other.0);
        let same = || {
            (own.travel, own.used, &own.classes) == (other.travel, other.used, &other.classes)
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

/// Writes the movement and the direction of travel.
impl fmt::Debug for MovementRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MovementRules")
            .field("movement", self.movement())
            .field("travel", &self.travel())
            .finish_non_exhaustive()
    }
}

/// Each move, and its mirror image before it.
fn mirrored(cells: &[(i8, i8)]) -> impl Iterator<Item = (i8, i8)> {
    cells.iter().flat_map(|&(dx, dy)| {
        let sides: &[i8] = if dx == 0 { &[1] } else { &[-1, 1] };
        sides.iter().map(move |side| (side * dx, dy))
    })
}

impl CompiledRules {
    fn new(movement: &Movement, tiles: &TileSet, travel: Travel) -> Result<Self, MovementError> {
        let (start, goal) = (
            start_in_frame(movement, travel)?,
            goal_in_frame(movement, travel)?,
        );
        if movement.wrap && travel == Travel::Right {
            return Err(refused(
                movement,
                "wrap",
                travel,
                "it joins left and right: leave it out, or let levels be played up",
            ));
        }
        let classes = tiles.tiles().map(|tile| CellClass::of(movement, tile));
        let used = classes.fold(CellClass::BLOCKED.and(CellClass::SUPPORT), CellClass::and);
        let mut moves = MoveBuilder {
            travel,
            used,
            automaton: MoveAutomaton::new(),
        };
        let free = moves.free(movement);
        if !moves.automaton.complete() {
            return Err(MovementError::Stages {
                movement: movement.name.clone(),
                stages: moves.automaton.len(),
                most: MoveAutomaton::MOST,
            });
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
            classes: meaning_classes(movement, used),
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
            return CellClass::of(&self.movement, tile).masked(self.used);
        }
        self.classes[usize::from(tile.meaning_bits())]
    }

    pub(super) fn travel(&self) -> Travel {
        self.travel
    }

    /// True if levels are played upwards.
    pub(super) fn is_upward(&self) -> bool {
        self.travel == Travel::Up
    }

    /// True if a player crosses gaps and walls from left to right.
    pub(super) fn is_jumped_along(&self) -> bool {
        self.movement.gravity && !self.is_upward()
    }

    pub(super) fn wraps(&self) -> bool {
        self.movement.wrap
    }

    /// True if a player in the bottom row moves no more.
    pub(super) fn loses_at_bottom(&self) -> bool {
        self.movement.gravity && self.movement.bottom == Bottom::Lost
    }

    /// True if the bottom row has support from below.
    pub(super) fn has_floor(&self) -> bool {
        self.movement.bottom == Bottom::Floor
    }

    /// The situation of a free player in a cell that has support or not.
    pub(super) fn situation(&self, class: CellClass, supported: bool) -> Situation {
        let bit = |property, bit| if class.has(property) { bit } else { 0 };
        let own = bit(CellClass::CLIMB, Situation::CLIMB)
            | bit(CellClass::HANG, Situation::HANG)
            | bit(CellClass::DOOR, Situation::DOOR);
        let holds = own & (Situation::CLIMB | Situation::HANG) > 0;
        let stands = supported || holds || !self.movement.gravity;
        Situation(own | if stands { Situation::STANDING } else { 0 })
    }

    pub(super) fn steps(&self, situation: Situation, stage: Stage) -> &[StagedStep] {
        match stage {
            FREE => &self.free[usize::from(situation.0)],
            stage => &self.stages[usize::from(stage)],
        }
    }

    /// Words of bits that have one for each stage.
    pub(super) fn stage_words(&self) -> usize {
        self.stages.len().div_ceil(64)
    }

    /// Words of bits that have one for each arrival.
    pub(super) fn arrival_words(&self) -> usize {
        self.arrivals.len().div_ceil(64).max(1)
    }

    /// The arrivals possible in a cell.
    pub(super) fn entering(&self, class: CellClass) -> &[u64] {
        let words = self.arrival_words();
        &self.enter[class.entry() * words..][..words]
    }

    /// An arrival with those that are possible wherever it is.
    pub(super) fn implied(&self, arrival: u16) -> &[u64] {
        let words = self.arrival_words();
        &self.implied[usize::from(arrival) * words..][..words]
    }

    /// True if a player can be put into a cell at the start.
    pub(super) fn enters(class: CellClass) -> bool {
        Via::Foot.admits(class, false)
    }
}

impl Arrival {
    /// True if this one is possible wherever the other one is, and allows all that the other one does.
    fn implies(self, weak: Self) -> bool {
        let allows = self.then == weak.then && self.lands == weak.lands
            || self.lands && weak.lands && weak.then == FREE;
        let mut entries = (0..CellClass::ENTRIES).map(CellClass::of_entry);
        allows
            && entries.all(|class| {
                self.via.admits(class, self.down) || !weak.via.admits(class, weak.down)
            })
    }
}

/// Numbers of arrivals.
#[derive(Default)]
struct ArrivalTable {
    arrivals: Vec<Arrival>,
    backward: BTreeSet<u16>,
}

impl ArrivalTable {
    fn staged(&mut self, steps: &[(MoveStep, Stage)]) -> Vec<StagedStep> {
        let staged = steps.iter().map(|&(step, then)| {
            let mut arrival = 0;
            if step.columns != 0 {
                let of = |then| Arrival {
                    then,
                    lands: step.lands,
                    via: step.via,
                    down: step.down,
                };
                // A player who can leave the move arrives as a free one too.
                if step.lands {
                    self.number(of(FREE), step.columns);
                }
                arrival = self.number(of(then), step.columns);
            }
            StagedStep {
                step,
                then,
                arrival,
            }
        });
        staged.collect()
    }

    fn number(&mut self, arrival: Arrival, columns: i8) -> u16 {
        let known = self.arrivals.iter().position(|&other| other == arrival);
        let number = known.unwrap_or_else(|| {
            self.arrivals.push(arrival);
            self.arrivals.len() - 1
        }) as u16;
        if columns < 0 {
            self.backward.insert(number);
        }
        number
    }
}

/// Builds the moves of a movement in the frame of models.
struct MoveBuilder {
    travel: Travel,
    used: CellClass,
    automaton: MoveAutomaton,
}

/// One step as it is played, which lands.
fn step(cell: (i8, i8), via: Via) -> PlayedStep {
    PlayedStep {
        cell,
        via,
        clamps: false,
        lands: true,
    }
}

impl MoveBuilder {
    /// The steps of a free player, by situation.
    fn free(&mut self, movement: &Movement) -> [Vec<(MoveStep, Stage)>; Situation::COUNT] {
        let jumps = movement.jumps.iter().flat_map(|arc| {
            let played = |side: i8| {
                let before = std::iter::once(&(0, 0)).chain(arc);
                let cells = arc.iter().zip(before);
                cells.map(move |(to, at)| PlayedStep {
                    clamps: true,
                    ..step((side * (to.0 - at.0), to.1 - at.1), Via::Air)
                })
            };
            [played(1).collect::<Vec<_>>(), played(-1).collect()]
        });
        let jumps: BTreeSet<Steps> = jumps.map(|arc| self.normal(arc)).collect();
        let jumps = self.automaton.first_steps(&jumps);
        let mut standing = self.each(mirrored(&movement.steps), Via::Foot);
        standing.extend(jumps);
        if self.used.has(CellClass::CLIMB) {
            standing.extend(self.each([(0, 1)], Via::Climb));
        }
        if movement.drop && self.used.has(CellClass::TOP) {
            standing.extend(self.each([(0, 1)], Via::Drop));
        }
        if self.used.has(CellClass::DIG) {
            for side in [-1, 1] {
                let closed = |cell, via| PlayedStep {
                    lands: false,
                    ..step(cell, via)
                };
                let through = [closed((side, 0), Via::Air), closed((0, 1), Via::Dig)];
                standing.extend(self.one(through.into_iter().chain([step((0, 1), Via::Air)])));
            }
        }
        let falling = self.each(mirrored(&movement.falls), Via::Air);
        let climbing = self.each([(0, -1), (0, 1)], Via::Foot);
        let hanging = self.each([(0, 1)], Via::Foot);
        let mut doors = Vec::new();
        if self.used.has(CellClass::DOOR) {
            for cell in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                for walls in 1..=movement.doors {
                    let wall = PlayedStep {
                        lands: false,
                        ..step(cell, Via::Pass)
                    };
                    let walls = (0..walls).map(|_| wall);
                    doors.extend(self.one(walls.chain([step(cell, Via::Door)])));
                }
            }
        }
        std::array::from_fn(|situation| {
            let is = |bit: u8| situation as u8 & bit > 0;
            let mut steps = Vec::new();
            let parts = [
                (is(Situation::STANDING), &standing),
                (!is(Situation::STANDING), &falling),
                (is(Situation::CLIMB), &climbing),
                (is(Situation::HANG) && !is(Situation::CLIMB), &hanging),
                (is(Situation::DOOR), &doors),
            ];
            for (_, part) in parts.into_iter().filter(|&(is, _)| is) {
                for step in part {
                    if !steps.contains(step) {
                        steps.push(*step);
                    }
                }
            }
            steps
        })
    }

    /// Moves of one cell each.
    fn each(
        &mut self,
        cells: impl IntoIterator<Item = (i8, i8)>,
        via: Via,
    ) -> Vec<(MoveStep, Stage)> {
        let cells = cells.into_iter();
        cells.flat_map(|cell| self.one([step(cell, via)])).collect()
    }

    fn one(&mut self, played: impl IntoIterator<Item = PlayedStep>) -> Vec<(MoveStep, Stage)> {
        let steps = self.normal(played);
        self.automaton.first_steps(&BTreeSet::from([steps]))
    }

    /// A move in the frame of models, with equal tests where no tile of the set tells them apart.
    fn normal(&self, played: impl IntoIterator<Item = PlayedStep>) -> Steps {
        let mut steps = in_frame(self.travel, played);
        for step in &mut steps {
            if step.via == Via::Foot && !self.used.has(CellClass::AIR_ONLY) {
                step.via = Via::Air;
            }
            let is_tested = matches!(step.via, Via::Air | Via::Foot);
            step.down &= is_tested && self.used.has(CellClass::TOP);
        }
        steps
    }
}

/// For each set of meanings the class of a tile that has them.
fn meaning_classes(movement: &Movement, used: CellClass) -> Vec<CellClass> {
    let sets = 0..Meaning::SETS;
    sets.map(|bits| CellClass::of(movement, Tile::of_meaning_bits(bits as u16)).masked(used))
        .collect()
}

fn refused(
    movement: &Movement,
    what: &'static str,
    travel: Travel,
    remedy: &'static str,
) -> MovementError {
    MovementError::Travel {
        movement: movement.name.clone(),
        what,
        travel: travel.name(),
        remedy,
    }
}

/// Sides in the frame of models.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameSide {
    FirstColumn,
    LastColumn,
    FirstRow,
    LastRow,
}

impl Side {
    fn in_frame(self, travel: Travel) -> FrameSide {
        match (self, travel) {
            (Self::Left, Travel::Right) | (Self::Bottom, Travel::Up) => FrameSide::FirstColumn,
            (Self::Right, Travel::Right) | (Self::Top, Travel::Up) => FrameSide::LastColumn,
            (Self::Top, Travel::Right) | (Self::Left, Travel::Up) => FrameSide::FirstRow,
            (Self::Bottom, Travel::Right) | (Self::Right, Travel::Up) => FrameSide::LastRow,
        }
    }
}

fn start_in_frame(movement: &Movement, travel: Travel) -> Result<FrameStart, MovementError> {
    Ok(match &movement.start {
        Start::Cell(..) if travel == Travel::Up => {
            return Err(refused(
                movement,
                "a start at a cell, which counts from the top,",
                travel,
                "use \"ground\", an edge or tiles",
            ));
        }
        &Start::Cell(row, column) => FrameStart::Cell { row, column },
        Start::Ground => FrameStart::Ground,
        Start::Tiles(_) => FrameStart::FirstTile,
        Start::Edge(side) => match side.in_frame(travel) {
            FrameSide::FirstColumn => FrameStart::FirstColumn,
            FrameSide::LastColumn => FrameStart::LastColumn,
            FrameSide::FirstRow => FrameStart::FirstRow,
            FrameSide::LastRow => FrameStart::LastRow,
        },
    })
}

fn goal_in_frame(movement: &Movement, travel: Travel) -> Result<FrameGoal, MovementError> {
    Ok(match &movement.goal {
        Goal::Edge(side) => match side.in_frame(travel) {
            FrameSide::FirstColumn => FrameGoal::FirstColumn,
            FrameSide::LastColumn => FrameGoal::LastColumn,
            FrameSide::FirstRow => FrameGoal::FirstRow,
            FrameSide::LastRow => FrameGoal::LastRow,
        },
        &Goal::EdgeOr { edge, within, .. } if edge.in_frame(travel) == FrameSide::LastColumn => {
            FrameGoal::LastColumnOr { within }
        }
        Goal::EdgeOr { .. } => {
            return Err(refused(
                movement,
                "a goal within some cells of this edge",
                travel,
                "use the right edge for levels played right, the top for those played up",
            ));
        }
        Goal::Any(_) => FrameGoal::AnyTile,
        Goal::All(_) => FrameGoal::AllTiles,
    })
}
