//! Demands of files, with those of a command or a request.

use figrs_models::mdmc::{
    Corpus, Demand, DesignFile, DesignScope, LevelModel, MovementRules, Route,
};

use crate::Failure;

/// Adds the demands of files, each with its place, to others on levels of a model, and then the ways of a player: of those given and those of the files the
/// ones that pass areas; if there are none, the first.
///
/// **Errors.** Those of the files, with their places.
pub fn add_demands(
    demands: &mut Vec<Demand>,
    files: &[(String, DesignFile)],
    (model, corpus): (&LevelModel, &Corpus),
    rules: Option<&MovementRules>,
    mut routes: Vec<Route>,
) -> Result<(), Failure> {
    for (place, design) in files {
        let scope = design.on(model).training(corpus);
        let scope = rules.into_iter().fold(scope, DesignScope::rules);
        let of_file = scope.demands();
        for demand in of_file.map_err(|error| format!("{place}: {error}"))? {
            match demand.route() {
                Some(route) => routes.push(route.clone()),
                None => demands.push(demand),
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
    demands.extend(routes.into_iter().map(Demand::Playable));
    Ok(())
}
