//! Tests of the choice of the method that draws boards, and of the report about it.

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
        [
            "r-hat",
            "effective boards",
            "chains",
            "sweeps to a first board",
            "sweeps between boards"
        ]
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

/// Compiling would take seconds, and three boards in four meet the demand, so rejection is faster.
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
    // Boards that were drawn before the exact method was ready are kept, because both methods have the same law.
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

/// If the exact engine is predicted not to fit into memory, a note says so beforehand, and names the method that is used instead.
#[test]
fn what_does_not_fit_falls_back_and_says_so() {
    let files = Files::new();
    let output = files.run("island", "--size 17x20 --count 2");
    let message = text(&output.stderr);
    assert!(
        message.starts_with("note: --method exact would need "),
        "{message}"
    );
    assert!(
        message.contains("--method chain is used instead") && message.contains("r-hat"),
        "{message}"
    );
    let output = files.run("yin_yang", "--size 9 --task count --memory 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("more than --memory 1MiB; allow more"));
    let output = files.run("dungeon", "--size 6 --min-walk 12 --memory 16");
    assert!(output.status.success());
    let message = text(&output.stderr);
    assert!(
        message.contains("method rejection, boards 1, acceptance"),
        "{message}"
    );
    let output = files.run("island", "--size 12x20 --task count");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("(the turned board, 20x12, needs less)"));
    // For a few boards, the faster method is used.
    let output = files.run("dungeon", "--size 8");
    assert!(output.status.success());
    let message = text(&output.stderr);
    assert!(
        message.starts_with("note: --method chain is faster for this number of boards, but only approximate; --method exact would explore ")
            && message.contains("method chain, boards 1, r-hat"),
        "{message}"
    );
    // If a query is not possible for such boards, the message names the possible queries.
    let output = files.run("dungeon", "--size 12 --task count");
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.contains("more than --memory 1GiB; allow more memory, or use a smaller board, or draw boards by --task sample --method chain"),
        "{message}"
    );
    // Rejection is used instead if boards with random colours often have a path.
    for ask in ["--size 12", "--size 8 --min-steps 15 --count 3"] {
        let output = files.run("chromatic_maze", ask);
        assert!(output.status.success());
        assert!(text(&output.stderr).contains("method rejection"));
    }
    let output = files.run(
        "dungeon",
        "--size 8 --min-walk 12 --memory 2 --method rejection",
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("even without demands on paths"));
}

/// Boards are drawn at sizes for which the exact engine has too many states; each meets its demands, and the same seed gives the same boards.
#[test]
fn chains_draw_boards_of_any_size() {
    let files = Files::new();
    let asks = [
        (
            "dungeon",
            "--size 13 --min-walk 40 --show-path",
            "walk",
            40..=500,
        ),
        ("dungeon", "--clues large.clues", "walk", 32..=500),
        (
            "island",
            "--size 14 --min-land 30 --max-land 60 --count 2",
            "land",
            30..=60,
        ),
        ("island", "--clues wide.clues --max-land 30", "land", 3..=30),
        (
            "yin_yang",
            "--size 8 --method chain --min-black 32 --max-black 32",
            "black",
            32..=32,
        ),
    ];
    for (puzzle, ask, number, range) in asks {
        let output = files.run(puzzle, &format!("{ask} --format json --seed 3"));
        let message = text(&output.stderr);
        assert!(output.status.success(), "{ask}: {message}");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["method"], "chain", "{ask}");
        let is_asked = ask.contains("--method chain");
        assert!(
            is_asked || message.contains("--method chain is used instead"),
            "{message}"
        );
        for board in found["puzzles"].as_array().unwrap() {
            let found = board[number].as_u64().unwrap();
            assert!(range.contains(&found), "{ask}: {found}");
        }
        if puzzle == "yin_yang" || ask.contains("--count") {
            let again = files.json(puzzle, &format!("{ask} --seed 3"));
            assert_eq!(again["puzzles"], found["puzzles"], "{ask}");
        }
    }
    // Wilson's algorithm does not reach such long paths.
    let found = files.json("maze", "--size 16 --min-walk 150 --show-path");
    assert_eq!(found["method"], "chain");
    assert!(found["puzzles"][0]["path"].as_array().unwrap().len() > 150);
}

/// These chromatic mazes are wider than the automata can read, and have a path that seldom occurs by chance.
#[test]
fn chromatic_mazes_are_drawn_at_any_size() {
    let files = Files::new();
    let found = files.json("chromatic_maze", "--size 18 --min-steps 40 --count 2");
    assert_eq!(found["method"], "chain");
    assert_eq!(found["puzzles"].as_array().unwrap().len(), 2);
    assert!(found.get("stopped").is_none());
}

/// Islands of up to six cells around the centre are polyominoes, each counted once for each of its cells.
#[test]
fn islands_of_little_land_are_counted_at_any_size() {
    let files = Files::new();
    let found = files.json("island", "--size 100 --max-land 1 --task count");
    assert_eq!(found["count"], "1");
    let found = files.json("island", "--size 60x100 --max-land 6 --task count");
    assert_eq!(found["count"], "1710");
    let found = files.json("island", "--size 100 --min-land 3 --max-land 5 --count 3");
    assert_eq!(found["method"], "exact");
}

/// If `--time` ends a run early, the output says so, even if all boards were drawn.
#[test]
fn drawings_that_are_cut_short_say_so() {
    let files = Files::new();
    let ask = "--size 100 --min-land 3000 --max-land 4000 --time 2 --format json";
    let output = files.run("island", ask);
    let message = text(&output.stderr);
    assert!(output.status.success(), "{message}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["stopped"], "time");
    assert!(message.contains("--time is over"), "{message}");
    let land = found["puzzles"][0]["land"].as_u64().unwrap();
    assert!((3000..=4000).contains(&land), "{land}");
}

/// Without reachability, a dungeon has a gem, an altar and walls anywhere, so that all queries have answers at sizes that are impossible for dungeons
/// with a path.
#[test]
fn dungeons_without_reachability_are_exact_at_any_size() {
    let files = Files::new();
    // The gem and the altar occupy two cells, and each other cell has a wall or not.
    let count = |side: u128| (side * side * (side * side - 1)) << (side * side - 2);
    for side in [2, 3, 8] {
        let found = files.json(
            "dungeon",
            &format!("--size {side} --reachable no --task count"),
        );
        assert_eq!(found["count"], count(side).to_string());
    }
    // The number of boards is 900 * 899 * 2^898.
    let found = files.json("dungeon", "--size 30 --reachable no --task count");
    assert_eq!(found["count"].as_str().unwrap().len(), 277);
    let found = files.json(
        "dungeon",
        "--size 30 --reachable no --count 5 --min-walls 700",
    );
    assert_eq!(found["method"], "exact");
    for board in found["puzzles"].as_array().unwrap() {
        let grid = board["grid"].to_string();
        assert!(grid.matches('W').count() >= 700);
        assert_eq!(
            (grid.matches('G').count(), grid.matches('A').count()),
            (1, 1)
        );
    }
    let found = files.json("dungeon", "--size 20 --reachable no --task marginals");
    let gem = found["marginals"][7][9]["gem"].as_f64().unwrap();
    assert!((gem - 1.0 / 400.0).abs() < 1e-12, "{gem}");
    let output = files.run("dungeon", "--size 2 --reachable no --min-walls 3");
    assert!(
        text(&output.stderr).contains("at least 3 walls, but boards of this size have 0 to 2;")
    );
    let output = files.run("dungeon", "--size 9 --reachable no --min-walk 20");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("need --reachable yes"));
}

/// Boards with equal numbers of colours are drawn from exact boards with any numbers; and a puzzle has a solution with equal numbers of both colours.
#[test]
fn colours_have_bounds() {
    let files = Files::new();
    let found = files.json(
        "yin_yang",
        "--size 8 --min-black 32 --max-black 32 --count 4",
    );
    assert!(["exact", "rejection"].contains(&found["method"].as_str().unwrap()));
    for board in found["puzzles"].as_array().unwrap() {
        assert_eq!(board["black"], 32);
        assert_eq!(board["grid"].to_string().matches('1').count(), 32);
    }
    // All 34 boards of 3 by 3 are counted by their number of black cells.
    let counts = (1..9).map(|black| {
        let ask = format!("--size 3 --task count --min-black {black} --max-black {black}");
        files.json("yin_yang", &ask)["count"]
            .as_str()
            .unwrap()
            .parse::<u32>()
            .unwrap()
    });
    assert_eq!(counts.sum::<u32>(), 34);
    let found = files.json(
        "yin_yang",
        "--size 6 --make-puzzle --min-black 18 --max-black 18",
    );
    assert_eq!(found["puzzles"][0]["black"], 18);
    std::fs::write(
        files.path("made.clues"),
        lines(&found["puzzles"][0]["clues"]),
    )
    .unwrap();
    let solved = files.json("yin_yang", "--clues made.clues --task solve");
    assert_eq!(solved["unique"], true);
    assert_eq!(solved["solution"]["grid"], found["puzzles"][0]["grid"]);
    let output = files.run("yin_yang", "--size 4 --min-black 16");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr)
            .contains("at least 16 black cells, but boards of this size have 5 to 11")
    );
}

fn lines(rows: &serde_json::Value) -> String {
    let rows = rows.as_array().unwrap().iter();
    let rows: Vec<&str> = rows.map(|row| row.as_str().unwrap()).collect();
    rows.join("\n") + "\n"
}

/// Queries about mazes have answers at any size; if the exact method is requested, it reports that the size is too large for it.
#[test]
fn mazes_are_counted_at_any_size() {
    let files = Files::new();
    let found = files.json("maze", "--size 8 --task count");
    assert_eq!(
        (&found["method"], &found["count"]),
        (&"matrix-tree".into(), &"126231322912498539682594816".into())
    );
    let exact = files.json("maze", "--size 6 --task count --method exact");
    assert_eq!(
        (&exact["method"], &exact["count"]),
        (&"exact".into(), &"32565539635200".into())
    );
    let found = files.json("maze", "--size 100 --task count");
    assert_eq!(found["count"].as_str().unwrap().len(), 4988);
    for task in ["probability", "marginals", "most-likely", "solve"] {
        let found = files.json("maze", &format!("--size 40 --weights snake --task {task}"));
        assert_eq!(found["method"], "matrix-tree", "{task}");
    }
    let output = files.run("maze", "--size 30 --task count --method exact");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("use 1 to 1000 rows and 1 to 15 columns"));
    let output = files.run("maze", "--size 60 --task marginals --memory 1");
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.contains("--method matrix-tree would need about 1.6")
            && message.contains("more than --memory 1MiB"),
        "{message}"
    );
    let output = files.run("maze", "--method matrix-tree");
    assert!(text(&output.stderr).contains("--method matrix-tree does not draw boards"));
}

/// If no board is found, the demands are not reported as impossible.
#[test]
fn a_search_that_finds_nothing_proves_nothing() {
    let files = Files::new();
    let output = files.run(
        "dungeon",
        "--size 5x3 --min-walk 20 --max-walls 0 --method chain",
    );
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.contains("sweeps of --method chain") && message.contains("perhaps impossible"),
        "{message}"
    );
}

/// Regression test: particles took all the memory of the machine if the board did not fit `--memory`.
#[test]
fn particles_without_memory_are_refused() {
    let output = example::run("yin_yang", &["--size", "1000x15", "--method", "particles"]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.contains("--method particles would need about 3.43GiB, more than --memory 1GiB"),
        "{message}"
    );
}
