//! Creation of members of processes (families of elements with an index) that need other members, without recursion.
//!
//! The function of a process may ask for other members. If the function of a process asks for a member that does not exist yet, the function receives
//! a placeholder element, and the missing member is put on a list. The missing members of a process are created first, and then the function of the
//! process is called again. A chain of members, each of which needs the next one, may therefore have any length without a stack overflow.
//!
//! If the function of a process creates another process, this inner process is new in each call. Members of such an inner process are created
//! immediately by a nested loop; all other missing members are put on the list of the loop that called the function.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashSet;

use super::error::MemberError;
use crate::element::node::AnyElement;
use crate::value::datum::Datum;

/// Maximum number of members whose creation waits for other members.
const MAX_WAITING: usize = if cfg!(test) { 1000 } else { 1_000_000 };

/// Maximum number of indices in the error message about a cycle.
const SHOWN: usize = 8;

static CREATED: AtomicU64 = AtomicU64::new(0);

pub(super) fn new_number() -> u64 {
    CREATED.fetch_add(1, Ordering::Relaxed)
}

/// A member of a process: the number of the process, and the index of the member.
pub(super) type MemberKey = (u64, Datum);

pub(super) trait Request {
    fn key(&self) -> &MemberKey;
    fn known(&self) -> Option<AnyElement>;
    fn attempt(&self) -> Attempt;
    /// Stores the element of `attempt` as the member of the process, unless the member exists already, and returns the member. Returns `None` if the
    /// function of the process must be called again, because the process has created another member since `attempt`.
    fn remember(&self, attempt: Attempt) -> Option<AnyElement>;
    /// Returns an element whose evaluation fails because of `problem`.
    fn refused(&self, problem: Problem) -> AnyElement;
}

pub(super) struct Attempt {
    pub(super) element: AnyElement,
    /// The number of members of the process that existed when its function was called, if the members depend on their neighbours.
    pub(super) known: usize,
}

pub(super) enum Problem {
    /// The member depends on itself; the text lists the members of the cycle.
    Cycle(String),
    /// More members wait for each other than the limit allows; the number is the limit.
    TooMany(usize),
    /// The member does not exist yet.
    NotMade,
}

impl Problem {
    pub(super) fn error(self, of: String, index: String, index_type: &'static str) -> MemberError {
        match self {
            Self::Cycle(path) => MemberError::Cycle {
                of,
                index,
                index_type,
                path,
            },
            Self::TooMany(limit) => MemberError::TooManyNeeded {
                of,
                index,
                index_type,
                limit,
            },
            Self::NotMade => MemberError::NotMade {
                of,
                index,
                index_type,
            },
        }
    }
}

/// The state of a loop that creates members of processes.
#[derive(Default)]
struct Making {
    /// The members whose function was called and needs other members, in the order of the calls.
    waiting: Vec<MemberKey>,
    is_waiting: FxHashSet<MemberKey>,
    /// The missing members for which the running function of a process has asked.
    noted: Vec<Box<dyn Request>>,
    is_noted: FxHashSet<MemberKey>,
    /// The number of processes that existed when the running function of a process was called.
    created: u64,
}

thread_local! {
    /// The loops that create members of processes on the running thread, from the outermost to the innermost.
    static LOOPS: RefCell<Vec<Making>> = const { RefCell::new(Vec::new()) };
}

impl Making {
    /// Adds the member that `request` asks for to the list of missing members, and returns a placeholder element.
    fn note(&mut self, request: Box<dyn Request>) -> AnyElement {
        if !self.is_waiting.contains(request.key()) {
            let stand_in = request.refused(Problem::NotMade);
            if self.is_noted.insert(request.key().clone()) {
                self.noted.push(request);
            }
            return stand_in;
        }
        let first = self.waiting.iter().position(|key| key == request.key());
        let cycle = &self.waiting[first.unwrap_or_default()..];
        let index = |(_, index): &MemberKey| format!("{index:?}");
        let mut path: Vec<String> = cycle.iter().take(SHOWN / 2).map(index).collect();
        if cycle.len() > SHOWN {
            path.push("...".into());
        }
        let rest = path.len().max(cycle.len().saturating_sub(SHOWN / 2));
        path.extend(cycle.iter().skip(rest).map(index));
        request.refused(Problem::Cycle(path.join(", ")))
    }

    fn begin(&mut self, key: &MemberKey, is_first: bool) {
        self.created = CREATED.load(Ordering::Relaxed);
        if is_first {
            self.waiting.push(key.clone());
            self.is_waiting.insert(key.clone());
        }
    }

    fn take_noted(&mut self) -> Vec<Box<dyn Request>> {
        self.is_noted.clear();
        std::mem::take(&mut self.noted)
    }

    fn end(&mut self, key: &MemberKey) {
        self.waiting.pop();
        self.is_waiting.remove(key);
    }
}

/// A guard that removes the innermost loop from the list of the thread's loops when it is dropped, also after a panic.
struct End;
impl Drop for End {
    fn drop(&mut self) {
        let ended = LOOPS.with_borrow_mut(Vec::pop);
        drop(ended);
    }
}

/// Calls `function` with the state of the innermost loop that creates members.
fn innermost<R: Default>(function: impl FnOnce(&mut Making) -> R) -> R {
    LOOPS.with_borrow_mut(|loops| loops.last_mut().map(function).unwrap_or_default())
}

/// Returns the member that `request` asks for, after the creation of this member and of all members that it needs. If a process's function is
/// running, the result may be a placeholder element.
pub(super) fn make(request: Box<dyn Request>) -> AnyElement {
    let number = request.key().0;
    let mut request = Some(request);
    let noted = LOOPS.with_borrow_mut(|loops| {
        let own = loops.iter_mut().find(|making| number < making.created)?;
        Some(own.note(request.take()?))
    });
    if let Some(stand_in) = noted {
        return stand_in;
    }
    LOOPS.with_borrow_mut(|loops| loops.push(Making::default()));
    let _end = End;
    let mut open: Vec<(Box<dyn Request>, bool)> = request.into_iter().map(|r| (r, false)).collect();
    // A process keeps only weak references to its members; this list keeps the new members alive.
    let mut made = Vec::new();
    while let Some((request, is_waiting)) = open.last_mut() {
        let mut member = request.known();
        if member.is_none() {
            let is_first = !std::mem::replace(is_waiting, true);
            innermost(|making| making.begin(request.key(), is_first));
            let mut attempt = request.attempt();
            let noted = innermost(Making::take_noted);
            let waiting = noted.len();
            if waiting > 0 {
                if open.len() + waiting <= MAX_WAITING {
                    open.extend(noted.into_iter().rev().map(|request| (request, false)));
                    continue;
                }
                let (request, _) = &open[open.len() - 1];
                attempt.element = request.refused(Problem::TooMany(MAX_WAITING));
            }
            member = open
                .last()
                .and_then(|(request, _)| request.remember(attempt));
        }
        let Some(member) = member else { continue };
        made.push(member);
        if let Some((request, true)) = open.pop() {
            innermost(|making| making.end(request.key()));
        }
    }
    made.pop()
        .expect("the first member that was asked for is made last")
}
