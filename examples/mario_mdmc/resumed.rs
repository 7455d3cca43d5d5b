//! Sets of numbered files that go on where they were stopped.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::Failure;
use crate::generator::Trained;
use crate::options::Options;
use crate::replace_text;

/// How many levels of the set stand there already, one after another from the first. The settings of the set are kept in
/// `record`, which is written before the first level.
///
/// An error if the set was begun with other settings.
pub(crate) fn done(
    options: &Options,
    trained: &Trained<'_>,
    record: &Path,
    file: impl Fn(u64) -> PathBuf,
) -> Result<u64, Failure> {
    let mine = settings(options, trained);
    let text = match fs::read_to_string(record) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            replace_text(record, &format!("{:#}\n", Value::Object(mine)))?;
            return Ok(0);
        }
        Err(error) => return Err(format!("cannot read {}: {error}", record.display()).into()),
    };
    let begun: Map<String, Value> = serde_json::from_str(&text).map_err(|error| {
        let record = record.display();
        format!("{record}: {error}; remove it and the levels of the set to begin anew")
    })?;
    let other = mine
        .iter()
        .find(|(name, value)| begun.get(*name) != Some(*value));
    if let Some((name, value)) = other {
        let was = begun.get(name).map_or("nothing".into(), Value::to_string);
        let record = record.display();
        return Err(format!(
            "{record}: the set was begun with {name} {was} and not {value}; give the same settings, or another --out"
        )
        .into());
    }
    Ok((0..options.levels)
        .take_while(|&index| file(index).is_file())
        .count() as u64)
}

/// All that files of the set depend on, but for how many there are.
fn settings(options: &Options, trained: &Trained<'_>) -> Map<String, Value> {
    let settings = trained.settings().into_iter();
    let others = [
        ("seed", Value::from(trained.seed)),
        ("width", options.width.into()),
        ("format", options.format.name().into()),
        ("show_path", options.show_path.into()),
        (
            "digits of --levels",
            options.levels.to_string().len().into(),
        ),
        ("model", fingerprint(&trained.chain.to_json()).into()),
        ("tiles demanded", fingerprint(&trained.demands()).into()),
        ("figrs", env!("CARGO_PKG_VERSION").into()),
    ];
    let named = settings
        .chain(others)
        .map(|(name, value)| (name.to_owned(), value));
    named.collect()
}

/// Sixty-four bits of a text, the same for ever (FNV-1a).
fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
