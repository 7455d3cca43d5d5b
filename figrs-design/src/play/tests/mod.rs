//! Tests of whether a player can get through levels, by the published rules of movement.

mod by_force;
mod files;
mod movements;

use std::collections::HashSet;

use figrs_core::{Element, Model, Select, fold};
use figrs_infer::{Run, VariableElimination};
use proptest::prelude::*;

use crate::play::*;
use figrs_models::mdmc::{Level, Tile};

fn level(rows: &[&str]) -> Level {
    rows.join("\n").parse().unwrap()
}

/// Returns a level of flat ground of one row under three rows of air; after `before` columns, `gap` columns have no ground.
fn flat_with_gap(before: usize, gap: usize, after: usize) -> Level {
    let ground = ["X".repeat(before), "-".repeat(gap), "X".repeat(after)].concat();
    let air = "-".repeat(before + gap + after);
    let rows = [&air, &air, &air, &air, &air, &air, &ground].map(String::as_str);
    level(&rows)
}

/// Returns a level of flat ground with a wall of bricks in one column, for tests.
fn flat_with_wall(height: usize) -> Level {
    let rows: Vec<String> = (0..12)
        .map(|row| match row {
            11 => "X".repeat(16),
            _ if row + height >= 11 => "--------S-------".to_owned(),
            _ => "-".repeat(16),
        })
        .collect();
    level(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

/// True if the level is playable, according to a brute-force checker of the rules, which stores jump arcs and positions in them instead of stages of
/// an automaton.
fn playable_by_force(level: &Level) -> bool {
    let (height, width) = (level.height().cast_signed(), level.width().cast_signed());
    let solid = |x: isize, y: isize| level.get(y as usize, x as usize).is_some_and(Tile::solid);
    if height > 2 && width > 2 && solid(2, 2) {
        return false;
    }
    let mut open = vec![(2.min(width - 1), 2.min(height - 1), None)];
    let mut known: HashSet<_> = open.iter().copied().collect();
    while let Some((x, y, jump)) = open.pop() {
        if x == width - 1 {
            return true;
        }
        if y == height - 1 {
            continue;
        }
        let mut next = Vec::new();
        let mut step = |arc: usize, index: usize, side: isize| {
            let Some(&(dx, dy)) = JUMP_ARCS[arc].get(index) else {
                return;
            };
            let from = index
                .checked_sub(1)
                .map_or((0, 0), |index| JUMP_ARCS[arc][index]);
            let x = x + side * isize::from(dx - from.0);
            next.push((
                x,
                (y + isize::from(dy - from.1)).max(0),
                Some((arc, index, side)),
            ));
        };
        if let Some((arc, index, side)) = jump {
            step(arc, index + 1, side);
        }
        if solid(x, y + 1) {
            (0..5).for_each(|arc| {
                step(arc, 0, 1);
                step(arc, 0, -1);
            });
            next.extend([(x - 1, y, None), (x + 1, y, None)]);
        } else {
            for (dx, dy) in [(0, 1), (-1, 1), (1, 1), (-1, 2), (1, 2)] {
                next.push((x + dx, y + dy, None));
            }
        }
        for (x, y, jump) in next {
            let inside = (0..width).contains(&x) && y < height;
            if inside && !solid(x, y) && known.insert((x, y, jump)) {
                open.push((x, y, jump));
            }
        }
    }
    false
}

#[test]
fn a_jump_carries_over_gaps_of_up_to_nine_columns() {
    // The longest jump covers seven columns along the longest arc, which the player leaves three rows up, and three more columns by falling
    // diagonally.
    for gap in 0..14 {
        let verdict = Playability::of(&flat_with_gap(6, gap, 4));
        assert_eq!(
            verdict.playable(),
            gap <= 9,
            "{gap}: {:?}",
            verdict.obstacle()
        );
        if gap > 9 {
            let expected = Obstacle::Gap {
                column: 6,
                width: gap,
                rise: 0,
            };
            assert_eq!(verdict.obstacle(), Some(expected));
            assert_eq!(
                expected.to_string(),
                format!("gap of {gap} columns at column 6")
            );
        }
    }
}

#[test]
fn walls_of_up_to_four_tiles_can_be_jumped() {
    for height in 0..9 {
        let verdict = Playability::of(&flat_with_wall(height));
        assert_eq!(verdict.playable(), height <= 4, "{height}");
        if height > 4 {
            let expected = Obstacle::Wall { column: 8, height };
            assert_eq!(verdict.obstacle(), Some(expected));
            assert_eq!(verdict.furthest_column(), 7);
            assert_eq!(
                expected.to_string(),
                format!("wall of height {height} at column 8")
            );
        }
    }
}

#[test]
fn a_ceiling_keeps_a_player_from_jumping() {
    let mut rows = [
        "---SSSSSSS",
        "---SSSSSSS",
        "---SSSSSSS",
        "---SSS-SSS",
        "---SSSSSSS",
        "------S---",
        "XXXXXXXXXX",
    ];
    let verdict = Playability::of(&level(&rows));
    assert_eq!(verdict.obstacle(), Some(Obstacle::Blocked { column: 6 }));
    assert_eq!(
        verdict.obstacle().unwrap().to_string(),
        "no path through column 6"
    );
    rows[4] = "---SSS----";
    assert!(Playability::of(&level(&rows)).playable());
}

#[test]
fn a_step_behind_a_gap_is_told() {
    let rows = [
        "-----------",
        "-----------",
        "-----------",
        "----------X",
        "----------X",
        "----------X",
        "----------X",
        "XXXX------X",
    ];
    let verdict = Playability::of(&level(&rows));
    let expected = Obstacle::Gap {
        column: 4,
        width: 6,
        rise: 4,
    };
    assert_eq!(verdict.obstacle(), Some(expected));
    assert_eq!(
        expected.to_string(),
        "gap of 6 columns at column 4, then 4 up"
    );
}

#[test]
fn without_footing_the_player_falls_from_the_start() {
    let verdict = Playability::of(&level(&["------------"; 9]));
    assert_eq!(verdict.furthest_column(), 8);
    let expected = Obstacle::Gap {
        column: 2,
        width: 10,
        rise: 0,
    };
    assert_eq!(verdict.obstacle(), Some(expected));
}

#[test]
fn a_way_may_lead_back_to_the_left() {
    // The path leads through the tunnel to column 12, up, back to the left over its roof, up at column 6 and over the wall of column 14.
    let mut rows = [
        "---X--------------",
        "---X--------------",
        "---X--------------",
        "---X--------------",
        "---X--------------",
        "---X---XXXXXXXXXXX",
        "---X----------X---",
        "---X----------X---",
        "---X----------X---",
        "---XXXXXXXXX--X---",
        "---X----------X---",
        "--------------X---",
        "--------------X---",
        "XXXXXXXXXXXXXXXXXX",
    ];
    let pushed = |level: &Level| {
        let mut reach = Reach::new(14);
        let columns = level.as_array().columns().into_iter();
        columns
            .map(|column| reach.push(&column.to_vec()).unwrap())
            .last()
    };
    let open = level(&rows);
    let path = Playability::of(&open).path().to_vec();
    let (up, back) = (
        path.iter().position(|cell| cell.1 == 12),
        path.iter().rposition(|cell| cell.1 == 6),
    );
    assert!(Playability::of(&open).playable() && up < back);
    assert_eq!(pushed(&open), Some(true));
    rows[5] = "---XXXXXXXXXXXXXXX";
    let closed = level(&rows);
    let obstacle = Playability::of(&closed).obstacle();
    assert_eq!(
        obstacle,
        Some(Obstacle::Wall {
            column: 14,
            height: 8
        })
    );
    assert_eq!(pushed(&closed), Some(false));
}

#[test]
fn small_levels_are_entered_at_their_goal() {
    for text in ["X", "-", "--\n--\n--\nXX", "---"] {
        let verdict = Playability::of(&text.parse().unwrap());
        assert!(verdict.playable() && verdict.path().len() == 1, "{text:?}");
    }
    assert!(!Playability::of(&"----".parse().unwrap()).playable());
}

#[test]
fn a_path_leads_from_the_start_through_free_cells_to_the_goal() {
    let level = flat_with_gap(6, 5, 9);
    let verdict = Playability::of(&level);
    let path = verdict.path();
    assert_eq!((path[0], path.last().unwrap().1), ((2, 2), 19));
    assert_eq!(verdict.furthest_column(), 19);
    assert!(
        path.iter()
            .all(|&(row, column)| !level.get(row, column).unwrap().solid())
    );
    assert!(
        path.windows(2)
            .all(|two| two[0].1.abs_diff(two[1].1) <= 1 && two[0].0.abs_diff(two[1].0) <= 2)
    );
}

#[test]
fn a_column_of_another_height_is_an_error() {
    let mut reach = Reach::new(4);
    let error = reach.push(&[Tile::EMPTY; 3]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the column has 3 tiles; give one for each of the 4 rows"
    );
}

#[test]
fn what_no_player_can_tell_apart_is_one_value() {
    let ground = |blocks: usize| {
        let mut reach = Reach::new(14);
        for index in 0..30 {
            let mut column = [Tile::EMPTY; 14];
            column[13] = Tile::GROUND;
            // Blocks on the ground are further back than any jump reaches.
            column[12] = if index < blocks {
                Tile::GROUND
            } else {
                Tile::EMPTY
            };
            assert!(reach.push(&column).unwrap());
        }
        reach
    };
    assert_eq!(ground(0), ground(3));
    let mut dead = ground(0);
    for _ in 0..20 {
        dead.push(&[Tile::EMPTY; 14]).unwrap();
    }
    assert!(!dead.alive());
    assert_ne!(dead, ground(0));
}

#[test]
fn as_the_state_of_a_fold_it_gives_the_exact_probability_of_playable_levels() {
    // The levels have eleven columns of eight rows: ground, or ground and a wall of five more tiles.
    let kinds = ["-------X", "--XXXXXX"];
    let kinds = kinds.map(|text| {
        text.chars()
            .filter_map(Tile::platformer)
            .collect::<Vec<_>>()
    });
    let chances = [0.8, 0.2];
    let columns: Vec<Element<usize>> = (0..11)
        .map(|_| Select::new(chances.into_iter().zip(0..)))
        .collect();
    let tiles = kinds.clone();
    let reach = fold(&columns, Reach::new(8), move |reach, &kind| {
        let mut next = reach.clone();
        next.push(&tiles[kind]).unwrap();
        next
    });
    let alive = reach.map(Reach::alive);
    let answer = VariableElimination::new()
        .run(&Model::new(), &alive)
        .unwrap();
    let mut expected = 0.0;
    for code in 0..1_usize << 11 {
        let digits = (0..11).map(|place| code >> place & 1);
        let level = Level::from_columns(digits.clone().map(|kind| &kinds[kind])).unwrap();
        if Playability::of(&level).playable() {
            expected += digits.map(|kind| chances[kind]).product::<f64>();
        }
    }
    assert!(expected > 0.1 && expected < 0.9, "{expected}");
    let p = answer.probability(&alive, &true).unwrap();
    assert!((p - expected).abs() < 1e-12, "{p} for {expected}");
}

/// Returns random levels with enough cells to stand in that many levels are playable, and enough gaps and walls that many are not.
fn levels() -> impl Strategy<Value = Level> {
    let size = (1_usize..10, 1_usize..26, 0.05..0.5_f64);
    size.prop_flat_map(|(height, width, share)| {
        let tile = prop::bool::weighted(share).prop_map(|solid| if solid { 'S' } else { '-' });
        let rows = prop::collection::vec(prop::collection::vec(tile, width), height);
        rows.prop_map(|rows| {
            let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
            rows.join("\n").parse().unwrap()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn search_reach_and_the_plain_rules_agree(level in levels()) {
        let array = level.as_array();
        let mut reach = Reach::new(level.height());
        for width in 1..=level.width() {
            let part = array.slice(ndarray::s![.., ..width]).to_owned();
            let part = Level::from_array(part).unwrap();
            let verdict = Playability::of(&part);
            prop_assert_eq!(verdict.playable(), playable_by_force(&part), "\n{}", part);
            let column = array.column(width - 1).to_vec();
            prop_assert_eq!(reach.push(&column).unwrap(), verdict.playable(), "\n{}", part);
        }
    }
}
