//! JSON that is to be damaged.

use serde_json::Value as Json;

/// All numbers of a text.
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
