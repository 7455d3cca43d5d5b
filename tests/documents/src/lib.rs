//! Runs the programs of README and `docs/`, and compares their outputs with the outputs shown below them.
//!
//! `FIGRS_SHOW=1 cargo test -p figrs-documents` writes the outputs into the pages; `…` in a shown output stands for any text.

#![cfg(test)]

mod blocks;
mod printed;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// A program of a page.
struct Program {
    page: &'static str,
    code: &'static str,
    run: fn() -> String,
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// True if a text equals another in which each `…` stands for any text within a line.
fn matches(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('…');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let found = if parts.peek().is_none() {
            rest.ends_with(part).then(|| rest.len() - part.len())
        } else {
            rest.find(part)
        };
        let Some(at) = found else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// Shortens each run of equal blanks or table rules in a line to one character, because the widths of columns depend on their contents.
fn folded(line: &str) -> String {
    let mut folded = String::new();
    for character in line.trim_end().chars() {
        let is_filling = matches!(character, ' ' | '─' | '═');
        if !is_filling || !folded.ends_with(character) {
            folded.push(character);
        }
    }
    folded
}

fn all_match(text: &str, pattern: &str) -> bool {
    let (mut lines, mut patterns) = (text.lines(), pattern.lines());
    loop {
        match (lines.next(), patterns.next()) {
            (None, None) => return true,
            (Some(line), Some(pattern)) if matches(&folded(line), &folded(pattern)) => {}
            _ => return false,
        }
    }
}

#[test]
fn programs_print_what_is_shown_below_them() {
    let writes = env::var_os("FIGRS_SHOW").is_some();
    let mut pages: BTreeMap<PathBuf, Vec<&Program>> = BTreeMap::new();
    for program in PROGRAMS {
        pages
            .entry(PathBuf::from(program.page))
            .or_default()
            .push(program);
    }
    let mut wrong = Vec::new();
    for (page, programs) in pages {
        let text = fs::read_to_string(&page).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // The programs are replaced from the last to the first, so that the line numbers of earlier programs stay valid.
        for (program, block) in programs.iter().zip(blocks::programs(&text)).rev() {
            let output = (program.run)();
            assert_eq!(program.code, block.code, "built from another text");
            let shown = lines[block.output.clone()].join("\n");
            if block.is_shown && all_match(&output, &shown) {
                continue;
            }
            if writes {
                let mut new: Vec<String> = output
                    .lines()
                    .map(|line| line.trim_end().to_owned())
                    .collect();
                if !block.is_shown {
                    new.splice(0..0, [String::new(), "```text".to_owned()]);
                    new.push("```".to_owned());
                }
                lines.splice(block.output, new);
            } else {
                let line = text[..text.find(&block.code).unwrap_or(0)].lines().count();
                let place = format!("{}:{line}", short(&page));
                wrong.push(format!("{place} prints\n{output}\nand shows\n{shown}\n"));
            }
        }
        if writes {
            fs::write(&page, lines.join("\n") + "\n").unwrap();
        }
    }
    let message = wrong.join("\n");
    assert!(
        wrong.is_empty(),
        "{message}\n`FIGRS_SHOW=1 cargo test -p figrs-documents` writes the outputs into the pages"
    );
}

/// Returns the path of a page from the root of the repository.
fn short(page: &Path) -> String {
    let root = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    let page = fs::canonicalize(page).unwrap();
    page.strip_prefix(root)
        .unwrap_or(&page)
        .display()
        .to_string()
}

#[test]
fn patterns() {
    assert!(matches("took 0.3 s", "took … s") && matches("ab", "…") && matches("a", "a"));
    assert!(!matches("took 0.3 s", "took … ms") && !matches("ab", "a") && !matches("b", "a…"));
    assert!(all_match("a\nb   c  \n", "a\nb c") && !all_match("a\nb", "a"));
}
