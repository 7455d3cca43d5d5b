//! References of the repository's pages resolve: to files, to folders, and to each other.

use std::path::{Path, PathBuf};

use figrs_tests::pages::{files, pages, root};

/// The address of each link of a line of prose.
fn links(line: &str) -> Vec<&str> {
    let inline = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let defined = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "));
    inline.chain(defined.map(|(_, address)| address)).collect()
}

#[test]
fn links_lead_to_files() {
    let mut count = 0;
    for page in pages() {
        let folder = root().join(page.path.parent().unwrap());
        for link in page.prose().into_iter().flat_map(links) {
            if link.starts_with("http") {
                continue;
            }
            let file = link.split('#').next().unwrap();
            assert!(
                folder.join(file).exists(),
                "{}: {link}",
                page.path.display()
            );
            count += 1;
        }
    }
    assert!(count > 40, "only {count} links were found");
}

#[test]
fn names_of_links_are_defined() {
    for page in pages()
        .into_iter()
        .filter(|page| page.path.starts_with("docs"))
    {
        let prose = page.prose().join("\n");
        let is_defined = |name: &str| prose.contains(&format!("\n[{name}]: "));
        for (at, _) in prose.match_indices(['[']) {
            let rest = &prose[at + 1..];
            let Some((name, after)) = rest.split_once(']') else {
                continue;
            };
            // Code in backticks has brackets of its own.
            let is_code = prose[..at].matches('`').count() % 2 == 1;
            if !is_code && !after.starts_with(['(', '[']) {
                assert!(is_defined(name), "{}: [{name}]", page.path.display());
            }
        }
    }
}

/// True if a text in backticks has only letters of paths.
fn is_plain(span: &str) -> bool {
    span.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter))
}

#[test]
fn paths_from_the_root_lead_to_files() {
    let folders = [
        "figrs-derive/",
        "figrs-core/",
        "figrs-infer/",
        "figrs-models/",
        "tests/",
        "benches/",
        "examples/",
        "fuzz/",
        "docs/",
    ];
    let mut count = 0;
    // The changelog speaks of files as they were.
    for page in pages()
        .into_iter()
        .filter(|page| !page.path.ends_with("CHANGELOG.md"))
    {
        let is_path = |span: &&String| {
            is_plain(span) && folders.iter().any(|folder| span.starts_with(folder))
        };
        for path in page.spans().iter().filter(is_path) {
            assert!(
                root().join(path).exists(),
                "{}: {path}",
                page.path.display()
            );
            count += 1;
        }
    }
    assert!(count > 80, "only {count} paths were found");
}

#[test]
fn the_architecture_names_files_that_are_there() {
    let page = pages()
        .into_iter()
        .find(|page| page.path.ends_with("architecture.md"))
        .unwrap();
    let sources = [
        "src",
        "figrs-core",
        "figrs-infer",
        "figrs-models",
        "tests",
        "examples",
        "docs",
    ];
    let all: Vec<PathBuf> = sources.into_iter().flat_map(files).collect();
    let is_there = |path: &str| {
        let folder = path.strip_suffix('/');
        all.iter().any(|file| match folder {
            Some(folder) => file.ancestors().any(|ancestor| ancestor.ends_with(folder)),
            None => file.ends_with(path),
        })
    };
    let spans = page.spans();
    let is_path = |span: &&String| {
        let is_file = Path::new(span).extension().is_some_and(|kind| kind == "rs");
        is_plain(span) && (is_file || span.ends_with('/'))
    };
    let paths: Vec<&String> = spans.iter().filter(is_path).collect();
    assert!(paths.len() > 60, "only {} paths were found", paths.len());
    for path in paths {
        assert!(is_there(path), "{path} is not there");
    }
}
