//! Making of members from other members, without recursion.
//!
//! The function of a process may ask for other members. A member that is not yet made is then only noted, and the function receives a
//! stand-in. The noted members are made first, and the function is called again. A chain of any length of members that need each other
//! therefore takes no space on Rust's stack.
//!
//! A process that a function itself creates is new in each call. Its members are made at once, by a nested loop; all other members are noted
//! for the loop that called the function.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashSet;

use super::error::MemberError;
use crate::element::node::AnyElement;
use crate::value::datum::Datum;

/// Maximum number of members that wait for other members.
const MAX_WAITING: usize = if cfg!(test) { 1000 } else { 1_000_000 };

/// Maximum number of indices in the error about a cycle.
const SHOWN: usize = 8;

/// The number of processes that have been created.
static CREATED: AtomicU64 = AtomicU64::new(0);

/// Returns the number of a new process.
pub(super) fn new_number() -> u64 {
    CREATED.fetch_add(1, Ordering::Relaxed)
}

/// A member of a process: the number of the process, and the index.
pub(super) type MemberKey = (u64, Datum);

/// A member that is asked for.
pub(super) trait Request {
    /// The process and the index.
    fn key(&self) -> &MemberKey;
    /// Returns the member if it is made already.
    fn known(&self) -> Option<AnyElement>;
    /// Calls the function of the process.
    fn attempt(&self) -> Attempt;
    /// Makes an element the member, unless the member exists already, and returns the member. Returns `None` if the function must be called
    /// again.
    fn remember(&self, attempt: Attempt) -> Option<AnyElement>;
    /// Returns the element of a member that cannot be made.
    fn refused(&self, problem: Problem) -> AnyElement;
}

/// The result of a call of the function of a process.
pub(super) struct Attempt {
    pub(super) element: AnyElement,
    /// The number of members that the function could use.
    pub(super) known: usize,
}

/// The reason why a member cannot be made, or is not made yet.
pub(super) enum Problem {
    /// The member is made from itself, by these members.
    Cycle(String),
    /// More members than this number wait for each other.
    TooMany(usize),
    /// The member is not made yet.
    NotMade,
}

impl Problem {
    /// Returns the error about a member with this index.
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

/// The state of a loop that makes members.
#[derive(Default)]
struct Making {
    /// The members whose functions were called and wait for other members, in the order of the calls.
    waiting: Vec<MemberKey>,
    is_waiting: FxHashSet<MemberKey>,
    /// The members that the running function has asked for and that are not made.
    noted: Vec<Box<dyn Request>>,
    is_noted: FxHashSet<MemberKey>,
    /// The number of processes when the running function was called.
    created: u64,
}

thread_local! {
    /// The loops of this thread, from the outermost to the innermost.
    static LOOPS: RefCell<Vec<Making>> = const { RefCell::new(Vec::new()) };
}

impl Making {
    /// Notes a member for which a function asks, and returns a stand-in.
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

/// Ends the innermost loop of this thread, even if a panic ends it.
struct End;
impl Drop for End {
    fn drop(&mut self) {
        let ended = LOOPS.with_borrow_mut(Vec::pop);
        drop(ended);
    }
}

/// Calls a function with the state of the innermost loop.
fn innermost<R: Default>(function: impl FnOnce(&mut Making) -> R) -> R {
    LOOPS.with_borrow_mut(|loops| loops.last_mut().map(function).unwrap_or_default())
}

/// Returns the member that is asked for, and makes it and all members that it needs. Within the function of a process, the result may be a
/// stand-in.
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
    // A process forgets members to which nothing refers.
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
