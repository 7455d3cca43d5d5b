//! Demands of files, with those of a command or a request.

use figrs_models::mdmc::{
    Corpus, Demand, DesignFile, DesignScope, LevelModel, MovementRules, Route,
};

use crate::Failure;

/// Adds the demands of files, each with its place, to others on levels of a model, and then the ways of a player: of those given and those of the files the
/// ones that pass areas; if there are none, the first. Returns for each demand that was added where it comes from, empty for a way.
///
/// **Errors.** Those of the files, with their places.
pub fn add_demands(
    demands: &mut Vec<Demand>,
    files: &[(String, DesignFile)],
    (model, corpus): (&LevelModel, &Corpus),
    rules: Option<&MovementRules>,
    mut routes: Vec<Route>,
) -> Result<Vec<String>, Failure> {
    let mut origins = Vec::new();
    for (place, design) in files {
        let scope = design.on(model).training(corpus);
        let scope = rules.into_iter().fold(scope, DesignScope::rules);
        let of_file = scope.demands_with_places();
        for (line, demand) in of_file.map_err(|error| format!("{place}: {error}"))? {
            match demand.route() {
                Some(route) => routes.push(route.clone()),
                None => {
                    demands.push(demand);
                    origins.push(format!("{place}: {line}"));
                }
            }
        }
    }
    // A way through areas is a way; it is demanded before what files demand besides.
    let passes = |route: &Route| !route.areas().is_empty();
    if routes.iter().any(passes) {
        routes.retain(passes);
    } else {
        routes.truncate(1);
    }
    origins.extend(routes.iter().map(|_| String::new()));
    demands.extend(routes.into_iter().map(Demand::Playable));
    Ok(origins)
}
