//! Tests of demands on levels of the main example: levels that meet them, their probability, and demands that no level meets.

use std::process::Output;

use figrs_tests::example::{self, text};

fn run(arguments: &[&str]) -> Output {
    example::run("mario_mdmc", arguments)
}

/// Frontiers that grow from column to column stay in memory, so that only their new states are explored; if memory is short, cached results of
/// functions are dropped for them.
#[test]
fn a_chain_of_many_bands_fits_into_little_memory() {
    let bands = ["--rows", "10", "--row-splits", "10", "--width", "100"];
    let exact = ["--method", "exact", "--probability", "--memory", "6MiB"];
    let output = run(&[&bands[..], &exact].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn levels_are_as_demanded_by_either_method() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("start"), "__\n__\n__\nXX\n").unwrap();
    std::fs::write(path("pattern"), "E\nX\n").unwrap();
    for method in ["conditioned", "exact"] {
        let arguments = [
            "--method",
            method,
            "--rows",
            "4",
            "--width",
            "30",
            "--seed",
            "4",
            "--levels",
            "5",
            "--format",
            "json",
            "--max-gap",
            "3",
            "--count",
            "X=20..60",
            "--start",
            &path("start"),
            "--forbid",
            &path("pattern"),
        ];
        let output = run(&arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let levels: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for level in levels.as_array().unwrap() {
            assert_eq!(level["unseen"], 0);
            assert_eq!(level["demands"].as_array().unwrap().len(), 5);
            let rows: Vec<&str> = (0..4)
                .map(|row| level["rows"][row].as_str().unwrap())
                .collect();
            assert!(rows[3].starts_with("XX"));
            let ground = rows
                .iter()
                .flat_map(|row| row.chars())
                .filter(|&c| c == 'X')
                .count();
            assert!((20..=60).contains(&ground));
            let above = rows[2].chars().zip(rows[3].chars());
            assert!(!above.clone().any(|pair| pair == ('E', 'X')));
        }
    }
}

#[test]
fn the_probability_of_demands_is_told() {
    let asked = [
        "--method",
        "exact,conditioned",
        "--rows",
        "5",
        "--width",
        "40",
        "--max-gap",
        "2",
        "--probability",
        "--format",
        "json",
        "--seed",
        "1",
    ];
    let output = run(&asked);
    let message: Vec<serde_json::Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let number = |line: usize, name: &str| message[line][name].as_f64().unwrap();
    let far = (number(0, "probability") - number(1, "probability")).abs();
    assert!(far < 5.0 * number(1, "standard_error"), "{message:?}");
    assert_eq!(number(0, "standard_error"), 0.0);
}

#[test]
fn demands_that_cannot_be_met_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("gap"), "_____\n_____\n_____\n_---_\n").unwrap();
    std::fs::write(path("wide"), "------\n------\n------\nXXXXXX\n").unwrap();
    std::fs::write(path("bytes"), b"_____\n_\xff___\n").unwrap();
    let demand =
        |columns| format!("[[demand]]\ncount = 'X'\nnumber = '2..'\ncolumns = '{columns}'\n");
    std::fs::write(path("halves.toml"), demand("..2") + &demand("2..")).unwrap();
    std::fs::write(
        path("line.toml"),
        "# One.\n\n[[demand]]\nrequire = 'E'\ntime = 3\n",
    )
    .unwrap();
    let cases: [(&[&str], i32, &str); 10] = [
        (
            &["--method", "conditioned", "--count", "E=5000"],
            1,
            "it is proven",
        ),
        (
            &["--method", "exact", "--count", "E=2", "--count", "E=7..8"],
            1,
            "it is proven that no level can continue at column 3",
        ),
        (
            &[
                "--method",
                "exact",
                "--around",
                &path("wide"),
                "--free",
                "1..3",
            ],
            2,
            "wide: the file has 4 rows and 6 columns",
        ),
        (
            &["--method", "exact", "--pin", &path("bytes")],
            2,
            "bytes:2:2: not UTF-8",
        ),
        (
            &["--method", "exact", "--pin", &path("gap"), "--max-gap", "2"],
            1,
            "at column 3",
        ),
        (
            &[
                "--method",
                "conditioned",
                "--pin",
                &path("gap"),
                "--max-gap",
                "2",
            ],
            1,
            "3 pinned tiles",
        ),
        (
            &[
                "--method",
                "conditioned",
                "--count",
                "X=0..3",
                "--demands",
                &path("halves.toml"),
            ],
            1,
            "halves.toml: line 5 (demand 2)); it is proven that no level can continue at column 4",
        ),
        (
            &["--method", "exact", "--demands", &path("line.toml")],
            2,
            "line.toml: line 3 (demand 1): \"time\" does not belong to require",
        ),
        (
            &[
                "--method",
                "look-ahead",
                "--count",
                "E=20",
                "--demands",
                &path("halves.toml"),
            ],
            1,
            "or use --method conditioned",
        ),
        (
            &["--method", "exact", "--memory", "1B"],
            1,
            "needs more than --memory 1B (a frontier has ",
        ),
    ];
    check(&cases);
}

#[test]
fn demands_of_a_method_that_heeds_none_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("gap"), "_____\n_____\n_____\n_---_\n").unwrap();
    std::fs::write(path("narrow"), "__\n__\n__\n__\n").unwrap();
    let cases: [(&[&str], i32, &str); 6] = [
        (
            &["--method", "look-ahead", "--place", &path("gap")],
            2,
            "pin the tiles, or use --method conditioned",
        ),
        (
            &["--method", "look-ahead", "--trained", "field"],
            2,
            "--trained needs --method conditioned or exact",
        ),
        (
            &["--method", "conditioned", "--pin", &path("narrow")],
            2,
            "4 rows and 2 columns",
        ),
        (
            &["--method", "columns", "--max-gap", "2"],
            2,
            "--method conditioned, exact, look-ahead or elements",
        ),
        (
            &["--method", "exact", "--count", "E=5..1"],
            2,
            "--count E=5..1: write the smaller number first",
        ),
        (
            &["--method", "columns", "--probability"],
            2,
            "--method conditioned or exact",
        ),
    ];
    check(&cases);
}

/// Checks commands on levels of 4 by 5 cells that end with an exit code and one line.
fn check(cases: &[(&[&str], i32, &str)]) {
    for &(arguments, code, expected) in cases {
        let output = run(&[&["--rows", "4", "--width", "5"], arguments].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(
            message.contains(expected) && message.trim_end().lines().count() == 1,
            "{message}"
        );
    }
}

/// The demands in the file of the tutorial are met by levels of every model.
#[test]
fn a_file_of_demands_is_met_by_every_model() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/mario_mdmc/rhythm.toml"
    );
    let size = [
        "--rows", "6", "--width", "40", "--seed", "4", "--levels", "3",
    ];
    let asked = ["--format", "json", "--demands", file];
    for drawn in [
        &["--method", "conditioned"][..],
        &["--method", "conditioned", "--trained", "n-grams"],
        &[
            "--method",
            "conditioned",
            "--trained",
            "hierarchical",
            "--section",
            "5",
        ],
        &[
            "--method",
            "conditioned",
            "--trained",
            "field",
            "--allow-unseen",
            "--particles",
            "4000",
        ],
    ] {
        let output = run(&[drawn, &size, &asked].concat());
        assert!(
            output.status.success(),
            "{drawn:?}: {}",
            text(&output.stderr)
        );
        let levels: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(levels.as_array().map(Vec::len), Some(3));
        for level in levels.as_array().unwrap() {
            let rows: Vec<Vec<char>> = (0..6)
                .map(|row| level["rows"][row].as_str().unwrap().chars().collect())
                .collect();
            let enemies = |columns: std::ops::Range<usize>| {
                let cells = rows.iter().flat_map(|row| &row[columns.clone()]);
                cells.filter(|tile| **tile == 'E').count()
            };
            assert_eq!(enemies(0..10), 0, "{drawn:?}");
            assert!(enemies(0..13) <= enemies(13..26), "{drawn:?}");
            assert!(enemies(13..26) <= enemies(26..40), "{drawn:?}");
            assert!(
                (0..29).all(|left| enemies(left..left + 12) <= 3),
                "{drawn:?}"
            );
            let pipes = (20..39).filter(|&column| {
                (0..5).any(|row| {
                    let square = [
                        rows[row][column],
                        rows[row][column + 1],
                        rows[row + 1][column],
                        rows[row + 1][column + 1],
                    ];
                    square == ['<', '>', '[', ']']
                })
            });
            assert!((1..=2).contains(&pipes.count()), "{drawn:?}");
            assert!(
                rows[5][37..] == ['X', 'X', 'X']
                    || rows[5][37..]
                        .iter()
                        .all(|tile| "XSQ?<>[]Bb".contains(*tile))
            );
        }
    }
}

/// The look-ahead method draws levels until one meets the demands.
#[test]
fn look_ahead_draws_again_until_demands_are_met() {
    let output = run(&[
        "--method",
        "look-ahead",
        "--width",
        "40",
        "--seed",
        "1",
        "--levels",
        "4",
        "--format",
        "json",
        "--max-gap",
        "2",
        "--count",
        "E=2..6",
        "--playable",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let levels: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for level in levels.as_array().unwrap() {
        assert_eq!(level["demands"].as_array().map(Vec::len), Some(4));
        let rows = level["rows"].as_array().unwrap().iter();
        let tiles: String = rows.map(|row| row.as_str().unwrap()).collect();
        assert!((2..=6).contains(&tiles.matches('E').count()));
        assert!(!tiles[13 * 40..].contains("---"));
    }
}
