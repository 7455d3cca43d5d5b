//! Answers to requests to the server: checks, paths and bodies of requests, and work that ends when the client sends a later change.

use std::future::poll_fn;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use figrs_command::Failure;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Map, Value as Json};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::clients::{Clients, Work};
use crate::connections::Connection;
use crate::folder::Folder;
use crate::problem::{Problem, is_of_request};
use crate::worker::Asked;
use crate::worker_process::WorkerProcess;
use crate::{assets, guard};

/// Maximum number of bytes in the body of a request.
const MOST_BYTES: usize = 16 << 20;
/// Time in which the body of a request must arrive.
const BODY_TIME: Duration = Duration::from_secs(30);
/// Maximum number of requests on which the server works at the same time; further requests wait.
const WORKERS: usize = 8;
/// Maximum number of requests in work or waiting; further requests are refused with an error.
const LINE: usize = 32;
/// The media type of the answers to requests.
const JSON: &str = "application/json";

/// The parts that answer requests: the folder of files, the work of clients, and the worker process.
#[derive(Debug)]
pub struct Studio {
    folder: Option<Folder>,
    clients: Clients,
    worker: Arc<WorkerProcess>,
    /// A semaphore with a permit for each request on which the server may work at the same time.
    places: Arc<Semaphore>,
    /// A semaphore with a permit for each request that may be in work or waiting.
    line: Arc<Semaphore>,
}

/// The body of an answer with its media type.
struct Content {
    status: StatusCode,
    kind: &'static str,
    bytes: Bytes,
}

impl Studio {
    /// Creates a studio that reads only files of the given folder.
    ///
    /// **Errors.** The path is not a folder that can be read.
    pub fn new(folder: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self {
            folder: folder.map(Folder::open).transpose()?,
            clients: Clients::default(),
            worker: WorkerProcess::new(folder),
            places: Arc::new(Semaphore::new(WORKERS)),
            line: Arc::new(Semaphore::new(LINE)),
        })
    }

    /// Returns the answer to a request that came to a port of 127.0.0.1.
    pub(crate) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        port: u16,
        connection: &Arc<Connection>,
    ) -> Response<Full<Bytes>> {
        let is_quiet = guard::is_quiet(request.headers());
        let content = self.content(request, port, connection).await;
        let mut allow = None;
        let mut content = content.unwrap_or_else(|problem| {
            let message = problem.more.get("allow").and_then(Json::as_str);
            allow = message.and_then(|allow| HeaderValue::from_str(allow).ok());
            Content {
                status: problem.status,
                ..Content::json(&problem.json())
            }
        });
        let is_of_request = is_of_request(content.status);
        if is_quiet && is_of_request {
            content = content.into_answer();
        }
        let status = content.status;
        let mut response = Response::new(Full::new(content.bytes));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.extend(guard::headers());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content.kind));
        if let Some(allow) = allow {
            headers.insert(ALLOW, allow);
        }
        if !is_of_request && !status.is_success() {
            // An invalid or foreign request does not keep its connection.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    async fn content(
        self: Arc<Self>,
        request: Request<Incoming>,
        port: u16,
        connection: &Arc<Connection>,
    ) -> Result<Content, Problem> {
        let path = request.uri().path().to_owned();
        let is_page = path == "/" && request.method() == Method::GET;
        guard::check_origin(request.headers(), request.uri(), (port, is_page))?;
        let Some(asked) = Asked::of(&path) else {
            return self.fixed(request.method(), &path).await;
        };
        if request.method() != Method::POST {
            return Err(not_allowed(&path, "POST"));
        }
        guard::check_json(request.headers())?;
        let begun = self.begin(request.headers())?;
        let done = unless(begun.ended(), async {
            // The place in the queue is taken before the body is read, because a body takes memory.
            let line = Arc::clone(&self.line).try_acquire_owned();
            let _line = line.map_err(|_| Problem::crowded())?;
            let body = body(request.into_body()).await?;
            let _busy = connection.busy();
            let place = Arc::clone(&self.places).acquire_owned().await;
            let place = place.map_err(|_| Problem::internal())?;
            self.worker.begin(asked, body, place)?.reply().await
        });
        // A result that nobody waits for is dropped, and the work ends with it.
        let (status, bytes) = done.await.unwrap_or_else(|| Err(Problem::superseded()))?;
        Ok(Content {
            status,
            kind: JSON,
            bytes,
        })
    }

    /// Returns a file of the web page, or the list of the files in the server's folder.
    async fn fixed(self: &Arc<Self>, method: &Method, path: &str) -> Result<Content, Problem> {
        let asset = assets::find(path);
        if asset.is_none() && path != "/api/files" {
            return Err(Problem::missing(
                "this path does not exist; --help lists all paths".to_owned(),
            ));
        }
        if method != Method::GET && method != Method::HEAD {
            return Err(not_allowed(path, "GET, HEAD"));
        }
        if let Some((kind, bytes)) = asset {
            let status = StatusCode::OK;
            return Ok(Content {
                status,
                kind,
                bytes,
            });
        }
        let studio = Arc::clone(self);
        let listed = spawn_blocking(move || studio.folder.as_ref().map(Folder::list).transpose());
        let files = listed.await.map_err(|_| Problem::internal())??;
        Ok(Content::json(&files.unwrap_or_else(Folder::none)))
    }

    /// Begins the work on a request; if the request names a client, the work belongs to a change by this client.
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
                "give both Figrs-Client (of up to 64 characters) and Figrs-Change, or neither"
                    .to_owned(),
            )),
        }
    }
}

impl Content {
    fn json(value: &Json) -> Self {
        Self {
            status: StatusCode::OK,
            kind: JSON,
            bytes: value.to_string().into(),
        }
    }

    /// Converts the error of a request to an ordinary answer that has the HTTP status as a field.
    fn into_answer(self) -> Self {
        match serde_json::from_slice::<Map<String, Json>>(&self.bytes) {
            Ok(mut object) => {
                object.insert("status".to_owned(), self.status.as_u16().into());
                Self::json(&Json::Object(object))
            }
            Err(_) => self,
        }
    }
}

/// Returns the result of `work`, or `None` if the event `other` happens first.
pub(crate) async fn unless<T>(
    other: impl Future<Output = ()>,
    work: impl Future<Output = T>,
) -> Option<T> {
    let (mut other, mut work) = (pin!(other), pin!(work));
    let either = poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => other.as_mut().poll(context).map(|()| None),
    });
    either.await
}

fn not_allowed(path: &str, methods: &str) -> Problem {
    Problem::method(format!("{path} supports only {methods}")).with("allow", methods.into())
}

/// Reads the whole body of a request, if it is short enough and arrives in time.
async fn body(incoming: Incoming) -> Result<Bytes, Problem> {
    if incoming.size_hint().lower() > MOST_BYTES as u64 {
        return Err(Problem::long(MOST_BYTES));
    }
    let read = timeout(BODY_TIME, Limited::new(incoming, MOST_BYTES).collect()).await;
    match read {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::long(MOST_BYTES)),
        Ok(Err(_)) => Err(Problem::wrong("the body is incomplete".to_owned())),
        Err(_) => Err(Problem::slow()),
    }
}
