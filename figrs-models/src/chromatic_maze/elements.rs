//! A chromatic maze as an element program.

use figrs_core::{Constant, Element, Flip, Model, Parents, Uniform, fold};
use figrs_infer::{Error, World};

use super::automaton::{Chromatic, Marked};
use super::{ChromaticBoard, ChromaticMaze, Colour};
use crate::grid::{Automaton, Constraint, Distances, GridError, Joined, Size};

/// A chromatic maze as elements: the colours of its tiles, start and finish, and the evidence that it has a solution.
///
/// In scan order each tile is one of the two ends of the way with the probability that makes all pairs equally likely: the
/// number of ends still to come over the number of tiles left. A fair coin says which end is the start.
#[derive(Clone, Debug)]
pub struct ChromaticElements {
    size: Size,
    colours: Vec<Element<Colour>>,
    ends: Vec<Element<bool>>,
    start_first: Element<bool>,
    marked: Vec<Element<Marked>>,
    model: Model,
}

impl ChromaticMaze {
    /// The element program.
    #[track_caller]
    pub fn elements(&self) -> Result<ChromaticElements, GridError> {
        let size = self.size;
        let (mut ends, mut marked) = (Vec::new(), Vec::new());
        let mut left = Constant::new(2u8);
        let colours: Vec<Element<Colour>> = size
            .positions()
            .map(|_| Uniform::new(Colour::WHEEL))
            .collect();
        for (index, colour) in colours.iter().enumerate() {
            let tiles = (size.cells() - index) as f64;
            let end = left.flat_map(move |&left| Flip::new(f64::from(left).min(tiles) / tiles));
            marked.push((&left, &end, colour).map(|(left, end, colour)| {
                // The first end has the first mark, and the second one the second.
                let mark = if *end {
                    1 << 2u8.saturating_sub(*left)
                } else {
                    0
                };
                (*colour, mark)
            }));
            left = (&left, &end).map(|(left, end)| left.saturating_sub(u8::from(*end)));
            ends.push(end);
        }
        let mut elements = ChromaticElements {
            size,
            colours,
            ends,
            start_first: Flip::new(0.5),
            marked,
            model: Model::new(),
        };
        elements.model = match &self.steps {
            None => elements.constrained(Joined::new(0b11))?.model().clone(),
            Some(steps) => {
                let distances = Distances::new(size, 2, steps.clone())?;
                elements.constrained(distances)?.model().clone()
            }
        };
        Ok(elements)
    }
}

impl ChromaticElements {
    fn constrained<W: crate::grid::Walk>(
        &self,
        walk: W,
    ) -> Result<Constraint<<Chromatic<W> as Automaton<Marked>>::State>, GridError> {
        Constraint::new(self.size, &self.marked, Chromatic { walk })
    }

    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The colours of all tiles, in scan order.
    pub fn colours(&self) -> &[Element<Colour>] {
        &self.colours
    }

    /// Whether each tile is start or finish, in scan order.
    pub fn ends(&self) -> &[Element<bool>] {
        &self.ends
    }

    /// Whether the start comes before the finish in scan order. No evidence is on it: make it a target, so that worlds
    /// tell start from finish.
    pub fn start_first(&self) -> &Element<bool> {
        &self.start_first
    }

    /// The evidence that the maze has a solution, as long as it has to be.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The places of start and finish in scan order, as one element.
    #[track_caller]
    pub fn start_and_finish(&self) -> Element<(usize, usize)> {
        let cells = self.size.cells();
        let ends: Vec<Element<(usize, bool)>> = (0..cells)
            .map(|index| self.ends[index].map(move |&end| (index, end)))
            .collect();
        let places = fold(
            &ends,
            (cells, cells),
            move |&(first, second), &(at, end)| match (end, first == cells) {
                (false, _) => (first, second),
                (true, true) => (at, second),
                (true, false) => (first, at),
            },
        );
        (&places, &self.start_first).map(|(places, start_first)| {
            let (first, second) = *places;
            if *start_first {
                (first, second)
            } else {
                (second, first)
            }
        })
    }

    /// How many steps the shortest way takes: a fold of its own over the tiles, of all lengths whatever the bounds, and the
    /// evidence that there is a way, which with this as a target is all that is needed.
    ///
    /// **Errors.** [`GridError::TooLargeForDistances`].
    #[track_caller]
    pub fn steps(&self) -> Result<(Element<Option<u32>>, Model), GridError> {
        let distances = Distances::new(self.size, 2, 0..=u32::MAX)?;
        let constraint = self.constrained(distances)?;
        let steps = constraint
            .last()
            .map(move |state| distances.length(&state.as_ref()?.walk));
        Ok((steps, constraint.model().clone()))
    }

    /// The maze of a world, which must have [`Self::start_first`] as a target.
    ///
    /// **Errors.** [`Error::NotInWorld`] if the world is one of another model, or has not that target.
    pub fn board(&self, world: &World) -> Result<ChromaticBoard, Error> {
        let ends = world.values(&self.ends)?;
        let mut ends: Vec<usize> = (0..ends.len()).filter(|&tile| ends[tile]).collect();
        if !world.value(&self.start_first)? {
            ends.reverse();
        }
        let colours = world.values(&self.colours)?;
        Ok(ChromaticBoard::new(self.size, colours, ends[0], ends[1]))
    }
}
