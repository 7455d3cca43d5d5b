use figrs_infer::{Compiled, Frontier};
use figrs_models::board::{ConditionalSampler, Method};
use figrs_models::dungeon::{Dungeon, DungeonTile, Reachability};

use super::*;
use crate::{DemandFile, FileError, MistakeKind};

const TILES: &str =
    "[tiles]\n'.' = ['passable']\nW = ['wall', 'solid']\nG = ['gem']\nA = ['altar']";

type Rows = Vec<Vec<char>>;

fn size(rows: usize, columns: usize) -> Size {
    Size::new(rows, columns).unwrap()
}

fn on(text: &str, size: Size) -> Result<BoardDemands, FileError> {
    let tiles = TileSet::from_toml(TILES).unwrap();
    DemandFile::from_toml(text).unwrap().on_boards(size, &tiles)
}

/// Returns all boards with one gem, one altar, and walls anywhere.
fn boards(size: Size) -> Vec<Vec<DungeonTile>> {
    let cells = size.cells();
    let all = (0..4_usize.pow(cells as u32)).map(|number| {
        let tile = |at| DungeonTile::ALL[number / 4_usize.pow(at as u32) % 4];
        (0..cells).map(tile).collect::<Vec<DungeonTile>>()
    });
    let one = |board: &Vec<DungeonTile>, wanted| {
        board.iter().filter(|tile| **tile == wanted).count() == 1
    };
    all.filter(|board| one(board, DungeonTile::Gem) && one(board, DungeonTile::Altar))
        .collect()
}

fn rows(size: Size, board: &[DungeonTile]) -> Rows {
    let rows = board.chunks(size.columns());
    rows.map(|row| row.iter().map(|tile| tile.symbol()).collect())
        .collect()
}

fn count(rows: &Rows, symbol: char) -> usize {
    rows.iter().flatten().filter(|own| **own == symbol).count()
}

/// Returns the row and column of the only tile on a board that has the character `symbol`.
fn place(rows: &Rows, symbol: char) -> (usize, usize) {
    let row = rows.iter().position(|row| row.contains(&symbol)).unwrap();
    let column = rows[row].iter().position(|own| *own == symbol).unwrap();
    (row, column)
}

fn mirrored(rows: &Rows) -> Rows {
    let rows = rows.iter();
    rows.map(|row| row.iter().rev().copied().collect())
        .collect()
}

/// A demand in TOML, together with a function that decides whether a board meets the demand.
type Case = (&'static str, fn(&Rows) -> bool);

/// Demands for tests, each with a function that checks a board by the definition of the demand.
const CASES: [Case; 14] = [
    ("count = 'wall'\ncolumns = '1..'\nnumber = '1..2'", |rows| {
        let walls = rows.iter().flat_map(|row| &row[1..]);
        (1..=2).contains(&walls.filter(|tile| **tile == 'W').count())
    }),
    ("count = 'gem'\nrows = 0\nnumber = 1", |rows| {
        rows[0].contains(&'G')
    }),
    ("forbid = 'WW'", |rows| {
        rows.iter()
            .all(|row| row.windows(2).all(|two| two != ['W', 'W']))
    }),
    ("forbid = \"W\\nA\"", |rows| {
        rows.windows(2).all(|two| {
            !two[0]
                .iter()
                .zip(&two[1])
                .any(|(a, b)| (*a, *b) == ('W', 'A'))
        })
    }),
    ("require = 'G.'", |rows| {
        rows.iter()
            .any(|row| row.windows(2).any(|two| two == ['G', '.']))
    }),
    ("require = '.'\ntimes = 2", |rows| count(rows, '.') == 2),
    ("pin = 'W'\nat = [1, 0]", |rows| rows[1][0] == 'W'),
    ("path = [[0, 0], [0, 1], [1, 1]]", |rows| {
        [rows[0][0], rows[0][1], rows[1][1]]
            .iter()
            .all(|tile| *tile != 'W')
    }),
    (
        "each = 'G'\nhas = 'A'\nright = '1..'\nanywhere = true",
        |rows| place(rows, 'G').1 < place(rows, 'A').1,
    ),
    (
        "each = 'G'\nhas = 'A'\nbelow = 1\nanywhere = true",
        |rows| place(rows, 'G').0 + 1 == place(rows, 'A').0,
    ),
    ("mirror = 'left-right'\nby = 'wall'", |rows| {
        let walls = |rows: Rows| {
            rows.into_iter()
                .flatten()
                .map(|tile| tile == 'W')
                .collect::<Vec<_>>()
        };
        walls(mirrored(rows)) == walls(rows.clone())
    }),
    ("count = 'wall'\nnumber = '..1'\nin_each = 1", |rows| {
        rows.iter()
            .all(|row| row.iter().filter(|tile| **tile == 'W').count() <= 1)
    }),
    (
        "count = 'wall'\nsections = 2\nrising = true\nrows = '..2'",
        |rows| {
            let walls = |row: &Vec<char>| row.iter().filter(|tile| **tile == 'W').count();
            walls(&rows[0]) <= walls(&rows[1])
        },
    ),
    (
        "any = [{ forbid = 'W' }, { not = { count = 'altar', columns = 0, number = 1 } }]",
        |rows| count(rows, 'W') == 0 || !rows.iter().any(|row| row[0] == 'A'),
    ),
];

#[test]
fn exact_boards_and_violations_agree_with_checks_by_hand() {
    for size in [size(2, 3), size(3, 2)] {
        let all = boards(size);
        for (text, check) in CASES {
            let demands = on(&format!("[[demand]]\n{text}\n"), size).unwrap();
            let right = all.iter().filter(|board| check(&rows(size, board))).count();
            assert!(right > 0 && right < all.len(), "{text}");
            let free = Dungeon::new(size).reachability(Reachability::Free);
            let generator = DemandedBoards::new(free, demands.clone());
            let elements = generator.elements().unwrap();
            let compiled = Frontier::new().compile(elements.model(), elements.cells());
            let found = compiled.unwrap().count().unwrap().to_string();
            assert_eq!(found, right.to_string(), "{size:?}: {text}");
            let mut rule = DemandsRule::new(demands.clone());
            for board in &all {
                let is_met = check(&rows(size, board));
                assert_eq!(rule.read(board) == Some(0), is_met, "{text}: {board:?}");
                let board = generator.board(board.clone()).unwrap();
                assert_eq!(generator.meets(&board), is_met, "{text}");
            }
        }
    }
}

#[test]
fn changes_and_their_undoing_keep_the_violation_of_the_whole_board() {
    let texts: Vec<&str> = CASES[..4].iter().map(|(text, _)| *text).collect();
    let text = format!(
        "[[demand]]
{}
",
        texts.join(
            "
[[demand]]
"
        )
    );
    let size = size(3, 2);
    let demands = on(&text, size).unwrap();
    assert_eq!(demands.len(), 4);
    let mut followed = DemandsRule::new(demands.clone());
    let all = boards(size);
    followed.read(&all[0]);
    for two in all.windows(2) {
        let changed: Vec<usize> = (0..6).filter(|&at| two[0][at] != two[1][at]).collect();
        let anew = |board: &Vec<DungeonTile>| DemandsRule::new(demands.clone()).read(board);
        assert_eq!(followed.change(&two[1], &changed), anew(&two[1]));
        followed.undo(&two[0], &changed);
        assert_eq!(followed.change(&two[1], &changed), anew(&two[1]));
    }
    assert_eq!(
        BoardRule::<DungeonTile>::looked_at(&mut followed),
        (2 * all.len() as u64 - 1) * 24
    );
}

#[test]
fn boards_are_drawn_by_every_method() {
    let size = size(4, 5);
    let text = "[[demand]]\nforbid = \"WW\\nWW\"\n[[demand]]\ncount = 'gem'\nrows = 0\nnumber = 1\n[[demand]]\npin = 'W'\nat = [2, 2]";
    let demands = on(text, size).unwrap();
    let islands = BoardDemands::none(size).with(&demands);
    assert!(BoardDemands::none(size).is_empty() && islands.len() == 3);
    let walk = Dungeon::new(size).walk(7..=15).unwrap();
    for (generator, method) in [
        (Dungeon::new(size), Method::Exact),
        (Dungeon::new(size), Method::Chain),
        (walk, Method::Rejection),
    ] {
        let generator = DemandedBoards::new(generator, demands.clone());
        let sampler = ConditionalSampler::new().seed(2).among([method]);
        let drawn = sampler.sample(&generator, 3).unwrap();
        assert_eq!(drawn.report.choice.method, method);
        for board in drawn.boards {
            let rows = rows(size, board.cells());
            assert!(rows[0].contains(&'G') && rows[2][2] == 'W', "{rows:?}");
            assert!(generator.meets(&board));
        }
    }
}

#[test]
fn demands_on_levels_alone_are_refused_by_name() {
    let error = |text: &str| on(&format!("[[demand]]\n{text}"), size(3, 3)).unwrap_err();
    for (text, name) in [
        ("playable = true", "playable"),
        ("pass = [[0, 0]]", "pass"),
        ("seen = true", "seen"),
        ("max_gap = 1", "max_gap"),
        ("start = 'W'", "start"),
        ("end = 'W'", "end"),
        ("place = 'W'", "place"),
        ("like = 'W'", "like"),
        ("lines_like = 'W'", "lines_like"),
        ("forbid = 'W'\nprefer = 1.0", "prefer"),
        ("not = { max_gap = 1 }", "max_gap"),
        (
            "if = { count = 'W', number = 1 }\nthen = { seen = true }",
            "seen",
        ),
    ] {
        let error = error(text);
        assert_eq!(error.kind(), MistakeKind::Unsupported, "{error}");
        assert_eq!(
            error.mistake.problem,
            format!("boards do not support {name}")
        );
    }
    for text in [
        "pin = 'WW'\nat = [2, 2]",
        "count = 'W'\nnumber = 1\nrows = '5..'",
    ] {
        assert_eq!(error(text).kind(), MistakeKind::Value, "{text}");
    }
    assert_eq!(error("forbid = 'lava'").kind(), MistakeKind::Unknown);
}
