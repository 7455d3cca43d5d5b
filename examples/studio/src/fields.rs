//! The fields of a request as flags of a command.

use clap::{Arg, ArgAction, Command};
use figrs_command::Flag;
use serde_json::{Map, Value as Json};

use crate::problem::Problem;

/// Returns the fields of a request as flags of `command`: `"min_walk": 5` becomes `--min-walk=5`, and `true` a flag without a value. The field of a flag
/// that may be given several times is a list of values, or an object of ranges: `{"E": [5, 10]}` becomes the value `E=5..10`.
///
/// **Errors.** A field is unknown, or has a value of the wrong kind.
pub(crate) fn arguments(
    command: &Command,
    request: &Map<String, Json>,
) -> Result<Vec<String>, Problem> {
    let mut arguments = Vec::new();
    let is_given = |value: &Json| !matches!(value, Json::Null | Json::Bool(false));
    for (name, value) in request.iter().filter(|(_, value)| is_given(value)) {
        let flag = name.replace('_', "-");
        let known = |known: &&Arg| known.get_long() == Some(&flag) && !name.contains('-');
        let Some(known) = command.get_arguments().find(known) else {
            return Err(Problem::wrong(format!("unknown field {name:?}")));
        };
        let is_list = matches!(known.get_action(), ArgAction::Append);
        let values = match value {
            Json::Bool(_) => {
                arguments.push(format!("--{flag}"));
                continue;
            }
            Json::Array(values) if is_list => values.iter().map(text).collect(),
            Json::Object(ranges) if is_list => ranges.iter().map(range).collect(),
            value => text(value).map(|text| vec![text]),
        };
        let Some(values) = values else {
            let kind = if is_list {
                "a list of texts or numbers, or an object of ranges"
            } else {
                "a number, a text, true or false"
            };
            return Err(Problem::wrong(format!("{}: write {kind}", Flag(&flag))));
        };
        arguments.extend(values.iter().map(|value| format!("--{flag}={value}")));
    }
    Ok(arguments)
}

/// Returns the value of a field as the value of a flag; `None` for values of other kinds.
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
