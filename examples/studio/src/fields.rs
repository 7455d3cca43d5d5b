//! Conversion of the fields of a request to flags of a command.

use clap::{Arg, ArgAction, Command};
use figrs_command::Flag;
use serde_json::{Map, Value as Json};

use crate::problem::Problem;

/// The kind of value, in words, of a field whose values are ranges.
const RANGES: &str = r#"an object of ranges, such as {"E": [5, 10]}"#;

/// Returns the fields of a request as flags of `command`: `"min_walk": 5` becomes `--min-walk=5`, and `true` a flag without a value. Flags that the
/// command hides in its help are unknown as fields of a request. The field of a flag that may be given several times is a list of values, or an
/// object of ranges if its values are ranges: `{"E": [5, 10]}` becomes the value `E=5..10`. `others` are the names of the fields that are not flags.
///
/// **Errors.** A field is unknown, or has a value of the wrong kind.
pub(crate) fn arguments(
    command: &Command,
    request: &Map<String, Json>,
    others: &[impl AsRef<str>],
) -> Result<Vec<String>, Problem> {
    let mut arguments = Vec::new();
    let all = || command.get_arguments().filter(|flag| !flag.is_hide_set());
    for (name, value) in request {
        let flag = name.replace('_', "-");
        let known = |known: &&Arg| known.get_long() == Some(&flag) && !name.contains('-');
        let Some(known) = all().find(known) else {
            let flags = all().filter_map(Arg::get_long);
            let fields = flags.map(|flag| flag.replace('-', "_"));
            let fields = fields.chain(others.iter().map(|other| other.as_ref().to_owned()));
            let mut fields: Vec<String> = fields.collect();
            fields.sort();
            return Err(Problem::wrong(format!(
                "unknown field {name:?}; the fields are {}",
                fields.join(", ")
            )));
        };
        let names = known.get_value_names().unwrap_or_default();
        let has_ranges = names.iter().any(|name| name.ends_with("=FROM..TO"));
        let (values, kind) = match (known.get_action(), value) {
            (_, Json::Null) => continue,
            (ArgAction::SetTrue, Json::Bool(is_set)) => {
                arguments.extend(is_set.then(|| format!("--{flag}")));
                continue;
            }
            (ArgAction::SetTrue, _) => (None, "true or false"),
            (ArgAction::Append, Json::Object(ranges)) if has_ranges => {
                (ranges.iter().map(range).collect(), RANGES)
            }
            (ArgAction::Append, Json::Array(values)) => {
                let kind = if has_ranges {
                    RANGES
                } else {
                    "a list of texts"
                };
                (values.iter().map(text).collect(), kind)
            }
            (ArgAction::Append, _) if has_ranges => (None, RANGES),
            (ArgAction::Append, _) => (None, "a list of texts"),
            (_, value) => {
                let value: Option<Vec<String>> = text(value).map(|text| vec![text]);
                (value, "a number or a text")
            }
        };
        let Some(values) = values else {
            return Err(Problem::wrong(format!("{}: write {kind}", Flag(&flag))));
        };
        arguments.extend(values.iter().map(|value| format!("--{flag}={value}")));
    }
    Ok(arguments)
}

/// Returns the value of a field of a request as the value of a flag; `None` for a value that is neither a text nor a number.
fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a range such as `"E": [5, 10]` as the value of a flag: `E=5..10`.
fn range((name, ends): (&String, &Json)) -> Option<String> {
    match &ends.as_array()?[..] {
        [from, to] => Some(format!("{name}={}..{}", text(from)?, text(to)?)),
        _ => None,
    }
}
