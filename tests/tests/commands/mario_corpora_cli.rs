//! Tests of training levels of other games: legends, folders, heights, styles, and levels in which the player climbs.

use std::process::Output;

use figrs_tests::example::{self, text};
use tempfile::TempDir;

const LEGEND: &str = r##"{"tiles": {"#": ["solid", "ground"], ".": ["passable", "empty"], "H": ["passable", "climbable", "ladder"]}}"##;

const TOWER: &str = "#..#\n#.T#\n#..#\n#T.#\n#..#\n#.T#\n#..#\n#T.#\n####\n";

fn run(arguments: &[&str]) -> Output {
    example::run("mario_mdmc", &[arguments, &["--seed", "4"]].concat())
}

/// Returns a folder with files, each given by its path and its content.
pub(crate) fn folder(files: &[(&str, impl AsRef<[u8]>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// Returns a level of a corpus in JSON, and the notes on standard error.
fn level(arguments: &[&str]) -> (serde_json::Value, String) {
    let output = run(&[arguments, &["--format", "json"]].concat());
    let message = text(&output.stderr);
    assert!(output.status.success(), "{message}");
    let levels: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    (levels[0].clone(), message)
}

fn rows(level: &serde_json::Value) -> Vec<String> {
    let rows = level["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| row.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn any_folder_of_levels_trains_without_options() {
    let caves = folder(&[
        ("caves.json", LEGEND),
        ("text/README.txt", "# is rock\nH is a ladder, . is air\n"),
        ("text/one.txt", "......\n..H...\n##H###\n..H...\n######\n"),
        ("text/two.txt", "...H..\n###H##\n...H..\n######\n"),
    ]);
    let (level, message) = level(&["--corpus", &path(&caves, "")]);
    assert_eq!(
        (level["width"].as_u64(), level["height"].as_u64()),
        (Some(6), Some(5))
    );
    for part in [
        "README.txt:2:10",
        "caves.json",
        "contains no level itself",
        "1 of 2 levels are filled up above to 5 rows",
    ] {
        assert!(message.contains(part), "{part:?} in {message}");
    }
}

#[test]
fn tiles_without_a_legend_are_unknown_and_one_can_be_given() {
    let rooms = folder(&[
        ("a.txt", "WWWW\nWFFW\nWWWW\n"),
        ("tiles.ini", ""),
        ("own.toml.txt", ""),
    ]);
    let (_, message) = level(&["--corpus", &path(&rooms, ""), "--width", "5"]);
    assert!(
        message.contains("tiles of unknown meaning: FW"),
        "{message}"
    );
    let legend = path(&rooms, "own.toml");
    std::fs::write(&legend, "[tiles]\nW = ['solid']\nF = ['passable']\n").unwrap();
    let (_, message) = level(&["--corpus", &path(&rooms, ""), "--tiles", &legend]);
    assert!(!message.contains("unknown"), "{message}");
    std::fs::write(&legend, "[tiles]\nW = 'solid'\n").unwrap();
    let output = run(&["--corpus", &path(&rooms, ""), "--tiles", &legend]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message.contains("own.toml: not a legend") && message.contains("line 2"),
        "{message}"
    );
}

#[test]
fn towers_are_drawn_upwards_and_pinned_as_they_stand() {
    let towers = folder(&[("a.txt", TOWER), ("b.txt", &TOWER[5..])]);
    let asked = ["--corpus", &path(&towers, ""), "--height", "7"];
    let (drawn, message) = level(&asked);
    assert!(message.contains("are played upwards"), "{message}");
    let standing = rows(&drawn);
    assert_eq!((standing.len(), standing[6].as_str()), (7, "####"));
    assert!(
        standing
            .iter()
            .all(|row| row.len() == 4 && row.starts_with('#'))
    );
    // The bottom row is drawn first, and the mask is read in the upright position of the tower.
    let mask = path(&towers, "mask");
    std::fs::write(&mask, "____\n____\n____\n#.T#\n____\n____\n____\n").unwrap();
    let pinned = [&asked[..], &["--method", "conditioned", "--pin", &mask]].concat();
    assert_eq!(rows(&level(&pinned).0)[3], "#.T#");
    let output = run(&[&asked[..], &["--width", "9"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("set the length by --height"));
    let (right, _) = level(&["--corpus", &path(&towers, ""), "--travel", "right"]);
    assert_eq!(right["height"], 9);
}

#[test]
fn styles_do_not_leak_and_weights_count() {
    let styled = folder(&[
        ("low-1.txt", "--------\nXXXXXXXX\n"),
        ("deep-1.txt", "SSSSSSSS\nXXXXXXXX\n"),
    ]);
    let corpus = path(&styled, "");
    let asked = [
        "--corpus",
        &corpus,
        "--method",
        "hierarchical",
        "--section",
        "4",
        "--width",
        "40",
    ];
    let style = ["--style", "low=low-*", "--style-change", "0.5"];
    let (drawn, _) = level(&[&asked[..], &style].concat());
    assert_eq!(drawn["style_change"], 0.5);
    let sky: Vec<char> = rows(&drawn)[0].chars().collect();
    assert!(
        sky.chunks(4)
            .all(|section| section.iter().all(|tile| *tile == section[0]))
    );
    assert!(sky.contains(&'-') && sky.contains(&'S'));
    let only = ["--corpus", &corpus, "--only", "low*", "--structure", "ns0"];
    assert_eq!(rows(&level(&only).0)[0], "--------");
    let weighted = [
        "--corpus",
        &corpus,
        "--weight",
        "deep*=9999",
        "--structure",
        "ns0",
    ];
    assert_eq!(rows(&level(&weighted).0)[0], "SSSSSSSS");
}
