//! Answers that say why there is no other, as JSON with a status.

use figrs_command::Failure;
use hyper::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

/// The reason that a request has no other answer.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) told: String,
    /// Fields beside the text, such as the cells concerned.
    pub(crate) more: Map<String, Json>,
}

impl Problem {
    fn new(status: StatusCode, told: String) -> Self {
        Self {
            status,
            told,
            more: Map::new(),
        }
    }

    /// The request is wrong.
    pub(crate) fn wrong(told: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, told)
    }

    /// The request comes from elsewhere.
    pub(crate) fn forbidden(told: String) -> Self {
        Self::new(StatusCode::FORBIDDEN, told)
    }

    /// There is no such path or file.
    pub(crate) fn missing(told: String) -> Self {
        Self::new(StatusCode::NOT_FOUND, told)
    }

    /// The path takes other methods.
    pub(crate) fn method(told: String) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, told)
    }

    /// The body takes too long to come.
    pub(crate) fn slow() -> Self {
        let told = "the body took too long to come";
        Self::new(StatusCode::REQUEST_TIMEOUT, told.to_owned())
    }

    /// A later change of the client ended the work.
    pub(crate) fn superseded() -> Self {
        let told = "a later change ended this work";
        Self::new(StatusCode::CONFLICT, told.to_owned())
    }

    /// The body is too long.
    pub(crate) fn long(most: usize) -> Self {
        let told = format!("the body is longer than {} MiB", most >> 20);
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, told)
    }

    /// The body is not JSON.
    pub(crate) fn media(told: String) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, told)
    }

    /// The request is right, and there is no other answer than the reason, which is no failure.
    pub(crate) fn without_answer(told: String) -> Self {
        Self::new(StatusCode::OK, told)
    }

    /// A mistake of the program itself.
    pub(crate) fn internal() -> Self {
        let told = "the work failed inside the program; please report the request";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, told.to_owned())
    }

    /// A failure of a command: its text is the same, its exit code becomes a status.
    pub(crate) fn of(failure: &Failure) -> Self {
        let told = figrs_command::told(failure, |_| None);
        if figrs_command::is_without_answer(&**failure) {
            Self::without_answer(told)
        } else {
            Self::wrong(told)
        }
    }

    /// True if what is asked is wrong or superseded, rather than who asks and how.
    pub(crate) fn is_of_request(&self) -> bool {
        let statuses = [
            StatusCode::BAD_REQUEST,
            StatusCode::NOT_FOUND,
            StatusCode::CONFLICT,
        ];
        statuses.contains(&self.status)
    }

    /// With a field beside the text.
    pub(crate) fn with(mut self, name: &str, value: Json) -> Self {
        self.more.insert(name.to_owned(), value);
        self
    }

    /// As JSON.
    pub(crate) fn json(&self) -> Json {
        let mut object = Map::new();
        object.insert("error".to_owned(), self.told.as_str().into());
        object.extend(self.more.clone());
        Json::Object(object)
    }
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

/// The mistake in a request, as an error of the library says it.
pub(crate) fn wrong(error: impl std::error::Error + Send + Sync + 'static) -> Problem {
    Problem::of(&error.into())
}

/// A file that a field holds as a text, or as JSON.
pub(crate) fn text_of(file: &Json) -> String {
    match file {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A request from the fields of an object.
///
/// **Errors.** What is no object in JSON, and fields that are unknown or wrong.
pub(crate) fn request<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let fields: Map<String, Json> = serde_json::from_slice(body)?;
    Ok(serde_json::from_value(Json::Object(fields))?)
}
