//! Tests of files of demands.

use std::sync::Arc;

use crate::samplers::{Levels, exactly};
use figrs_design::{Demand, DemandFile, DemandedLevel, FileError, MistakeKind};
use figrs_models::mdmc::{ColumnNGrams, Corpus, CorpusReader, Level, LevelModel, TileSet, Travel};

/// Returns a model of the shipped levels cut to six rows.
fn model(width: usize) -> LevelModel {
    let corpus = Corpus::shipped().bottom_rows(6).unwrap();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2).unwrap());
    LevelModel::from(&ngrams.program(width).unwrap())
}

/// True if a level of six rows meets the demands of a file.
fn meets(text: &str, level: &str) -> bool {
    let level: Level = level.parse().unwrap();
    let model = model(level.width());
    let demands = DemandFile::from_toml(text)
        .unwrap()
        .demands(&model)
        .unwrap();
    DemandedLevel::new(&model, &demands).unwrap().factor(&level) == 1.0
}

const LEVEL: &str = "\
--------------------
----------SS--------
-----<>-------------
-----[]-----E-------
-----[]--E--------E-
XXXXXXXXX--XXXXXXXXX";

/// Demands of each kind, each with a level that meets it or not.
#[test]
fn each_kind_says_what_its_words_say() {
    let legend = "[legend]\n\"#\" = \"solid\"\n\"a\" = \"not solid\"\n\"v\" = [\"coin\", \"E\"]\n";
    let patterns = "[patterns]\npipe = '''\n<>\n[]'''\nstep = ['''\naa\n##''', '''\na#\n##''']\n";
    for (demand, is_met) in [
        ("forbid = 'pipe'", false),
        ("forbid = 'pipe'\ncolumns = '7..'", true),
        ("forbid = 'enemy'\nrows = '..3'", true),
        ("require = 'pipe'", true),
        ("require = 'pipe'\ncolumns = '..50%'", true),
        ("require = 'pipe'\ntimes = 2", false),
        ("require = 'v'\ntimes = '2..3'", true),
        ("require = '''\nSS\n##'''", false),
        ("require = '''\n[]\n##'''", true),
        ("require = 'step'\ntimes = '1..'", true),
        ("count = 'enemy'\nnumber = 3", true),
        ("count = ['E', 'S']\nnumber = 5", true),
        ("count = 'not any'\nnumber = 0", true),
        ("count = 'breakable brick'\nnumber = 2", true),
        ("count = 'enemy'\nnumber = '1..'\ncolumns = '..10'", true),
        ("count = 'enemy'\nnumber = 0\ncolumns = 9", false),
        ("count = 'solid'\nshare = '20%..25%'", true),
        ("count = 'solid'\nshare = '20%..22%'\nrows = '1..'", false),
        ("count = 'solid'\nshare = '15%..25%'", true),
        ("count = 'enemy'\nnumber = '..2'\nin_each = 8", true),
        ("count = 'enemy'\nnumber = '1..2'\nin_each = 8", false),
        ("count = 'enemy'\nsections = 4\nrising = true", true),
        ("count = 'S'\nsections = 4\nrising = true", false),
        ("count = 'enemy'\nsections = 2\nrising = true", true),
        ("count = 'enemy'\nsections = [0, '1..2', '0..']", true),
        ("count = 'enemy'\nsections = [1, 1, 1]", false),
        ("each = 'pipe'\nhas = 'enemy'\nright = '1..3'", false),
        (
            "each = 'pipe'\nhas = 'enemy'\nright = '1..2'\nanywhere = true",
            false,
        ),
        (
            "each = 'pipe'\nhas = 'enemy'\nright = 3\nanywhere = true",
            true,
        ),
        (
            "each = 'pipe'\nhas = 'enemy'\nleft = '1..'\nanywhere = true",
            false,
        ),
        (
            "each = 'enemy'\nhas = 'pipe'\nleft = '1..'\nanywhere = true",
            true,
        ),
        ("each = 'enemy'\nhas = 'S'\nabove = '2..3'", false),
        (
            "each = 'enemy'\nhas = 'S'\nabove = '1..3'\nanywhere = true",
            true,
        ),
        ("each = 'pipe'\nhas = 'X'\nbelow = 2", true),
        ("each = 'pipe'\nhas = 'X'\nbelow = 1", false),
        (
            "each = 'E'\nhas = '-'\nright = 1\nbelow = 1\ncolumns = '..10'",
            true,
        ),
        ("between = ['enemy', 'enemy']\ndistance = '3..6'", true),
        ("between = ['enemy', 'enemy']\ndistance = '3..5'", false),
        ("between = ['pipe', 'enemy']\ndistance = '..4'", true),
        (
            "mirror = 'left-right'\ncolumns = '9..11'\nrows = '5..'",
            true,
        ),
        ("mirror = 'left-right'", false),
        (
            "mirror = 'left-right'\ncolumns = '4..8'\nby = 'solid'",
            true,
        ),
        ("mirror = 'left-right'\ncolumns = '4..8'", false),
        (
            "mirror = 'top-bottom'\ncolumns = '13..15'\nrows = '..2'",
            true,
        ),
        ("repeat = 1\ncolumns = '13..18'", true),
        ("repeat = 3\ncolumns = '9..15'\nby = 'enemy'", false),
        ("pin = '<a'\nat = [2, 5]", false),
        ("pin = '<#'\nat = [2, 5]", true),
        ("place = 'E'\nat = [4, 9]", true),
        ("place = 'E'\nat = [4, 8]", false),
        ("start = '''\na\n#'''", true),
        ("start = '''\nE\n#'''", false),
        ("end = '''\nE-\n##'''", true),
        ("end = '''\nEa\n##'''", true),
        ("path = [[4, 0], [4, 4], [1, 4], [1, 9]]", true),
        ("path = [[4, 0], [4, 12]]", false),
        ("path = [[4, 8], [4, 12]]\nthrough = 'a'", true),
        ("path = [[4, 8], [4, 12]]\nthrough = '-'", false),
        (
            "lines_like = '''\n--\n--\n--\n--\n-E\nXX'''\ncolumns = '17..'",
            true,
        ),
        ("lines_like = '''\n--\n--\n--\n--\n-E\nXX'''", false),
        ("max_gap = 2", true),
        ("max_gap = 1", false),
        ("any = [{ max_gap = 1 }, { require = 'pipe' }]", true),
        ("any = [{ max_gap = 1 }, { forbid = 'pipe' }]", false),
        ("not = { require = 'pipe', columns = '10..' }", true),
        (
            "if = { require = 'pipe' }\nthen = { require = 'S', times = 2 }",
            true,
        ),
        ("if = { require = 'pipe' }\nthen = { forbid = 'S' }", false),
        ("like = '<>'\nat = [2, 5]\ncost = 2.0", true),
        ("like = '<-'\nat = [2, 5]\ncost = 2.0", false),
        ("require = 'pipe'\nprefer = 1.5", true),
        ("forbid = 'pipe'\nprefer = 1.5", false),
    ] {
        let text = format!("{legend}{patterns}[[demand]]\n{demand}\n");
        assert_eq!(meets(&text, LEVEL), is_met, "{demand}");
        // The same file is read as JSON.
        let design = DemandFile::from_toml(&text).unwrap();
        let again = DemandFile::from_json(&design.to_json().to_string()).unwrap();
        assert_eq!(design, again, "{demand}");
        let model = model(20);
        assert_eq!(
            design.demands(&model).unwrap(),
            again.demands(&model).unwrap()
        );
    }
}

#[test]
fn switches_are_demands_and_never_false() {
    let text = "[[demand]]\nplayable = true\n[[demand]]\nseen = true\n";
    let design = DemandFile::from_toml(text).unwrap();
    assert_eq!((design.len(), design.is_empty()), (2, false));
    let demands = design.demands(&model(20)).unwrap();
    assert_eq!(demands, [Demand::playable(), Demand::Seen]);
    assert!(DemandFile::from_toml("").unwrap().is_empty());
    for switch in ["playable", "seen"] {
        let text = format!("[[demand]]\n{switch} = false\n");
        let error = DemandFile::from_toml(&text).unwrap().demands(&model(20));
        let message = error.unwrap_err().to_string();
        assert!(message.contains("leave the demand out"), "{message}");
    }
}

/// A design file describes a tower in which the player climbs in its upright position.
#[test]
fn towers_are_spoken_of_as_they_stand() {
    let directory = tempfile::tempdir().unwrap();
    let tower = "-E--\nXX--\n----\n--XX\n--E-\nXX--\n----\n-oXX\n----\nXXXX\n";
    std::fs::write(directory.path().join("tower.txt"), tower).unwrap();
    let reader = CorpusReader::new([directory.path()]).travel(Travel::Up);
    let (corpus, _) = reader
        .tiles(TileSet::clone(TileSet::platformer()))
        .read()
        .unwrap();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 1).unwrap());
    let model = LevelModel::from(&ngrams.program(10).unwrap());
    assert_eq!(model.travel(), Travel::Up);
    let level: Level = tower.parse().unwrap();
    for (demand, is_met) in [
        ("require = 'enemy'\nrows = 0\ncolumns = 1", true),
        ("require = 'enemy'\nrows = 9", false),
        ("require = '''\n-E\nXX'''\nrows = '..2'", true),
        ("forbid = '''\nXX\n-E'''", true),
        ("count = 'enemy'\nnumber = 1\nrows = '..50%'", false),
        ("count = 'enemy'\nnumber = 2\nrows = '..50%'", true),
        ("count = 'enemy'\nsections = 2\nrising = true", true),
        ("count = 'enemy'\nsections = [0, 2]", true),
        ("count = 'enemy'\nnumber = 0\nin_each = 6", false),
        ("each = 'E'\nhas = 'X'\nabove = 1\nrows = '1..'", true),
        (
            "each = '''\nE\nX'''\nhas = 'XX'\nbelow = '2..3'\nanywhere = true",
            true,
        ),
        ("each = 'o'\nhas = 'X'\nright = 1", true),
        ("each = 'o'\nhas = 'X'\nleft = 1", false),
        ("between = ['enemy', 'enemy']\ndistance = 4", true),
        ("between = ['enemy', 'enemy']\ndistance = 5", false),
        ("mirror = 'left-right'\nrows = '8..'", true),
        ("mirror = 'left-right'\nrows = '7..'", false),
        ("mirror = 'top-bottom'\nrows = '2..7'\nby = 'enemy'", true),
        ("mirror = 'top-bottom'\nrows = '8..9'", true),
        ("start = 'XXXX'", true),
        ("end = '''\n-E--\nXX--'''", true),
        ("end = 'XXXX'", false),
        ("pin = 'E'\nat = [4, 2]", true),
        ("place = 'E'\nat = [4, 3]", false),
        ("like = 'E'\nat = [4, 2]\ncost = 1.0", true),
        ("path = [[8, 0], [8, 3], [8, 0], [6, 0]]", true),
        ("path = [[9, 0], [8, 0]]", false),
        ("lines_like = '''\nXXXX\n----'''\nrows = '8..'", true),
        ("lines_like = '''\nXXXX\n----'''\nrows = '7..'", false),
    ] {
        let design = DemandFile::from_toml(&format!("[[demand]]\n{demand}\n")).unwrap();
        let demands = design.demands(&model).unwrap();
        let demanded = DemandedLevel::new(&model, &demands).unwrap();
        let turned = Travel::Up.turned(&level);
        assert_eq!(demanded.factor(&turned) == 1.0, is_met, "{demand}");
    }
}

#[test]
fn levels_that_are_drawn_meet_a_file() {
    let text = "\
[[demand]]
count = \"enemy\"
number = \"1..2\"
in_each = 12

[[demand]]
require = \"<>\"
columns = \"50%..\"

[[demand]]
max_gap = 2
";
    let model = model(30);
    let demands = DemandFile::from_toml(text)
        .unwrap()
        .demands(&model)
        .unwrap();
    let demanded = DemandedLevel::new(&model, &demands).unwrap();
    let exact = exactly(demanded.clone()).unwrap();
    for generated in exact.levels(1, 0..20).unwrap() {
        assert!(
            demanded.factor(generated.level()) == 1.0,
            "{}",
            generated.level()
        );
    }
}

fn refused(text: &str) -> FileError {
    let design = DemandFile::from_toml(text);
    design
        .and_then(|design| design.demands(&model(20)))
        .unwrap_err()
}

/// A single share is that of the nearest whole number, and a pattern may be a part of a training level.
#[test]
fn shares_are_rounded_and_patterns_are_cut_out_of_levels() {
    let text = "[patterns]\nbegin = { level = '01-*', columns = '..2' }\n[[demand]]\ncount = 'E'\nshare = 0.02\n[[demand]]\nforbid = 'begin'\n";
    let corpus = Corpus::shipped().bottom_rows(6).unwrap();
    let (design, model) = (DemandFile::from_toml(text).unwrap(), model(20));
    let demands = design
        .on(&model)
        .training(&corpus)
        .demands_with_places()
        .unwrap();
    let message: Vec<String> = demands
        .iter()
        .map(|(_, demand)| demand.to_string())
        .collect();
    assert_eq!(message, ["2 of E", "0 times the pattern \"begin\""]);
    assert_eq!(demands[1].0, "line 6 (demand 2)");
}

/// Mistakes in demands, each with its kind and a part of the problem.
const MISTAKES: [(&str, MistakeKind, &str); 24] = [
    (
        "count = 'E'\nshare = '1%'\nnumber = 3",
        MistakeKind::Contradiction,
        "number has no effect together with share",
    ),
    (
        "count = 'E'\nshare = '1%'\nin_each = 3",
        MistakeKind::Contradiction,
        "in_each has no effect together with share",
    ),
    (
        "count = 'E'\nnumber = 3\nrising = true",
        MistakeKind::Contradiction,
        "rising has no effect together with number",
    ),
    (
        "count = 'E'\nsections = 3\nrising = true\nnumber = 3",
        MistakeKind::Contradiction,
        "number has no effect together with sections",
    ),
    (
        "lines_like = '''\n-\n-\n-\n-\n-\nX'''\nrows = '..3'",
        MistakeKind::Contradiction,
        "rows has no effect together with lines_like",
    ),
    (
        "count = 'E'\nshare = '0.1%..0.2%'",
        MistakeKind::Value,
        "no whole number of 120 cells has a share from 0.001 to 0.002",
    ),
    (
        "forbid = 'E'\ncolumns = '30..40'",
        MistakeKind::Value,
        "columns 30 to 39 are not an area",
    ),
    (
        "not = { playable = true }",
        MistakeKind::Value,
        "cannot be chosen, negated or preferred",
    ),
    (
        "rows = 3",
        MistakeKind::Missing,
        "rows is not a kind of demand",
    ),
    ("", MistakeKind::Missing, "the demand has no keys"),
    (
        "forbid = 'E'\nrequire = 'X'",
        MistakeKind::Contradiction,
        "forbid and require are the keys of two different demands",
    ),
    (
        "each = 'E'\nhas = 'X'\nleft = 1\nright = 1",
        MistakeKind::Contradiction,
        "right and left are the keys of two different demands",
    ),
    (
        "forbid = 'E'\ntimes = 3",
        MistakeKind::Unknown,
        "\"times\" does not belong to forbid",
    ),
    (
        "count = 'E'",
        MistakeKind::Missing,
        "count needs number, share or sections",
    ),
    (
        "each = 'E'\nleft = 1",
        MistakeKind::Missing,
        "each needs has",
    ),
    (
        "each = 'E'\nhas = 'X'",
        MistakeKind::Missing,
        "each needs right, left, above, below or anywhere = true",
    ),
    (
        "if = { forbid = 'E' }",
        MistakeKind::Missing,
        "if needs then",
    ),
    (
        "require = 'E'\ntimes = 'many'",
        MistakeKind::Value,
        "times = \"many\" cannot be read",
    ),
    (
        "mirror = 'up'",
        MistakeKind::Value,
        "mirror = \"up\" cannot be read",
    ),
    (
        "path = [[1, 1], [2, 2]]",
        MistakeKind::Value,
        "path = [[1,1],[2,2]] cannot be read",
    ),
    (
        "any = [{ playable = false }]",
        MistakeKind::Value,
        "playable = false cannot be read",
    ),
    (
        "require = 'pipes'",
        MistakeKind::Unknown,
        "\"pipes\" is neither a tile nor a class",
    ),
    (
        "path = [[1, 40]]",
        MistakeKind::Value,
        "row 1, column 40 is outside of the level",
    ),
    (
        "start = '''\n-\n-\n-\n-\n-\n-\nX'''",
        MistakeKind::Value,
        "a pattern of 7 rows and 1 columns does not fit into 6 rows and 20 columns",
    ),
];

#[test]
fn errors_name_the_line_and_the_remedy() {
    let toml = refused("[[demand]]\nforbid = ");
    assert_eq!(
        (toml.kind(), toml.position),
        (MistakeKind::Syntax, Some((2, 10)))
    );
    let other = refused("[demands]\n");
    assert!(
        other
            .to_string()
            .starts_with("demands:1:2: not a file of demands: "),
        "{other}"
    );
    let json = DemandFile::from_json("{\"ü\": 1,\n\"demand\": 3}").unwrap_err();
    assert_eq!(
        (json.kind(), json.position),
        (MistakeKind::Syntax, Some((1, 4)))
    );
    for key in ["ab", "X", "_"] {
        let error = refused(&format!("[legend]\n\"{key}\" = \"solid\"\n"));
        assert_eq!(error.place, "[legend]");
        let problem = &error.mistake.problem;
        assert!(
            problem.contains(" is ") || problem.contains(" means "),
            "{error}"
        );
    }
    let error = refused("[legend]\n\"#\" = \"sollid\"\n");
    assert_eq!(error.kind(), MistakeKind::Unknown);
    assert!(
        error.to_string().contains("'X'") && error.to_string().contains("solid, "),
        "{error}"
    );
    let error = refused("[patterns]\npipe = \"<z\"\n");
    assert!(
        error
            .to_string()
            .starts_with("[patterns] pipe: 'z' in row 0, column 1 "),
        "{error}"
    );
    let head = "# a comment\n\n[[demand]]\nmax_gap = 3\n\n[[demand]]\n";
    let place = "line 6 (demand 2)";
    for (demand, kind, problem) in MISTAKES {
        let error = refused(&format!("{head}{demand}\n"));
        assert_eq!(error.kind(), kind, "{demand}: {error}");
        assert!(error.mistake.problem.contains(problem), "{demand}: {error}");
        assert!(error.place.starts_with(place), "{demand}: {error}");
    }
}
