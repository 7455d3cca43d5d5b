//! Splits a level with demands into parts, because a particle filter cannot hold all elements of a long level in memory.

use figrs_infer::{Sequence, SequencePart};

use super::steered::SteeredLevel;
use figrs_models::mdmc::Tile;

/// The first columns of a level, split into parts of a few columns.
#[derive(Clone, Debug)]
pub(super) struct LevelParts<'a> {
    steered: &'a SteeredLevel,
    columns: usize,
    each: usize,
    reach: usize,
}

impl<'a> LevelParts<'a> {
    const CELLS: usize = 448;
    /// Maximum product of the columns of a part and the squared number of rows, if particles follow players: the state of such a particle grows with
    /// this square.
    const SQUARES: usize = 1568;

    pub(super) fn of(steered: &'a SteeredLevel) -> Self {
        Self::to(steered, steered.width())
    }

    /// Splits the first `columns` columns of a level into parts; the tiles of these columns form the trajectory.
    pub(super) fn to(steered: &'a SteeredLevel, columns: usize) -> Self {
        let height = steered.height();
        let mut each = (Self::CELLS / height).max(1);
        let reach = steered.level_model().program().reach();
        if steered.demands().any(|demand| demand.route().is_some()) {
            each = each.min((Self::SQUARES / (height * height)).max(1));
        }
        Self {
            steered,
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
        let steered = self.steered;
        let (start, end) = (
            number * self.each,
            self.columns.min((number + 1) * self.each),
        );
        let from = start.saturating_sub(self.reach);
        let program = steered.level_model().program();
        let mut twist = steered.twist();
        let twist_start = twist.as_ref().map(|twist| twist.state().erased().clone());
        let elements = match &mut twist {
            Some(twist) => program.twisted(from..end, start - from, twist),
            None => program.columns(from..end, start - from),
        };
        let mut statements = steered.statements(twist.is_some());
        let mut inputs = Vec::new();
        if number > 0 {
            inputs = elements.state_of(from..start);
            inputs.extend(twist_start);
            for statement in &mut statements {
                statement.resume();
                inputs.extend(statement.state());
            }
        }
        let stated = steered.state(&elements, start..end, &mut statements);
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
