//! Tests that every command in the pages of the repository still works: examples run and succeed, and the tests and benchmarks that are named exist.
//! Examples are built by `cargo test --workspace`; these tests build nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use figrs_tests::example::{self, text};
use figrs_tests::pages::{pages, root};
use figrs_tests::studio::Studio;

/// Placeholders in commands that stand for a file of the reader.
const PLACEHOLDERS: [&str; 2] = ["F", "FILE"];

/// The files that replace a placeholder, by the option before it. They are written beforehand, or are files of the repository.
const FILES: [(&str, &str); 5] = [
    ("--", "garden.bif"),
    ("--file", "garden.bif"),
    ("--data", "examples/tracking/flight.csv"),
    ("--matches", "examples/ratings/league.csv"),
    ("--rules", "examples/puzzle/lamps.kif"),
];

/// Content of `garden.bif`.
const NETWORK: &str = "
network garden { }
variable grass { type discrete [ 2 ] { wet, dry }; }
variable rain { type discrete [ 2 ] { yes, no }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }
";

/// An influence diagram.
const DIAGRAM: &str = r#"<smile version="1.0" id="umbrella"><nodes>
    <cpt id="rain"><state id="yes"/><state id="no"/><probabilities>0.3 0.7</probabilities></cpt>
    <cpt id="forecast"><state id="wet"/><state id="dry"/><parents>rain</parents>
        <probabilities>0.8 0.2 0.1 0.9</probabilities></cpt>
    <decision id="umbrella"><state id="take"/><state id="leave"/><parents>forecast</parents></decision>
    <utility id="comfort"><parents>rain umbrella</parents><utilities>-1 -10 -1 0</utilities></utility>
</nodes></smile>"#;

/// Data about the network.
const DATA: &str = "grass,rain\nwet,yes\ndry,no\nwet,\n";

/// Data without missing values.
const COMPLETE_DATA: &str = "grass,rain\nwet,yes\ndry,no\nwet,no\n";

/// Returns the commands of the pages, each once, in their order, because some commands read the files of earlier ones. Commands are lines of shell
/// blocks, and `cargo` commands in backticks.
fn commands() -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for page in pages() {
        for block in page.blocks("sh") {
            let joined = block.join("\n").replace("\\\n", " ");
            let lines = joined
                .lines()
                .map(|line| line.split(" #").next().unwrap_or(line));
            commands
                .extend(lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        commands.extend(
            page.spans()
                .into_iter()
                .filter(|span| span.starts_with("cargo ")),
        );
    }
    let mut seen = BTreeSet::new();
    commands.retain(|command| !command.is_empty() && seen.insert(command.clone()));
    commands
}

/// Returns the word after an option.
fn after<'a>(words: &[&'a str], option: &str) -> Option<&'a str> {
    let position = words.iter().position(|word| *word == option)?;
    words.get(position + 1).copied()
}

fn exists(path: impl AsRef<Path>) -> bool {
    root().join(path).exists()
}

/// Checks a command, which may write into `directory`; the error describes the mistake.
fn check(command: &str, directory: &Path) -> Result<(), String> {
    let words: Vec<&str> = command.split(' ').collect();
    match words[..] {
        ["cargo", "run", ..] => run(&words, directory),
        ["cargo", "test" | "bench", ..] => named(&words),
        // These are commands of a new crate, and commands of CI and of a release on all crates.
        [
            "cargo",
            "fmt" | "clippy" | "doc" | "new" | "package" | "publish",
            ..,
        ] => Ok(()),
        _ => Err("nothing is known of this command; say here how it is tried".into()),
    }
}

/// Returns the manifests of the repository's packages, each with its folder.
fn manifests() -> Vec<(PathBuf, String)> {
    let parents = [".", "examples", "tests"].map(Path::new);
    let entries = parents.map(|parent| (parent, fs::read_dir(root().join(parent)).unwrap()));
    let folders = entries.into_iter().flat_map(|(parent, entries)| {
        entries.map(move |entry| parent.join(entry.unwrap().file_name()))
    });
    let manifest_of = |folder: PathBuf| {
        let text = fs::read_to_string(root().join(&folder).join("Cargo.toml")).ok()?;
        Some((folder, text))
    };
    let folders = folders.chain([PathBuf::from(".")]);
    folders.filter_map(manifest_of).collect()
}

/// Returns the names of the example targets below `examples/`.
fn examples() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (folder, manifest) in manifests() {
        if folder.starts_with("examples") {
            let targets = manifest.split("[[example]]\nname = \"").skip(1);
            names.extend(targets.filter_map(|target| Some(target.split('"').next()?.to_owned())));
        }
    }
    names
}

/// Checks that the package, the tests and the benchmarks that a command names exist.
fn named(words: &[&str]) -> Result<(), String> {
    let package = after(words, "-p").map(|name| {
        let line = format!("name = \"{name}\"");
        let is_it = |(_, manifest): &(PathBuf, String)| manifest.lines().any(|other| other == line);
        let found = manifests().into_iter().find(is_it);
        found
            .map(|(directory, _)| directory.display().to_string())
            .ok_or(format!("there is no package {name}"))
    });
    let package = package.transpose()?;
    for (option, folder) in [("--test", "tests"), ("--bench", "benches")] {
        let Some(name) = after(words, option) else {
            continue;
        };
        let package = package.as_ref();
        let package = package.ok_or(format!("{option} wants -p with the package"))?;
        let program = format!("{package}/{folder}/{name}");
        if !exists(format!("{program}.rs")) && !exists(format!("{program}/main.rs")) {
            return Err(format!("{package} has no {folder}/{name}.rs"));
        }
    }
    Ok(())
}

/// Returns the argument for which a word of a command stands, given the word before it: a file of the repository or, for a placeholder, its
/// substitute.
fn argument(before: &str, word: &str) -> Result<String, String> {
    let mut file = word;
    if PLACEHOLDERS.contains(&word) {
        let taken = FILES.iter().find(|(option, _)| *option == before);
        file = taken
            .ok_or(format!(
                "which file is {word} after {before}? say so in `FILES`"
            ))?
            .1;
    } else if word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase()) {
        return Err(format!(
            "{word} is no placeholder that is known; add it to `PLACEHOLDERS`"
        ));
    }
    if before == "--out" {
        // An output file is never written into the repository.
        let name = Path::new(file).file_name().and_then(|name| name.to_str());
        return Ok(name.unwrap_or(file).into());
    }
    if file.contains('/') && exists(file) {
        return Ok(root().join(file).display().to_string());
    }
    Ok(file.into())
}

/// Runs an example as a user does, with the files of the repository at their paths; its output files are written into `directory`.
fn run(words: &[&str], directory: &Path) -> Result<(), String> {
    let example = after(words, "--example").ok_or("it names no example")?;
    if !examples().contains(example) {
        return Err(format!("there is no example {example}"));
    }
    let arguments = words
        .iter()
        .position(|word| *word == "--")
        .unwrap_or(words.len());
    let arguments: Vec<String> = (arguments + 1..words.len())
        .map(|position| argument(words[position - 1], words[position]))
        .collect::<Result<_, _>>()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if example == "studio" && !arguments.contains(&"--help") {
        // The studio runs until it is ended, and prints only an address.
        drop(Studio::with(directory, &arguments));
        return Ok(());
    }
    let output = example::run_in(directory, example, &arguments);
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, text(&output.stderr)));
    }
    let written = after(&arguments, "--out").map(|file| fs::metadata(directory.join(file)));
    match written {
        Some(Ok(file)) if file.len() > 0 => Ok(()),
        Some(_) => Err("it did not write its file".into()),
        None if output.stdout.is_empty() => Err("it printed nothing".into()),
        None => Ok(()),
    }
}

/// Creates a directory with the files that commands read.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("garden.bif"), NETWORK).unwrap();
    fs::write(directory.path().join("garden.csv"), DATA).unwrap();
    let witness = r#"{"rain": {"yes": 0.33, "no": 0.67}}"#;
    fs::write(directory.path().join("witness.json"), witness).unwrap();
    fs::write(directory.path().join("umbrella.xdsl"), DIAGRAM).unwrap();
    fs::write(directory.path().join("days.csv"), COMPLETE_DATA).unwrap();
    directory
}

#[test]
fn every_documented_command_works() {
    let commands = commands();
    let directory = directory();
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|command| {
            let begun = Instant::now();
            let checked = check(command, directory.path());
            println!("{:.1} s: {command}", begun.elapsed().as_secs_f64());
            let wrong = checked.err()?;
            Some(format!("{command}\n  {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Commands are found in blocks, over several lines, and in tables.
    for part in [
        "--count E=5..10 --playable",
        "--example burglary",
        "--example network -- F",
        "test --workspace",
    ] {
        assert!(
            commands.iter().any(|command| command.contains(part)),
            "{part}"
        );
    }
}

#[test]
fn a_command_that_rots_is_found() {
    let directory = directory();
    for (command, message) in [
        (
            "cargo run --release --example no_such_example",
            "no example",
        ),
        ("cargo run --release", "names no example"),
        (
            "cargo run --example network -- --file DIRECTORY",
            "placeholder",
        ),
        ("cargo test -p no-such-package", "no package"),
        (
            "cargo test -p figrs-tests --test no_such_test",
            "no tests/no_such_test.rs",
        ),
        (
            "cargo bench -p figrs-benches --bench no_such",
            "no benches/no_such.rs",
        ),
        ("make", "nothing is known"),
    ] {
        let wrong = check(command, directory.path()).unwrap_err();
        assert!(wrong.contains(message), "{command}: {wrong}");
    }
    for command in [
        "cargo run --release --example network -- --file F --no-such-option",
        "cargo run --release --example network -- --file missing.bif",
    ] {
        assert!(check(command, directory.path()).is_err(), "{command}");
    }
}

#[test]
fn every_example_is_documented() {
    let commands = commands();
    for example in examples() {
        let runs = |command: &String| {
            after(&command.split(' ').collect::<Vec<_>>(), "--example") == Some(example.as_str())
        };
        assert!(
            commands.iter().any(runs),
            "no page runs the example {example}"
        );
    }
}
