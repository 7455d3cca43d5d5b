//! Tests of the pictures of levels by the main example: squares for tiles of any set, and sheets of tiles.

use std::path::Path;
use std::process::Output;

use figrs::models::grid::Size;
use figrs::models::maze::PerfectMaze;
use figrs_tests::example::{self, text};

fn run(arguments: &[&str]) -> Output {
    example::run("mario_mdmc", arguments)
}

/// The files of a game: training levels, a legend, and a picture that serves as a sheet.
struct Game {
    folder: tempfile::TempDir,
    /// Number of pixels in a row of the sheet, and number of rows of pixels.
    sheet: (usize, usize),
}

impl Game {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let level = "....H...\n.##H..$.\n########\n";
        std::fs::create_dir(folder.path().join("levels")).unwrap();
        std::fs::write(folder.path().join("levels/a.txt"), level).unwrap();
        let legend = r##"{"tiles": {"#": ["solid"], ".": ["passable", "empty"], "H": ["ladder"], "$": ["collectable"]}}"##;
        std::fs::write(folder.path().join("levels/legend.json"), legend).unwrap();
        let mazes = PerfectMaze::new(Size::new(5, 5).unwrap());
        let maze = mazes.sample(&mut figrs::stream(1, 0)).picture(&[]).unwrap();
        let file = std::fs::File::create(folder.path().join("sheet.png")).unwrap();
        maze.write_png(file, &[]).unwrap();
        let sheet = (maze.width(), maze.height());
        Self { folder, sheet }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let corpus = self.path("levels");
        run(&[
            &["--corpus", &corpus, "--width", "6", "--seed", "3"],
            arguments,
        ]
        .concat())
    }

    /// Returns the largest side of a tile for which the sheet has at least four tiles.
    fn side(&self) -> usize {
        let (width, height) = self.sheet;
        let fits = |side: &usize| width % side == 0 && height % side == 0;
        let enough = |side: &usize| (width / side) * (height / side) >= 4;
        (1..=128)
            .rev()
            .find(|side| fits(side) && enough(side))
            .unwrap()
    }
}

/// Returns the width and height of a PNG picture.
fn size(path: impl AsRef<Path>) -> (u32, u32) {
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn tiles_of_any_game_have_pictures() {
    let game = Game::new();
    let (out, report) = (game.path("a.png"), game.path("a.html"));
    let output = game.run(&["--out", &out, "--report", &report]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(size(&out), (6 * 16, 3 * 16));
    let page = std::fs::read_to_string(report).unwrap();
    assert!(page.contains("<img") && page.contains("<h2>Difficulty</h2>"));
    let map = game.path("a.tmx");
    assert!(game.run(&["--out", &map]).status.success());
    assert_eq!(size(game.path("a-tiles.png")), (7 * 16, 16));
}

#[test]
fn a_sheet_gives_the_pictures() {
    let game = Game::new();
    let side = game.side();
    let (out, map, sheet) = (
        game.path("a.png"),
        game.path("a.json"),
        game.path("sheet.png"),
    );
    let pixels = side.to_string();
    let sheet = ["--tile-sheet", sheet.as_str(), "--tile-size", &pixels];
    let output = game.run(&[&["--out", &out], &sheet[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let side = side as u32;
    assert_eq!(size(&out), (6 * side, 3 * side));
    let arguments = [&["--out", &map, "--format", "tiled-json"], &sheet[..]].concat();
    assert!(game.run(&arguments).status.success());
    let map: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(map).unwrap()).unwrap();
    assert_eq!(map["tilewidth"], side);
    // The sheet has a picture for the empty tile, so that the tile has a number in the map.
    let numbers = map["layers"][0]["data"].as_array().unwrap();
    assert!(numbers.iter().all(|number| *number != 0));
    assert_eq!(size(game.path("a-tiles.png")), (7 * side, side));
    let report = game.path("a.html");
    let output = game.run(&[&["--report", &report], &sheet[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_set_is_not_gone_on_with_by_another_sheet() {
    let game = Game::new();
    let (out, sheet, side) = (
        game.path("set.png"),
        game.path("sheet.png"),
        game.side().to_string(),
    );
    let set = ["--levels", "2", "--out", &out, "--resume"];
    assert!(game.run(&set).status.success());
    assert!(game.run(&set).status.success());
    let other = [&set[..], &["--tile-sheet", &sheet, "--tile-size", &side]].concat();
    let output = game.run(&other);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("--tile-sheet"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn sheets_that_cannot_be_are_errors() {
    let game = Game::new();
    let (out, sheet, level) = (
        game.path("a.png"),
        game.path("sheet.png"),
        game.path("levels/a.txt"),
    );
    let (width, height) = game.sheet;
    let one = width.min(height).to_string();
    for (arguments, named) in [
        (vec!["--tile-sheet", &sheet], "--tile-sheet needs --format"),
        (vec!["--out", &out, "--tile-size", "8"], "--tile-sheet"),
        (
            vec!["--out", &out, "--tile-sheet", &level],
            "not a picture in PNG: Invalid PNG signature;",
        ),
        (
            vec!["--out", &out, "--tile-sheet", "no.png"],
            "cannot read no.png",
        ),
        (
            vec!["--out", &out, "--tile-sheet", &sheet, "--tile-size", "0"],
            "give a side of 1 to 256 pixels (--tile-size)",
        ),
        (
            vec!["--out", &out, "--tile-sheet", &sheet, "--tile-size", "250"],
            "cannot be divided into tiles",
        ),
        (
            vec!["--out", &out, "--tile-sheet", &sheet, "--tile-size", &one],
            "has the picture",
        ),
    ] {
        let output = game.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = text(&output.stderr);
        assert!(message.contains(named), "{arguments:?}: {message}");
    }
}
