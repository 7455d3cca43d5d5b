//! Meanings of tiles: properties that affect the moves of a player.

use std::fmt;

/// A meaning of a tile: a property that affects where a player can be, or how hard a level is for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Meaning {
    /// A player cannot enter the tile, but can stand upon it.
    Solid,
    /// A player can enter the tile, and can stand upon it.
    SolidTop,
    /// A player can enter the tile.
    Passable,
    /// The tile hurts a player who enters it or stands upon it.
    Hazard,
    /// The tile is a creature that hurts a player.
    Enemy,
    /// A player can climb the tile up and down, as a ladder.
    Climb,
    /// A player can hold on to the tile and move along it, as a rope.
    Hang,
    /// The tile is the cell where a player starts.
    Start,
    /// The tile is the cell that a player must reach.
    Exit,
    /// A player can open the tile and then enter it.
    Door,
    /// A player can pick up the thing that the tile shows.
    Collectable,
    /// The tile is solid until a player beside or above the tile digs it away.
    Diggable,
    /// The tile gives a reward to a player who strikes it.
    Reward,
    /// The tile shoots things that hurt a player, as a cannon does.
    Shooter,
    /// The cell with the tile is not part of the level. Models are not trained on cells outside the level, never draw this tile, and treat its cells
    /// as [`Tile::BORDER`](super::tile::Tile::BORDER).
    Outside,
}

/// Each meaning of tiles with the words that stand for it in legends; the first word is the name of the meaning.
const WORDS: [(Meaning, &[&str]); 15] = [
    (Meaning::Solid, &["solid"]),
    (Meaning::SolidTop, &["solidtop", "solid top"]),
    (Meaning::Passable, &["passable", "walkable"]),
    (Meaning::Hazard, &["hazard", "damaging"]),
    (Meaning::Enemy, &["enemy"]),
    (Meaning::Climb, &["climb", "climbable", "ladder"]),
    (Meaning::Hang, &["hang", "rope"]),
    (Meaning::Start, &["start", "spawn"]),
    (Meaning::Exit, &["exit", "goal"]),
    (Meaning::Door, &["door", "openable"]),
    (
        Meaning::Collectable,
        &["collectable", "collectible", "pickupable"],
    ),
    (Meaning::Diggable, &["diggable"]),
    (Meaning::Reward, &["reward", "full question block"]),
    (Meaning::Shooter, &["shooter", "cannon top"]),
    (Meaning::Outside, &["outside"]),
];

impl Meaning {
    /// Returns the meaning of tiles for which the lower-case word `word` of a legend stands; `None` for any other word.
    pub fn of_word(word: &str) -> Option<Self> {
        let named = WORDS.iter().find(|(_, words)| words.contains(&word));
        named.map(|&(meaning, _)| meaning)
    }

    /// Number of possible sets of meanings: each meaning may be in a set or not.
    pub const SETS: usize = 1 << WORDS.len();

    /// Returns all meanings.
    pub fn all() -> impl Iterator<Item = Self> {
        WORDS.iter().map(|&(meaning, _)| meaning)
    }

    /// Returns the name of the meaning that is used in legends.
    pub fn name(self) -> &'static str {
        let named = WORDS.iter().find(|&&(meaning, _)| meaning == self);
        named.map_or("", |(_, words)| words[0])
    }
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Meanings(u16);

impl Meanings {
    pub(super) const fn of(meanings: &[Meaning]) -> Self {
        let (mut bits, mut next) = (0, 0);
        while next < meanings.len() {
            bits |= 1 << meanings[next] as u16;
            next += 1;
        }
        Self(bits)
    }

    /// Returns the meanings of tiles for which the words `words` of a legend stand. A tile with the meaning of a rope does not have the meaning
    /// `climb`, even if its words include one that stands for climbing.
    pub(super) fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let named = words.into_iter().filter_map(Meaning::of_word);
        let mut all = named.fold(Self::default(), |Self(bits), meaning| {
            Self(bits | 1 << meaning as u16)
        });
        if all.contains(Meaning::Hang) {
            all.0 &= !(1 << Meaning::Climb as u16);
        }
        all
    }

    pub(super) const fn contains(self, meaning: Meaning) -> bool {
        self.0 >> meaning as u16 & 1 == 1
    }

    pub(super) const fn of_bits(bits: u16) -> Self {
        Self(bits)
    }

    pub(super) const fn bits(self) -> u16 {
        self.0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_a_word_for_its_meaning() {
        for meaning in Meaning::all() {
            assert_eq!(Meaning::of_word(meaning.name()), Some(meaning));
            assert!(Meanings::of(&[meaning]).contains(meaning));
        }
        assert_eq!(Meaning::of_word("question block"), None);
        assert_eq!(Meaning::Climb.to_string(), "climb");
    }

    #[test]
    fn a_rope_is_held_and_not_climbed() {
        let rope = Meanings::of_words(["passable", "climbable", "rope"]);
        assert!(rope.contains(Meaning::Hang) && !rope.contains(Meaning::Climb));
        assert!(Meanings::of_words(["climbable", "ladder"]).contains(Meaning::Climb));
        assert!(Meanings::of_words(["grass"]).is_empty());
    }
}
