//! A page to design levels, boards and networks in, and the HTTP server that answers it on this machine.
//!
//! A [`Studio`] answers requests, and [`serve`] takes them from the network. Levels are drawn as `mario_mdmc` draws them, boards are asked for by the
//! flags of their commands, and networks are compiled once and queried many times. The page is in `examples/studio/page`.

mod assets;
mod board;
mod clients;
mod connections;
mod folder;
mod frame;
mod guard;
mod level;
mod memory_pool;
mod network;
mod problem;
mod recent;
mod server;
mod studio;
mod worker;
mod worker_process;

pub use server::serve;
pub use studio::Studio;

use std::path::Path;

use figrs_command::Failure;

/// Does the work of the server that started this program, until the server ends.
///
/// **Errors.** The folder cannot be read.
pub fn work(folder: Option<&Path>) -> Result<(), Failure> {
    worker::work(folder)
}

/// Help on the requests that are possible.
pub const API: &str = "\
Open the address that is printed in a browser on this machine. Nothing else is needed: the page asks no other address.

The page asks by POST, and so may programs on this machine; bodies are JSON of up to 16 MiB, with Content-Type application/json.
Fields have the names of the flags of the commands, answers those of their JSON (docs/studio.md has all of them):

  GET  /             the page
  GET  /api/files    the networks and the folders of training levels in --folder
  POST /api/level    as mario_mdmc: {\"task\": \"sample\", \"width\": 60, \"seed\": 1, \"playable\": true, \"pin\": [[13, 0, \"X\"]]}
  POST /api/board    as maze, chromatic_maze, dungeon, island, yin_yang: {\"puzzle\": \"yin_yang\", \"task\": \"solve\", \"clues\": [\"1..\", \"...\", \"..2\"]}
  POST /api/network  as network: {\"file\": \"asia.bif\", \"observe\": {\"smoke\": \"yes\"}}

A request with the headers Figrs-Client (any name) and Figrs-Change (a number) ends the work on requests of that client with smaller numbers.

Where demands, clues or observations exclude each other, or a budget is too small, the answer is {\"error\": TEXT} with the cells or
variables concerned. The same with a status: 400 for what is wrong in a request, 403 for other hosts and pages, 404, 405, 409 for work
that a later change ended, 408 for bodies that are too slow, 413 for those that are too long, 415 for those that are not JSON, 500 for mistakes of
the program, 503 where too many requests wait, 507 where all of them together take too much memory. With the header Figrs-Errors: answer, the statuses 400, 404 and 409 come as a field \"status\" of an answer of status 200.

Ctrl-C ends the program. Exit code: 0 then; 2 if the port or the folder cannot be had.";
