//! The worker process of the server, and the requests on which it works.
//!
//! The work on a request gets a signal to stop when no client waits for its result. If the work does not react to the signal, the worker process is
//! killed, and a new process takes over the other requests. The work on a request therefore ends within a fixed time if no client waits for its
//! result.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};

use hyper::StatusCode;
use hyper::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::sleep;

use crate::frame::Frame;
use crate::problem::Problem;
use crate::worker::{Asked, END, MEMORY, OUT_OF_MEMORY};

/// Time within which the work on a request must stop by itself after no client waits for it any more.
const GRACE: Duration = Duration::from_millis(400);

/// An answer of the worker process: an HTTP status and JSON.
pub(crate) type Reply = (StatusCode, Bytes);

/// The worker process, and the requests on which it works.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    folder: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the latest request.
    latest: u64,
    /// The number of the latest worker process.
    generation: u64,
    process: Option<Process>,
    jobs: BTreeMap<u64, Job>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    messages: Sender<Frame<Bytes>>,
}

/// A request in work.
#[derive(Debug)]
struct Job {
    asked: Asked,
    body: Bytes,
    reply: oneshot::Sender<Reply>,
    is_wanted: bool,
    _place: OwnedSemaphorePermit,
}

/// A request whose client waits for the answer; when this value is dropped, the work on the request stops.
#[derive(Debug)]
pub(crate) struct Waiting {
    worker: Arc<WorkerProcess>,
    number: u64,
    reply: oneshot::Receiver<Reply>,
}

/// Returns the path of the program of this process, which is valid even if the file was replaced since the start of the program.
fn own_program() -> io::Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() {
        return Ok(running.to_owned());
    }
    std::env::current_exe()
}

impl WorkerProcess {
    pub(crate) fn new(folder: Option<&Path>) -> Arc<Self> {
        Arc::new(Self {
            folder: folder.map(Path::to_owned),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins work on a request; the request counts as a request in work until the work is done.
    ///
    /// **Errors.** There is no worker process, and none can be started.
    pub(crate) fn begin(
        self: &Arc<Self>,
        asked: Asked,
        body: Bytes,
        place: OwnedSemaphorePermit,
    ) -> Result<Waiting, Problem> {
        let (sender, reply) = oneshot::channel();
        let mut state = self.state();
        state.latest += 1;
        let number = state.latest;
        let job = Job {
            asked,
            body,
            reply: sender,
            is_wanted: true,
            _place: place,
        };
        if state.process.is_none() {
            self.start(&mut state).map_err(|_| Problem::internal())?;
        }
        state.send(job.message(number));
        state.jobs.insert(number, job);
        drop(state);
        Ok(Waiting {
            worker: Arc::clone(self),
            number,
            reply,
        })
    }

    /// Starts a worker process, and sends the requests in work to the new process.
    fn start(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        let mut command = Command::new(own_program()?);
        command.arg("--worker");
        if let Some(folder) = &self.folder {
            let mut flag = OsString::from("--folder=");
            flag.push(folder);
            command.arg(flag);
        }
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn()?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (messages, taken): (_, Receiver<Frame<Bytes>>) = channel();
        thread::Builder::new().spawn(move || {
            // The pipe is closed when the messages end, or the worker.
            while taken.recv().is_ok_and(|one| one.write(&mut input).is_ok()) {}
        })?;
        state.generation += 1;
        let (workshop, generation) = (Arc::clone(self), state.generation);
        thread::Builder::new().spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(answer) = Frame::read(&mut output) {
                workshop.answered(generation, answer);
            }
            workshop.is_gone(generation);
        })?;
        state.process = Some(Process { child, messages });
        let jobs = state.jobs.iter();
        let messages: Vec<_> = jobs.map(|(&number, job)| job.message(number)).collect();
        for message in messages {
            state.send(message);
        }
        Ok(())
    }

    /// Forwards an answer to its client; answers of a killed worker are ignored, since another worker answers the same requests.
    fn answered(&self, generation: u64, answer: Frame<Vec<u8>>) {
        let mut state = self.state();
        if state.generation != generation {
            return;
        }
        let job = state.jobs.remove(&answer.number);
        drop(state);
        let status = StatusCode::from_u16(answer.kind);
        if let (Some(job), Ok(status)) = (job, status) {
            // It may be that nobody waits for it any more.
            let _ = job.reply.send((status, answer.text.into()));
        }
    }

    /// Ends the requests of a worker process that ended by itself; each client gets an error instead of an answer.
    fn is_gone(&self, generation: u64) {
        let mut state = self.state();
        if state.generation != generation {
            return;
        }
        let Some(mut process) = state.process.take() else {
            return;
        };
        let jobs = std::mem::take(&mut state.jobs);
        drop(state);
        // It may have closed only its output; the exit code of an ended worker is kept.
        let _ = process.child.kill();
        let code = process.child.wait().ok().and_then(|status| status.code());
        let problem = match code {
            Some(OUT_OF_MEMORY) => Problem::memory(MEMORY),
            _ => Problem::internal(),
        };
        let words = Bytes::from(problem.json().to_string());
        for job in jobs.into_values() {
            let _ = job.reply.send((problem.status, words.clone()));
        }
    }

    /// Stops the work on a request by setting its flag and, if the work goes on, by killing the worker process after some time.
    fn cancel(self: &Arc<Self>, number: u64) {
        let mut state = self.state();
        let Some(job) = state.jobs.get_mut(&number) else {
            return;
        };
        job.is_wanted = false;
        state.send(Frame {
            number,
            kind: END,
            text: Bytes::new(),
        });
        drop(state);
        let workshop = Arc::clone(self);
        // Without a runtime the server ends, and its worker with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                sleep(GRACE).await;
                workshop.put_down(number);
            });
        }
    }

    /// Kills the worker process if it still works on the given request, and starts a new process for the other requests.
    fn put_down(self: &Arc<Self>, number: u64) {
        let mut state = self.state();
        if !state.jobs.contains_key(&number) {
            return;
        }
        state.jobs.retain(|_, job| job.is_wanted);
        if let Some(mut process) = state.process.take() {
            // This worker is ended on purpose.
            state.generation += 1;
            let _ = process.child.kill();
            // A large process takes time to end.
            thread::spawn(move || process.child.wait());
        }
        if state.jobs.is_empty() || self.start(&mut state).is_ok() {
            return;
        }
        state.jobs.clear();
    }
}

impl State {
    fn send(&self, message: Frame<Bytes>) {
        if let Some(process) = &self.process {
            // The end of a worker is noticed where its answers are read.
            let _ = process.messages.send(message);
        }
    }
}

impl Job {
    fn message(&self, number: u64) -> Frame<Bytes> {
        Frame {
            number,
            kind: self.asked as u16,
            text: self.body.clone(),
        }
    }
}

impl Waiting {
    /// Waits for the answer.
    ///
    /// **Errors.** There is no answer, because no worker process could be started.
    pub(crate) async fn reply(&mut self) -> Result<Reply, Problem> {
        let reply = &mut self.reply;
        reply.await.map_err(|_| Problem::internal())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.worker.cancel(self.number);
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        if let Some(mut process) = self.state().process.take() {
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
    }
}
