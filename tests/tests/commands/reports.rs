//! Tests of reports of generated sets, as a browser displays them.

use figrs_tests::browser;
use figrs_tests::example::{self, text};

/// Runs an example with a report, and returns the page as a browser renders it and as it was written.
fn report(program: &str, arguments: &str) -> (Option<String>, String) {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().join("set.html");
    let mut all: Vec<&str> = arguments.split_whitespace().collect();
    all.extend(["--report", path.to_str().unwrap()]);
    let output = example::run(program, &all);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(!page.contains("<script"));
    (browser::opened(&path), page)
}

/// Returns the displayed widths of the pictures of a page.
fn widths(seen: &str) -> Vec<u32> {
    let parts = seen.split("data-width=\"").skip(1);
    parts
        .map(|part| part.split('"').next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn boards_come_with_pictures_and_tests_of_their_distribution() {
    let asked = "--size 4 --count 30 --seed 3 --method exact --stats";
    let (seen, page) = report("maze", asked);
    assert!(page.contains("<dt>Boards</dt><dd>30</dd>"));
    assert!(page.contains("The first 24 of 30 boards."));
    assert!(page.contains("<h2>Variation</h2>"));
    assert!(page.contains("<h2>Tests of the distribution</h2>"));
    if let Some(seen) = seen {
        let widths = widths(&seen);
        assert_eq!(widths.len(), 24);
        assert!(widths.iter().all(|width| *width == widths[0]), "{widths:?}");
    }
}

#[test]
fn marginals_come_as_tables() {
    let (_, page) = report("island", "--size 4 --task marginals");
    // The page has two values, with four rows each under a row of headings, and the number that was found.
    assert_eq!(page.matches("<h2>Probability of").count(), 2);
    assert!(!page.contains("<img"));
}

#[test]
fn levels_come_with_pictures_and_measures() {
    let asked = "--levels 14 --width 30 --seed 5 --show-path";
    let (seen, page) = report("mario_mdmc", asked);
    assert!(page.contains("The first 12 of 14 levels."));
    assert!(page.contains("<th>look-ahead (14)</th>"));
    assert!(page.contains("<td>playable</td>"));
    if let Some(seen) = seen {
        assert_eq!(widths(&seen), [30 * 16; 12]);
    }
}

#[test]
fn networks_come_with_a_picture_and_posteriors() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/network.in/garden.bif");
    let (_, page) = report(
        "network",
        &format!("{file} --observe grass=wet --query rain"),
    );
    assert!(page.contains("<title>garden.bif, by figrs</title>"));
    // The page has the picture of the network, and the bars of one variable.
    assert_eq!(page.matches("<svg").count(), 2);
    assert!(page.contains("<td>grass</td><td>wet</td>"));
    assert!(page.contains("<td>rain</td><td>yes</td><td>0.529412</td>"));
    assert!(page.contains("yes 0.529</text>"));
}

/// The page of a network that is too large to be drawn has everything except the picture.
#[test]
fn large_networks_have_pages_without_a_picture() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/network.in/large.cnf");
    let (_, page) = report("network", file);
    assert!(
        page.contains("--format dot")
            && page.contains("The bars are for the first 48 of 301 variables")
    );
    assert_eq!(page.matches("<svg").count(), 48);
}
