//! A page to design levels, boards and networks in, served on this machine.
//!
//! `cargo run --release --example studio -- --help`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use figrs_command::{Failure, parsed, stop};
use figrs_studio::{API, Studio, serve, work};

/// Serves a page to design levels, boards and networks in, on 127.0.0.1 alone.
#[derive(Debug, Parser)]
#[command(version, after_long_help = API)]
struct Options {
    /// The port; 0 takes one that is free. The address is printed on the standard output.
    #[arg(long, default_value_t = 7414)]
    port: u16,
    /// Offer the networks and training levels of this folder. No other file can be read by the page, and none is written.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Do the work of the server that has started this.
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
