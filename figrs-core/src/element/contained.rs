//! Checks of users' functions: a panic becomes an error, and in debug builds equal arguments must give equal results.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::{env, thread};

use super::node::{AnyElement, Kind};
use crate::error::Fault;
use crate::value::support::Support;

/// Calls `function`, which a user wrote, and converts a panic into a [`Fault`].
#[inline]
pub fn contained<R>(function: impl FnOnce() -> R) -> Result<R, Fault> {
    catch_unwind(AssertUnwindSafe(function)).map_err(panicked)
}

#[cold]
fn panicked(payload: Box<dyn Any + Send>) -> Fault {
    let mut message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    if let Some(place) = PLACE.take() {
        message = format!("{message} ({place})");
    }
    Fault::Panicked(message)
}

thread_local! {
    /// Number of calls of [`unprinted`] that are in progress on this thread.
    static CALLS: Cell<u32> = const { Cell::new(0) };
    /// File, line and column of the last panic on this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Ends a call of [`unprinted`] when it is dropped, even if the call panics.
struct End;
impl Drop for End {
    fn drop(&mut self) {
        CALLS.set(CALLS.get() - 1);
    }
}

/// Calls `function`, and converts a panic into an error that names the source line. The panic hook prints the panic only if `RUST_BACKTRACE` is set.
pub fn unprinted<R>(function: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    let install = || {
        let is_traced = env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if CALLS.get() == 0 || is_traced {
                print(panic);
            }
            PLACE.set(panic.location().map(ToString::to_string));
        }));
    };
    // Setting the panic hook during a panic would abort the program.
    if !thread::panicking() {
        HOOK.call_once(install);
    }
    CALLS.set(CALLS.get() + 1);
    let _end = End;
    function()
}

/// Maximum number of elements that the comparison of two results visits.
const MAX_COMPARED_ELEMENTS: usize = 64;

fn differ(a: &AnyElement, b: &AnyElement) -> Option<String> {
    let (left, right) = (a.label(), b.label());
    let shape = !left.is_same_call(&right) || a.parents().len() != b.parents().len();
    if shape {
        return Some(format!("{left} and {right}"));
    }
    if let (Kind::Atomic(x), Kind::Atomic(y)) = (a.kind(), b.kind()) {
        let (x, y) = (x.describe(), y.describe());
        if x != y {
            return Some(format!("{x} and {y}"));
        }
    }
    None
}

/// Returns an error if two results of one function for the same arguments differ. Only distributions, constants and other data of the elements are
/// compared, not functions.
pub(crate) fn check_purity(first: &AnyElement, second: &AnyElement) -> Result<(), Fault> {
    match impurity(first, second) {
        Some(difference) => Err(Fault::Impure(difference)),
        None => Ok(()),
    }
}

/// Returns a description of a difference between two results of one function, or `None` if no difference is found.
pub(crate) fn impurity(first: &AnyElement, second: &AnyElement) -> Option<String> {
    let mut pairs = vec![(first.clone(), second.clone())];
    let mut compared = 0;
    while let Some((a, b)) = pairs.pop() {
        compared += 1;
        if a.id() == b.id() || compared > MAX_COMPARED_ELEMENTS {
            continue;
        }
        if let Some(difference) = differ(&a, &b) {
            return Some(difference);
        }
        pairs.extend(a.parents().iter().cloned().zip(b.parents().iter().cloned()));
    }
    None
}

/// In debug builds, checks that a function has the same result if an argument is replaced by an equal value that prints differently. The function
/// `compare` calls the function for given arguments, and describes the difference between the results.
pub(crate) fn check_equal_arguments(
    supports: &[&Support],
    arguments: &[&dyn Any],
    mut compare: impl FnMut(&[&dyn Any]) -> Result<Option<String>, Fault>,
) -> Result<(), Fault> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    for (at, support) in supports.iter().enumerate() {
        let Some(equal) = support.look_alike(arguments[at]) else {
            continue;
        };
        let mut replaced = arguments.to_vec();
        replaced[at] = equal;
        if let Some(results) = compare(&replaced)? {
            let printed = |value: &dyn Any| support.printed(value);
            let arguments = format!("{} and {}", printed(arguments[at]), printed(equal));
            return Err(Fault::UnequalResults { results, arguments });
        }
    }
    Ok(())
}
