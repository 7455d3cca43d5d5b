//! Runs the example programs as a user runs them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::SystemTime;
use std::{env, fs};

/// Runs an example with some arguments, and returns its output.
///
/// # Panics
///
/// Panics if the example is not built or is older than its sources; the message names the command that builds it.
pub fn run(example: &str, arguments: &[&str]) -> Output {
    run_in(Path::new("."), example, arguments)
}

/// As [`run`], with the example started in a directory.
///
/// # Panics
///
/// Panics as [`run`] does.
pub fn run_in(directory: &Path, example: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary(example));
    let output = command.args(arguments).current_dir(directory).output();
    output.expect("the example starts")
}

/// As [`run`], with a text on standard input.
///
/// # Panics
///
/// Panics as [`run`] does.
pub fn run_with_input(example: &str, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(binary(example));
    let command = command.args(arguments).stdin(Stdio::piped());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the example starts");
    let mut pipe = child.stdin.take().expect("it is piped");
    // An example that fails may end before it has read all input.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    child.wait_with_output().expect("the example ends")
}

/// Starts an example with some arguments and with piped output.
///
/// # Panics
///
/// Panics as [`run`] does.
pub fn start(example: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(binary(example));
    let command = command.args(arguments).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).spawn();
    child.expect("the example starts")
}

/// Returns the text that an example printed.
///
/// # Panics
///
/// Panics if the bytes are not UTF-8.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the example prints UTF-8")
}

/// Returns the path of the binary of an example, in the directory in which this test was built too.
///
/// # Panics
///
/// Panics as [`run`] does.
pub fn binary(example: &str) -> PathBuf {
    let own = env::current_exe().expect("a test knows where it is");
    let target = own.parent().and_then(Path::parent);
    let target = target.expect("tests are built in a directory of the target directory");
    let binary = target
        .join("examples")
        .join(format!("{example}{}", env::consts::EXE_SUFFIX));
    if let Err(wrong) = fresh(&binary) {
        panic!("{wrong}; run `{}`", build_command(target));
    }
    binary
}

/// Returns the command that builds all examples into a directory of the target directory.
fn build_command(target: &Path) -> String {
    let profile = match target.file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => String::new(),
        Some("release") => " --release".to_owned(),
        Some(profile) => format!(" --profile {profile}"),
    };
    format!("cargo build --workspace --examples{profile}")
}

/// Checks that a binary is newer than all its sources, which Cargo lists in the `.d` file beside it.
fn fresh(binary: &Path) -> Result<(), String> {
    let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified());
    let built: SystemTime =
        modified(binary).map_err(|error| format!("{} is not built ({error})", binary.display()))?;
    let list = binary.with_extension("d");
    let listed = fs::read_to_string(&list)
        .map_err(|error| format!("no sources are known of {} ({error})", binary.display()))?;
    for source in sources(&listed) {
        let is_older = modified(&source).is_ok_and(|changed| changed <= built);
        if !is_older {
            let (source, binary) = (source.display(), binary.display());
            return Err(format!("{source} has changed since {binary} was built"));
        }
    }
    Ok(())
}

/// Returns the sources that a `.d` file lists: the words after the colon, in which a backslash precedes each space.
fn sources(listed: &str) -> Vec<PathBuf> {
    let line = listed.lines().next().unwrap_or_default();
    let (_, words) = line.split_once(": ").unwrap_or_default();
    let words = words.replace("\\ ", "\0");
    let words = words.split_whitespace();
    words.map(|word| word.replace('\0', " ").into()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_binary_is_refused_if_it_is_missing_or_older_than_a_source() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let shown = |binary: &Path| fresh(binary).unwrap_err();
        let binary = path("maze");
        assert!(shown(&binary).contains("is not built"));
        fs::write(&binary, "").unwrap();
        assert!(shown(&binary).contains("no sources are known"));
        let (old, new) = (path("a space.rs"), path("new.rs"));
        let listed = [&binary, &old, &new].map(|path| path.to_str().unwrap().replace(' ', "\\ "));
        let listed = format!("{}: {} {}\n", listed[0], listed[1], listed[2]);
        fs::write(path("maze.d"), &listed).unwrap();
        fs::write(&old, "").unwrap();
        let later = |path: &Path, seconds| {
            let time = SystemTime::now() + Duration::from_secs(seconds);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        };
        later(&binary, 10);
        assert!(shown(&binary).contains("new.rs has changed"));
        fs::write(&new, "").unwrap();
        assert_eq!(fresh(&binary), Ok(()));
        later(&old, 20);
        assert!(shown(&binary).contains("a space.rs has changed"));
        assert_eq!(sources(&listed), [old, new]);
    }

    #[test]
    fn the_command_builds_where_the_tests_are() {
        let shown = |target: &str| build_command(Path::new(target));
        assert_eq!(shown("target/debug"), "cargo build --workspace --examples");
        assert!(shown("target/release").ends_with("--release"));
        assert!(shown("target/small").ends_with("--profile small"));
    }
}
