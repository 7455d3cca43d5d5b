//! A web page for the design of levels, boards and networks, served on this machine.
//!
//! `cargo run --release --example studio -- --help`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use figrs_command::{Failure, parsed, stop, whole};
use figrs_studio::{API, Studio, serve, work};

/// Serves a web page for the design of levels, boards and networks, on 127.0.0.1 only.
#[derive(Debug, Parser)]
#[command(version, after_long_help = API)]
struct Options {
    /// Port of the server; 0 chooses a free port. The address of the page is printed on the standard output.
    #[arg(long, default_value_t = 7414, value_parser = whole::<u16>(0..))]
    port: u16,
    /// Let the page read the networks and training levels of this folder. The page can read no other file, and writes no file.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Do the work of the server process that started this process.
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> ExitCode {
    figrs_command::run(|_| None, || run(&parsed()))
}

fn run(options: &Options) -> Result<(), Failure> {
    if options.worker {
        return work(options.folder.as_deref());
    }
    stop::listen(None)?;
    let studio = Studio::new(options.folder.as_deref())?;
    serve(options.port, studio)
}
