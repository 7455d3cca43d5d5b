//! The five puzzles: their flags, their generators, and the display of their boards.

pub mod chromatic_maze;
pub mod dungeon;
pub mod island;
pub mod maze;
pub mod yin_yang;
