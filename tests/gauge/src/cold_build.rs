//! Measures the first build of a small program, in which all dependencies are compiled.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Time and size of a build in which all dependencies are compiled.
pub(crate) struct ColdBuild {
    wall: Duration,
    /// Processor time in seconds, if the system reports it.
    processors: Option<f64>,
    crates: usize,
}

impl ColdBuild {
    /// Builds `burglary` in an empty folder.
    ///
    /// **Errors.** The errors of `cargo`.
    pub(crate) fn measure(root: &Path) -> Result<Self, Box<dyn Error>> {
        let target = tempfile::tempdir()?;
        let (start, before) = (Instant::now(), child_seconds());
        let build = Command::new(env!("CARGO"))
            .args(["build", "--release", "--example", "burglary", "--quiet"])
            .env("CARGO_TARGET_DIR", target.path())
            .env("CARGO_INCREMENTAL", "0")
            .current_dir(root)
            .status()?;
        if !build.success() {
            return Err("burglary cannot be built".into());
        }
        let wall = start.elapsed();
        let processors = child_seconds()
            .zip(before)
            .map(|(after, before)| after - before);
        let tree = Command::new(env!("CARGO"))
            .args([
                "tree",
                "--package",
                "figrs-burglary",
                "--edges",
                "normal,build",
            ])
            .args(["--prefix", "none", "--no-dedupe"])
            .current_dir(root)
            .output()?;
        let lines = String::from_utf8(tree.stdout)?;
        let crates: BTreeSet<&str> = lines
            .lines()
            .map(|line| line.split(" (").next().unwrap_or(line))
            .collect();
        Ok(Self {
            wall,
            processors,
            crates: crates.len(),
        })
    }
}

impl Display for ColdBuild {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} s", self.wall.as_secs_f64())?;
        if let Some(seconds) = self.processors {
            write!(f, ", {seconds:.0} s of processors")?;
        }
        write!(f, ", {} crates", self.crates)
    }
}

/// Returns the processor time of all processes for which this process has waited, on Linux.
fn child_seconds() -> Option<f64> {
    /// Number of units per second in which Linux counts processor time.
    const TICKS: f64 = 100.0;
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, which is in brackets, may contain spaces; user and system time of children are the 14th and 15th field after it.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |place: usize| fields.get(place)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / TICKS)
}
