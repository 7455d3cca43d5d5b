//! Numbers in JSON.

use serde_json::Value as Json;

/// A number in JSON; one that JSON cannot write (infinite or not a number) as a string.
pub fn as_json(number: f64) -> Json {
    serde_json::Number::from_f64(number).map_or_else(|| number.to_string().into(), Json::Number)
}
