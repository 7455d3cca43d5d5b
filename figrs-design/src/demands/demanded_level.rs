//! Levels with demands (requirements): the elements of a level, and the demands as evidence.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ndarray::Array2;

use super::compile::LevelFrame;
use super::demand::Demand;
use super::demand_error::count_from_zero;
use super::mask::Mask;
use super::proof::Conflict;
use super::statements::{ColumnEvidence, ReachabilityMemo, StatedDemand, Steps, statement};
use super::twisted_demands::{TwistedDemands, is_stated};
use crate::{DemandError, Route};
use figrs_core::wording::Counted;
use figrs_core::{Element, Model};
use figrs_infer::{Sequence, SequencePart};
use figrs_models::mdmc::sample::level_model::LevelColumns;
use figrs_models::mdmc::twist::Twist;
use figrs_models::mdmc::{GeneratedLevel, Level, LevelModel, MarkovChain, Tile, Travel};

/// A probabilistic program for a level of any [`LevelModel`], with its demands stated column by column as evidence.
///
/// Any inference algorithm of figrs can run on the [`model`](Self::model) of a demanded level. The elements [`cells`](Self::cells) are the tiles of
/// the level in the order in which the evidence reads them: columns from the left, each from the bottom up. The model and the cells of the level are
/// built on first use. A demand on the whole level becomes a `fold` (a running state) over columns or cells. There is evidence on the state after
/// each column, so that samplers can reject a level early.
///
/// ```
/// use std::sync::Arc;
/// use figrs_infer::{Compiled, Frontier};
/// use figrs_models::mdmc::{Corpus, LevelElements, MarkovChain, RowSplits, Structure};
/// use figrs_design::{Demand, DemandedLevel};
///
/// let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS0, RowSplits::new(14, 14)?)?;
/// let elements = LevelElements::new(Arc::new(chain), 6)?;
/// let demanded = DemandedLevel::new(&elements, &[Demand::MaximumGap(2)])?;
/// let compiled = Frontier::new().compile(demanded.model(), demanded.cells())?;
/// assert!(compiled.log_evidence().exp() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DemandedLevel {
    model: LevelModel,
    demands: Arc<[StatedDemand]>,
    stated: Arc<OnceLock<ColumnModel>>,
    twist: Arc<OnceLock<Option<Arc<TwistedDemands>>>>,
    crossed: Arc<ReachabilityMemo>,
    /// The conflict between demands that the search for a proof found, if it found one, and the amount of work that the search used.
    proof: Arc<OnceLock<(Option<Conflict>, u64)>>,
    proof_work: u64,
    conflict_work: u64,
}

/// The probabilistic model of some columns of a level, with the evidence about these columns.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnModel {
    pub(super) model: Model,
    /// The tiles of the columns of this model, column by column from the left, each from the bottom up.
    pub(super) cells: Vec<Element<Tile>>,
}

impl DemandedLevel {
    /// Creates a level of `model` with the demands `demands`; the model is a trained Markov chain, n-grams, a hierarchical chain or a Markov random
    /// field.
    ///
    /// **Errors.** [`DemandError`] if a demand does not fit the level, if two masks place different tiles in one cell, or if the rules of a movement are for
    /// other tiles or another direction of travel.
    pub fn new(model: impl Into<LevelModel>, demands: &[Demand]) -> Result<Self, DemandError> {
        Self::stating(model.into(), demands, Arc::default())
    }

    /// Returns a level of the same trained model with other demands. The new level shares the cache of players' paths with the old level, which saves
    /// time if the demands differ little.
    ///
    /// **Errors.** The method returns the same errors as [`new`](Self::new).
    pub fn demanding(&self, demands: &[Demand]) -> Result<Self, DemandError> {
        let other = Self::stating(self.model.clone(), demands, Arc::clone(&self.crossed))?;
        let other = other.proof_work(self.proof_work);
        Ok(other.conflict_work(self.conflict_work))
    }

    fn stating(
        model: LevelModel,
        demands: &[Demand],
        crossed: Arc<ReachabilityMemo>,
    ) -> Result<Self, DemandError> {
        let (height, width) = (model.height(), model.width());
        let frame = LevelFrame {
            height,
            width,
            tiles: model.tile_set(),
        };
        if model.travel() == Travel::Up
            && let Some(gap) = demands.iter().find(|demand| demand.has_gap())
        {
            return Err(DemandError::upwards(gap));
        }
        let stated = demands.iter().map(|demand| {
            if let Some(route) = demand.route() {
                check_route(route, &model)?;
            }
            let reader = frame.automaton(demand)?;
            Ok(StatedDemand {
                demand: demand.clone(),
                steps: reader.map(|reader| Arc::new(Steps::new(reader, width))),
            })
        });
        let stated: Vec<StatedDemand> = stated.collect::<Result<_, DemandError>>()?;
        let mut placed = Mask::free(height, width);
        for (row, column, tile) in placed_by(&stated) {
            if placed.get(row, column).is_some_and(|other| other != tile) {
                let (row, column) = (Counted(row), Counted(column));
                return Err(DemandError::invalid(
                    format!("row {row}, column {column}: two masks place different tiles here"),
                    "free it in one of them",
                ));
            }
            placed.set(row, column, tile);
        }
        Ok(Self {
            model,
            demands: stated.into(),
            stated: Arc::default(),
            twist: Arc::default(),
            crossed,
            proof: Arc::default(),
            proof_work: Self::PROOF_WORK,
            conflict_work: 24_000_000,
        })
    }

    /// Default number of steps of the search for a proof that demands contradict each other. The search for a proof of a conflict between demands
    /// uses up to three quarters of its steps before particles draw levels. The remaining steps serve to confirm a conflict that particles find. A
    /// step of the search for a proof is a transition of a [frontier](figrs_infer::Frontier::work) algorithm, or a move of a player.
    pub const PROOF_WORK: u64 = 20_000_000;

    /// Sets the number of steps of the search for a proof that demands contradict each other; the default is [`PROOF_WORK`](Self::PROOF_WORK).
    #[must_use]
    pub fn proof_work(mut self, steps: u64) -> Self {
        self.proof_work = steps;
        self.proof = Arc::default();
        self
    }

    pub(super) fn steps_of_proof(&self) -> u64 {
        self.proof_work
    }

    /// Returns the result of the search for a proof that demands exclude each other, if this search has ended.
    pub(super) fn proof(&self) -> &OnceLock<(Option<Conflict>, u64)> {
        &self.proof
    }

    /// Sets the maximum number of cells that all particles together draw to find a minimal set of conflicting demands (default: 24 million). This
    /// search runs only if the particles find no level and no proof is found. If the allowed number of cells does not suffice to find a minimal set
    /// of conflicting demands, the error also lists the demands that were not tested. The default number of cells suffices to find a minimal set
    /// among 13 demands on a level of 14 by 200 cells. On a level of 14 by 200 cells, the search for a minimal set of conflicting demands took two
    /// seconds of one core for four demands, and thirteen seconds for playability, for which each particle's player is followed.
    #[must_use]
    pub fn conflict_work(mut self, cells: u64) -> Self {
        self.conflict_work = cells;
        self
    }

    pub(super) fn cells_of_conflict(&self) -> u64 {
        self.conflict_work
    }

    /// Returns proposals of a particle filter that foresee the demands (twisted proposals); `None` if no demand needs them.
    pub(super) fn twist(&self) -> Option<Twist> {
        let functions = || TwistedDemands::new(&self.model, &self.demands);
        let twisted = self.twist.get_or_init(functions).clone();
        twisted.map(|twisted| Twist::new(twisted))
    }

    /// Returns the evidence for each demand; if `is_twisted` is true, the demands that the twisted proposals cover are left out.
    pub(super) fn statements(&self, is_twisted: bool) -> Vec<Box<dyn ColumnEvidence + '_>> {
        let is_open = |stated: &&StatedDemand| {
            is_stated(&stated.demand, self.width())
                && !(is_twisted && TwistedDemands::covers(stated))
        };
        let open = self.demands.iter().filter(is_open);
        let all = (&*self.demands, &self.crossed);
        let statements = open
            .filter_map(|stated| statement(stated, all, (self.model.height(), self.model.width())));
        statements.collect()
    }

    /// Returns the model of the columns `columns` with the evidence about them; `elements` contains the elements of these columns.
    pub(super) fn state(
        &self,
        elements: &LevelColumns,
        columns: Range<usize>,
        statements: &mut [Box<dyn ColumnEvidence + '_>],
    ) -> ColumnModel {
        let height = elements.height();
        let mut stated = ColumnModel::default();
        let mut model = Model::new();
        for (row, column, tile) in placed_by(&self.demands) {
            if columns.contains(&column) {
                model = model.intervene(elements.tile(row, column), tile);
            }
        }
        for column in columns {
            let rows = (0..height).rev();
            let cells = rows.map(|row| elements.tile(row, column).clone());
            stated.cells.extend(cells);
            model = elements.weigh(column, model);
            for statement in &mut *statements {
                model = statement.on(elements, column, model);
            }
        }
        stated.model = model;
        stated
    }

    fn stated(&self) -> &ColumnModel {
        let whole = || self.model.whole();
        self.stated
            .get_or_init(|| self.state(whole(), 0..self.width(), &mut self.statements(false)))
    }

    /// Returns the trained model from which the level is drawn.
    pub fn level_model(&self) -> &LevelModel {
        &self.model
    }

    /// Returns the trained Markov chain, if the level is drawn from one.
    pub fn chain(&self) -> Option<&Arc<MarkovChain>> {
        self.model.program().chain()
    }

    /// Returns the number of rows of the level.
    pub fn height(&self) -> usize {
        self.model.height()
    }

    /// Returns the number of columns of the level.
    pub fn width(&self) -> usize {
        self.model.width()
    }

    /// Returns the list of the demands on the level.
    pub fn demands(&self) -> impl ExactSizeIterator<Item = &Demand> {
        self.demands.iter().map(|stated| &stated.demand)
    }

    pub(super) fn demand(&self, number: usize) -> &Demand {
        &self.demands[number].demand
    }

    /// Returns the factor by which the demands multiply the weight of `level`: 0 if it breaks a demand that is not soft, and otherwise the product of
    /// the factors of the soft demands. The factor treats the demands [`Seen`](Demand::Seen) and [`Playable`](Demand::Playable) as met, because a
    /// test of them needs the trained model or the rules of a movement.
    pub fn factor(&self, level: &Level) -> f64 {
        let factors = self.demands.iter().map(|stated| {
            let is_met = || {
                let reader = stated.steps.as_ref().map(|steps| steps.reader());
                reader.is_none_or(|reader| reader.accepts(level))
            };
            let differ = |mask: &Mask| {
                let tiles = mask.tiles();
                let other =
                    tiles.filter(|&(row, column, tile)| level.get(row, column) != Some(tile));
                other.count() as f64
            };
            match &stated.demand {
                Demand::Placed(mask) => f64::from(u8::from(differ(mask) == 0.0)),
                Demand::Near { drawing, cost } => (-cost * differ(drawing)).exp(),
                Demand::Preferred { weight, .. } if !is_met() => (-weight).exp(),
                Demand::Preferred { .. } => 1.0,
                _ => f64::from(u8::from(is_met())),
            }
        });
        factors.product()
    }

    /// Returns the elements of the level's tiles: columns from the left, each from the bottom up.
    pub fn cells(&self) -> &[Element<Tile>] {
        &self.stated().cells
    }

    /// Returns the element of the level's tile in `row` and `column`.
    ///
    /// **Errors.** [`DemandError`] if the cell is outside the level.
    pub fn cell(&self, row: usize, column: usize) -> Result<&Element<Tile>, DemandError> {
        let height = self.height();
        let cell = (row < height && column < self.width())
            .then(|| &self.cells()[column * height + height - 1 - row]);
        cell.ok_or_else(|| DemandError::outside(row, column))
    }

    /// Returns the model of the level with the demands as evidence.
    pub fn model(&self) -> &Model {
        &self.stated().model
    }

    /// Returns a level of `model`, which must have the same size, with some of this level's demands, given by their indices `demands`.
    pub(super) fn part(&self, model: &LevelModel, demands: &[usize]) -> Self {
        let some = demands.iter().map(|&demand| self.demands[demand].clone());
        Self {
            model: model.clone(),
            demands: some.collect(),
            stated: Arc::default(),
            twist: Arc::default(),
            crossed: Arc::clone(&self.crossed),
            proof: Arc::default(),
            proof_work: self.proof_work,
            conflict_work: self.conflict_work,
        }
    }

    /// Returns the level with only those demands that place tiles; `None` if the weights of the level model sum to one.
    pub(super) fn undemanding(&self) -> Option<Self> {
        let demands = self.demands.iter().enumerate();
        let placed = demands.filter(|(_, stated)| matches!(stated.demand, Demand::Placed(_)));
        let placed: Vec<usize> = placed.map(|(number, _)| number).collect();
        let is_normalised = self.model.program().is_normalised();
        (!is_normalised).then(|| self.part(&self.model, &placed))
    }

    /// Returns the model of the first `number` columns of the level, with the evidence about these columns.
    pub(super) fn first_columns(&self, number: usize) -> ColumnModel {
        let elements = self.model.program().columns(0..number, 0);
        self.state(&elements, 0..number, &mut self.statements(false))
    }

    pub(super) fn level(&self, tiles: &[Tile]) -> GeneratedLevel {
        let (height, width) = (self.height(), self.width());
        let tile = |(row, column): (usize, usize)| tiles[column * height + height - 1 - row];
        let level = Level::from_tiles(Array2::from_shape_fn((height, width), tile));
        match self.chain() {
            Some(chain) => GeneratedLevel::of(chain, level),
            None => GeneratedLevel::of_other(level),
        }
    }
}

/// Checks that a player's route fits the levels of a model.
fn check_route(route: &Route, model: &LevelModel) -> Result<(), DemandError> {
    let (rules, areas) = (route.rules(), route.areas());
    if !rules.fits(model.tile_set(), model.travel()) {
        let (movement, travel) = (rules.movement().name(), model.travel().name());
        return Err(DemandError::invalid(
            format!("the rules of the movement {movement} do not fit these levels"),
            format!(
                "build the rules with the tiles of the chain, all of known meaning, and with its direction of travel, {travel}"
            ),
        ));
    }
    if areas.len() > Route::MOST_AREAS {
        return Err(DemandError::too_many_areas(route));
    }
    let size = (model.height(), model.width());
    // Only levels that are played to the right can have a start cell, so model coordinates are upright coordinates here.
    if let Some((row, column)) = rules.movement().start_outside(size) {
        let movement = rules.movement().name();
        let (row, column) = (Counted(row), Counted(column));
        return Err(DemandError::invalid(
            format!(
                "the movement {movement:?} starts at row {row}, column {column}, outside of the level"
            ),
            format!(
                "give a start in the level; rows and columns {}",
                count_from_zero()
            ),
        ));
    }
    areas
        .iter()
        .try_for_each(|area| area.within(size).map(drop))
}

fn placed_by(demands: &[StatedDemand]) -> impl Iterator<Item = (usize, usize, Tile)> {
    let masks = demands.iter().filter_map(|stated| match &stated.demand {
        Demand::Placed(mask) => Some(mask),
        _ => None,
    });
    masks.flat_map(Mask::tiles)
}

/// The first columns of a level, split into groups of a few columns each; a particle filter then holds only the elements of a few groups in memory.
#[derive(Clone, Debug)]
pub(super) struct LevelParts<'a> {
    demanded: &'a DemandedLevel,
    columns: usize,
    each: usize,
    reach: usize,
}

impl<'a> LevelParts<'a> {
    const CELLS: usize = 448;
    /// Maximum product of the number of columns of a group and the squared number of rows, if particles follow players: the state of such a particle
    /// grows with the square of the number of rows.
    const SQUARES: usize = 1568;

    pub(super) fn of(demanded: &'a DemandedLevel) -> Self {
        Self::to(demanded, demanded.width())
    }

    /// Splits the first `columns` columns of a level into groups; the tiles of these columns form the trajectory of a particle.
    pub(super) fn to(demanded: &'a DemandedLevel, columns: usize) -> Self {
        let height = demanded.height();
        let mut each = (Self::CELLS / height).max(1);
        let reach = demanded.level_model().program().reach();
        if demanded.demands().any(|demand| demand.route().is_some()) {
            each = each.min((Self::SQUARES / (height * height)).max(1));
        }
        Self {
            demanded,
            columns,
            each: reach.map_or(columns, |_| each),
            reach: reach.unwrap_or(0),
        }
    }
}

#[cfg(test)]
impl LevelParts<'_> {
    pub(super) fn of_each(self, each: usize) -> Self {
        Self { each, ..self }
    }
}

impl Sequence for LevelParts<'_> {
    type Value = Tile;

    fn parts(&self) -> usize {
        self.columns.div_ceil(self.each)
    }

    fn part(&self, number: usize) -> SequencePart<Tile> {
        let demanded = self.demanded;
        let (start, end) = (
            number * self.each,
            self.columns.min((number + 1) * self.each),
        );
        let from = start.saturating_sub(self.reach);
        let program = demanded.level_model().program();
        let mut twist = demanded.twist();
        let twist_start = twist.as_ref().map(|twist| twist.state().erased().clone());
        let elements = match &mut twist {
            Some(twist) => program.twisted(from..end, start - from, twist),
            None => program.columns(from..end, start - from),
        };
        let mut statements = demanded.statements(twist.is_some());
        let mut inputs = Vec::new();
        if number > 0 {
            inputs = elements.state_of(from..start);
            inputs.extend(twist_start);
            for statement in &mut statements {
                statement.resume();
                inputs.extend(statement.state());
            }
        }
        let stated = demanded.state(&elements, start..end, &mut statements);
        let mut outputs = Vec::new();
        if end < self.columns {
            outputs = elements.state_of(end.saturating_sub(self.reach)..end);
            outputs.extend(twist.map(|twist| twist.state().erased().clone()));
            outputs.extend(statements.iter().filter_map(|statement| statement.state()));
        }
        SequencePart::new(stated.model)
            .inputs(inputs)
            .outputs(outputs)
            .trajectory(stated.cells)
    }
}
