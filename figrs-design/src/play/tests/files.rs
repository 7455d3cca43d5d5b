//! Tests of movements (the rules of a player's moves) read from files, and of errors in these files.

use figrs_reading::MistakeKind;

use crate::{JUMP_ARCS, Movement, MovementError, MovementRules, Playability};
use figrs_models::mdmc::{Level, TileSet, Travel};

#[test]
fn the_format_of_the_corpus_gives_the_published_rules() {
    let arcs: Vec<Vec<(i8, i8)>> = JUMP_ARCS.iter().map(|arc| arc.to_vec()).collect();
    let json = serde_json::json!({"jumps": arcs, "solid": ["X", "S", "?", "Q", "<", ">", "[", "]", "B", "b"]});
    let movement = Movement::from_json(&json.to_string()).unwrap();
    let rules = movement
        .rules(TileSet::platformer(), Travel::Right)
        .unwrap();
    let published = MovementRules::platformer();
    for tile in TileSet::platformer().tiles() {
        assert_eq!(rules.class(tile), published.class(tile), "{tile}");
    }
    let level: Level = "------\n------\n------\n------\n--E---\nXX--XX"
        .parse()
        .unwrap();
    assert_eq!(Playability::under(&level, &rules), Playability::of(&level));
    // The characters of solid tiles are enough, although the meanings of the tiles are unknown.
    let unknown = TileSet::unknown("X-".chars());
    let rules = movement.rules(&unknown, Travel::Right).unwrap();
    let level = Level::from_text("text", "---\n---\n---\n---\nXXX", &unknown).unwrap();
    assert!(Playability::under(&level, &rules).playable());
}

#[test]
fn toml_and_json_say_the_same() {
    let toml = "
name = 'knight'
like = 'maze'
steps = [[1, 2], [2, 1]]
jumps = [[[0, -1], [0, -2]]]
gravity = false
falls = []
ladders = false
drop = true
dig = true
doors = 3
wrap = false
bottom = 'floor'
open = ['Door']
enemies = 'jumped'
hazards = 'blocked'
start = 'left'
goal = { edge = 'right', or = ['door'], within = 3 }
[tiles]
'#' = ['solid']
";
    let json = r##"{"name": "knight", "like": "maze", "steps": [[1, 2], [2, 1]], "jumps": [[[0, -1], [0, -2]]], "gravity": false,
        "falls": [], "ladders": false, "drop": true, "dig": true, "doors": 3, "wrap": false, "bottom": "floor", "open": ["door"],
        "enemies": "jumped", "hazards": "blocked", "start": "left", "goal": {"edge": "right", "or": ["door"], "within": 3},
        "tiles": {"#": ["solid"]}}"##;
    let (toml, json) = (Movement::from_toml(toml), Movement::from_json(json));
    let knight = toml.unwrap();
    assert_eq!(knight, json.unwrap());
    assert_eq!(
        knight.to_string(),
        "knight: a path from the left edge to the right edge, or to a tile of door within 3 of it"
    );
    for name in Movement::NAMES {
        let like = Movement::from_toml(&format!("name = '{name}'\nlike = '{name}'")).unwrap();
        assert_eq!(like, Movement::named(name).unwrap());
    }
    assert_eq!(
        Movement::from_toml("name = 'platformer'").unwrap(),
        Movement::named("platformer").unwrap()
    );
}

#[test]
fn mistakes_in_files_are_told_with_their_line() {
    let cases = [
        ("a = 1", "line 1", "unknown field `a`"),
        (
            "\nlike = 'golf'",
            "line 2",
            "like: no movement is called \"golf\"",
        ),
        (
            "\n\nsteps = [[0, 0]]",
            "line 3",
            "steps: the move [0, 0] goes nowhere",
        ),
        (
            "\njumps = [[[0, -61]]]",
            "line 2",
            "jumps: the cell [0, -61] is too far; use -60 to 60",
        ),
        ("jumps = [[]]", "line 1", "jumps: a jump has no cells"),
        (
            "doors = 17",
            "line 1",
            "doors: doors cannot have 17 cells of wall between them; use 0 (no doors) to 16",
        ),
        (
            "wrap = 1",
            "line 1",
            "wrap: invalid type: integer `1`, expected a boolean",
        ),
        (
            "bottom = 'lava'",
            "line 1",
            "bottom: \"lava\" is not a known bottom; use lost, floor",
        ),
        (
            "\nhazards = 'kind'",
            "line 2",
            "hazards: \"kind\" is not a known treatment of harmful tiles; use ignored, blocked, jumped",
        ),
        (
            "open = ['grass']",
            "line 1",
            "open: \"grass\" is not a meaning of tiles; use solid,",
        ),
        (
            "start = 'here'",
            "line 1",
            "start: \"here\" is not a known start; use left, right, top, bottom, ground, or tiles as { any = [\"start\"] }",
        ),
        ("start = 3", "line 1", "start: write \"ground\", an edge"),
        (
            "start = { all = ['exit'] }",
            "line 1",
            "start: write \"ground\", an edge",
        ),
        (
            "goal = 'exit'",
            "line 1",
            "goal: \"exit\" is not a known goal; use left, right, top, bottom, or tiles as { any = [\"exit\"] }",
        ),
        (
            "goal = { any = ['grass'] }",
            "line 1",
            "goal: \"grass\" is not a meaning of tiles; use solid,",
        ),
        (
            "goal = { any = [] }",
            "line 1",
            "goal: no meaning of tiles; name one such as \"exit\"",
        ),
        (
            "goal = { any = ['exit'], within = 3 }",
            "line 1",
            "goal: write an edge such as",
        ),
        (
            "goal = { edge = 'top', or = ['door'], within = 0 }",
            "line 1",
            "goal: within = 0; use 1 to 255",
        ),
        ("doors = 3\nstart =", "line 2", "not a movement: "),
    ];
    for (text, line, message) in cases {
        let error = Movement::from_toml(text).unwrap_err();
        let line: usize = line["line ".len()..].parse().unwrap();
        let MovementError::File(error) = error else {
            panic!("{error}");
        };
        assert_eq!(error.kind(), MistakeKind::Syntax);
        assert_eq!(error.position.unwrap().0, line, "{text}: {error}");
        let error = error.to_string();
        assert!(error.contains(message), "{text}: {error}");
        // The movement is also read from the same values in JSON.
        let Ok(table) = toml::from_str::<toml::Table>(text) else {
            continue;
        };
        let error = Movement::from_json(&serde_json::to_string(&table).unwrap()).unwrap_err();
        assert!(matches!(error, MovementError::File(_)));
        let error = error.to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    let error = Movement::from_json("{\n\"doors\": 99}").unwrap_err();
    assert!(
        error.to_string().starts_with(
            "movement:2:12: not a movement: doors: doors cannot have 99 cells of wall between them; use 0 (no doors) to 16; write"
        ),
        "{error}"
    );
}

#[test]
fn tiles_of_start_and_goal_are_said_in_the_same_way() {
    let movement = |start: &str, goal: &str| {
        Movement::from_toml(&format!("start = {start}\ngoal = {goal}")).unwrap()
    };
    let both = movement("{ any = ['start', 'door'] }", "{ any = ['start', 'door'] }");
    let one = "{ tiles = ['start', 'door'] }";
    assert_eq!(movement(one, one), both);
    assert_eq!(
        both.promise(),
        "a path from the first start or door tile to a tile of start or door"
    );
    assert_eq!(
        movement("{ any = 'start' }", "{ all = 'exit' }"),
        movement("{ any = ['spawn'] }", "{ all = ['goal'] }")
    );
}

#[test]
fn a_file_is_read_by_its_extension_and_called_as_it_is() {
    let path = std::env::temp_dir().join(format!("figrs-movement-{}.json", std::process::id()));
    std::fs::write(&path, "{\"like\": \"maze\"}").unwrap();
    let movement = Movement::read(&path).unwrap();
    let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
    assert_eq!(movement.name(), stem);
    let toml = path.with_extension("toml");
    std::fs::rename(&path, &toml).unwrap();
    let kind = |path: &std::path::Path| match Movement::read(path) {
        Err(MovementError::File(error)) => {
            assert_eq!(error.place, path.display().to_string());
            error.kind()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(&toml), MistakeKind::Syntax);
    std::fs::write(&toml, b"\xff").unwrap();
    assert_eq!(kind(&toml), MistakeKind::Encoding);
    std::fs::remove_file(&toml).unwrap();
    assert_eq!(kind(&path), MistakeKind::Unreadable);
    let error = Movement::read(&path).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("or use one of platformer, climb")
    );
}

#[test]
fn movements_that_do_not_fit_are_refused_with_a_remedy() {
    let refused = |movement: &Movement, tiles: &TileSet, travel| {
        movement.rules(tiles, travel).unwrap_err().to_string()
    };
    let named = |name| Movement::named(name).unwrap();
    let unknown = TileSet::clone(TileSet::platformer()).and_unknown("~W".chars());
    assert_eq!(
        refused(&named("platformer"), &unknown, Travel::Right),
        "platformer needs the meanings of the tiles ~W; give a legend with a line such as \"~\" = [\"solid\"] or [\"passable\"] for each"
    );
    let tiles = TileSet::platformer();
    assert!(
        refused(&named("ladders"), tiles, Travel::Right)
            .starts_with("ladders needs a tile of meaning start as start, but no tile of the set has this meaning")
    );
    assert!(
        refused(&named("rooms"), tiles, Travel::Right)
            .starts_with("rooms needs a tile of meaning door as start")
    );
    let exit = Movement::from_toml("goal = { any = ['exit'] }").unwrap();
    assert!(refused(&exit, tiles, Travel::Right).contains("as goal"));
    assert!(refused(&named("platformer"), tiles, Travel::Up).contains("played up; use \"ground\""));
    assert!(refused(&named("climb"), tiles, Travel::Right).contains("played right"));
    let wrap = Movement::from_toml("wrap = true").unwrap();
    assert!(refused(&wrap, tiles, Travel::Right).contains("wrap does not fit"));
    // The jumps have 60 cells each, and no two jumps share a cell.
    let arcs: Vec<Vec<(i8, i8)>> = (1..=20)
        .map(|arc: i8| {
            let (dx, dy) = (arc % 5, -(arc / 5));
            (0..60)
                .map(|cell: i8| (cell % 2 * dx, cell % 3 * dy))
                .collect()
        })
        .collect();
    let many = Movement::from_json(&serde_json::json!({"jumps": arcs}).to_string()).unwrap();
    let error = many.rules(tiles, Travel::Right).unwrap_err();
    assert!(matches!(error, MovementError::Invalid { .. }), "{error}");
    let error = error.to_string();
    assert!(
        error.starts_with("from a file: the moves have ")
            && error
                .ends_with(" stages, more than the maximum of 1024; use fewer or shorter jumps"),
        "{error}"
    );
    let error = Movement::named("golf").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no movement is called \"golf\"; use platformer, climb, ladders, maze, rooms or a file"
    );
}

#[test]
fn tiles_suggest_a_movement() {
    let suggested = |legend: &str, travel| {
        let tiles = TileSet::from_toml(&format!("[tiles]\n{legend}")).unwrap();
        Movement::suggested(&tiles, travel).map(|movement| movement.name().to_owned())
    };
    let platformer = Movement::suggested(TileSet::platformer(), Travel::Right).unwrap();
    assert_eq!(platformer.name(), "platformer");
    let kid = "'#' = ['solid']\n'-' = ['passable']\nT = ['solidtop']";
    assert_eq!(suggested(kid, Travel::Up).unwrap(), "climb");
    assert!(matches!(
        suggested(kid, Travel::Right),
        Err(MovementError::Invalid { .. })
    ));
    let runner = "'#' = ['climbable']\nM = ['spawn']\nG = ['pickupable']";
    assert_eq!(suggested(runner, Travel::Right).unwrap(), "ladders");
    let unknown = Movement::suggested(&TileSet::unknown("WF".chars()), Travel::Right);
    let error = unknown.unwrap_err();
    assert!(matches!(error, MovementError::Tiles { .. }), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("a movement needs the meanings of the tiles WF"),
        "{error}"
    );
}

/// Regression test: players' paths included the cells that a move skips, which may be walls.
#[test]
fn ways_leave_out_cells_that_are_skipped() {
    let text =
        "name = \"leap\"\nlike = \"maze\"\nsteps = [[2, 0]]\nstart = \"left\"\ngoal = \"right\"\n";
    let movement = Movement::from_toml(text).unwrap();
    let rules = movement
        .rules(TileSet::platformer(), Travel::Right)
        .unwrap();
    let level: Level = "-X-X-".parse().unwrap();
    let way = Playability::under(&level, &rules);
    assert_eq!(way.path(), [(0, 0), (0, 2), (0, 4)]);
}
