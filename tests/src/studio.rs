//! Runs the studio as a program, and sends requests to it over HTTP.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value as Json;

use crate::example::binary;

/// A studio process that listens on a free port, and ends when this value is dropped.
#[derive(Debug)]
pub struct Studio {
    child: Child,
    /// The address that the studio printed, such as `127.0.0.1:1234`.
    pub address: String,
}

/// An answer of the studio.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status code.
    pub status: u16,
    /// The header lines, as names and values.
    pub headers: Vec<(String, String)>,
    /// The body of the answer.
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns a header by its name in lower-case letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the body as JSON.
    ///
    /// # Panics
    ///
    /// Panics if the body is not JSON.
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }
}

impl Studio {
    /// Starts a studio, with the files of a folder if a folder is given.
    ///
    /// # Panics
    ///
    /// Panics as [`with`](Self::with) does.
    pub fn start(folder: Option<&Path>) -> Self {
        let folder = folder.map(|folder| folder.to_string_lossy().into_owned());
        let folder = folder.as_deref().map(|folder| ["--folder", folder]);
        let arguments: Vec<&str> = folder.into_iter().flatten().collect();
        Self::with(Path::new("."), &arguments)
    }

    /// Starts a studio in a directory with some arguments, on a free port.
    ///
    /// # Panics
    ///
    /// Panics if the studio is not built, or does not print an address.
    pub fn with(directory: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(binary("studio"));
        command.args(arguments).args(["--port", "0"]);
        command.current_dir(directory);
        let child = command.stdout(Stdio::piped()).spawn();
        let mut child = child.expect("the studio starts");
        let out = child.stdout.take().expect("it is piped");
        let mut line = String::new();
        BufReader::new(out)
            .read_line(&mut line)
            .expect("the studio prints");
        let address = line.trim().strip_prefix("http://").unwrap_or_default();
        let address = address.trim_end_matches('/').to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line:?}");
        Self { child, address }
    }

    /// Returns the processor time, in ticks, that the studio and its workers have used so far; `None` if the system does not report it.
    pub fn ticks(&self) -> Option<u64> {
        let own = self.child.id();
        let read = |path: String| std::fs::read_to_string(path).ok();
        let children = read(format!("/proc/{own}/task/{own}/children"))?;
        // Any thread of the studio may start workers.
        let others = std::fs::read_dir(format!("/proc/{own}/task")).ok()?;
        let others = others
            .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok());
        let all: Vec<String> = others.chain([children, own.to_string()]).collect();
        let all = all.iter().flat_map(|ids| ids.split_whitespace());
        let all: std::collections::BTreeSet<&str> = all.collect();
        let ticks = all.into_iter().filter_map(|id| {
            let stat = read(format!("/proc/{id}/stat"))?;
            // The program name, which precedes the last bracket, may contain blanks.
            let rest = stat.rsplit_once(')')?.1;
            let mut numbers = rest.split_whitespace().skip(11);
            let mut next = || numbers.next()?.parse::<u64>().ok();
            Some(next()? + next()?)
        });
        Some(ticks.sum())
    }

    /// Sends a text as it is to the studio, and returns the answer.
    ///
    /// # Panics
    ///
    /// Panics if there is no answer within a minute.
    pub fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.address).expect("the studio listens");
        let patience = Some(Duration::from_secs(60));
        stream.set_read_timeout(patience).expect("it is a socket");
        // The studio may answer and close the connection before it has read the whole request.
        let _ = stream.write_all(request);
        let mut all = Vec::new();
        let mut bytes = vec![0; 1 << 16];
        loop {
            match stream.read(&mut bytes) {
                Ok(0) => break,
                Ok(read) => all.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) if !all.is_empty() => break,
                Err(error) => panic!("no answer: {error}"),
            }
        }
        reply(&all)
    }

    /// Returns the answer to a request with some headers and a body.
    ///
    /// # Panics
    ///
    /// Panics as [`raw`](Self::raw) does.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let has = |name: &str| {
            let mut headers = headers.iter();
            headers.any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        if !has("Host") {
            head = format!("{head}Host: {}\r\n", self.address);
        }
        if !body.is_empty() && !has("Content-Length") {
            head = format!("{head}Content-Length: {}\r\n", body.len());
        }
        for (name, value) in headers {
            head = format!("{head}{name}: {value}\r\n");
        }
        self.raw(format!("{head}\r\n{body}").as_bytes())
    }

    /// Returns the answer to a request for a page of the studio.
    ///
    /// # Panics
    ///
    /// Panics as [`raw`](Self::raw) does.
    pub fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], "")
    }

    /// Sends a request in JSON, and returns the status and the JSON of the answer.
    ///
    /// # Panics
    ///
    /// Panics as [`raw`](Self::raw) does.
    pub fn post(&self, path: &str, body: &Json) -> (u16, Json) {
        self.post_as(path, &[], body)
    }

    /// As [`post`](Self::post), with further headers.
    ///
    /// # Panics
    ///
    /// Panics as [`raw`](Self::raw) does.
    pub fn post_as(&self, path: &str, headers: &[(&str, &str)], body: &Json) -> (u16, Json) {
        let kind = [("Content-Type", "application/json")];
        let headers: Vec<_> = kind.iter().chain(headers).copied().collect();
        let reply = self.ask("POST", path, &headers, &body.to_string());
        (reply.status, reply.json())
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn reply(all: &[u8]) -> Reply {
    let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(all)));
    let head = String::from_utf8_lossy(&all[..end]);
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    let status = first
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(": "));
    Reply {
        status: status.unwrap_or_else(|| panic!("no status: {first}")),
        headers: headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect(),
        body: all[end + 4..].to_vec(),
    }
}
