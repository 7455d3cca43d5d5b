//! Answers to requests: checks, paths, bodies, and work that a later change ends.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use figrs_command::Failure;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::Value as Json;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::clients::{Clients, Work};
use crate::folder::Folder;
use crate::problem::Problem;
use crate::{assets, board, guard, level, network};

/// Most bytes of the body of a request.
const MOST_BYTES: usize = 16 << 20;
/// Time that a body may take.
const BODY_TIME: Duration = Duration::from_secs(30);

/// Everything that requests are answered by: the folder of files, the work of clients, and what was trained and compiled for them.
#[derive(Debug)]
pub struct Studio {
    folder: Option<Folder>,
    clients: Clients,
    levels: level::Levels,
    networks: network::Networks,
}

/// A body with its media type.
struct Content {
    kind: &'static str,
    bytes: Bytes,
}

impl Studio {
    /// A studio that reads files of this folder alone.
    ///
    /// **Errors.** If it is no folder that can be read.
    pub fn new(folder: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self {
            folder: folder.map(Folder::open).transpose()?,
            clients: Clients::default(),
            levels: level::Levels::new(),
            networks: network::Networks::new(),
        })
    }

    /// The answer to a request that came to a port of 127.0.0.1.
    pub(crate) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        port: u16,
    ) -> Response<Full<Bytes>> {
        let is_quiet = guard::is_quiet(request.headers());
        let content = self.content(request, port).await;
        let (status, content, allow) = match content {
            Err(problem) if is_quiet && problem.is_of_request() => {
                let told = problem.status.as_u16();
                let content = Content::json(&problem.with("status", told.into()).json());
                (StatusCode::OK, content, None)
            }
            Ok(content) => (StatusCode::OK, content, None),
            Err(problem) => {
                let allow = problem.more.get("allow").and_then(Json::as_str);
                let allow = allow.and_then(|allow| HeaderValue::from_str(allow).ok());
                (problem.status, Content::json(&problem.json()), allow)
            }
        };
        let mut response = Response::new(Full::new(content.bytes));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.extend(guard::headers());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content.kind));
        if let Some(allow) = allow {
            headers.insert(ALLOW, allow);
        }
        response
    }

    async fn content(
        self: Arc<Self>,
        request: Request<Incoming>,
        port: u16,
    ) -> Result<Content, Problem> {
        let path = request.uri().path().to_owned();
        let is_page = path == "/" && request.method() == Method::GET;
        guard::check_origin(request.headers(), request.uri(), (port, is_page))?;
        let Some(work) = Asked::of(&path) else {
            let method = request.method().clone();
            let fixed = spawn_blocking(move || fixed(&self, &method, &path)).await;
            return fixed.unwrap_or_else(|_| Err(Problem::internal()));
        };
        if request.method() != Method::POST {
            return Err(not_allowed(&path, "POST"));
        }
        guard::check_json(request.headers())?;
        let begun = self.begin(request.headers())?;
        let body = body(request.into_body()).await?;
        let flag = begun.flag();
        let ended = begun.flag();
        let done = spawn_blocking(move || self.work(work, &body, &flag)).await;
        // Held to here, so that the work ends when nobody waits for it any more.
        let is_ended = ended.load(Ordering::Acquire);
        drop(begun);
        match done {
            // An answer by then may lack a part.
            Ok(_) if is_ended => Err(Problem::superseded()),
            Ok(answer) => Ok(Content::json(&answer?)),
            Err(_) => Err(Problem::internal()),
        }
    }

    /// Begins the work of a request, as a change of its client if it names one.
    fn begin(&self, headers: &HeaderMap) -> Result<Work, Problem> {
        let header = |name| guard::single(headers, &HeaderName::from_static(name));
        match (header("figrs-client")?, header("figrs-change")?) {
            (None, None) => Ok(Clients::anonymous()),
            (Some(client), Some(change)) if client.len() <= 64 => {
                let change = change
                    .parse()
                    .map_err(|_| Problem::wrong("Figrs-Change is not a whole number".to_owned()))?;
                let begun = self.clients.begin(client, change);
                begun.ok_or_else(Problem::superseded)
            }
            _ => Err(Problem::wrong(
                "Figrs-Client, of up to 64 characters, and Figrs-Change go together".to_owned(),
            )),
        }
    }

    fn work(&self, asked: Asked, body: &[u8], ended: &Arc<AtomicBool>) -> Result<Json, Problem> {
        if ended.load(Ordering::Acquire) {
            return Err(Problem::superseded());
        }
        let folder = self.folder.as_ref();
        match asked {
            Asked::Level => self.levels.answer(body, folder, ended),
            Asked::Board => board::answer(body, ended),
            Asked::Network => self.networks.answer(body, folder, ended),
        }
    }
}

/// The work that a path asks for.
#[derive(Clone, Copy)]
enum Asked {
    Level,
    Board,
    Network,
}

impl Asked {
    fn of(path: &str) -> Option<Self> {
        match path {
            "/api/level" => Some(Self::Level),
            "/api/board" => Some(Self::Board),
            "/api/network" => Some(Self::Network),
            _ => None,
        }
    }
}

impl Content {
    fn json(value: &Json) -> Self {
        Self {
            kind: "application/json",
            bytes: value.to_string().into(),
        }
    }
}

/// A file of the page, or the list of the files of the folder.
fn fixed(studio: &Studio, method: &Method, path: &str) -> Result<Content, Problem> {
    let asset = assets::find(path);
    if asset.is_none() && path != "/api/files" {
        return Err(Problem::missing(
            "there is nothing at this path; see --help for those there are".to_owned(),
        ));
    }
    if method != Method::GET && method != Method::HEAD {
        return Err(not_allowed(path, "GET, HEAD"));
    }
    if let Some((kind, bytes)) = asset {
        return Ok(Content { kind, bytes });
    }
    let files = studio.folder.as_ref().map(Folder::list).transpose()?;
    Ok(Content::json(&files.unwrap_or_else(Folder::none)))
}

fn not_allowed(path: &str, methods: &str) -> Problem {
    Problem::method(format!("{path} takes {methods} only")).with("allow", methods.into())
}

/// The whole body, if it is short enough and comes in time.
async fn body(incoming: Incoming) -> Result<Bytes, Problem> {
    if incoming.size_hint().lower() > MOST_BYTES as u64 {
        return Err(Problem::long(MOST_BYTES));
    }
    let read = timeout(BODY_TIME, Limited::new(incoming, MOST_BYTES).collect()).await;
    match read {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::long(MOST_BYTES)),
        Ok(Err(_)) => Err(Problem::wrong("the body is not whole".to_owned())),
        Err(_) => Err(Problem::slow()),
    }
}
