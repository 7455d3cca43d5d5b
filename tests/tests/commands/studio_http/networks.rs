//! Tests of networks: the studio gives the answers of the command, keeps compiled trees, and reads only files of its folder.

use std::fs;

use figrs_tests::example::{run, text};
use figrs_tests::studio::Studio;
use serde_json::{Value as Json, json};

const GARDEN: &str = "network garden { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable grass { type discrete [ 2 ] { wet, dry }; }
variable shoes { type discrete [ 2 ] { muddy, clean }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( grass | rain ) { (yes) 1.0, 0.0; (no) 0.2, 0.8; }
probability ( shoes | grass ) { (wet) 0.7, 0.3; (dry) 0.0, 1.0; }
";

#[test]
fn posteriors_are_those_that_the_command_prints() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("garden.bif");
    fs::write(&file, GARDEN).unwrap();
    let studio = Studio::start(Some(folder.path()));
    for observed in [
        json!({}),
        json!({"shoes": "clean"}),
        json!({"grass": "wet", "rain": "no"}),
    ] {
        let mut words = vec![
            "--file",
            file.to_str().unwrap(),
            "--algorithm",
            "junction-tree",
            "--format",
            "json",
        ];
        let texts: Vec<String> = observed
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, state)| format!("{name}={}", state.as_str().unwrap()))
            .collect();
        for observed in &texts {
            words.extend(["--observe", observed]);
        }
        let output = run("network", &words);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let expected: Json = serde_json::from_slice(&output.stdout).unwrap();
        for source in [json!({"file": "garden.bif"}), json!({"text": GARDEN})] {
            let mut request = source;
            request["observe"] = observed.clone();
            let (status, found) = studio.post("/api/network", &request);
            assert_eq!(status, 200, "{found}");
            for (name, states) in expected["marginals"].as_object().unwrap() {
                for (state, p) in states.as_object().unwrap() {
                    let own = found["marginals"][name][state].as_f64().unwrap();
                    assert!((own - p.as_f64().unwrap()).abs() < 1e-12, "{name} {state}");
                }
            }
            assert_eq!(
                (&found["algorithm"], &found["exact"]),
                (&json!("JunctionTree"), &json!(true))
            );
        }
    }
    let (_, described) = studio.post(
        "/api/network",
        &json!({"file": "garden.bif", "describe": true}),
    );
    assert_eq!(described["network"]["kind"], "bayesian");
    let node = &described["network"]["nodes"][2];
    assert_eq!(
        *node,
        json!({"name": "shoes", "states": ["muddy", "clean"], "parents": ["grass"]})
    );
    // A file that has changed is read again.
    fs::write(
        &file,
        GARDEN.replace(
            "0.2, 0.8; }\nprobability ( grass",
            "0.4, 0.6; }\nprobability ( grass",
        ),
    )
    .unwrap();
    let (_, changed) = studio.post("/api/network", &json!({"file": "garden.bif"}));
    assert_eq!(changed["marginals"]["rain"]["yes"], 0.4);
}

#[test]
fn observations_that_exclude_each_other_are_told_with_their_variables() {
    let studio = Studio::start(None);
    let observe = json!({"shoes": "muddy", "grass": "dry"});
    let (status, message) =
        studio.post("/api/network", &json!({"text": GARDEN, "observe": observe}));
    assert_eq!(status, 200, "{message}");
    let mut variables: Vec<&str> = message["variables"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Json::as_str)
        .collect();
    variables.sort_unstable();
    assert_eq!(
        (variables, &message["proven"]),
        (vec!["grass", "shoes"], &json!(true))
    );
    for (wrong, part) in [
        (json!({"text": GARDEN, "observe": {"snow": "yes"}}), "snow"),
        (
            json!({"text": GARDEN, "observe": {"rain": "maybe"}}),
            "maybe",
        ),
        (
            json!({"text": GARDEN, "observe": {"rain": 1}}),
            "write the name of a state",
        ),
        (json!({"text": "network {"}), "text"),
        (
            json!({"text": GARDEN, "memory": 0}),
            "memory 0: write 1 to 8192",
        ),
        (json!({"text": GARDEN, "samples": 100_000_000}), "samples"),
    ] {
        let (status, message) = studio.post("/api/network", &wrong);
        assert_eq!(status, 400, "{message}");
        assert!(
            message["error"].as_str().unwrap().contains(part),
            "{message}"
        );
    }
}

#[test]
fn no_file_outside_the_folder_is_read() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.bif");
    fs::write(&secret, GARDEN).unwrap();
    let folder = outside.path().join("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("inside.bif"), GARDEN).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.join("link.bif")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.join("up")).unwrap();
        // Reading a pipe to which nothing is written would never end.
        let pipe = std::process::Command::new("mkfifo")
            .arg(folder.join("pipe.bif"))
            .status();
        assert!(pipe.unwrap().success());
        fs::create_dir(folder.join("levels")).unwrap();
        fs::write(outside.path().join("secret.txt"), "--\nXX\n").unwrap();
        std::os::unix::fs::symlink(
            outside.path().join("secret.txt"),
            folder.join("levels/a.txt"),
        )
        .unwrap();
    }
    let studio = Studio::start(Some(&folder));
    let absolute = secret.to_str().unwrap();
    for name in [
        "../secret.bif",
        absolute,
        "link.bif",
        "pipe.bif",
        "up/secret.bif",
        "./../secret.bif",
        "folder/../../secret.bif",
        "",
        ".",
        "inside.bif/",
        "no.bif",
        "a\0b",
        "..\\secret.bif",
    ] {
        let (status, message) = studio.post("/api/network", &json!({"file": name}));
        assert_eq!(status, 404, "{name:?}: {message}");
        assert!(
            !message
                .to_string()
                .contains(outside.path().to_str().unwrap())
                || name == absolute,
            "{message}"
        );
    }
    assert_eq!(
        studio
            .post("/api/network", &json!({"file": "inside.bif"}))
            .0,
        200
    );
    if cfg!(unix) {
        let (status, message) = studio.post("/api/level", &json!({"corpus": "levels"}));
        assert_eq!(status, 400, "{message}");
        let (status, _) = studio.post("/api/level", &json!({"corpus": "up"}));
        assert_eq!(status, 404);
    }
    let files = studio.get("/api/files").json();
    assert_eq!(files["networks"], json!(["inside.bif"]));
    let without = Studio::start(None);
    let (status, message) = without.post("/api/network", &json!({"file": "inside.bif"}));
    assert_eq!(status, 404);
    assert!(message["error"].as_str().unwrap().contains("--folder"));
}
