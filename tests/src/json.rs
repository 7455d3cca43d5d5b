//! Access to the numbers of JSON texts, for tests that damage them.

use serde_json::Value as Json;

/// Returns references to all numbers in a JSON value.
pub fn numbers(json: &mut Json) -> Vec<&mut Json> {
    let mut found = Vec::new();
    let mut left = vec![json];
    while let Some(json) = left.pop() {
        match json {
            Json::Array(items) => left.extend(items),
            Json::Object(fields) => left.extend(fields.values_mut()),
            Json::Number(_) => found.push(json),
            _ => {}
        }
    }
    found
}
