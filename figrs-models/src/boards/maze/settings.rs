//! Settings of perfect mazes: the size, and the weights of directions of pointers.

use figrs_reading::Mistake;
use std::ops::RangeInclusive;

use super::{Pointer, PointerClues};
use crate::grid::{GridError, Position, Size};

/// Weights of the directions in which a room of a maze can point: their probabilities up to a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionWeights {
    /// Weight of pointers to the room above.
    pub up: f64,
    /// Weight of pointers to the room below.
    pub down: f64,
    /// Weight of pointers to the room to the left.
    pub left: f64,
    /// Weight of pointers to the room to the right.
    pub right: f64,
}

impl DirectionWeights {
    /// The same weight for all directions of pointers.
    pub const UNIFORM: Self = Self {
        up: 1.0,
        down: 1.0,
        left: 1.0,
        right: 1.0,
    };
    /// Weights 45 for pointers to the right and left, and 5 for pointers up and down.
    pub const SNAKE: Self = Self {
        up: 0.05,
        down: 0.05,
        left: 0.45,
        right: 0.45,
    };

    pub(super) fn of(self, pointer: Pointer) -> f64 {
        match pointer {
            Pointer::Root => 0.0,
            Pointer::Up => self.up,
            Pointer::Down => self.down,
            Pointer::Left => self.left,
            Pointer::Right => self.right,
        }
    }
}

/// States whether the pointers of rooms at the border can lead out of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Border {
    /// Directions out of the grid are excluded: rooms at the border choose among the other directions, in proportion to their weights.
    #[default]
    Within,
    /// Pointers of rooms at the border may lead out of the grid, but the evidence excludes mazes with such pointers.
    Outside,
}

/// Perfect mazes of one size; see the [module](super).
///
/// ```
/// use figrs_core::stream;
/// use figrs_infer::{Compiled, Frontier};
/// use figrs_models::grid::Size;
/// use figrs_models::maze::PerfectMaze;
///
/// let mazes = PerfectMaze::new(Size::new(3, 3)?);
/// let elements = mazes.elements()?;
/// let compiled = Frontier::new().compile(elements.model(), elements.cells())?;
/// assert_eq!(compiled.count()?.to_string(), "192");
/// for world in compiled.samples(1)?.take(2) {
///     println!("{}", elements.board(&world)?);
/// }
/// println!("{}", PerfectMaze::new(Size::new(20, 40)?).sample(&mut stream(7, 0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct PerfectMaze {
    pub(super) clues: PointerClues,
    pub(super) weights: DirectionWeights,
    pub(super) border: Border,
    pub(super) steps: Option<(u32, u32)>,
}

impl PerfectMaze {
    /// Creates a generator of perfect mazes of the given size, all equally likely.
    pub fn new(size: Size) -> Self {
        Self {
            clues: PointerClues::none(size),
            weights: DirectionWeights::UNIFORM,
            border: Border::Within,
            steps: None,
        }
    }

    /// Creates a generator of mazes in which the rooms with clues point as the clues state; the clues determine the size.
    ///
    /// **Errors.** [`GridError::PointerClues`] if the clues lead out of the grid or in a circle, or cut rooms off from the first room, because no
    /// maze meets such clues.
    pub fn with_clues(clues: PointerClues) -> Result<Self, GridError> {
        super::clues::check(&clues)?;
        let size = clues.size();
        Ok(Self {
            clues,
            ..Self::new(size)
        })
    }

    pub(super) fn size(&self) -> Size {
        self.clues.size()
    }

    /// Sets the weights of the directions in which rooms point.
    ///
    /// **Errors.** [`GridError::Invalid`] if a weight is not a number from 1e-6 to 1e6: with a larger ratio of two weights, the random walks of the
    /// sampler may not end.
    pub fn weights(self, weights: DirectionWeights) -> Result<Self, GridError> {
        for direction in Pointer::DIRECTIONS {
            let weight = weights.of(direction);
            if !(1e-6..=1e6).contains(&weight) {
                return Err(Mistake::value(
                    format!("the weight of pointing {direction:?} is {weight}"),
                    "use a number from 1e-6 to 1e6",
                )
                .into());
            }
        }
        Ok(Self { weights, ..self })
    }

    /// Sets whether the pointers of rooms at the border can lead out of the grid.
    pub fn border(self, border: Border) -> Self {
        Self { border, ..self }
    }

    /// Bounds the number of steps of the path from the first room to the last, for a [`ConditionalSampler`](crate::board::ConditionalSampler) and the
    /// probabilistic program; the method [`sample`](Self::sample) ignores these bounds.
    ///
    /// **Errors.** [`GridError::Invalid`] if the range of steps is empty; [`GridError::Impossible`] if no solution has a length in the range.
    pub fn steps(self, steps: RangeInclusive<u32>) -> Result<Self, GridError> {
        let steps = GridError::not_empty("steps", steps)?;
        let (rows, columns) = (self.size().rows(), self.size().columns());
        let shortest = rows + columns - 2;
        // On a chessboard a path alternates between black and white cells: a path from corner to corner can pass all rooms, or all but one if both
        // sides are even (Itai, Papadimitriou and Szwarcfiter 1982).
        let left_out = usize::from(rows % 2 == 0 && columns % 2 == 0);
        let longest = if rows == 1 || columns == 1 {
            shortest
        } else {
            rows * columns - 1 - left_out
        };
        GridError::reachable(
            "steps of the path",
            &steps,
            shortest as u32..=longest as u32,
            2,
        )?;
        let steps = Some(steps.into_inner());
        Ok(Self { steps, ..self })
    }

    /// Returns the directions in which the room `at` may point, each with its weight.
    pub(super) fn choices(&self, at: Position) -> impl Iterator<Item = (Pointer, f64)> + Clone {
        let (size, border, weights) = (self.size(), self.border, self.weights);
        let possible = move |pointer: &Pointer| {
            border == Border::Outside || pointer.target(size, at).is_some()
        };
        Pointer::DIRECTIONS
            .into_iter()
            .filter(possible)
            .map(move |pointer| (pointer, weights.of(pointer)))
    }
}
