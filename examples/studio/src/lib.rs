//! A web page for the design of levels, boards and networks, and the HTTP server that answers its requests on this machine.
//!
//! A [`Studio`] answers requests, and [`serve`] receives them from the network. The server draws the levels that `mario_mdmc` draws, answers requests
//! for boards that contain the flags of their commands, and compiles each network once for many queries. The page is in `examples/studio/page`.

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

/// Does the work of the server that started this process, until the server ends.
///
/// **Errors.** The folder cannot be read.
pub fn work(folder: Option<&Path>) -> Result<(), Failure> {
    worker::work(folder)
}

/// The help text about possible requests.
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
