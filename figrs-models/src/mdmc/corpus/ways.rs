//! Finds training levels that repeat another level and only add the drawn path of a player.

use std::collections::{BTreeMap, BTreeSet};

use super::level_files::LevelFile;

/// Maximum number of levels of one size that are compared with each other.
const MOST_OF_ONE_SIZE: usize = 512;

/// Returns the characters that draw paths of players, each with the indices of the levels in which it draws a path. A level with a drawn path equals
/// another training level except for at least two cells and at most half of all cells, which have one character that occurs only in such copies.
///
/// **Cost.** The comparison of two levels of one size ends at the second character that could draw the path.
pub(super) fn drawn_ways(files: &[LevelFile]) -> BTreeMap<char, Vec<usize>> {
    let texts = files.iter().map(|file| {
        let text = file.text.trim_start_matches('\u{feff}');
        let rows = text.trim_end_matches(['\n', '\r']).lines();
        rows.map(|row| row.chars().collect()).collect()
    });
    let texts: Vec<Vec<Vec<char>>> = texts.collect();
    let mut sizes: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (place, rows) in texts.iter().enumerate() {
        let width = rows.first().map_or(0, Vec::len);
        sizes.entry((rows.len(), width)).or_default().push(place);
    }
    let mut pairs: Vec<(char, usize, usize)> = Vec::new();
    for places in sizes.values().filter(|of| of.len() <= MOST_OF_ONE_SIZE) {
        for &copy in places {
            let mut others = places.iter().filter(|&&other| other != copy);
            let pair =
                others.find_map(|&other| Some((added(&texts[copy], &texts[other])?, copy, other)));
            pairs.extend(pair);
        }
    }
    // If two levels repeat each other, neither is known to be the original.
    let copies: BTreeSet<usize> = pairs.iter().map(|(_, copy, _)| *copy).collect();
    let mut drawn: BTreeMap<char, Vec<usize>> = BTreeMap::new();
    for (way, copy, other) in pairs {
        if !copies.contains(&other) {
            drawn.entry(way).or_default().push(copy);
        }
    }
    for (place, rows) in texts.iter().enumerate() {
        let symbols: BTreeSet<&char> = rows.iter().flatten().collect();
        drawn.retain(|way, copies| !symbols.contains(way) || copies.contains(&place));
    }
    drawn
}

/// If the level `copy` differs from `other` only by one character, returns this character. The character that draws the path must replace at least
/// two cells and at most half of all cells, and must not occur in `other`.
fn added(copy: &[Vec<char>], other: &[Vec<char>]) -> Option<char> {
    let mut found = None;
    let mut cells = 0;
    let pairs = copy.iter().flatten().zip(other.iter().flatten());
    for (&symbol, _) in pairs.filter(|(symbol, before)| symbol != before) {
        if *found.get_or_insert(symbol) != symbol {
            return None;
        }
        cells += 1;
    }
    let size = other.iter().flatten().count();
    found.filter(|way| {
        cells > 1 && cells * 2 <= size && !other.iter().flatten().any(|symbol| symbol == way)
    })
}
