//! A web page for the design of levels, boards and networks, and the HTTP server that answers its requests on this machine.
//!
//! A [`Studio`] computes the answers to requests, and the function [`serve`] receives the requests from the network. The server draws the same levels
//! as `mario_mdmc`, answers requests for boards that contain the flags of the board commands, and compiles each network once for many queries. The
//! files of the web page are in `examples/studio/page`.

mod assets;
mod board;
mod clients;
mod connections;
mod controls;
mod fields;
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

/// The help text about the requests that the server answers.
pub const API: &str = "\
The command prints an address; open it in a browser on this machine.
The page sends requests to no other address.

Other programs on this machine may send the same requests.
The body of a POST request is JSON of up to 16 MiB, with the header Content-Type: application/json.
The fields of a request have the names of the commands' flags, and the fields of an answer those of the commands' JSON.
docs/studio.md lists all fields.

  GET  /             the page
  GET  /api/files    the networks and the folders of training levels in --folder
  POST /api/level    the answer of mario_mdmc: {\"task\": \"sample\", \"width\": 60, \"seed\": 1, \"playable\": true, \"pin\": [[13, 0, \"X\"]]}
  POST /api/board    the answer of maze, chromatic_maze, dungeon, island or yin_yang: {\"puzzle\": \"yin_yang\", \"task\": \"solve\", \"clues\": [\"1..\", \"...\", \"..2\"]}
  POST /api/network  the answer of network: {\"file\": \"asia.bif\", \"observe\": {\"smoke\": \"yes\"}}

A request may have the headers Figrs-Client (any name) and Figrs-Change (a number).
It ends the work on all requests of the same client with smaller numbers.

If demands, clues or observations contradict each other, or if a budget is too small, the answer has the status 200.
It is then {\"error\": TEXT} with the cells or variables concerned.
The text names the controls of the page and the fields, and counts rows and columns from 1; requests count from 0.
An error with another status has the same form:
  400  the request has a mistake
  403  the request is for another host, or comes from another page
  404  the path or a file does not exist
  405  the path does not take the method
  408  the body arrives too slowly
  409  a later request of the client ended the work
  413  the body is too long
  415  the body is not JSON
  500  the program has a mistake
  503  too many requests wait
  507  all requests together take too much memory
With the header Figrs-Errors: answer, an error of 400, 404 or 409 is an answer of status 200, with the field \"status\".

Ctrl-C ends the program.

Exit code:
  0: Ctrl-C ended the program.
  2: the port or the folder cannot be used.";
