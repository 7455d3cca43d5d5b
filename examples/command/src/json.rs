//! Numbers in JSON.

use serde_json::Value as Json;

/// Returns a number as JSON; an infinite number or NaN becomes a string.
pub fn as_json(number: f64) -> Json {
    serde_json::Number::from_f64(number).map_or_else(|| number.to_string().into(), Json::Number)
}
