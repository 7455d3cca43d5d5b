//! Measures figrs: the time of a first build of a small program, the lines of each crate, the largest import cycle, and the slowest tests.

mod cold_build;
mod slow_tests;
mod source;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;

use crate::cold_build::ColdBuild;
use crate::source::Crate;

/// Weighs figrs, so that weight cannot creep back unseen.
#[derive(Parser)]
struct Options {
    /// The output of `.ci/test`, which has the time of each test
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Leave out the cold build
    #[arg(long)]
    no_build: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !options.no_build {
        let build = ColdBuild::measure(&root)?;
        println!("burglary from nothing: {build}");
    }
    let mut crates = Vec::new();
    for entry in fs::read_dir(&root)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with("figrs-") {
            let parsed = Crate::read(&root.join(&name).join("src"))?;
            crates.push((parsed.lines(), name, parsed.largest_circle()));
        }
    }
    crates.sort_by_key(|(lines, ..)| std::cmp::Reverse(*lines));
    println!("\nlines of code  crate");
    for (lines, name, _) in &crates {
        println!("{lines:>13}  {name}");
    }
    if let Some((_, name, circle)) = crates.iter().max_by_key(|(.., circle)| circle.len()) {
        println!(
            "\nlargest circle of imports: {} files of {name}",
            circle.len()
        );
        for file in circle {
            println!("  {file}");
        }
    }
    if let Some(log) = &options.log {
        println!("\nseconds  slowest tests");
        for (seconds, name) in slow_tests::slowest(&fs::read_to_string(log)?, 10) {
            println!("{seconds:>7.1}  {name}");
        }
    }
    Ok(())
}
