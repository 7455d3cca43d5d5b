//! Choice of the method that draws boards, and its report.

use figrs_tests::example::{self, text};

use super::files::{Files, keys};

#[test]
fn other_methods_draw_what_is_asked_and_tell_how() {
    let files = Files::new();
    let found = files.json(
        "island",
        "--size 6 --method chain --count 6 --min-land 4 --max-land 9",
    );
    assert_eq!(found["method"], "chain");
    assert_eq!(
        keys(&found["diagnostics"]),
        ["r-hat", "effective islands", "islands"]
    );
    let boards = found["puzzles"].as_array().unwrap();
    assert_eq!(boards.len(), 6);
    for board in boards {
        assert!((4..=9).contains(&board["land"].as_u64().unwrap()));
    }
    let found = files.json("maze", "--size 4 --count 20 --min-walk 8 --max-walk 10");
    assert_eq!(found["method"], "wilson");
    assert!(found["diagnostics"]["acceptance"].as_f64().unwrap() < 1.0);
    let found = files.json(
        "dungeon",
        "--size 4 --method rejection --count 20 --min-walk 14",
    );
    for board in found["puzzles"].as_array().unwrap() {
        assert!(board["walk"].as_u64().unwrap() >= 14);
    }
    let found = files.json(
        "chromatic_maze",
        "--size 3 --method rejection --count 20 --min-steps 4 --t-max 5",
    );
    for board in found["puzzles"].as_array().unwrap() {
        assert!((4..=5).contains(&board["steps"].as_u64().unwrap()));
    }
    let ask = "--size 5 --method particles --count 3 --seed 2";
    let found = files.json("yin_yang", ask);
    assert_eq!(found["puzzles"].as_array().unwrap().len(), 3);
    assert_eq!(files.json("yin_yang", ask)["puzzles"], found["puzzles"]);
}

/// Compiling would take seconds, and three boards in four meet the demand.
#[test]
fn what_is_quicker_is_taken_where_both_are_exact() {
    let files = Files::new();
    let ask = |arguments: &str| {
        let found = files.json("dungeon", arguments);
        (found["method"].clone(), found["puzzles"].clone())
    };
    let easy = "--size 5 --min-walk 10 --max-walls 8 --count 3";
    let (method, boards) = ask(easy);
    assert_eq!(method, "rejection");
    assert_eq!(ask(&format!("{easy} --method rejection")).1, boards);
    let rare = "--size 4 --min-walk 22 --count 2000";
    let (method, boards) = ask(rare);
    assert_eq!(method, "exact");
    // Boards that were drawn before the exact method joined in are kept: both have the same law.
    let one = "--size 4 --min-walk 22 --count 1 --method rejection";
    assert_eq!(ask(one).1[0], boards[0]);
    let boards = boards.as_array().unwrap();
    assert_eq!(boards.len(), 2000);
    assert!(
        boards
            .iter()
            .all(|board| board["walk"].as_u64().unwrap() >= 22)
    );
}

/// If the exact engine is predicted not to fit, a note says so beforehand, and names the method that is taken instead.
#[test]
fn what_does_not_fit_falls_back_and_says_so() {
    let files = Files::new();
    let output = files.run("island", "--size 17x20 --count 2");
    let told = text(&output.stderr);
    assert!(
        told.starts_with("note: --method exact would need "),
        "{told}"
    );
    assert!(
        told.contains("falling back on --method chain") && told.contains("r-hat"),
        "{told}"
    );
    let output = files.run("yin_yang", "--size 9 --task count --memory 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("more than --memory 1MiB; allow more"));
    let output = files.run("dungeon", "--size 6 --min-walk 12 --memory 16");
    assert!(output.status.success());
    let told = text(&output.stderr);
    assert!(
        told.contains("method rejection, boards 1, acceptance"),
        "{told}"
    );
    let output = files.run("island", "--size 12x20 --task count");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("(less on its side, as 20x12)"));
    // Without a demand there is nothing to reject.
    let output = files.run("dungeon", "--size 12");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("more than --memory 1GiB; allow more"));
    // Unless colours drawn at random often have a way.
    for ask in ["--size 12", "--size 8 --min-steps 15 --count 3"] {
        let output = files.run("chromatic_maze", ask);
        assert!(output.status.success());
        assert!(text(&output.stderr).contains("method rejection"));
    }
    let output = files.run("dungeon", "--size 8 --min-walk 12 --memory 2");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("without demands on ways"));
}

/// Particles took all the memory of the machine where the board did not fit --memory.
#[test]
fn particles_without_memory_are_refused() {
    let output = example::run("yin_yang", &["--size", "1000x15"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.contains("--method particles would need about 3.43GiB, more than --memory 1GiB"),
        "{told}"
    );
}
