//! Tests of painted tiles: a placed tile is always kept, and a pinned tile that no training level has in that row is refused at once.

use std::time::{Duration, Instant};

use figrs_tests::studio::Studio;
use serde_json::json;

/// A coin in the lowest row, and a cannon high in the air, which no training level has.
const STRANGE: [(usize, usize, &str); 2] = [(13, 5, "o"), (2, 8, "B")];

#[test]
fn strange_tiles_are_refused_at_once_as_pins_and_stand_as_placed() {
    let studio = Studio::start(None);
    let level = |field: &str, cell| {
        let body = json!({"width": 12, "seed": 1, "particles": 8, field: [cell]});
        studio.post("/api/level", &body)
    };
    // The first request trains the chain.
    assert_eq!(level("pin", (13, 5, "X")).0, 200);
    for (row, column, tile) in STRANGE {
        let begun = Instant::now();
        let (status, message) = level("pin", (row, column, tile));
        assert!(begun.elapsed() < Duration::from_secs(2), "{message}");
        assert_eq!(
            (status, &message["proven"]),
            (200, &json!(true)),
            "{message}"
        );
        assert_eq!(message["cells"], json!([[row, column]]));
        let error = message["error"].as_str().unwrap();
        let place = format!("no training level has the tile {tile} in row {},", row + 1);
        let control =
            "leave out “Paint only what training levels have there” (`pin`), or use `place`";
        assert!(
            error.contains(&place) && error.ends_with(control),
            "{error}"
        );
        let (_, placed) = level("place", (row, column, tile));
        let line = placed[0]["rows"][row].as_str().unwrap();
        assert_eq!(line.chars().nth(column), tile.chars().next(), "{placed}");
    }
}
