//! Tests of movements on the levels of the Video Game Level Corpus, if it is installed.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use figrs_design::{Movement, MovementRules, Playability, Reach};
use figrs_models::mdmc::{Level, TileSet, Travel};

/// Returns a folder of the corpus if it is installed; otherwise prints why the test is skipped and returns `None`.
fn folder(game: &str) -> Option<PathBuf> {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/vglc");
    let folder = PathBuf::from(corpus).join(game);
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

/// Returns the levels of a folder that consist of the tiles of a set, with their names.
fn levels(folder: &Path, tiles: &TileSet) -> Vec<(String, Level)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .filter(|path| !path.ends_with("README.txt"))
        .collect();
    paths.sort();
    let level = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(path).unwrap();
        let level = Level::from_text(&name, &text, tiles).unwrap();
        (name, level)
    };
    paths.iter().map(level).collect()
}

/// Returns the names of the levels that are playable, and of those that are playable by strict rules too. The search and the fold must agree on each
/// level.
fn playable(levels: &[(String, Level)], rules: &MovementRules) -> (Vec<String>, Vec<String>) {
    let strict_rules = rules.strict().unwrap();
    let (mut playable, mut strictly) = (Vec::new(), Vec::new());
    for (name, level) in levels {
        let verdict = Playability::under(level, rules);
        if let Some(obstacle) = verdict.obstacle() {
            println!("{name}: {obstacle}");
        }
        let turned = rules.travel().turned(level);
        let mut reach = Reach::under(turned.height(), rules);
        for column in turned.as_array().columns() {
            reach.push(&column.to_vec()).unwrap();
        }
        assert_eq!(reach.playable(), verdict.playable(), "{name}");
        let strict = Playability::under(level, &strict_rules);
        assert!(verdict.playable() || !strict.playable(), "{name}");
        playable.extend(verdict.playable().then(|| name.clone()));
        if verdict.playable() && !strict.playable() {
            println!("{name}: not by strict rules");
        }
        strictly.extend(strict.playable().then(|| name.clone()));
    }
    let count = levels.len();
    println!(
        "{}: {} of {count} playable, {} strictly",
        rules.movement().name(),
        playable.len(),
        strictly.len()
    );
    (playable, strictly)
}

#[test]
fn super_mario_levels_are_playable_by_the_arcs_of_the_corpus_and_strictly() {
    let Some(folder) = folder("smb") else { return };
    let tiles = TileSet::from_json(&fs::read_to_string(folder.join("smb.json")).unwrap()).unwrap();
    let movement = Movement::read(folder.join("pathfinding_SMB.json")).unwrap();
    assert_eq!(movement.name(), "pathfinding_SMB");
    for movement in [movement, Movement::named("platformer").unwrap()] {
        let rules = movement.rules(&tiles, Travel::Right).unwrap();
        let (all, strictly) = playable(&levels(&folder, &tiles), &rules);
        // Enemies that stand in tunnels block them.
        assert_eq!((all.len(), strictly.len()), (15, 12));
        let empty = |(name, level): (String, Level)| {
            let text = level.to_string().replace('E', "-");
            let level = Level::from_text(&name, &text, &tiles).unwrap();
            (name, level)
        };
        let empty: Vec<_> = levels(&folder, &tiles).into_iter().map(empty).collect();
        assert_eq!(playable(&empty, &rules).1.len(), 15);
    }
}

#[test]
fn kid_icarus_levels_are_climbed() {
    let Some(folder) = folder("kid_icarus") else {
        return;
    };
    let tiles = fs::read_to_string(folder.join("KidIcarus.json")).unwrap();
    let tiles = TileSet::from_json(&tiles).unwrap();
    let movement = Movement::suggested(&tiles, Travel::Up).unwrap();
    assert_eq!(movement.name(), "climb");
    let rules = movement.rules(&tiles, Travel::Up).unwrap();
    let (playable, strictly) = playable(&levels(&folder, &tiles), &rules);
    assert_eq!((playable.len(), strictly.len()), (6, 6));
}

#[test]
fn some_lode_runner_levels_are_connected_without_digging() {
    let Some(folder) = folder("lode_runner") else {
        return;
    };
    let tiles = fs::read_to_string(folder.join("Loderunner.json")).unwrap();
    let tiles = TileSet::from_json(&tiles).unwrap();
    let movement = Movement::suggested(&tiles, Travel::Right).unwrap();
    assert_eq!(movement.name(), "ladders");
    let levels = levels(&folder, &tiles);
    let rules = movement.rules(&tiles, Travel::Right).unwrap();
    let without = playable(&levels, &rules).0;
    // To reach gold under several layers, a player must dig holes side by side, which is not modelled.
    let digs = Movement::from_toml("name = 'digging'\nlike = 'ladders'\ndig = true").unwrap();
    let rules = digs.rules(&tiles, Travel::Right).unwrap();
    let with = playable(&levels, &rules).0;
    assert!(without.iter().all(|name| with.contains(name)));
    assert_eq!((without.len(), with.len()), (14, 22));
}

/// The corpus gives the legend of the dungeons only as prose, which is restated here.
const DUNGEON: &str = "[tiles]
F = ['passable', 'floor']
B = ['solid', 'block']
M = ['passable', 'enemy']
P = ['hazard', 'element']
O = ['passable', 'element', 'floor']
I = ['solid', 'element', 'block']
D = ['door']
S = ['passable', 'exit', 'stair']
W = ['solid', 'wall']
'-' = ['solid', 'void']
";

#[test]
fn doors_of_dungeons_are_connected() {
    let Some(folder) = folder("zelda") else {
        return;
    };
    let tiles = TileSet::from_toml(DUNGEON).unwrap();
    let levels = levels(&folder, &tiles);
    let rooms = Movement::named("rooms").unwrap();
    let rules = rooms.rules(&tiles, Travel::Right).unwrap();
    // In most dungeons some rooms can be reached only by stairs, by bombs or by a ladder over water.
    let (whole, _) = playable(&levels, &rules);
    // Each room is tested by itself; it has sixteen rows of eleven columns.
    let mut rooms = Vec::new();
    for (name, level) in &levels {
        let cells = level.as_array();
        for (row, column) in (0..level.height() / 16)
            .flat_map(|row| (0..level.width() / 11).map(move |column| (row, column)))
        {
            let room = ndarray::s![16 * row..16 * row + 16, 11 * column..11 * column + 11];
            let room = Level::from_array(cells.slice(room).to_owned()).unwrap();
            let has = |symbol| {
                room.as_array()
                    .iter()
                    .any(|tile| tile.symbol() == Some(symbol))
            };
            if has('D') && has('F') {
                rooms.push((format!("{name} {row} {column}"), room));
            }
        }
    }
    let (connected, _) = playable(&rooms, &rules);
    assert_eq!((whole.len(), connected.len(), rooms.len()), (1, 347, 384));
}
