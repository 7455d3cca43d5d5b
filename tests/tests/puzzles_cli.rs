//! The examples that draw boards, as a user runs them.

#[path = "puzzles_cli/answers.rs"]
mod answers;
#[path = "puzzles_cli/files.rs"]
mod files;
#[path = "puzzles_cli/impossible.rs"]
mod impossible;
#[path = "puzzles_cli/laws.rs"]
mod laws;
#[path = "puzzles_cli/made.rs"]
mod made;
#[path = "puzzles_cli/methods.rs"]
mod methods;
#[path = "puzzles_cli/mistakes.rs"]
mod mistakes;
#[path = "puzzles_cli/shown.rs"]
mod shown;
#[path = "puzzles_cli/stats.rs"]
mod stats;
