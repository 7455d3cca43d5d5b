use std::fs;

use tempfile::TempDir;

use figrs_reading::MistakeKind;

use super::*;
use crate::mdmc::{Corpus, CorpusReader, Meaning};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn read(files: &[(&str, &str)]) -> (Corpus, Vec<String>) {
    let folder = folder(files);
    let (corpus, notes) = CorpusReader::new([folder.path()]).read().unwrap();
    let root = folder.path().display().to_string();
    let notes = notes.iter().map(|note| note.to_string().replace(&root, ""));
    (corpus, notes.collect())
}

/// Returns the error that occurs when a folder is read whose only file is called `name` and contains `text`.
fn error(name: &str, text: &str) -> FileError {
    let folder = folder(&[(name, text)]);
    match CorpusReader::new([folder.path().join(name)]).read() {
        Err(LevelError::File(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Returns the text of a Tiled map of two rows and three columns with the given attributes, tilesets and layers.
fn tmx(attributes: &str, tilesets: &str, layers: &[(&str, &str)]) -> String {
    let layer = |(name, data): &(&str, &str)| {
        format!("<layer id='1' name='{name}' width='3' height='2'>{data}</layer>")
    };
    let layers: String = layers.iter().map(layer).collect();
    format!(
        "<?xml version='1.0'?><map {attributes}>{tilesets}<group name='g'>{layers}</group></map>"
    )
}

const SET: &str = "<tileset firstgid='1' name='t'/>";
const CSV: &str = "<data encoding='csv'>\n1,1,2,\n0,3,2147483649\n</data>";

fn levels(corpus: &Corpus) -> Vec<String> {
    corpus.levels().iter().map(ToString::to_string).collect()
}

#[test]
fn tiles_of_maps_are_numbered_by_the_pictures_of_a_legend() {
    let legend = "[tiles]\n'#' = { meaning = ['solid'], picture = 0 }\n'.' = ['passable', 'empty']\n'~' = { meaning = ['hazard'], picture = 1 }";
    let map = tmx("infinite='0'", SET, &[("a", CSV)]);
    // The legend in `legend` numbers two of three tiles; the second legend numbers none.
    let files = [
        ("a.tmx", &*map),
        ("a.toml", legend),
        ("b.toml", "[tiles]\n'x' = []\n'y' = []\n'z' = []"),
    ];
    let (corpus, notes) = read(&files);
    assert_eq!(levels(&corpus), ["##~\n.A#"]);
    assert!(corpus.tiles().tile('~').unwrap().is(Meaning::Hazard));
    assert_eq!(
        notes,
        [
            "characters of the tiles of maps, by their numbers: A = 2",
            "meanings of tiles from /a.toml",
            "tiles of unknown meaning: A"
        ]
    );
    // A legend that the caller passes also numbers by its order.
    let folder = folder(&[("a.tmx", &map)]);
    let reader = CorpusReader::new([folder.path()]);
    let set = TileSet::from_toml("[tiles]\n'#' = ['solid']\n'-' = ['empty']\n'~' = ['hazard']");
    let (corpus, _) = reader.tiles(set.unwrap()).read().unwrap();
    assert_eq!(levels(&corpus), ["##-\n-~#"]);
}

#[test]
fn tiles_of_maps_have_the_words_of_their_classes() {
    let set = "<tileset firstgid='1' name='t'><tile id='0' class='solid, Rock'/><tile id='1' type='ladder'/>\
               <tile id='2' type='breakable brick'><properties><property name='solid' type='bool' value='true'/></properties></tile></tileset>";
    let (corpus, notes) = read(&[("a.tmx", &tmx("", set, &[("a", CSV)]))]);
    // Words of the platformer give the character of the platformer.
    assert_eq!(levels(&corpus), ["AAC\n-SA"]);
    let words = |symbol| {
        corpus
            .tiles()
            .description(corpus.tiles().tile(symbol).unwrap())
    };
    assert_eq!(
        ["A", "C", "-"].map(|s| words(s.chars().next().unwrap())),
        ["solid, rock", "ladder", "empty"]
    );
    assert!(corpus.tiles().tile('C').unwrap().is(Meaning::Climb));
    assert_eq!(
        notes,
        [
            "meanings of tiles from /a.tmx",
            "tiles of unknown meaning: -"
        ]
    );
    // The result is the same for a tileset in its own file.
    let source = "<tileset name='t'><tile id='0' class='solid, Rock'/><tile id='1' type='ladder'/></tileset>";
    let first = tmx("", "<tileset firstgid='1' source='t.tsx'/>", &[("a", CSV)]);
    let (corpus, _) = read(&[("a.tmx", &first), ("t.tsx", source)]);
    assert_eq!(levels(&corpus), ["AAC\n-DA"]);
    // A legend makes the file unnecessary.
    let legend = "[tiles]\nX = { meaning = [], picture = 0 }\nY = { meaning = [], picture = 1 }\nZ = { meaning = [], picture = 2 }";
    let (corpus, _) = read(&[("a.tmx", &first), ("a.toml", legend)]);
    assert_eq!(levels(&corpus), ["XXY\n-ZX"]);
}

#[test]
fn layers_are_chosen_by_name_and_encodings_are_equal() {
    let xml = "<data><tile gid='1'/><tile gid='1'/><tile gid='2'/><tile/><tile gid='3'/><tile gid='2147483649'/></data>";
    let base64 = "<data encoding='base64'>\n AQAAAAEAAAACAAAAAAAAAAMAAAABAACA\n</data>";
    let map = tmx("", SET, &[("csv", CSV), ("xml", xml), ("base64", base64)]);
    let folder = folder(&[("a.tmx", &map)]);
    let reader = CorpusReader::new([folder.path().join("a.tmx")]);
    let (first, notes) = reader.read().unwrap();
    assert_eq!(levels(&first), ["AAC\n-DA"]);
    let note = notes[0].to_string();
    assert!(
        note.starts_with("reading the layer \"csv\" of")
            && note.ends_with("instead of xml, base64"),
        "{note}"
    );
    for name in ["csv", "xml", "base64"] {
        let (corpus, _) = reader.clone().layer(name).read().unwrap();
        assert_eq!(corpus, first, "{name}");
    }
    let error = reader.layer("objects").read().unwrap_err().to_string();
    assert!(
        error.ends_with("no layer of tiles is called \"objects\"; there are csv, xml, base64"),
        "{error}"
    );
}

#[test]
fn maps_that_cannot_be_read_are_errors() {
    let of_data = |data: &str| error("a.tmx", &tmx("", SET, &[("a", data)]));
    let of_map = |text: &str| error("a.tmx", text);
    for infinite in [
        of_map(&tmx("infinite='1'", SET, &[("a", CSV)])),
        of_data("<data encoding='csv'><chunk>1</chunk></data>"),
    ] {
        assert!(
            infinite.to_string().contains("the map is infinite"),
            "{infinite}"
        );
    }
    let packed = of_data("<data encoding='base64' compression='zstd'>AA==</data>");
    assert_eq!(
        packed.mistake.to_string(),
        "the layer \"a\" is encoded as base64 with zstd; save the map with CSV layers, by `Tile Layer Format` in Tiled"
    );
    let other = of_data("<data encoding='zip'/>");
    assert!(other.to_string().contains("is encoded as zip"), "{other}");
    let damaged = of_data("<data encoding='base64'>?</data>");
    assert!(
        damaged
            .to_string()
            .contains("is encoded as base64 with a mistake"),
        "{damaged}"
    );
    let few = of_data("<data encoding='csv'>1,2</data>");
    assert!(
        few.to_string()
            .contains("has 2 cells, but it needs 2 times 3 of them"),
        "{few}"
    );
    for wrong in [
        "<data encoding='csv'>1,x,2,3,4,5</data>",
        "<data encoding='csv'/>",
    ] {
        assert_eq!(of_data(wrong).kind(), MistakeKind::Value, "{wrong}");
    }
    let none = of_map(&tmx("", SET, &[]));
    assert_eq!(none.mistake.to_string(), "no layer of tiles");
    for (text, reason) in [
        (
            "",
            ":1:1: not a map of Tiled in XML: it ends without </map>",
        ),
        (
            "<project/>",
            ":1:11: not a map of Tiled in XML: <project>, where <map> begins one",
        ),
        ("<map>\n<layer", ":2:"),
        ("<map><layer width='x' height='2'/></map>", "width"),
    ] {
        let error = of_map(text);
        assert!(
            error.kind() == MistakeKind::Syntax
                && error
                    .to_string()
                    .contains(reason.split(": not").next().unwrap()),
            "{error}"
        );
    }
    let missing = of_map(&tmx(
        "",
        "<tileset firstgid='1' source='none.tsx'/>",
        &[("a", CSV)],
    ));
    let message = missing.to_string();
    assert!(
        message.contains("none.tsx: the file cannot be read: No such file"),
        "{message}"
    );
    let many: Vec<String> = (1..=800).map(|number| number.to_string()).collect();
    let layer = format!(
        "<layer name='a' width='800' height='1'><data encoding='csv'>{}</data></layer>",
        many.join(",")
    );
    let many = of_map(&format!("<map>{layer}</map>"));
    assert_eq!(many.kind(), MistakeKind::TooLarge);
}

/// Returns the text of an LDtk project of two levels with the layers `instances`.
fn project(instances: &str) -> String {
    let level =
        |name: &str| format!(r#"{{"identifier": "{name}", "layerInstances": {instances}}}"#);
    format!(
        r#"{{"levels": [{}, {}], "defs": {{"layers": [{{"identifier": "Ground", "intGridValues":
            [{{"value": 1, "identifier": "solid_rock"}}, {{"value": 2, "identifier": null}}]}}]}}}}"#,
        level("One"),
        level("Two")
    )
}

const LAYERS: &str = r#"[
    {"__identifier": "Things", "__type": "Entities", "__cWid": 3, "__cHei": 2, "__gridSize": 8, "intGridCsv": [], "gridTiles": []},
    {"__identifier": "Art", "__type": "Tiles", "__cWid": 3, "__cHei": 2, "__gridSize": 8, "gridTiles":
        [{"px": [0, 8], "t": 4}, {"px": [0, 8], "t": 5}, {"px": [16, 0], "t": 4}]},
    {"__identifier": "Ground", "__type": "IntGrid", "__cWid": 3, "__cHei": 2, "__gridSize": 8, "intGridCsv": [1, 0, 2, 1, 1, 1]}]"#;

#[test]
fn projects_of_ldtk_have_a_level_each() {
    let files = [("game.ldtk", &*project(LAYERS))];
    let (corpus, notes) = read(&files);
    assert_eq!(corpus.names(), ["One", "Two"]);
    assert_eq!(levels(&corpus), ["A-C\nAAA", "A-C\nAAA"]);
    assert_eq!(
        corpus
            .tiles()
            .description(corpus.tiles().tile('A').unwrap()),
        "solid, rock"
    );
    assert_eq!(
        notes[0],
        "reading the layer \"Ground\" of /game.ldtk instead of Art"
    );
    let folder = folder(&files);
    let art = CorpusReader::new([folder.path()])
        .layer("Art")
        .read()
        .unwrap()
        .0;
    assert_eq!(levels(&art)[0], "--A\nC--");
    let apart = error("a.ldtk", &project("null"));
    assert!(
        apart.to_string().contains("in files of their own"),
        "{apart}"
    );
    assert_eq!(error("a.ldtk", &project("[]")).kind(), MistakeKind::Missing);
    assert_eq!(
        error("a.ldtk", "{\"levels\": 3}").kind(),
        MistakeKind::Syntax
    );
    let huge = LAYERS.replace("\"__cWid\": 3", "\"__cWid\": 1000000000000");
    assert_eq!(error("a.ldtk", &project(&huge)).kind(), MistakeKind::Count);
}

#[test]
fn exported_values_of_ldtk_are_read() {
    let legend = "[tiles]\n'#' = { meaning = ['solid'], picture = 0 }\n'.' = { meaning = ['empty'], picture = 1 }";
    let (corpus, _) = read(&[("a.csv", "1,1,0,\r\n1,0,1,\r\n"), ("a.toml", legend)]);
    assert_eq!(levels(&corpus), ["##.\n#.#"]);
    let wrong = error("a.csv", "wet,dry\n1,2\n");
    assert!(wrong.to_string().contains("has a cell \"wet\""), "{wrong}");
    let folder = folder(&[("a.csv", "1,1\n1")]);
    let ragged = CorpusReader::new([folder.path().join("a.csv")])
        .read()
        .unwrap_err();
    assert!(ragged.to_string().contains(":2:2: the row has"), "{ragged}");
}

#[test]
fn damaged_maps_are_maps_or_errors() {
    let set = "<tileset firstgid='1' name='t'><tile id='0' class='solid'/></tileset>";
    let map = tmx(
        "infinite='0'",
        set,
        &[("a", CSV), ("b", "<data><tile gid='1'/></data>")],
    );
    let project = project(LAYERS);
    for (name, text) in [
        ("a.tmx", &map),
        ("a.ldtk", &project),
        ("a.csv", &"1,0\n2,1\n".to_owned()),
    ] {
        let read = |text: &str| {
            drop(match name {
                "a.tmx" => tiled::map(text, None)
                    .and_then(|_| tiled::tileset(text).map(|_| Map::default())),
                "a.ldtk" => ldtk::project(text, None),
                _ => ldtk::values(text),
            });
        };
        for (place, symbol) in text.char_indices() {
            let (before, after) = (&text[..place], &text[place + symbol.len_utf8()..]);
            read(before);
            for other in [
                "",
                "9",
                "-",
                "<",
                ">",
                "\"",
                "'",
                "&",
                "{",
                "]",
                ",",
                "\u{0}",
                "\u{1f600}",
            ] {
                read(&format!("{before}{other}{after}"));
            }
        }
    }
}

#[test]
fn tables_beside_levels_are_no_maps() {
    let report = ("report.csv", "level,gaps\n1,3\n");
    let (corpus, _) = read(&[("a.txt", "--\nXX"), report]);
    assert_eq!(levels(&corpus), ["--\nXX"]);
    // A file that the caller names is read as a map.
    let no_map = error(report.0, report.1);
    assert!(
        no_map.to_string().contains("has a cell \"level\""),
        "{no_map}"
    );
    let (corpus, _) = read(&[("a.csv", "1,0,\n1,1,\n")]);
    assert_eq!(corpus.levels().len(), 1);
}
