//! The example programs, run as a user runs them.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The binary of an example, or `None` with a printed reason. It is built by `cargo test --workspace`.
fn binary(example: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let target = own.parent()?.parent()?;
    let name = format!("{example}{}", std::env::consts::EXE_SUFFIX);
    let path = target.join("examples").join(name);
    if path.exists() {
        return Some(path);
    }
    println!(
        "skipped: {} is not built; run `cargo test --workspace`",
        path.display()
    );
    None
}

/// What an example does with some arguments; `None` if it is not built.
///
/// # Panics
///
/// If it cannot be started.
pub fn run(example: &str, arguments: &[&str]) -> Option<Output> {
    run_in(Path::new("."), example, arguments)
}

/// As [`run`], started in a directory.
///
/// # Panics
///
/// If it cannot be started.
pub fn run_in(directory: &Path, example: &str, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new(binary(example)?);
    let output = command.args(arguments).current_dir(directory).output();
    Some(output.expect("the example starts"))
}

/// Starts an example with some arguments, its output piped; `None` if it is not built.
///
/// # Panics
///
/// If it cannot be started.
pub fn start(example: &str, arguments: &[&str]) -> Option<Child> {
    let mut command = Command::new(binary(example)?);
    let command = command.args(arguments).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).spawn();
    Some(child.expect("the example starts"))
}

/// The text that an example printed.
///
/// # Panics
///
/// If it is not UTF-8.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the example prints UTF-8")
}
