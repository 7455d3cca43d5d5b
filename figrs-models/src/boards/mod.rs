//! Kinds of boards, each in a folder with its settings, its probabilistic program, its rules and its pictures.

pub mod chromatic_maze;
pub mod dungeon;
pub mod island;
pub mod maze;
pub mod yin_yang;
