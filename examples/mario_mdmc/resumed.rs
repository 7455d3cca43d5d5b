//! Sets of numbered level files that can be continued after an interruption.
//!
//! A set of level files also has a file of settings, and a journal with a line for each written level: its number, the size of its file and its
//! checksum.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use figrs_command::{Failure, in_file, read_text, replace_text};
use serde_json::{Map, Value};

use crate::generator::Trained;
use crate::options::Options;

/// The journal of a set of level files that is being written.
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Begins or continues a set of level files; returns its journal, and the numbers of the levels whose files are unchanged. The settings are
    /// written to the file `record` before the first level is written.
    ///
    /// Continuing a set of level files with other settings is an error.
    pub(crate) fn open(
        options: &Options,
        trained: &Trained,
        record: &Path,
        file: impl Fn(u64) -> PathBuf,
    ) -> Result<(Self, BTreeSet<u64>), Failure> {
        let mine = settings(options, trained)?;
        let path = beside(record);
        if is_there(record) {
            check(record, &mine)?;
        } else {
            // The journal of another set at this path is emptied.
            replace_text(&path, "")?;
            replace_text(record, &format!("{:#}\n", Value::Object(mine)))?;
        }
        let cannot = |error: io::Error| in_file(&path, error);
        let text = if is_there(&path) {
            read_text(&path)?
        } else {
            String::new()
        };
        let (written, good) = levels(&text);
        let journal = File::options().append(true).create(true).open(&path);
        let journal = journal.map_err(cannot)?;
        // A line that was cut short when the set was stopped is dropped.
        journal.set_len(good as u64).map_err(cannot)?;
        let is_whole = |(number, print): &(&u64, &Fingerprint)| {
            **number < options.question.levels && is_file_of(&file(**number), **print)
        };
        let kept = written.iter().filter(is_whole);
        let kept = kept.map(|(number, _)| *number).collect();
        Ok((
            Self {
                path,
                file: journal,
            },
            kept,
        ))
    }

    /// Records in the journal that a level is written.
    pub(crate) fn add(&mut self, number: u64, print: Fingerprint) -> Result<(), Failure> {
        let line = format!("{number} {} {print}\n", print.bytes);
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|error| in_file(&self.path, error))
    }
}

/// Returns the path of the journal: `.levels-set.journal` beside `levels-set.json`.
fn beside(record: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(record.file_stem().unwrap_or_default());
    name.push(".journal");
    record.with_file_name(name)
}

fn is_there(path: &Path) -> bool {
    !matches!(fs::exists(path), Ok(false))
}

/// Returns an error if a set of level files was begun with other settings.
fn check(record: &Path, mine: &Map<String, Value>) -> Result<(), Failure> {
    let text = read_text(record)?;
    let record = record.display();
    let begun: Map<String, Value> = serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("{record}:{line}:{column}: the file does not contain the settings of a set; remove it and the levels of the set to begin again")
    })?;
    let other = mine
        .iter()
        .find(|(name, value)| begun.get(*name) != Some(*value));
    let Some((name, value)) = other else {
        return Ok(());
    };
    let was = begun.get(name).map_or("nothing".into(), Value::to_string);
    Err(format!(
        "{record}: the set was begun with {name} {was}, not {value}; give the same settings, or another --out"
    )
    .into())
}

/// Returns the levels in a journal, and the number of bytes of its complete lines.
fn levels(text: &str) -> (BTreeMap<u64, Fingerprint>, usize) {
    let (mut written, mut good) = (BTreeMap::new(), 0);
    for line in text.split_inclusive('\n') {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [number, bytes, hash] = words[..] else {
            break;
        };
        let hash = u64::from_str_radix(hash, 16);
        let (Ok(number), Ok(bytes), Ok(hash)) = (number.parse(), bytes.parse(), hash) else {
            break;
        };
        if !line.ends_with('\n') {
            break;
        }
        written.insert(number, Fingerprint { bytes, hash });
        good += line.len();
    }
    (written, good)
}

/// True if a file has the given checksum.
fn is_file_of(path: &Path, print: Fingerprint) -> bool {
    let is_as_long =
        fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == print.bytes);
    is_as_long && fs::read(path).is_ok_and(|bytes| Fingerprint::of(&bytes) == print)
}

/// Returns all settings on which the level files of the set depend, except the number of levels.
fn settings(options: &Options, trained: &Trained) -> Result<Map<String, Value>, Failure> {
    let settings = trained.settings().into_iter();
    let fingerprint = |text: &str| Fingerprint::of(text.as_bytes()).to_string();
    let mut pictures = Vec::new();
    if let Some(sheet) = &trained.sheet {
        sheet.write_tileset(&mut pictures)?;
    }
    let styles = options.question.style.iter();
    let styles = styles.map(|(style, pattern)| format!("{style}={pattern}"));
    let others = [
        ("seed", Value::from(trained.seed)),
        ("width", trained.size().1.into()),
        ("height", trained.size().0.into()),
        ("format", options.format().name().into()),
        ("show_path", options.question.show_path.into()),
        (
            "digits of --levels",
            options.question.levels.to_string().len().into(),
        ),
        ("model", fingerprint(&trained.chain.to_json()).into()),
        ("styles", styles.collect::<Vec<_>>().into()),
        ("tiles demanded", fingerprint(&trained.demands()).into()),
        (
            "pictures of --tile-sheet",
            Fingerprint::of(&pictures).to_string().into(),
        ),
        ("figrs", env!("CARGO_PKG_VERSION").into()),
    ];
    let named = settings
        .chain(others)
        .map(|(name, value)| (name.to_owned(), value));
    Ok(named.collect())
}

/// Checksum of a file: its length in bytes, and a 64-bit hash that never changes between versions (FNV-1a).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    bytes: u64,
    hash: u64,
}

impl Fingerprint {
    pub(crate) const NONE: Self = Self {
        bytes: 0,
        hash: 0xcbf2_9ce4_8422_2325,
    };

    fn of(bytes: &[u8]) -> Self {
        let mut print = Self::NONE;
        print.add(bytes);
        print
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash = bytes.iter().fold(self.hash, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.hash)
    }
}

/// A file whose checksum is computed while the file is written.
pub(crate) struct Printed<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) print: Fingerprint,
}

impl Write for Printed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.print.add(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
