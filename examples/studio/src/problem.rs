//! Errors of the server: JSON with the reason and an HTTP status.

use figrs_command::Failure;
use hyper::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

/// The reason why a request has no other answer.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// Fields in addition to the text, such as the cells with contradictory clues.
    pub(crate) more: Map<String, Json>,
}

impl Problem {
    fn new(status: StatusCode, message: String) -> Self {
        Self {
            status,
            message,
            more: Map::new(),
        }
    }

    /// The error that the request is wrong.
    pub(crate) fn wrong(message: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// The error that the request comes from another page or host.
    pub(crate) fn forbidden(message: String) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// The error that a path or file does not exist.
    pub(crate) fn missing(message: String) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The error that the path needs another HTTP method.
    pub(crate) fn method(message: String) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message)
    }

    /// The error that the body takes too long to arrive.
    pub(crate) fn slow() -> Self {
        let message = "the body took too long to arrive";
        Self::new(StatusCode::REQUEST_TIMEOUT, message.to_owned())
    }

    /// The error that a later change of the client ended the work.
    pub(crate) fn superseded() -> Self {
        let message = "a later change ended this work";
        Self::new(StatusCode::CONFLICT, message.to_owned())
    }

    /// The error that the body is too long.
    pub(crate) fn long(most: usize) -> Self {
        let message = format!("the body is longer than {} MiB", most >> 20);
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// The error that the body is not JSON.
    pub(crate) fn media(message: String) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
    }

    /// The result that a valid request has no answer for the stated reason, which is not a failure.
    pub(crate) fn without_answer(message: String) -> Self {
        Self::new(StatusCode::OK, message)
    }

    /// The error that the server already works on the maximum number of requests.
    pub(crate) fn crowded() -> Self {
        let message = "too many requests are in work; try again later";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message.to_owned())
    }

    /// The error that the work took more memory than `most` MiB, the limit of all work together.
    pub(crate) fn memory(most: u64) -> Self {
        let message = format!(
            "the work was ended, because all requests together took more than {most} MiB; request less, or send one request after another"
        );
        Self::new(StatusCode::INSUFFICIENT_STORAGE, message)
    }

    /// The error that the program itself has a defect.
    pub(crate) fn internal() -> Self {
        let message = "the work failed inside the program; please report the request";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message.to_owned())
    }

    /// Converts a failure of a command: its text stays the same, and its exit code becomes an HTTP status.
    pub(crate) fn of(failure: &Failure) -> Self {
        let message = of_fields(&figrs_command::message(failure, |_| None));
        if figrs_command::is_without_answer(&**failure) {
            Self::without_answer(message)
        } else {
            Self::wrong(message)
        }
    }

    /// Adds a field to the JSON of the error.
    pub(crate) fn with(mut self, name: &str, value: Json) -> Self {
        self.more.insert(name.to_owned(), value);
        self
    }

    /// Returns the error as JSON.
    pub(crate) fn json(&self) -> Json {
        let mut object = Map::new();
        object.insert("error".to_owned(), self.message.as_str().into());
        object.extend(self.more.clone());
        Json::Object(object)
    }
}

/// True for the HTTP statuses of wrong or superseded requests, not of forbidden ones.
pub(crate) fn is_of_request(status: StatusCode) -> bool {
    let statuses = [
        StatusCode::BAD_REQUEST,
        StatusCode::NOT_FOUND,
        StatusCode::CONFLICT,
    ];
    statuses.contains(&status)
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self::of(&failure)
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Self::wrong(format!("the request: {error}"))
    }
}

/// Returns the text with names of fields instead of flags: `--min-walk` becomes `min_walk`.
pub(crate) fn of_fields(message: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(message.len()), message);
    while let Some(at) = rest.find("--") {
        let (before, flag) = rest.split_at(at);
        let name = flag.trim_start_matches('-');
        let is_letter = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        let (name, after) = name.split_at(name.find(|l| !is_letter(l)).unwrap_or(name.len()));
        let is_apart = !before.ends_with(|letter: char| letter.is_alphanumeric());
        let is_flag = name.len() > 2 && flag.len() == 2 + name.len() + after.len() && is_apart;
        text.push_str(before);
        if is_flag {
            text.push_str(&name.replace('-', "_"));
        } else {
            text.push_str(&flag[..flag.len() - after.len()]);
        }
        rest = after;
    }
    text + rest
}

/// Returns the error in a field of a request in plain words, without the Rust types in serde's messages.
fn of_field<T: DeserializeOwned>(fields: &Map<String, Json>, error: &serde_json::Error) -> Problem {
    let message = error.to_string();
    let parts = message.rsplit_once(", expected ");
    let parts = parts.and_then(|(found, wanted)| Some((found.split_once(": ")?.1, wanted)));
    let Some((found, wanted)) = parts else {
        return Problem::wrong(format!("the request: {message}"));
    };
    let wanted = match wanted {
        "usize" | "u64" | "u32" => "a whole number, 0 or more",
        "f64" => "a number",
        "a string" | "a character" => "a text",
        "a sequence" => "a list",
        "a boolean" => "true or false",
        "a map" => "an object",
        "a tuple of size 3" => "a list of three",
        "a tuple of size 2" => "a list of two",
        other => other,
    };
    let is_wrong = |(name, value): &(&String, &Json)| {
        let alone = Map::from_iter([((*name).clone(), (*value).clone())]);
        let error = serde_json::from_value::<T>(Json::Object(alone)).err();
        error.is_some_and(|error| error.to_string() == message)
    };
    match fields.iter().find(is_wrong) {
        Some((name, value @ (Json::Number(_) | Json::String(_) | Json::Bool(_)))) => {
            Problem::wrong(format!("{name} {value}: write {wanted}"))
        }
        Some((name, _)) => Problem::wrong(format!("{name}: write {wanted}, not {found}")),
        None => Problem::wrong(format!("the request: {message}")),
    }
}

/// Converts an error of the library about a request to an answer with the same text.
pub(crate) fn wrong(error: impl std::error::Error + Send + Sync + 'static) -> Problem {
    Problem::of(&error.into())
}

/// Returns the text of a file whose field is a text or JSON.
pub(crate) fn text_of(file: &Json) -> String {
    match file {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Parses a request from the fields of a JSON object.
///
/// **Errors.** The body is not a JSON object, or a field is unknown or wrong.
pub(crate) fn request<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let fields: Map<String, Json> = serde_json::from_slice(body)?;
    let asked = serde_json::from_value(Json::Object(fields.clone()));
    asked.map_err(|error| of_field::<T>(&fields, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_told_as_fields() {
        for (message, fields) in [
            (
                "--method exact would need more than --memory 64MiB",
                "method exact would need more than memory 64MiB",
            ),
            ("give more --particles", "give more particles"),
            ("'--min-walk <N>': write less", "'min_walk <N>': write less"),
            (
                "tiles \"--X-\", ---, a--bcd, --",
                "tiles \"--X-\", ---, a--bcd, --",
            ),
            ("é --é --seed", "é --é seed"),
        ] {
            assert_eq!(of_fields(message), fields);
        }
    }
}
