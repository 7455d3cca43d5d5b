//! A generator of boards that are perfect mazes: as a probabilistic program, and as independent cells and rules for Markov chains.

use figrs_core::{Constant, Element, Select, Value, stream};

use super::bounded_way::BoundedWay;
use super::matrix_tree::MatrixTree;
use super::passage_moves::PassageMoves;
use super::tree_rule::TreeRule;
use super::{PerfectMaze, Pointer, Tree, TreeState};
use crate::board::{BoardElements, BoardError, Generator, OwnAnswers, OwnSampler, RuledCells};
use crate::grid::{Automaton, Board, Constraint, GridError, Position, Size};
use figrs_reading::Mistake;

/// The maze generator's own sampler is Wilson's algorithm; rejection tests the bounds on the length of the solution. If the length of the solution is
/// bounded, only grids of up to six columns have a probabilistic program.
impl Generator for PerfectMaze {
    type Cell = Pointer;
    type Board = Board<Pointer>;

    fn size(&self) -> Size {
        PerfectMaze::size(self)
    }

    fn elements(&self) -> Result<BoardElements<Pointer>, BoardError> {
        Ok(PerfectMaze::elements(self)?)
    }

    fn board(&self, cells: Vec<Pointer>) -> Result<Board<Pointer>, BoardError> {
        let maze = Board::new(self.clues.size(), cells)?;
        match maze.distances().iter().position(Option::is_none) {
            Some(room) => {
                let room = maze.size().position(room);
                let problem = format!("the room at {room} does not lead to the first room");
                let remedy =
                    "let every room point to an adjacent room that leads to the first room";
                Err(GridError::from(Mistake::value(problem, remedy)).into())
            }
            None => Ok(maze),
        }
    }

    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (
            self.clues.size().rows() as f64,
            self.clues.size().columns() as f64,
        );
        Some(match self.steps {
            None => 3.9 * rows * 5.4f64.powf(columns),
            Some(_) => 0.0031 * rows.powf(4.5) * 17f64.powf(columns),
        })
    }

    fn meets(&self, maze: &Board<Pointer>) -> bool {
        let steps = || Some(maze.solution()?.len() as u32 - 1);
        self.steps.is_none_or(|(least, most)| {
            steps().is_some_and(|steps| (least..=most).contains(&steps))
        })
    }

    fn answers(&self) -> Option<Box<dyn OwnAnswers<Pointer, Board<Pointer>> + '_>> {
        let has_answers = self.steps.is_none() && self.clues.is_empty();
        has_answers.then(|| Box::new(MatrixTree(self.clone())) as Box<_>)
    }

    fn ruled_cells(&self) -> Option<RuledCells<Pointer>> {
        Some(self.ruled())
    }

    fn sampler(&self) -> Option<OwnSampler<'_, Board<Pointer>>> {
        Some(OwnSampler {
            name: "wilson",
            draw: Box::new(|rng| Ok(Some(self.sample(rng)))),
            tries: self.steps.is_some().then_some(u64::MAX),
        })
    }
}

impl PerfectMaze {
    /// Creates the probabilistic program of the perfect mazes.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn elements(&self) -> Result<BoardElements<Pointer>, GridError> {
        let size = self.size().for_automata()?;
        let cells: Vec<Element<Pointer>> = size
            .positions()
            .map(|at| {
                if size.index(at) == 0 {
                    return Constant::new(Pointer::Root);
                }
                Select::new(self.choices(at).map(|(pointer, weight)| (weight, pointer)))
            })
            .collect();
        let rules = match self.steps {
            Some(steps) => {
                let way = BoundedWay::new(size, steps)?;
                Constraint::new(size, &cells, way)?.model().clone()
            }
            None => Constraint::new(size, &cells, Tree::new(size))?
                .model()
                .clone(),
        };
        BoardElements::new(size, cells, rules)?
            .with_clues(self.clues.iter().map(|(at, clue)| (at, clue.0)))
    }
}

impl BoardElements<Pointer> {
    /// Returns the constraint that the pointers form a tree and that `automaton` accepts the pointers; one fold evaluates both conditions.
    ///
    /// **Errors.** The errors of the constructor [`Constraint::new`].
    #[track_caller]
    pub fn and<A: Automaton<Pointer>>(
        &self,
        automaton: A,
    ) -> Result<Constraint<(TreeState, A::State)>, GridError>
    where
        A::State: Value,
    {
        Constraint::new(
            self.size(),
            self.cells(),
            Tree::new(self.size()).and(automaton),
        )
    }
}

impl PerfectMaze {
    /// Returns the pointers of the rooms as independent choices, and the rules, as input of Markov chains. A step of the Markov chain of mazes opens
    /// one passage between two rooms and closes another.
    ///
    /// If the length of the solution has no bounds, Markov chains reach every maze, because one maze can take over the pointers of another maze one
    /// after another. To avoid cycles, a room takes over its pointer from the other maze after the room to which this pointer leads. Each change of a
    /// room's pointer opens one passage of the room and closes another.
    pub(super) fn ruled(&self) -> RuledCells<Pointer> {
        let size = self.size();
        let choices = |at: usize| match at {
            0 => vec![(Pointer::Root, 1.0)],
            at => {
                let at = size.position(at);
                let choices = self.choices(at);
                choices
                    .filter(|(pointer, _)| pointer.target(size, at).is_some())
                    .collect()
            }
        };
        let rule = TreeRule::new(size, self.steps.map(|(least, most)| least..=most));
        let mut ruled = RuledCells::new(size, choices)
            .clues(self.clues.iter().map(|(at, _)| at))
            .rule(rule)
            .moves(PassageMoves::new(size));
        // One Markov chain starts from a typical maze, and one from a maze with nearly the longest solution, unless clues exclude this maze.
        let usual = self.sample(&mut stream(0, 0));
        ruled = ruled.start(usual.cells().to_vec());
        if self.clues.is_empty() {
            ruled = ruled.start(snake(size));
        }
        match self.steps {
            Some(_) => ruled.nearly_joined(),
            None => ruled.joined(),
        }
    }
}

/// Returns a maze that is a single path through all rooms: row by row, or column by column if only this path ends in the last room.
fn snake(size: Size) -> Vec<Pointer> {
    let by_columns = size.rows().is_multiple_of(2) && !size.columns().is_multiple_of(2);
    let pointer = |Position { row, column }| {
        let (line, place, back, ahead, up) = match by_columns {
            false => (row, column, Pointer::Left, Pointer::Right, Pointer::Up),
            true => (column, row, Pointer::Up, Pointer::Down, Pointer::Left),
        };
        let last = match by_columns {
            false => size.columns() - 1,
            true => size.rows() - 1,
        };
        match (line.is_multiple_of(2), line, place) {
            (true, 0, 0) => Pointer::Root,
            (true, _, 0) => up,
            (true, ..) => back,
            (false, _, place) if place == last => up,
            (false, ..) => ahead,
        }
    };
    size.positions().map(pointer).collect()
}
