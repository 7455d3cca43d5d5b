//! Tests of movements: the search, the decision column by column (`Reach`) and a brute-force checker agree on levels and movements drawn at random.

use proptest::prelude::*;

use super::by_force::ByForce;
use crate::play::movement::{Bottom, Goal, Harm, Movement, Side, Start};
use crate::{Area, MovementRules, Obstacle, Playability, Reach, Route};
use figrs_models::mdmc::{Level, Meaning, TileSet, Travel};

const TILES: &str = "[tiles]
'.' = ['passable']
'#' = ['solid']
T = ['solidtop', 'passable']
H = ['climb']
'-' = ['hang']
D = ['solid', 'door']
b = ['solid', 'diggable']
E = ['enemy']
A = ['solid', 'hazard']
x = ['hazard']
M = ['start', 'passable']
X = ['exit', 'passable']
G = ['collectable', 'passable']
";

fn tiles() -> TileSet {
    TileSet::from_toml(TILES).unwrap()
}

fn level(text: &str) -> Level {
    Level::from_text("level", text, &tiles()).unwrap()
}

fn playable(movement: &str, travel: Travel, text: &str) -> bool {
    let rules = Movement::named(movement).unwrap();
    let rules = rules.rules(&tiles(), travel).unwrap();
    let verdict = Playability::under(&level(text), &rules);
    let folded = fold(&level(text), &Route::under(&rules));
    assert_eq!(folded.last(), Some(&verdict.playable()));
    verdict.playable()
}

/// Returns random levels made of the tiles `symbols`, with enough free cells that some levels are playable.
fn levels(symbols: &'static str, size: usize) -> impl Strategy<Value = Level> {
    let shape = (1..size, 1..size + 4, 0.2..0.9_f64, any::<bool>());
    shape.prop_flat_map(move |(height, width, share, has_ground)| {
        let free = prop::sample::select(vec!['.']);
        let other = prop::sample::select(symbols.chars().collect::<Vec<_>>());
        let tile = (prop::bool::weighted(share), free, other);
        let tile = tile.prop_map(|(is_free, free, other)| if is_free { free } else { other });
        let rows = prop::collection::vec(prop::collection::vec(tile, width), height);
        rows.prop_map(move |rows| {
            let last = rows.len() - 1;
            let row = |(row, tiles): (usize, Vec<char>)| {
                if has_ground && row == last && row > 0 {
                    "#".repeat(tiles.len())
                } else {
                    String::from_iter(tiles)
                }
            };
            let rows: Vec<String> = rows.into_iter().enumerate().map(row).collect();
            level(&rows.join("\n"))
        })
    })
}

/// Returns the first `lines` columns of a level, or its last `lines` rows if the player climbs.
fn part(level: &Level, travel: Travel, lines: usize) -> Level {
    let cells = level.as_array();
    Level::from_array(match travel {
        Travel::Right => cells.slice(ndarray::s![.., ..lines]).to_owned(),
        Travel::Up => cells
            .slice(ndarray::s![level.height() - lines.., ..])
            .to_owned(),
    })
    .unwrap()
}

/// For each part of a level from its first line to a later line, returns whether `Reach`, which decides column by column, finds the part playable.
fn fold(level: &Level, route: &Route) -> Vec<bool> {
    let turned = route.rules().travel().turned(level);
    let mut reach = Reach::along(turned.height(), route);
    let mut lost = false;
    let columns = turned.as_array().columns().into_iter();
    let parts = columns.map(|column| {
        let alive = reach.push(&column.to_vec()).unwrap();
        assert!(alive || !reach.playable());
        assert!(!(lost && alive), "what is lost stays so");
        lost = !alive;
        reach.playable()
    });
    parts.collect()
}

/// Checks that the search, the decision by `Reach` and brute-force checkers agree on all parts of a level, both by the rules of a movement and by
/// strict rules, and that each level that strict rules make playable is also playable by the original rules.
fn check(
    level: &Level,
    movement: &Movement,
    travel: Travel,
    areas: &[Area],
) -> Result<bool, TestCaseError> {
    let rules = movement.rules(&tiles(), travel).unwrap();
    let route = Route::under(&rules).through(areas.to_vec());
    let strict = route.strict().unwrap();
    let folded = fold(level, &route).into_iter().zip(fold(level, &strict));
    let mut last = false;
    for (lines, (by_fold, by_strict_fold)) in (1..).zip(folded) {
        let part = part(level, travel, lines);
        let by_search = Playability::along(&part, &route);
        let by_force = ByForce {
            level: &part,
            movement,
            travel,
            areas,
            is_strict: false,
        };
        let case = || format!("{travel} {movement:?} {areas:?}\n{part}");
        prop_assert_eq!(
            by_search.playable(),
            by_force.is_playable(),
            "search {}",
            case()
        );
        prop_assert_eq!(by_fold, by_search.playable(), "fold {}", case());
        let by_strict_search = Playability::along(&part, &strict).playable();
        prop_assert_eq!(
            by_strict_search,
            ByForce {
                is_strict: true,
                ..by_force
            }
            .is_playable(),
            "strict search {}",
            case()
        );
        prop_assert_eq!(by_strict_fold, by_strict_search, "strict fold {}", case());
        prop_assert!(
            !by_strict_search || by_search.playable(),
            "strict {}",
            case()
        );
        for &(row, column) in by_search.path() {
            prop_assert!(part.get(row, column).is_some());
        }
        last = by_search.playable();
    }
    Ok(last)
}

/// Returns a movement (rules of a player's moves) drawn at random, which suits its direction of travel.
fn movements() -> impl Strategy<Value = (Movement, Travel)> {
    let cell = (-2_i8..=2, -2_i8..=2);
    let moved = cell.clone().prop_filter("a move", |&cell| cell != (0, 0));
    let arc = prop::collection::vec(cell, 1..5).prop_map(|steps| {
        let mut at = (0, 0);
        let passed = steps.into_iter().map(|(dx, dy)| {
            at = (at.0 + dx, at.1 + dy);
            at
        });
        passed.collect::<Vec<_>>()
    });
    let lists = (
        prop::collection::vec(moved.clone(), 0..3),
        prop::collection::vec(moved, 0..3),
        prop::collection::vec(arc, 0..3),
    );
    let harm = || prop::sample::select(vec![Harm::Ignored, Harm::Blocked, Harm::Jumped]);
    let side = || prop::sample::select(vec![Side::Left, Side::Right, Side::Top, Side::Bottom]);
    let switches = (any::<[bool; 6]>(), 0_u8..3, harm(), harm(), any::<bool>());
    let tile = || {
        prop::sample::select(vec![
            Meaning::Start,
            Meaning::Exit,
            Meaning::Collectable,
            Meaning::Door,
        ])
    };
    let start = prop_oneof![
        (0_usize..4, 0_usize..4).prop_map(|(row, column)| Start::Cell(row, column)),
        Just(Start::Ground),
        side().prop_map(Start::Edge),
        tile().prop_map(|tile| Start::Tiles(vec![tile])),
    ];
    let goal = prop_oneof![
        side().prop_map(Goal::Edge),
        (tile(), 1_u8..5).prop_map(|(tile, within)| Goal::EdgeOr {
            edge: Side::Right,
            or: vec![tile],
            within
        }),
        tile().prop_map(|tile| Goal::Any(vec![tile])),
        prop::collection::vec(tile(), 1..3).prop_map(Goal::All),
    ];
    let all = (lists, switches, start, goal, any::<bool>());
    all.prop_map(|(lists, switches, mut start, mut goal, up)| {
        let ([gravity, ladders, drop, dig, wrap, lost], doors, enemies, hazards, open) = switches;
        if up && matches!(start, Start::Cell(..)) {
            start = Start::Ground;
        }
        if let (true, Goal::EdgeOr { edge, .. }) = (up, &mut goal) {
            *edge = Side::Top;
        }
        let movement = Movement {
            name: "random".to_owned(),
            gravity,
            steps: lists.0,
            falls: lists.1,
            jumps: lists.2,
            ladders,
            drop,
            dig,
            doors,
            wrap: wrap && up,
            bottom: if lost { Bottom::Lost } else { Bottom::Floor },
            solid: None,
            open: if open {
                vec![Meaning::Door]
            } else {
                Vec::new()
            },
            enemies,
            hazards,
            start,
            goal,
        };
        (movement, if up { Travel::Up } else { Travel::Right })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn search_fold_and_force_agree_on_any_movement(
        level in levels("##TH-DbEAxMXG", 7),
        (movement, travel) in movements(),
        areas in areas(0..4),
    ) {
        check(&level, &movement, travel, &areas)?;
    }
}

/// Returns random areas for small levels: some are single cells, and some extend to an edge of the level.
fn areas(number: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Area>> {
    let ends = || {
        (
            0_usize..7,
            prop_oneof![Just(None), (1_usize..4).prop_map(Some)],
        )
    };
    let area = (ends(), ends()).prop_map(|((top, rows), (left, columns))| {
        let area = match rows {
            Some(rows) => Area::all().rows(top..top + rows),
            None => Area::all().rows(top..),
        };
        match columns {
            Some(columns) => area.columns(left..left + columns),
            None => area.columns(left..),
        }
    });
    prop::collection::vec(area, number)
}

/// Checks a built-in movement on random levels, with and without areas to pass; in both cases some levels must be playable and some not.
fn check_built_in(name: &str, travel: Travel, symbols: &'static str, size: usize) {
    check_levels(name, travel, &levels(symbols, size), &areas(0..1));
    check_levels(name, travel, &levels(symbols, size), &areas(1..3));
}

fn check_levels(
    name: &str,
    travel: Travel,
    levels: &impl Strategy<Value = Level>,
    areas: &impl Strategy<Value = Vec<Area>>,
) {
    let movement = Movement::named(name).unwrap();
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(500)
        },
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let counts = std::cell::Cell::new((0, 0));
    let checked = runner.run(&(levels, areas), |(level, areas)| {
        let is_playable = check(&level, &movement, travel, &areas)?;
        let (yes, no) = counts.get();
        counts.set((
            yes + usize::from(is_playable),
            no + usize::from(!is_playable),
        ));
        Ok(())
    });
    checked.unwrap();
    let (yes, no) = counts.get();
    assert!(
        yes > 30 && no > 30,
        "{name}: {yes} of {} playable",
        yes + no
    );
}

#[test]
fn platformers_are_as_by_force() {
    check_built_in("platformer", Travel::Right, "##TExH", 11);
}

#[test]
fn climbs_are_as_by_force() {
    check_built_in("climb", Travel::Up, "#TTTDAX", 11);
}

#[test]
fn ladders_are_as_by_force() {
    check_built_in("ladders", Travel::Right, "#bHHH--GMM", 8);
}

#[test]
fn ladders_of_levels_played_upwards_are_as_by_force() {
    check_built_in("ladders", Travel::Up, "#bHHH--GMM", 8);
}

#[test]
fn mazes_are_as_by_force() {
    check_built_in("maze", Travel::Right, "####MX", 8);
}

#[test]
fn rooms_are_as_by_force() {
    check_built_in("rooms", Travel::Right, "###Dx", 8);
}

#[test]
fn a_climber_wins_at_the_top_or_at_a_door_near_it() {
    let climbs = |text| playable("climb", Travel::Up, text);
    assert!(climbs("....\n....\nTT..\n....\n####"));
    // Under a roof the climber wins only by a door.
    assert!(!climbs("####\n####\n....\n....\n####"));
    assert!(climbs("####\n####\n...D\n..##\n####"));
    // A door too far down does not count.
    let far = ["####\n####", &"\n....".repeat(17), "\n..D.\n####"].concat();
    assert!(!climbs(&far));
    // A jump of five rows is too high. At the sides, which are joined, the climber finds a path.
    assert!(!climbs("....\n####\n....\n....\n....\n....\n####"));
    assert!(climbs("....\nTTTT\n....\n....\n....\n####\n####"));
    assert!(climbs("....\nT.##\n#..#\n..##\n####\n####"));
}

#[test]
fn one_way_platforms_hold_from_above_and_let_pass_from_below() {
    let up = "......\n......\nTTTTTT\n......\n......\n######";
    assert!(playable("climb", Travel::Up, up));
    let rules =
        Movement::from_toml("falls = [[0, 1], [1, 1]]\nstart = 'top'\ngoal = 'bottom'").unwrap();
    let rules = rules.rules(&tiles(), Travel::Right).unwrap();
    assert!(!Playability::under(&level(up), &rules).playable());
    let drops = Movement::from_toml(
        "drop = true\nbottom = 'floor'\nstart = 'top'\ngoal = { any = ['exit'] }",
    );
    let rules = drops.unwrap().rules(&tiles(), Travel::Right).unwrap();
    assert!(Playability::under(&level("...\nTTT\n..X"), &rules).playable());
}

#[test]
fn runners_climb_hang_and_fall_but_do_not_jump_or_dig() {
    let connected = |text| playable("ladders", Travel::Right, text);
    assert!(connected("G....\n##H##\nM.H..\n#####"));
    // The player goes along a rope, and down from it.
    assert!(connected("H---.\nH...G\nHM###"));
    assert!(!connected("..G..\n.....\nM...."));
    // The player falls straight down, and cannot reach anything under diggable ground.
    assert!(!connected("M....\n##...\n...G.\n#####\nG...."));
    assert!(!connected("M.b..\nbbbbb\n..G..\n#####"));
    let digs = Movement::from_toml("like = 'ladders'\ndig = true").unwrap();
    let rules = digs.rules(&tiles(), Travel::Right).unwrap();
    assert!(Playability::under(&level("M.b..\nbbbbb\n..G..\n#####"), &rules).playable());
    let obstacle = |text| {
        let rules = Movement::named("ladders").unwrap();
        let rules = rules.rules(&tiles(), Travel::Right).unwrap();
        let obstacle = Playability::under(&level(text), &rules).obstacle().unwrap();
        obstacle.to_string()
    };
    assert_eq!(obstacle("..G\n...\nM.."), "no path to row 0, column 2");
    assert_eq!(obstacle("..G\n###"), "no place to start");
}

#[test]
fn doors_lead_through_walls_to_doors() {
    let connected = |text| playable("rooms", Travel::Right, text);
    assert!(connected("#######\n#.D##D.\n#######"));
    assert!(!connected("########\n#.D###D.\n########"));
    assert!(!connected("#######\n#.D##D.\n#######\n...D..."));
    // Water is a hazard, which is blocked.
    assert!(!connected("D.x.D"));
    assert!(connected("D.x.D\n....."));
}

/// Regression test: `Reach`, which decides column by column, let a player who returned over an enemy fall through it.
#[test]
fn nobody_falls_through_an_enemy_that_blocks() {
    let movement = Movement::from_toml(
        "like = 'platformer'\njumps = []\nfalls = [[0, 1]]\ndoors = 1\nenemies = 'blocked'\nbottom = 'floor'\nstart = [0, 1]\ngoal = { any = ['exit'] }",
    );
    let movement = movement.unwrap();
    for (text, expected) in [("..#\nE##\n..X", false), ("..#\n.##\n..X", true)] {
        let is_playable = check(&level(text), &movement, Travel::Right, &[]).unwrap();
        assert_eq!(is_playable, expected, "{text}");
    }
}

#[test]
fn a_maze_is_won_at_an_exit() {
    assert!(playable("maze", Travel::Right, "M.#X\n#..."));
    assert!(playable("maze", Travel::Up, "M.#X\n#..."));
    let rules = Movement::named("maze").unwrap();
    let rules = rules.rules(&tiles(), Travel::Right).unwrap();
    let obstacle = |text| Playability::under(&level(text), &rules).obstacle();
    assert_eq!(obstacle("M."), Some(Obstacle::NoGoal));
    assert_eq!(
        obstacle("M#X"),
        Some(Obstacle::Unreached { row: 0, column: 2 })
    );
    assert_eq!(
        Playability::under(&level("M.#X\n#..."), &rules).path(),
        [(0, 0), (0, 1), (1, 1), (1, 2), (1, 3), (0, 3)]
    );
}

#[test]
fn strict_rules_refuse_corners_enemies_and_untested_cells() {
    let rules = MovementRules::platformer().strict().unwrap();
    let both = |text: &str| {
        let level: Level = text.parse().unwrap();
        let strict = Playability::under(&level, &rules);
        (Playability::of(&level).playable(), strict.playable())
    };
    let flat = "------\n------\n------\n------\nXXXXXX";
    assert_eq!(both(flat), (true, true));
    // The player would have to pass between two solid tiles that touch at a corner.
    assert_eq!(
        both("---SSS\n---SSS\n---SSS\n---S--\nXXX---\n---XXX"),
        (true, false)
    );
    // A player jumps over an enemy on the ground, but not over an enemy in a tunnel.
    assert_eq!(
        both("------\n------\n------\n------\n---E--\nXXXXXX"),
        (true, true)
    );
    assert_eq!(
        both("---SSS\n---SSS\n---SSS\n---SSS\n---E--\nXXXXXX"),
        (true, false)
    );
}
