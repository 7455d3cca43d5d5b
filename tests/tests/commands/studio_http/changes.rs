//! Tests that a later change of a client ends its earlier work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use figrs_tests::studio::Studio;
use serde_json::{Value as Json, json};

/// Returns a request whose work takes minutes: the frontiers of high levels.
fn long() -> Json {
    json!({"task": "marginals", "method": "exact", "width": 200, "memory": 4096, "allow_unseen": true, "smoothing": 0.5, "count": {"o": [7, 9], "E": [3, 5]}})
}

fn headers<'h>(client: &'h str, change: &'h str) -> [(&'h str, &'h str); 2] {
    [("Figrs-Client", client), ("Figrs-Change", change)]
}

#[test]
fn a_later_change_ends_long_work() {
    let studio = Studio::start(None);
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let working = scope.spawn(|| {
            let answer = studio.post_as("/api/level", &headers("a", "1"), &long());
            is_done.store(true, Ordering::Release);
            answer
        });
        let other = scope.spawn(|| studio.post_as("/api/level", &headers("b", "9"), &long()));
        thread::sleep(Duration::from_secs(2));
        assert!(!is_done.load(Ordering::Acquire));
        let quick = json!({"puzzle": "maze", "size": "4"});
        let begun = Instant::now();
        let (status, _) = studio.post_as("/api/board", &headers("a", "2"), &quick);
        assert_eq!(status, 200);
        let (status, message) = working.join().unwrap();
        assert_eq!(status, 409, "{message}");
        assert_eq!(message["error"], "a later change ended this work");
        // The limit is large, because the machine of the tests may be slow.
        assert!(begun.elapsed() < Duration::from_secs(20));
        // The work of an earlier change that arrives late is not begun; the same change may be requested again.
        let (status, _) = studio.post_as("/api/board", &headers("a", "1"), &quick);
        assert_eq!(status, 409);
        let (status, _) = studio.post_as("/api/board", &headers("a", "2"), &quick);
        assert_eq!(status, 200);
        // The work of another client continued until now.
        assert!(!other.is_finished());
        let (status, _) = studio.post_as("/api/board", &headers("b", "10"), &quick);
        assert_eq!(status, 200);
        assert_eq!(other.join().unwrap().0, 409);
    });
}

#[test]
fn clients_and_changes_go_together() {
    let studio = Studio::start(None);
    let name = "x".repeat(65);
    for wrong in [
        vec![("Figrs-Client", "a")],
        vec![("Figrs-Change", "1")],
        vec![("Figrs-Client", "a"), ("Figrs-Change", "-1")],
        vec![("Figrs-Client", name.as_str()), ("Figrs-Change", "1")],
        vec![
            ("Figrs-Client", "a"),
            ("Figrs-Change", "1"),
            ("Figrs-Change", "2"),
        ],
    ] {
        let (status, message) = studio.post_as("/api/board", &wrong, &json!({"puzzle": "maze"}));
        assert_eq!(status, 400, "{wrong:?}: {message}");
    }
}
