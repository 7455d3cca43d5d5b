//! The process that does the work on requests, and keeps trained models, compiled networks and drawn levels for later requests. The server ends the
//! worker process if the process continues work for which no client waits.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use figrs_command::{Failure, address_page};
use serde_json::Value as Json;

use crate::controls::control;
use crate::folder::Folder;
use crate::frame::Frame;
use crate::memory_pool::MemoryPool;
use crate::problem::Problem;
use crate::{board, level, network};

/// Stack size of the thread of a request, equal to that of a main thread.
const STACK: usize = 8 << 20;
/// Memory in MiB that all requests in work at the same time may ask for together.
pub(crate) const MEMORY: u64 = 8192;
/// Memory in MiB at which the worker process ends; it covers the memory of requests and of stored results.
const MOST: u64 = MEMORY + 2048;
/// Interval at which the worker process checks how much memory it uses.
const WATCH: Duration = Duration::from_millis(50);
/// Exit code of a worker process that runs out of memory.
pub(crate) const OUT_OF_MEMORY: i32 = 3;
/// The kind of the message to the worker process that ends the work on a request.
pub(crate) const END: u16 = 0;

/// The kind of work that the path of a request names; a message to the worker process contains the number of this kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked {
    Level = 1,
    Board = 2,
    Network = 3,
}

impl Asked {
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            "/api/level" => Some(Self::Level),
            "/api/board" => Some(Self::Board),
            "/api/network" => Some(Self::Network),
            _ => None,
        }
    }

    fn of_kind(kind: u16) -> Option<Self> {
        let all = [Self::Level, Self::Board, Self::Network];
        all.into_iter().find(|asked| *asked as u16 == kind)
    }
}

/// The data that the worker process needs to answer requests.
struct Worker {
    folder: Option<Folder>,
    pool: MemoryPool,
    levels: level::Levels,
    networks: network::Networks,
    /// For each request in work, the flag that stops the work on the request.
    working: Mutex<HashMap<u64, Arc<AtomicBool>>>,
}

/// Answers requests from the standard input on the standard output until the input ends.
///
/// **Errors.** The folder cannot be read.
pub(crate) fn work(folder: Option<&Path>) -> Result<(), Failure> {
    address_page(control);
    let worker = Arc::new(Worker {
        folder: folder.map(Folder::open).transpose()?,
        pool: MemoryPool::new(MEMORY),
        levels: level::Levels::new(),
        networks: network::Networks::new(),
        working: Mutex::default(),
    });
    thread::spawn(watch_memory);
    let mut input = io::stdin().lock();
    while let Ok(message) = Frame::read(&mut input) {
        worker.take(message);
    }
    // Nobody waits for unfinished work.
    std::process::exit(0)
}

impl Worker {
    fn take(self: &Arc<Self>, message: Frame<Vec<u8>>) {
        let number = message.number;
        let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(asked) = Asked::of_kind(message.kind) else {
            if let Some(flag) = working.get(&number) {
                flag.store(true, Ordering::Release);
            }
            return;
        };
        let ended = Arc::<AtomicBool>::default();
        working.insert(number, Arc::clone(&ended));
        drop(working);
        let worker = Arc::clone(self);
        let run = move || {
            let body = message.text;
            let inner = Arc::clone(&worker);
            let flag = Arc::clone(&ended);
            // A separate thread makes a panic visible.
            let done = thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || inner.answer(asked, &body, &flag));
            let done = done.ok().and_then(|thread| thread.join().ok());
            let answer = match done {
                // An answer at that time may be incomplete.
                Some(Ok(_)) if ended.load(Ordering::Acquire) => Err(Problem::superseded()),
                Some(answer) => answer,
                None => Err(Problem::internal()),
            };
            worker.tell(number, answer);
        };
        if thread::Builder::new().spawn(run).is_err() {
            self.tell(number, Err(Problem::internal()));
        }
    }

    fn answer(&self, asked: Asked, body: &[u8], ended: &Arc<AtomicBool>) -> Result<Json, Problem> {
        let (folder, pool) = (self.folder.as_ref(), &self.pool);
        match asked {
            Asked::Level => self.levels.answer(body, folder, pool, ended),
            Asked::Board => board::answer(body, pool, ended),
            Asked::Network => self.networks.answer(body, folder, pool, ended),
        }
    }

    fn tell(&self, number: u64, answer: Result<Json, Problem>) {
        let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        working.remove(&number);
        drop(working);
        let (status, words) = match answer {
            Ok(answer) => (200, answer),
            Err(problem) => (problem.status.as_u16(), problem.json()),
        };
        let frame = Frame {
            number,
            kind: status,
            text: words.to_string(),
        };
        let mut output = io::stdout().lock();
        // The server has ended, and its worker ends too.
        if frame
            .write(&mut output)
            .and_then(|()| output.flush())
            .is_err()
        {
            std::process::exit(0);
        }
    }
}

/// Ends the program when it takes more memory than allowed, if the system reports its memory.
fn watch_memory() {
    let page = 4096;
    loop {
        let Ok(pages) = std::fs::read_to_string("/proc/self/statm") else {
            return;
        };
        let resident = pages.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
        if resident.is_some_and(|resident| resident * page > MOST << 20) {
            std::process::exit(OUT_OF_MEMORY);
        }
        thread::sleep(WATCH);
    }
}
