//! Tests that each page names the features that its programs need.

use std::fs;

use figrs_tests::pages::{Page, pages, root};

/// Returns the words of a text, without punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// Returns the features of the facade, each with the names that it exports.
fn names_of_features() -> Vec<(String, Vec<String>)> {
    let facade = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let exports = facade.split("#[cfg(feature = \"").skip(1);
    let names = exports.filter_map(|export| {
        let (feature, rest) = export.split_once("\")]\npub use ")?;
        let (exported, _) = rest.split_once(';')?;
        // An export has the form `figrs_network as network`, or is a list.
        let list = exported.split_once("::").map_or(exported, |(_, list)| list);
        let names = words(list).filter(|name| !name.starts_with("figrs_") && *name != "as");
        Some((feature.to_owned(), names.map(str::to_owned).collect()))
    });
    names.collect()
}

/// Returns the names that programs of a page import from the facade.
fn imported(page: &Page) -> Vec<&str> {
    let code = page.blocks("rust").into_iter().flatten();
    let imports = code.filter_map(|line| line.trim_start().strip_prefix("use figrs::"));
    imports.flat_map(words).collect()
}

#[test]
fn pages_name_the_features_of_their_programs() {
    let features = names_of_features();
    assert_eq!(features.len(), 8, "{features:?}");
    let mut needed = 0;
    for page in pages() {
        let imported = imported(&page);
        for (feature, names) in &features {
            if let Some(name) = names.iter().find(|name| imported.contains(&name.as_str())) {
                needed += 1;
                let is_named = page.text.contains(&format!("`{feature}`"));
                assert!(
                    is_named,
                    "{}: `{name}` needs `{feature}`",
                    page.path.display()
                );
            }
        }
    }
    assert!(needed > 10, "{needed}");
}
