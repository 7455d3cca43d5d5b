//! Errors of the server: JSON with the reason and an HTTP status.

use std::mem::discriminant;

use figrs_command::{Failure, Flag};
use hyper::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

/// The reason why a request has no answer other than an error.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// Fields of the answer in addition to the text of the error, such as the cells with contradictory clues.
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

    /// The answer that a valid request has no result for the stated reason, which is not a failure of the server.
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

    /// Converts a failure of a command to an error of the server: the text stays the same, and the exit code becomes an HTTP status.
    pub(crate) fn of(failure: &Failure) -> Self {
        let message = figrs_command::message(failure, |_| None);
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

/// True for the HTTP statuses that say that the request is wrong, not found or superseded; false for other statuses, such as that of a forbidden
/// request.
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

/// Descriptions of the required form of fields that are lists or objects.
const FORMS: [(&str, &str); 6] = [
    ("training", r#"[{"name": TEXT, "text": TEXT}, ..]"#),
    (
        "pin",
        "[[row, column, TILE], ..], with rows and columns from 0",
    ),
    (
        "place",
        "[[row, column, TILE], ..], with rows and columns from 0",
    ),
    ("forbid", "a list of patterns, each a list of rows"),
    ("level", "a list of rows, each a text"),
    ("observe", "{VARIABLE: STATE}"),
];
/// Maximum number of characters of a wrong value that an error message shows.
const MOST_SHOWN: usize = 60;

/// Returns the error for a wrong field of a request. If the wrong field takes values of another kind, the message names this kind, which is found by
/// trying values.
fn of_field<T: DeserializeOwned>(fields: &Map<String, Json>, error: &serde_json::Error) -> Problem {
    let read = |name: &str, value: &Json| {
        let alone = Map::from_iter([(name.to_owned(), value.clone())]);
        serde_json::from_value::<T>(Json::Object(alone)).map(drop)
    };
    let wrong = fields.iter().find_map(|(name, value)| {
        let error = read(name, value).err()?;
        Some((name, value, error))
    });
    let Some((name, value, error)) = wrong else {
        return Problem::wrong(format!("the request: {error}"));
    };
    let kinds = [
        (json!(0.5), "a number"),
        (json!(0), "a whole number, 0 or more"),
        (json!("-"), "a text"),
        (json!([]), "a list"),
        (json!(true), "true or false"),
        (json!({}), "an object"),
    ];
    let kind = kinds.iter().find(|(one, _)| read(name, one).is_ok());
    let is_same = |one| !value.is_number() && discriminant(one) == discriminant(value);
    let flag = name.replace('_', "-");
    let flag = Flag(&flag);
    let form = FORMS.iter().find(|(field, _)| field == name);
    Problem::wrong(match (kind, value) {
        (Some((one, kind)), value) if !is_same(one) => match value {
            Json::Array(_) | Json::Object(_) => format!("{flag}: write {kind}"),
            Json::String(text) => {
                let start: String = text.chars().take(MOST_SHOWN).collect();
                format!("{flag} {start:?}: write {kind}")
            }
            scalar => format!("{flag} {scalar}: write {kind}"),
        },
        _ => match form {
            Some((_, form)) => format!("{flag}: write {form}"),
            None => format!("{flag}: {error}"),
        },
    })
}

/// Converts an error of the library about a request to an answer of the server with the same text.
pub(crate) fn wrong(error: impl std::error::Error + Send + Sync + 'static) -> Problem {
    Problem::of(&error.into())
}

/// Returns the text of a file that a field of a request contains as text or as JSON.
pub(crate) fn text_of(file: &Json) -> String {
    match file {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Parses a request from its body, which is JSON.
///
/// **Errors.** The body is not a JSON object, or a field is unknown or wrong.
pub(crate) fn request<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    fields_of(serde_json::from_slice(body)?)
}

/// Parses a request from the fields of a JSON object.
///
/// **Errors.** A field is unknown or wrong.
pub(crate) fn fields_of<T: DeserializeOwned>(fields: Map<String, Json>) -> Result<T, Problem> {
    let asked = serde_json::from_value(Json::Object(fields.clone()));
    asked.map_err(|error| of_field::<T>(&fields, &error))
}
