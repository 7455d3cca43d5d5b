//! Each demand as evidence, column by column.

use std::sync::Arc;

use figrs_core::{AnyElement, Apply, Constant, Element, Model, Parents, Value};

use super::super::play::cell_class::CellClass;
use super::super::{LevelElements, MovementRules, Reach, Tile};
use super::demand::Demand;
use super::mask::Mask;
use super::reachability_memo::ReachabilityMemo;

/// Evidence that is stated column by column, in the order of the columns.
pub(super) trait ColumnEvidence {
    /// Adds the evidence on one column, given by its number, to a model.
    fn on(&mut self, elements: &LevelElements, column: usize, model: Model) -> Model;

    /// State of the evidence after a column, for the evidence on the next ones.
    fn state(&self) -> Option<AnyElement> {
        None
    }

    /// Goes on from a state of which only the value will be known.
    fn resume(&mut self) {}
}

impl<F: FnMut(&LevelElements, usize, Model) -> Model> ColumnEvidence for F {
    fn on(&mut self, elements: &LevelElements, column: usize, model: Model) -> Model {
        self(elements, column, model)
    }
}

/// A state folded over columns: from the one before a column, those after it and the evidence.
struct FoldedEvidence<T, F> {
    start: T,
    state: Element<T>,
    step: F,
}

impl<T: Value, F> FoldedEvidence<T, F>
where
    F: Fn(&LevelElements, usize, &Element<T>, Model) -> (Element<T>, Model),
{
    fn boxed<'a>(start: T, step: F) -> Box<dyn ColumnEvidence + 'a>
    where
        F: 'a,
    {
        let state = Constant::new(start.clone());
        Box::new(Self { start, state, step })
    }
}

impl<T: Value, F> ColumnEvidence for FoldedEvidence<T, F>
where
    F: Fn(&LevelElements, usize, &Element<T>, Model) -> (Element<T>, Model),
{
    fn on(&mut self, elements: &LevelElements, column: usize, model: Model) -> Model {
        let (state, model) = (self.step)(elements, column, &self.state, model);
        self.state = state;
        model
    }

    fn state(&self) -> Option<AnyElement> {
        Some(self.state.erased().clone())
    }

    fn resume(&mut self) {
        self.state = Constant::new(self.start.clone());
    }
}

/// The evidence of one of `all` demands on a level of some rows and columns.
pub(super) fn statement<'a>(
    demand: &'a Demand,
    (all, crossed): (&'a [Demand], &Arc<ReachabilityMemo>),
    (height, width): (usize, usize),
) -> Box<dyn ColumnEvidence + 'a> {
    match demand {
        Demand::Seen => seen(all, (height, width)),
        Demand::Pinned(mask) => pinned(mask),
        // They are set before anything is stated.
        Demand::Placed(_) => Box::new(|_: &LevelElements, _: usize, model: Model| model),
        &Demand::MaximumGap(most) => maximum_gap(most, height),
        &Demand::Count { tile, least, most } => count(tile, (least, most), (height, width)),
        Demand::Forbidden(pattern) => forbidden(pattern, height),
        Demand::Playable => playable(MovementRules::platformer(), (height, width), crossed),
        Demand::PlayableUnder(rules) => playable(rules, (height, width), crossed),
    }
}

fn seen(all: &[Demand], (height, width): (usize, usize)) -> Box<dyn ColumnEvidence + '_> {
    let placed = |(row, column): (usize, usize)| {
        all.iter().any(|demand| match demand {
            Demand::Placed(mask) => mask.get(row, column).is_some(),
            _ => false,
        })
    };
    Box::new(
        move |elements: &LevelElements, column: usize, model: Model| {
            // Only a configuration that was seen has a tile from the first structure.
            let first = &elements.chain().structures()[0];
            let rows = (0..height).rev().filter(|&row| {
                let mut sees = first.neighbours(row, column, height, width).flatten();
                !placed((row, column)) && !sees.any(placed)
            });
            rows.fold(model, |model, row| {
                model.observe(elements.structure(row, column), 0)
            })
        },
    )
}

fn pinned(mask: &Mask) -> Box<dyn ColumnEvidence + '_> {
    Box::new(
        move |elements: &LevelElements, column: usize, model: Model| {
            let rows = (0..mask.height()).rev();
            rows.fold(model, |model, row| match mask.get(row, column) {
                Some(tile) => model.observe(elements.tile(row, column), tile),
                None => model,
            })
        },
    )
}

/// Bounds the gap: a fold over columns of the number of columns without ground that end here.
fn maximum_gap(most: usize, height: usize) -> Box<dyn ColumnEvidence> {
    let step = Arc::new(move |(gap, tile): (&usize, &Tile)| {
        if tile.solid() {
            0
        } else {
            gap.saturating_add(1).min(most.saturating_add(1))
        }
    });
    let short = Arc::new(move |gap: &usize| *gap <= most);
    FoldedEvidence::boxed(0usize, move |elements, column, gap, model| {
        let gap = (gap, elements.tile(height - 1, column)).map_shared(&step);
        let model = model.condition_shared(&gap, &short);
        (gap, model)
    })
}

/// Bounds a count: a fold over cells of the number of tiles of the kind so far.
fn count(
    tile: Tile,
    (least, most): (usize, usize),
    (height, width): (usize, usize),
) -> Box<dyn ColumnEvidence> {
    // Beyond what can matter there is no need to count.
    let enough = if most >= height * width {
        least
    } else {
        most + 1
    };
    let step = Arc::new(move |(count, found): (&usize, &Tile)| {
        (count + usize::from(*found == tile)).min(enough)
    });
    let few = Arc::new(move |count: &usize| *count <= most);
    FoldedEvidence::boxed(0usize, move |elements, column, count, mut model| {
        let mut count = count.clone();
        for row in (0..height).rev() {
            count = (&count, elements.tile(row, column)).map_shared(&step);
        }
        model = model.condition_shared(&count, &few);
        // As many as the cells to come could still bring.
        let left = (width - 1 - column) * height;
        if least > left {
            model = model.condition(&count, move |count| count.saturating_add(left) >= least);
        }
        (count, model)
    })
}

/// Forbids the pattern: no placement with its last column here matches.
fn forbidden(pattern: &Mask, height: usize) -> Box<dyn ColumnEvidence + '_> {
    let tiles: Vec<_> = pattern.tiles().collect();
    let wanted: Vec<Tile> = tiles.iter().map(|&(_, _, tile)| tile).collect();
    let differs = Arc::new(move |found: Vec<&Tile>| {
        let mut pairs = found.into_iter().zip(&wanted);
        pairs.any(|(found, wanted)| found != wanted)
    });
    let (rows, columns) = (pattern.height(), pattern.width());
    Box::new(
        move |elements: &LevelElements, column: usize, mut model: Model| {
            let Some(first) = (column + 1).checked_sub(columns) else {
                return model;
            };
            for top in 0..=height - rows {
                let parents: Vec<Element<Tile>> = tiles
                    .iter()
                    .map(|&(row, at, _)| elements.tile(top + row, first + at).clone())
                    .collect();
                let free = Parents::map_shared(&parents, &differs);
                model = model.observe(&free, true);
            }
            model
        },
    )
}

/// Demands playability: a fold over columns of the player's crossings of the right edge.
fn playable(
    rules: &MovementRules,
    (height, width): (usize, usize),
    crossed: &Arc<ReachabilityMemo>,
) -> Box<dyn ColumnEvidence> {
    let crossed = Arc::clone(crossed);
    let step = Arc::new(move |(reach, column): (&Option<Reach>, &Vec<CellClass>)| {
        crossed.after(reach.as_ref()?, column)
    });
    let start = Some(Reach::under(height, rules));
    let rules = rules.clone();
    FoldedEvidence::boxed(start, move |elements, column, reach, model| {
        let tiles: Vec<Element<Tile>> = (0..height)
            .map(|row| elements.tile(row, column).clone())
            .collect();
        let rules = rules.clone();
        let classes = Apply::new(&tiles, move |tiles| {
            tiles.into_iter().map(|&tile| rules.class(tile)).collect()
        });
        let reach = (reach, &classes).map_shared(&step);
        let model = if column + 1 == width {
            model.condition(&reach, |reach| reach.as_ref().is_some_and(Reach::playable))
        } else {
            model.condition(&reach, Option::is_some)
        };
        (reach, model)
    })
}
