//! Reads movements (the rules of a player's moves) from files in TOML or JSON.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value as Json};

use super::movement::{Bottom, CellOffsets, Goal, Harm, Movement, Side, Start};
use super::movement_error::MovementError;
use crate::text_error::{json_error, toml_error};
use figrs_models::mdmc::Meaning;
use figrs_reading::{FileError, MOST_BYTES, Mistake, MistakeKind, read_limited};

/// The fields of a movement file; the built-in movement that `like` names supplies the missing fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a movement")]
struct MovementFile {
    name: Option<String>,
    like: Option<BuiltIn>,
    gravity: Option<bool>,
    steps: Option<Vec<WrittenOffset>>,
    falls: Option<Vec<WrittenOffset>>,
    jumps: Option<Vec<WrittenArc>>,
    ladders: Option<bool>,
    drop: Option<bool>,
    dig: Option<bool>,
    doors: Option<Walls>,
    wrap: Option<bool>,
    bottom: Option<BottomWord>,
    solid: Option<Vec<char>>,
    open: Option<Vec<Word>>,
    enemies: Option<HarmWord>,
    hazards: Option<HarmWord>,
    start: Option<StartEntry>,
    goal: Option<GoalEntry>,
    /// A legend of tiles, which a movement file may contain and which the reader of movements ignores.
    #[serde(rename = "tiles")]
    _tiles: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct BuiltIn(Movement);

impl TryFrom<String> for BuiltIn {
    type Error = MovementError;

    fn try_from(name: String) -> Result<Self, MovementError> {
        Movement::named(&name).map(Self)
    }
}

/// A step in a movement file: a number of columns to the right and a number of rows down; at least one of them is not 0.
#[derive(Deserialize)]
#[serde(try_from = "(i64, i64)")]
struct WrittenOffset((i8, i8));

/// Largest distance, in rows and in columns, between a cell of a move and the first cell of the move.
const FURTHEST: i64 = 60;

fn offset((dx, dy): (i64, i64)) -> Result<(i8, i8), String> {
    let near = -FURTHEST..=FURTHEST;
    if near.contains(&dx) && near.contains(&dy) {
        return Ok((dx as i8, dy as i8));
    }
    Err(format!(
        "the cell [{dx}, {dy}] is too far; use -{FURTHEST} to {FURTHEST} columns and rows"
    ))
}

impl TryFrom<(i64, i64)> for WrittenOffset {
    type Error = String;

    fn try_from(cell: (i64, i64)) -> Result<Self, String> {
        if cell == (0, 0) {
            return Err("the move [0, 0] goes nowhere; leave it out".to_owned());
        }
        offset(cell).map(Self)
    }
}

/// The list of the cells of a jump in a movement file.
#[derive(Deserialize)]
#[serde(try_from = "Vec<(i64, i64)>")]
struct WrittenArc(CellOffsets);

impl TryFrom<Vec<(i64, i64)>> for WrittenArc {
    type Error = String;

    fn try_from(cells: Vec<(i64, i64)>) -> Result<Self, String> {
        if cells.is_empty() {
            return Err(
                "a jump has no cells; list the cells that it passes after take-off".to_owned(),
            );
        }
        let cells = cells.into_iter().map(offset);
        cells.collect::<Result<_, _>>().map(Self)
    }
}

#[derive(Deserialize)]
#[serde(try_from = "i64")]
struct Walls(u8);

impl TryFrom<i64> for Walls {
    type Error = String;

    fn try_from(walls: i64) -> Result<Self, String> {
        match u8::try_from(walls) {
            Ok(walls) if walls <= 16 => Ok(Self(walls)),
            _ => Err(format!(
                "doors cannot have {walls} cells of wall between them; use 0 (no doors) to 16"
            )),
        }
    }
}

fn value_of<T: Clone>(word: &str, what: &str, known: &[(&str, T)]) -> Result<T, String> {
    let named = known.iter().find(|(name, _)| *name == word);
    named.map(|(_, value)| value.clone()).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
        format!("{word:?} is not a known {what}; use {}", names.join(", "))
    })
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Word(Meaning);

impl TryFrom<String> for Word {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Meaning::of_word(&word.to_lowercase())
            .map(Self)
            .ok_or_else(|| {
                let names: Vec<&str> = Meaning::all().map(Meaning::name).collect();
                format!(
                    "{word:?} is not a meaning of tiles; use {}",
                    names.join(", ")
                )
            })
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct BottomWord(Bottom);

impl TryFrom<String> for BottomWord {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        let known = [("lost", Bottom::Lost), ("floor", Bottom::Floor)];
        value_of(&word, "bottom", &known).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct HarmWord(Harm);

impl TryFrom<String> for HarmWord {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        let known = [
            ("ignored", Harm::Ignored),
            ("blocked", Harm::Blocked),
            ("jumped", Harm::Jumped),
        ];
        value_of(&word, "treatment of harmful tiles", &known).map(Self)
    }
}

/// The start of a player in a movement file: a word, a row and a column, or tiles.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "write \"ground\", an edge such as \"left\", a row and a column such as [2, 2], or tiles as { any = [\"start\"] }"
)]
enum StartForm {
    Word(String),
    Cell((u16, u16)),
    Any {
        #[serde(alias = "tiles")]
        any: Words,
    },
}

#[derive(Deserialize)]
#[serde(try_from = "StartForm")]
struct StartEntry(Start);

impl TryFrom<StartForm> for StartEntry {
    type Error = String;

    fn try_from(form: StartForm) -> Result<Self, String> {
        Ok(Self(match form {
            StartForm::Cell((row, column)) => Start::Cell(row.into(), column.into()),
            StartForm::Any { any } => Start::Tiles(any.meanings()?),
            StartForm::Word(word) if word == "ground" => Start::Ground,
            StartForm::Word(word) => {
                let side = value_of(&word, "start", &Side::ALL);
                Start::Edge(side.map_err(|message| {
                    format!("{message}, ground, or tiles as {{ any = [\"start\"] }}")
                })?)
            }
        }))
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "write an edge such as \"right\", tiles as { any = [\"exit\"] } or { all = [\"collectable\"] }, or { edge = \"top\", or = [\"door\"], within = 16 }"
)]
enum GoalForm {
    Word(String),
    Any {
        #[serde(alias = "tiles")]
        any: Words,
    },
    All {
        all: Words,
    },
    EdgeOr {
        edge: String,
        or: Words,
        within: i64,
    },
}

#[derive(Deserialize)]
#[serde(try_from = "GoalForm")]
struct GoalEntry(Goal);

impl TryFrom<GoalForm> for GoalEntry {
    type Error = String;

    fn try_from(form: GoalForm) -> Result<Self, String> {
        Ok(Self(match form {
            GoalForm::Word(word) => {
                let side = value_of(&word, "goal", &Side::ALL);
                Goal::Edge(
                    side.map_err(|message| {
                        format!("{message}, or tiles as {{ any = [\"exit\"] }}")
                    })?,
                )
            }
            GoalForm::Any { any } => Goal::Any(any.meanings()?),
            GoalForm::All { all } => Goal::All(all.meanings()?),
            GoalForm::EdgeOr { edge, or, within } => Goal::EdgeOr {
                edge: value_of(&edge, "edge", &Side::ALL)?,
                or: or.meanings()?,
                within: u8::try_from(within)
                    .ok()
                    .filter(|&within| within > 0)
                    .ok_or_else(|| format!("within = {within}; use 1 to 255"))?,
            },
        }))
    }
}

/// One meaning of tiles, or a list of meanings, in a movement file. Words for meanings are converted to meanings only after deserialisation, because
/// an untagged enum's error message would not name the wrong word.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Some(Vec<String>),
}

impl Words {
    fn meanings(self) -> Result<Vec<Meaning>, String> {
        let words = match self {
            Self::One(word) => vec![word],
            Self::Some(words) if words.is_empty() => {
                return Err("no meaning of tiles; name one such as \"exit\"".to_owned());
            }
            Self::Some(words) => words,
        };
        let meanings = words.into_iter().map(Word::try_from);
        meanings.map(|word| Ok(word?.0)).collect()
    }
}

impl MovementFile {
    fn from_toml(text: &str, place: &str) -> Result<Self, FileError> {
        toml::from_str(text).map_err(|error| {
            let key = toml::from_str(text).ok().and_then(Self::wrong_key);
            let remedy = "write lines such as jumps = [[[0, -1], [1, -2]]] and start = \"ground\"";
            toml_error(place, (text, &error), &subject(key), remedy)
        })
    }

    fn from_json(text: &str, place: &str) -> Result<Self, FileError> {
        serde_json::from_str(text).map_err(|error| {
            let key = serde_json::from_str(text).ok().and_then(Self::wrong_key);
            let remedy = "write {\"jumps\": [[[0, -1], [1, -2]]], \"start\": \"ground\", ..}";
            json_error(place, (text, &error), &subject(key), remedy)
        })
    }

    /// Returns the first key of the movement file whose value is invalid by itself, whatever the other values are.
    fn wrong_key(fields: Map<String, Json>) -> Option<String> {
        let mut fields = fields.into_iter();
        let wrong = fields.find(|(key, value)| {
            let field = Map::from_iter([(key.clone(), value.clone())]);
            Self::deserialize(Json::Object(field)).is_err()
        });
        wrong.map(|(key, _)| key)
    }
}

/// Returns the first words of the error message for a text that does not define a movement; `key` is the key of the invalid value.
fn subject(key: Option<String>) -> String {
    let key = key.map_or_else(String::new, |key| format!(": {key}"));
    format!("not a movement{key}")
}

impl From<MovementFile> for Movement {
    fn from(file: MovementFile) -> Self {
        fn set<T, U>(place: &mut T, value: Option<U>, inner: impl Fn(U) -> T) {
            if let Some(value) = value {
                *place = inner(value);
            }
        }
        let offsets =
            |list: Vec<WrittenOffset>| list.into_iter().map(|WrittenOffset(cell)| cell).collect();
        let mut all = file
            .like
            .map_or_else(Self::platformer, |BuiltIn(like)| like);
        set(&mut all.gravity, file.gravity, |value| value);
        set(&mut all.steps, file.steps, offsets);
        set(&mut all.falls, file.falls, offsets);
        set(&mut all.jumps, file.jumps, |arcs| {
            arcs.into_iter().map(|WrittenArc(cells)| cells).collect()
        });
        set(&mut all.ladders, file.ladders, |value| value);
        set(&mut all.drop, file.drop, |value| value);
        set(&mut all.dig, file.dig, |value| value);
        set(&mut all.doors, file.doors, |Walls(walls)| walls);
        set(&mut all.wrap, file.wrap, |value| value);
        set(&mut all.bottom, file.bottom, |BottomWord(value)| value);
        set(&mut all.solid, file.solid, |all| {
            Some(all.into_iter().collect())
        });
        set(&mut all.open, file.open, |words| {
            words.into_iter().map(|Word(meaning)| meaning).collect()
        });
        set(&mut all.enemies, file.enemies, |HarmWord(harm)| harm);
        set(&mut all.hazards, file.hazards, |HarmWord(harm)| harm);
        set(&mut all.start, file.start, |StartEntry(start)| start);
        set(&mut all.goal, file.goal, |GoalEntry(goal)| goal);
        all.name = file.name.unwrap_or_else(|| "from a file".to_owned());
        all
    }
}

impl Movement {
    /// Reads a movement (the rules of a player's moves) in TOML. All fields of a movement file are optional; missing values are those of the built-in
    /// movement that `like` names, or of `platformer`:
    ///
    /// | field | value |
    /// |---|---|
    /// | `name` | a name |
    /// | `like` | a movement that is [built in](Self::named) |
    /// | `gravity`, `ladders`, `drop`, `dig`, `wrap` | `true` or `false` |
    /// | `steps`, `falls` | moves, each as `[columns to the right, rows down]` |
    /// | `jumps` | jumps, each as the list of passed cells, counted from the take-off |
    /// | `doors` | largest number of wall cells between two doors, 0 for no doors |
    /// | `bottom` | `"lost"` or `"floor"` |
    /// | `solid` | characters of solid tiles, instead of the meanings of the set |
    /// | `open` | meanings of tiles that a player enters although they are solid |
    /// | `enemies`, `hazards` | `"ignored"`, `"blocked"` or `"jumped"` |
    /// | `start` | `{ any = ["start"] }`, `[row, column]`, `"ground"`, or an edge |
    /// | `goal` | `{ any = ["exit"] }`, `{ all = ["collectable"] }`, an edge, or `{ edge = "top", or = ["door"], within = 16 }` |
    /// | `tiles` | ignored, so that a legend may stand in the same file |
    ///
    /// In a movement file, an edge is written as `"left"`, `"right"`, `"top"` or `"bottom"`. In a movement file, a single meaning needs no brackets,
    /// and the key `tiles` means the same as `any`. The documentation of [`Movement`] explains the fields.
    ///
    /// **Errors.** [`MovementError::File`] if the text is not a movement in TOML; the error gives the line, the column and the key.
    ///
    /// ```
    /// use figrs_models::mdmc::{Level, TileSet, Travel};
    /// use figrs_design::{Movement, Playability};
    ///
    /// let hopper = Movement::from_toml(
    ///     "name = 'hopper'\njumps = [[[0, -1], [1, -1], [2, -1]]]\nfalls = [[0, 1]]\nstart = 'ground'\nenemies = 'jumped'",
    /// )?;
    /// let tiles = TileSet::platformer();
    /// let rules = hopper.rules(tiles, Travel::Right)?;
    /// let open = Level::from_text("open", "------\n------\n--E---\nXXXXXX", tiles)?;
    /// let low = Level::from_text("low", "SSSSSS\nSSSSSS\n--E---\nXXXXXX", tiles)?;
    /// assert!(Playability::under(&open, &rules).playable());
    /// assert!(!Playability::under(&low, &rules).playable());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, MovementError> {
        Ok(MovementFile::from_toml(text, "movement")?.into())
    }

    /// Reads a movement (the rules of a player's moves) in JSON: an object with the fields of [`from_toml`](Self::from_toml).
    ///
    /// The jump files of the Video Game Level Corpus have this form: `{"jumps": [..], "solid": [..]}`.
    ///
    /// **Errors.** [`MovementError::File`] if the text is not a movement in JSON; the error gives the line, the column and the key.
    pub fn from_json(text: &str) -> Result<Self, MovementError> {
        Ok(MovementFile::from_json(text, "movement")?.into())
    }

    /// Reads a movement from a file: in JSON if the file name ends in `.json`, else in TOML. A movement that has no name in the file gets the name of
    /// the file.
    ///
    /// **Errors.** [`MovementError::File`] if the file cannot be read or is not in UTF-8; also the errors of [`from_toml`](Self::from_toml) and
    /// [`from_json`](Self::from_json).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, MovementError> {
        let path = path.as_ref();
        let place = path.display().to_string();
        let bytes = read_limited(path, MOST_BYTES).map_err(|cause| {
            let mut error = FileError::unreadable(path, &cause);
            error.mistake.remedy =
                format!("check the path, or use one of {}", Self::NAMES.join(", "));
            error
        })?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let problem = "the file is not text in UTF-8";
            Mistake::new(MistakeKind::Encoding, problem, "save it as UTF-8").of(&*place)
        })?;
        let is_json = path
            .extension()
            .is_some_and(|extension| extension == "json");
        let file = if is_json {
            MovementFile::from_json(&text, &place)?
        } else {
            MovementFile::from_toml(&text, &place)?
        };
        let is_named = file.name.is_some();
        let mut movement = Self::from(file);
        if let (false, Some(stem)) = (is_named, path.file_stem()) {
            movement.name = stem.to_string_lossy().into_owned();
        }
        Ok(movement)
    }
}
