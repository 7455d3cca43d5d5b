//! Reads the words of a design file that name classes of tiles and patterns.

use figrs_reading::{FileError, Mistake, MistakeKind};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::keys::Entry;
use super::numbers::{POSITIONS, positions};
use crate::{Area, DemandError, Mask, Pattern};
use figrs_models::mdmc::{Corpus, Meaning, TileClass, TileSet};

pub(super) struct Words<'a> {
    tiles: &'a TileSet,
    corpus: Option<&'a Corpus>,
    classes: FxHashMap<char, TileClass>,
    patterns: IndexMap<String, Pattern>,
    free: char,
}

impl<'a> Words<'a> {
    pub(super) fn new(
        tiles: &'a TileSet,
        corpus: Option<&'a Corpus>,
        legend: &IndexMap<String, Value>,
        patterns: &IndexMap<String, Value>,
    ) -> Result<Self, FileError> {
        let mut words = Self {
            tiles,
            corpus,
            classes: FxHashMap::default(),
            patterns: IndexMap::new(),
            free: Mask::free_symbol(tiles),
        };
        for (key, value) in legend {
            let error = |why| {
                let remedy =
                    "name each class by one character that is no tile, as \"#\" = \"solid\"";
                Mistake::new(MistakeKind::Value, format!("{key:?} {why}"), remedy).of("[legend]")
            };
            let mut symbols = key.chars();
            let (Some(symbol), None) = (symbols.next(), symbols.next()) else {
                return Err(error("is not one character"));
            };
            if tiles.tile(symbol).is_some() {
                return Err(error("is a tile"));
            }
            if symbol == words.free {
                return Err(error("means any tile"));
            }
            let place = format!("[legend] {key:?}");
            let class = words.class(&place, value)?;
            words.classes.insert(symbol, class);
        }
        for (name, value) in patterns {
            let place = format!("[patterns] {name}");
            let forms = match value {
                Value::Array(forms) => forms.iter().collect(),
                one => vec![one],
            };
            let unfit = |error: DemandError| error.into_mistake().of(&*place);
            let entry = Entry::new("[patterns]".to_owned(), Map::new());
            let forms = forms.into_iter().map(|form| match form {
                Value::String(text) => words.drawn(text).map_err(unfit),
                Value::Object(_) => words.cut(&entry, name, form),
                other => Err(entry.wrong(
                    name,
                    other,
                    "a drawing, or { level = \"NAME\", columns = \"30..34\" }",
                )),
            });
            let forms = forms.collect::<Result<Vec<_>, _>>()?;
            let pattern = Pattern::any_of(&forms).map_err(unfit)?;
            words.patterns.insert(name.clone(), pattern.named(name));
        }
        Ok(words)
    }

    pub(super) fn tiles(&self) -> &'a TileSet {
        self.tiles
    }

    pub(super) fn class(&self, place: &str, value: &Value) -> Result<TileClass, FileError> {
        let unknown = |word: &str| unknown_word(word, &self.known()).of(place);
        match value {
            Value::String(text) => self.word(text).ok_or_else(|| unknown(text)),
            Value::Array(words) => {
                let mut all = TileClass::of([]);
                for word in words {
                    all = all.or(&self.class(place, word)?, self.tiles);
                }
                Ok(all)
            }
            other => Err(unknown(&other.to_string())),
        }
    }

    /// Returns the class of tiles that a word of a design file names: a tile, a meaning, a word of the tiles' legend, or, after `not`, all tiles
    /// outside such a class.
    fn word(&self, text: &str) -> Option<TileClass> {
        // A blank may be a tile.
        let mut symbols = text.chars();
        if let (Some(symbol), None) = (symbols.next(), symbols.next()) {
            let tile = self.tiles.tile(symbol).map(TileClass::from);
            return tile.or_else(|| self.classes.get(&symbol).cloned());
        }
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("not ") {
            return Some(self.word(rest.trim_start())?.complement());
        }
        if text == "any" {
            return Some(TileClass::any());
        }
        let lower = text.to_lowercase();
        let meant = Meaning::of_word(&lower).map(|meaning| TileClass::meaning(self.tiles, meaning));
        let called = || {
            let is_called =
                |words: &[String]| words.iter().any(|word| word.to_lowercase() == lower);
            let tiles = self.tiles.tiles();
            TileClass::of(tiles.filter(|&tile| is_called(self.tiles.words(tile))))
        };
        let class = meant.unwrap_or_else(called);
        (class != TileClass::of([])).then_some(class)
    }

    fn known(&self) -> String {
        let tiles = self
            .tiles
            .tiles()
            .filter_map(figrs_models::mdmc::tiles::tile::Tile::symbol);
        let mut known: Vec<String> = tiles.map(|symbol| format!("{symbol:?}")).collect();
        let has = |meaning: &Meaning| self.tiles.tiles().any(|tile| tile.is(*meaning));
        known.extend(
            Meaning::all()
                .filter(has)
                .map(|meaning| meaning.to_string()),
        );
        known.push("any".to_owned());
        known.join(", ")
    }

    pub(super) fn drawn(&self, text: &str) -> Result<Pattern, DemandError> {
        Pattern::drawn(text, |symbol| {
            if symbol == self.free {
                return Some(TileClass::any());
            }
            let tile = self.tiles.tile(symbol).map(TileClass::from);
            tile.or_else(|| self.classes.get(&symbol).cloned())
        })
    }

    /// Cuts columns and rows out of a training level, stated in the file as { level = "NAME", columns = "30..34" }.
    pub(super) fn cut(
        &self,
        entry: &Entry,
        key: &str,
        value: &Value,
    ) -> Result<Pattern, FileError> {
        const NAME: &str = "the name of a training level, or a pattern as \"*-1\"";
        let inner = entry.inner(key, value)?;
        inner.check_keys("a part of a training level", &["level", "rows", "columns"])?;
        let name = inner.need("a part of a training level", "level")?;
        let wrong = || inner.wrong("level", name, NAME);
        let text = name.as_str().ok_or_else(wrong)?;
        let matching = glob::Pattern::new(text).map_err(|_| wrong())?;
        let corpus = self.corpus.into_iter();
        let levels = corpus.flat_map(|corpus| {
            let travel = corpus.travel();
            let levels = corpus.names().iter().zip(corpus.levels());
            levels.map(move |(name, level)| (name, level, travel))
        });
        let named: Vec<_> = levels.clone().filter(|(name, ..)| *name == text).collect();
        let found = match named.is_empty() {
            true => levels.filter(|(name, ..)| matching.matches(name)).collect(),
            false => named,
        };
        let [(_, level, travel)] = found[..] else {
            let all = self.corpus.map_or(&[][..], Corpus::names).iter();
            let known: Vec<&str> = match found.is_empty() {
                true => all.map(String::as_str).collect(),
                false => found.iter().map(|(name, ..)| name.as_str()).collect(),
            };
            return Err(not_one_level(text, &known.join(", "), found.len()).of(inner.place()));
        };
        let level = travel.upright(level);
        let (height, width) = (level.height(), level.width());
        let rows = inner.read("rows", POSITIONS, |value| positions(value, height))?;
        let columns = inner.read("columns", POSITIONS, |value| positions(value, width))?;
        let area = Area::all().rows(rows.unwrap_or(0..height));
        let area = area.columns(columns.unwrap_or(0..width));
        let within = area.within((height, width));
        let (rows, columns) = within.map_err(|error| inner.unfit(error))?;
        let cells = level.as_array().slice(ndarray::s![rows, columns]);
        let classes = cells.map(|&tile| TileClass::from(tile));
        Pattern::new(classes).map_err(|error| inner.unfit(error))
    }

    /// Returns the pattern that `value` states: by the name of a pattern, by a class of tiles, by a drawing, or as a part of a training level.
    pub(super) fn pattern(
        &self,
        entry: &Entry,
        key: &str,
        value: &Value,
    ) -> Result<Pattern, FileError> {
        let place = || format!("{}, {key}", entry.place());
        let error = |error: DemandError| error.into_mistake().of(place());
        if value.is_object() {
            return self.cut(entry, key, value);
        }
        let Some(text) = value.as_str() else {
            let cell = Pattern::cell(self.class(&place(), value)?).map_err(error)?;
            return Ok(cell.named(&list_of(value)));
        };
        if let Some(pattern) = self.patterns.get(text) {
            return Ok(pattern.clone());
        }
        if let Some(class) = self.word(text) {
            let cell = Pattern::cell(class).map_err(error)?;
            return Ok(cell.named(text));
        }
        self.drawn(text).map_err(|found| {
            let is_word = !text.contains('\n')
                && text
                    .chars()
                    .all(|c| c.is_alphanumeric() || " -_".contains(c));
            if is_word && text.chars().count() > 1 {
                let patterns = self.patterns.keys().map(|name| format!("{name:?}"));
                let patterns: Vec<String> = patterns.collect();
                let known = [patterns.join(", "), self.known()];
                let known: Vec<&str> = known
                    .iter()
                    .map(String::as_str)
                    .filter(|part| !part.is_empty())
                    .collect();
                return unknown_word(text, &known.join(", ")).of(place());
            }
            error(found)
        })
    }
}

fn unknown_word(word: &str, known: &str) -> Mistake {
    Mistake::new(
        MistakeKind::Unknown,
        format!("{word:?} is neither a tile nor a class"),
        format!("write one of {known}, with \"not\" before it for all others"),
    )
}

/// Returns the error for a name or glob pattern that does not match exactly one training level. The error lists the training levels that match or, if
/// none matches, all training levels.
fn not_one_level(level: &str, known: &str, matching: usize) -> Mistake {
    let kind = MistakeKind::Unknown;
    let none = format!("no training level matches {level:?}");
    match matching {
        0 if known.is_empty() => {
            let problem = format!("{none}: no training levels were given");
            Mistake::new(kind, problem, "draw the tiles instead")
        }
        0 => Mistake::new(kind, none, format!("name one of {known}")),
        _ => {
            let problem = format!("{matching} training levels match {level:?}: {known}");
            Mistake::new(kind, problem, "name one of them")
        }
    }
}

fn list_of(value: &Value) -> String {
    let words = value.as_array().into_iter().flatten();
    let words: Vec<&str> = words.filter_map(Value::as_str).collect();
    words.join(" or ")
}
