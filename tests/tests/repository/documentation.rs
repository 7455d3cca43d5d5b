//! Tests that references in the repository's pages and in the tables of modules resolve: references to files, to folders, and to other pages.

use std::fs;
use std::path::{Path, PathBuf};

use figrs_tests::pages::{files, pages, root};

/// Returns the address of each link in a line of prose.
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
            // Code in backticks may contain brackets that are no links.
            let is_code = prose[..at].matches('`').count() % 2 == 1;
            if !is_code && !after.starts_with(['(', '[']) {
                assert!(is_defined(name), "{}: [{name}]", page.path.display());
            }
        }
    }
}

/// True if a text in backticks has only characters of paths.
fn is_plain(span: &str) -> bool {
    span.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter))
}

#[test]
fn paths_from_the_root_lead_to_files() {
    let folders = [
        "figrs-derive/",
        "figrs-core/",
        "figrs-factor/",
        "figrs-gaussian/",
        "figrs-reals/",
        "figrs-search/",
        "figrs-answer/",
        "figrs-exact/",
        "figrs-infer/",
        "figrs-lower/",
        "figrs-learn/",
        "figrs-models/",
        "figrs-design/",
        "figrs-gdl/",
        "figrs-network/",
        "figrs-reading/",
        "figrs-report/",
        "figrs-spread/",
        "spread/",
        "tests/",
        "benches/",
        "examples/",
        "fuzz/",
        "docs/",
    ];
    let mut count = 0;
    // The changelog mentions files that no longer exist.
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

/// Returns the folder that a path names, or the folder of the file that it names.
fn folder_of(path: &str) -> PathBuf {
    let path = Path::new(path);
    let file = path.extension().and_then(|_| path.parent());
    file.unwrap_or(path).to_owned()
}

#[test]
fn the_architecture_names_files_that_are_there() {
    let page = pages()
        .into_iter()
        .find(|page| page.path.ends_with("architecture.md"))
        .unwrap();
    let is_path = |span: &&str| {
        let is_file = Path::new(span).extension().is_some_and(|kind| kind == "rs");
        is_plain(span) && (is_file || span.ends_with('/'))
    };
    let mut count = 0;
    let prose = page.prose().join("\n");
    // A file name without a folder is in a folder that its paragraph or table names.
    for block in prose.split("\n\n") {
        let spans = block.split('`').skip(1).step_by(2);
        let (whole, bare): (Vec<&str>, Vec<&str>) = spans
            .filter(is_path)
            .partition(|path| root().join(path).exists());
        count += whole.len() + bare.len();
        let mut folders: Vec<PathBuf> = whole.into_iter().map(folder_of).collect();
        for name in bare {
            let there: Vec<PathBuf> = folders
                .iter()
                .map(|folder| folder.join(name))
                .filter(|path| root().join(path).exists())
                .collect();
            assert!(!there.is_empty(), "{name} is not there, in: {block}");
            folders.extend(there.into_iter().filter(|path| root().join(path).is_dir()));
        }
    }
    assert!(count > 60, "only {count} paths were found");
}

/// Returns the Rust files of the library crates, with their paths from the root.
fn library_sources() -> Vec<PathBuf> {
    let entries = fs::read_dir(root()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with("figrs-"))
        .flat_map(|name| files(&format!("{name}/src")))
        .filter(|path| path.extension().is_some_and(|kind| kind == "rs"))
        .collect()
}

/// Returns the cells of a row of a table in the documentation of a module. Returns `None` for other lines.
fn table_cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix("//! |")?.strip_suffix('|')?;
    Some(row.split('|').map(str::trim).collect())
}

/// True if `name` is a crate, or a file or folder in `folder`. Names of files may lack the extension `.rs`.
fn names_a_module(folder: &Path, name: &str) -> bool {
    let path = folder.join(name);
    path.exists()
        || path.with_extension("rs").exists()
        || root().join(name).join("Cargo.toml").exists()
}

#[test]
fn the_tables_of_modules_name_files_that_are_there() {
    let mut count = 0;
    for file in library_sources() {
        let text = fs::read_to_string(root().join(&file)).unwrap();
        let mut rows = text.lines().filter_map(table_cells);
        let head = rows.next().unwrap_or_default();
        let Some(column) = head
            .iter()
            .position(|cell| cell.starts_with("file") || *cell == "folder")
        else {
            continue;
        };
        let folder = root().join(file.parent().unwrap());
        for row in rows {
            for name in row[column].split('`').skip(1).step_by(2) {
                assert!(
                    names_a_module(&folder, name),
                    "{name} is not there, in: {}",
                    file.display()
                );
                count += 1;
            }
        }
    }
    assert!(count > 300, "only {count} files were found");
}
