mod legend_files;

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::mdmc::Meaning;
use crate::mdmc::level::vglc;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn read(folder: &TempDir) -> (Corpus, Vec<CorpusNote>) {
    CorpusReader::new([folder.path()]).read().unwrap()
}

fn texts(corpus: &Corpus) -> Vec<String> {
    corpus.levels().iter().map(ToString::to_string).collect()
}

#[test]
fn written_levels_are_read_back() {
    let shipped = Corpus::shipped();
    let scratch = folder(&[("notes.md", "not a level"), ("more.txt/a.md", "x")]);
    for (level, name) in shipped.levels().iter().zip(shipped.names()) {
        vglc::write_level(scratch.path().join(format!("{name}.txt")), level).unwrap();
    }
    let (corpus, notes) = read(&scratch);
    assert_eq!(corpus, shipped);
    assert!(matches!(notes[..], [CorpusNote::Platformer]));
}

#[test]
fn files_that_are_no_levels_are_left_out() {
    let scratch = folder(&[
        ("README.txt", "F = floor\nB = a block\n"),
        ("a.txt", "FB\r\nBB\r\n\r\n"),
        ("b.txt", "\u{feff}FF\nBB"),
        ("line.txt", "F\n"),
        ("none.txt", ""),
    ]);
    let (corpus, notes) = read(&scratch);
    assert_eq!(corpus.names(), ["a", "b"]);
    let skipped = |note: &&CorpusNote| matches!(note, CorpusNote::Skipped(_));
    assert_eq!(notes.iter().filter(skipped).count(), 3);
    let message = notes[0].to_string();
    assert!(
        message.contains("README.txt:2:10: the row has 11 tiles"),
        "{message}"
    );
}

#[test]
fn copies_with_a_way_drawn_in_are_left_out_unless_it_has_a_meaning() {
    let levels = [
        ("a.txt", "----\n-#--\n####"),
        ("a path.txt", "-xx-\nx#-x\n####"),
        ("b.txt", "----\n--#-\n####"),
        (
            "legend.json",
            r##"{"tiles": {"#": ["solid"], "-": ["passable"]}}"##,
        ),
    ];
    let scratch = folder(&levels);
    let (corpus, notes) = read(&scratch);
    assert_eq!(
        (corpus.names(), corpus.tiles().symbols()),
        (&["a".into(), "b".into()][..], "#-".into())
    );
    let message = notes.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(
        message.iter().any(|note| note
            == "1 of 3 levels repeat other levels with a path of 'x' drawn in, and are left out: a path"),
        "{message:?}"
    );
    let named = levels[..3]
        .iter()
        .map(|&(name, text)| (name.to_owned(), text.to_owned()));
    let (corpus, _) = CorpusReader::new([""; 0]).read_texts(named).unwrap();
    assert_eq!(corpus.names(), ["a.txt", "b.txt"]);
    // Tiles of other levels, tiles with a meaning and a single added cell are not taken for drawn paths.
    for (file, text) in [
        ("c.txt", "xx--\n--#-\n#-##"),
        ("a path.txt", "-x--\n-#--\n####"),
        (
            "legend.json",
            r##"{"tiles": {"#": ["solid"], "-": ["passable"], "x": ["collectable"]}}"##,
        ),
    ] {
        let scratch = folder(&levels);
        fs::write(scratch.path().join(file), text).unwrap();
        let (corpus, notes) = read(&scratch);
        assert!(
            corpus.names().contains(&"a path".into()),
            "{file}: {notes:?}"
        );
    }
}

#[test]
fn two_levels_that_repeat_each_other_are_both_read() {
    let twins = [("a.txt", "yyyy\n####"), ("b.txt", "zzzz\n####")];
    let (corpus, _) = read(&folder(&twins));
    assert_eq!(corpus.names(), ["a", "b"]);
    // A tile of the platformer is not taken for a drawn path either, unless a legend gives it another meaning.
    let tiles = [("a.txt", "-----\nXXXXX"), ("b.txt", "XXXXX\nXXXXX")];
    let (corpus, _) = read(&folder(&tiles));
    assert_eq!(corpus.names(), ["a", "b"]);
}

#[test]
fn folders_within_are_searched_and_one_encoding_is_read() {
    let scratch = folder(&[
        ("Game/Processed/one.txt", "-X\nXX"),
        ("Game/Processed/two.txt", "--\nXX"),
        ("Game/Layers/Paths/one.txt", "..\n.."),
        ("Game/.hidden/one.txt", "..\n.."),
        ("Game/Bonus/three.txt", "X-\nXX"),
        ("Game/readme.md", ""),
    ]);
    let (corpus, notes) = read(&scratch);
    assert_eq!(corpus.names(), ["one", "two", "three"]);
    let message: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert!(message[0].contains("Paths"), "{message:?}");
    assert!(
        message[1].contains("contains no level itself"),
        "{message:?}"
    );
}

#[test]
fn names_and_paths_are_chosen_by_patterns() {
    let scratch = folder(&[
        ("one/a-1.txt", "-X\nXX"),
        ("two/a-1.txt", "--\nXX"),
        ("two/a-2.txt", "--\nXX"),
    ]);
    let folders = || [scratch.path().join("one"), scratch.path().join("two")];
    let (corpus, _) = CorpusReader::new(folders()).only("*-1").read().unwrap();
    let names = corpus.names();
    assert!(names.len() == 2 && names[0].ends_with("one/a-1") && names[1].ends_with("two/a-1"));
    let reader = CorpusReader::new([scratch.path()]).only("two/*");
    assert_eq!(reader.read().unwrap().0.names(), ["a-1", "a-2"]);
    // Patterns match paths below a folder at any depth, with and without the extension.
    let deep = folder(&[
        ("Processed/over/a-1.txt", "-X\nXX"),
        ("Processed/under/b-1.txt", "--\nXX"),
    ]);
    for pattern in [
        "over/*",
        "over/a-1",
        "over/a-1.txt",
        "Processed/over/*",
        "a-*",
    ] {
        let reader = CorpusReader::new([deep.path()]).only(pattern);
        assert_eq!(reader.read().unwrap().0.names(), ["a-1"], "{pattern}");
    }
    let error = |pattern: &str| {
        let reader = CorpusReader::new(folders()).only(pattern);
        reader.read().unwrap_err()
    };
    let unmatched = error("b*").to_string();
    assert!(
        unmatched.contains("no level file matches b*"),
        "{unmatched}"
    );
    let wrong = error("a[b").to_string();
    assert!(
        wrong.starts_with("the pattern \"a[b\" is invalid at character 2"),
        "{wrong}"
    );
}

/// A tile that the legend lists, but that has no meaning and occurs in no level, would make every movement (the rules of a player's moves)
/// inapplicable.
#[test]
fn tiles_without_meaning_that_no_level_has_are_left_out() {
    let legend = r##"{"tiles": {"@": ["null"], "#": ["solid"], "-": ["passable"], "=": ["rail"], "S": ["start"]}}"##;
    let scratch = folder(&[("a.txt", "-=-\n###\n"), ("tiles.json", legend)]);
    let (corpus, notes) = read(&scratch);
    let set = corpus.tiles();
    assert!(set.tile('@').is_none() && set.tile('S').is_some() && set.tile('=').is_some());
    assert_eq!(set.picture(set.tile('#').unwrap()), Some(1));
    let idle = notes.iter().find_map(|note| match note {
        CorpusNote::IdleTiles { symbols } => Some(symbols.as_str()),
        _ => None,
    });
    assert_eq!(idle, Some("@"));
}

#[test]
fn lower_levels_are_filled_up_and_higher_ones_cut() {
    let scratch = folder(&[("a.txt", "-X-\nXXX\n---\n"), ("b.txt", "XX\n")]);
    fs::write(scratch.path().join("b.txt"), "XX\n-X\n").unwrap();
    let (corpus, notes) = read(&scratch);
    assert_eq!(texts(&corpus), ["-X-\nXXX\n---", "XX\nXX\n-X"]);
    assert!(
        matches!(&notes[1], CorpusNote::Padded { travel: Travel::Right, levels: 1, of: 2, rows: 3, tile, is_outside: false } if tile == "X")
    );
    let (corpus, notes) = CorpusReader::new([scratch.path()]).rows(2).read().unwrap();
    assert_eq!(texts(&corpus), ["XXX\n---", "XX\n-X"]);
    assert!(matches!(
        notes[1],
        CorpusNote::Cut {
            travel: Travel::Right,
            levels: 1,
            of: 2,
            rows: 2
        }
    ));
    let error = CorpusReader::new([scratch.path()])
        .rows(4)
        .read()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "levels of 3 rows cannot be cut to 4; use 1 to 3"
    );
}

#[test]
fn towers_of_one_width_are_played_upwards() {
    let scratch = folder(&[
        ("a.txt", "-X\n--\nX-\nXX\n"),
        ("b.txt", "--\n-X\n--\n--\nXX\n"),
    ]);
    let (corpus, notes) = read(&scratch);
    assert_eq!((corpus.travel(), corpus.height()), (Travel::Up, 2));
    assert!(matches!(notes[1], CorpusNote::Upwards { columns: 2 }));
    assert_eq!(texts(&corpus), ["XX--\nX--X", "X----\nX--X-"]);
    assert_eq!(
        Travel::Up.upright(&corpus.levels()[0]).to_string(),
        "-X\n--\nX-\nXX"
    );
    let right = CorpusReader::new([scratch.path()]).travel(Travel::Right);
    assert_eq!(right.read().unwrap().0.height(), 5);
}

#[test]
fn folders_without_levels_are_errors() {
    let scratch = folder(&[
        ("readme.md", "X"),
        ("bad/a.txt", "--\n-\n"),
        ("latin/a.txt", ""),
    ]);
    fs::write(scratch.path().join("latin/a.txt"), b"---\n-\xe9-\n").unwrap();
    let error = |folder: &str| {
        let reader = CorpusReader::new([scratch.path().join(folder)]);
        reader.read().unwrap_err()
    };
    assert_eq!(error("absent").kind(), MistakeKind::Unreadable);
    let bad = error("bad").to_string();
    assert!(bad.contains("none of its files is a level"), "{bad}");
    let message = error("latin").to_string();
    assert!(message.contains("a.txt:2:2: not UTF-8"), "{message}");
    let nowhere = CorpusReader::new(Vec::<std::path::PathBuf>::new());
    assert_eq!(nowhere.read().unwrap_err().kind(), MistakeKind::Missing);
    let none = folder(&[("readme.md", "X")]);
    let error = CorpusReader::new([none.path()]).read().unwrap_err();
    assert!(error.to_string().contains("no levels"), "{error}");
}

/// Regression test: of several folders with files of the same name, only one was read.
#[test]
fn worlds_with_files_of_the_same_names_are_all_read() {
    let scratch = folder(&[
        ("world1/1.txt", "-X\nXX"),
        ("world2/1.txt", "X-\nXX"),
        ("world2/2.txt", "--\nXX"),
    ]);
    let (corpus, _) = read(&scratch);
    let mut all = texts(&corpus);
    all.sort();
    assert_eq!(all, ["--\nXX", "-X\nXX", "X-\nXX"]);
    assert_eq!(corpus.names().len(), 3);
}

/// Regression test: when levels in which the player climbs were cut, the rightmost columns were kept instead of the leftmost.
#[test]
fn towers_are_cut_and_filled_up_at_the_right() {
    let scratch = folder(&[("a.txt", "ab\ncd\nef\n"), ("b.txt", "x\ny\nx\n")]);
    let upright = |corpus: &Corpus, level: usize| {
        let level = &corpus.levels()[level];
        Travel::Up.upright(level).to_string()
    };
    let tall = CorpusReader::new([scratch.path()]).travel(Travel::Up);
    let (corpus, notes) = tall.clone().rows(1).read().unwrap();
    assert_eq!(upright(&corpus, 0), "a\nc\ne");
    let message: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert!(
        message.iter().any(|note| note.contains("left columns")),
        "{message:?}"
    );
    let (corpus, notes) = tall.read().unwrap();
    assert_eq!(upright(&corpus, 1), "xx\nyx\nxx");
    let message: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert!(
        message
            .iter()
            .any(|note| note.contains("at the right to 2 columns")),
        "{message:?}"
    );
}

#[test]
fn blank_lines_at_the_end_are_rows_of_a_level() {
    let scratch = folder(&[("a.txt", "#.\n  \n  \n"), ("b.txt", "#.\n.#\n##\n")]);
    let (corpus, _) = read(&scratch);
    assert_eq!(texts(&corpus), ["#.\n  \n  ", "#.\n.#\n##"]);
}

#[test]
fn there_are_at_most_so_many_tiles_and_cells() {
    let many: String = ('\u{4e00}'..).take(251).collect();
    let scratch = folder(&[("a.txt", &format!("{many}\n{many}\n"))]);
    let error = CorpusReader::new([scratch.path()]).read().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("251 different characters: a set of tiles has at most 250 tiles"),
        "{error}"
    );
    // A narrow level and a wide one, which have the same height.
    let (tall, wide) = (
        "-\n".repeat(20_000),
        format!("{0}\n{0}\n", "-".repeat(10_000)),
    );
    let scratch = folder(&[("a.txt", &tall), ("b.txt", &wide)]);
    let error = CorpusReader::new([scratch.path()]).read().unwrap_err();
    assert_eq!(error.kind(), MistakeKind::TooLarge);
}

#[test]
fn weights_are_counts_and_foreign_tiles_are_errors() {
    let level = |text: &str| text.parse::<Level>().unwrap();
    let named = [("a".to_owned(), level("X-")), ("b".to_owned(), level("XX"))];
    let corpus = Corpus::new(named.clone()).unwrap();
    let corpus = corpus
        .weighted(|name| if name == "b" { 3 } else { 1 })
        .unwrap();
    assert_eq!(corpus.weights(), [1, 3]);
    let repeated = [&named[0], &named[1], &named[1], &named[1]].map(Clone::clone);
    let repeated = Corpus::new(repeated).unwrap();
    let chain = |corpus: &Corpus| {
        use crate::mdmc::{MarkovChain, RowSplits, Structure};
        let chain = MarkovChain::train(corpus, &Structure::NS1, RowSplits::NONE).unwrap();
        chain.to_json()
    };
    assert_eq!(chain(&corpus), chain(&repeated));
    let error = corpus.weighted(|_| 0).unwrap_err();
    assert!(
        error.to_string().contains("cannot be counted 0 times"),
        "{error}"
    );
    let unknown = Arc::new(TileSet::unknown("X-".chars()));
    let error = Corpus::of_tiles(unknown, named).unwrap_err();
    assert!(error.to_string().starts_with("a: the tile"), "{error}");
}

#[test]
fn texts_are_read_as_files_are_and_no_file_is_looked_at() {
    let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let named = [
        text("a.b", "--\n-X\nXX"),
        text("low", "--\nXX"),
        text("notes", "one line"),
    ];
    let (corpus, notes) = CorpusReader::new(["no such folder"])
        .read_texts(named)
        .unwrap();
    assert_eq!(corpus.names(), ["a.b", "low"]);
    assert_eq!(corpus.height(), 3);
    assert_eq!(corpus.levels()[1].to_string(), "--\n--\nXX");
    let is = |of: fn(&CorpusNote) -> bool| notes.iter().any(of);
    assert!(is(|note| matches!(note, CorpusNote::Padded { .. })));
    assert!(is(|note| matches!(note, CorpusNote::Skipped(_))));
    assert!(is(|note| matches!(note, CorpusNote::Platformer)));
    let read = |named: Vec<_>| CorpusReader::new([""; 0]).read_texts(named).unwrap_err();
    assert_eq!(read(vec![]).kind(), MistakeKind::Missing);
    let ragged = read(vec![text("a", "--\n-"), text("b", "--\n--")]);
    assert!(
        ragged.to_string().starts_with("a:2:2: the row has"),
        "{ragged}"
    );
}

/// Regression test: a text file of one line beside folders of levels was taken as the only level.
#[test]
fn a_line_of_text_beside_folders_of_levels_is_no_level() {
    let scratch = folder(&[
        ("readme.txt", "XXXX\n"),
        ("Processed/a.txt", "--\nXX\n"),
        ("Original/a.txt", "..\n##\n"),
    ]);
    let (corpus, notes) = read(&scratch);
    assert_eq!(texts(&corpus), ["--\nXX"]);
    assert!(
        notes
            .iter()
            .any(|note| matches!(note, CorpusNote::Skipped(error) if error.to_string().contains("one line, but other levels")))
    );
    let alone = folder(&[("a.txt", "XX--\n"), ("more/b.txt", "--XX\n")]);
    assert_eq!(texts(&read(&alone).0), ["XX--"]);
}

/// A level that consists of two rooms of a dungeon seen from above, and two parts without a room.
const DUNGEON: &str = "\
####------
#..#------
#..D------
####------
------####
------D..#
------#..#
------####
";

#[test]
fn rooms_are_the_levels_of_a_corpus() {
    let legend = "[tiles]\n'#' = ['solid']\nD = ['door']\n'.' = ['passable']\n'-' = ['void']";
    let scratch = folder(&[("a.txt", DUNGEON), ("tiles.toml", legend)]);
    let reader = CorpusReader::new([scratch.path()]);
    let (whole, _) = reader.read().unwrap();
    assert_eq!((whole.height(), whole.levels().len()), (8, 1));
    let (rooms, notes) = reader.clone().rooms(Rooms::Apart).read().unwrap();
    assert_eq!(rooms.names(), ["a/0,0", "a/4,6"]);
    let upper = "####\n#..#\n#..D\n####";
    assert_eq!(texts(&rooms), [upper, "####\nD..#\n#..#\n####"]);
    assert_eq!(rooms.travel(), Travel::Right);
    assert!(rooms.tiles().tile('-').unwrap().is(Meaning::Outside));
    assert_eq!(notes[1].to_string(), "2 rooms of 1 levels");
    let size = Rooms::Sized {
        rows: 4,
        columns: 3,
    };
    let (rooms, notes) = reader.rooms(size).read().unwrap();
    assert_eq!(texts(&rooms)[1], "#--\n#--\nD--\n#--");
    assert_eq!(
        notes[1].to_string(),
        "3 rooms of 1 levels; 8 cells belong to no whole room, and are left out"
    );
}

#[test]
fn lower_rooms_are_filled_up_with_the_outside_tile() {
    let legend = "[tiles]\n'#' = ['solid']\n'.' = ['passable']\n'@' = ['outside']\n'-' = ['void']";
    let scratch = folder(&[("a.txt", "##@..\n##@##\n@@@##"), ("tiles.toml", legend)]);
    let reader = CorpusReader::new([scratch.path()]).rooms(Rooms::Apart);
    let (rooms, notes) = reader.read().unwrap();
    assert_eq!(texts(&rooms), ["@@\n##\n##", "..\n##\n##"]);
    let note = notes.last().unwrap().to_string();
    assert!(
        note.ends_with(
            "1 of 2 levels are filled up above to 3 rows with \"@\", which means outside"
        ),
        "{note}"
    );
}
