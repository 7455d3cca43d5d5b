//! Tests that the tutorial's table of the keys of movement files agrees with the reader.

use std::fs;

use figrs_design::Movement;
use figrs_tests::pages::root;

/// Returns the texts between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn each_key_stands_with_its_default_and_an_example_that_is_read() {
    let page = root().join("docs/tutorial/12-designing-levels.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("| key | meaning |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let unsaid = Movement::from_toml("").unwrap();
    let mut keys = Vec::new();
    for row in table.lines().skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [key, _, default, examples] = cells[..] else {
            panic!("four cells: {row}")
        };
        let key = quoted(key)[0];
        for default in quoted(default) {
            let said = Movement::from_toml(&format!("name = 'from a file'\n{key} = {default}"));
            assert_eq!(said.unwrap(), unsaid, "{key} = {default}");
        }
        let examples = quoted(examples);
        assert!(!examples.is_empty(), "{row}");
        for example in examples {
            assert!(example.starts_with(&format!("{key} = ")), "{example}");
            let read = Movement::from_toml(example);
            let read = read.unwrap_or_else(|error| panic!("{example}: {error}"));
            // The legend is not read; every other key changes the movement.
            assert_eq!(read == unsaid, key == "tiles", "{example}");
        }
        keys.push(key);
    }
    // The error for an unknown key names all known keys.
    let unknown = Movement::from_toml("unknown = 1").unwrap_err().to_string();
    let (_, known) = unknown.split_once("expected one of ").unwrap();
    let (known, _) = known.split_once(';').unwrap();
    keys.sort_unstable();
    let mut known = quoted(known);
    known.sort_unstable();
    assert_eq!(keys, known);
}
