//! Demands of every kind, each with a test by its definition whether a level meets it.

use figrs_design::{Area, Demand, Mask, Mirror, Pattern};
use figrs_models::mdmc::{Level, Meaning, Tile, TileClass, TileSet};

/// A demand, with a function that returns the factor of a level by the demand's definition.
pub(crate) struct Defined {
    pub(crate) demand: Demand,
    pub(crate) factor: Box<dyn Fn(&Level) -> f64>,
}

fn hard(demand: Demand, meets: impl Fn(&Level) -> bool + 'static) -> Defined {
    Defined {
        demand,
        factor: Box::new(move |level| f64::from(u8::from(meets(level)))),
    }
}

fn tile(symbol: char) -> Tile {
    Tile::platformer(symbol).unwrap()
}

fn class(symbols: &str) -> TileClass {
    TileClass::of(symbols.chars().map(tile))
}

fn solid() -> TileClass {
    TileClass::meaning(TileSet::platformer(), Meaning::Solid)
}

fn at(level: &Level, row: usize, column: usize) -> char {
    level.get(row, column).and_then(Tile::symbol).unwrap()
}

/// A pattern as text, in which `*` stands for any tile, `!` for anything but air, and `e` for air or an enemy.
fn pattern(text: &str) -> Pattern {
    Pattern::drawn(text, |symbol| match symbol {
        '*' => Some(TileClass::any()),
        '!' => Some(class("-").complement()),
        'e' => Some(class("-E")),
        symbol => Some(tile(symbol).into()),
    })
    .unwrap()
}

fn matches(symbol: char, found: char) -> bool {
    match symbol {
        '*' => true,
        '!' => found != '-',
        'e' => "-E".contains(found),
        symbol => symbol == found,
    }
}

/// Returns the top left corners of the places where a pattern occurs.
fn places(level: &Level, text: &str) -> Vec<(usize, usize)> {
    let rows: Vec<Vec<char>> = text.lines().map(|row| row.chars().collect()).collect();
    let mut found = Vec::new();
    for top in 0..level.height() {
        for left in 0..level.width() {
            let stands = rows.iter().enumerate().all(|(row, cells)| {
                cells.iter().enumerate().all(|(column, &symbol)| {
                    top + row < level.height()
                        && left + column < level.width()
                        && matches(symbol, at(level, top + row, left + column))
                })
            });
            if stands {
                found.push((top, left));
            }
        }
    }
    found
}

fn number(level: &Level, symbols: &'static str, columns: std::ops::Range<usize>) -> usize {
    let rows = 0..level.height();
    let cells = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
    cells
        .filter(|&(row, column)| symbols.contains(at(level, row, column)))
        .count()
}

/// Demands of each kind on levels of three rows and six columns.
#[allow(clippy::too_many_lines)]
pub(crate) fn all() -> Vec<Defined> {
    let mask = |text: &str| Mask::from_text("mask", text, TileSet::platformer()).unwrap();
    let drawing = "-E-E-E\nXX----\nXXXXXX";
    let every = Area::all;
    vec![
        hard(Demand::Pinned(mask("______\n_X____\n____X_")), |level| {
            at(level, 1, 1) == 'X' && at(level, 2, 4) == 'X'
        }),
        hard(Demand::MaximumGap(1), |level| {
            (0..5).all(|column| at(level, 2, column) == 'X' || at(level, 2, column + 1) == 'X')
        }),
        hard(
            Demand::Count {
                tile: tile('E'),
                least: 1,
                most: 2,
            },
            |level| (1..=2).contains(&number(level, "E", 0..6)),
        ),
        hard(Demand::Forbidden(mask("X-\n_X")), |level| {
            places(level, "X-\n*X").is_empty()
        }),
        hard(
            Demand::Shaped {
                pattern: pattern("e*\n!-"),
                row: 0,
                column: 3,
            },
            |level| places(level, "e*\n!-").contains(&(0, 3)),
        ),
        hard(
            Demand::Shaped {
                pattern: Pattern::any_of(&[pattern("X-"), pattern("-X")]).unwrap(),
                row: 1,
                column: 2,
            },
            |level| at(level, 1, 2) != at(level, 1, 3),
        ),
        hard(
            Demand::Number {
                class: solid(),
                area: every().rows(1..).columns(1..4),
                least: 4,
                most: 5,
            },
            |level| (4..=5).contains(&number(level, "X", 1..4)),
        ),
        hard(
            Demand::Number {
                class: class("E"),
                area: every(),
                least: 2,
                most: usize::MAX,
            },
            |level| number(level, "E", 0..6) >= 2,
        ),
        hard(
            Demand::InEach {
                class: class("E"),
                area: every(),
                columns: 3,
                least: 1,
                most: 2,
            },
            |level| (0..4).all(|left| (1..=2).contains(&number(level, "E", left..left + 3))),
        ),
        hard(
            Demand::InEach {
                class: solid(),
                area: every().columns(1..5),
                columns: 2,
                least: 2,
                most: usize::MAX,
            },
            |level| (1..4).all(|left| number(level, "X", left..left + 2) >= 2),
        ),
        hard(
            Demand::Profile {
                class: solid(),
                area: every(),
                sections: vec![(3, usize::MAX), (0, 3), (2, 4)],
            },
            |level| {
                let section =
                    |number_of: usize| number(level, "X", 2 * number_of..2 * number_of + 2);
                section(0) >= 3 && section(1) <= 3 && (2..=4).contains(&section(2))
            },
        ),
        hard(
            Demand::Rising {
                class: class("E"),
                area: every(),
                sections: 3,
            },
            |level| {
                let section =
                    |number_of: usize| number(level, "E", 2 * number_of..2 * number_of + 2);
                section(0) <= section(1) && section(1) <= section(2)
            },
        ),
        hard(Demand::required(pattern("E\ne"), every()), |level| {
            !places(level, "E\ne").is_empty()
        }),
        hard(
            Demand::Occurs {
                pattern: pattern("!e"),
                area: every().columns(1..),
                least: 1,
                most: Some(2),
            },
            |level| {
                let found = places(level, "!e");
                (1..=2).contains(&found.iter().filter(|place| place.1 >= 1).count())
            },
        ),
        hard(
            Demand::forbidden(
                Pattern::any_of(&[pattern("X-X"), pattern("-E-")]).unwrap(),
                every(),
            ),
            |level| places(level, "X-X").is_empty() && places(level, "-E-").is_empty(),
        ),
        // For each enemy there is ground one to three columns to the right and one or two rows further down.
        hard(
            Demand::Accompanied {
                each: pattern("E"),
                area: every(),
                by: pattern("X-"),
                rows: 1..=2,
                columns: 1..=3,
            },
            |level| near(level, "E", "X-", (1, 2), (1, 3)),
        ),
        // For each step there is an enemy to the left of it or above it.
        hard(
            Demand::Accompanied {
                each: pattern("X-"),
                area: every(),
                by: pattern("E"),
                rows: -2..=0,
                columns: -100..=1,
            },
            |level| near(level, "X-", "E", (-2, 0), (-100, 1)),
        ),
        hard(
            Demand::Accompanied {
                each: pattern("X\nX"),
                area: every().columns(..4),
                by: pattern("E-"),
                rows: -1..=1,
                columns: 0..=100,
            },
            |level| {
                let each: Vec<_> = places(level, "X\nX");
                let by = places(level, "E-");
                each.iter().filter(|place| place.1 < 4).all(|place| {
                    by.iter().any(|other| {
                        let rows = other.0 as isize - place.0 as isize;
                        (-1..=1).contains(&rows) && other.1 >= place.1
                    })
                })
            },
        ),
        hard(
            Demand::Spaced {
                from: pattern("E"),
                to: pattern("E"),
                area: every(),
                least: 2,
                most: Some(3),
            },
            |level| spaced(level, "E", "E", 2, 3),
        ),
        hard(
            Demand::Spaced {
                from: pattern("E*\n*X"),
                to: pattern("X-"),
                area: every(),
                least: 1,
                most: Some(2),
            },
            |level| spaced(level, "E*\n*X", "X-", 1, 2),
        ),
        hard(
            Demand::Spaced {
                from: pattern("X-"),
                to: pattern("E*e"),
                area: every(),
                least: 2,
                most: None,
            },
            |level| spaced(level, "X-", "E*e", 2, 100),
        ),
        hard(
            Demand::Mirrored {
                area: every().rows(..2),
                mirror: Mirror::Columns,
                by: None,
            },
            |level| (0..2).all(|row| (0..6).all(|c| at(level, row, c) == at(level, row, 5 - c))),
        ),
        hard(
            Demand::Mirrored {
                area: every().columns(1..4),
                mirror: Mirror::Columns,
                by: Some(solid()),
            },
            |level| (0..3).all(|row| (at(level, row, 1) == 'X') == (at(level, row, 3) == 'X')),
        ),
        hard(
            Demand::Mirrored {
                area: every(),
                mirror: Mirror::Rows,
                by: Some(class("-")),
            },
            |level| (0..6).all(|c| (at(level, 0, c) == '-') == (at(level, 2, c) == '-')),
        ),
        hard(
            Demand::Repeated {
                area: every().rows(1..).columns(1..),
                period: 2,
                by: None,
            },
            |level| (1..3).all(|row| (1..4).all(|c| at(level, row, c) == at(level, row, c + 2))),
        ),
        hard(
            Demand::ColumnsAmong {
                area: every().columns(2..5),
                columns: ["-XX", "E-X", "--X", "---"]
                    .map(|column| column.chars().map(tile).collect())
                    .to_vec(),
            },
            |level| {
                (2..5).all(|c| {
                    let column: String = (0..3).map(|row| at(level, row, c)).collect();
                    ["-XX", "E-X", "--X", "---"].contains(&&*column)
                })
            },
        ),
        hard(
            Demand::Any(vec![
                Demand::required(pattern("E"), every().columns(..2)),
                Demand::MaximumGap(0),
            ]),
            |level| number(level, "E", 0..2) > 0 || (0..6).all(|c| at(level, 2, c) == 'X'),
        ),
        hard(
            Demand::required(pattern("E"), every().columns(..2))
                .implies(Demand::forbidden(pattern("E"), every().columns(2..))),
            |level| number(level, "E", 0..2) == 0 || number(level, "E", 2..6) == 0,
        ),
        Defined {
            demand: Demand::required(pattern("E-E"), every()).preferred(1.5),
            factor: Box::new(|level| {
                if places(level, "E-E").is_empty() {
                    (-1.5f64).exp()
                } else {
                    1.0
                }
            }),
        },
        Defined {
            demand: Demand::Near {
                drawing: mask(drawing),
                cost: 0.75,
            },
            factor: Box::new(move |level| {
                let rows: Vec<Vec<char>> =
                    drawing.lines().map(|row| row.chars().collect()).collect();
                let cells = (0..3).flat_map(|row| (0..6).map(move |column| (row, column)));
                let differ = cells.filter(|&(row, c)| at(level, row, c) != rows[row][c]);
                (-0.75 * differ.count() as f64).exp()
            }),
        },
    ]
}

fn near(
    level: &Level,
    each: &str,
    by: &str,
    rows: (isize, isize),
    columns: (isize, isize),
) -> bool {
    let others = places(level, by);
    places(level, each).iter().all(|place| {
        others.iter().any(|other| {
            let down = other.0 as isize - place.0 as isize;
            let right = other.1 as isize - place.1 as isize;
            (rows.0..=rows.1).contains(&down) && (columns.0..=columns.1).contains(&right)
        })
    })
}

fn spaced(level: &Level, from: &str, to: &str, least: usize, most: usize) -> bool {
    let to: Vec<usize> = places(level, to).iter().map(|place| place.1).collect();
    places(level, from).iter().all(|&(_, left)| {
        let next = to.iter().filter(|&&other| other > left).min();
        next.is_none_or(|next| (least..=most).contains(&(next - left)))
    })
}
