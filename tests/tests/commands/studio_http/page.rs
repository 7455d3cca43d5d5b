//! Tests of the page and its files.

use figrs_tests::studio::Studio;

/// Returns the files that a text of the page names in quotes or as imports.
fn named(text: &str) -> Vec<&str> {
    let words = text.split(['"', '\'']);
    let is_file = |word: &&str| {
        let plain = word.trim_start_matches("./");
        let known = [".js", ".css"];
        known.iter().any(|end| plain.ends_with(end)) && !plain.contains([' ', ':', '*'])
    };
    words.filter(is_file).collect()
}

#[test]
fn the_page_is_whole_and_names_nothing_outside() {
    let studio = Studio::start(None);
    let mut open = vec!["/".to_owned()];
    let mut seen = Vec::new();
    while let Some(path) = open.pop() {
        if seen.contains(&path) {
            continue;
        }
        let reply = studio.get(&path);
        assert_eq!(reply.status, 200, "{path}");
        let kind = reply.header("content-type").unwrap().to_owned();
        let expected = match path.rsplit('.').next() {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            _ => "text/html; charset=utf-8",
        };
        assert_eq!(kind, expected, "{path}");
        let text = String::from_utf8(reply.body).unwrap();
        // Names of XML vocabularies look like addresses, but nothing is loaded from them.
        let plain = text.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !plain.contains("http://") && !plain.contains("https://"),
            "{path}"
        );
        let files = named(&text).into_iter();
        open.extend(files.map(|file| format!("/{}", file.trim_start_matches("./"))));
        seen.push(path);
    }
    assert!(seen.len() >= 13, "{seen:?}");
}

#[test]
fn answers_say_that_nothing_else_may_be_loaded_or_frame_them() {
    let studio = Studio::start(None);
    for (path, status) in [
        ("/", 200),
        ("/style.css", 200),
        ("/api/files", 200),
        ("/no", 404),
    ] {
        let reply = studio.get(path);
        assert_eq!(reply.status, status, "{path}");
        let policy = reply.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*'));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(
            reply.header("cross-origin-resource-policy"),
            Some("same-origin")
        );
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    let head = studio.ask("HEAD", "/", &[], "");
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn the_files_of_the_folder_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let levels = folder.path().join("levels");
    std::fs::create_dir(&levels).unwrap();
    std::fs::write(levels.join("a.txt"), "--\nXX\n").unwrap();
    std::fs::write(folder.path().join("b.bif"), "").unwrap();
    std::fs::write(folder.path().join("a.net"), "").unwrap();
    std::fs::write(folder.path().join("notes.md"), "").unwrap();
    let studio = Studio::start(Some(folder.path()));
    let files = studio.get("/api/files").json();
    let expected =
        serde_json::json!({"networks": ["a.net", "b.bif"], "corpora": ["levels"], "cut": false});
    assert_eq!(files, expected);
    let none = Studio::start(None).get("/api/files").json();
    assert_eq!(
        none,
        serde_json::json!({"networks": [], "corpora": [], "cut": false})
    );
}
