//! Tests of movements in the main example: one command for each of four games, playable levels, paths, and the strict rules.

use std::path::Path;
use std::process::Output;

use figrs_tests::example::{self, text};
use serde_json::Value;

use crate::mario_corpora_cli::folder;

/// The folder of the corpora of four games; tests are skipped if it does not exist.
const CORPORA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/vglc");

fn run(arguments: &[&str]) -> Output {
    example::run("mario_mdmc", &[arguments, &["--seed", "4"]].concat())
}

/// Returns levels in JSON, and the notes on standard error.
fn levels(arguments: &[&str]) -> (Vec<Value>, String) {
    let output = run(&[arguments, &["--format", "json"]].concat());
    let message = text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {message}");
    let levels: Value = serde_json::from_slice(&output.stdout).unwrap();
    (levels.as_array().unwrap().clone(), message)
}

/// Returns the exit code and the error of a command.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    (output.status.code(), text(&output.stderr))
}

fn corpus(game: &str) -> Option<String> {
    let path = format!("{CORPORA}/{game}");
    if Path::new(&path).is_dir() {
        return Some(path);
    }
    println!("skipped: there is no {path}");
    None
}

/// True if the path of a level ends in this row.
fn ends_in(level: &Value, row: u64) -> bool {
    let path = level["path"].as_array().unwrap();
    path.last().unwrap()[0].as_u64() == Some(row)
}

#[test]
fn corpora_of_four_games_train_by_one_command_each() {
    for (game, movement) in [
        ("kid_icarus", Some("climb")),
        ("lode_runner", Some("ladders")),
        ("smb", Some("platformer")),
        ("zelda", None),
    ] {
        let Some(path) = corpus(game) else { return };
        let asked = ["--corpus", &path, "--levels", "2"];
        let (drawn, _) = levels(&asked);
        assert_eq!(drawn.len(), 2, "{game}");
        let playable = [&asked[..], &["--playable", "--strict", "--show-path"]].concat();
        let Some(movement) = movement else {
            let (code, message) = refused(&playable);
            assert_eq!(code, Some(2), "{message}");
            for part in ["of unknown meaning", "see --tiles FILE"] {
                assert!(message.contains(part), "{message}");
            }
            continue;
        };
        let sizes = match game {
            "kid_icarus" => &["--height", "60"][..],
            "lode_runner" => &["--rows", "8", "--width", "16", "--particles", "2000"],
            _ => &["--width", "60"],
        };
        let (drawn, message) = levels(&[&playable[..], sizes].concat());
        for level in &drawn {
            assert_eq!(level["movement"], movement, "{game}");
            assert_eq!(level["playable"], true, "{game}: {level}");
            assert_eq!(level["method"], "conditioned", "{game}");
        }
        assert!(
            message.contains(&format!("movement {movement}: ")),
            "{message}"
        );
    }
}

const CAVES: &str = "\
.....G....
..H####H..
..H....H..
G.H.M..H.G
##########
";

const LEGEND: &str = r##"{"tiles": {"#": ["solid"], ".": ["passable"], "H": ["climb"], "G": ["collectable"], "M": ["start"], "T": ["solidtop"]}}"##;

#[test]
fn movements_are_named_or_read_or_suggested() {
    let caves = folder(&[
        ("caves/a.txt", CAVES.as_bytes()),
        ("caves/b.txt", CAVES.replace('G', ".").as_bytes()),
        ("caves/legend.json", LEGEND.as_bytes()),
        (
            "jumper.toml",
            b"like = 'platformer'\nstart = 'ground'\ngoal = 'right'\nbottom = 'floor'\n",
        ),
        ("broken.toml", b"like = 'platformer'\nstart = 'sky'\n"),
        ("ways.toml", b"[[demand]]\npass = [[0, 5], [3, 9]]\n"),
        ("plain.toml", b"[[demand]]\ncount = 'G'\nnumber = '1..'\n"),
    ]);
    let path = |name: &str| caves.path().join(name).to_str().unwrap().to_owned();
    let caves = path("caves");
    let asked = ["--corpus", &caves, "--structure", "ns2"];
    let with = |more: &[&str]| levels(&[&asked[..], more].concat()).0[0].clone();
    // The movement `ladders` is suggested for tile sets with a start, ladders and collectables.
    let suggested = with(&["--playable", "--show-path"]);
    assert_eq!(suggested["movement"], "ladders");
    assert!(
        suggested["promise"]
            .as_str()
            .unwrap()
            .starts_with("connected: each collectable tile")
    );
    assert_eq!(suggested["playable"], true);
    let jumper = path("jumper.toml");
    let read = with(&["--playable", "--movement", &jumper, "--strict"]);
    assert_eq!(read["movement"], "jumper");
    assert_eq!(read["strict"], true);
    // A file of demands uses the rules of a movement as `--playable` does.
    let ways = path("ways.toml");
    let passing = with(&["--demands", &ways, "--movement", &jumper, "--show-path"]);
    assert_eq!(passing["movement"], "jumper");
    let way = passing["path"].as_array().unwrap();
    let at = |cell: [u64; 2]| way.iter().position(|one| *one == serde_json::json!(cell));
    assert!(at([0, 5]).is_some() && at([0, 5]) < at([3, 9]), "{passing}");
    for (arguments, part) in [
        (&["--movement", "jumper"][..], "--movement needs --playable"),
        (
            &["--movement", "jumper", "--demands", &path("plain.toml")],
            "a file of --demands with playable or pass",
        ),
        (
            &["--playable", "--movement", "jumpers"],
            "see --movement NAME|FILE",
        ),
        (
            &["--playable", "--movement", &path("broken.toml")],
            "broken.toml:2:9: not a movement: start",
        ),
        (&["--playable", "--movement", "rooms"], "door"),
        (
            &["--probability", "--strict", "--method", "exact"],
            "leave out --probability, or --strict",
        ),
    ] {
        let (code, message) = refused(&[&asked[..], arguments].concat());
        assert!(
            code == Some(2) && message.contains(part),
            "{part}: {message}"
        );
    }
}

/// The default method is `conditioned` if levels must meet demands, and `look-ahead` otherwise.
#[test]
fn demands_choose_the_method() {
    let drawn_by = |more: &[&str]| {
        let (drawn, _) = levels(&[&["--width", "30"][..], more].concat());
        drawn[0]["method"].as_str().unwrap().to_owned()
    };
    for (more, method) in [
        (&[][..], "look-ahead"),
        (&["--allow-unseen"], "look-ahead"),
        (&["--look-ahead", "4", "--max-gap", "5"], "look-ahead"),
        (&["--max-gap", "3"], "conditioned"),
        (&["--playable"], "conditioned"),
        (&["--trained", "n-grams"], "conditioned"),
        (&["--style", "low=0[12]*"], "hierarchical"),
        (&["--style", "low=0[12]*", "--max-gap", "3"], "conditioned"),
        (&["--method", "look-ahead", "--playable"], "look-ahead"),
    ] {
        assert_eq!(drawn_by(more), method, "{more:?}");
    }
}

/// In towers the player climbs, so paths lead from the bottom to the top.
#[test]
fn towers_are_climbed() {
    let tower = "#..#\n#.T#\n#..#\n#T.#\n#..#\n#.T#\n#..#\n#T.#\n####\n";
    let towers = folder(&[
        ("a.txt", tower.as_bytes()),
        (
            "legend.json",
            br##"{"tiles": {"#": ["solid"], ".": ["passable"], "T": ["solidtop"]}}"##,
        ),
    ]);
    let path = towers.path().to_str().unwrap();
    let asked = ["--corpus", path, "--height", "14", "--levels", "3"];
    let (drawn, _) = levels(&[&asked[..], &["--playable", "--show-path"]].concat());
    for level in &drawn {
        assert_eq!(level["movement"], "climb");
        assert!(ends_in(level, 0), "{level}");
    }
}

/// Names and contents of files.
type Files<'a> = &'a [(&'a str, &'a [u8])];

/// Files in the form that editors, other systems or mistakes leave are read, or left out with a note.
#[test]
fn mean_files_are_read_or_left_out_with_a_note() {
    let many: String = (0..200_u32)
        .filter_map(|number| char::from_u32(0x4e00 + number))
        .collect();
    let too_many: String = (0..300_u32)
        .filter_map(|number| char::from_u32(0x4e00 + number))
        .collect();
    let wide = [many.as_str(), "\n", &many].concat();
    let wider = [too_many.as_str(), "\n", &too_many].concat();
    let cases: [(&str, Files<'_>, Result<&str, &str>); 12] = [
        (
            "CRLF",
            &[("a.txt", b"----\r\nXXXX\r\n")],
            Ok("those of the platformer"),
        ),
        (
            "BOM",
            &[("a.txt", b"\xef\xbb\xbf----\nXXXX\n")],
            Ok("those of the platformer"),
        ),
        ("tab", &[("a.txt", b"--\t-\nXXXX\n")], Err("a.txt:1:3")),
        (
            "empty file",
            &[("a.txt", b""), ("b.txt", b"--\nXX\n")],
            Ok("a.txt"),
        ),
        ("nothing", &[("a.txt", b"")], Err("a.txt")),
        ("one row", &[("a.txt", b"--XX--XX\n")], Ok("")),
        (
            "no ASCII",
            &[("a.txt", "░░▓\n███\n".as_bytes())],
            Ok("tiles of unknown meaning"),
        ),
        ("one column", &[("a.txt", b"-\nX\n")], Ok("")),
        (
            "unknown word",
            &[
                ("a.txt", b"-#\n##\n"),
                (
                    "t.json",
                    br##"{"tiles": {"#": ["bouncy"], "-": ["passable"]}}"##,
                ),
            ],
            Ok("tiles of unknown meaning: #"),
        ),
        (
            "two letters",
            &[
                ("a.txt", b"-#\n##\n"),
                ("t.json", br###"{"tiles": {"##": ["solid"]}}"###),
            ],
            Ok("left out, because it is not a legend: "),
        ),
        ("many tiles", &[("a.txt", wide.as_bytes())], Ok("unknown")),
        (
            "too many tiles",
            &[("a.txt", wider.as_bytes())],
            Err("300 different characters"),
        ),
    ];
    for (name, files, expected) in cases {
        let folder = folder(files);
        let path = folder.path().to_str().unwrap();
        let output = run(&["--corpus", path, "--width", "3"]);
        let message = text(&output.stderr);
        let (code, part) = match expected {
            Ok(note) => (Some(0), note),
            Err(error) => (Some(2), error),
        };
        assert_eq!(output.status.code(), code, "{name}: {message}");
        assert!(message.contains(part), "{name}: {message}");
    }
}
