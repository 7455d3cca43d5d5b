//! Demands on levels, read from flags, requests and files.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use clap::Args;
use figrs_design::{Demand, DemandFile, DemandScope, MovementRules, Route};
use figrs_models::mdmc::{Corpus, LevelModel, Tile, TileSet};
use serde_json::Value as Json;

use crate::{Failure, Flag, ranges, read_text};

/// Demands on levels that need no file, as flags of a command or as fields of a request.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct LevelDemands {
    /// Allow cells whose neighbours form a pattern that never occurred in the training levels.
    #[arg(long)]
    pub allow_unseen: bool,
    /// Maximum number of adjacent columns without ground in the bottom row.
    #[arg(long, value_name = "COLUMNS")]
    pub max_gap: Option<usize>,
    /// Number of tiles of one kind in a level: a range such as E=5..10, or an exact number such as E=5. The option may be given several times.
    #[arg(long, value_name = "TILE=FROM..TO", value_parser = ranges::count)]
    pub count: Vec<(char, Range<usize>)>,
    /// Share of the tiles of one kind among all cells of a level: a range such as o=0.01..0.05. The option may be given several times.
    #[arg(long, value_name = "TILE=FROM..TO", value_parser = ranges::density)]
    pub density: Vec<(char, Range<f64>)>,
    /// Demand levels that are playable by the rules of --movement: in a platformer, a player can get from the left to the right.
    #[arg(long)]
    pub playable: bool,
}

impl LevelDemands {
    /// Returns the demands on gaps and on numbers and shares of tiles in levels of a model, each with the flag that states it.
    ///
    /// **Errors.** A tile is unknown; the error names the flag.
    pub fn in_numbers(&self, model: &LevelModel) -> Result<Vec<(Demand, Flag<'static>)>, Failure> {
        let (tiles, cells) = (model.tile_set(), model.height() * model.width());
        let (gap, count, density) = (Flag("max-gap"), Flag("count"), Flag("density"));
        let gaps = self.max_gap.map(|most| (Demand::MaximumGap(most), gap));
        let mut demands: Vec<_> = gaps.into_iter().collect();
        for (symbol, range) in &self.count {
            let tile = known_tile(&count, *symbol, tiles)?;
            let (least, most) = (range.start, range.end);
            demands.push((Demand::Count { tile, least, most }, count));
        }
        for (symbol, shares) in &self.density {
            let tile = known_tile(&density, *symbol, tiles)?;
            let demand = Demand::density(tile, shares.start, shares.end, cells);
            demands.push((demand, density));
        }
        Ok(demands)
    }
}

/// Reads a file of demands, in JSON if its name ends in .json and else in TOML.
///
/// **Errors.** The file cannot be read or has a mistake; the error contains its path.
pub fn read_design(path: &Path) -> Result<DemandFile, Failure> {
    let text = read_text(path)?;
    let is_json = path.extension().is_some_and(|name| name == "json");
    let design = if is_json {
        DemandFile::from_json(&text)
    } else {
        DemandFile::from_toml(&text)
    };
    design.map_err(|mut error| {
        error.place = path.display().to_string();
        error.into()
    })
}

/// Returns the tile of a character.
///
/// **Errors.** The tile is unknown; the error names the flag or field that contains it, and the known tiles.
pub fn known_tile(name: &dyn Display, symbol: char, tiles: &TileSet) -> Result<Tile, Failure> {
    tiles.tile(symbol).ok_or_else(|| {
        let known = tiles.symbols();
        format!("{name}: unknown tile {symbol:?}; use one of {known}").into()
    })
}

/// Returns the settings of the demanded paths of a player as JSON: the movement, its guarantee, and whether stricter rules check them.
pub fn route_settings(routes: &[Route], is_strict: bool) -> Vec<(&'static str, Json)> {
    let Some(route) = routes.first() else {
        return Vec::new();
    };
    let movement = route.rules().movement();
    let mut settings = vec![
        ("movement", movement.name().into()),
        ("promise", movement.promise().into()),
    ];
    settings.extend(is_strict.then(|| ("strict", true.into())));
    settings
}

/// Adds the demands of files to `demands` on levels of a model, each with its place in the file, and then adds the demanded paths of a player. If
/// paths in `routes` and in the files pass through areas, only these paths are added; otherwise only the first path is added. Returns the origin of
/// each added demand; a path in `routes` comes with its origin.
///
/// **Errors.** A demand of a file is wrong; the error contains the place of the demand in the file.
pub fn add_demands(
    demands: &mut Vec<Demand>,
    files: &[(String, DemandFile)],
    (model, corpus): (&LevelModel, &Corpus),
    rules: Option<&MovementRules>,
    mut routes: Vec<(Route, String)>,
) -> Result<Vec<String>, Failure> {
    let mut origins = Vec::new();
    for (place, design) in files {
        let scope = design.on(model).training(corpus);
        let scope = rules.into_iter().fold(scope, DemandScope::rules);
        let of_file = scope.demands_with_places();
        for (line, demand) in of_file.map_err(|error| format!("{place}: {error}"))? {
            let origin = format!("{place}: {line}");
            if let Some(route) = demand.route() {
                routes.push((route.clone(), origin));
            } else {
                demands.push(demand);
                origins.push(origin);
            }
        }
    }
    // A level with a path through areas also has a plain path, so the demand of a plain path is left out. Paths of `routes` come before those of
    // files.
    let passes = |(route, _): &(Route, String)| !route.areas().is_empty();
    if routes.iter().any(passes) {
        routes.retain(passes);
    } else {
        routes.truncate(1);
    }
    for (route, origin) in routes {
        demands.push(Demand::Playable(route));
        origins.push(origin);
    }
    Ok(origins)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use figrs_design::{DemandFile, MovementRules, Route};
    use figrs_models::mdmc::{ColumnNGrams, Corpus, LevelModel};

    use super::add_demands;

    fn origins(text: &str, routes: Vec<(Route, String)>) -> Vec<(String, String)> {
        let corpus = Corpus::shipped();
        let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2).unwrap());
        let model = LevelModel::from(&ngrams.program(40).unwrap());
        let files = [("way.toml".to_owned(), DemandFile::from_toml(text).unwrap())];
        let rules = Some(MovementRules::platformer());
        let mut demands = Vec::new();
        let origins = add_demands(&mut demands, &files, (&model, &corpus), rules, routes);
        let demands = demands.iter().map(ToString::to_string);
        demands.zip(origins.unwrap()).collect()
    }

    #[test]
    fn ways_say_where_they_come_from() {
        let given = || {
            let route = Route::from(MovementRules::platformer());
            vec![(route, "--playable".to_owned())]
        };
        let named = |demand: &str, origin: &str| (demand.to_owned(), origin.to_owned());
        let enemy = "[[demand]]\ncount = 'E'\nnumber = 2\n";
        let enemies = named("2 of E", "way.toml: line 1 (demand 1)");
        let played = "playable from left to right";
        assert_eq!(
            origins(enemy, given()),
            [enemies.clone(), named(played, "--playable")]
        );
        let file = |key: &str| format!("{enemy}[[demand]]\n{key}\n");
        let line = "way.toml: line 4 (demand 2)";
        assert_eq!(
            origins(&file("playable = true"), Vec::new()),
            [enemies.clone(), named(played, line)]
        );
        // A level with a path through areas also has a plain path, so the demand of a plain path is left out.
        let through = format!("{played}, through row 4, column 20");
        assert_eq!(
            origins(&file("pass = [[4, 20]]"), given()),
            [enemies, named(&through, line)]
        );
    }
}
