//! Kinds of board, a folder for each: settings, rules as elements, pictures.

pub mod chromatic_maze;
pub mod dungeon;
pub mod island;
pub mod maze;
pub mod yin_yang;
