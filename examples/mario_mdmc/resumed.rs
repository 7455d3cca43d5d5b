//! Sets of numbered files that go on where they were stopped.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::Failure;
use crate::files::{in_file, replace};
use crate::generator::Trained;
use crate::options::Options;

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
    let Ok(text) = fs::read_to_string(record) else {
        let text = format!("{:#}\n", Value::Object(mine));
        replace(record, |out| {
            let written = out.write_all(text.as_bytes());
            written.map_err(|error| in_file(record, error))
        })?;
        return Ok(0);
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
    let mut model = DefaultHasher::new();
    trained.chain.to_json().hash(&mut model);
    let settings = trained.settings().into_iter();
    let others = [
        ("seed", Value::from(trained.seed)),
        ("width", options.width.into()),
        ("format", options.format.name().into()),
        ("show_path", options.show_path.into()),
        ("digits", options.levels.to_string().len().into()),
        ("model", format!("{:016x}", model.finish()).into()),
    ];
    let named = settings
        .chain(others)
        .map(|(name, value)| (name.to_owned(), value));
    named.collect()
}
