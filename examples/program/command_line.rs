//! How a program ends that cannot start, or that nobody listens to any more.

use std::error::Error;
use std::{io, process};

/// Ends the program with the help that was asked for, or with one line of what is wrong with the command line and exit
/// code 2.
pub(crate) fn end(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    let text = error.render().to_string();
    // What follows repeats the usage.
    let is_said =
        |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(is_said).collect();
    let line = lines.join(" ").replace(" tip:", "; tip:");
    let words: Vec<&str> = line.split_whitespace().collect();
    eprintln!("{}; see --help", words.join(" "));
    process::exit(2)
}

/// Whether whoever reads the output has gone.
pub(crate) fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
