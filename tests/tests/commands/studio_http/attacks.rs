//! Tests of clients that hold connections, hang up, or send many requests at once: the page still works, and work whose client has left ends.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use figrs_tests::studio::Studio;
use serde_json::{Value as Json, json};

/// Maximum time for a request of the page in these tests; the machine may be slow.
const SOON: Duration = Duration::from_secs(5);

fn connected(studio: &Studio, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&studio.address).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Sends a request for work, and does not read the answer.
fn asked(studio: &Studio, path: &str, body: &Json) -> TcpStream {
    let (address, body) = (&studio.address, body.to_string());
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    connected(studio, &format!("{head}{body}"))
}

fn page_is_quick(studio: &Studio) {
    let begun = Instant::now();
    assert_eq!(studio.get("/").status, 200);
    assert_eq!(studio.get("/api/files").status, 200);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[test]
fn connections_that_are_held_do_not_keep_the_page_out() {
    let studio = Studio::start(None);
    let address = &studio.address;
    let refused = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned();
    // These connections are closed with the answer.
    let mut one = connected(&studio, &refused);
    let mut answer = String::new();
    one.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    let slow = format!(
        "POST /api/level HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    );
    let kept = format!("GET /style.css HTTP/1.1\r\nHost: {address}\r\n\r\n");
    for request in [refused, String::new(), "GET / HT".to_owned(), kept, slow] {
        let held: Vec<_> = (0..140).map(|_| connected(&studio, &request)).collect();
        page_is_quick(&studio);
        drop(held);
    }
}

#[test]
fn files_of_the_page_do_not_wait_for_work() {
    let studio = Studio::start(None);
    let maze = json!({"puzzle": "maze", "clues": vec![".".repeat(400); 400]});
    let held: Vec<_> = (0..40)
        .map(|_| asked(&studio, "/api/board", &maze))
        .collect();
    page_is_quick(&studio);
    // More requests are sent than can wait in the queue, so the last one is refused.
    let mut last = asked(&studio, "/api/board", &maze);
    let mut answer = String::new();
    last.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("try again later"), "{answer}");
    drop(held);
}

#[test]
fn work_ends_when_its_client_hangs_up_whatever_it_does() {
    let variables: Vec<String> = (0..20_000)
        .map(|i| format!("variable v{i} {{ type discrete [ 2 ] {{ a, b }}; }} probability ( v{i} ) {{ table 0.5, 0.5; }}\n"))
        .collect();
    let variables = variables.concat();
    let n = 100_000;
    let markov = format!("MARKOV\n{n}\n{}\n0\n", "2 ".repeat(n));
    let pattern = vec!["X".repeat(60); 14];
    let stages = [
        (
            "/api/level",
            json!({"training": [{"name": "a", "text": "X\n".repeat(400_000)}]}),
        ),
        ("/api/level", json!({"forbid": vec![pattern; 400]})),
        (
            "/api/board",
            json!({"puzzle": "maze", "clues": vec![".".repeat(700); 700]}),
        ),
        (
            "/api/network",
            json!({"text": format!("network x {{}}\n{variables}")}),
        ),
        ("/api/network", json!({"text": markov})),
    ];
    let studio = Studio::start(None);
    if studio.ticks().is_none() {
        println!("skipped: the system does not tell of processor time");
        return;
    }
    let streams: Vec<_> = stages
        .iter()
        .map(|(path, body)| asked(&studio, path, body))
        .collect();
    thread::sleep(Duration::from_millis(300));
    drop(streams);
    let ended = Instant::now();
    let mut before = studio.ticks();
    loop {
        thread::sleep(Duration::from_millis(200));
        let now = studio.ticks();
        if now == before {
            break;
        }
        assert!(ended.elapsed() < SOON, "{before:?} {now:?}");
        before = now;
    }
    // Another worker continues.
    let level = json!({"width": 5, "seed": 3});
    assert_eq!(studio.post("/api/level", &level).0, 200);
}

#[test]
fn work_of_others_goes_on_when_a_worker_is_ended() {
    let studio = Studio::start(None);
    let level = json!({"width": 10, "seed": 3, "levels": 2});
    let alone = studio.post("/api/level", &level);
    let patterns = json!({"forbid": vec![vec!["X".repeat(60); 14]; 400]});
    thread::scope(|scope| {
        let hung = asked(&studio, "/api/level", &patterns);
        thread::sleep(Duration::from_millis(100));
        let others: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| studio.post("/api/level", &level)))
            .collect();
        drop(hung);
        for other in others {
            assert_eq!(other.join().unwrap(), alone);
        }
    });
}
