//! Tests of levels by the other models, by files of demands and by movements: the studio draws them as the command does.

use std::fs;

use figrs_tests::example::{run, text};
use figrs_tests::studio::Studio;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

const DEMANDS: &str = r#"
[patterns]
pipe = '''
<>
[]'''

[[demand]]
require = "pipe"
columns = "50%.."

[[demand]]
count = "enemy"
number = "1..2"
in_each = 20
"#;

const MOVEMENT: &str = "name = 'careful'\nlike = 'platformer'\nenemies = 'jumped'\n";

fn level(studio: &Studio, request: &Json) -> (u16, Json) {
    studio.post("/api/level", request)
}

fn printed(arguments: &[&str]) -> Json {
    let words: Vec<&str> = arguments
        .iter()
        .copied()
        .chain(["--format", "json"])
        .collect();
    let output = run("mario_mdmc", &words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Creates a folder with a file.
fn file(name: &str, text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn files_of_demands_are_texts_or_json() {
    let studio = Studio::start(None);
    let (_folder, path) = file("demands.toml", DEMANDS);
    let arguments = [
        "--method",
        "conditioned",
        "--width",
        "40",
        "--seed",
        "3",
        "--playable",
    ];
    let mut expected = printed(&[&arguments[..], &["--demands", &path]].concat());
    // The studio counts columns from 1 in words, and the command from 0.
    let pipe = "1 or more times the pattern \"pipe\" in columns";
    assert_eq!(expected[0]["demands"][1], format!("{pipe} 20 to 39"));
    expected[0]["demands"][1] = format!("{pipe} 21 to 40").into();
    let json = json!({
        "patterns": {"pipe": "<>\n[]"},
        "demand": [
            {"require": "pipe", "columns": "50%.."},
            {"count": "enemy", "number": "1..2", "in_each": 20},
        ],
    });
    // A file can also demand playable levels.
    let playable = format!("{DEMANDS}\n[[demand]]\nplayable = true\n");
    for (demands, is_playable) in [
        (json!(DEMANDS), true),
        (json!(json.to_string()), true),
        (json.clone(), true),
        (json!([json]), true),
        (json!(playable), true),
    ] {
        let request = json!({"width": 40, "seed": 3, "playable": is_playable, "demands": demands});
        let (status, levels) = level(&studio, &request);
        assert_eq!(status, 200, "{levels}");
        assert_eq!(levels, expected, "{demands}");
    }
    let (_, by_file) = level(
        &studio,
        &json!({"width": 40, "seed": 3, "demands": playable}),
    );
    assert_eq!(by_file[0]["rows"], expected[0]["rows"]);
}

#[test]
fn movements_and_strict_levels_are_those_of_the_command() {
    let studio = Studio::start(None);
    let (_folder, path) = file("movement.toml", MOVEMENT);
    let arguments = "--method conditioned --width 50 --seed 5 --levels 3 --show-path --strict";
    let arguments: Vec<&str> = arguments.split(' ').chain(["--movement", &path]).collect();
    let expected = printed(&arguments);
    let json = json!({"name": "careful", "like": "platformer", "enemies": "jumped"});
    for movement in [json!(MOVEMENT), json!(json.to_string()), json] {
        let request = json!({"width": 50, "seed": 5, "levels": 3, "show_path": true, "strict": true, "movement": movement});
        let (status, levels) = level(&studio, &request);
        assert_eq!(status, 200, "{levels}");
        assert_eq!(levels, expected);
    }
    let is_rejected = |level: &Json| level["rejected"].as_u64() > Some(0);
    let levels = expected.as_array().unwrap();
    assert!(
        levels.iter().any(is_rejected),
        "the test shows nothing: {expected}"
    );
}

#[test]
fn other_models_are_those_of_the_command() {
    let studio = Studio::start(None);
    for (arguments, request) in [
        (
            "--method exact --trained n-grams --order 2 --rows 6 --width 40 --seed 4",
            json!({"method": "exact", "trained": "n-grams", "order": 2, "rows": 6, "width": 40, "seed": 4}),
        ),
        (
            "--method conditioned --trained n-grams --width 30 --seed 4 --count E=2..3",
            json!({"trained": "n-grams", "width": 30, "seed": 4, "count": {"E": [2, 3]}}),
        ),
        (
            "--method conditioned --trained hierarchical --section 6 --kinds 3 --smoothing 0.1 --width 30 --seed 2",
            json!({"trained": "hierarchical", "section": 6, "kinds": 3, "smoothing": 0.1, "width": 30, "seed": 2}),
        ),
        (
            "--method conditioned --trained hierarchical --style first=0[1-3]* --style-change 0.4 --weight 0[1-2]*=3 --width 30 --seed 2",
            json!({"trained": "hierarchical", "style": ["first=0[1-3]*"], "style_change": 0.4, "weight": ["0[1-2]*=3"], "width": 30, "seed": 2}),
        ),
        (
            "--method conditioned --trained field --rows 5 --width 12 --seed 2",
            json!({"trained": "field", "rows": 5, "width": 12, "seed": 2}),
        ),
    ] {
        let (status, levels) = level(&studio, &request);
        assert_eq!(status, 200, "{levels}");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_eq!(levels, printed(&arguments), "{arguments:?}");
    }
}

#[test]
fn probabilities_of_ngrams_are_exact_at_any_size() {
    let studio = Studio::start(None);
    let request = json!({"task": "marginals", "method": "exact", "trained": "n-grams", "width": 60, "memory": 192});
    let (status, exact) = level(&studio, &request);
    assert_eq!((status, &exact["exact"]), (200, &json!(true)), "{exact}");
    for cell in exact["marginals"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
    {
        let sum: f64 = cell
            .as_object()
            .unwrap()
            .values()
            .map(|p| p.as_f64().unwrap())
            .sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}

#[test]
fn only_some_levels_of_a_folder_are_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("two")).unwrap();
    fs::write(folder.path().join("two/flat-1.txt"), "-----\nXXXXX\n").unwrap();
    fs::write(folder.path().join("two/high-1.txt"), "XXXXX\nXXXXX\n").unwrap();
    let studio = Studio::start(Some(folder.path()));
    let request = json!({"corpus": "two", "only": ["flat-*"], "width": 7});
    let (_, levels) = level(&studio, &request);
    assert_eq!(levels[0]["rows"], json!(["-------", "XXXXXXX"]), "{levels}");
    // Files that are no levels are left out with a note.
    fs::write(
        folder.path().join("two/README.txt"),
        "Levels.\nOf two kinds.\n",
    )
    .unwrap();
    let (status, message) = level(&studio, &json!({"task": "tiles", "corpus": "two"}));
    assert_eq!(
        (status, message["training"].as_array().map(Vec::len)),
        (200, Some(2)),
        "{message}"
    );
    assert!(message["notes"].to_string().contains("README"), "{message}");
}

#[test]
fn contradictions_of_files_name_the_cells_they_are_about() {
    let studio = Studio::start(None);
    let demands = "[[demand]]\nrequire = 'E'\nrows = '11..13'\ncolumns = '10..12'\n[[demand]]\nforbid = 'enemy'\n";
    let (status, message) = level(&studio, &json!({"width": 30, "demands": demands}));
    assert_eq!(
        (status, &message["proven"]),
        (200, &json!(true)),
        "{message}"
    );
    assert_eq!(message["demands"].as_array().unwrap().len(), 2);
    assert_eq!(
        message["cells"],
        json!([[11, 10], [11, 11], [12, 10], [12, 11]])
    );
    // Demands on the whole level are reported at the column up to which no level meets them.
    let demands = "[[demand]]\nmax_gap = 2\n[[demand]]\npin = '---'\nat = [13, 20]\n";
    let (_, message) = level(&studio, &json!({"width": 40, "demands": demands}));
    assert_eq!(
        message["cells"],
        json!([[13, 20], [13, 21], [13, 22]]),
        "{message}"
    );
    let demands = "[[demand]]\ncount = 'enemy'\nnumber = '2..'\n[[demand]]\nforbid = 'enemy'\n";
    let (_, message) = level(
        &studio,
        &json!({"width": 20, "rows": 3, "demands": demands}),
    );
    let column = message["column"].as_u64().unwrap();
    let cells: Vec<[u64; 2]> = (0..3).map(|row| [row, column]).collect();
    assert_eq!(message["cells"], json!(cells), "{message}");
    // Two tiles in one column are distinguished, although they have the same description.
    let pins = json!([[13, 20, "X"], [0, 20, "X"]]);
    let (_, message) = level(&studio, &json!({"width": 30, "pin": pins}));
    assert_eq!(message["cells"], json!([[0, 20]]), "{message}");
}

#[test]
fn tile_sheets_are_the_pictures_of_tiles_and_files() {
    let studio = Studio::start(None);
    let (_, own) = level(&studio, &json!({"task": "tiles"}));
    assert_eq!(
        (&own["side"], &own["movement"]),
        (&json!(16), &json!("platformer"))
    );
    let sheet = &own["picture"];
    let (status, message) = level(
        &studio,
        &json!({"task": "tiles", "tile_sheet": sheet, "tile_size": 8}),
    );
    assert_eq!(status, 200, "{message}");
    assert_eq!(
        (&message["side"], &message["drawn"]),
        (&json!(8), &json!(false))
    );
    assert_ne!(message["picture"], *sheet);
    let rows = json!(vec!["-".repeat(20); 14]);
    let export = json!({"task": "export", "level": rows, "format": "png"});
    let (_, plain) = level(&studio, &export);
    let mut with_sheet = export;
    with_sheet["tile_sheet"] = sheet.clone();
    with_sheet["tile_size"] = 8.into();
    let (status, drawn) = level(&studio, &with_sheet);
    assert_eq!(status, 200, "{drawn}");
    assert_ne!(drawn["base64"], plain["base64"]);
}

#[test]
fn mistakes_in_designs_name_the_field_and_the_remedy() {
    let studio = Studio::start(None);
    let unknown = json!([{"name": "a", "text": "ab\nba"}]);
    for (wrong, message) in [
        (
            json!({"demands": "[[demand]]\ncount = 'elephants'\nnumber = 2"}),
            "demands: line 1 (demand 1)",
        ),
        (
            json!({"demands": "count"}),
            "demands:1:6: not a file of demands",
        ),
        (json!({"demands": 7}), ": not a file of demands"),
        (
            json!({"demands": ["[[demand]]\nmax_gap = 3", "[[demand]]\nforbid = '~'"]}),
            "demands 2: line 1",
        ),
        (
            json!({"demands": "[[demand]]\npin = 'X'\nat = [99, 0]"}),
            "does not fit into",
        ),
        (
            json!({"movement": "swim", "playable": true}),
            "movement: no movement is called \"swim\"",
        ),
        (
            json!({"movement": "maze", "playable": true}),
            "movement: maze needs a tile of meaning start",
        ),
        (
            json!({"movement": "jump = 3", "show_path": true}),
            "movement:1:1: not a movement",
        ),
        (
            json!({"movement": {"jump": 3}, "strict": true}),
            "movement:1:7: not a movement",
        ),
        (json!({"training": unknown, "playable": true}), "see tiles"),
        (
            json!({
                "training": [{"name": "a", "text": "@@\n-X"}],
                "tiles": "[tiles]\n'-' = ['passable']\n'X' = ['solid']\n'@' = ['outside']",
            }),
            "use fewer bands (“Bands of rows, each with a table” (`row_splits`) 1 for one), or the Markov chain",
        ),
        (
            json!({"trained": "gpt"}),
            "“Model” (`trained`) gpt: write one of chain, n-grams, hierarchical, field",
        ),
        (
            json!({"order": 2}),
            "(`order`) needs “Model” (`trained`) \"n-grams\"",
        ),
        (
            json!({"section": 2}),
            "(`section`) needs “Model” (`trained`) \"hierarchical\"",
        ),
        (
            json!({"kinds": 2}),
            "(`kinds`) needs “Model” (`trained`) \"hierarchical\"",
        ),
        (
            json!({"style": ["a=*"], "trained": "chain"}),
            "(`style`) needs “Model” (`trained`) \"hierarchical\"",
        ),
        (
            json!({"style_change": 0.5}),
            "(`style_change`) needs “Styles” (`style`)",
        ),
        (
            json!({"trained": "hierarchical", "style": ["a=*"], "kinds": 2}),
            "leave out “Styles” (`style`), or “Kinds of sections” (`kinds`)",
        ),
        (
            json!({"trained": "hierarchical", "style": ["a=*"], "style_change": 2}),
            "2",
        ),
        (
            json!({"trained": "hierarchical", "style": ["*"]}),
            "(`style`) *: write the name of a style",
        ),
        (json!({"trained": "n-grams", "order": 0}), "0"),
        (json!({"weight": ["*"]}), "(`weight`) *: write a pattern"),
        (
            json!({"only": ["nothing*"]}),
            "(`only`): no level has a name that matches",
        ),
        (
            json!({"only": ["nothing*"], "training": unknown}),
            "(`only`): no training level",
        ),
        (json!({"only": ["["], "training": unknown}), "(`only`) [:"),
        (
            json!({"travel": "up"}),
            "`travel` needs `corpus` or `training`",
        ),
        (
            json!({"task": "tiles", "tile_size": 8}),
            "tile_size needs tile_sheet",
        ),
        (
            json!({"task": "tiles", "tile_sheet": "?"}),
            "tile_sheet: not base64",
        ),
        (
            json!({"task": "tiles", "tile_sheet": "AAAA"}),
            "tile_sheet:",
        ),
        (
            json!({"task": "marginals", "method": "exact", "rows": 4, "strict": true}),
            "strict",
        ),
        (json!({"task": "probability", "strict": true}), "strict"),
    ] {
        let (status, error) = level(&studio, &wrong);
        assert_eq!(status, 400, "{wrong}: {error}");
        assert!(
            error["error"].as_str().unwrap().contains(message),
            "{wrong}: {error}"
        );
    }
}

#[test]
fn mistakes_may_come_as_answers() {
    let studio = Studio::start(None);
    let quiet = [("Figrs-Errors", "answer")];
    let (status, message) = studio.post_as("/api/level", &quiet, &json!({"width": 0}));
    assert_eq!(
        (status, &message["status"]),
        (200, &json!(400)),
        "{message}"
    );
    assert!(message["error"].as_str().unwrap().contains("(`width`) 0"));
    let (status, levels) = studio.post_as("/api/level", &quiet, &json!({"width": 5}));
    assert_eq!((status, levels.as_array().map(Vec::len)), (200, Some(1)));
    // Requests from other pages are still refused.
    let foreign = [
        ("Figrs-Errors", "answer"),
        ("Origin", "http://evil.example"),
    ];
    assert_eq!(studio.post_as("/api/level", &foreign, &json!({})).0, 403);
}
