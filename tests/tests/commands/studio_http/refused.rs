//! Tests of requests that the studio refuses, after which it still works.

use std::net::{TcpStream, UdpSocket};

use figrs_tests::example::{run, text};
use figrs_tests::studio::Studio;

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn other_hosts_and_pages_are_refused() {
    let studio = Studio::start(None);
    let own = format!("http://{}", studio.address);
    let port = studio.address.rsplit(':').next().unwrap();
    let local = format!("localhost:{port}");
    let local_origin = format!("http://{local}");
    let elsewhere = format!("evil.example:{port}");
    let other_port = "http://127.0.0.1:1".to_owned();
    let refused: &[&[(&str, &str)]] = &[
        &[("Host", "evil.example")],
        &[("Host", &elsewhere)],
        &[("Host", "127.0.0.1")],
        &[("Host", "")],
        &[("Origin", "http://evil.example")],
        &[("Origin", "null")],
        &[("Origin", &other_port)],
        &[("Origin", &local_origin)],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site")],
    ];
    for headers in refused {
        for (method, path, body) in [("GET", "/", ""), ("POST", "/api/board", "{}")] {
            let headers: Vec<_> = headers.iter().chain([&JSON]).copied().collect();
            let reply = studio.ask(method, path, &headers, body);
            assert_eq!(reply.status, 403, "{headers:?}");
            assert!(reply.json()["error"].as_str().unwrap().len() > 20);
        }
    }
    let allowed: &[&[(&str, &str)]] = &[
        &[],
        &[("Origin", &own), ("Sec-Fetch-Site", "same-origin")],
        &[("Host", &local), ("Origin", &local_origin)],
        &[("Sec-Fetch-Site", "none")],
        // The request comes from a link on another page.
        &[
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Mode", "navigate"),
        ],
    ];
    for headers in allowed {
        assert_eq!(
            studio.ask("GET", "/", headers, "").status,
            200,
            "{headers:?}"
        );
    }
    let link = [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "navigate"),
    ];
    assert_eq!(studio.ask("GET", "/api/files", &link, "").status, 403);
    // A header with two hosts can be interpreted in two ways, so it is refused.
    let twice = format!(
        "GET / HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\nConnection: close\r\n\r\n",
        studio.address
    );
    assert_eq!(studio.raw(twice.as_bytes()).status, 400);
    // A full address in place of a path also names the host.
    for (host, status) in [(studio.address.as_str(), 200), (elsewhere.as_str(), 403)] {
        let whole = format!(
            "GET http://{host}/ HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            studio.address
        );
        assert_eq!(studio.raw(whole.as_bytes()).status, status, "{host}");
    }
    let without = b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
    assert_eq!(studio.raw(without).status, 403);
}

#[test]
fn forms_and_other_methods_are_refused() {
    let studio = Studio::start(None);
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
    ] {
        let reply = studio.ask("POST", "/api/level", &[("Content-Type", kind)], "{}");
        assert_eq!(reply.status, 415, "{kind}");
    }
    assert_eq!(studio.ask("POST", "/api/level", &[], "{}").status, 415);
    for (method, path, allow) in [
        ("GET", "/api/level", "POST"),
        ("OPTIONS", "/api/board", "POST"),
        ("PUT", "/api/network", "POST"),
        ("POST", "/", "GET, HEAD"),
        ("DELETE", "/api/files", "GET, HEAD"),
    ] {
        let reply = studio.ask(method, path, &[JSON], "");
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, Some(allow)),
            "{method} {path}"
        );
    }
    for path in [
        "/api",
        "/api/level/",
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/page/main.js",
    ] {
        assert_eq!(studio.get(path).status, 404, "{path}");
    }
}

#[test]
fn long_bodies_are_refused_before_they_are_read() {
    let studio = Studio::start(None);
    for length in ["16777217", "1000000000000000", "18446744073709551000"] {
        let reply = studio.ask(
            "POST",
            "/api/level",
            &[JSON, ("Content-Length", length)],
            "{",
        );
        assert_eq!(reply.status, 413, "{length}");
    }
    let chunk = format!("100000\r\n{}\r\n", "x".repeat(1 << 20)).repeat(17);
    let head = format!(
        "POST /api/level HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        studio.address
    );
    assert_eq!(studio.raw(format!("{head}{chunk}").as_bytes()).status, 413);
    assert_eq!(studio.get("/").status, 200);
}

#[test]
fn what_is_not_json_or_not_a_request_is_a_bad_request_with_a_message() {
    let studio = Studio::start(None);
    let deep = "{\"training\":".repeat(100_000);
    let cases = [
        ("/api/level", "", "EOF"),
        ("/api/level", "{", "line 1 column 1"),
        ("/api/level", "[]", "expected"),
        ("/api/level", &deep, "recursion"),
        ("/api/level", r#"{"widht": 3}"#, "unknown field \"widht\""),
        (
            "/api/level",
            r#"{"task": "fly"}"#,
            "`task` fly: write one of sample, marginals",
        ),
        (
            "/api/level",
            r#"{"width": -1}"#,
            "“Columns” (`width`) -1: write a whole number",
        ),
        ("/api/board", "null", "invalid type"),
        ("/api/board", "{}", "puzzle: write maze"),
        (
            "/api/board",
            r#"{"puzzle": "maze", "out": "/tmp/x"}"#,
            "unknown field \"out\"",
        ),
        (
            "/api/board",
            r#"{"puzzle": "maze", "report": "x"}"#,
            "unknown field \"report\"",
        ),
        ("/api/board", r#"{"puzzle": "maze", "fly": 3}"#, "fly"),
        (
            "/api/board",
            r#"{"puzzle": "maze", "size": [3]}"#,
            "`size`: write",
        ),
        (
            "/api/board",
            r#"{"puzzle": "maze", "help": true}"#,
            "unknown field",
        ),
        (
            "/api/board",
            r#"{"puzzle": "maze", "-h": true}"#,
            "unknown field",
        ),
        ("/api/network", "{}", "give either file"),
        (
            "/api/network",
            r#"{"text": "x", "file": "y"}"#,
            "give either file",
        ),
    ];
    for (path, body, message) in cases {
        let headers = [JSON, ("Content-Length", &body.len().to_string())];
        let reply = studio.ask("POST", path, &headers, body);
        let error = reply.json()["error"].as_str().unwrap().to_owned();
        assert_eq!(reply.status, 400, "{path} {error}");
        assert!(
            error.contains(message),
            "{path} {}: {error}",
            &body[..body.len().min(40)]
        );
    }
    let mut bytes = format!(
        "POST /api/level HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 2\r\n\r\n",
        studio.address
    )
    .into_bytes();
    bytes.extend([0xff, 0xfe]);
    assert_eq!(studio.raw(&bytes).status, 400);
    assert_eq!(studio.raw(b"nonsense\r\n\r\n").status, 400);
    assert_eq!(studio.get("/").status, 200);
}

#[test]
fn it_listens_on_this_machine_alone() {
    let studio = Studio::start(None);
    let port: u16 = studio.address.rsplit(':').next().unwrap().parse().unwrap();
    // No packet is sent: the system only determines which of its addresses would be used.
    let outward = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    match outward {
        Ok(address) if !address.ip().is_loopback() => {
            let reached = TcpStream::connect((address.ip(), port));
            assert!(reached.is_err(), "{}:{port}", address.ip());
        }
        _ => println!("skipped: this machine has no address but its own"),
    }
}

#[test]
fn a_port_that_is_taken_and_a_folder_that_is_none_end_it_with_a_message() {
    let studio = Studio::start(None);
    let port = studio.address.rsplit(':').next().unwrap();
    let taken = run("studio", &["--port", port]);
    assert_eq!(taken.status.code(), Some(2));
    let message = text(&taken.stderr);
    assert!(message.contains(&format!("--port {port}:")), "{message}");
    assert!(taken.stdout.is_empty());
    let none = run("studio", &["--folder", "no such folder"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("--folder no such folder:"));
    let help = text(&run("studio", &["--help"]).stdout);
    for path in ["/api/level", "/api/board", "/api/network", "/api/files"] {
        assert!(help.contains(path), "{path}");
    }
}
