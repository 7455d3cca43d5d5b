//! Tests of the table of Figaro's capabilities: each row has its form in figrs, and tests that exist.

use std::fs;

use figrs_tests::pages::{pages, root};

/// True if a file has a function of this name, or a row of a table of test cases.
fn has_function(text: &str, name: &str) -> bool {
    text.contains(&format!("fn {name}(")) || text.contains(&format!("\n    {name}: "))
}

#[test]
fn each_capability_of_figaro_has_a_row_and_a_test() {
    let mut pages = pages().into_iter();
    let page = pages.find(|page| page.path.ends_with("coming-from-figaro.md"));
    let page = page.expect("the page is there");
    let is_row = |line: &&str| line.starts_with("| ") && line[2..].starts_with(char::is_numeric);
    let rows: Vec<&str> = page.prose().into_iter().filter(is_row).collect();
    assert_eq!(rows.len(), 74);
    for (number, row) in (1..).zip(rows) {
        // A bar in code is escaped.
        let row = row.replace("\\|", "");
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [stated, figaro, form, state, shown] = cells[..] else {
            panic!("row {number} has other columns: {row}");
        };
        assert_eq!(stated, number.to_string());
        assert!(
            !figaro.is_empty() && !form.is_empty() && !row.contains("by hand"),
            "{row}"
        );
        let (kind, reason) = state.split_once(": ").unwrap_or((state, ""));
        let is_known = match kind {
            "whole" => true,
            "approximated" | "not needed" => !reason.is_empty(),
            _ => false,
        };
        assert!(is_known, "row {number} is {state}");
        let mut text = String::new();
        let mut functions = 0;
        for span in shown.split('`').skip(1).step_by(2) {
            if span.contains('/') {
                text = fs::read_to_string(root().join(span))
                    .unwrap_or_else(|error| panic!("row {number}, {span}: {error}"));
            } else {
                assert!(
                    has_function(&text, span),
                    "row {number}: no function {span}"
                );
                functions += 1;
            }
        }
        assert!(functions > 0, "row {number} names no function");
    }
}
