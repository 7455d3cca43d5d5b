//! Tests of the Yin-Yang puzzles that the example creates.

use figrs_tests::example::text;

use super::files::Files;

/// The written file is read as clues: the board in the JSON is the only one that meets them, and without any one clue there is another board.
#[test]
fn puzzles_that_are_made_can_be_read_and_have_one_solution() {
    let files = Files::new();
    let ask = "--size 5 --make-puzzle --seed 4";
    let printed = files.text("yin_yang", &format!("{ask} --out made.clues"));
    assert_eq!(printed, "");
    let made = std::fs::read_to_string(files.path("made.clues")).unwrap();
    let found = files.json("yin_yang", ask);
    let puzzle = &found["puzzles"][0];
    let rows = |rows: &serde_json::Value| {
        let rows = rows.as_array().unwrap().iter();
        let rows: Vec<&str> = rows.map(|row| row.as_str().unwrap()).collect();
        rows.join("\n") + "\n"
    };
    assert_eq!(rows(&puzzle["clues"]), made);
    let solved = files.text("yin_yang", "--clues made.clues --task solve");
    assert_eq!(solved, rows(&puzzle["grid"]) + "the only one\n");
    let clues: Vec<usize> = (0..made.len())
        .filter(|&at| "12".contains(&made[at..=at]))
        .collect();
    assert_eq!(found["diagnostics"]["clues"], clues.len() as f64);
    for at in clues {
        let mut fewer = made.clone();
        fewer.replace_range(at..=at, ".");
        std::fs::write(files.path("fewer.clues"), fewer).unwrap();
        let solved = files.text("yin_yang", "--clues fewer.clues --task solve");
        assert!(solved.ends_with("one of several\n"), "{made}{at}");
    }
}

#[test]
fn puzzles_are_made_by_seed_and_keep_the_clues_given() {
    let files = Files::new();
    let ask = |seed: u64| {
        let ask = format!("--clues two.clues --make-puzzle --count 2 --seed {seed}");
        files.json("yin_yang", &ask)["puzzles"].clone()
    };
    let made = ask(1);
    assert_eq!(ask(1), made);
    assert_ne!(ask(2), made);
    assert_ne!(made[0], made[1]);
    for puzzle in made.as_array().unwrap() {
        assert_eq!(&puzzle["clues"][1].as_str().unwrap()[1..2], "2");
        assert_eq!(&puzzle["clues"][4].as_str().unwrap()[0..1], "1");
    }
    let picture = "--size 4 --make-puzzle --format png --out made.png";
    assert!(files.text("yin_yang", picture).is_empty());
    let file = std::fs::read(files.path("made.png")).unwrap();
    assert!(file.starts_with(b"\x89PNG\r\n"));
    let output = files.run("yin_yang", "--size 9 --make-puzzle --memory 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr)
            .ends_with("more than --memory 1MiB; allow more memory, or use a smaller board\n"),
        "{}",
        text(&output.stderr)
    );
}
