//! Determines the set of tiles of the training levels, from the legends (files with the meanings of tiles) of their folders.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::note::CorpusNote;
use crate::mdmc::{LevelError, TileSet};
use figrs_reading::{Mistake, MistakeKind};

pub(super) struct FolderTiles {
    pub(super) root: PathBuf,
    pub(super) symbols: BTreeSet<char>,
    pub(super) legend: Option<(PathBuf, TileSet)>,
}

/// A set of tiles and the path of the legend that defines it; the path is `None` for the built-in platformer tiles.
struct SourcedSet<'a> {
    source: Option<PathBuf>,
    set: TileSet,
    symbols: &'a BTreeSet<char>,
}

/// Creates one set of tiles for the levels of all folders. The legend of a folder defines the tiles of the characters in the folder's levels; if a
/// folder has no legend, the legends of the other folders define these tiles.
///
/// **Errors.** [`LevelError::Levels`] for a character that occurs in the levels of two folders and has different meanings in the legends of these
/// folders.
pub(super) fn of_folders(
    folders: Vec<FolderTiles>,
    notes: &mut Vec<CorpusNote>,
) -> Result<Arc<TileSet>, LevelError> {
    let mut sets: Vec<SourcedSet<'_>> = Vec::new();
    let symbols: Vec<BTreeSet<char>> = folders
        .iter()
        .map(|folder| folder.symbols.clone())
        .collect();
    for (folder, symbols) in folders.into_iter().zip(&symbols) {
        let (source, set) = match folder.legend {
            Some((path, set)) => (Some(path), set),
            None if is_platformer(symbols) => (None, TileSet::clone(TileSet::platformer())),
            None => continue,
        };
        if sets.iter().all(|known| known.source != source) {
            notes.push(match &source {
                Some(path) => CorpusNote::Legend(path.clone()),
                None => CorpusNote::Platformer,
            });
        }
        sets.push(SourcedSet {
            source,
            set,
            symbols,
        });
    }
    if let Some(one) = sets.first()
        && sets.iter().all(|other| other.source == one.source)
    {
        return Ok(if one.source.is_none() {
            Arc::clone(TileSet::platformer())
        } else {
            Arc::new(one.set.clone())
        });
    }
    let mut all = TileSet::unknown([]);
    // Characters that occur in the folder's levels come first, because a legend may also define characters that only levels of another folder use.
    for in_use in [true, false] {
        for (place, own) in sets.iter().enumerate() {
            let is_meant = |symbol: &char| own.symbols.contains(symbol) == in_use;
            let symbols = own.set.symbols();
            for symbol in symbols.chars().filter(is_meant) {
                if in_use
                    && all
                        .tile(symbol)
                        .is_some_and(|tile| own.set.tile(symbol) != Some(tile))
                {
                    return Err(disagreement(symbol, &sets, place));
                }
                all = all.and_tile_of(&own.set, symbol);
            }
        }
    }
    Ok(Arc::new(all))
}

/// Returns the tiles `given` by the user and, for other characters of the levels, the tiles that the legends of the folders define with a meaning.
pub(super) fn and_of_folders(
    given: &Arc<TileSet>,
    folders: &[FolderTiles],
    notes: &mut Vec<CorpusNote>,
) -> Arc<TileSet> {
    let mut all = TileSet::clone(given);
    for folder in folders {
        let Some((path, legend)) = &folder.legend else {
            continue;
        };
        let is_other = |symbol: &&char| {
            let known = legend.tile(**symbol).is_some_and(|tile| !tile.is_unknown());
            known && all.tile(**symbol).is_none()
        };
        let symbols: String = folder.symbols.iter().filter(is_other).collect();
        for symbol in symbols.chars() {
            all = all.and_tile_of(legend, symbol);
        }
        if !symbols.is_empty() {
            let path = path.clone();
            notes.push(CorpusNote::OtherTiles { path, symbols });
        }
    }
    Arc::new(all)
}

/// True if `symbols` are characters of the built-in platformer tiles, and the characters of air and ground are among them.
pub(super) fn is_platformer(symbols: &BTreeSet<char>) -> bool {
    let platformer = TileSet::platformer();
    let mut all = symbols.iter();
    all.all(|&symbol| platformer.tile(symbol).is_some())
        && symbols.contains(&'-')
        && symbols.contains(&'X')
}

/// Returns the error that two legends, that of the set `place` and an earlier one, give different meanings to the character `symbol`.
fn disagreement(symbol: char, sets: &[SourcedSet<'_>], place: usize) -> LevelError {
    let named = |set: &SourcedSet<'_>| {
        let words = set.set.tile(symbol).map(|tile| set.set.description(tile));
        let source = set.source.as_ref();
        let source = source.map_or("the platformer that figrs knows".to_owned(), |path| {
            path.display().to_string()
        });
        (source, words.unwrap_or_default())
    };
    let own = sets[place].set.tile(symbol);
    let other = sets[..place]
        .iter()
        .find(|set| set.symbols.contains(&symbol) && set.set.tile(symbol) != own);
    let (first, words) = named(other.unwrap_or(&sets[0]));
    let (second, others) = named(&sets[place]);
    let problem = format!("{symbol:?} is \"{words}\" in {first} and \"{others}\" in {second}");
    let remedy = "train on the folders one by one, write another character in the levels of one, or give one legend for all";
    Mistake::new(MistakeKind::Contradiction, problem, remedy).into()
}
