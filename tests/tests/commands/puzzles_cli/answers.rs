//! Tests of the answers of the puzzle examples: counts, probabilities, and the effect of clues.

use serde_json::json;

use super::files::{Files, assert_near, keys};

/// The counts were computed by other programs: 192 spanning trees, 1858 reachable dungeons, 161 islands around the middle, 96 Yin-Yang boards, and
/// 7704 solvable chromatic mazes.
#[test]
fn counts_and_probabilities_are_exact() {
    let files = Files::new();
    for (puzzle, arguments, count, probability) in [
        ("maze", "--size 3", "192", 2.0 / 27.0),
        ("maze", "--size 2", "4", 0.5),
        ("dungeon", "--size 3", "1858", 1858.0 / 4f64.powi(9)),
        (
            "dungeon",
            "--size 3 --max-walk 4",
            "683",
            683.0 / 4f64.powi(9),
        ),
        (
            "dungeon",
            "--size 3 --min-walk 14",
            "22",
            22.0 / 4f64.powi(9),
        ),
        ("island", "--size 5", "161", 161.0 / 2f64.powi(25)),
        ("yin_yang", "--size 4", "96", 96.0 / 2f64.powi(16)),
        ("yin_yang", "--size 2x3", "18", 18.0 / 2f64.powi(6)),
        (
            "yin_yang",
            "--clues two.clues",
            "2726",
            2726.0 / 2f64.powi(36),
        ),
        ("chromatic_maze", "--size 2", "7704", 7704.0 / 15552.0),
        (
            "chromatic_maze",
            "--size 2 --t-max 1",
            "5184",
            5184.0 / 15552.0,
        ),
        (
            "chromatic_maze",
            "--size 2 --min-steps 3",
            "384",
            384.0 / 15552.0,
        ),
    ] {
        let ask = |task: &str| files.json(puzzle, &format!("--task {task} {arguments}"));
        let found = ask("count");
        assert_eq!(found["count"], count, "{puzzle} {arguments}");
        assert_eq!(keys(&found["seconds"]), ["compile", "sample"]);
        let found = ask("probability");
        assert_near(&found["probability"], probability);
        assert_near(&found["log_probability"], probability.ln());
        let message = files.text(puzzle, &format!("--task count {arguments}"));
        assert_eq!(message, format!("{count}\n"));
    }
    for (arguments, probability) in [
        ("--size 2 --border outside", 4.0 / 64.0),
        ("--size 3 --weights snake", 10206.0 / 1_092_025.0),
    ] {
        let found = files.json("maze", &format!("--task probability {arguments}"));
        assert_near(&found["probability"], probability);
    }
}

#[test]
fn marginals_are_those_of_the_boards() {
    let files = Files::new();
    let found = files.json("dungeon", "--size 1x3 --task marginals");
    // The boards are GA., G.A and .GA, and the same three with gem and altar exchanged: six in all.
    let ends = json!({"empty": 1.0 / 3.0, "gem": 1.0 / 3.0, "altar": 1.0 / 3.0});
    for cell in 0..3 {
        let cell = &found["marginals"][0][cell];
        for (name, p) in ends.as_object().unwrap() {
            assert_near(&cell[name], p.as_f64().unwrap());
        }
        assert_eq!(cell.as_object().unwrap().len(), 3);
    }
    let found = files.json("chromatic_maze", "--size 1x2 --task marginals");
    let cell = &found["marginals"][0][1];
    assert_near(&cell["start or finish"], 1.0);
    for colour in ["red", "yellow", "green", "cyan", "blue", "magenta"] {
        assert_near(&cell[colour], 1.0 / 6.0);
    }
    let found = files.text("chromatic_maze", "--size 2x1 --task marginals");
    let message = found;
    assert!(message.contains("magenta\n  0.167\n  0.167\n"), "{message}");
    let message = files.text("maze", "--size 2 --task marginals");
    // Three of four trees have the passage between the first two rooms.
    assert!(message.contains("left\n  0.000 0.750\n"), "{message}");
}

#[test]
fn clues_are_met() {
    let files = Files::new();
    let found = files.json("yin_yang", "--clues two.clues --count 20");
    for board in found["puzzles"].as_array().unwrap() {
        assert_eq!(&board["grid"][1].as_str().unwrap()[1..2], "2");
        assert_eq!(&board["grid"][4].as_str().unwrap()[0..1], "1");
    }
    let found = files.json("island", "--clues shore.clues --task solve");
    assert_eq!(found["unique"], true);
    assert_eq!(
        found["solution"]["grid"],
        json!(["....", ".##.", ".##.", "...."])
    );
    let found = files.json("yin_yang", "--clues two.clues --task solve");
    assert_eq!(found["unique"], false);
}
