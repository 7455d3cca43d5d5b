//! Tests of the demands of figrs's dependencies on users: licences, Rust versions, and the number of crates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

/// Licences that allow figrs to be used under its own licences, with no obligation other than to name them.
const ALLOWED: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// The crates of the workspace on which users' crates may depend.
const LIBRARIES: [&str; 17] = [
    "figrs-core",
    "figrs-design",
    "figrs-factor",
    "figrs-gdl",
    "figrs-answer",
    "figrs-exact",
    "figrs-infer",
    "figrs-lower",
    "figrs-learn",
    "figrs-models",
    "figrs-network",
    "figrs-report",
    "figrs-gaussian",
    "figrs-reals",
    "figrs-search",
    "figrs-spread",
    "figrs",
];

/// Largest number of crates that the build of a first program may need; more crates need a justification.
const MOST_CRATES: usize = 46;

/// The packages of the workspace and all their dependencies, on this platform.
struct Metadata {
    packages: BTreeMap<String, Json>,
    /// For each package its dependencies, except for those of tests and benchmarks only.
    needed: BTreeMap<String, Vec<String>>,
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

fn list(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}

impl Metadata {
    fn read() -> Self {
        let version = Command::new("rustc").arg("-vV").output().unwrap();
        let version = String::from_utf8(version.stdout).unwrap();
        let platform = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap();
        let output = Command::new(env!("CARGO"))
            .args([
                "metadata",
                "--format-version",
                "1",
                "--offline",
                "--filter-platform",
                platform,
            ])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let json: Json = serde_json::from_slice(&output.stdout).unwrap();
        let id = |package: &Json| text(&package["id"]).to_owned();
        let packages = list(&json["packages"]).map(|package| (id(package), package.clone()));
        let needed = list(&json["resolve"]["nodes"]).map(|node| {
            let is_needed =
                |other: &&Json| list(&other["dep_kinds"]).any(|kind| kind["kind"] != "dev");
            let others = list(&node["deps"]).filter(is_needed);
            (
                id(node),
                others.map(|other| text(&other["pkg"]).to_owned()).collect(),
            )
        });
        Self {
            packages: packages.collect(),
            needed: needed.collect(),
        }
    }

    /// Returns the crates from outside the workspace that a crate of the workspace needs.
    fn tree(&self, name: &str) -> BTreeSet<&str> {
        let root = self
            .packages
            .iter()
            .find(|(_, package)| text(&package["name"]) == name);
        let mut open: Vec<&str> = root.map(|(id, _)| id.as_str()).into_iter().collect();
        let mut tree = BTreeSet::new();
        while let Some(id) = open.pop() {
            if tree.insert(id) {
                open.extend(self.needed[id].iter().map(String::as_str));
            }
        }
        // A package with a source is from outside this workspace.
        tree.retain(|id| self.packages[*id]["source"].is_string());
        tree
    }
}

/// True if an SPDX licence expression can be met with allowed licences. `AND` binds more tightly than `OR`, and a slash is an old notation of `OR`.
fn allows(expression: &str, is_allowed: &impl Fn(&str) -> bool) -> bool {
    let mut depth = 0_u32;
    // Offsets of the words outside brackets.
    let mut outside = Vec::new();
    let plain = expression.replace('/', " OR ");
    for (at, letter) in plain.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => outside.push(at),
            _ => {}
        }
    }
    for (word, is_enough) in [(" OR ", true), (" AND ", false)] {
        if let Some(at) = outside.iter().find(|at| plain[**at..].starts_with(word)) {
            let (one, other) = (&plain[..*at], &plain[at + word.len()..]);
            let one = allows(one, is_allowed);
            return if is_enough {
                one || allows(other, is_allowed)
            } else {
                one && allows(other, is_allowed)
            };
        }
    }
    match plain
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'))
    {
        Some(inner) => allows(inner, is_allowed),
        None => is_allowed(plain.trim()),
    }
}

#[test]
fn licences_are_read_as_spdx_says() {
    for (expression, expected) in [
        ("A", true),
        ("B", false),
        ("B OR A", true),
        ("A AND B", false),
        ("B/A", true),
        // The operator AND binds more tightly than OR.
        ("A OR B AND B", true),
        ("B AND B OR A", true),
        ("B AND A OR B", false),
        ("(A OR B) AND A", true),
        ("(A OR B) AND B", false),
        ("(B AND (A OR B)) OR (A)", true),
        ("A WITH B", false),
        ("", false),
    ] {
        assert_eq!(
            allows(expression, &|licence| licence == "A"),
            expected,
            "{expression}"
        );
    }
}

#[test]
fn licences_of_all_dependencies_are_allowed() {
    let metadata = Metadata::read();
    assert!(metadata.packages.len() > 20);
    let is_allowed = |licence: &str| ALLOWED.contains(&licence);
    for package in metadata.packages.values() {
        let licence = text(&package["license"]);
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        assert!(
            allows(licence, &is_allowed),
            "{name} {version} is under {licence:?}; see `ALLOWED`"
        );
    }
}

#[test]
fn every_published_package_holds_its_licences() {
    let metadata = Metadata::read();
    let is_published =
        |package: &&Json| package["source"].is_null() && package["publish"].is_null();
    let mut published = 0;
    for package in metadata.packages.values().filter(is_published) {
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            let path = Path::new(text(&package["manifest_path"])).with_file_name(file);
            assert!(path.is_file(), "{} is missing", path.display());
        }
        published += 1;
    }
    assert!(published >= LIBRARIES.len(), "{published}");
}

#[test]
fn no_dependency_needs_a_newer_rust() {
    let numbers = |version: &str| -> Vec<u32> {
        version
            .split('.')
            .map(|part| part.parse().unwrap())
            .collect()
    };
    let metadata = Metadata::read();
    for name in LIBRARIES {
        let own = metadata
            .packages
            .values()
            .find(|package| text(&package["name"]) == name)
            .unwrap();
        let own = numbers(text(&own["rust_version"]));
        for id in metadata.tree(name) {
            let package = &metadata.packages[id];
            if let Some(needed) = package["rust_version"].as_str() {
                let mut needed = numbers(needed);
                needed.truncate(own.len());
                assert!(
                    needed <= own,
                    "{name} promises Rust {own:?}, {id} needs {needed:?}"
                );
            }
        }
    }
}

/// `cargo build` makes few crates for a first program, including those of figrs.
#[test]
fn a_first_program_needs_few_crates() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--package",
            "figrs-burglary",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let name = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let crates: BTreeSet<String> = lines.lines().map(name).collect();
    assert!(crates.contains("figrs v0.1.0"), "{lines}");
    assert!(
        crates.len() <= MOST_CRATES,
        "{} crates: {crates:#?}",
        crates.len()
    );
}

/// The versions that figrs requires are those that are built here, because older versions are not tested.
#[test]
fn the_least_versions_asked_for_are_those_that_are_tested() {
    let metadata = Metadata::read();
    let mut asked = 0;
    let mine = |package: &&Json| package["source"].is_null();
    for package in metadata.packages.values().filter(mine) {
        for dependency in list(&package["dependencies"]) {
            let (name, least) = (text(&dependency["name"]), text(&dependency["req"]));
            if dependency["source"].is_null() {
                continue;
            }
            let built = |other: &&Json| {
                let version = text(&other["version"]).split('+').next();
                text(&other["name"]) == name && version == least.strip_prefix('^')
            };
            let found = metadata.packages.values().find(built);
            assert!(found.is_some(), "{name} {least} is not what is built");
            asked += 1;
        }
    }
    assert!(asked > 30, "{asked}");
}
