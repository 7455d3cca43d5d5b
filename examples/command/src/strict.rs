//! Levels that are drawn repeatedly until they are playable by strict rules.

use figrs_core::stream;
use figrs_design::{Playability, Route};
use figrs_models::mdmc::Level;
use rand::Rng;

use crate::Failure;

/// Maximum number of draws of one level until it is playable by strict rules.
pub const MOST_DRAWN: u64 = 200;

/// Returns, for each requested level, the first draw that has all paths in `routes` by strict rules of movement, and the number of draws rejected
/// before this draw. The function `draw` draws all requested levels from a seed, and the function `level` returns the level that a draw contains. The
/// result is `None` if some requested level has no playable draw among the first [`MOST_DRAWN`] draws.
///
/// **Errors.** `draw` fails, or the strict rules have too many moves.
pub fn strictly<L, E: From<Failure>>(
    routes: &[Route],
    seed: u64,
    level: impl Fn(&L) -> &Level,
    mut draw: impl FnMut(u64) -> Result<Vec<L>, E>,
) -> Result<Option<Vec<(L, u64)>>, E> {
    let strict = routes.iter().map(Route::strict);
    let routes: Vec<Route> = strict.collect::<Result<_, _>>().map_err(Failure::from)?;
    let is_playable = |drawn: &L| {
        routes.iter().all(|route| {
            let upright = route.rules().travel().upright(level(drawn));
            Playability::along(&upright, route).playable()
        })
    };
    let mut levels: Vec<(L, u64)> = draw(seed)?.into_iter().map(|drawn| (drawn, 0)).collect();
    let mut failed: Vec<usize> = Vec::new();
    failed.extend((0..levels.len()).filter(|&place| !is_playable(&levels[place].0)));
    for number in 1..MOST_DRAWN {
        if failed.is_empty() {
            break;
        }
        // These numbers of random streams are far from the numbers that levels use.
        let again = draw(stream(seed, u64::MAX / 2 + number).next_u64())?;
        for (place, drawn) in again.into_iter().enumerate() {
            if failed.contains(&place) {
                levels[place] = (drawn, levels[place].1 + 1);
            }
        }
        failed.retain(|&place| !is_playable(&levels[place].0));
    }
    Ok(failed.is_empty().then_some(levels))
}
