//! Tests of the command lines of the examples, which are run as programs.

mod cases;
mod compare_cli;
mod documented_commands;
mod escapes;
mod interrupted_files;
mod mario_cli;
mod mario_corpora_cli;
mod mario_demands_cli;
mod mario_measures_cli;
mod mario_movement_cli;
mod mario_pictures_cli;
mod mario_training_cli;
mod network_cli;
mod pinned_boards;
mod plan_cli;
mod puzzle_cli;
mod puzzles_cli;
mod reals_cli;
mod reports;
mod spread_cli;
mod spread_dask;
mod spread_tasks_cli;
mod studio_http;
