//! Tests of the reported variation, and of the tests of the distribution.

use figrs_tests::example::text;

use super::files::{Files, keys};

/// The P-values are those of one run with a fixed seed; a wrong distribution would give values far below.
#[test]
fn stats_tell_variation_and_test_the_distribution() {
    let files = Files::new();
    for (puzzle, arguments, readings, tests) in [
        ("maze", "--size 3 --count 1000", 3, &["cells", "boards"][..]),
        (
            "maze",
            "--size 3 --count 200 --weights snake",
            3,
            &["cells"],
        ),
        (
            "maze",
            "--size 4 --count 900",
            3,
            &["cells", "equal boards"],
        ),
        (
            "dungeon",
            "--size 3 --count 400",
            3,
            &["cells", "equal boards", "ways"],
        ),
        (
            "chromatic_maze",
            "--size 2 --count 400",
            3,
            &["cells", "colours", "equal boards", "ways"],
        ),
        ("island", "--size 5 --count 900", 0, &["cells", "boards"]),
        ("yin_yang", "--size 4 --count 500", 0, &["cells", "boards"]),
    ] {
        let found = files.json(puzzle, &format!("{arguments} --stats"));
        let (scores, found) = (&found["stats"]["variation"], &found["stats"]["tests"]);
        assert_eq!(keys(scores).len(), readings);
        assert_eq!(keys(found), tests, "{puzzle} {arguments}");
        for (name, test) in found.as_object().unwrap() {
            let p = test["p_value"].as_f64().unwrap();
            assert!((1e-4..=1.0).contains(&p), "{puzzle} {name}: {test}");
        }
    }
    let few = files.run("island", "--size 6 --count 4 --stats");
    assert!(few.stdout.is_empty());
    assert!(
        text(&few.stderr)
            .starts_with("note: there are too few boards for a test of the distribution")
    );
    let message = files.text("maze", "--size 3 --count 300 --stats");
    assert!(
        message.starts_with("variation dissimilarity ") && message.contains("test      cells"),
        "{message}"
    );
}
