//! Tests of legends (files with the meanings of tiles) beside the levels and in the folder above.

use super::*;

#[test]
fn a_legend_beside_the_levels_or_above_gives_meanings() {
    let legend = r#"{"tiles": {"W": ["solid"], ".": ["passable", "empty"]}}"#;
    let other = r#"{"jumps": [[[0, 1]]]}"#;
    for place in ["levels/tiles.json", "tiles.json"] {
        let scratch = folder(&[
            ("levels/a.txt", "..~\nWWW\n"),
            ("levels/arcs.json", other),
            (place, legend),
        ]);
        let reader = CorpusReader::new([scratch.path().join("levels")]);
        let (corpus, notes) = reader.read().unwrap();
        assert!(corpus.tiles().tile('W').unwrap().is(Meaning::Solid));
        assert!(corpus.tiles().tile('~').unwrap().is_unknown());
        assert!(
            matches!(&notes[..], [CorpusNote::Legend(path), CorpusNote::UnknownTiles { symbols }]
                if path.ends_with("tiles.json") && symbols == "~"),
            "{notes:?}"
        );
    }
    // A legend of another game does not belong to these levels.
    let scratch = folder(&[("a.txt", "FFB\nBBB"), ("tiles.json", legend)]);
    let (corpus, notes) = read(&scratch);
    assert!(corpus.tiles().tiles().all(Tile::is_unknown));
    assert!(matches!(&notes[..], [CorpusNote::UnknownTiles { symbols }] if symbols == "BF"));
}

#[test]
fn given_tiles_come_before_legends() {
    let scratch = folder(&[
        ("a.txt", "-X\nXX"),
        ("t.json", r#"{"tiles": {"X": [], "-": []}}"#),
    ]);
    let legend = scratch.path().join("own.toml");
    fs::write(&legend, "[tiles]\nX = ['climb']").unwrap();
    let tiles = legends::read_legend(&legend).unwrap();
    let reader = CorpusReader::new([scratch.path()]).tiles(tiles);
    let (corpus, notes) = reader.read().unwrap();
    assert!(corpus.tiles().tile('X').unwrap().is(Meaning::Climb));
    assert!(matches!(&notes[..], [CorpusNote::UnknownTiles { symbols }] if symbols == "-"));
    // Other characters have the meanings of the legend beside the levels.
    let json = r#"{"tiles": {"X": ["solid"], "-": ["passable"], "!": ["enemy"]}}"#;
    fs::write(scratch.path().join("t.json"), json).unwrap();
    let (corpus, notes) = reader.read().unwrap();
    let tile = |symbol| corpus.tiles().tile(symbol);
    assert!(!tile('X').unwrap().is(Meaning::Solid) && tile('!').is_none());
    assert!(tile('-').unwrap().is(Meaning::Passable));
    assert!(
        matches!(&notes[..], [CorpusNote::OtherTiles { path, symbols }] if path.ends_with("t.json") && symbols == "-"),
        "{notes:?}"
    );
    fs::write(&legend, "tiles = 3").unwrap();
    let error = legends::read_legend(&legend).unwrap_err();
    assert!(
        error.to_string().starts_with(&legend.display().to_string()),
        "{error}"
    );
}

#[test]
fn a_broken_legend_is_noted() {
    for (name, text) in [
        ("tiles.json", "{\"tiles\": {\"X\": [\"solid\" "),
        ("tiles.toml", "[tiles]\n'X' = [solid]\n"),
    ] {
        let scratch = folder(&[("a.txt", "--\nXX"), (name, text)]);
        let (_, notes) = read(&scratch);
        let is_noted = |note: &CorpusNote| matches!(note, CorpusNote::FlawedLegend(_));
        assert!(notes.iter().any(is_noted), "{notes:?}");
    }
}

/// Regression test: the current folder was taken as the folder above `..`.
#[test]
fn the_folder_above_is_that_of_the_levels() {
    for (path, above) in [
        ("a/b", "a"),
        ("a", ""),
        ("..", "../.."),
        (".", "./.."),
        ("/", "/.."),
    ] {
        assert_eq!(legends::folder_above(Path::new(path)), Path::new(above));
    }
}

#[test]
fn folders_keep_their_own_legends() {
    let scratch = folder(&[
        ("caves/a.txt", "..H\n###\n"),
        (
            "caves/tiles.json",
            r##"{"tiles": {"#": ["solid"], ".": ["passable"], "H": ["climb"], "F": ["exit"]}}"##,
        ),
        ("rooms/a.txt", "FFD\nWW.\n"),
        (
            "rooms/tiles.json",
            r#"{"tiles": {"F": ["passable"], "D": ["door"], "W": ["solid"], ".": ["passable"]}}"#,
        ),
        ("plain/a.txt", "--~\nXXX\n"),
        ("land/a.txt", "--E\nXXX\n"),
    ]);
    let read = |names: &[&str]| {
        let folders = names.iter().map(|name| scratch.path().join(name));
        CorpusReader::new(folders).read()
    };
    let (corpus, notes) = read(&["caves", "rooms", "land", "plain"]).unwrap();
    let is = |symbol, meaning| corpus.tiles().tile(symbol).unwrap().is(meaning);
    assert!(is('H', Meaning::Climb) && is('D', Meaning::Door) && is('E', Meaning::Enemy));
    // The levels of the caves have no F, so F has the meaning that the legend of the rooms states. Plain levels have no legend.
    assert!(is('F', Meaning::Passable) && !is('F', Meaning::Exit) && is('X', Meaning::Solid));
    assert!(corpus.tiles().tile('~').unwrap().is_unknown());
    let legends = notes.iter();
    let legends = legends.filter(|note| matches!(note, CorpusNote::Legend(_)));
    assert_eq!(legends.count(), 2);
    assert!(
        notes
            .iter()
            .any(|note| matches!(note, CorpusNote::Platformer))
    );
}

#[test]
fn legends_that_disagree_are_an_error() {
    let scratch = folder(&[
        ("one/a.txt", "--o\nXXX\n"),
        (
            "one/t.json",
            r#"{"tiles": {"X": ["solid"], "-": ["passable"], "o": ["collectable", "coin"]}}"#,
        ),
        ("two/a.txt", "--o\n###\n"),
        (
            "two/t.json",
            r##"{"tiles": {"#": ["solid"], "-": ["passable"], "o": ["hazard", "flame"]}}"##,
        ),
    ]);
    let reader = CorpusReader::new([scratch.path().join("one"), scratch.path().join("two")]);
    let error = reader.read().unwrap_err();
    assert_eq!(error.kind(), MistakeKind::Contradiction);
    let message = error.to_string();
    for part in [
        "'o' is \"collectable, coin\" in ",
        "and \"hazard, flame\" in ",
        "give one legend for all",
    ] {
        assert!(message.contains(part), "{message}");
    }
    // With one legend for all there is no conflict.
    let tiles = TileSet::from_toml("[tiles]\no = ['passable']").unwrap();
    assert!(reader.tiles(tiles).read().is_ok());
}

#[test]
fn legends_with_mistakes_are_told() {
    let scratch = folder(&[
        ("a.txt", "--o\nXX#\n"),
        ("t.json", r#"{"tiles": {"XX": ["solid"]}}"#),
        ("other.json", r#"{"jumps": []}"#),
    ]);
    let (_, notes) = read(&scratch);
    assert!(
        matches!(
            &notes[..],
            [CorpusNote::FlawedLegend(_), CorpusNote::UnknownTiles { .. }]
        ),
        "{notes:?}"
    );
    let message = notes[0].to_string();
    assert!(
        message.contains("t.json") && message.contains("\"XX\""),
        "{message}"
    );
}
